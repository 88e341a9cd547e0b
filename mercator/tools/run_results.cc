#include "mercator/tools/run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "mercator/runtime/compare.h"
#include "mercator/runtime/npy.h"
#include "mercator/runtime/npz.h"
#include "mercator/runtime/rounding.h"

namespace mercator::tools {
namespace {

using runtime::Tensor;

Result<void> write_npy(const std::string& path, const Tensor& tensor,
                       const runtime::MemoryPool& pool) {
  const runtime::NpyContent content =
      MERCATOR_TRY(runtime::npy_content(tensor, runtime::ForeignElements::kVoid, pool));
  const std::span<const std::byte> elements = content.elements.bytes();
  const std::array<std::string_view, 2> parts = {
      content.header,
      std::string_view(reinterpret_cast<const char*>(elements.data()), elements.size())};
  return write_file(path, parts);
}

Result<void> write_archive(const std::string& path, std::span<const Tensor> results,
                           const runtime::MemoryPool& pool) {
  std::vector<runtime::NpzEntry> entries;
  for (const Tensor& result : results) {
    entries.push_back({.name = std::to_string(entries.size()), .tensor = result});
  }
  return replace_file(
      path, [&](const std::string& beside) { return runtime::write_npz(beside, entries, pool); });
}

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
                         const runtime::MemoryPool& pool) {
  std::size_t next = 0;
  for (const std::string& path : paths) {
    const Result<void> written = path.ends_with(".npz") ? write_archive(path, results, pool)
                                                        : write_npy(path, results[next++], pool);
    if (!written) return report(written.error(), path);
  }
  return ExitStatus::kDone;
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
