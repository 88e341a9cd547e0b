// mercator map: the index maps of a program.

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/hlo/module.h"
#include "mercator/tools/custom_calls_file.h"
#include "mercator/tools/kernel_options.h"
#include "mercator/tools/map_json.h"
#include "mercator/tools/map_listing.h"
#include "mercator/tools/map_stats.h"
#include "mercator/tools/map_text.h"
#include "mercator/tools/module_file.h"
#include "mercator/tools/progress.h"
#include "mercator/tools/verb.h"

namespace mercator::tools {
namespace {

struct MapOptions {
  std::string file;
  std::string custom_calls;  // another file; "": none
  MapRequest request;
  bool json = false;
  bool stats = false;
};

// Calls `consume` for the maps of each instruction.
template <class Consume>
void for_each(const std::vector<const hlo::Instruction*>& instructions, bool show_progress,
              const Output& output, MapLister& lister, const Consume& consume) {
  Progress progress("mapping instructions", instructions.size(), show_progress);
  for (const hlo::Instruction* instruction : instructions) {
    if (output.failed()) return;
    consume(lister(*instruction));
    progress.advance();
  }
}

using InsideList = std::vector<std::pair<const hlo::Instruction*, InsideMaps>>;

// Whether the instruction has what a kernel of the scheme is about.
bool has_hero(const hlo::Instruction& instruction, const Kernel& kernel) {
  return kernel.scheme == Scheme::kLoop || !heroes_of(instruction, kernel.scheme).empty();
}

// What --grouped or --kernel asks for: all of it before anything is written, since what is asked
// for by name may not suit. Without names, instructions that it does not suit are left out; that
// none is left is an error, if it is for the launch.
Result<InsideList> inside_maps(const std::vector<const hlo::Instruction*>& instructions,
                               const MapRequest& request, MapLister& lister) {
  if (request.kernel) {
    MERCATOR_TRY_VOID(require_launch(request.kernel->launch, request.kernel->vector));
  }
  InsideList all;
  std::optional<Error> misfit;
  Progress progress("mapping instructions", instructions.size(), true);
  for (const hlo::Instruction* instruction : instructions) {
    Result<InsideMaps> maps = lister.inside(*instruction);
    if (maps) {
      all.emplace_back(instruction, *std::move(maps));
    } else if (!request.instructions.empty()) {
      return std::unexpected(maps.error());
    } else if (!misfit && request.kernel && has_hero(*instruction, *request.kernel)) {
      misfit = std::move(maps.error());
      misfit->message = fmt::format("no instruction suits this kernel; '{}': {}", instruction->name,
                                    misfit->message);
    }
    progress.advance();
  }
  if (all.empty() && misfit) return std::unexpected(*misfit);
  return all;
}

ExitStatus run_map(const MapOptions& options, Output& output) {
  const std::expected<ModuleFile, ExitStatus> file = read_module_file(options.file);
  if (!file) return file.error();
  const hlo::Module& module = *file->module;
  const std::string& name = file->name;
  MapTimes times = {.parse = file->parse_time, .verify = file->verify_time};

  const auto selected = select_instructions(module, options.request);
  if (!selected) return report(selected.error(), name);

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
  MapLister lister(module, context, options.request, std::move(custom_calls));
  if (options.stats) {
    MapStats stats(module);
    for_each(*selected, true, output, lister,
             [&](const InstructionMaps& maps) { stats.add(maps); });
    times.analyse = lister.analyse_time();
    times.simplify = lister.simplify_time();
    output.write(options.json ? stats.json(times) : stats.text(times));
    return ExitStatus::kDone;
  }
  // Where the maps themselves go by on the terminal, progress would stand between them.
  const bool show_progress = ::isatty(STDOUT_FILENO) != 1;
  InsideList inside;
  const bool is_inside = options.request.grouped || options.request.kernel.has_value();
  if (is_inside) {
    Result<InsideList> maps = inside_maps(*selected, options.request, lister);
    if (!maps) return report(maps.error(), name);
    inside = *std::move(maps);
  }
  // Writes either.
  const auto write = [&](auto& writer) {
    for (const auto& [instruction, maps] : inside) writer.write(*instruction, maps);
    if (is_inside) return;
    for_each(*selected, show_progress, output, lister,
             [&](const InstructionMaps& maps) { writer.write(maps); });
  };
  if (options.json) {
    MapJsonWriter writer(module, output);
    write(writer);
    writer.finish();
  } else {
    MapTextWriter writer(module, output);
    write(writer);
  }
  return ExitStatus::kDone;
}

// For options that choose one of several by its number.
std::string check_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return is_number ? "" : "'" + text + "' is not a number from 0";
}

}  // namespace

Verb add_map_verb(CLI::App& command) {
  CLI::App* app = command.add_subcommand("map", "Print the index maps of a program");
  app->group(kVerbGroup);
  const auto options = std::make_shared<MapOptions>();
  MapRequest& request = options->request;

  app->add_option("FILE", options->file,
                  "HLO text, HloModuleProto or StableHLO; - for standard input")
      ->option_text(" ")
      ->required();
  app->add_option("--instruction", request.instructions,
                  "Only this instruction; may be given several times.\n"
                  "Without it: every instruction of the entry computation\n"
                  "and of the fusions called from it")
      ->option_text("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_flag("--all", request.every_computation, "Every instruction of every computation")
      ->option_text(" ")
      ->excludes("--instruction");
  app->add_option_function<std::string>(
         "--direction",
         [&request](const std::string& direction) {
           request.output_to_input = direction != "i2o";
           request.input_to_output = direction != "o2i";
         },
         "o2i: from an element of the result to the elements of\n"
         "the operands that it is made from; i2o: from an element\n"
         "of an operand to those of the result that it takes part\n"
         "in; both: the default")
      ->option_text("o2i|i2o|both")
      ->check(CLI::IsMember({"o2i", "i2o", "both"}));
  app->add_option("--operand", request.operand, "Only this operand, from 0")
      ->option_text("N")
      ->check(check_number);
  app->add_option("--output", request.output, "Only this element of a tuple, from 0")
      ->option_text("N")
      ->check(check_number);
  app->add_flag("--physical", request.physical,
                "Map to positions in memory, counted in elements,\n"
                "instead of indices");
  app->add_option("--custom-calls", options->custom_calls,
                  "What custom calls read, by what they call: a JSON file")
      ->option_text("FILE");
  app->add_flag("--json", options->json, "Print JSON");
  app->add_flag("--stats", options->stats, "Print counts and times instead of maps")
      ->option_text(" ");
  CLI::Option* grouped = app->add_flag("--grouped", request.grouped,
                                       "Of fusions and calls: the maps from the result to\n"
                                       "every instruction inside")
                             ->option_text(" ");
  CLI::Option* kernel = add_kernel_options(*app, request.kernel);
  kernel->excludes(grouped);
  for (const char* option : {"--direction", "--operand", "--output", "--stats"}) {
    for (CLI::Option* inside : {grouped, kernel}) inside->excludes(app->get_option(option));
  }
  app->footer(
      "Example:\n"
      "  mercator map examples/softmax.hlo --instruction softmax --direction o2i");
  return {.app = app, .run = [options](Output& output) { return run_map(*options, output); }};
}

}  // namespace mercator::tools
