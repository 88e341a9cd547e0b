#include "mercator/map/congruence.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

// Tells which points (x, y) are those of a congruence.
class Membership {
 public:
  explicit Membership(const Congruence& congruence)
      : congruence_(congruence), evaluator_(std::span(&congruence.base, 1)) {}

  bool operator()(std::int64_t x, std::int64_t y) {
    const std::int64_t point[] = {x, y};
    std::int64_t value = 0;
    EXPECT_TRUE(evaluator_({.dimensions = point}, std::span(&value, 1)));
    return floor_mod(value, congruence_.modulus) == congruence_.residue;
  }

 private:
  Congruence congruence_;
  Evaluator evaluator_;
};

TEST(Congruence, NormalFormsHoldForTheSamePoints) {
  ExprContext context;
  const Expr x = context.dimension(0);
  const Expr y = context.dimension(1);
  int sometimes = 0;
  for (std::int64_t a = -4; a <= 5; ++a) {
    for (std::int64_t b = -4; b <= 5; ++b) {
      for (std::int64_t n = 2; n <= 12; ++n) {
        for (std::int64_t r = 0; r < n; ++r) {
          const Expr base = x * a + y * b;
          if (base.is(ExprKind::kConstant)) continue;
          const Congruence before = {base, n, r};
          Congruence after = before;
          const Truth truth = normalize(after);
          Membership was_member(before);
          Membership is_member(truth == Truth::kSometimes ? after : before);
          for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j < n; ++j) {
              const bool expected = was_member(i, j);
              const bool actual =
                  truth == Truth::kAlways || (truth == Truth::kSometimes && is_member(i, j));
              ASSERT_EQ(actual, expected) << a << " " << b << " " << n << " " << r;
            }
          }
          if (truth != Truth::kSometimes) continue;
          ++sometimes;
          Congruence again = after;
          EXPECT_EQ(normalize(again), Truth::kSometimes);
          EXPECT_TRUE(again.base == after.base && again.modulus == after.modulus &&
                      again.residue == after.residue);
        }
      }
    }
  }
  EXPECT_GT(sometimes, 1000);
}

TEST(Congruence, ConjunctionHoldsWhereBothHold) {
  ExprContext context;
  const Expr x = context.dimension(0);
  for (std::int64_t n = 1; n <= 12; ++n) {
    for (std::int64_t m = 1; m <= 12; ++m) {
      for (std::int64_t r = 0; r < n; ++r) {
        for (std::int64_t s = 0; s < m; ++s) {
          Congruence both = {x, n, r};
          const std::optional<Truth> truth = conjoin(both, {x, m, s});
          ASSERT_TRUE(truth);
          for (std::int64_t i = 0; i < n * m; ++i) {
            const bool expected = i % n == r && i % m == s;
            ASSERT_EQ(*truth == Truth::kSometimes && i % both.modulus == both.residue, expected)
                << n << " " << r << " " << m << " " << s << " " << i;
          }
        }
      }
    }
  }
}

TEST(Congruence, ConjunctionGivesUpWhereTheModulusDoesNotFit) {
  ExprContext context;
  const Expr x = context.dimension(0);
  const std::int64_t n = std::int64_t{1} << 62;
  Congruence congruence = {x, n, 5};
  EXPECT_EQ(conjoin(congruence, {x, 7, 2}), std::nullopt);
  EXPECT_EQ(congruence.modulus, n);
  EXPECT_EQ(congruence.residue, 5);
  // 2^62 and 2^61 have a common multiple that fits; 5 is 5 modulo both.
  EXPECT_EQ(conjoin(congruence, {x, n / 2, 5}), Truth::kSometimes);
  EXPECT_EQ(congruence.modulus, n);
  EXPECT_EQ(conjoin(congruence, {x, n / 2, 6}), Truth::kNever);
}

TEST(Congruence, LargeModuliDoNotOverflow) {
  ExprContext context;
  const Expr x = context.dimension(0);
  const std::int64_t p = 3'037'000'493;  // prime, p^2 just below 2^63
  const std::int64_t q = 3'037'000'453;  // prime
  Congruence congruence = {x, p, p - 1};
  ASSERT_EQ(conjoin(congruence, {x, q, q - 1}), Truth::kSometimes);
  EXPECT_EQ(congruence.modulus, p * q);
  EXPECT_EQ(congruence.residue, p * q - 1);
  Congruence scaled = {x * (p - 1), p, 17};
  ASSERT_EQ(normalize(scaled), Truth::kSometimes);
  EXPECT_EQ(scaled.base, x);
  EXPECT_EQ(scaled.residue, p - 17);
}

