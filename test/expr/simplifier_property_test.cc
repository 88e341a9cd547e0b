// The simplifier against brute force: whatever it makes of an expression has the same value at
// every point of the domain.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/normal_form.h"
#include "mercator/expr/simplifier.h"
#include "mercator/expr/text.h"
#include "test/expr/random_expr.h"
#include "test/support/random_factor.h"

namespace mercator {
namespace {

std::string describe(Expr before, Expr after, const std::vector<Interval>& bounds) {
  std::string text = fmt::format("{}\n  became {}\n  with", to_string(before), to_string(after));
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    text += fmt::format(" d{} in {}", i, to_string(bounds[i]));
  }
  return text;
}

std::int64_t weight(Expr expr) { return cost(std::span(&expr, 1)).weight(); }

// Checks one expression over one domain.
void check(Expr before, const std::vector<Interval>& bounds, Simplifier& simplifier) {
  simplifier.set_bounds({.dimensions = bounds});
  const Expr after = simplifier.simplify(before);
  EXPECT_FALSE(simplifier.was_budget_exhausted()) << describe(before, after, bounds);
  const Interval range = simplifier.range(before);
  const Interval range_after = simplifier.range(after);

  const Expr both[] = {before, after};
  Evaluator evaluator(both);
  bool same = true;
  bool within = true;
  test::for_each_point(bounds, [&](const std::vector<std::int64_t>& point) {
    std::int64_t values[2];
    ASSERT_TRUE(evaluator({.dimensions = point}, values)) << describe(before, after, bounds);
    same = same && values[0] == values[1];
    within = within && range.contains(values[0]) && range_after.contains(values[0]);
  });
  EXPECT_TRUE(same) << describe(before, after, bounds);
  EXPECT_TRUE(within) << describe(before, after, bounds) << "\n  ranges " << to_string(range) << " "
                      << to_string(range_after);
  EXPECT_LE(weight(after), weight(before) + 1) << describe(before, after, bounds);

  simplifier.set_bounds({.dimensions = bounds});
  const Expr again = simplifier.simplify(after);
  EXPECT_EQ(again, after) << describe(before, after, bounds) << "\n  and then " << to_string(again);
}

// Many are told to be trees without looking at what they share.
TEST(SimplifierProperty, WeighsWhatIsSharedOnce) {
  ExprContext context;
  internal::NormalForm normal_form;
  normal_form.start_work(context, 0);
  test::RandomExprs random(context, 4711);
  std::int64_t trees = 0;
  for (std::int64_t i = 0; i < 20'000 * test::random_factor(); ++i) {
    std::vector<Expr> exprs;
    std::set<std::uint32_t> offsets;  // of equal ones, one
    for (std::int64_t count = random.uniform(1, 3); count > 0; --count) {
      exprs.push_back(random.expr(2, 3));
      if (exprs.back().is_tree()) {
        ++trees;
        EXPECT_EQ(exprs.back().tree_weight(), weight(exprs.back())) << to_string(exprs.back());
      }
      if (exprs.back().is(ExprKind::kSum) && exprs.back().constant() != 0) {
        offsets.insert(exprs.back().id());
      }
    }
    EXPECT_EQ(normal_form.weight(exprs), cost(exprs).weight() - std::ssize(offsets))
        << to_string(exprs[0]) << " and " << exprs.size() - 1 << " more";
  }
  EXPECT_GT(trees, 10'000);
}

TEST(SimplifierProperty, RandomExpressionsKeepTheirValues) {
  const std::int64_t expressions = 40'000 * test::random_factor();
  for (int batch = 0; batch < 20 && !testing::Test::HasFailure(); ++batch) {
    ExprContext context;
    Simplifier simplifier;
    test::RandomExprs random(context, 100 + static_cast<std::uint64_t>(batch));
    for (int i = 0; i < expressions / 20 && !testing::Test::HasFailure(); ++i) {
      const int variables = static_cast<int>(random.uniform(1, 3));
      const std::vector<Interval> bounds = random.bounds(variables);
      check(random.expr(variables, static_cast<int>(random.uniform(1, 6))), bounds, simplifier);
    }
  }
}

// Quotients of sums of quotients, where rules could undo one another.
TEST(SimplifierProperty, QuotientsOfSumsOfQuotients) {
  const std::int64_t expressions = 10'000 * test::random_factor();
  constexpr std::int64_t kDivisors[] = {2, 3, 4, 6, 8, 12, 16, 24, 32};
  constexpr std::int64_t kLargest[] = {1, 2, 3, 7, 15, 31};
  for (int batch = 0; batch < 20 && !testing::Test::HasFailure(); ++batch) {
    ExprContext context;
    Simplifier simplifier;
    test::RandomExprs random(context, 900 + static_cast<std::uint64_t>(batch));
    const auto one_of = [&](std::span<const std::int64_t> values) {
      return values[static_cast<std::size_t>(random.uniform(0, std::ssize(values) - 1))];
    };
    for (int i = 0; i < expressions / 20 && !testing::Test::HasFailure(); ++i) {
      std::vector<Interval> bounds;
      const auto variables = static_cast<std::uint32_t>(random.uniform(1, 2));
      while (bounds.size() < variables) bounds.push_back({0, one_of(kLargest)});
      const auto linear = [&] {
        Expr sum = context.constant(random.uniform(-2, 4));
        for (std::uint32_t v = 0; v < variables; ++v) {
          sum = sum + context.dimension(v) * random.uniform(-3, 9);
        }
        return sum;
      };
      Expr numerator = linear();
      Expr last = context.constant(0);
      for (std::int64_t left = random.uniform(1, 3); left > 0; --left) {
        last = floor_div(linear() + last * random.uniform(0, 1), one_of(kDivisors));
        numerator = numerator + last * random.uniform(-40, 40);
      }
      check(floor_div(numerator, one_of(kDivisors)), bounds, simplifier);
    }
  }
}

// Where a value leaves int64 on the way there is nothing to compare.
TEST(SimplifierProperty, NumbersNearTheEndsOfInt64) {
  const std::int64_t expressions = 20'000 * test::random_factor();
  std::int64_t compared = 0;
  std::int64_t changed = 0;
  ExprContext context;
  Simplifier simplifier;
  test::RandomExprs random(context, 77);
  random.draw_large_numbers();
  for (std::int64_t i = 0; i < expressions && !testing::Test::HasFailure(); ++i) {
    const std::vector<Interval> bounds = {{0, 1}, {random.uniform(-2, 0), random.uniform(1, 3)}};
    const Expr before = random.expr(2, static_cast<int>(random.uniform(1, 4)));
    simplifier.set_bounds({.dimensions = bounds});
    const Expr after = simplifier.simplify(before);
    EXPECT_FALSE(simplifier.was_budget_exhausted()) << describe(before, after, bounds);
    changed += after == before ? 0 : 1;
    test::for_each_point(bounds, [&](const std::vector<std::int64_t>& point) {
      const auto value = evaluate(before, {.dimensions = point});
      const auto value_after = evaluate(after, {.dimensions = point});
      if (!value || !value_after) return;
      ++compared;
      EXPECT_EQ(*value, *value_after) << describe(before, after, bounds);
    });
  }
  EXPECT_GT(changed, expressions / 4);
  EXPECT_GT(compared, expressions);
}

// A result does not depend on what the context and the simplifier saw before.
TEST(SimplifierProperty, ResultsDoNotDependOnHistory) {
  ExprContext shared_context;
  Simplifier shared;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    ExprContext fresh_context;
    Simplifier fresh;
    test::RandomExprs random_a(shared_context, seed);
    test::RandomExprs random_b(fresh_context, seed);
    const std::vector<Interval> bounds = random_a.bounds(3);
    ASSERT_EQ(bounds, random_b.bounds(3));
    shared.set_bounds({.dimensions = bounds});
    fresh.set_bounds({.dimensions = bounds});
    const Expr a = shared.simplify(random_a.expr(3, 6));
    const Expr b = fresh.simplify(random_b.expr(3, 6));
    ASSERT_EQ(to_string(a), to_string(b)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace mercator
