#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Point = std::vector<std::int64_t>;

IndexMap parsed(ExprContext& context, std::string_view text) {
  Result<IndexMap> map = parse_index_map(text, context);
  EXPECT_TRUE(map) << text << "\n" << map.error().message;
  return map ? *map : IndexMap(context);
}

TEST(Evaluate, TheExampleOfTheHeader) {
  ExprContext context;
  const IndexMap map =
      parsed(context,
             "(d0)[s0]{rt0} -> (d0 + rt0, s0), domain: d0 in [0, 9], s0 in [0, 3], rt0 in [0, 22]");
  const Point at = {9};
  const Point range = {3};
  const Point runtime = {22};
  const Point beyond = {23};
  EXPECT_EQ(evaluate(map, {.dimensions = at, .ranges = range, .runtimes = runtime}),
            (Point{31, 3}));
  EXPECT_FALSE(contains(map, {.dimensions = at, .ranges = range, .runtimes = beyond}));
  EXPECT_FALSE(contains(map, {.dimensions = runtime, .ranges = range, .runtimes = runtime}));
  EXPECT_FALSE(contains(map, {.dimensions = at, .ranges = at, .runtimes = runtime}));
}

TEST(Evaluate, ConstraintsCutTheDomain) {
  ExprContext context;
  const IndexMap map =
      parsed(context, "(x, y) -> (x - y), domain: x in [0, 9], y in [0, 9], x - y in [0, 2]");
  EXPECT_EQ(evaluate(map, {.dimensions = Point{5, 3}}), (Point{2}));
  EXPECT_EQ(evaluate(map, {.dimensions = Point{5, 2}}), std::nullopt);
}

TEST(Evaluate, PointsWithoutAValueAreOutside) {
  ExprContext context;
  const IndexMap result = parsed(context, "(x) -> (12 mod x), domain: x in [0, 5]");
  EXPECT_FALSE(contains(result, {.dimensions = Point{0}}));
  EXPECT_EQ(evaluate(result, {.dimensions = Point{5}}), (Point{2}));
  const IndexMap constraint =
      parsed(context, "(x) -> (x), domain: x in [0, 5], 12 floordiv x in [0, 99]");
  EXPECT_FALSE(contains(constraint, {.dimensions = Point{0}}));
  EXPECT_TRUE(contains(constraint, {.dimensions = Point{1}}));
}

std::vector<std::string> visits(const IndexMap& map) {
  std::vector<std::string> visits;
  const auto done =
      enumerate(map, 1000, [&](const VariableValues& at, std::span<const std::int64_t> results) {
        std::string text;
        for (const auto& values : {at.runtimes, at.dimensions, at.ranges, results}) {
          for (const std::int64_t value : values) text += std::to_string(value) + " ";
          text += "|";
        }
        visits.push_back(text);
      });
  EXPECT_TRUE(done) << done.error().message;
  return visits;
}

TEST(Enumerate, RuntimesThenDimensionsThenRanges) {
  ExprContext context;
  EXPECT_THAT(visits(parsed(context,
                            "(d0)[s0]{rt0} -> (d0 + s0 + rt0), domain: d0 in [0, 1], "
                            "s0 in [5, 6], rt0 in [2, 3], d0 + rt0 in [3, 9]")),
              ElementsAre("2 |1 |5 |8 |", "2 |1 |6 |9 |", "3 |0 |5 |8 |", "3 |0 |6 |9 |",
                          "3 |1 |5 |9 |", "3 |1 |6 |10 |"));
}

TEST(Enumerate, WithoutVariablesThereIsOnePoint) {
  ExprContext context;
  EXPECT_THAT(visits(parsed(context, "() -> (7)")), ElementsAre("|||7 |"));
  EXPECT_THAT(visits(parsed(context, "() -> (7), domain: 3 in [0, 2]")), ElementsAre());
}

TEST(Enumerate, EmptyBoundsNeedNoBudget) {
  ExprContext context;
  const IndexMap map = parsed(context, "(x, y) -> (x + y), domain: y in [1, 0]");
  EXPECT_TRUE(enumerate(map, 0, [](const VariableValues&, std::span<const std::int64_t>) {
    ADD_FAILURE() << "visited a point of an empty domain";
  }));
}

