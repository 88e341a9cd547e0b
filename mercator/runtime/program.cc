#include "mercator/runtime/program.h"

#include <chrono>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/artifact.h"
#include "mercator/runtime/partition.h"
#include "mercator/runtime/program_run.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void count(const CompileCache::Compiled& compiled, CompileStatistics& statistics) {
  switch (compiled.source) {
    case CompileCache::Source::kCompiled:
      ++statistics.compiled;
      break;
    case CompileCache::Source::kMemory:
      ++statistics.memory_hits;
      break;
    case CompileCache::Source::kDisk:
      ++statistics.disk_hits;
      break;
  }
  statistics.warnings.insert(statistics.warnings.end(), compiled.warnings.begin(),
                             compiled.warnings.end());
}

}  // namespace

Result<std::unique_ptr<Program>> Program::compile(std::shared_ptr<const hlo::Module> module,
                                                  std::span<const Engine* const> engines,
                                                  const CompileOptions& options) {
  const Clock::time_point start = Clock::now();
  const Effects effects(*module);
  std::vector<Subgraph> subgraphs =
      MERCATOR_TRY(partition(*module, engines, effects, options.stop));

  CompileCache only_here;
  CompileCache& cache = options.cache != nullptr ? *options.cache : only_here;
  CompileStatistics statistics;
  std::vector<Part> parts;
  for (Subgraph& subgraph : subgraphs) {
    MERCATOR_TRY_VOID(check_stop(options.stop));
    const Engine& engine = *engines[subgraph.engine];
    SubgraphModule own = MERCATOR_TRY(module_of(subgraph, effects));
    Result<CompileCache::Compiled> compiled = cache.compile(engine, own.module, options.stop);
    if (!compiled) {
      return std::unexpected(
          error_in_module(std::move(compiled).error(), own.origins, engine.name()));
    }
    count(*compiled, statistics);
    parts.push_back({std::move(subgraph), std::move(own.origins), std::move(compiled->executable)});
  }

  std::vector<UsedEngine> used;
  for (const Engine* engine : engines) {
    used.push_back({std::string(engine->name()), std::string(engine->version())});
  }
  auto program =
      std::make_unique<Program>(std::move(module), std::move(used), std::move(parts), effects);
  statistics.engines = std::move(program->statistics_.engines);
  statistics.seconds = seconds_since(start);
  program->statistics_ = std::move(statistics);
  return program;
}

Program::Program(std::shared_ptr<const hlo::Module> module, std::vector<UsedEngine> engines,
                 std::vector<Part> parts, const Effects& effects)
    : module_(std::move(module)), engines_(std::move(engines)), parts_(std::move(parts)) {
  const hlo::Computation& entry = *module_->entry;
  struct Slot {
    std::uint32_t number;
    std::uint32_t writer;  // the part; those of parameters have none
  };
  constexpr auto kNoPart = static_cast<std::uint32_t>(-1);
  std::unordered_map<const hlo::Instruction*, Slot> slots;
  for (const hlo::Instruction* parameter : entry.parameters) {
    slots.emplace(parameter, Slot{static_cast<std::uint32_t>(slots.size()), kNoPart});
  }
  slot_readers_.resize(slots.size());
  for (const UsedEngine& engine : engines_) statistics_.engines.push_back({.engine = engine.name});

  std::uint64_t random_parts = 0;
  links_.resize(parts_.size());
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    const Subgraph& subgraph = parts_[part].subgraph;
    Links& links = links_[part];
    for (const hlo::Instruction* input : subgraph.inputs) {
      const Slot& slot = slots.at(input);
      links.inputs.push_back(slot.number);
      ++slot_readers_[slot.number];
      if (slot.writer == kNoPart) continue;
      std::vector<std::uint32_t>& readers = links_[slot.writer].readers;
      if (!readers.empty() && readers.back() == part) continue;
      readers.push_back(part);
      ++links.needed;
    }
    links.first_output = static_cast<std::uint32_t>(slot_readers_.size());
    for (const hlo::Instruction* output : subgraph.outputs) {
      slots.emplace(output, Slot{static_cast<std::uint32_t>(slot_readers_.size()), part});
      slot_readers_.push_back(0);
    }
    links.random_number = random_parts;
    for (const hlo::Instruction* instruction : subgraph.instructions) {
      if (!effects.is_random(*instruction)) continue;
      ++random_parts;
      break;
    }
    CompileStatistics::OfEngine& counts = statistics_.engines[subgraph.engine];
    ++counts.subgraphs;
    counts.instructions += static_cast<std::int64_t>(subgraph.instructions.size());
  }
  root_slot_ = slots.at(entry.root).number;
  ++slot_readers_[root_slot_];
}

Result<std::vector<Value>> Program::run(std::vector<Value> arguments,
                                        const RunContext& context) const {
  RunStatistics ignored;
  return run(std::move(arguments), context, ignored);
}

Result<std::vector<Value>> Program::run(std::vector<Value> arguments, const RunContext& context,
                                        RunStatistics& statistics) const {
  const Clock::time_point start = Clock::now();
  statistics.engine_seconds.assign(engines_.size(), 0);
  Result<Value> root = ProgramRun(*this, std::move(arguments), context).run(statistics);
  statistics.seconds = seconds_since(start);
  statistics.peak_bytes = context.pool.peak_bytes();
  if (!root) return std::unexpected(std::move(root).error());
  std::vector<Value> results;
  results.push_back(*std::move(root));
  return results;
}

Result<std::string> Program::save() const { return write_artifact(*this); }

}  // namespace mercator::runtime
