// Where the variables of a TileProblem occur. For the files of this folder only.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"

namespace mercator::internal {

// factor * variable + rest, where the rest has no range variables.
struct LinearArgument {
  Expr expr;
  std::int64_t factor = 1;
  Expr rest;
};

// A quotient or remainder, by a number, of a linear argument.
struct DigitUse {
  Expr node;
  LinearArgument argument;
  bool is_quotient = false;
  std::int64_t divisor = 1;
};

// A term of a sum with other variables.
struct SumUse {
  Expr sum;
  std::int64_t coefficient = 1;
};

// A root that is a linear argument itself.
struct RootUse {
  std::uint32_t root = 0;
  LinearArgument argument;
};

struct VariableUses {
  std::vector<DigitUse> digits;
  std::vector<SumUse> sums;
  std::vector<RootUse> roots;
  bool is_opaque = false;  // it occurs in another way as well

  [[nodiscard]] std::size_t count() const {
    return digits.size() + sums.size() + roots.size() + (is_opaque ? 1 : 0);
  }
  // Whether it is needed itself, besides its quotients and remainders.
  [[nodiscard]] bool is_plain() const { return !sums.empty() || !roots.empty(); }
  [[nodiscard]] bool is_in_sums_only() const { return count() == sums.size(); }
  [[nodiscard]] bool is_in_one_sum() const { return sums.size() == 1 && is_in_sums_only(); }
};

// The factors of what can be solved for a variable.
[[nodiscard]] constexpr bool is_unit(std::int64_t factor) { return factor == 1 || factor == -1; }

// The coefficient of `term` in a sum, or in what is no sum.
[[nodiscard]] std::int64_t coefficient_of(Expr term, Expr sum);

// Ascending, each once.
[[nodiscard]] std::vector<std::int64_t> sorted_divisors(std::vector<std::int64_t> divisors);
// Whether each divides the next.
[[nodiscard]] bool is_chain(std::span<const std::int64_t> ascending);

// |factor|, at most INT64_MAX.
[[nodiscard]] constexpr std::int64_t magnitude(std::int64_t factor) {
  if (factor == std::numeric_limits<std::int64_t>::min()) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return factor < 0 ? -factor : factor;
}

// By the index of the range variable, for `count` of them.
[[nodiscard]] std::vector<VariableUses> uses_of(std::span<const Expr> roots, std::size_t count);

[[nodiscard]] bool is_range(Expr expr);
// Whether range variables occur.
[[nodiscard]] bool has_ranges(Expr expr);
// Those that do, by index, ascending.
[[nodiscard]] std::vector<std::uint32_t> ranges_in(Expr expr);

// Whether `node` is a subexpression of `expr`, or that itself.
[[nodiscard]] bool is_within(Expr node, Expr expr);

// `roots` with each node for which `replace` gives an expression replaced by that; it is asked with
// the node as it was and its operands as they have become.
void rewrite(std::span<Expr> roots,
             const std::function<Expr(Expr, std::span<const Expr>)>& replace);

}  // namespace mercator::internal
