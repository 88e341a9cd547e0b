// mercator cost: what the instructions of a program cost on a GPU.

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "mercator/analysis/cost.h"
#include "mercator/expr/expr.h"
#include "mercator/tools/cost_listing.h"
#include "mercator/tools/device_options.h"
#include "mercator/tools/module_file.h"
#include "mercator/tools/verb.h"

namespace mercator::tools {
namespace {

struct CostOptions {
  std::string file;
  DeviceOptions device;
  bool json = false;
};

ExitStatus run_cost(const CostOptions& options, Output& output) {
  const std::expected<ModuleFile, ExitStatus> file = read_module_file(options.file);
  if (!file) return file.error();
  const std::expected<Device, ExitStatus> device = choose_device(options.device);
  if (!device) return device.error();
  ExprContext context;
  IndexingAnalysis indexing(*file->module, context);
  const ModuleCost cost = CostAnalysis(indexing, *device)(*file->module);
  output.write(options.json ? cost_json_text(*file->module, cost, *device)
                            : cost_table(*file->module, cost, *device));
  return ExitStatus::kDone;
}

}  // namespace

Verb add_cost_verb(CLI::App& command) {
  CLI::App* app = command.add_subcommand("cost", "Print what a program costs on a GPU, and why");
  app->group(kVerbGroup);
  const auto options = std::make_shared<CostOptions>();
  app->add_option("FILE", options->file,
                  "HLO text, HloModuleProto or StableHLO; - for standard input")
      ->option_text(" ")
      ->required();
  add_device_options(*app, options->device);
  app->add_flag("--json", options->json, "Print JSON");
  app->footer(
      "Example:\n"
      "  mercator cost examples/softmax.hlo --device h100");
  return {.app = app, .run = [options](Output& output) { return run_cost(*options, output); }};
}

}  // namespace mercator::tools
