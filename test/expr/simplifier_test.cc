#include "mercator/expr/simplifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mercator/expr/text.h"

namespace mercator {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// Reads an expression over d0, d1, … with the given bounds and prints it simplified.
std::string simplified(std::string_view text, std::vector<Interval> bounds) {
  ExprContext context;
  ExprLexer lexer(text);
  const auto lookup = [&](std::string_view name) -> Expr {
    for (std::uint32_t i = 0; i < bounds.size(); ++i) {
      if (name == "d" + std::to_string(i)) return context.dimension(i);
    }
    return {};
  };
  const Result<Expr> expr = parse_expr(lexer, context, lookup);
  if (!expr) return "error: " + expr.error().message;
  Simplifier simplifier;
  simplifier.set_bounds({.dimensions = bounds});
  return to_string(simplifier.simplify(*expr));
}

TEST(Simplifier, QuotientInOneBucket) {
  EXPECT_EQ(simplified("d0 floordiv 16", {{0, 15}}), "0");
  EXPECT_EQ(simplified("d0 floordiv 16", {{16, 31}}), "1");
  EXPECT_EQ(simplified("d0 floordiv 16", {{-16, -1}}), "-1");
  EXPECT_EQ(simplified("d0 mod 16", {{16, 31}}), "d0 - 16");
  EXPECT_EQ(simplified("d0 floordiv 16", {{0, 16}}), "d0 floordiv 16");
}

TEST(Simplifier, QuotientAndRemainderJoin) {
  EXPECT_EQ(simplified("d0 mod 7 + (d0 floordiv 7) * 7", {{-100, 100}}), "d0");
  EXPECT_EQ(simplified("(d0 floordiv 3) mod 5 + (d0 floordiv 15) * 5", {{-100, 100}}),
            "d0 floordiv 3");
  EXPECT_EQ(simplified("(d0 mod 4) * 6 + (d0 floordiv 4) * 24", {{-100, 100}}), "d0 * 6");
  EXPECT_EQ(simplified("(28*d0 + d1) floordiv 8 * 8 + (28*d0 + d1) mod 8", {{0, 9}, {0, 30}}),
            "d0 * 28 + d1");
  EXPECT_EQ(
      simplified("d0 mod 4 + ((d0 floordiv 4) mod 5) * 4 + (d0 floordiv 20) * 20", {{-100, 100}}),
      "d0");
}

TEST(Simplifier, NumeratorsAreSplit) {
  EXPECT_EQ(simplified("(d0 * 512 + d1) floordiv 512", {{0, 99}, {0, 511}}), "d0");
  EXPECT_EQ(simplified("(d0 * 512 + d1) mod 512", {{0, 99}, {0, 511}}), "d1");
  EXPECT_EQ(simplified("(16*d0 + 4*d1 + d2) floordiv 8", {{0, 9}, {0, 9}, {0, 9}}),
            "d0 * 2 + (d1 * 4 + d2) floordiv 8");
  EXPECT_EQ(simplified("(d0 + 70) floordiv 8", {{0, 100}}), "(d0 + 6) floordiv 8 + 8");
  EXPECT_EQ(simplified("(d0 * 4 + 1) floordiv 8", {{0, 100}}), "d0 floordiv 2");
  EXPECT_EQ(simplified("(6*d0 + 4*d1) floordiv 12", {{0, 9}, {0, 9}}),
            "(d0 * 3 + d1 * 2) floordiv 6");
  EXPECT_EQ(simplified("-((-11*d0 - d1 + 109) floordiv 11) + 9", {{0, 9}, {0, 10}}), "d0");
  EXPECT_EQ(simplified("(d0 * 8 + d1) mod 7", {{0, 3}, {0, 2}}), "d0 + d1");
}

TEST(Simplifier, QuotientsNest) {
  EXPECT_EQ(simplified("(d0 floordiv 4 + 3) floordiv 5", {{0, 1000}}), "(d0 + 12) floordiv 20");
  EXPECT_EQ(simplified("(d0 floordiv 4) floordiv 5", {{-50, 50}}), "d0 floordiv 20");
  EXPECT_EQ(simplified("(d0 mod 16) floordiv 4", {{0, 1000}}), "(d0 floordiv 4) mod 4");
  EXPECT_EQ(simplified("(d0 mod 4 + d1) mod 2", {{0, 7}, {0, 1}}), "(d0 + d1) mod 2");
}

TEST(Simplifier, TwoValuesLieOnALine) {
  EXPECT_EQ(simplified("(d0 * 3 + 2) mod 5", {{0, 1}}), "d0 * -2 + 2");
  EXPECT_EQ(simplified("(d0 * -3 + 20) floordiv 5", {{3, 4}}), "-d0 + 5");
}

TEST(Simplifier, RemaindersKeepTheirRangeInsideOtherExpressions) {
  EXPECT_EQ(simplified("(d0 mod 6 + d1) floordiv 8", {{0, 100}, {0, 2}}), "0");
  EXPECT_EQ(simplified("(d0 mod 6 + d1) floordiv 8", {{0, 100}, {0, 5}}),
            "(d1 + d0 mod 6) floordiv 8");
  EXPECT_EQ(simplified("min(d0 mod 6, 7)", {{0, 100}}), "d0 mod 6");
}

TEST(Simplifier, MinAndMax) {
  EXPECT_EQ(simplified("min(d0, 9)", {{0, 9}}), "d0");
  EXPECT_EQ(simplified("max(d0 + d1, d0)", {{0, 9}, {0, 3}}), "d0 + d1");
  EXPECT_EQ(simplified("max(min(d0, 63), 0)", {{0, 100}}), "min(d0, 63)");
}

TEST(Simplifier, VariableDivisors) {
  EXPECT_EQ(simplified("(d0 * d1 + d0) floordiv d0", {{1, 9}, {0, 9}}), "d1 + 1");
  EXPECT_EQ(simplified("d0 floordiv d1", {{0, 4}, {5, 9}}), "0");
  EXPECT_EQ(simplified("d0 mod d1", {{0, 4}, {5, 9}}), "d0");
  EXPECT_EQ(simplified("d0 mod d1", {{0, 5}, {5, 9}}), "d0 mod d1");
  EXPECT_EQ(simplified("d1 * (d0 floordiv d1) + d0 mod d1", {{0, 99}, {1, 9}}), "d0");
  EXPECT_EQ(simplified("d0 - (d0 floordiv d1) * d1", {{0, 99}, {1, 9}}), "d0 mod d1");
  EXPECT_EQ(simplified("(d0 * d2) floordiv (d1 * d2)", {{0, 99}, {1, 9}, {1, 9}}),
            "d0 floordiv d1");
  EXPECT_EQ(simplified("(d0 * d2 + 1) floordiv (d1 * d2)", {{0, 99}, {1, 9}, {1, 9}}),
            "(d0 * d2 + 1) floordiv (d1 * d2)");
}

// The same for d0, d1 and d2 with bounds [0, 9], given that `known` lies in `range`.
std::string simplified_given(std::string_view text, std::string_view known, Interval range) {
  ExprContext context;
  const auto read = [&](std::string_view expr) {
    ExprLexer lexer(expr);
    return *parse_expr(lexer, context, [&](std::string_view name) {
      return context.dimension(static_cast<std::uint32_t>(name.back() - '0'));
    });
  };
  const std::vector<Interval> bounds(3, {0, 9});
  Simplifier simplifier;
  simplifier.set_bounds({.dimensions = bounds});
  simplifier.assume(read(known), range);
  return to_string(simplifier.simplify(read(text)));
}

TEST(Simplifier, GivenARange) {
  EXPECT_EQ(simplified_given("(d0 + d1) mod 6", "d0 + d1", {0, 5}), "d0 + d1");
  EXPECT_EQ(simplified_given("(d0 + d1) mod 6", "d0 + d1", {0, 6}), "(d0 + d1) mod 6");
  // 2 * (d0 + d1) + d2 is in [0, 19].
  EXPECT_EQ(simplified_given("(d0 * 2 + d1 * 2 + d2) floordiv 20", "d0 + d1", {0, 5}), "0");
  EXPECT_EQ(simplified_given("(d0 * 2 + d1 * 2 + d2) floordiv 19", "d0 + d1", {0, 5}),
            "(d0 * 2 + d1 * 2 + d2) floordiv 19");
  // d0 is at most 4.
  EXPECT_EQ(simplified_given("d0 floordiv 5", "d0 * 2 + d1", {0, 9}), "0");
  EXPECT_EQ(simplified_given("d0 floordiv 5", "d0 * 2 + d1", {0, 10}), "d0 floordiv 5");
  EXPECT_EQ(simplified_given("(d0 floordiv 2) mod 3", "d0 floordiv 2", {0, 2}), "d0 floordiv 2");
}

TEST(Simplifier, GivenAResidue) {
  EXPECT_EQ(simplified_given("(d0 + d1) mod 2", "(d0 + d1) mod 2", {1, 1}), "1");
  EXPECT_EQ(simplified_given("(d0 + d1 + 3) mod 4", "(d0 + d1) mod 4", {2, 2}), "1");
  EXPECT_EQ(simplified_given("(d0 + d1) mod 3", "(d0 + d1) mod 2", {1, 1}), "(d0 + d1) mod 3");
  EXPECT_EQ(simplified_given("(d0 + d1 - 1) floordiv 2", "(d0 + d1) mod 2", {1, 1}),
            "(d0 + d1) floordiv 2");
  EXPECT_EQ(simplified_given("((d0 + d1) floordiv 2) * 2 + 1", "(d0 + d1) mod 2", {1, 1}),
            "d0 + d1");
}

TEST(Simplifier, ResultsShareDividends) {
  ExprContext context;
  const Expr d0 = context.dimension(0);
  const Expr d1 = context.dimension(1);
  const Interval bounds[] = {{0, 127}, {0, 1023}};
  Simplifier simplifier;
  simplifier.set_bounds({.dimensions = bounds});
  Expr both[] = {floor_div(d0 + d1 * 128, 750), mod(d0 + d1 * 128, 5)};
  // Alone, the coefficient is as small as may be.
  EXPECT_EQ(to_string(simplifier.simplify(both[1])), "(d0 + d1 * 3) mod 5");
  simplifier.simplify(both);
  EXPECT_EQ(to_string(both[0]), "(d0 + d1 * 128) floordiv 750");
  EXPECT_EQ(to_string(both[1]), "(d0 + d1 * 128) mod 5");
}

// They are left as they are, by a simplifier that has seen nothing before or another context.
TEST(Simplifier, DeepResultsTogether) {
  Simplifier simplifier;
  for (int run = 0; run < 2; ++run) {
    ExprContext context;
    Expr deep = context.dimension(0);
    for (int i = 0; i < 1200; ++i) deep = floor_div(deep * 3 + context.dimension(1), 5);
    Expr both[] = {deep, mod(deep * 8 + context.dimension(1), 11)};
    const Expr before[] = {both[0], both[1]};
    const std::vector<Interval> bounds(2, {0, 9});
    simplifier.set_bounds({.dimensions = bounds});
    simplifier.simplify(both);
    EXPECT_TRUE(std::ranges::equal(both, before));
  }
}

// Each pair of a quotient and a remainder is found among thousands.
TEST(Simplifier, LongSums) {
  constexpr std::uint32_t kPairs = 3000;
  ExprContext context;
  std::vector<Term> terms;
  for (std::uint32_t i = 0; i < kPairs; ++i) {
    const Expr x = context.dimension(i);
    const std::int64_t n = 2 + i % 13;
    const std::int64_t k = 1 + i % 3;
    terms.push_back({floor_div(x, n), k * n});
    terms.push_back({mod(x, n), k});
    terms.push_back({mod(x, n + 1), 5});
  }
  const std::vector<Interval> bounds(kPairs, {0, 99});
  Simplifier simplifier;
  simplifier.set_bounds({.dimensions = bounds});
  const Expr simple = simplifier.simplify(context.sum(terms));
  EXPECT_FALSE(simplifier.was_budget_exhausted());
  // The other remainders are left.
  EXPECT_EQ(cost({&simple, 1}).div + cost({&simple, 1}).mod, kPairs);
}

TEST(Simplifier, UnboundedVariables) {
  const Interval any = Interval::all();
  EXPECT_EQ(simplified("d0 floordiv 8 * 8 + d0 mod 8", {any}), "d0");
  EXPECT_EQ(simplified("(d0 * 8 + 3) floordiv 8", {any}), "d0");
  EXPECT_EQ(simplified("d0 floordiv 9223372036854775807", {any}),
            "d0 floordiv 9223372036854775807");
}

// Numbers at the ends of int64: nothing may overflow on the way.
TEST(Simplifier, LargeNumbers) {
  EXPECT_EQ(simplified("d0 * 9223372036854775807 * 2", {{0, 1}}), "(d0 * 9223372036854775807) * 2");
  EXPECT_EQ(
      simplified("(d0 floordiv 4611686018427387904) floordiv 4611686018427387904", {{0, kMax - 1}}),
      "0");
  EXPECT_EQ(
      simplified("(d0 * 9223372036854775807 + d1) floordiv 9223372036854775807", {{0, 1}, {0, 5}}),
      "d0");
  EXPECT_EQ(simplified("(d0 * 4611686018427387904 + d1 * 4611686018427387904) floordiv 3",
                       {{0, 9}, {0, 9}}),
            simplified("((d0 + d1) * 4611686018427387904) floordiv 3", {{0, 9}, {0, 9}}));
}

// The product leaves int64, its quotient does not.
TEST(Simplifier, QuotientOfALargeProduct) {
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(simplified("(d0 * d0) floordiv 1125899906842624", {{large, large + 1}}),
            "(d0 * d0) floordiv 1125899906842624");
}

TEST(Simplifier, EmptyBoundsAreHarmless) {
  EXPECT_NE(simplified("(d0 + d1) floordiv 8 + d0 mod 4", {{0, -1}, {0, 3}}), "");
}

// Expressions on which a search without limits would take for ever, or whose result would be
// written exponentially longer.
TEST(Simplifier, WorkAndSizeAreBounded) {
  const std::vector<Interval> bounds = {{0, 100'000}, {0, 31}, {0, 17}};
  std::string nested = "d0";
  for (int i = 0; i < 120; ++i) {
    nested = "(" + nested + " mod " + std::to_string(i % 7 + 5) + " + d1 * 3) floordiv 2 + d0 * 5";
  }
  std::string scaled = "d0";
  for (int i = 0; i < 60; ++i) {
    scaled = "((" + scaled + ") * 5 + d" + std::to_string(i % 3) + ") floordiv 2";
  }
  std::string wide = "0";
  for (int i = 2; i < 200; ++i) {
    wide += " + (d" + std::to_string(i % 3) + " floordiv " + std::to_string(i) + ") * " +
            std::to_string(i * 37 % 100 - 50);
  }
  for (const std::string& text : {nested, scaled, wide, "(" + wide + ") floordiv 64"}) {
    const std::string once = simplified(text, bounds);
    EXPECT_LT(once.size(), 4 * text.size() + 100);
    EXPECT_EQ(simplified(once, bounds), once);
  }
}

// One rule takes a whole multiple of a quotient out, another puts it back.
TEST(Simplifier, RulesDoNotGoRoundInCircles) {
  struct Case {
    std::string_view text;
    std::vector<Interval> bounds;
  };
  const Case kCases[] = {
      {"(d1*2 + ((d0*5) floordiv 4)*8 + ((d0*5 + d1) floordiv 4)*5) floordiv 3", {{0, 15}, {0, 3}}},
      {"(d0*6 + (d0 floordiv 3)*7 + ((d0*3 + d1*5) floordiv 4)*4) floordiv 12", {{0, 3}, {0, 3}}},
      {"((d1 mod 6)*9 + ((d0*4 + d1*6) mod 12)*25 + ((d0*24 - d1*3) mod 4)*14) floordiv 24",
       {{0, 7}, {-2, 6}}},
      {"(d1*3 - ((d0*8 + d1*6 + (d1*8) mod 16) floordiv 3)*4 - ((d1*8) mod 16)*24 + 2) floordiv 32",
       {{0, 15}, {0, 31}}},
      {"(d0 + d1 + (d0 floordiv 6)*10 + (d0 floordiv 2)*2) floordiv 4", {{0, 15}, {0, 7}}},
  };
  for (const Case& one : kCases) {
    ExprContext context;
    ExprLexer lexer(one.text);
    const Result<Expr> expr = parse_expr(lexer, context, [&](std::string_view name) {
      return context.dimension(static_cast<std::uint32_t>(name.back() - '0'));
    });
    ASSERT_TRUE(expr) << one.text;
    Simplifier simplifier;
    simplifier.set_bounds({.dimensions = one.bounds});
    simplifier.simplify(*expr);
    EXPECT_FALSE(simplifier.was_budget_exhausted()) << one.text;
  }
}

// The search for remainders in a sum that was too long for it may succeed in what is left.
TEST(Simplifier, WhatIsLeftOfALongSum) {
  constexpr int kRemainders = 20;
  std::string text;
  for (int i = 0; i < kRemainders; ++i) text += "d" + std::to_string(i) + " mod 3 + ";
  text += "d20 + d21*2 - ((d20 + d21) floordiv 4)*4";
  for (int i = 22; i < 30; ++i) text += " + d" + std::to_string(i);
  std::vector<Interval> bounds(30, Interval{0, 1});
  for (int i = 0; i < kRemainders; ++i) bounds[static_cast<std::size_t>(i)] = {0, 50};
  bounds[20] = {0, 100};
  EXPECT_EQ(simplified("(" + text + ") floordiv 64", bounds), "0");
}

TEST(Simplifier, RulesAreListed) {
  std::set<std::string_view> names;
  for (const SimplifierRule& rule : simplifier_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_FALSE(rule.algebra.empty()) << rule.name;
  }
  EXPECT_GE(names.size(), 15u);
}

}  // namespace
}  // namespace mercator
