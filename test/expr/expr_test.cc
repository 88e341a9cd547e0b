#include "mercator/expr/expr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "mercator/expr/text.h"
#include "test/expr/random_expr.h"

namespace mercator {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

class ExprTest : public testing::Test {
 protected:
  ExprContext context;
  Expr d0 = context.dimension(0);
  Expr d1 = context.dimension(1);
  Expr s0 = context.range(0);
  Expr rt0 = context.runtime(0);
};

TEST_F(ExprTest, EqualStructureIsTheSameExpression) {
  EXPECT_EQ(d0 + d1, d1 + d0);
  EXPECT_EQ(floor_div(d0 * 4 + d1, 8), floor_div(d1 + d0 * 4, 8));
  EXPECT_EQ(min(d0, min(d1, s0)), min(min(s0, d0), d1));
  EXPECT_EQ(d0 * d1 * s0, s0 * (d1 * d0));
  EXPECT_FALSE(d0 == s0);
  EXPECT_FALSE(floor_div(d0, 8) == mod(d0, 8));
}

TEST_F(ExprTest, SumsAreCollected) {
  EXPECT_EQ(d0 + d0, d0 * 2);
  EXPECT_EQ(d0 - d0, context.constant(0));
  EXPECT_EQ((d0 + 3) * 2 - d0 * 2, context.constant(6));
  EXPECT_EQ(to_string(s0 + d1 * 3 - 4 + d0 - d1), "d0 + d1 * 2 + s0 - 4");
  const Expr sum = d0 * 5 + d1 - 7;
  EXPECT_EQ(sum.constant(), -7);
  EXPECT_EQ(std::vector(sum.coefficients().begin(), sum.coefficients().end()),
            (std::vector<std::int64_t>{5, 1}));
}

TEST_F(ExprTest, ProductsMoveConstantsOut) {
  EXPECT_EQ((d0 * 3) * (d1 * 4), (d0 * d1) * 12);
  EXPECT_EQ(d0 * context.constant(0), context.constant(0));
  EXPECT_EQ(context.product({}), context.constant(1));
  EXPECT_EQ(d0 * 1, d0);
}

TEST_F(ExprTest, TrivialQuotientsDisappear) {
  EXPECT_EQ(floor_div(d0, 1), d0);
  EXPECT_EQ(mod(d0, 1), context.constant(0));
  EXPECT_EQ(floor_div(context.constant(-7), 2), context.constant(-4));
  EXPECT_EQ(mod(context.constant(-7), 3), context.constant(2));
  EXPECT_EQ(floor_div(context.constant(0), d0), context.constant(0));
}

TEST_F(ExprTest, DivisorsArePositive) {
  EXPECT_EQ(floor_div(d0, -3), floor_div(-d0, 3));
  EXPECT_EQ(mod(d0, -3), -mod(-d0, 3));
  EXPECT_EQ(ceil_div(d0, 4), floor_div(d0 + 3, 4));
  EXPECT_EQ(ceil_div(d0, -4), floor_div(-d0 + 3, 4));
  EXPECT_EQ(ceil_div(d0, d1), -floor_div(-d0, d1));
}

TEST_F(ExprTest, MinAndMaxFold) {
  EXPECT_EQ(min(d0, d0), d0);
  EXPECT_EQ(min(context.constant(3), context.constant(5)), context.constant(3));
  EXPECT_EQ(to_string(max(max(d0, context.constant(3)), context.constant(5))), "max(d0, 5)");
}

// What would overflow stays as it was written, and still means the same.
TEST_F(ExprTest, FoldsThatOverflowAreNotDone) {
  const Expr big = context.constant(kMax);
  const Expr twice = big + big;
  EXPECT_TRUE(twice.is(ExprKind::kSum));
  EXPECT_EQ(evaluate(twice, {.dimensions = {}}), std::nullopt);
  EXPECT_EQ(twice - big, big);
  EXPECT_EQ((d0 * kMax) * 2, (d0 * kMax) * 2);
  EXPECT_EQ(to_string((d0 * kMax) * 2), "(d0 * 9223372036854775807) * 2");
  const std::int64_t zero[] = {0};
  EXPECT_EQ(evaluate((d0 * kMax) * 2, {.dimensions = zero}), 0);
  EXPECT_EQ(evaluate((d0 + kMax) + 1, {.dimensions = zero}), std::nullopt);
  const std::int64_t minus_one[] = {-1};
  EXPECT_EQ(evaluate((d0 + kMax) + 1, {.dimensions = minus_one}), kMax);
  EXPECT_EQ(evaluate(d0 - kMin, {.dimensions = minus_one}), kMax);
  // Coefficients, products and divisors at the ends.
  EXPECT_EQ(evaluate(floor_div(d0, kMin), {.dimensions = minus_one}), 0);
  EXPECT_EQ(evaluate(mod(d0, kMin), {.dimensions = minus_one}), -1);
  EXPECT_EQ(evaluate(d0 * kMin, {.dimensions = zero}), 0);
  EXPECT_EQ(evaluate(d0 * kMin, {.dimensions = minus_one}), std::nullopt);
  EXPECT_EQ(evaluate((d0 * kMin) * -1, {.dimensions = zero}), 0);
  EXPECT_EQ(evaluate(context.constant(kMin) * context.constant(-1), {.dimensions = {}}),
            std::nullopt);
}

TEST_F(ExprTest, EvaluateIsPartial) {
  const std::int64_t values[] = {7, 0};
  EXPECT_EQ(evaluate(floor_div(d0, d1), {.dimensions = values}), std::nullopt);
  EXPECT_EQ(evaluate(mod(d0, d1), {.dimensions = values}), std::nullopt);
  const std::int64_t others[] = {7, -2};
  EXPECT_EQ(evaluate(floor_div(d0, d1), {.dimensions = others}), -4);
  EXPECT_EQ(evaluate(mod(d0, d1), {.dimensions = others}), -1);
}

TEST_F(ExprTest, EvaluateTakesVariablesOfAllKinds) {
  const std::int64_t dimensions[] = {2, 3};
  const std::int64_t ranges[] = {5};
  const std::int64_t runtimes[] = {7};
  EXPECT_EQ(evaluate(d0 * 1000 + d1 * 100 + s0 * 10 + rt0,
                     {.dimensions = dimensions, .ranges = ranges, .runtimes = runtimes}),
            2357);
}

TEST_F(ExprTest, CompareIsATotalOrderByStructure) {
  const std::vector<Expr> sorted = {d0,
                                    d1,
                                    s0,
                                    rt0,
                                    d0 * d1,
                                    floor_div(d0, 8),
                                    mod(d0, 8),
                                    min(d0, d1),
                                    max(d0, d1),
                                    d0 + 1,
                                    context.constant(-1),
                                    context.constant(5)};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      EXPECT_EQ(compare(sorted[i], sorted[j]), i <=> j)
          << to_string(sorted[i]) << " and " << to_string(sorted[j]);
    }
  }
}

