// Computations along loops: the three programs, and that they give in each iteration what the
// expressions mean.

#include "mercator/expr/induction.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/index_interpreter.h"
#include "mercator/expr/index_program.h"
#include "mercator/expr/simplifier.h"
#include "mercator/expr/text.h"
#include "test/expr/random_expr.h"

namespace mercator {
namespace {

// Runs a loop for each value of the other dimension variables, and compares.
void check_loop(const Loop& loop, const IndexComputation& computation,
                const LoopPrograms& programs) {
  std::vector<Expr> exprs(computation.results.begin(), computation.results.end());
  for (const IndexCondition& condition : computation.conditions) exprs.push_back(condition.expr);
  Evaluator evaluator(exprs);
  std::vector<std::int64_t> expected(exprs.size());
  std::vector<Interval> others(computation.bounds.dimensions.begin(),
                               computation.bounds.dimensions.end());
  others[loop.variable.index] = Interval::point(loop.start);
  const auto promise_kept = [&](const Interpretation& run, const IndexProgram& program) {
    EXPECT_FALSE(run.broken_promise.has_value()) << *run.broken_promise << "\n"
                                                 << to_string(program);
    return !run.broken_promise.has_value();
  };
  test::for_each_point(others, [&](const std::vector<std::int64_t>& point) {
    if (testing::Test::HasFailure()) return;
    std::vector<std::int64_t> carried(programs.first_carried);
    const auto carry = [&](const IndexProgram& program) {
      // A wrong value in the place of the loop's variable: no program may use it.
      std::vector<std::int64_t> dimensions = point;
      dimensions[loop.variable.index] = 123456789;
      Interpretation run = interpret(program, {.dimensions = dimensions, .runtimes = carried});
      EXPECT_TRUE(promise_kept(run, program));
      return run;
    };
    const auto store = [&](const Interpretation& run) {
      carried.resize(programs.first_carried);
      carried.insert(carried.end(), run.results.begin(), run.results.end());
    };
    store(carry(programs.initial));
    std::vector<std::int64_t> now = point;
    for (std::int64_t i = 0; i < loop.count; ++i) {
      now[loop.variable.index] = loop.start + i * loop.step;
      bool wanted = evaluator({.dimensions = now}, expected);
      for (std::size_t c = 0; wanted && c < computation.conditions.size(); ++c) {
        wanted = computation.conditions[c].range.contains(expected[computation.results.size() + c]);
      }
      const Interpretation body = carry(programs.body);
      ASSERT_EQ(body.gate, wanted) << "iteration " << i;
      for (std::size_t r = 0; wanted && r < computation.results.size(); ++r) {
        ASSERT_EQ(body.results[r], expected[r])
            << to_string(computation.results[r]) << " in iteration " << i << "\ninitial\n"
            << to_string(programs.initial) << "body\n"
            << to_string(programs.body) << "step\n"
            << to_string(programs.step);
      }
      if (i + 1 < loop.count) store(carry(programs.step));
    }
  });
}

std::string text(const LoopPrograms& programs) {
  return "initial\n" + to_string(programs.initial) + "body\n" + to_string(programs.body) +
         "step\n" + to_string(programs.step);
}

class InductionTest : public testing::Test {
 protected:
  LoopPrograms programs(const Loop& loop, std::vector<Expr> results, std::vector<Interval> bounds,
                        std::vector<IndexCondition> conditions = {}) {
    const IndexComputation computation = {
        .results = results, .conditions = conditions, .bounds = {.dimensions = bounds}};
    Result<LoopPrograms> programs = along(loop, computation, simplifier_);
    EXPECT_TRUE(programs.has_value());
    if (!programs) return {};
    check_loop(loop, computation, *programs);
    return *std::move(programs);
  }

