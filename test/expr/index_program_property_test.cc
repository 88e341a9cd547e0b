// Index programs against brute force: at every point of the box, a program computes what its
// expressions mean, and every one of its values stays in its range and its type.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/index_interpreter.h"
#include "mercator/expr/index_program.h"
#include "mercator/expr/index_types.h"
#include "mercator/expr/simplifier.h"
#include "mercator/expr/strength_reduction.h"
#include "mercator/expr/text.h"
#include "test/expr/random_expr.h"

namespace mercator {
namespace {

// Draws computations whose values and partial sums lie on both sides of 32 bits, and now and then
// beyond 64.
class RandomComputations {
 public:
  RandomComputations(ExprContext& context, std::uint64_t seed) : random_(context, seed) {}

  struct Computation {
    std::vector<Interval> bounds;
    std::vector<Expr> results;
    std::vector<IndexCondition> conditions;
  };
  Computation draw() {
    variables_ = static_cast<int>(random_.uniform(1, 3));
    Computation computation = {.bounds = bounds(), .results = {}, .conditions = {}};
    const std::int64_t results = random_.uniform(1, 2);
    for (std::int64_t i = 0; i < results; ++i) computation.results.push_back(expr(3));
    const std::int64_t conditions = random_.uniform(0, 2);
    for (std::int64_t i = 0; i < conditions; ++i) {
      const std::int64_t lo = random_.uniform(-20, 20) * scale();
      computation.conditions.push_back(
          {expr(2),
           {random_.uniform(0, 4) == 0 ? Interval::kMinusInfinity : lo,
            random_.uniform(0, 4) == 0 ? Interval::kPlusInfinity
                                       : lo + random_.uniform(-1, 30) * scale()}});
    }
    return computation;
  }

 private:
  std::vector<Interval> bounds() {
    std::vector<Interval> bounds = random_.bounds(variables_);
    for (Interval& interval : bounds) {
      if (random_.uniform(0, 3) != 0) continue;
      const std::int64_t offset = random_.uniform(-3, 3) * scale();
      interval = {interval.lo + offset, interval.hi + offset};
    }
    return bounds;
  }

  // Numbers of all magnitudes, often beside a power of two.
  std::int64_t scale() {
    switch (random_.uniform(0, 5)) {
      case 0:
        return (std::int64_t{1} << random_.uniform(1, 40)) + random_.uniform(-1, 1);
      case 1:
        return random_.uniform(1, 1'000'000);
      default:
        return random_.uniform(1, 9);
    }
  }
  std::int64_t positive_scale() { return scale() + 1; }

  Expr expr(int depth) {
    if (depth == 0) return random_.expr(variables_, 1);
    switch (random_.uniform(0, 9)) {
      case 0:
      case 1:
        return expr(depth - 1) * (random_.uniform(0, 1) == 0 ? scale() : -scale()) +
               expr(depth - 1);
      case 2:
        return expr(depth - 1) + random_.uniform(-2, 2) * scale();
      case 3:
        return floor_div(expr(depth - 1), positive_scale());
      case 4:
        return mod(expr(depth - 1), positive_scale());
      case 5:
        return floor_div(expr(depth - 1), variable_divisor());
      case 6:
        return mod(expr(depth - 1), variable_divisor());
      case 7: {
        const Expr x = expr(depth - 1);
        const std::int64_t n = positive_scale();
        return mod(x, n) * 3 + floor_div(x, n);
      }
      case 8:
        return min(expr(depth - 1), expr(depth - 1)) - max(expr(depth - 1), expr(0));
      default:
        return random_.expr(variables_, static_cast<int>(random_.uniform(1, 4)));
    }
  }

  // Not the constant 0.
  Expr variable_divisor() {
    const Expr divisor = expr(0);
    return divisor.is_constant(0) ? divisor + 7 : divisor;
  }

