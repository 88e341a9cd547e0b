// Strength reduction: programs computed by hand.

#include "mercator/expr/strength_reduction.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/index_interpreter.h"
#include "mercator/expr/index_program.h"
#include "mercator/expr/index_types.h"
#include "mercator/expr/simplifier.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

constexpr std::int64_t kMin32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMax32 = std::numeric_limits<std::int32_t>::max();

class StrengthReductionTest : public testing::Test {
 protected:
  IndexProgram reduced(std::vector<Expr> results, std::vector<Interval> bounds) {
    const Result<IndexProgram> program =
        lower({.results = results, .bounds = {.dimensions = bounds}}, simplifier_);
    EXPECT_TRUE(program.has_value());
    return program ? reduce_strength(*program) : IndexProgram{};
  }
  std::string text(std::vector<Expr> results, std::vector<Interval> bounds) {
    return to_string(reduced(std::move(results), std::move(bounds)));
  }

  ExprContext context_;
  Simplifier simplifier_;
  Expr d0_ = context_.dimension(0);
  Expr d1_ = context_.dimension(1);
};

TEST_F(StrengthReductionTest, PowersOfTwoAreShiftsAndMasks) {
  EXPECT_EQ(text({d0_ * 8, floor_div(d0_, 8), mod(d0_, 8)}, {{0, 99}}),
            "inputs d0: i32\n"
            "%0: i32 = shl d0, 3\n"
            "%1: i32 = lshr d0, 3\n"
            "%2: i32 = and d0, 7\n"
            "results %0, %1, %2\n");
}

TEST_F(StrengthReductionTest, PowersOfTwoOfNegativeValuesToo) {
  EXPECT_EQ(text({floor_div(d0_, 8), mod(d0_, 8)}, {{-99, 99}}),
            "inputs d0: i32\n"
            "%0: i32 = ashr d0, 3\n"
            "%1: i32 = and d0, 7\n"
            "results %0, %1\n");
}

TEST_F(StrengthReductionTest, OtherProductsAreLeftToTheTarget) {
  EXPECT_EQ(text({d0_ * 6}, {{0, 99}}),
            "inputs d0: i32\n"
            "%0: i32 = mul d0, 6\n"
            "results %0\n");
}

// 683 / 2^11 is 1/3 closely enough up to 1000; 1000 * 683 fits.
TEST_F(StrengthReductionTest, ASmallDividendTakesOneProductAndOneShift) {
  EXPECT_EQ(text({floor_div(d0_, 3), mod(d0_, 3)}, {{0, 1000}}),
            "inputs d0: i32\n"
            "%0: i32 = mul d0, 683\n"
            "%1: i32 = lshr %0, 11\n"
            "%2: i32 = mul %1, 3\n"
            "%3: i32 = sub d0, %2\n"
            "results %1, %3\n");
}

TEST_F(StrengthReductionTest, ALargeDividendTakesTheHighHalf) {
  EXPECT_EQ(text({floor_div(d0_, 3)}, {{0, kMax32}}),
            "inputs d0: i32\n"
            "%0: i32 = mulhu d0, 1431655766\n"
            "results %0\n");
  EXPECT_EQ(text({floor_div(d0_, 7)}, {{0, kMax32}}),
            "inputs d0: i32\n"
            "%0: i32 = mulhu d0, 2454267027\n"
            "%1: i32 = lshr %0, 2\n"
            "results %1\n");
}

// A dividend that is an i64 but far from its end needs no high half.
TEST_F(StrengthReductionTest, AnI64TakesOneProductIfThatFits) {
  EXPECT_EQ(text({floor_div(d0_, 3)}, {{0, std::int64_t{1} << 32}}),
            "inputs d0: i64\n"
            "%0: i64 = mul.wrap d0, 2863311531\n"
            "%1: i64 = lshr %0, 33\n"
            "results %1\n");
  EXPECT_EQ(text({floor_div(d0_, 3)}, {{0, std::int64_t{1} << 62}}),
            "inputs d0: i64\n"
            "%0: i64 = mulhu d0, 6148914691236517206\n"
            "results %0\n");
}

// -34 * 3 <= -100: floor((n * 171 + 34) / 2^9), where 171 * 3 = 2^9 + 1.
TEST_F(StrengthReductionTest, ASmallNegativeDividendTakesAnAdditionMore) {
  EXPECT_EQ(text({floor_div(d0_, 3)}, {{-100, 100}}),
            "inputs d0: i32\n"
            "%0: i32 = mul d0, 171\n"
            "%1: i32 = add %0, 34\n"
            "%2: i32 = ashr %1, 9\n"
            "results %2\n");
}

