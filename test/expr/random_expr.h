// Random expressions for property tests.

#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "test/support/random_draw.h"

namespace mercator::test {

// Draws expressions over a few dimension variables with small bounds, so that every point of their
// domain can be visited.
class RandomExprs {
 public:
  RandomExprs(ExprContext& context, Draw draw) : context_(context), draw_(std::move(draw)) {}
  RandomExprs(ExprContext& context, std::uint64_t seed) : RandomExprs(context, seeded_draw(seed)) {}

  // From now on, every other factor and divisor is near an end of int64 or a fraction of one.
  void draw_large_numbers() { has_large_numbers_ = true; }

  std::int64_t uniform(std::int64_t lo, std::int64_t hi) { return draw_(lo, hi); }

  // Bounds of `count` variables: mostly [0, n - 1], sometimes with negative or single values.
  std::vector<Interval> bounds(int count) {
    std::vector<Interval> bounds;
    for (int i = 0; i < count; ++i) {
      const std::int64_t lo = uniform(0, 2) == 0 ? uniform(-9, 9) : 0;
      bounds.push_back({lo, lo + uniform(0, 9)});
    }
    return bounds;
  }

  // An expression of at most `depth` operators within one another over d0 … d(count - 1).
  Expr expr(int count, int depth) {
    if (depth == 0) {
      return uniform(0, 5) == 0
                 ? context_.constant(uniform(-20, 20))
                 : context_.dimension(static_cast<std::uint32_t>(uniform(0, count - 1)));
    }
    const auto operand = [&] { return expr(count, static_cast<int>(uniform(0, depth - 1))); };
    switch (uniform(0, 11)) {
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
        return floor_div(expr(count, depth - 1), divisor());
      case 7:
      case 8:
        return mod(expr(count, depth - 1), divisor());
      case 9:
        return uniform(0, 1) == 0 ? min(operand(), operand()) : max(operand(), operand());
      case 10: {  // a quotient and a remainder of one expression
        const Expr x = operand();
        const std::int64_t n = divisor();
        return floor_div(x, n) * factor() + mod(x, n) * factor();
      }
      default:
        return uniform(0, 3) == 0 ? operand() * operand() : ceil_div(operand(), divisor());
    }
  }

 private:
  std::int64_t large() {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    const std::int64_t near_end = kMax / uniform(1, 5) - uniform(0, 60);
    return uniform(0, 1) == 0 ? near_end : -near_end;
  }
  std::int64_t factor() {
    if (has_large_numbers_ && uniform(0, 1) == 0) return large();
    static constexpr std::int64_t kFactors[] = {-8, -3, -1, 1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 30};
    return kFactors[uniform(0, std::size(kFactors) - 1)];
  }
  std::int64_t divisor() {
    if (has_large_numbers_ && uniform(0, 1) == 0) return large();
    static constexpr std::int64_t kDivisors[] = {-4, -3, 1, 2, 2, 3, 4, 4, 5, 6, 8, 12, 16, 20, 30};
    return kDivisors[uniform(0, std::size(kDivisors) - 1)];
  }

  ExprContext& context_;
  Draw draw_;
  bool has_large_numbers_ = false;
};

// Calls `visit(point)` for each point of the box.
template <class Visit>
void for_each_point(const std::vector<Interval>& bounds, Visit visit) {
  std::vector<std::int64_t> point;
  for (const Interval& interval : bounds) {
    if (interval.is_empty()) return;
    point.push_back(interval.lo);
  }
  while (true) {
    visit(point);
    std::size_t i = 0;
    while (i < point.size() && point[i] == bounds[i].hi) {
      point[i] = bounds[i].lo;
      ++i;
    }
    if (i == point.size()) return;
    ++point[i];
  }
}

}  // namespace mercator::test
