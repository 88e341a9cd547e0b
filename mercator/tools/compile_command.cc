// mercator compile: a program as a file that is run without compiling it again.

#include <CLI/CLI.hpp>

#include <expected>
#include <memory>
#include <string>

#include "mercator/runtime/artifact.h"
#include "mercator/tools/interrupt.h"
#include "mercator/tools/program_file.h"
#include "mercator/tools/streams.h"
#include "mercator/tools/verb.h"

namespace mercator::tools {
namespace {

struct CompileOptions {
  ProgramOptions program;
  std::string output;
};

ExitStatus run_compile(const CompileOptions& options) {
  const Interrupt interrupt;
  const std::expected<ProgramFile, ExitStatus> file =
      read_program_file(options.program, interrupt.token());
  if (!file) return file.error();
  const Result<std::string> artifact = runtime::write_artifact(*file->program);
  if (!artifact) return file->report(artifact.error());
  if (const Result<void> written = write_file(options.output, *artifact, interrupt.token());
      !written) {
    return report(written.error(), options.output);
  }
  return ExitStatus::kDone;
}

}  // namespace

Verb add_compile_verb(CLI::App& command) {
  CLI::App* app = command.add_subcommand("compile", "Compile a program to a file that can be run");
  app->group(kVerbGroup);
  const auto options = std::make_shared<CompileOptions>();
  add_program_options(*app, options->program);
  app->add_option("-o,--output", options->output, "The compiled program")
      ->option_text("MODEL.mcx")
      ->required();
  app->footer(
      "Example:\n"
      "  mercator compile examples/softmax.hlo -o softmax.mcx\n"
      "  mercator run softmax.mcx --random 1");
  return {.app = app, .run = [options](Output&) { return run_compile(*options); }};
}

}  // namespace mercator::tools
