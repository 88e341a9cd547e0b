#include "mercator/tools/run_inputs.h"

#include <fmt/format.h>

#include <utility>

#include "mercator/runtime/random_tensor.h"
#include "mercator/runtime/tensor_files.h"

namespace mercator::tools {
namespace {

using runtime::Tensor;
using runtime::TensorFiles;
std::expected<void, ExitStatus> read_all(TensorFiles& tensors, std::span<const std::string> files) {
  for (const std::string& file : files) {
    const Result<void> read = tensors.read(file);
    if (!read) return std::unexpected(report(read.error(), file));
  }
  return {};
}

ExitStatus report_missing(const TensorFiles& tensors, std::size_t place, std::string hint) {
  return report({.kind = ErrorKind::kUsage,
                 .message = fmt::format("{}, and is not given", tensors.description(place)),
                 .hint = std::move(hint)},
                "mercator");
}

}  // namespace

std::expected<std::vector<Tensor>, ExitStatus> read_arguments(const hlo::Module& module,
                                                              std::span<const std::string> files,
                                                              std::optional<std::uint64_t> seed,
                                                              const runtime::MemoryPool& pool,
                                                              const std::stop_token& stop) {
  Result<std::vector<runtime::WantedArray>> wanted = runtime::argument_arrays(*module.entry);
  if (!wanted) return std::unexpected(report(wanted.error(), "mercator"));
  TensorFiles given("argument", *std::move(wanted), pool, stop);
  if (const auto read = read_all(given, files); !read) return std::unexpected(read.error());

  std::vector<Tensor> arguments;
  for (std::size_t i = 0; i < given.wanted().size(); ++i) {
    if (given.tensors()[i]) {
      arguments.push_back(*std::move(given.tensors()[i]));
      continue;
    }
    const hlo::Shape& shape = given.wanted()[i].shape;
    if (!seed) {
      return std::unexpected(
          report_missing(given, i, "give it by --input, or draw it by --random"));
    }
    Result<Tensor> drawn = runtime::random_tensor(
        shape.element_type, {shape.dimensions.begin(), shape.dimensions.end()}, *seed, i, pool,
        stop);
    if (!drawn) return std::unexpected(report(drawn.error(), "mercator"));
    arguments.push_back(*std::move(drawn));
  }
  return arguments;
}

std::expected<std::vector<Tensor>, ExitStatus> read_expected(const hlo::Module& module,
                                                             std::span<const std::string> files,
                                                             const runtime::MemoryPool& pool,
                                                             const std::stop_token& stop) {
  std::vector<Tensor> expected;
  if (files.empty()) return expected;
  TensorFiles given("result", runtime::result_arrays(*module.entry), pool, stop);
  if (const auto read = read_all(given, files); !read) return std::unexpected(read.error());
  std::optional<ExitStatus> missing;
  for (std::size_t i = 0; i < given.wanted().size(); ++i) {
    if (given.tensors()[i]) {
      expected.push_back(*std::move(given.tensors()[i]));
    } else {
      missing = report_missing(given, i, "give what is expected of it by --expect");
    }
  }
  if (missing) return std::unexpected(*missing);
  return expected;
}

}  // namespace mercator::tools
