#include "mercator/tools/module_file.h"

#include <utility>

#include "mercator/hlo/verifier.h"
#include "mercator/tools/streams.h"

namespace mercator::tools {

std::expected<ModuleFile, ExitStatus> read_module_file(const std::string& file) {
  Result<std::string> text = read_input(file);
  if (!text) return std::unexpected(report(text.error(), input_name(file)));
  return read_module(input_name(file), *std::move(text));
}

std::expected<ModuleFile, ExitStatus> read_module(std::string name, std::string text) {
  using Clock = std::chrono::steady_clock;
  ModuleFile result = {.name = std::move(name), .text = std::move(text), .module = nullptr};
  const auto start = Clock::now();
  Result<std::unique_ptr<hlo::Module>> module = hlo::read_module(result.text);
  result.parse_time = Clock::now() - start;
  if (!module) return std::unexpected(report(module.error(), result.name, result.text));
  result.module = *std::move(module);

  const auto parse_end = Clock::now();
  const Result<void> verified = hlo::verify(*result.module);
  result.verify_time = Clock::now() - parse_end;
  if (verified) return result;
  const hlo::Module& read = *result.module;
  return std::unexpected(
      report(read.source.locate(verified.error(), read.text()), result.name, result.text));
}

}  // namespace mercator::tools
