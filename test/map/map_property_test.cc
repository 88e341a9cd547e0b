// Properties of maps, checked on random maps against the reference semantics of reference.h.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mercator/map/index_map.h"
#include "test/map/random_map.h"
#include "test/map/reference.h"

namespace mercator {
namespace {

using map_test::RandomMaps;
using map_test::reference_relation;
using map_test::reference_relation_like;

constexpr int kBatches = 40;
constexpr int kMapsPerBatch = 500;

std::string text(const IndexMap& map) { return to_string(map, MapStyle::kOneLine); }

// Calls `check(random, map)` with many maps, until the first failure.
template <class Check>
void for_random_maps(std::uint64_t seed, Check check) {
  for (int batch = 0; batch < kBatches && !::testing::Test::HasFailure(); ++batch) {
    ExprContext context;
    RandomMaps random(context, seed + static_cast<std::uint64_t>(batch));
    for (int i = 0; i < kMapsPerBatch && !::testing::Test::HasFailure(); ++i) {
      check(random, random.map());
    }
  }
}

IndexMap with_runtime_prefix(const std::string& prefix, const IndexMap& map) {
  std::vector<RuntimeVariable> runtimes = map.runtimes();
  for (std::size_t i = 0; i < runtimes.size(); ++i) runtimes[i].name = prefix + std::to_string(i);
  return IndexMap(map.context(), map.dimensions(), map.ranges(), runtimes, map.results(),
                  map.constraints());
}

TEST(MapProperty, TextReadsBack) {
  for_random_maps(1000, [](RandomMaps&, const IndexMap& map) {
    if (map.is_known_empty()) return;
    // The text does not say where runtime values lie.
    std::vector<RuntimeVariable> runtimes = map.runtimes();
    for (RuntimeVariable& runtime : runtimes) {
      runtime.tensor.reset();
      runtime.index.clear();
    }
    const IndexMap said(map.context(), map.dimensions(), map.ranges(), runtimes, map.results(),
                        map.constraints());
    for (const MapStyle style : {MapStyle::kLines, MapStyle::kOneLine}) {
      const Result<IndexMap> read = parse_index_map(to_string(map, style), map.context());
      ASSERT_TRUE(read) << to_string(map, style) << "\n" << read.error().message;
      EXPECT_TRUE(*read == said) << to_string(map, style) << "\nread as " << text(*read);
      EXPECT_EQ(to_string(*read, style), to_string(map, style));
    }
  });
}

TEST(MapProperty, SimplificationKeepsTheRelation) {
  for_random_maps(2000, [](RandomMaps&, const IndexMap& map) {
    const IndexMap simplified = simplify(map);
    EXPECT_TRUE(reference_relation_like(simplified, map) == reference_relation(map))
        << text(map) << "\nbecame " << text(simplified);
  });
}

TEST(MapProperty, SimplificationIsIdempotent) {
  for_random_maps(3000, [](RandomMaps&, const IndexMap& map) {
    const IndexMap once = simplify(map);
    const IndexMap twice = simplify(once);
    EXPECT_TRUE(twice == once) << text(map) << "\nbecame " << text(once) << "\nand then "
                               << text(twice);
  });
}

TEST(MapProperty, SimplificationDoesNotDependOnWhatElseWasSimplified) {
  for (int batch = 0; batch < kBatches && !HasFailure(); ++batch) {
    ExprContext context;
    MapSimplifier shared;
    RandomMaps random(context, 4000 + static_cast<std::uint64_t>(batch));
    for (int i = 0; i < kMapsPerBatch && !HasFailure(); ++i) {
      const IndexMap map = random.map();
      const IndexMap simplified = shared(map);
      ExprContext fresh;
      const std::string map_text = to_string(map);
      const Result<IndexMap> copy = parse_index_map(map_text, fresh);
      ASSERT_TRUE(copy);
      // Texts do not carry the indices of runtime variables, which may keep other variables alive.
      const auto has_index = [](const RuntimeVariable& runtime) { return !runtime.index.empty(); };
      if (map.is_known_empty() || std::ranges::any_of(map.runtimes(), has_index)) continue;
      EXPECT_EQ(text(simplify(*copy)), text(simplified)) << map_text;
    }
  }
}

TEST(MapProperty, CompositionIsTheJoinOfTheRelations) {
  for (int batch = 0; batch < kBatches && !HasFailure(); ++batch) {
    ExprContext context;
    RandomMaps random(context, 5000 + static_cast<std::uint64_t>(batch));
    for (int i = 0; i < kMapsPerBatch / 2 && !HasFailure(); ++i) {
      const int arity = static_cast<int>(random.uniform(0, 3));
      const IndexMap first = random.map(static_cast<int>(random.uniform(0, 2)), arity);
      const IndexMap second =
          with_runtime_prefix("q", random.map(arity, static_cast<int>(random.uniform(0, 3))));
      const IndexMap composed = compose(first, second);

      std::set<RelatedPair> joined;
      const std::set<RelatedPair> second_pairs = reference_relation(second);
      for (const RelatedPair& a : reference_relation(first)) {
        for (const RelatedPair& b : second_pairs) {
          if (a.to != b.from) continue;
          RelatedPair pair = {.runtimes = a.runtimes, .from = a.from, .to = b.to};
          pair.runtimes.insert(pair.runtimes.end(), b.runtimes.begin(), b.runtimes.end());
          joined.insert(pair);
        }
      }
      EXPECT_TRUE(reference_relation(composed) == joined)
          << text(first) << "\nthen " << text(second) << "\nis " << text(composed);
      EXPECT_TRUE(reference_relation_like(simplify(composed), composed) == joined)
          << text(first) << "\nthen " << text(second) << "\nis " << text(composed) << "\nor "
          << text(simplify(composed));
    }
  }
}

TEST(MapProperty, EnumerationVisitsTheDomainInOrder) {
  for_random_maps(6000, [](RandomMaps&, const IndexMap& map) {
    const Result<std::set<RelatedPair>> pairs = relation(map, 1'000'000);
    ASSERT_TRUE(pairs) << text(map) << "\n" << pairs.error().message;
    EXPECT_TRUE(*pairs == reference_relation(map)) << text(map);

    std::vector<std::vector<std::int64_t>> points;
    const Result<void> visited = enumerate(
        map, 1'000'000, [&](const VariableValues& at, std::span<const std::int64_t> results) {
          std::vector<std::int64_t> point(at.runtimes.begin(), at.runtimes.end());
          point.insert(point.end(), at.dimensions.begin(), at.dimensions.end());
          point.insert(point.end(), at.ranges.begin(), at.ranges.end());
          points.push_back(point);
          const auto evaluated = evaluate(map, at);
          ASSERT_TRUE(evaluated) << text(map);
          EXPECT_TRUE(std::ranges::equal(*evaluated, results)) << text(map);
          EXPECT_TRUE(contains(map, at)) << text(map);
        });
    ASSERT_TRUE(visited);
    EXPECT_TRUE(std::ranges::is_sorted(points)) << text(map);
    EXPECT_TRUE(std::ranges::adjacent_find(points) == points.end()) << text(map);
  });
}

TEST(MapProperty, ImagesAreCountedRight) {
  for_random_maps(7000, [](RandomMaps&, const IndexMap& map) {
    const auto distinct = image(map, 1'000'000);
    const auto count = count_image(map, 1'000'000);
    ASSERT_TRUE(distinct && count) << text(map);
    EXPECT_EQ(*count, static_cast<std::int64_t>(distinct->size())) << text(map);
  });
}

TEST(MapProperty, OrderIsTotalAndAgreesWithEquality) {
  ExprContext context;
  RandomMaps random(context, 8000);
  std::vector<IndexMap> maps;
  for (int i = 0; i < 60; ++i)
    maps.push_back(random.map(1, static_cast<int>(random.uniform(0, 1))));
  maps.insert(maps.end(), maps.begin(), maps.begin() + 10);
  for (const IndexMap& a : maps) {
    for (const IndexMap& b : maps) {
      EXPECT_EQ((a <=> b) == 0, a == b) << text(a) << "\n" << text(b);
      EXPECT_TRUE((a <=> b) == 0 <=> (b <=> a)) << text(a) << "\n" << text(b);
    }
  }
  std::ranges::sort(maps);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    for (std::size_t j = i; j < maps.size(); ++j) EXPECT_TRUE(maps[i] <= maps[j]);
  }
}

}  // namespace
}  // namespace mercator