  ExprContext context_;
  Simplifier simplifier_;
  Expr d0_ = context_.dimension(0);
  Expr d1_ = context_.dimension(1);
  Loop loop_ = {.variable = {VariableKind::kDimension, 0}, .start = 0, .step = 1, .count = 96};
};

TEST_F(InductionTest, AnAffineExpressionIsOneAddition) {
  EXPECT_EQ(text(programs(loop_, {d0_ * 48 + d1_ * 4}, {{}, {0, 11}})),
            "initial\n"
            "inputs d1: i32\n"
            "%0: i32 = shl d1, 2\n"
            "results %0\n"
            "body\n"
            "inputs rt0: i32\n"
            "results rt0\n"
            "step\n"
            "inputs rt0: i32\n"
            "%0: i32 = add rt0, 48\n"
            "results %0\n");
}

TEST_F(InductionTest, AProductWithWhatDoesNotChangeIsOneAdditionToo) {
  EXPECT_EQ(text(programs(loop_, {d0_ * d1_}, {{}, {1, 11}})),
            "initial\n"
            "inputs none\n"
            "results 0\n"
            "body\n"
            "inputs rt0: i32\n"
            "results rt0\n"
            "step\n"
            "inputs d1: i32, rt0: i32\n"
            "%0: i32 = add d1, rt0\n"
            "results %0\n");
}

TEST_F(InductionTest, AQuotientAndItsRemainderAreACounterWithCarry) {
  EXPECT_EQ(text(programs(loop_, {floor_div(d0_, 12), mod(d0_, 12)}, {{}})),
            "initial\n"
            "inputs none\n"
            "results 0, 0\n"
            "body\n"
            "inputs rt0: i32, rt1: i32\n"
            "results rt0, rt1\n"
            "step\n"
            "inputs rt0: i32, rt1: i32\n"
            "%0: i32 = add rt1, 1\n"
            "%1: i1 = le 12, %0\n"
            "%2: i32 = select %1, 1, 0\n"
            "%3: i32 = add rt0, %2\n"
            "%4: i32 = select %1, 12, 0\n"
            "%5: i32 = sub %0, %4\n"
            "results %3, %5\n");
}

// Where the remainder starts again, the sum changes by 100 - 11 * 3.
TEST_F(InductionTest, ASumOfThemIsCarriedAsOne) {
  EXPECT_EQ(text(programs(loop_, {floor_div(d0_, 12) * 100 + mod(d0_, 12) * 3 + 7}, {{}})),
            "initial\n"
            "inputs none\n"
            "results 0, 7\n"
            "body\n"
            "inputs rt1: i32\n"
            "results rt1\n"
            "step\n"
            "inputs rt0: i32, rt1: i32\n"
            "%0: i32 = add rt0, 1\n"
            "%1: i1 = le 12, %0\n"
            "%2: i32 = select %1, 12, 0\n"
            "%3: i32 = sub %0, %2\n"
            "%4: i32 = select %1, 67, 3\n"
            "%5: i32 = add rt1, %4\n"
            "results %3, %5\n");
}

TEST_F(InductionTest, PowersOfTwoAreShifted) {
  EXPECT_EQ(text(programs(loop_, {floor_div(d0_, 8), mod(d0_, 8)}, {{}})),
            "initial\n"
            "inputs none\n"
            "results 0\n"
            "body\n"
            "inputs rt0: i32\n"
            "%0: i32 = lshr rt0, 3\n"
            "%1: i32 = and rt0, 7\n"
            "results %0, %1\n"
            "step\n"
            "inputs rt0: i32\n"
            "%0: i32 = add rt0, 1\n"
            "results %0\n");
}

TEST_F(InductionTest, NestedQuotientsAreDigits) {
  EXPECT_EQ(
      text(programs(loop_, {mod(d0_, 3), mod(floor_div(d0_, 3), 5), floor_div(d0_, 15)}, {{}})),
      "initial\n"
      "inputs none\n"
      "results 0, 0, 0, 0\n"
      "body\n"
      "inputs rt0: i32, rt1: i32, rt3: i32\n"
      "results rt1, rt3, rt0\n"
      "step\n"
      "inputs rt0: i32, rt1: i32, rt2: i32, rt3: i32\n"
      "%0: i32 = add rt2, 1\n"
      "%1: i1 = le 15, %0\n"
      "%2: i32 = select %1, 1, 0\n"
      "%3: i32 = add rt0, %2\n"
      "%4: i32 = add rt1, 1\n"
      "%5: i1 = le 3, %4\n"
      "%6: i32 = select %5, 3, 0\n"
      "%7: i32 = sub %4, %6\n"
      "%8: i32 = select %1, 15, 0\n"
      "%9: i32 = sub %0, %8\n"
      "%10: i32 = select %5, 1, 0\n"
      "%11: i32 = add rt3, %10\n"
      "%12: i1 = le 5, %11\n"
      "%13: i32 = select %12, 5, 0\n"
      "%14: i32 = sub %11, %13\n"
      "results %3, %7, %9, %14\n");
}

// A remainder by a divisor of the step stays what it is in the first iteration.
TEST_F(InductionTest, WhatDoesNotChangeIsComputedForTheFirstIteration) {
  const Loop loop = {.variable = loop_.variable, .start = 5, .step = 6, .count = 20};
  EXPECT_EQ(text(programs(loop, {mod(d0_, 3) + d1_, d0_ * mod(d0_, 3)}, {{}, {0, 9}})),
            "initial\n"
            "inputs none\n"
            "results 10\n"
            "body\n"
            "inputs d1: i32, rt0: i32\n"
            "%0: i32 = add d1, 2\n"
            "results %0, rt0\n"
            "step\n"
            "inputs rt0: i32\n"
            "%0: i32 = add rt0, 12\n"
            "results %0\n");
}

TEST_F(InductionTest, WhatCannotBeCarriedIsComputedFromWhatIs) {
  EXPECT_EQ(text(programs(loop_, {min(d0_ * 2 + 5, d1_)}, {{}, {0, 99}})),
            "initial\n"
            "inputs none\n"
            "results 5\n"
            "body\n"
            "inputs d1: i32, rt0: i32\n"
            "%0: i32 = min d1, rt0\n"
            "results %0\n"
            "step\n"
            "inputs rt0: i32\n"
            "%0: i32 = add rt0, 2\n"
            "results %0\n");
}

// The remainder of 5 changes by 3 or by -2: that of 3, as a counter, could start again twice. So it
// is computed from the one that is carried.
TEST_F(InductionTest, CountersThatCouldStartTwiceAreNotCounters) {
  const Loop loop = {.variable = loop_.variable, .start = 0, .step = 3, .count = 40};
  EXPECT_EQ(text(programs(loop, {mod(mod(d0_, 5), 3)}, {{}})),
            "initial\n"
            "inputs none\n"
            "results 0\n"
            "body\n"
            "inputs rt0: i32\n"
            "%0: i1 = le 3, rt0\n"
            "%1: i32 = select %0, 3, 0\n"
            "%2: i32 = sub rt0, %1\n"
            "results %2\n"
            "step\n"
            "inputs rt0: i32\n"
            "%0: i32 = add rt0, 3\n"
            "%1: i1 = le 5, %0\n"
            "%2: i32 = select %1, 5, 0\n"
            "%3: i32 = sub %0, %2\n"
            "results %3\n");
}

// Divisors that are zero in some or in all iterations: the gate is 0 there.
TEST_F(InductionTest, DivisorsMayBeZero) {
  const Loop loop = {.variable = loop_.variable, .start = -3, .step = 3, .count = 9};
  programs(loop, {floor_div(d1_, d0_), mod(d1_, mod(d0_, 4))}, {{}, {-9, 9}});
  EXPECT_EQ(to_string(programs(loop, {floor_div(d1_, mod(d0_, 3))}, {{}, {-9, 9}}).body),
            "inputs none\n"
            "results 0\n"
            "gate 0\n");
}

// What is added after the last value does not count: it is never computed.
TEST_F(InductionTest, ALoopUpToTheLastI32StaysInI32) {
  const Loop loop = {.variable = loop_.variable, .start = 2'147'483'600, .step = 1, .count = 48};
  const LoopPrograms below = programs(loop, {d0_ + d1_}, {{}, {0, 0}});
  EXPECT_EQ(cost(below.step).wide, 0);
  const LoopPrograms above = programs(loop, {d0_ + d1_}, {{}, {0, 1}});
  EXPECT_EQ(cost(above.step).wide, 1);
}

TEST_F(InductionTest, StepsOfAnySizeAndSign) {
  for (const std::int64_t step : {-100, -25, -12, -7, -1, 1, 5, 11, 12, 13, 24, 1000}) {
    for (const std::int64_t start : {-50, 0, 3, 40}) {
      const Loop loop = {.variable = loop_.variable, .start = start, .step = step, .count = 40};
      programs(loop,
               {floor_div(d0_ * 2 + d1_, 12) * 5 + mod(d0_, 7), mod(floor_div(d0_ + d1_, 4), 6),
                floor_div(floor_div(d0_, 3), 5) - d1_},
               {{}, {-2, 2}}, {{mod(d0_ + d1_, 5), {1, 3}}});
    }
  }
}

TEST_F(InductionTest, RefusesLoopsWithoutValues) {
  const IndexComputation computation = {.results = std::span(&d0_, 1)};
  const auto kind = [&](std::int64_t start, std::int64_t step, std::int64_t count) {
    const Loop loop = {.variable = loop_.variable, .start = start, .step = step, .count = count};
    const Result<LoopPrograms> programs = along(loop, computation, simplifier_);
    return programs ? std::nullopt : std::optional(programs.error().kind);
  };
  EXPECT_EQ(kind(0, 1, 0), ErrorKind::kUsage);
  EXPECT_EQ(kind(0, 0, 5), ErrorKind::kUsage);
  EXPECT_EQ(kind(1, INT64_MAX, 2), ErrorKind::kUsage);
  EXPECT_EQ(kind(0, INT64_MAX / 2, 4), ErrorKind::kUsage);
  EXPECT_EQ(kind(INT64_MAX - 9, 1, 10), ErrorKind::kUnsupported);  // it reaches INT64_MAX
  EXPECT_EQ(kind(INT64_MAX - 10, 1, 10), std::nullopt);
}

TEST_F(InductionTest, RandomComputationsAlongRandomLoops) {
  int carried = 0;
  for (std::uint64_t seed = 0; seed < 3000 && !HasFailure(); ++seed) {
    ExprContext context;
    Simplifier simplifier;
    test::RandomExprs random(context, 40 + seed);
    const std::vector<Interval> bounds = random.bounds(2);
    const Loop loop = {
        .variable = {VariableKind::kDimension, static_cast<std::uint32_t>(random.uniform(0, 1))},
        .start = random.uniform(-20, 20),
        .step = random.uniform(0, 1) == 0 ? random.uniform(1, 40) : random.uniform(-40, -1),
        .count = random.uniform(1, 30)};
    const Expr results[] = {random.expr(2, static_cast<int>(random.uniform(1, 5))),
                            random.expr(2, 3) * 7 + random.expr(2, 3)};
    const IndexCondition condition = {random.expr(2, 3), {random.uniform(-20, 5), 40}};
    const IndexComputation computation = {.results = results,
                                          .conditions = std::span(&condition, 1),
                                          .bounds = {.dimensions = bounds}};
    const Result<LoopPrograms> programs = along(loop, computation, simplifier);
    ASSERT_TRUE(programs.has_value());
    carried += programs->initial.results.size() > 1 ? 1 : 0;
    check_loop(loop, computation, *programs);
  }
  EXPECT_GT(carried, 500);
}

}  // namespace
}  // namespace mercator
