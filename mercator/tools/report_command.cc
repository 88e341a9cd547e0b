// mercator report: a page to look at a program with.

#include <CLI/CLI.hpp>

#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "mercator/analysis/cost.h"
#include "mercator/expr/expr.h"
#include "mercator/tools/cost_listing.h"
#include "mercator/tools/custom_calls_file.h"
#include "mercator/tools/device_options.h"
#include "mercator/tools/module_file.h"
#include "mercator/tools/progress.h"
#include "mercator/tools/report_data.h"
#include "mercator/tools/report_page.h"
#include "mercator/tools/verb.h"

namespace mercator::tools {
namespace {

struct ReportOptions {
  std::string file;
  std::string custom_calls;  // another file; "": none
  DeviceOptions device;
  std::string output;
};

ExitStatus run_report(const ReportOptions& options) {
  const std::expected<ModuleFile, ExitStatus> file = read_module_file(options.file);
  if (!file) return file.error();
  const hlo::Module& module = *file->module;
  const std::expected<Device, ExitStatus> device = choose_device(options.device);
  if (!device) return device.error();

  ExprContext context;
  CustomCalls custom_calls;
  if (!options.custom_calls.empty()) {
    const std::string calls_name = input_name(options.custom_calls);
    const Result<std::string> calls_text = read_input(options.custom_calls);
    if (!calls_text) return report(calls_text.error(), calls_name);
    Result<CustomCalls> calls = read_custom_calls(*calls_text, context);
    if (!calls) return report(calls.error(), calls_name, *calls_text);
    custom_calls = *std::move(calls);
  }

  IndexingAnalysis analysis(module, context, std::move(custom_calls));
  const ModuleCost cost = CostAnalysis(analysis, *device)(module);
  Progress progress("mapping instructions", module.instructions.size(), true);
  const ReportData data =
      report_data(module, analysis, cost, *device, [&progress] { progress.advance(); });
  const std::string page = report_page(file->name, data, cost_json(module, cost, *device));
  if (const Result<void> written = write_file(options.output, page); !written) {
    return report(written.error(), options.output);
  }
  return ExitStatus::kDone;
}

}  // namespace

Verb add_report_verb(CLI::App& command) {
  CLI::App* app = command.add_subcommand("report", "Write a page to look at a program with");
  app->group(kVerbGroup);
  const auto options = std::make_shared<ReportOptions>();
  app->add_option("FILE", options->file,
                  "HLO text, HloModuleProto or StableHLO; - for standard input")
      ->option_text(" ")
      ->required();
  app->add_option("-o,--output", options->output, "The page, an HTML file")
      ->option_text("PAGE")
      ->required();
  add_device_options(*app, options->device);
  app->add_option("--custom-calls", options->custom_calls,
                  "What custom calls read, by what they call: a JSON file")
      ->option_text("FILE");
  app->footer(
      "Example:\n"
      "  mercator report examples/softmax.hlo -o softmax.html");
  return {.app = app, .run = [options](Output&) { return run_report(*options); }};
}

}  // namespace mercator::tools
