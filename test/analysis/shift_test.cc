#include "mercator/analysis/shift.h"

#include <gtest/gtest.h>

#include <vector>

#include "mercator/expr/text.h"

namespace mercator::analysis {
namespace {

class ShiftTest : public testing::Test {
 protected:
  // In d0.
  std::optional<Shift> shift(Expr expr) { return shift_of(expr, {VariableKind::kDimension, 0}); }

  ExprContext context_;
  Expr x_ = context_.dimension(0);
  Expr y_ = context_.dimension(1);
};

TEST_F(ShiftTest, ByStructure) {
  EXPECT_EQ(shift(x_), (Shift{1, 1}));
  EXPECT_EQ(shift(y_), (Shift{1, 0}));
  EXPECT_EQ(shift(x_ * 3 + y_ * 5 - 7), (Shift{1, 3}));
  EXPECT_EQ(shift(floor_div(x_, 4)), (Shift{4, 1}));
  EXPECT_EQ(shift(floor_div(x_ * 6 + y_, 4)), (Shift{2, 3}));
  EXPECT_EQ(shift(mod(x_, 6)), (Shift{6, 0}));
  EXPECT_EQ(shift(mod(x_, 6) + floor_div(x_, 4)), (Shift{12, 3}));
  EXPECT_EQ(shift(mod(floor_div(-x_, 3), 5)), (Shift{15, 0}));
  EXPECT_EQ(shift(min(x_, x_ + y_)), (Shift{1, 1}));
  EXPECT_EQ(shift(max(mod(x_, 2), y_)), (Shift{2, 0}));
  EXPECT_EQ(shift(y_ * mod(x_, 3)), (Shift{3, 0}));
}

TEST_F(ShiftTest, None) {
  EXPECT_EQ(shift(x_ * y_), std::nullopt);
  EXPECT_EQ(shift(min(x_, y_)), std::nullopt);
  EXPECT_EQ(shift(floor_div(y_, x_)), std::nullopt);
  EXPECT_EQ(shift(floor_div(x_, y_)), std::nullopt);
  const std::int64_t large = (std::int64_t{1} << 62) + 1;
  EXPECT_EQ(shift(mod(x_, large) + mod(x_, large - 2)), std::nullopt);
}

TEST_F(ShiftTest, Modulo) {
  EXPECT_EQ(shift_modulo(x_ * 6, {VariableKind::kDimension, 0}, 8), (Shift{4, 24}));
  EXPECT_EQ(shift_modulo(y_, {VariableKind::kDimension, 0}, 8), (Shift{1, 0}));
}

TEST_F(ShiftTest, HoldsForAllValues) {
  const std::vector<Expr> exprs = {
      floor_div(x_ * 10 + y_, 7) * 3 + mod(x_ + y_, 5),
      mod(floor_div(x_ * 3 - y_, 4), 6) - floor_div(y_ - x_ * 2, 9),
      max(floor_div(x_, 2) + mod(y_, 3), floor_div(x_, 2) - y_),
  };
  for (const Expr expr : exprs) {
    const std::optional<Shift> found = shift(expr);
    ASSERT_TRUE(found.has_value()) << to_string(expr);
    for (std::int64_t x = -40; x < 40; ++x) {
      for (std::int64_t y = -9; y < 9; ++y) {
        const std::int64_t here[] = {x, y};
        const std::int64_t there[] = {x + found->period, y};
        EXPECT_EQ(*evaluate(expr, {.dimensions = there}),
                  *evaluate(expr, {.dimensions = here}) + found->delta)
            << to_string(expr);
      }
    }
  }
}

}  // namespace
}  // namespace mercator::analysis