  test::RandomExprs random_;
  int variables_ = 1;
};

std::string describe(const RandomComputations::Computation& computation,
                     const IndexProgram& program, const std::vector<std::int64_t>& point) {
  std::string text;
  for (const Expr result : computation.results) text += to_string(result) + "\n";
  for (const IndexCondition& condition : computation.conditions) {
    text += fmt::format("  {} in {}\n", to_string(condition.expr), to_string(condition.range));
  }
  for (std::size_t i = 0; i < computation.bounds.size(); ++i) {
    text += fmt::format("  d{} in {}, is {}\n", i, to_string(computation.bounds[i]), point[i]);
  }
  return text + to_string(program);
}

// Whether the point is wanted, by the expressions; none where that is beyond what `evaluate` can
// compute.
bool is_wanted(const RandomComputations::Computation& computation, Evaluator& evaluator,
               const std::vector<std::int64_t>& point, std::vector<std::int64_t>& values) {
  if (!evaluator({.dimensions = point}, values)) return false;  // a zero divisor
  for (std::size_t i = 0; i < computation.conditions.size(); ++i) {
    const std::int64_t value = values[computation.results.size() + i];
    if (!computation.conditions[i].range.contains(value)) return false;
  }
  return true;
}

void check(const RandomComputations::Computation& computation, const IndexProgram& program) {
  std::vector<Expr> exprs = computation.results;
  for (const IndexCondition& condition : computation.conditions) exprs.push_back(condition.expr);
  Evaluator evaluator(exprs);
  std::vector<std::int64_t> expected(exprs.size());
  test::for_each_point(computation.bounds, [&](const std::vector<std::int64_t>& point) {
    if (testing::Test::HasFailure()) return;
    const bool wanted = is_wanted(computation, evaluator, point, expected);
    const Interpretation actual = interpret(program, {.dimensions = point});
    ASSERT_FALSE(actual.broken_promise.has_value())
        << "instruction " << *actual.broken_promise << " of\n"
        << describe(computation, program, point);
    ASSERT_EQ(actual.gate, wanted) << describe(computation, program, point);
    if (!wanted) return;
    for (std::size_t i = 0; i < computation.results.size(); ++i) {
      ASSERT_EQ(actual.results[i], expected[i]) << describe(computation, program, point);
    }
  });
}

bool has_division_to_reduce(const IndexProgram& program) {
  for (const IndexInstruction& instruction : program.instructions) {
    if (instruction.op == IndexOp::kFloorDiv || instruction.op == IndexOp::kMod) return true;
  }
  return false;
}

bool has_i64(const IndexProgram& program) {
  for (const IndexInstruction& instruction : program.instructions) {
    if (instruction.type == IndexType::kI64) return true;
  }
  return false;
}

TEST(IndexProgramProperty, ProgramsComputeWhatExpressionsMean) {
  constexpr int kComputations = 20000;
  int supported = 0;
  int wide = 0;
  for (int batch = 0; batch < 20 && !testing::Test::HasFailure(); ++batch) {
    ExprContext context;
    Simplifier simplifier;
    RandomComputations random(context, 700 + static_cast<std::uint64_t>(batch));
    for (int i = 0; i < kComputations / 20 && !testing::Test::HasFailure(); ++i) {
      const RandomComputations::Computation computation = random.draw();
      const Result<IndexProgram> program = lower({.results = computation.results,
                                                  .conditions = computation.conditions,
                                                  .bounds = {.dimensions = computation.bounds}},
                                                 simplifier);
      if (!program) {
        ASSERT_EQ(program.error().kind, ErrorKind::kUnsupported);
        continue;
      }
      ++supported;
      check(computation, *program);
      const IndexProgram reduced = reduce_strength(*program);
      EXPECT_FALSE(has_division_to_reduce(reduced));
      wide += has_i64(reduced) ? 1 : 0;
      check(computation, reduced);
    }
  }
  // Both types and both outcomes occur.
  EXPECT_GT(supported, kComputations / 2);
  EXPECT_LT(supported, kComputations);
  EXPECT_GT(wide, kComputations / 20);
  EXPECT_LT(wide, supported / 2);
}

// The text does not depend on what the context and the simplifier saw before.
TEST(IndexProgramProperty, ProgramsDoNotDependOnHistory) {
  ExprContext shared_context;
  Simplifier shared;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    ExprContext fresh_context;
    Simplifier fresh;
    const auto text = [&](ExprContext& context, Simplifier& simplifier) {
      const RandomComputations::Computation computation = RandomComputations(context, seed).draw();
      const Result<IndexProgram> program = lower({.results = computation.results,
                                                  .conditions = computation.conditions,
                                                  .bounds = {.dimensions = computation.bounds}},
                                                 simplifier);
      return program ? to_string(reduce_strength(*program)) : program.error().message;
    };
    ASSERT_EQ(text(shared_context, shared), text(fresh_context, fresh)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace mercator
