// Reading, verifying and printing every program of shared/corpus/hlo, one by one and all together.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"

namespace mercator::hlo {
namespace {

struct Program {
  std::string name;
  std::string text;
};

std::vector<Program> read_programs() {
  std::vector<Program> programs;
  std::error_code missing;
  const auto folder = std::filesystem::path(MERCATOR_SHARED_DIR) / "corpus" / "hlo";
  for (const auto& file : std::filesystem::directory_iterator(folder, missing)) {
    if (file.path().extension() != ".hlo") continue;
    std::ifstream stream(file.path(), std::ios::binary);
    programs.push_back(
        {file.path().stem(), std::string(std::istreambuf_iterator<char>(stream), {})});
  }
  std::ranges::sort(programs, {}, &Program::name);
  return programs;
}

const std::vector<Program>& programs() {
  static const std::vector<Program> kPrograms = read_programs();
  return kPrograms;
}

void set_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

void read_one(benchmark::State& state, const Program& program) {
  for (auto _ : state) {
    auto module = parse_module(program.text);
    if (!module) return state.SkipWithError(module.error().message.c_str());
    benchmark::DoNotOptimize(module);
  }
  set_bytes(state, program.text.size());
}

// Runs `use` on every module and counts the bytes of all texts.
template <class Use>
void use_all(benchmark::State& state, Use use) {
  std::vector<std::unique_ptr<Module>> modules;
  std::size_t bytes = 0;
  for (const Program& program : programs()) {
    auto module = parse_module(program.text);
    if (!module) return state.SkipWithError(module.error().message.c_str());
    modules.push_back(*std::move(module));
    bytes += program.text.size();
  }
  for (auto _ : state) {
    for (const auto& module : modules) use(*module);
  }
  set_bytes(state, bytes);
}

void read_all(benchmark::State& state) {
  std::size_t bytes = 0;
  for (const Program& program : programs()) bytes += program.text.size();
  for (auto _ : state) {
    for (const Program& program : programs()) {
      auto module = parse_module(program.text);
      if (!module) return state.SkipWithError(module.error().message.c_str());
      benchmark::DoNotOptimize(module);
    }
  }
  set_bytes(state, bytes);
}

void verify_all(benchmark::State& state) {
  use_all(state, [](const Module& module) { benchmark::DoNotOptimize(verify(module)); });
}

void print_all(benchmark::State& state) {
  use_all(state, [](const Module& module) { benchmark::DoNotOptimize(to_string(module)); });
}

bool register_all() {
  for (const Program& program : programs()) {
    benchmark::RegisterBenchmark(("Read/" + program.name).c_str(),
                                 [&program](benchmark::State& state) { read_one(state, program); });
  }
  benchmark::RegisterBenchmark("ReadAll", read_all)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("VerifyAll", verify_all)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("PrintAll", print_all)->Unit(benchmark::kMillisecond);
  return true;
}

const bool kRegistered = register_all();

}  // namespace
}  // namespace mercator::hlo
