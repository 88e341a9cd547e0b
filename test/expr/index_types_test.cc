// Index programs as they are made from expressions: types, the order of sums, the gate, and what is
// refused. Expected programs are computed by hand.

#include "mercator/expr/index_types.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/index_interpreter.h"
#include "mercator/expr/index_program.h"
#include "mercator/expr/simplifier.h"
#include "mercator/expr/text.h"
#include "test/expr/random_expr.h"

namespace mercator {
namespace {

constexpr std::int64_t kMin32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMax32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();

class IndexTypesTest : public testing::Test {
 protected:
  Result<IndexProgram> program(std::vector<std::string_view> results, std::vector<Interval> bounds,
                               std::vector<std::pair<std::string_view, Interval>> conditions = {}) {
    std::vector<Expr> exprs;
    for (const std::string_view result : results) exprs.push_back(parse(result));
    std::vector<IndexCondition> parsed;
    for (const auto& [expr, range] : conditions) parsed.push_back({parse(expr), range});
    return lower({.results = exprs, .conditions = parsed, .bounds = {.dimensions = bounds}},
                 simplifier_);
  }
  std::string text(std::vector<std::string_view> results, std::vector<Interval> bounds,
                   std::vector<std::pair<std::string_view, Interval>> conditions = {}) {
    const Result<IndexProgram> lowered = program(results, bounds, conditions);
    return lowered ? to_string(*lowered) : lowered.error().message;
  }

  ExprContext context_;
  Simplifier simplifier_;

