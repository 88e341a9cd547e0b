// Maps per second over real programs: every instruction of the entry computation and of the fusions
// called from it, in both directions.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "mercator/hlo/verifier.h"
#include "mercator/indexing/indexing.h"

namespace mercator {
namespace {

std::vector<const hlo::Instruction*> shown_instructions(const hlo::Module& module) {
  std::vector<const hlo::Instruction*> result;
  std::vector<const hlo::Computation*> computations = {module.entry};
  std::set<const hlo::Computation*> seen = {module.entry};
  for (std::size_t i = 0; i < computations.size(); ++i) {
    for (const hlo::Instruction* instruction : computations[i]->instructions) {
      result.push_back(instruction);
      if (instruction->opcode != hlo::Opcode::kFusion) continue;
      const hlo::Computation* fused = instruction->computation(hlo::AttributeName::kCalls);
      if (seen.insert(fused).second) computations.push_back(fused);
    }
  }
  return result;
}

void analyse(benchmark::State& state, const std::vector<const hlo::Module*>& modules) {
  std::int64_t maps = 0;
  std::int64_t instructions = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (const hlo::Module* module : modules) {
      ExprContext context;
      IndexingAnalysis analysis(*module, context);
      for (const hlo::Instruction* instruction : shown_instructions(*module)) {
        ++instructions;
        for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
          const InstructionIndexing indexing = analysis.indexing(*instruction, direction);
          for (const InstructionIndexing::Pair& pair : indexing.pairs) {
            maps += std::ssize(pair.maps.maps);
          }
          benchmark::DoNotOptimize(indexing);
        }
      }
    }
  }
  state.counters["maps"] =
      benchmark::Counter(static_cast<double>(maps), benchmark::Counter::kIsRate);
  state.counters["instructions"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

std::unique_ptr<hlo::Module> read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  Result<std::unique_ptr<hlo::Module>> module = hlo::parse_module(std::move(text));
  if (!module.has_value() || !hlo::verify(**module).has_value()) return nullptr;
  return *std::move(module);
}

}  // namespace
}  // namespace mercator

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const std::filesystem::path folder =
      std::filesystem::path(MERCATOR_SHARED_DIR) / "corpus" / "hlo";
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".hlo") paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  std::vector<std::unique_ptr<mercator::hlo::Module>> modules;
  std::vector<const mercator::hlo::Module*> all;
  for (const std::filesystem::path& path : paths) {
    std::unique_ptr<mercator::hlo::Module> module = mercator::read(path);
    if (module == nullptr) continue;
    all.push_back(module.get());
    const std::vector<const mercator::hlo::Module*> one = {module.get()};
    benchmark::RegisterBenchmark(path.filename().c_str(), [one](benchmark::State& state) {
      mercator::analyse(state, one);
    })->Unit(benchmark::kMillisecond);
    modules.push_back(std::move(module));
  }
  benchmark::RegisterBenchmark("corpus", [&all](benchmark::State& state) {
    mercator::analyse(state, all);
  })->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
