// mercator run: runs a program.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mercator/runtime/interpreter.h"
#include "mercator/runtime/npz.h"
#include "mercator/runtime/program.h"
#include "mercator/runtime/tensor_files.h"
#include "mercator/tools/interrupt.h"
#include "mercator/tools/program_file.h"
#include "mercator/tools/progress.h"
#include "mercator/tools/run_inputs.h"
#include "mercator/tools/run_results.h"
#include "mercator/tools/run_times.h"
#include "mercator/tools/tensor_text.h"
#include "mercator/tools/verb.h"
#include "mercator/tools/whole_number.h"

namespace mercator::tools {
namespace {

using runtime::MemoryPool;
using runtime::Tensor;
using runtime::Value;

constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::uint64_t>::max();

struct RunOptions {
  ProgramOptions program;
  std::vector<std::string> inputs;
  std::optional<std::uint64_t> random;
  std::vector<std::string> outputs;
  std::vector<std::string> expected;
  bool check = false;
  bool time = false;
  bool stats = false;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::optional<std::uint64_t> memory;  // none: what the machine has
  std::uint64_t seed = 0;
};

// The arrays in the results of a run.
std::vector<Tensor> arrays(const std::vector<Value>& results) {
  std::vector<Tensor> tensors;
  for (const Value& result : results) {
    const std::vector<Tensor> more = leaves(result);
    tensors.insert(tensors.end(), more.begin(), more.end());
  }
  return tensors;
}

// Nothing may be written where a result would be missing, or lost.
ExitStatus check_outputs(const hlo::Module& module, const std::vector<std::string>& outputs) {
  const auto files = std::ranges::count_if(
      outputs, [](const std::string& path) { return !runtime::is_npz(path); });
  const bool has_archive = static_cast<std::size_t>(files) < outputs.size();
  const std::size_t results = runtime::result_arrays(*module.entry).size();
  std::string wrong;
  if (static_cast<std::size_t>(files) > results ||
      (files > 0 && !has_archive && static_cast<std::size_t>(files) < results)) {
    wrong = fmt::format("--output names {} files for {} results", files, results);
  }
  for (auto path = outputs.begin(); path != outputs.end(); ++path) {
    if (std::find(outputs.begin(), path, *path) != path) {
      wrong = fmt::format("--output names '{}' twice", *path);
    }
  }
  if (wrong.empty()) return ExitStatus::kDone;
  return report({.kind = ErrorKind::kUsage, .message = std::move(wrong)}, "mercator");
}

// Compares the results with those of the interpreter.
ExitStatus check_with_interpreter(const ProgramFile& file, const std::vector<Tensor>& results,
                                  const std::vector<Value>& arguments,
                                  const runtime::RunContext& context, Output& output) {
  Result<Value> value = runtime::interpret(*file.module().entry, arguments, context);
  if (!value) return file.report(value.error());
  return compare_results(file.module(), results, leaves(*value), context.stop, output);
}

std::int64_t memory_limit(const RunOptions& options) {
  if (!options.memory) return MemoryPool::machine_memory();
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(*options.memory, kMost));
}

// Prints, stores or compares the results of a run, as the options say.
ExitStatus hand_over(const RunOptions& options, const ProgramFile& file,
                     const std::vector<Tensor>& results, const std::vector<Tensor>& expected,
                     const std::vector<Value>& arguments, const runtime::RunContext& context,
                     Output& output) {
  ExitStatus status = write_results(options.outputs, results, context);
  if (status != ExitStatus::kDone) return status;
  if (!options.expected.empty()) {
    status = compare_results(file.module(), results, expected, context.stop, output);
  }
  if (options.check) {
    const ExitStatus checked = check_with_interpreter(file, results, arguments, context, output);
    if (checked != ExitStatus::kDone) status = checked;
  }
  const bool is_asked_for_else = !options.outputs.empty() || !options.expected.empty() ||
                                 options.check || options.time || options.stats;
  if (is_asked_for_else) return status;
  for (const Tensor& result : results) output.write(tensor_text(result) + '\n');
  return status;
}

ExitStatus run_program(const RunOptions& options, Output& output) {
  const Interrupt interrupt;
  const std::expected<ProgramFile, ExitStatus> file =
      read_program_file(options.program, interrupt.token());
  if (!file) return file.error();
  const hlo::Module& module = file->module();
  const ExitStatus usable = check_outputs(module, options.outputs);
  if (usable != ExitStatus::kDone) return usable;

  const std::int64_t limit = memory_limit(options);
  const MemoryPool files(limit);
  const auto arguments =
      read_arguments(module, options.inputs, options.random, files, interrupt.token());
  if (!arguments) return arguments.error();
  const auto expected = read_expected(module, options.expected, files, interrupt.token());
  if (!expected) return expected.error();
  const std::vector<Value> values = runtime::argument_values(*module.entry, *arguments);
  const runtime::RunContext context{.pool = MemoryPool(limit - files.bytes_in_use()),
                                    .stop = interrupt.token(),
                                    .seed = options.seed,
                                    .threads = options.threads};

  runtime::RunStatistics statistics;
  std::optional<ElapsedTime> elapsed("running");
  const Result<std::vector<Value>> run = file->program->run(values, context, statistics);
  elapsed.reset();
  if (!run) return file->report(run.error());
  if (options.time) {
    runtime::RunContext again = context;
    again.pool = MemoryPool(limit - files.bytes_in_use() - context.pool.bytes_in_use());
    const Result<RunTimes> times = measure(*file->program, values, again);
    if (!times) return file->report(times.error());
    output.write(times_json(*file->program, *times, again));
  }
  if (options.stats) output.write(statistics_text(*file->program, statistics));
  return hand_over(options, *file, arrays(*run), *expected, values, context, output);
}

}  // namespace

Verb add_run_verb(CLI::App& command) {
  CLI::App* app = command.add_subcommand("run", "Run a program, and print or store its results");
  app->group(kVerbGroup);
  const auto options = std::make_shared<RunOptions>();
  add_program_options(*app, options->program);
  app->add_option("--input", options->inputs,
                  "The arguments: an archive, or a file for each, in their order")
      ->option_text("IN.npz|X.npy")
      ->take_all()
      ->expected(1);
  app->add_option("--random", options->random, "Draw the arguments that are not given")
      ->option_text("SEED")
      ->check(whole_number(0, kLargestSeed));
  app->add_option("--output", options->outputs,
                  "Store the results: in an archive, or in a file for each, in their order")
      ->option_text("OUT.npz|Y.npy")
      ->take_all()
      ->expected(1);
  app->add_option("--expect", options->expected, "Compare the results with these")
      ->option_text("OUT.npz|Y.npy")
      ->take_all()
      ->expected(1);
  app->add_flag("--check", options->check, "Compare the results with those of the interpreter");
  app->add_flag("--time", options->time, "Run again for a second, and print the times as JSON");
  app->add_flag("--stats", options->stats, "Print what was compiled and run, for how long");
  app->add_option("--threads", options->threads, "How many threads to use")
      ->option_text("N")
      ->check(whole_number(1, kMostThreads));
  app->add_option("--memory", options->memory,
                  "The most memory for tensors, in bytes or with a unit: 2G")
      ->option_text("SIZE")
      ->transform(byte_size());
  app->add_option("--seed", options->seed, "Where the program's own random numbers start")
      ->option_text("N")
      ->check(whole_number(0, kLargestSeed));
  app->footer(
      "Example:\n"
      "  mercator run examples/softmax.hlo --random 1");
  return {.app = app, .run = [options](Output& output) { return run_program(*options, output); }};
}

}  // namespace mercator::tools