 private:
  // With the variables d0 … d9.
  Expr parse(std::string_view text) {
    ExprLexer lexer(text);
    const Result<Expr> expr = parse_expr(lexer, context_, [&](std::string_view name) {
      return context_.dimension(static_cast<std::uint32_t>(name[1] - '0'));
    });
    EXPECT_TRUE(expr.has_value()) << text;
    return *expr;
  }
};

TEST_F(IndexTypesTest, SmallValuesAreI32) {
  EXPECT_EQ(text({"d0 * 48 + d1", "d0 floordiv 3"}, {{0, 9}, {-5, 47}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i32 = mul d0, 48\n"
            "%1: i32 = add %0, d1\n"
            "%2: i32 = floordiv d0, 3\n"
            "results %1, %2\n");
}

TEST_F(IndexTypesTest, SharedSubexpressionsAreComputedOnce) {
  EXPECT_EQ(text({"(d0 * d0) mod 7", "d0 * d0 + 1"}, {{0, 9}}),
            "inputs d0: i32\n"
            "%0: i32 = mul d0, d0\n"
            "%1: i32 = mod %0, 7\n"
            "%2: i32 = add %0, 1\n"
            "results %1, %2\n");
}

// 46341^2 - 1 is more than an i32 holds.
TEST_F(IndexTypesTest, AnIndexOfMoreThan31BitsIsI64WhereItMustBe) {
  EXPECT_EQ(text({"d0 * 46341 + d1"}, {{0, 46340}, {0, 46340}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i32 = mul d0, 46341\n"
            "%1: i64 = zext %0\n"
            "%2: i64 = zext d1\n"
            "%3: i64 = add %1, %2\n"
            "results %3\n");
  EXPECT_EQ(text({"d0 * 46341 + d1"}, {{0, 46339}, {0, 46340}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i32 = mul d0, 46341\n"
            "%1: i32 = add %0, d1\n"
            "results %1\n");
}

// The linear index of a tensor of 2^31 elements ends at 2^31 - 1: the last that needs no i64.
TEST_F(IndexTypesTest, TheNumberOfElementsDecides) {
  const auto types = [&](std::int64_t rows) {
    const Result<IndexProgram> lowered = program(
        {"d0 * 65536 + d1", "(d0 * 65536 + d1) floordiv 65536"}, {{0, rows - 1}, {0, 65535}});
    return cost(*lowered).wide;
  };
  EXPECT_EQ(types(32767), 0);
  EXPECT_EQ(types(32768), 0);
  EXPECT_GT(types(32769), 0);
}

// The result fits, what it is made from does not; a value that fits again is an i32 again.
TEST_F(IndexTypesTest, IntermediateValuesMayNeedI64) {
  EXPECT_EQ(text({"(d0 * d1) floordiv 65536 + d0"}, {{0, 65535}, {0, 65535}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i64 = zext d0\n"
            "%1: i64 = zext d1\n"
            "%2: i64 = mul %0, %1\n"
            "%3: i64 = floordiv %2, 65536\n"
            "%4: i32 = trunc %3\n"
            "%5: i32 = add d0, %4\n"
            "results %5\n");
}

TEST_F(IndexTypesTest, NegativeValuesAreExtendedWithTheirSign) {
  EXPECT_EQ(text({"d0 * 3"}, {{kMin32, 0}}),
            "inputs d0: i32\n"
            "%0: i64 = sext d0\n"
            "%1: i64 = mul %0, 3\n"
            "results %1\n");
}

TEST_F(IndexTypesTest, VariablesAreOfTheTypeOfTheirBounds) {
  EXPECT_EQ(text({"d0 + d1"}, {{0, kMax32 + 1}, {0, 1}}),
            "inputs d0: i64, d1: i32\n"
            "%0: i64 = zext d1\n"
            "%1: i64 = add d0, %0\n"
            "results %1\n");
}

// d0 + d1 alone may reach 2^32 - 2.
TEST_F(IndexTypesTest, SumsAreAddedUpInAnOrderThatStaysInI32) {
  EXPECT_EQ(text({"d0 + d1 - 2147483648"}, {{0, kMax32}, {0, kMax32}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i32 = add d0, -2147483648\n"
            "%1: i32 = add %0, d1\n"
            "results %1\n");
  EXPECT_EQ(text({"d0 + d1 - d2 + d3"},
                 {{0, kMax32}, {1'000'000'000, 1'000'000'000 + 2}, {2'000'000'000, kMax32}, {0, 7}})
                .find("i64"),
            std::string::npos);
}

TEST_F(IndexTypesTest, ASumThatCancelsStaysInI64Only) {
  // In i64 too the order decides: d0 + d1 would leave it.
  EXPECT_EQ(
      text({"d0 + d1 - 9223372036854775807"}, {{0, kMax64 - 1}, {1, kMax64 - 1}}).find("may leave"),
      std::string::npos);
  EXPECT_EQ(text({"d0 + d1"}, {{0, kMax64 - 1}, {1, kMax64 - 1}}),
            "the value of 'd0 + d1' may leave 64 bits");
}

TEST_F(IndexTypesTest, SumsSubtractWhatIsNegative) {
  EXPECT_EQ(text({"5 - d0 * 3 - d1", "-d0", "-d0 * 4 - d1"}, {{0, 9}, {0, 9}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i32 = mul d0, 3\n"
            "%1: i32 = sub 5, %0\n"
            "%2: i32 = sub %1, d1\n"
            "%3: i32 = sub 0, d0\n"
            "%4: i32 = mul d0, -4\n"
            "%5: i32 = sub %4, d1\n"
            "results %2, %3, %5\n");
}

// ---- the gate ----

TEST_F(IndexTypesTest, ConditionsBecomeTheGate) {
  EXPECT_EQ(text({"d0"}, {{0, 99}, {-20, 20}},
                 {{"d0 + d1", {0, 1000}}, {"d0", {-5, 50}}, {"d1", {-20, 20}}, {"d0 * 2", {6, 6}}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i32 = add d0, d1\n"
            "%1: i1 = le 0, %0\n"
            "%2: i1 = le d0, 50\n"
            "%3: i32 = mul d0, 2\n"
            "%4: i1 = eq %3, 6\n"
            "%5: i1 = and %1, %2\n"
            "%6: i1 = and %5, %4\n"
            "results d0\n"
            "gate %6\n");
}

// 3 <= d0 <= 7 as one comparison; the index d0 - 3 is shared with it.
TEST_F(IndexTypesTest, TwoSidedConditionsAreOneUnsignedComparison) {
  EXPECT_EQ(text({"d0 - 3"}, {{0, 99}}, {{"d0", {3, 7}}}),
            "inputs d0: i32\n"
            "%0: i32 = add d0, -3\n"
            "%1: i1 = leu %0, 4\n"
            "results %0\n"
            "gate %1\n");
  EXPECT_EQ(text({}, {{-9, 99}}, {{"d0", {0, 7}}}),
            "inputs d0: i32\n"
            "%0: i1 = leu d0, 7\n"
            "results none\n"
            "gate %0\n");
}

// d0 - lo leaves i32 and wraps; the extent may be any unsigned number.
TEST_F(IndexTypesTest, TheUnsignedComparisonHoldsAtTheEndsOfTheType) {
  for (const Interval bounds :
       {Interval{kMin32, kMax32}, Interval{kMin32 - 1, kMax32}, Interval{kMin64 + 1, kMax64 - 1}}) {
    for (const std::int64_t lo : {kMin32 + 1, std::int64_t{-5}, std::int64_t{1}, kMax32 - 5}) {
      for (const std::int64_t hi : {lo + 1, std::int64_t{5}, kMax32 - 1}) {
        if (hi <= lo) continue;
        const Result<IndexProgram> gated = program({}, {bounds}, {{"d0", {lo, hi}}});
        ASSERT_TRUE(gated.has_value());
        for (const std::int64_t x :
             {bounds.lo, bounds.lo + 1, kMin32, kMin32 + 1, lo - 1, lo, lo + 1, std::int64_t{0},
              hi - 1, hi, hi + 1, kMax32 - 1, kMax32, bounds.hi - 1, bounds.hi}) {
          if (!bounds.contains(x)) continue;
          const Interpretation run = interpret(*gated, {.dimensions = std::span(&x, 1)});
          EXPECT_FALSE(run.broken_promise.has_value()) << to_string(*gated) << x;
          EXPECT_EQ(run.gate, lo <= x && x <= hi) << to_string(*gated) << x;
        }
      }
    }
  }
}

TEST_F(IndexTypesTest, WhatIsNeverWantedIsZero) {
  const std::string never =
      "inputs none\n"
      "results 0\n"
      "gate 0\n";
  EXPECT_EQ(text({"d0 * 3"}, {{0, 9}}, {{"d0", {10, 20}}}), never);
  EXPECT_EQ(text({"d0 * 3"}, {{0, 9}}, {{"d0", {5, 4}}}), never);
  EXPECT_EQ(text({"d0 * 3"}, {{0, -1}}), never);
  EXPECT_EQ(text({"5 floordiv d0"}, {{0, 0}}), never);
}

// ---- divisors that may be zero ----

TEST_F(IndexTypesTest, ZeroDivisorsCloseTheGate) {
  EXPECT_EQ(text({"d0 floordiv d1"}, {{0, 9}, {0, 3}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i1 = ne d1, 0\n"
            "%1: i32 = max d1, 1\n"
            "%2: i32 = floordiv d0, %1\n"
            "results %2\n"
            "gate %0\n");
  EXPECT_EQ(text({"d0 mod d1"}, {{0, 9}, {-3, 3}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i1 = ne d1, 0\n"
            "%1: i32 = select %0, d1, 1\n"
            "%2: i32 = mod d0, %1\n"
            "results %2\n"
            "gate %0\n");
  EXPECT_EQ(text({"d0 floordiv d1"}, {{0, 9}, {1, 3}}),
            "inputs d0: i32, d1: i32\n"
            "%0: i32 = floordiv d0, d1\n"
            "results %0\n");
}

// ---- what is refused ----

TEST_F(IndexTypesTest, NamesWhatMayLeave64Bits) {
  EXPECT_EQ(text({"d0 * d1 + 1"}, {{0, 1000}, {0, kMax64 / 1000 + 1}}),
            "the value of 'd0 * d1' may leave 64 bits");
  EXPECT_EQ(text({"(d0 * 3) mod 5"}, {{0, kMax64 / 2}}), "the value of 'd0 * 3' may leave 64 bits");
  EXPECT_EQ(text({"d0 * 2"}, {{0, kMax64 / 2 - 1}}),
            "inputs d0: i64\n"
            "%0: i64 = mul d0, 2\n"
            "results %0\n");
}

TEST_F(IndexTypesTest, NamesVariablesWithoutBounds) {
  const Result<IndexProgram> unbounded = program({"d0 + d1"}, {{0, 9}});
  ASSERT_FALSE(unbounded.has_value());
  EXPECT_EQ(unbounded.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(unbounded.error().message, "'d1' has no bounds");
  EXPECT_EQ(unbounded.error().hint, "give them: d1 in [0, 99]");
  // One that does not occur does not matter.
  EXPECT_TRUE(program({"d0"}, {{0, 9}, Interval::all()}).has_value());
}

// Neither time nor stack grows out of hand.
TEST_F(IndexTypesTest, DeepAndWideExpressions) {
  Expr deep = context_.dimension(0);
  for (int i = 0; i < 20000; ++i) {
    deep = min(deep, context_.constant(50)) + (i % 2 == 0 ? 1 : -1);
  }
  std::vector<Term> terms;
  std::vector<Interval> bounds;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    terms.push_back({context_.dimension(i), i + 1});
    bounds.push_back({-4, 4});
  }
  const Expr results[] = {deep, context_.sum(terms)};
  const Result<IndexProgram> lowered =
      lower({.results = results, .bounds = {.dimensions = bounds}}, simplifier_);
  ASSERT_TRUE(lowered.has_value());
  EXPECT_GE(lowered->instructions.size(), 40000U);
}

}  // namespace
}  // namespace mercator
