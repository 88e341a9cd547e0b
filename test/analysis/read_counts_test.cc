// Counts for random sets of maps against enumeration, for all values of their runtime variables.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mercator/analysis/utilisation.h"
#include "mercator/analysis/value_set.h"
#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"
#include "test/indexing/random_program.h"
#include "test/support/random_factor.h"

namespace mercator::testing {
namespace {

using Sizes = std::vector<std::int64_t>;

// Maps into an array, over two dimensions, a range and up to two runtime variables that all maps
// share.
class RandomMaps {
 public:
  RandomMaps(std::uint64_t seed, ExprContext& context) : random_(seed), context_(context) {
    for (std::int64_t rank = random_.in(0, 3); rank > 0; --rank) {
      sizes.push_back(random_.in(1, 9));
    }
    runtimes_ = random_.percent(50) ? random_.in(1, 2) : 0;
    for (std::int64_t count = random_.in(1, 4); count > 0; --count) {
      maps.push_back({.map = simplify(map()), .exact = true});
    }
  }

  Sizes sizes;
  std::vector<OperandMap> maps;

 private:
  IndexMap map() {
    std::vector<Variable> dimensions;
    for (int i = 0; i < 2; ++i) dimensions.push_back({.bounds = {0, random_.in(0, 7)}});
    const std::vector<Variable> ranges = {{.bounds = {0, random_.in(0, 3)}}};
    std::vector<RuntimeVariable> runtimes;
    for (std::int64_t i = 0; i < runtimes_; ++i) {
      runtimes.push_back({.bounds = {0, 5}, .tensor = static_cast<std::uint32_t>(i), .index = {}});
    }
    std::vector<Expr> results;
    std::vector<Constraint> constraints;
    for (const std::int64_t size : sizes) {
      const Expr result = linear();
      switch (random_.in(0, 3)) {
        case 0:
          results.push_back(mod(result, size));
          break;
        case 1:
          results.push_back(mod(floor_div(result, random_.in(2, 4)), size));
          break;
        default:
          results.push_back(result);
          constraints.push_back({.expr = result, .range = Interval::indices(size)});
      }
    }
    if (random_.percent(30)) {
      const std::int64_t lo = random_.in(-3, 3);
      constraints.push_back({.expr = linear(), .range = {lo, lo + random_.in(0, 9)}});
    }
    return IndexMap(context_, dimensions, ranges, runtimes, results, constraints);
  }

  Expr linear() {
    Expr expr = context_.constant(random_.in(-1, 3));
    const auto add = [&](Expr variable, std::int64_t chance) {
      if (random_.percent(chance)) expr = expr + variable * random_.pick(coefficients_);
    };
    add(context_.dimension(0), 40);
    add(context_.dimension(1), 40);
    add(context_.range(0), 30);
    if (runtimes_ > 0) {
      add(context_.runtime(static_cast<std::uint32_t>(random_.in(0, runtimes_ - 1))), 40);
    }
    return expr;
  }