TEST(Enumerate, RefusesWhatIsTooLarge) {
  ExprContext context;
  const auto refusal = [&](std::string_view text, std::int64_t budget) {
    const auto done = enumerate(parsed(context, text), budget,
                                [](const VariableValues&, std::span<const std::int64_t>) {
                                  ADD_FAILURE() << "visited a point though there are too many";
                                });
    EXPECT_FALSE(done);
    EXPECT_TRUE(done || done.error().kind == ErrorKind::kUnsupported);
    return done ? std::string() : done.error().message;
  };
  EXPECT_EQ(refusal("(x, y) -> (), domain: x in [0, 9], y in [0, 9]", 99),
            "the bounds allow 100 points, more than the limit of 99");
  EXPECT_EQ(refusal("(x) -> ()", 1000), "the variable x is unbounded");
  EXPECT_EQ(refusal("(x, y) -> (), domain: x in [0, 3], y in [0, 9223372036854775807]", 1000),
            "the variable y is unbounded");
  // 2^62 points each: the product leaves 64 bits.
  EXPECT_EQ(refusal("(x, y) -> (), domain: x in [1, 4611686018427387904], "
                    "y in [1, 4611686018427387904]",
                    1000),
            "the bounds allow over 2^63 points, more than the limit of 1000");
}

TEST(Enumerate, ExactlyTheBudgetIsAllowed) {
  ExprContext context;
  const IndexMap map = parsed(context, "(x) -> (x), domain: x in [0, 9]");
  EXPECT_TRUE(image(map, 10));
  EXPECT_FALSE(image(map, 9));
}

TEST(Enumerate, ValuesThatDoNotFitAreNoSilentGap) {
  ExprContext context;
  const IndexMap map = parsed(context,
                              "(x)[s0] -> ((x * 4611686018427387904) floordiv 2), "
                              "domain: x in [0, 2], s0 in [5, 5]");
  const auto pairs = relation(map, 100);
  ASSERT_FALSE(pairs);
  EXPECT_EQ(pairs.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(pairs.error().message, "a value does not fit into 64 bits at x = 2, s0 = 5");
  // Where a constraint or a zero divisor excludes the point anyway, the value does not matter.
  EXPECT_TRUE(relation(parsed(context,
                              "(x) -> (x * 4611686018427387904), domain: x in [0, 2], "
                              "x * 2 in [0, 3]"),
                       100));
  EXPECT_TRUE(relation(parsed(context,
                              "(x) -> (x * 4611686018427387904, 5 mod (x - 2)), "
                              "domain: x in [0, 2]"),
                       100));
}

TEST(Image, IsSortedAndDistinct) {
  ExprContext context;
  EXPECT_THAT(*image(parsed(context, "(x) -> (x floordiv 2, 1), domain: x in [-1, 2]"), 100),
              ElementsAre(Point{-1, 1}, Point{0, 1}, Point{1, 1}));
}

TEST(Relation, RangesAreForgotten) {
  ExprContext context;
  const auto pairs =
      relation(parsed(context,
                      "(x)[s]{r} -> (s floordiv 2 + r), domain: x in [7, 7], s in [0, 3], "
                      "r in [4, 4]"),
               100);
  ASSERT_TRUE(pairs);
  EXPECT_THAT(*pairs, ElementsAre(RelatedPair{{4}, {7}, {4}}, RelatedPair{{4}, {7}, {5}}));
}

TEST(SameRelation, ComparesMeaning) {
  ExprContext context;
  const auto same = [&](std::string_view a, std::string_view b) {
    return *same_relation(parsed(context, a), parsed(context, b), 1000);
  };
  EXPECT_TRUE(same("(x) -> (x mod 4), domain: x in [0, 9]",
                   "(x) -> (x - (x floordiv 4) * 4), domain: x in [0, 9]"));
  EXPECT_TRUE(same("(x)[s] -> (x + s), domain: x in [0, 3], s in [0, 4]",
                   "(x)[s] -> (x - s + 4), domain: x in [0, 3], s in [0, 4]"));
  EXPECT_FALSE(same("(x) -> (x), domain: x in [0, 9]", "(x) -> (x), domain: x in [0, 8]"));
  EXPECT_FALSE(same("(x) -> (x), domain: x in [0, 9]", "(x) -> (-x), domain: x in [0, 9]"));
  EXPECT_FALSE(same_relation(parsed(context, "(x) -> (x), domain: x in [0, 9]"),
                             parsed(context, "(x) -> (x)"), 1000));
}

}  // namespace
}  // namespace mercator
