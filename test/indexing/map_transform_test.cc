#include "mercator/indexing/map_transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mercator/indexing/map_table.h"

namespace mercator::indexing {
namespace {

using ::testing::ElementsAre;

class MapTransformTest : public ::testing::Test {
 protected:
  IndexMap parse(std::string_view text) {
    const Result<IndexMap> map = parse_index_map(text, context_);
    EXPECT_TRUE(map.has_value()) << text;
    return *map;
  }
  // With runtime variable i held by element index[i] of tensor tensors[i].
  static IndexMap with_tensors(const IndexMap& map, std::vector<std::uint32_t> tensors,
                               std::vector<std::vector<Expr>> indices = {}) {
    std::vector<RuntimeVariable> runtimes = map.runtimes();
    for (std::size_t i = 0; i < runtimes.size(); ++i) {
      runtimes[i].tensor = tensors[i];
      if (!indices.empty()) runtimes[i].index = indices[i];
    }
    return IndexMap(map.context(), map.dimensions(), map.ranges(), std::move(runtimes),
                    map.results(), map.constraints());
  }
  static std::string text(const IndexMap& map) { return to_string(map, MapStyle::kOneLine); }
  static std::string text(const std::optional<IndexMap>& map) {
    return map.has_value() ? text(*map) : "unchanged";
  }

