#include "mercator/tools/program_file.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <optional>
#include <utility>

#include "mercator/runtime/artifact.h"
#include "mercator/runtime/compile_cache.h"
#include "mercator/runtime/engine.h"
#include "mercator/tools/module_file.h"
#include "mercator/tools/streams.h"
#include "mercator/tools/whole_number.h"

namespace mercator::tools {
namespace {

ExitStatus report_in(const hlo::Module& module, const Error& error, const std::string& name,
                     const std::string& text) {
  return report(module.source.locate(error, module.text()), name, text);
}

std::expected<ProgramFile, ExitStatus> read_artifact_file(const ProgramOptions& options,
                                                          std::string name,
                                                          const std::string& bytes,
                                                          const std::stop_token& stop) {
  if (!options.engines.empty() || !options.cache.empty()) {
    const std::string_view option = options.engines.empty() ? "--cache" : "--engine";
    return std::unexpected(
        report({.kind = ErrorKind::kUsage,
                .message = fmt::format("an artifact was compiled for the engines that it has: {} "
                                       "has no meaning",
                                       option)},
               "mercator"));
  }
  Result<std::unique_ptr<runtime::Program>> program =
      runtime::read_artifact(bytes, runtime::engines(), stop);
  if (!program) return std::unexpected(report(program.error(), name));
  std::string text((*program)->module().text());
  return ProgramFile{
      .name = std::move(name), .text = std::move(text), .program = *std::move(program)};
}

}  // namespace

void add_program_options(CLI::App& app, ProgramOptions& options) {
  app.add_option(
         "FILE", options.file,
         "HLO text, HloModuleProto, StableHLO or what `compile` wrote; - for standard input")
      ->option_text(" ")
      ->required();
  app.add_option("--engine", options.engines,
                 "An engine to run it with; several, the one that is preferred first")
      ->option_text("NAME")
      ->take_all()
      ->expected(1);
  CLI::Option* const cache = app.add_option("--cache", options.cache,
                                            "A folder of what has been compiled, kept between runs")
                                 ->option_text("FOLDER");
  app.add_option("--cache-size", options.cache_size,
                 "The most that is kept there, in bytes or with a unit: 500M; 4G by default")
      ->option_text("SIZE")
      ->transform(byte_size())
      ->needs(cache);
}

ExitStatus ProgramFile::report(const Error& error) const {
  return report_in(module(), error, name, text);
}

std::expected<ProgramFile, ExitStatus> read_program_file(const ProgramOptions& options,
                                                         const std::stop_token& stop) {
  const std::string name = input_name(options.file);
  Result<std::string> bytes = read_input(options.file, stop);
  if (!bytes) return std::unexpected(report(bytes.error(), name));
  if (runtime::is_artifact(*bytes)) return read_artifact_file(options, name, *bytes, stop);

  std::expected<ModuleFile, ExitStatus> file = read_module(name, *std::move(bytes));
  if (!file) return std::unexpected(file.error());
  std::vector<std::string> names = options.engines;
  if (names.empty()) names.emplace_back("interpreter");
  const Result<std::vector<const runtime::Engine*>> engines = runtime::engines().find_all(names);
  if (!engines) return std::unexpected(report(engines.error(), "mercator"));

  std::optional<runtime::CompileCache> cache;
  if (options.cache.empty()) {
    cache.emplace();
  } else {
    cache.emplace(options.cache, options.cache_size);
  }
  const std::shared_ptr<const hlo::Module> module = std::move(file->module);
  Result<std::unique_ptr<runtime::Program>> program =
      runtime::Program::compile(module, *engines, {.cache = &*cache, .stop = stop});
  if (!program) {
    return std::unexpected(report_in(*module, program.error(), file->name, file->text));
  }
  for (const std::string& warning : (*program)->statistics().warnings) {
    write_message(fmt::format("mercator: warning: {}\n", warning));
  }
  return ProgramFile{
      .name = std::move(file->name), .text = std::move(file->text), .program = *std::move(program)};
}

}  // namespace mercator::tools