  Random random_;
  ExprContext& context_;
  std::int64_t runtimes_ = 0;
  std::vector<std::int64_t> coefficients_ = {1, 1, 1, -1, 2, 3};
};

// What the maps lead to, and their pairs, for each assignment of values.
struct Enumerated {
  std::set<std::int64_t> elements;
  std::set<std::int64_t> pairs;
};

Enumerated enumerate_all(const RandomMaps& drawn) {
  Enumerated result;
  for (std::int64_t first = 0; first <= 5; ++first) {
    for (std::int64_t second = 0; second <= 5; ++second) {
      std::set<std::vector<std::int64_t>> image;
      std::int64_t pairs = 0;
      for (const OperandMap& map : drawn.maps) {
        std::set<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> of_map;
        const auto done = enumerate(map.map, 1'000'000, [&](const VariableValues& values, auto to) {
          for (std::size_t i = 0; i < values.runtimes.size(); ++i) {
            const bool is_first = map.map.runtimes()[i].tensor == 0U;
            if (values.runtimes[i] != (is_first ? first : second)) return;
          }
          const std::vector<std::int64_t> results(to.begin(), to.end());
          image.insert(results);
          of_map.insert({{values.dimensions.begin(), values.dimensions.end()}, results});
        });
        EXPECT_TRUE(done.has_value());
        pairs += std::ssize(of_map);
      }
      result.elements.insert(std::ssize(image));
      result.pairs.insert(pairs);
    }
  }
  return result;
}

TEST(ReadCounts, OfRandomMaps) {
  const std::int64_t sets = 2000 * test::random_factor();
  std::int64_t fixed = 0;
  std::int64_t exact_elements = 0;
  std::int64_t exact_pairs = 0;
  for (std::int64_t seed = 0; seed < sets; ++seed) {
    ExprContext context;
    const RandomMaps drawn(static_cast<std::uint64_t>(seed), context);
    const Enumerated all = enumerate_all(drawn);
    const ReadCounts counts = count_reads(drawn.maps, drawn.sizes);
    std::string text;
    for (const OperandMap& map : drawn.maps) text += to_string(map.map, MapStyle::kOneLine) + "\n";
    for (const auto& [count, values] :
         {std::pair(counts.elements, all.elements), std::pair(counts.reads, all.pairs)}) {
      ASSERT_LE(count.lo, *values.begin()) << seed << "\n" << text << count.reason;
      ASSERT_GE(count.hi, *values.rbegin()) << seed << "\n" << text << count.reason;
      ASSERT_EQ(count.is_exact(), count.reason.empty());
    }
    if (all.elements.size() == 1 && all.pairs.size() == 1) {
      ++fixed;
      exact_elements += counts.elements.is_exact() ? 1 : 0;
      exact_pairs += counts.reads.is_exact() ? 1 : 0;
    }
  }
  fmt::print("{} sets with one count: elements exact for {}, reads for {}\n", fixed, exact_elements,
             exact_pairs);
  EXPECT_GE(exact_elements * 100, fixed * 99);
  EXPECT_GE(exact_pairs * 100, fixed * 99);
}

TEST(ValueSets, OverlapAsTheirValuesDo) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<ValueSet> sets(static_cast<std::size_t>(random.in(1, 5)));
    Overlaps expected;
    std::vector<Mask> masks(400);
    for (std::size_t k = 0; k < sets.size(); ++k) {
      std::int64_t next = random.in(0, 30);
      for (std::int64_t runs = random.in(0, 3); runs > 0; --runs) {
        const std::int64_t step = random.percent(50) ? 1 : random.in(2, 6);
        const ValueRun run{.lo = next, .hi = next + step * random.in(0, 12), .step = step};
        for (std::int64_t i = run.lo; i <= run.hi; i += step) {
          masks[static_cast<std::size_t>(i)] |= Mask{1} << k;
        }
        sets[k].push_back(run);
        next = run.hi + random.in(1, 9);
      }
    }
    for (const Mask mask : masks) {
      if (mask != 0) ++expected[mask];
    }
    const auto found = overlaps_of(sets);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(*found, expected);
  }
}

TEST(ValueSets, AreMadeOfRuns) {
  Random random(8);
  for (int round = 0; round < 500; ++round) {
    // With bits, and without: those are for few values.
    const std::int64_t limit = random.percent(50) ? 300 : std::int64_t{1} << 40;
    ValueSetBuilder builder(limit, 10);
    ValueSetBuilder counter(limit, 10);
    std::set<std::int64_t> expected;
    for (std::int64_t runs = random.in(0, 10); runs > 0; --runs) {
      const std::int64_t lo = random.in(0, 200);
      const std::int64_t step = random.percent(70) ? 1 : random.in(2, 5);
      const ValueRun run{.lo = lo, .hi = lo + step * random.in(0, 15), .step = step};
      for (std::int64_t i = run.lo; i <= run.hi; i += step) expected.insert(i);
      EXPECT_TRUE(builder.add(run));
      EXPECT_TRUE(counter.add(run));
    }
    EXPECT_FALSE(builder.add({.lo = -1, .hi = 2}));
    EXPECT_FALSE(builder.add({.lo = 2, .hi = limit}));
    EXPECT_EQ(counter.count(), std::ssize(expected));
    std::set<std::int64_t> found;
    std::int64_t last = -2;
    for (const ValueRun& run : builder.set()) {
      EXPECT_GT(run.lo, last + 1);
      for (std::int64_t i = run.lo; i <= run.hi; i += run.step) found.insert(i);
      last = run.hi;
    }
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace mercator::testing
