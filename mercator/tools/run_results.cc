#include "mercator/tools/run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "mercator/runtime/compare.h"
#include "mercator/runtime/npy.h"
#include "mercator/runtime/npz.h"
#include "mercator/runtime/rounding.h"

namespace mercator::tools {
namespace {

using runtime::Tensor;

// Results on their way to files.
class ResultWriter {
 public:
  explicit ResultWriter(const runtime::RunContext& context) : context_(context) {}

  // To what will take the place of a file.
  [[nodiscard]] Result<void> write_beside(const std::string& path,
                                          std::span<const Tensor> results) {
    FileReplacement file = MERCATOR_TRY(replacement_of(path));
    MERCATOR_TRY_VOID(runtime::is_npz(path) ? write_archive(file.beside(), results)
                                            : write_npy(file.beside(), results.front()));
    replacements_.push_back({path, std::move(file)});
    return {};
  }
  // To a file that is there.
  [[nodiscard]] Result<void> write_npy(const std::string& path, const Tensor& result) {
    const runtime::NpyContent content =
        MERCATOR_TRY(runtime::npy_content(result, runtime::ForeignElements::kVoid, context_.pool));
    const std::span<const std::byte> elements = content.elements.bytes();
    const std::array<std::string_view, 2> parts = {
        content.header,
        std::string_view(reinterpret_cast<const char*>(elements.data()), elements.size())};
    return write_to(path, parts, context_.stop);
  }
  // What was written takes the places of the files. Reports errors itself.
  ExitStatus put_in_place() {
    for (auto& [path, file] : replacements_) {
      const Result<void> done = file.put_in_place();
      if (!done) return report(done.error(), path);
    }
    return ExitStatus::kDone;
  }

 private:
  struct Replacement {
    std::string path;
    FileReplacement file;
  };

  [[nodiscard]] Result<void> write_archive(const std::string& path,
                                           std::span<const Tensor> results) {
    std::vector<runtime::NpzEntry> entries;
    for (const Tensor& result : results) {
      entries.push_back({.name = std::to_string(entries.size()), .tensor = result});
    }
    return runtime::write_npz(path, entries, context_.pool, context_.stop);
  }

  const runtime::RunContext& context_;
  std::vector<Replacement> replacements_;
};

// A number that people compare: three digits, of which none is lost.
std::string short_number(double value) { return fmt::format("{:.3g}", value); }

std::string difference_text(const runtime::Difference& difference, hlo::ElementType type) {
  std::string text =
      fmt::format("  [{}]: {}, where {} is expected", fmt::join(difference.index, ","),
                  difference.actual, difference.expected);
  if (std::isfinite(difference.relative)) {
    text += fmt::format(": by {} of it", short_number(difference.relative));
  }
  const bool has_ulps = hlo::is_floating(type) || hlo::is_complex(type);
  if (has_ulps && difference.steps > 0) text += fmt::format(", {} ulps", difference.steps);
  return text + '\n';
}

std::string comparison_text(const runtime::Comparison& comparison, const Tensor& result,
                            std::size_t number, double tolerance) {
  const std::string allowed =
      tolerance > 0 ? fmt::format("within {}", short_number(tolerance)) : "exactly";
  if (comparison.differing == 0) {
    const std::string error =
        comparison.largest_error > 0
            ? fmt::format("; off by up to {}", short_number(comparison.largest_error))
            : "";
    return fmt::format("result {} {}: all {} as expected, {}{}\n", number, type_text(result),
                       comparison.elements, allowed, error);
  }
  std::string text =
      fmt::format("result {} {}: {} of {} are not as expected, {}\n", number, type_text(result),
                  comparison.differing, comparison.elements, allowed);
  for (const runtime::Difference& difference : comparison.worst) {
    text += difference_text(difference, result.element_type());
  }
  return text;
}

}  // namespace

ExitStatus write_results(std::span<const std::string> paths, std::span<const Tensor> results,
                         const runtime::RunContext& context) {
  ResultWriter writer(context);
  // Pipes and devices come after the files beside, which may fail without anybody having noticed.
  std::vector<std::pair<std::string, Tensor>> special;
  std::size_t next = 0;
  for (const std::string& path : paths) {
    const std::span<const Tensor> of_path =
        runtime::is_npz(path) ? results : results.subspan(next++, 1);
    if (!runtime::is_npz(path) && is_special_file(path)) {
      special.emplace_back(path, of_path.front());
      continue;
    }
    const Result<void> written = writer.write_beside(path, of_path);
    if (!written) return report(written.error(), path);
  }
  for (const auto& [path, result] : special) {
    const Result<void> written = writer.write_npy(path, result);
    if (!written) return report(written.error(), path);
  }
  return writer.put_in_place();
}

ExitStatus compare_results(const hlo::Module& module, std::span<const Tensor> results,
                           std::span<const Tensor> expected, const std::stop_token& stop,
                           Output& output) {
  const std::vector<runtime::Rounding> roundings = runtime::result_roundings(*module.entry);
  ExitStatus status = ExitStatus::kDone;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (type_text(results[i]) != type_text(expected[i])) {  // dynamic sizes
      output.write(fmt::format("result {} {}: {} is expected\n", i, type_text(results[i]),
                               type_text(expected[i])));
      status = ExitStatus::kWrongResult;
      continue;
    }
    const double tolerance = runtime::tolerance(roundings[i]);
    const Result<runtime::Comparison> comparison =
        runtime::compare(results[i], expected[i], tolerance, stop);
    if (!comparison) return report(comparison.error(), "mercator");
    output.write(comparison_text(*comparison, results[i], i, tolerance));
    if (comparison->differing > 0) status = ExitStatus::kWrongResult;
  }
  return status;
}

}  // namespace mercator::tools
