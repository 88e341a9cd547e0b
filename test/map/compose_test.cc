#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator {
namespace {

IndexMap parsed(ExprContext& context, std::string_view text) {
  Result<IndexMap> map = parse_index_map(text, context);
  EXPECT_TRUE(map) << text << "\n" << map.error().message;
  return map ? *map : IndexMap(context);
}

std::string composed(std::string_view first, std::string_view second) {
  ExprContext context;
  return to_string(compose(parsed(context, first), parsed(context, second)), MapStyle::kOneLine);
}

TEST(Compose, DimensionsOfTheSecondBecomeResultsOfTheFirst) {
  EXPECT_EQ(composed("(d0, d1) -> (d1, d0), domain: d0 in [0, 9], d1 in [0, 19]",
                     "(d0, d1) -> (d0 * 10 + d1), domain: d0 in [0, 19], d1 in [0, 9]"),
            "(d0, d1) -> (d0 + d1 * 10), domain: d0 in [0, 9], d1 in [0, 19]");
}

TEST(Compose, AllKindsOfVariablesStayApart) {
  EXPECT_EQ(
      composed("(d0)[s0]{rt0} -> (s0, d0 + rt0), domain: d0 in [0, 3], s0 in [0, 4], rt0 in [0, 5]",
               "(d0, d1)[s0, s1]{rt0} -> (d0 + s1 + rt0, d1, s0), domain: d0 in [0, 4], "
               "d1 in [0, 8], s0 in [0, 6], s1 in [0, 7], rt0 in [0, 2]"),
      "(d0)[s0, s1, s2]{rt0, rt1} -> (s0 + s2 + rt1, d0 + rt0, s1), domain: d0 in [0, 3], "
      "s0 in [0, 4], s1 in [0, 6], s2 in [0, 7], rt0 in [0, 5], rt1 in [0, 2], "
      "d0 + rt0 in [0, 8]");
}

TEST(Compose, ConstraintsAreCarriedOver) {
  EXPECT_EQ(composed("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 9], d0 - s0 in [0, 5]",
                     "(d0)[s0] -> (d0, s0), domain: d0 in [0, 18], s0 in [0, 3], "
                     "d0 * 2 + s0 in [1, 7]"),
            "(d0)[s0, s1] -> (d0 + s0, s1), domain: d0 in [0, 9], s0 in [0, 9], s1 in [0, 3], "
            "d0 - s0 in [0, 5], d0 + s0 in [0, 18], d0 * 2 + s0 * 2 + s1 in [1, 7]");
}

TEST(Compose, PlainVariablesAndConstantsWithinBoundsNeedNoConstraint) {
  EXPECT_EQ(composed("(d0) -> (d0, 3), domain: d0 in [0, 4]",
                     "(d0, d1) -> (d0 + d1), domain: d0 in [0, 9], d1 in [3, 5]"),
            "(d0) -> (d0 + 3), domain: d0 in [0, 4]");
  EXPECT_EQ(composed("(d0) -> (d0), domain: d0 in [0, 12]", "(d0) -> (d0), domain: d0 in [0, 9]"),
            "(d0) -> (d0), domain: d0 in [0, 12], d0 in [0, 9]");
  EXPECT_EQ(composed("(d0) -> (7), domain: d0 in [0, 4]", "(d0) -> (d0), domain: d0 in [0, 6]"),
            "KNOWN EMPTY");
}

TEST(Compose, NamesStayWhereTheyDoNotCollide) {
  EXPECT_EQ(composed("(th)[chunk] -> (th + chunk), domain: th in [0, 3], chunk in [0, 3]",
                     "(x)[chunk, vec] -> (x, chunk, vec), domain: x in [0, 6], chunk in [0, 1], "
                     "vec in [0, 2]"),
            "(th)[chunk, s1, vec] -> (th + chunk, s1, vec), domain: th in [0, 3], chunk in [0, 3], "
            "s1 in [0, 1], vec in [0, 2], th + chunk in [0, 6]");
}

TEST(Compose, RuntimeIndicesAreRewritten) {
  ExprContext context;
  const Expr d0 = context.dimension(0);
  const IndexMap first(context, {{.bounds = {0, 9}}}, {{.bounds = {0, 4}}},
                       {{.bounds = {0, 3}, .tensor = 5, .index = {d0 * 2}}},
                       {d0 + context.range(0) + context.runtime(0)});
  const IndexMap second(context, {{.bounds = {0, 16}}}, {{.bounds = {0, 1}}},
                        {{.bounds = {0, 7}, .tensor = 6, .index = {d0, context.range(0)}},
                         {.bounds = {0, 8}, .tensor = 7, .index = {context.runtime(0)}}},
                        {d0 + context.runtime(1)});
  const IndexMap map = compose(first, second);
  ASSERT_EQ(map.runtimes().size(), 3);
  EXPECT_EQ(map.runtimes()[0].tensor, 5);
  EXPECT_EQ(map.runtimes()[0].index, (std::vector<Expr>{d0 * 2}));
  EXPECT_EQ(map.runtimes()[1].tensor, 6);
  EXPECT_EQ(map.runtimes()[1].index,
            (std::vector<Expr>{d0 + context.range(0) + context.runtime(0), context.range(1)}));
  EXPECT_EQ(map.runtimes()[2].tensor, 7);
  EXPECT_EQ(map.runtimes()[2].index, (std::vector<Expr>{context.runtime(1)}));
  EXPECT_EQ(map.runtimes()[2].bounds, (Interval{0, 8}));
}

TEST(Compose, ADivisorThatBecomesZeroLeavesNothing) {
  EXPECT_EQ(composed("(d0) -> (0), domain: d0 in [0, 4]",
                     "(d0)[s0] -> (s0 floordiv d0), domain: d0 in [0, 9], s0 in [0, 3]"),
            "KNOWN EMPTY");
  EXPECT_EQ(composed("(d0) -> (d0, d0), domain: d0 in [0, 4]",
                     "(d0, d1) -> (5 mod (d0 - d1), 0), domain: d0 in [0, 9], d1 in [0, 9]"),
            "KNOWN EMPTY");
  EXPECT_EQ(composed("(d0) -> (0), domain: d0 in [0, 4]",
                     "(d0)[s0] -> (0), domain: d0 in [0, 9], s0 in [0, 3], "
                     "(s0 floordiv d0) * 2 + s0 in [0, 99]"),
            "KNOWN EMPTY");
}

TEST(Compose, AnIndexThatHasNoValueNamesNoElement) {
  ExprContext context;
  const IndexMap first(context, {{.bounds = {0, 9}}}, {}, {}, {context.constant(0)});
  const IndexMap second(context, {{.bounds = {0, 3}}}, {},
                        {{.bounds = {0, 7},
                          .tensor = 6,
                          .index = {floor_div(context.constant(8), context.dimension(0))}}},
                        {context.runtime(0)});
  const IndexMap map = compose(first, second);
  ASSERT_EQ(map.runtimes().size(), 1);
  EXPECT_EQ(map.runtimes()[0].bounds, (Interval{0, 7}));
  EXPECT_EQ(map.runtimes()[0].tensor, std::nullopt);
  EXPECT_TRUE(map.runtimes()[0].index.empty());
}

TEST(Compose, AResultWithoutValueIsNotForgotten) {
  // The second map does not look at its dimension, but there must be one.
  ExprContext context;
  const IndexMap first = parsed(context, "(d0) -> (6 floordiv d0), domain: d0 in [0, 2]");
  const IndexMap second = parsed(context, "(d0) -> (7)");
  const auto pairs = relation(compose(first, second), 100);
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->size(), 2);
  EXPECT_TRUE(*same_relation(simplify(compose(first, second)), compose(first, second), 100));
}

TEST(Compose, LongChainsShareTheirExpressions) {
  // Without sharing this would take 2^60 steps.
  ExprContext context;
  IndexMap map = parsed(context, "(d0) -> (d0), domain: d0 in [0, 3]");
  const IndexMap twice = parsed(context, "(d0) -> (min(d0 mod 7, d0 floordiv 2))");
  for (int i = 0; i < 60; ++i) map = compose(map, twice);
  EXPECT_EQ(map.results().size(), 1);
  EXPECT_EQ(map.constraints().size(), 59);
}

}  // namespace
}  // namespace mercator