TEST_F(StrengthReductionTest, ANegativeDividendIsMovedAboveZeroIfThereIsRoom) {
  EXPECT_EQ(text({floor_div(d0_, 3), mod(d0_, 3)}, {{-1000000, 1000000000}}),
            "inputs d0: i32\n"
            "%0: i32 = add d0, 1000002\n"
            "%1: i32 = mulhu %0, 1431655766\n"
            "%2: i32 = sub %1, 333334\n"
            "%3: i32 = mul %1, 3\n"
            "%4: i32 = sub %0, %3\n"
            "results %2, %4\n");
  // With an addition that is there already.
  EXPECT_EQ(text({mod(d0_ - 5, 7)}, {{0, 1000000000}}),
            "inputs d0: i32\n"
            "%0: i32 = add d0, 2\n"
            "%1: i32 = mulhu %0, 613566757\n"
            "%2: i32 = mul %1, 7\n"
            "%3: i32 = sub %0, %2\n"
            "results %3\n");
}

// Otherwise its bits are turned: for n < 0, floor(n / d) = -1 - floor((-1 - n) / d).
TEST_F(StrengthReductionTest, ADividendOfAllValuesIsTurned) {
  EXPECT_EQ(text({floor_div(d0_, 3)}, {{kMin32, kMax32}}),
            "inputs d0: i32\n"
            "%0: i32 = ashr d0, 31\n"
            "%1: i32 = xor d0, %0\n"
            "%2: i32 = mulhu %1, 1431655766\n"
            "%3: i32 = xor %2, %0\n"
            "results %3\n");
}

TEST_F(StrengthReductionTest, TwoQuotientsAreAComparison) {
  EXPECT_EQ(text({floor_div(d0_, 12), mod(d0_, 12)}, {{0, 23}}),
            "inputs d0: i32\n"
            "%0: i1 = le 12, d0\n"
            "%1: i32 = select %0, 1, 0\n"
            "%2: i32 = select %0, 12, 0\n"
            "%3: i32 = sub d0, %2\n"
            "results %1, %3\n");
  EXPECT_EQ(text({mod(d0_, 12)}, {{-12, 11}}),
            "inputs d0: i32\n"
            "%0: i1 = le 0, d0\n"
            "%1: i32 = select %0, 0, -12\n"
            "%2: i32 = sub d0, %1\n"
            "results %2\n");
}

