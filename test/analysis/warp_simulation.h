// Counts what warps touch by looking at every thread: what count_warp_sectors is compared with.

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "mercator/analysis/warp_sectors.h"
#include "mercator/support/arithmetic.h"

namespace mercator::testing {

// What WarpSectors says, with given values of the runtime variables.
struct Simulated {
  std::int64_t steps = 0;
  std::int64_t sectors = 0;
  std::int64_t ideal_sectors = 0;
  std::int64_t useful_bits = 0;
};

// Every warp, step by step. `runtime(key)` is the value that a runtime variable has whose element
// is the key: its number, then the index.
template <class Runtime>
Simulated simulate(const IndexMap& map, std::int64_t bits, const Launch& launch,
                   const MemoryGeometry& geometry, const Runtime& runtime) {
  std::map<std::vector<std::int64_t>, std::set<std::int64_t>> by_step;
  IndexMap fixed = map;
  const Result<void> done = enumerate(
      fixed, 10'000'000, [&](const VariableValues& values, std::span<const std::int64_t> results) {
        for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
          std::vector<std::int64_t> key = {i};
          for (const Expr index : map.runtimes()[i].index) key.push_back(*evaluate(index, values));
          if (values.runtimes[i] != runtime(key)) return;
        }
        const auto& d = values.dimensions;
        const std::int64_t thread = d[0] + launch.threads[0] * (d[1] + launch.threads[1] * d[2]);
        std::vector<std::int64_t> step = {thread / geometry.warp_size, d[3], d[4], d[5]};
        step.insert(step.end(), values.ranges.begin(), values.ranges.end());
        by_step[step].insert(results[0]);
      });
  EXPECT_TRUE(done.has_value());
  Simulated all;
  const std::int64_t sector = geometry.sector_bytes * 8;
  for (const auto& [step, positions] : by_step) {
    std::set<std::int64_t> sectors;
    for (const std::int64_t position : positions) {
      for (std::int64_t bit = position * bits; bit < (position + 1) * bits; ++bit) {
        sectors.insert(floor_div(bit, sector));
      }
    }
    const std::int64_t useful = std::ssize(positions) * bits;
    ++all.steps;
    all.sectors += std::ssize(sectors);
    all.ideal_sectors += ceil_div(useful, sector);
    all.useful_bits += useful;
  }
  return all;
}

}  // namespace mercator::testing