  ExprContext context_;
};

TEST_F(MapTransformTest, ReplaceRuntime) {
  const IndexMap map = parse(
      "(d0){rt0, rt1} -> (d0 + rt0, rt1), domain: d0 in [0, 3], rt0 in [0, 8], "
      "rt1 in [0, 5], d0 + rt0 * 2 in [0, 9]");
  const IndexMap bound = with_tensors(map, {7, 8}, {{}, {context_.runtime(0)}});
  const IndexMap replaced = replace_runtime(bound, 0, context_.constant(3));
  EXPECT_EQ(text(replaced),
            "(d0){rt0, rt1} -> (d0 + 3, rt1), domain: d0 in [0, 3], rt0 in [0, 8], "
            "rt1 in [0, 5], d0 + 6 in [0, 9]");
  EXPECT_THAT(replaced.runtimes()[1].index, ElementsAre(context_.constant(3)));
}

TEST_F(MapTransformTest, WithoutDeterminedRange) {
  EXPECT_EQ(text(without_determined_range(
                parse("(d0)[s0, s1, s2] -> (s1, s2), domain: d0 in [0, 3], s0 in [0, 1], "
                      "s1 in [0, 5], s2 in [0, 7], d0 - s1 + s2 in [2, 2]"))),
            "(d0)[s0, s1] -> (d0 + s1 - 2, s1), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 7], "
            "2 in [2, 2], d0 + s1 - 2 in [0, 5]");
  EXPECT_EQ(text(without_determined_range(
                parse("(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 5], s0 + d0 in [4, 4]"))),
            "(d0) -> (-d0 + 4), domain: d0 in [0, 3], 4 in [4, 4], -d0 + 4 in [0, 5]");
  for (const char* unchanged :
       {"(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 5], s0 * 2 + d0 in [4, 4]",
        "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 5], s0 + d0 in [4, 5]",
        "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 5], s0 + s0 mod 2 + d0 in [4, 4]"}) {
    EXPECT_EQ(text(without_determined_range(parse(unchanged))), "unchanged");
  }
}

TEST_F(MapTransformTest, MergeRuntimes) {
  const IndexMap map = parse(
      "(d0){rt0, rt1, rt2} -> (d0 + rt0, rt1 - rt2), domain: d0 in [0, 3], rt0 in [0, 8], "
      "rt1 in [0, 8], rt2 in [0, 8]");
  EXPECT_EQ(text(merge_runtimes(with_tensors(map, {4, 5, 4}))),
            "(d0){rt0, rt1} -> (d0 + rt0, -rt0 + rt1), domain: d0 in [0, 3], rt0 in [0, 8], "
            "rt1 in [0, 8]");
  EXPECT_EQ(text(merge_runtimes(with_tensors(map, {4, 5, 6}))), "unchanged");
}

TEST_F(MapTransformTest, MergingMayMakeOthersEqual) {
  const IndexMap map = parse(
      "(){rt0, rt1, rt2, rt3} -> (rt2, rt3), domain: rt0 in [0, 8], rt1 in [0, 8], "
      "rt2 in [0, 8], rt3 in [0, 8]");
  const IndexMap bound =
      with_tensors(map, {4, 4, 5, 5}, {{}, {}, {context_.runtime(0)}, {context_.runtime(1)}});
  const std::optional<IndexMap> merged = merge_runtimes(bound);
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(text(*merged), "(){rt0, rt1} -> (rt1, rt1), domain: rt0 in [0, 8], rt1 in [0, 8]");
  EXPECT_THAT(merged->runtimes()[1].index, ElementsAre(context_.runtime(0)));
}

TEST_F(MapTransformTest, DifferentClampsAreDifferentVariables) {
  const IndexMap map = parse("(){rt0, rt1} -> (rt0 + rt1), domain: rt0 in [0, 8], rt1 in [0, 9]");
  EXPECT_EQ(text(merge_runtimes(with_tensors(map, {4, 4}))), "unchanged");
}

TEST_F(MapTransformTest, RangesAreNumberedAsTheyOccur) {
  EXPECT_EQ(text(number_variables(
                parse("(d0)[s0, s1] -> (s1, s0 + d0), domain: d0 in [0, 3], s0 in [0, 1], "
                      "s1 in [0, 2]"))),
            "(d0)[s0, s1] -> (s0, d0 + s1), domain: d0 in [0, 3], s0 in [0, 2], s1 in [0, 1]");
  // The larger coefficient comes first.
  EXPECT_EQ(text(number_variables(
                parse("()[s0, s1] -> (s0 + s1 * 3), domain: s0 in [0, 2], s1 in [0, 4]"))),
            "()[s0, s1] -> (s0 * 3 + s1), domain: s0 in [0, 4], s1 in [0, 2]");
  EXPECT_EQ(text(number_variables(
                parse("()[s0, s1] -> (s0 * 3 + s1), domain: s0 in [0, 4], s1 in [0, 2]"))),
            "unchanged");
  // One that occurs in a constraint only comes last.
  EXPECT_EQ(text(number_variables(parse("()[s0, s1] -> (s1), domain: s0 in [0, 4], s1 in [0, 2], "
                                        "s0 + s1 in [1, 5]"))),
            "()[s0, s1] -> (s0), domain: s0 in [0, 2], s1 in [0, 4], s0 + s1 in [1, 5]");
}

TEST_F(MapTransformTest, RuntimesAreNumberedByTensor) {
  const IndexMap map = parse("(){rt0, rt1} -> (rt0, rt1), domain: rt0 in [0, 8], rt1 in [0, 9]");
  EXPECT_EQ(text(number_variables(with_tensors(map, {9, 4}))),
            "(){rt0, rt1} -> (rt1, rt0), domain: rt0 in [0, 9], rt1 in [0, 8]");
  EXPECT_EQ(text(number_variables(with_tensors(map, {4, 9}))), "unchanged");
}

TEST_F(MapTransformTest, WidenKeepsWhatAllAgreeOn) {
  const IndexMap a = parse("(d0, d1) -> (d0, d1 - 1), domain: d0 in [0, 3], d1 in [1, 5]");
  const IndexMap b = parse(
      "(d0, d1)[s0] -> (d0, s0), domain: d0 in [2, 4], d1 in [0, 4], "
      "s0 in [0, 2]");
  const IndexMap* both[] = {&a, &b};
  const std::int64_t sizes[] = {5, 7};
  const IndexMap wide = widen(both, sizes);
  EXPECT_EQ(text(simplify(wide)),
            "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 4], d1 in [0, 5], s0 in [0, 6]");
  // It contains both.
  const auto whole = relation(wide, 10'000);
  ASSERT_TRUE(whole.has_value());
  for (const IndexMap* map : both) {
    const auto part = relation(*map, 10'000);
    ASSERT_TRUE(part.has_value());
    EXPECT_TRUE(std::ranges::includes(*whole, *part));
  }
}

TEST_F(MapTransformTest, TableKeepsEqualMapsOnce) {
  MapTable table;
  const auto a = table.add(parse("(d0) -> (d0 * 2), domain: d0 in [0, 3]"));
  const auto b = table.add(parse("(d0)[s0] -> (d0 + d0), domain: d0 in [0, 3], s0 in [0, 5]"));
  ASSERT_TRUE(a.has_value());
  EXPECT_EQ(a, b);
  EXPECT_FALSE(table.add(parse("(d0) -> (d0), domain: d0 in [0, 3], d0 in [4, 9]")).has_value());
}

TEST_F(MapTransformTest, CompositionThroughAnIdentityOfAPartIsNoShortcut) {
  MapTable table;
  const auto whole = table.add(parse("(d0) -> (d0), domain: d0 in [0, 9]"));
  const auto part = table.add(parse("(d0) -> (d0), domain: d0 in [0, 4]"));
  const auto doubled = table.add(parse("(d0) -> (d0 * 2), domain: d0 in [0, 4]"));
  const std::int64_t sizes[] = {10};
  EXPECT_EQ(table.compose(*doubled, *whole, sizes), doubled);
  EXPECT_EQ(table.compose(*whole, *part, sizes), part);
  const auto composed = table.compose(*doubled, *part, sizes);
  ASSERT_TRUE(composed.has_value());
  EXPECT_EQ(text(table[*composed]), "(d0) -> (d0 * 2), domain: d0 in [0, 2]");
}

}  // namespace
}  // namespace mercator::indexing