TEST_F(StrengthReductionTest, VariableDivisorsDivideAsTheSignsAsk) {
  EXPECT_EQ(text({floor_div(d0_, d1_), mod(d0_, d1_)}, {{0, 99}, {1, 9}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i32 = divu d0, d1\n"
            "%1: i32 = mul %0, d1\n"
            "%2: i32 = sub d0, %1\n"
            "results %0, %2\n");
  EXPECT_EQ(text({floor_div(d0_, d1_)}, {{-99, 99}, {1, 9}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i32 = div d0, d1\n"
            "%1: i32 = mul %0, d1\n"
            "%2: i32 = sub d0, %1\n"
            "%3: i1 = le %2, -1\n"
            "%4: i32 = zext %3\n"
            "%5: i32 = sub %0, %4\n"
            "results %5\n");
  EXPECT_EQ(text({mod(d0_, d1_)}, {{-99, 99}, {-9, -1}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i32 = div d0, d1\n"
            "%1: i32 = mul %0, d1\n"
            "%2: i32 = sub d0, %1\n"
            "%3: i1 = le 1, %2\n"
            "%4: i32 = select %3, d1, 0\n"
            "%5: i32 = add %2, %4\n"
            "results %5\n");
}

// A machine refuses to divide the least i32 by -1, also for the remainder.
TEST_F(StrengthReductionTest, TheLeastI32IsDividedInI64IfTheDivisorMayBeMinusOne) {
  const Interval divisors = {-3, -1};
  const IndexProgram program =
      reduced({floor_div(d0_, d1_), mod(d0_, d1_)}, {{kMin32, kMax32}, divisors});
  for (const IndexInstruction& instruction : program.instructions) {
    EXPECT_TRUE(instruction.op != IndexOp::kDiv || instruction.type == IndexType::kI64);
  }
  const IndexProgram remainder = reduced({mod(d0_, d1_)}, {{kMin32, kMax32}, divisors});
  for (const IndexInstruction& instruction : remainder.instructions) {
    EXPECT_TRUE(instruction.op != IndexOp::kDiv || instruction.type == IndexType::kI64);
  }
  for (const std::int64_t x : {kMin32, kMin32 + 1, std::int64_t{-1}, std::int64_t{0}, kMax32}) {
    for (std::int64_t y = divisors.lo; y <= divisors.hi; ++y) {
      const std::int64_t point[] = {x, y};
      const Interpretation run = interpret(program, {.dimensions = point});
      EXPECT_FALSE(run.broken_promise.has_value());
      EXPECT_EQ(run.results, (std::vector{floor_div(x, y), floor_mod(x, y)})) << x << " " << y;
      EXPECT_EQ(interpret(remainder, {.dimensions = point}).results[0], floor_mod(x, y));
    }
  }
}

// A program that breaks its promise is found out: here d0 + 1 in i32 up to its end.
TEST(IndexInterpreter, FindsBrokenPromises) {
  IndexProgram program;
  program.instructions = {{.op = IndexOp::kVariable, .range = {0, kMax32}},
                          {.op = IndexOp::kConstant, .value = 1, .range = {1, 1}},
                          {.op = IndexOp::kAdd, .operands = {0, 1}, .range = {kMin32, kMax32}}};
  program.results = {2};
  const auto run = [&](std::int64_t x) {
    return interpret(program, {.dimensions = std::span(&x, 1)});
  };
  EXPECT_EQ(run(kMax32 - 1).broken_promise, std::nullopt);
  EXPECT_EQ(run(kMax32).broken_promise, 2U);
  EXPECT_EQ(run(kMax32).results[0], kMin32);
  EXPECT_EQ(run(-1).broken_promise, 0U);
  program.instructions[2].wraps = true;
  EXPECT_EQ(run(kMax32).broken_promise, std::nullopt);
}

TEST(IndexInterpreter, AppliesOperationsAsMachinesDo) {
  const auto value = [](IndexOp op, IndexType type, std::int64_t a, std::int64_t b) {
    return apply(op, type, type, std::vector{a, b}).value;
  };
  EXPECT_EQ(value(IndexOp::kMul, IndexType::kI32, 65536, 65536), 0);
  EXPECT_EQ(value(IndexOp::kShiftRight, IndexType::kI32, -7, 1), -4);
  EXPECT_EQ(value(IndexOp::kShiftRightUnsigned, IndexType::kI32, -7, 1), kMax32 - 3);
  EXPECT_EQ(value(IndexOp::kMulHighUnsigned, IndexType::kI32, -1, -1), -2);
  EXPECT_EQ(value(IndexOp::kMulHighUnsigned, IndexType::kI64, -1, -1), -2);
  EXPECT_EQ(value(IndexOp::kMulHighUnsigned, IndexType::kI64, std::int64_t{1} << 62, 12), 3);
  EXPECT_EQ(value(IndexOp::kDiv, IndexType::kI32, -7, 2), -3);
  EXPECT_EQ(value(IndexOp::kDivUnsigned, IndexType::kI32, -2, 2), kMax32);
  EXPECT_EQ(value(IndexOp::kFloorDiv, IndexType::kI32, -7, 2), -4);
  EXPECT_EQ(value(IndexOp::kMod, IndexType::kI32, -7, 2), 1);
  EXPECT_EQ(apply(IndexOp::kLessEqualUnsigned, IndexType::kI1, IndexType::kI32,
                  std::vector<std::int64_t>{5, -1})
                .value,
            1);
  EXPECT_EQ(
      apply(IndexOp::kLessEqual, IndexType::kI1, IndexType::kI32, std::vector<std::int64_t>{5, -1})
          .value,
      0);
  EXPECT_EQ(
      apply(IndexOp::kZeroExtend, IndexType::kI64, IndexType::kI32, std::vector<std::int64_t>{-1})
          .value,
      4294967295);
  EXPECT_FALSE(apply(IndexOp::kTruncate, IndexType::kI32, IndexType::kI64,
                     std::vector<std::int64_t>{4294967295})
                   .is_exact);
  EXPECT_FALSE(
      apply(IndexOp::kDiv, IndexType::kI32, IndexType::kI32, std::vector<std::int64_t>{5, 0})
          .is_exact);
}

}  // namespace
}  // namespace mercator
