// Random maps for property tests: few variables with small bounds, so that every point can be
// visited, and all operations, among them divisors that may be zero.

#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"
#include "test/support/random_draw.h"

namespace mercator::map_test {

class RandomMaps {
 public:
  RandomMaps(ExprContext& context, test::Draw draw) : context_(context), draw_(std::move(draw)) {}
  RandomMaps(ExprContext& context, std::uint64_t seed)
      : RandomMaps(context, test::seeded_draw(seed)) {}

  std::int64_t uniform(std::int64_t lo, std::int64_t hi) { return draw_(lo, hi); }
  bool one_in(std::int64_t n) { return uniform(1, n) == 1; }

  // A map with up to 3 dimensions, 2 ranges, 2 runtime variables and 3 constraints. Each runtime
  // variable is named r followed by its number.
  IndexMap map() { return map(static_cast<int>(uniform(0, 3)), static_cast<int>(uniform(0, 3))); }

  IndexMap map(int dimension_count, int result_count) {
    variables_.clear();
    std::vector<Variable> dimensions(static_cast<std::size_t>(dimension_count));
    std::vector<Variable> ranges(static_cast<std::size_t>(uniform(0, 2)));
    std::vector<RuntimeVariable> runtimes(static_cast<std::size_t>(uniform(0, 2)));
    // At most a few hundred points.
    static constexpr std::int64_t kMaxSize[] = {9, 9, 9, 6, 4, 3, 2, 2};
    const std::int64_t size = kMaxSize[dimensions.size() + ranges.size() + runtimes.size()];
    for (Variable& dimension : dimensions) dimension.bounds = bounds(size);
    for (Variable& range : ranges) range.bounds = bounds(size);
    for (std::size_t i = 0; i < runtimes.size(); ++i) {
      runtimes[i].bounds = bounds(size);
      runtimes[i].name = "r" + std::to_string(i);
    }
    add_variables(VariableKind::kDimension, dimensions.size());
    add_variables(VariableKind::kRange, ranges.size());
    add_variables(VariableKind::kRuntime, runtimes.size());

    std::vector<Expr> results;
    for (int i = 0; i < result_count; ++i) results.push_back(expr(static_cast<int>(uniform(0, 3))));
    std::vector<Constraint> constraints;
    const std::int64_t constraint_count = one_in(3) ? 0 : uniform(1, 3);
    for (std::int64_t i = 0; i < constraint_count; ++i) constraints.push_back(constraint());
    for (RuntimeVariable& runtime : runtimes) {
      if (one_in(2)) continue;
      runtime.tensor = static_cast<std::uint32_t>(uniform(0, 5));
      runtime.index.push_back(expr(static_cast<int>(uniform(0, 2))));
    }
    return IndexMap(context_, std::move(dimensions), std::move(ranges), std::move(runtimes),
                    std::move(results), std::move(constraints));
  }

 private:
  Interval bounds(std::int64_t max_size) {
    const std::int64_t lo = one_in(3) ? uniform(-9, 9) : 0;
    return {lo, lo + uniform(one_in(20) ? 0 : 1, max_size) - 1};
  }

  void add_variables(VariableKind kind, std::size_t count) {
    for (std::uint32_t i = 0; i < count; ++i) variables_.push_back(context_.variable({kind, i}));
  }

  Constraint constraint() {
    if (one_in(3)) {  // a grid
      const std::int64_t n = uniform(2, 6);
      return {mod(expr(static_cast<int>(uniform(0, 2))), n), Interval::point(uniform(0, n))};
    }
    const std::int64_t lo = uniform(-12, 12);
    const std::int64_t ends = uniform(0, 9);
    return {expr(static_cast<int>(uniform(0, 3))),
            {ends == 0 ? Interval::kMinusInfinity : lo,
             ends == 1 ? Interval::kPlusInfinity : lo + uniform(-1, 30)}};
  }

  Expr expr(int depth) {
    if (depth == 0) {
      if (variables_.empty() || one_in(7)) return context_.constant(uniform(-12, 12));
      return variables_[static_cast<std::size_t>(uniform(0, std::ssize(variables_) - 1))];
    }
    const auto operand = [&] { return expr(static_cast<int>(uniform(0, depth - 1))); };
    switch (uniform(0, 13)) {
      case 0:
      case 1:
        return operand() + operand();
      case 2:
        return operand() - operand();
      case 3:
      case 4:
        return operand() * factor() + operand();
      case 5:
      case 6:
        return floor_div(expr(depth - 1), divisor());
      case 7:
      case 8:
        return mod(expr(depth - 1), divisor());
      case 9:
        return min(operand(), operand());
      case 10:
        return max(operand(), operand());
      case 11:
        return operand() * operand();
      default: {
        const Expr by = operand();
        if (by.is(ExprKind::kConstant) || !one_in(3)) return operand() * factor() + uniform(-9, 9);
        return one_in(2) ? floor_div(operand(), by) : mod(operand(), by);
      }
    }
  }

  std::int64_t factor() {
    static constexpr std::int64_t kFactors[] = {-8, -3, -1, 1, 2, 3, 4, 6, 12};
    return kFactors[uniform(0, std::ssize(kFactors) - 1)];
  }
  std::int64_t divisor() {
    static constexpr std::int64_t kDivisors[] = {-4, -3, 2, 2, 3, 4, 4, 6, 8, 12};
    return kDivisors[uniform(0, std::ssize(kDivisors) - 1)];
  }

  ExprContext& context_;
  test::Draw draw_;
  std::vector<Expr> variables_;
};

}  // namespace mercator::map_test