TEST(Congruence, TightenedIntervalsHaveTheirEndsOnTheGrid) {
  ExprContext context;
  const Expr x = context.dimension(0);
  for (std::int64_t n = 1; n <= 7; ++n) {
    for (std::int64_t r = 0; r < n; ++r) {
      for (std::int64_t lo = -9; lo <= 9; ++lo) {
        for (std::int64_t hi = lo - 1; hi <= 12; ++hi) {
          std::vector<std::int64_t> values;
          for (std::int64_t i = lo; i <= hi; ++i) {
            if (floor_mod(i, n) == r) values.push_back(i);
          }
          const Interval range = tightened({lo, hi}, {x, n, r});
          EXPECT_EQ(range.is_empty(), values.empty());
          if (values.empty()) continue;
          EXPECT_EQ(range, (Interval{values.front(), values.back()}));
        }
      }
    }
  }
}

TEST(Congruence, TightenedIntervalsAtTheEndsOfInt64) {
  ExprContext context;
  const Congruence congruence = {context.dimension(0), 10, 3};
  constexpr std::int64_t kMin = Interval::kMinusInfinity;
  constexpr std::int64_t kMax = Interval::kPlusInfinity;
  EXPECT_EQ(tightened({kMin, kMax}, congruence), Interval::all());
  EXPECT_EQ(tightened({0, kMax}, congruence), (Interval{3, kMax}));
  EXPECT_EQ(tightened({kMin, 0}, congruence), (Interval{kMin, -7}));
  // 2^63 - 1 ends in 7, so that the next value that ends in 3 does not fit.
  EXPECT_TRUE(tightened({kMax - 3, kMax - 1}, congruence).is_empty());
  EXPECT_EQ(tightened({kMax - 3, kMax}, congruence), (Interval{kMax - 3, kMax}));
  // -2^63 + 1 ends in a remainder of 3; the values before it do not fit.
  EXPECT_TRUE(tightened({kMin + 2, kMin + 4}, congruence).is_empty());
  EXPECT_EQ(tightened({kMin + 1, kMin + 4}, congruence), Interval::point(kMin + 1));
}

TEST(Congruence, ConstraintsAndBack) {
  ExprContext context;
  const Expr x = context.dimension(0);
  const Expr y = context.dimension(1);
  const std::optional<Congruence> congruence =
      as_congruence({mod(x + y * 2 + 12, 5), Interval::point(1)});
  ASSERT_TRUE(congruence);
  EXPECT_EQ(congruence->base, x + y * 2);
  EXPECT_EQ(congruence->modulus, 5);
  EXPECT_EQ(congruence->residue, 4);
  EXPECT_EQ(as_constraint(*congruence), (Constraint{mod(x + y * 2 - 4, 5), Interval::point(0)}));
  EXPECT_EQ(as_congruence({mod(x, 5), {0, 1}}), std::nullopt);
  EXPECT_EQ(as_congruence({mod(x, y), Interval::point(0)}), std::nullopt);
  EXPECT_EQ(as_congruence({mod(x, 5), Interval::point(7)}), std::nullopt);
  EXPECT_EQ(as_congruence({x, Interval::point(1)}), std::nullopt);
}

TEST(Congruence, ImpliedByOneOnASimilarSum) {
  ExprContext context;
  const Expr x = context.dimension(0);
  const Expr y = context.dimension(1);
  const Congruence congruence = {x - y, 3, 1};
  const auto residue = [&](Expr expr) -> std::optional<std::int64_t> {
    const auto implied = implied_congruence(expr, congruence);
    if (!implied) return std::nullopt;
    EXPECT_EQ(implied->base, expr);
    EXPECT_EQ(implied->modulus, 3);
    return implied->residue;
  };
  EXPECT_EQ(residue(x - y), 1);
  EXPECT_EQ(residue(x + y * 2), 1);
  EXPECT_EQ(residue(x * 4 + y * 2), 1);
  EXPECT_EQ(residue(x * 2 + y), 2);
  EXPECT_EQ(residue(x * -4 + y * 7), 2);
  EXPECT_EQ(residue(x - y + context.dimension(2) * 6), 1);
  EXPECT_EQ(residue(x + y), std::nullopt);
  EXPECT_EQ(residue(x), std::nullopt);
  EXPECT_EQ(residue(x - y + context.dimension(2)), std::nullopt);
}

}  // namespace
}  // namespace mercator::internal
