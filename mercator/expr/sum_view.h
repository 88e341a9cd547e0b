// Looking at any expression as a sum. For the files of this folder only.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mercator/expr/expr.h"

namespace mercator::internal {

// `constant + sum of coefficients[i] * operands[i]`.
struct SumView {
  // Sums of at most so many terms are searched from end to end.
  static constexpr std::size_t kShort = 16;

  explicit SumView(Expr expr) : one(expr) {
    if (expr.is(ExprKind::kSum)) {
      constant = expr.constant();
      operands = expr.operands();
      coefficients = expr.coefficients();
    } else if (expr.is(ExprKind::kConstant)) {
      constant = expr.value();
    } else {
      operands = std::span(&one, 1);
      coefficients = std::span(&one_coefficient, 1);
    }
  }
  // Of terms in any order, at most `kShort` of them, none a sum.
  SumView(std::int64_t constant, std::span<const Expr> operands,
          std::span<const std::int64_t> coefficients)
      : constant(constant), operands(operands), coefficients(coefficients) {}
  SumView(const SumView&) = delete;
  SumView& operator=(const SumView&) = delete;

  [[nodiscard]] std::size_t size() const { return operands.size(); }
  // The coefficient of `term`; 0 if it is not one of the terms.
  [[nodiscard]] std::int64_t coefficient_of(Expr term) const {
    if (operands.size() > kShort) {
      const auto place = std::lower_bound(operands.begin(), operands.end(), term, sorts_before);
      return place != operands.end() && *place == term ? coefficients[place - operands.begin()] : 0;
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == term) return coefficients[i];
    }
    return 0;
  }

  Expr one;  // what `operands` refers to unless the expression is a sum
  std::int64_t one_coefficient = 1;
  std::int64_t constant = 0;
  std::span<const Expr> operands;
  std::span<const std::int64_t> coefficients;
};

// Takes out the terms whose coefficient is 0 and returns how many are left, in the same order.
inline std::size_t drop_zero_terms(Expr* operands, std::int64_t* coefficients, std::size_t size) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (coefficients[i] == 0) continue;
    operands[kept] = operands[i];
    coefficients[kept++] = coefficients[i];
  }
  return kept;
}

// Whether `expr` is a sum with a sum or a constant among its terms, since it would not fit
// otherwise. Of such sums nothing is moved: what does not cancel would grow with each move.
[[nodiscard]] inline bool holds_sum(Expr expr) {
  return expr.is(ExprKind::kSum) && expr.operands().back().kind() >= ExprKind::kSum;
}

// Whether `expr` is a quotient by a positive constant.
[[nodiscard]] inline bool is_constant_quotient(Expr expr) {
  return expr.is(ExprKind::kFloorDiv) && expr.divisor().is(ExprKind::kConstant) &&
         expr.divisor().value() > 0;
}

// Whether `expr` is a remainder by a positive constant.
[[nodiscard]] inline bool is_constant_remainder(Expr expr) {
  return expr.is(ExprKind::kMod) && expr.divisor().is(ExprKind::kConstant) &&
         expr.divisor().value() > 0;
}

}  // namespace mercator::internal
