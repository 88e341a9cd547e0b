// Maps per second over real programs: every instruction of the entry computation and of the fusions
// called from it, in both directions. Then fusions that are chains, each twice as deep as the last:
// the time should double and the number of maps stay.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/programs.h"
#include "mercator/indexing/indexing.h"

namespace mercator {
namespace {

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

// A step of a chain, from the array before it, `{0}`, to `x{1}`, both f32[64]. `{2}` is an f32[4]
// and
// `{3}` an s32[]: the parameters p1 and p2, or parameters that each step has for itself.
struct Chain {
  const char* name;
  const char* step;
  bool has_own_parameters = false;
};
constexpr const char* kMixedStep =
    "r{1} = f32[4,16] reshape({0})\n"
    "t{1} = f32[16,4] transpose(r{1}), dimensions={{1,0}}\n"
    "y{1} = f32[64] reshape(t{1})\n"
    "w{1} = f32[64] dynamic-update-slice(y{1}, {2}, {3})\n"
    "a{1} = f32[24] slice(w{1}), slice={{[0:24]}}\n"
    "b{1} = f32[40] slice(w{1}), slice={{[24:64]}}\n"
    "x{1} = f32[64] concatenate(b{1}, a{1}), dimensions={{0}}\n";
constexpr Chain kChains[] = {
    {"elementwise", "x{1} = f32[64] add({0}, p0)\n"},
    {"concatenate",
     "s{1} = f32[32] slice({0}), slice={{[0:32]}}\n"
     "t{1} = f32[32] slice({0}), slice={{[32:64]}}\n"
     "x{1} = f32[64] concatenate(t{1}, s{1}), dimensions={{0}}\n"},
    {"update", "x{1} = f32[64] dynamic-update-slice({0}, {2}, {3})\n"},
    {"reshape",
     "r{1} = f32[4,16] reshape({0})\n"
     "t{1} = f32[16,4] transpose(r{1}), dimensions={{1,0}}\n"
     "x{1} = f32[64] reshape(t{1})\n"},
    {"mixed", kMixedStep},
    {"mixed_own", kMixedStep, /*has_own_parameters=*/true},
};

std::unique_ptr<hlo::Module> fused_chain(const Chain& chain, int depth) {
  std::string parameters =
      "p0 = f32[64] parameter(0)\n"
      "p1 = f32[4] parameter(1)\n"
      "p2 = s32[] parameter(2)\n";
  std::string names = "p0, p1, p2";
  std::string steps;
  std::string last = "p0";
  for (int i = 0; i < depth; ++i) {
    std::string update = "p1";
    std::string position = "p2";
    if (chain.has_own_parameters) {
      update = fmt::format("u{}", i);
      position = fmt::format("i{}", i);
      parameters += fmt::format("{} = f32[4] parameter({})\n", update, 2 * i + 3);
      parameters += fmt::format("{} = s32[] parameter({})\n", position, 2 * i + 4);
      names += fmt::format(", {}, {}", update, position);
    }
    steps += fmt::format(fmt::runtime(chain.step), last, i, update, position);
    last = fmt::format("x{}", i);
  }
  return module_of(
      fmt::format("HloModule m\nf {{\n{}{}ROOT r = f32[64] negate({})\n}}\n"
                  "ENTRY e {{\n{}ROOT x = f32[64] fusion({}), kind=kLoop, calls=f\n}}\n",
                  parameters, steps, last, parameters, names));
}

// The maps of the fusion alone.
void analyse_fusion(benchmark::State& state, const hlo::Module& module) {
  std::int64_t maps = 0;
  for ([[maybe_unused]] auto _ : state) {
    ExprContext context;
    IndexingAnalysis analysis(module, context);
    maps = 0;
    for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      for (const auto& pair : analysis.indexing(*module.entry->root, direction).pairs) {
        maps += std::ssize(pair.maps.maps);
      }
    }
  }
  state.counters["maps"] = static_cast<double>(maps);
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
    std::unique_ptr<mercator::hlo::Module> module = mercator::read_program(path);
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
  for (const mercator::Chain& chain : mercator::kChains) {
    for (const int depth : {125, 250, 500, 1000}) {
      modules.push_back(mercator::fused_chain(chain, depth));
      benchmark::RegisterBenchmark(fmt::format("chain/{}/{}", chain.name, depth).c_str(),
                                   [module = modules.back().get()](benchmark::State& state) {
                                     mercator::analyse_fusion(state, *module);
                                   })
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