TEST_F(ExprTest, SubstituteIsSimultaneous) {
  const auto swap = [&](VariableId id) {
    return id == VariableId{VariableKind::kDimension, 0}   ? d1
           : id == VariableId{VariableKind::kDimension, 1} ? d0
                                                           : Expr();
  };
  EXPECT_EQ(substitute(d0 * 2 + floor_div(d1, 3) + s0, swap), d1 * 2 + floor_div(d0, 3) + s0);
}

TEST_F(ExprTest, SubstitutedZeroDivisorLeavesNoValue) {
  const Expr quotient = floor_div(d0, d1);
  const auto zero = [&](VariableId id) { return id.index == 1 ? context.constant(0) : Expr(); };
  EXPECT_EQ(substitute(quotient, zero), quotient);
}

TEST_F(ExprTest, UsedVariables) {
  const Expr exprs[] = {floor_div(d1 * 3, 2), rt0 + 1};
  const UsedVariables used = used_variables(exprs);
  EXPECT_FALSE(used.contains({VariableKind::kDimension, 0}));
  EXPECT_TRUE(used.contains({VariableKind::kDimension, 1}));
  EXPECT_FALSE(used.contains({VariableKind::kRange, 0}));
  EXPECT_TRUE(used.contains({VariableKind::kRuntime, 0}));
}

TEST_F(ExprTest, CostCountsSharedSubexpressionsOnce) {
  const Expr linear = d0 * 48 + d1;
  const Expr exprs[] = {floor_div(linear, 16), mod(linear, 16)};
  EXPECT_EQ(cost(exprs), (ExprCost{.div = 1, .mod = 1, .mul = 1, .add = 1, .minmax = 0}));
  const Expr negated[] = {-d0};
  EXPECT_EQ(cost(negated).add, 1);
  const Expr reversed[] = {-d0 + 9};
  EXPECT_EQ(cost(reversed).add, 1);
}

// A chain far deeper than any stack would take.
TEST_F(ExprTest, DeepExpressions) {
  Expr deep = d0;
  Expr other = d1;
  for (int i = 0; i < 50'000; ++i) {
    deep = floor_div(deep + 1, 2) + d1;
    other = floor_div(other + 1, 2) + d1;
  }
  EXPECT_GE(deep.depth(), 100'000u);
  const std::int64_t zeros[] = {0, 0};
  EXPECT_EQ(evaluate(deep, {.dimensions = zeros}), 0);
  EXPECT_EQ(substitute(deep, [](VariableId) { return Expr(); }), deep);
  EXPECT_TRUE(compare(deep, other) < 0);
  EXPECT_EQ(cost(std::span(&deep, 1)).div, 50'000);
}

// Substitution commutes with evaluation.
TEST_F(ExprTest, SubstituteAgreesWithEvaluate) {
  test::RandomExprs random(context, 7);
  for (int i = 0; i < 2000; ++i) {
    const Expr outer = random.expr(2, 5);
    const Expr inner[] = {random.expr(2, 3), random.expr(2, 3)};
    const Expr composed = substitute(outer, [&](VariableId id) { return inner[id.index]; });
    for (int point = 0; point < 5; ++point) {
      const std::int64_t at[] = {random.uniform(-9, 9), random.uniform(-9, 9)};
      const auto x = evaluate(inner[0], {.dimensions = at});
      const auto y = evaluate(inner[1], {.dimensions = at});
      ASSERT_TRUE(x && y);
      const std::int64_t through[] = {*x, *y};
      ASSERT_EQ(evaluate(composed, {.dimensions = at}), evaluate(outer, {.dimensions = through}))
          << to_string(outer) << " of " << to_string(inner[0]) << " and " << to_string(inner[1]);
    }
  }
}

}  // namespace
}  // namespace mercator
