// Counting what every instruction of the entry computation and of the fusions called from it reads,
// of real programs: the maps are there before the clock starts.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "bench/programs.h"
#include "mercator/analysis/utilisation.h"

namespace mercator {
namespace {

void count_reads_of(benchmark::State& state, const hlo::Module& module) {
  ExprContext context;
  IndexingAnalysis analysis(module, context);
  std::vector<std::pair<const hlo::Instruction*, InstructionIndexing>> all;
  for (const hlo::Instruction* instruction : shown_instructions(module)) {
    all.emplace_back(instruction, analysis.indexing(*instruction, Direction::kOutputToInput));
  }
  std::int64_t arrays = 0;
  std::int64_t exact = 0;
  for ([[maybe_unused]] auto _ : state) {
    ReadCounter counter(analysis);
    arrays = 0;
    exact = 0;
    for (const auto& [instruction, indexing] : all) {
      for (const ArrayReads& array : counter(*instruction, indexing)) {
        ++arrays;
        exact += array.elements_read.is_exact() && array.reads.is_exact() ? 1 : 0;
      }
    }
  }
  state.counters["arrays"] = static_cast<double>(arrays);
  state.counters["exact"] = static_cast<double>(exact);
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
  for (const std::filesystem::path& path : paths) {
    modules.push_back(mercator::read_program(path));
    if (modules.back() == nullptr) continue;
    benchmark::RegisterBenchmark(path.filename().c_str(), [module = modules.back().get()](
                                                              benchmark::State& state) {
      mercator::count_reads_of(state, *module);
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
