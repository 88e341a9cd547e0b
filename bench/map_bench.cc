// Reading, printing, composing and simplifying maps. Most of it runs over `bench.maps`, maps such
// as real programs yield, which are kept outside the repository; what needs them is skipped where
// they are missing.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "bench/map_file.h"
#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator {
namespace {

// Empty if the file is missing.
std::vector<NamedMap> bench_maps() { return read_maps(MERCATOR_SHARED_DIR "/cases/bench.maps"); }

// The maps in `context`; skips the benchmark if there are none.
std::vector<IndexMap> parsed_maps(ExprContext& context, benchmark::State& state) {
  std::vector<IndexMap> maps;
  for (const NamedMap& map : bench_maps()) {
    const Result<IndexMap> parsed = parse_index_map(map.text, context);
    if (parsed) maps.push_back(*parsed);
  }
  if (maps.empty()) state.SkipWithError("no bench.maps");
  return maps;
}

IndexMap map_of(ExprContext& context, std::string_view text) {
  return *parse_index_map(text, context);
}

void BM_Parse(benchmark::State& state) {
  const std::vector<NamedMap> maps = bench_maps();
  if (maps.empty()) return state.SkipWithError("no bench.maps");
  ExprContext context;
  std::int64_t bytes = 0;
  for (auto _ : state) {
    for (const NamedMap& map : maps) {
      bytes += static_cast<std::int64_t>(map.text.size());
      benchmark::DoNotOptimize(parse_index_map(map.text, context));
    }
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(state.iterations() * std::ssize(maps));
}
BENCHMARK(BM_Parse)->Unit(benchmark::kMicrosecond);

void BM_Print(benchmark::State& state) {
  ExprContext context;
  const std::vector<IndexMap> maps = parsed_maps(context, state);
  std::int64_t bytes = 0;
  for (auto _ : state) {
    for (const IndexMap& map : maps) {
      bytes += static_cast<std::int64_t>(to_string(map, MapStyle::kOneLine).size());
    }
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(state.iterations() * std::ssize(maps));
}
BENCHMARK(BM_Print)->Unit(benchmark::kMicrosecond);

void BM_Compose(benchmark::State& state) {
  ExprContext context;
  const IndexMap first = map_of(
      context,
      "(d0, d1, d2) -> (d0 * 8 + d1, d2), domain: d0 in [0, 3], d1 in [0, 7], d2 in [0, 11]");
  const IndexMap second =
      map_of(context,
             "(d0, d1)[s0] -> (d0 floordiv 4, (d0 mod 4) * 12 + d1, s0), domain: d0 in [0, 31], "
             "d1 in [0, 11], s0 in [0, 15], d1 + s0 in [0, 20]");
  for (auto _ : state) benchmark::DoNotOptimize(compose(first, second));
}
BENCHMARK(BM_Compose);

// One map of the file, in a context that has seen it before.
void BM_Simplify(benchmark::State& state) {
  const std::vector<NamedMap> maps = bench_maps();
  const auto index = static_cast<std::size_t>(state.range(0));
  if (index >= maps.size()) return state.SkipWithError("no bench.maps");
  ExprContext context;
  MapSimplifier simplifier;
  const IndexMap map = map_of(context, maps[index].text);
  state.SetLabel(maps[index].name);
  for (auto _ : state) benchmark::DoNotOptimize(simplifier(map));
}
BENCHMARK(BM_Simplify)->DenseRange(0, 21);

// The geometric mean over all maps of the time for one.
class GeometricMean {
 public:
  template <class Work>
  void time(Work work) {
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(work());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    log_sum_ += std::log(elapsed.count());
    ++count_;
  }
  [[nodiscard]] double seconds() const { return std::exp(log_sum_ / count_); }

 private:
  double log_sum_ = 0;
  int count_ = 0;
};

void BM_SimplifyMeanWarm(benchmark::State& state) {
  ExprContext context;
  MapSimplifier simplifier;
  const std::vector<IndexMap> maps = parsed_maps(context, state);
  for (auto _ : state) {
    GeometricMean mean;
    for (const IndexMap& map : maps) mean.time([&] { return simplifier(map); });
    state.SetIterationTime(mean.seconds());
  }
}
BENCHMARK(BM_SimplifyMeanWarm)->UseManualTime()->Iterations(2000);

void BM_SimplifyMeanFresh(benchmark::State& state) {
  const std::vector<NamedMap> maps = bench_maps();
  if (maps.empty()) return state.SkipWithError("no bench.maps");
  for (auto _ : state) {
    GeometricMean mean;
    for (const NamedMap& map : maps) {
      ExprContext context;
      const IndexMap parsed = map_of(context, map.text);
      mean.time([&] { return simplify(parsed); });
    }
    state.SetIterationTime(mean.seconds());
  }
}
BENCHMARK(BM_SimplifyMeanFresh)->UseManualTime()->Iterations(2000);

void BM_Enumerate(benchmark::State& state) {
  ExprContext context;
  const IndexMap map =
      map_of(context,
             "(d0, d1)[s0] -> (d0 * 2 + s0 - 3, d1 floordiv 4), domain: d0 in [0, 99], "
             "d1 in [0, 31], s0 in [0, 6], d0 * 2 + s0 in [3, 202]");
  std::int64_t points = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(enumerate(
        map, 1'000'000, [&](const VariableValues&, std::span<const std::int64_t>) { ++points; }));
  }
  state.SetItemsProcessed(points);
}
BENCHMARK(BM_Enumerate)->Unit(benchmark::kMicrosecond);

void BM_CountImage(benchmark::State& state) {
  ExprContext context;
  const IndexMap map = map_of(context,
                              "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4), "
                              "domain: d0 in [0, 9999], d1 in [0, 3], d2 in [0, 3]");
  for (auto _ : state) benchmark::DoNotOptimize(count_image(map, 0));
}
BENCHMARK(BM_CountImage);

}  // namespace
}  // namespace mercator
