#include "mercator/expr/shared_dividends.h"

#include <algorithm>

#include "mercator/expr/rebuild.h"
#include "mercator/expr/sum_view.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

// Whether x and y leave the same remainder by m for any values of their terms.
bool are_congruent(Expr x, Expr y, std::int64_t m) {
  const SumView a(x);
  const SumView b(y);
  const auto same = [m](std::int64_t c, std::int64_t d) {
    return c == d || floor_mod(c, m) == floor_mod(d, m);
  };
  if (!same(a.constant, b.constant)) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a.coefficients[i], b.coefficient_of(a.operands[i]))) return false;
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!same(b.coefficients[i], a.coefficient_of(b.operands[i]))) return false;
  }
  return true;
}

}  // namespace

SharedDividends::SharedDividends(std::span<const Expr> exprs) {
  for (const Expr expr : exprs) look(expr, kLevels);
  if (dividends_.empty()) return;
  for (const Expr remainder : remainders_) add_replacement(remainder);
}

void SharedDividends::look(Expr expr, int levels) {
  if (expr.is_affine()) return;
  const bool divides = expr.is(ExprKind::kFloorDiv) || expr.is(ExprKind::kMod);
  if (divides && expr.dividend().is_affine() && expr.dividend().is(ExprKind::kSum)) {
    if (expr.is(ExprKind::kFloorDiv)) {
      dividends_.push_back(expr.dividend());
    } else if (is_constant_remainder(expr) &&
               std::ranges::find(remainders_, expr) == remainders_.end()) {
      remainders_.push_back(expr);
    }
    return;
  }
  if (levels == 0) return;
  for (const Expr operand : expr.operands()) look(operand, levels - 1);
}

// Of several dividends, the first by structure.
void SharedDividends::add_replacement(Expr remainder) {
  const std::int64_t m = remainder.divisor().value();
  Expr first;
  for (const Expr dividend : dividends_) {
    if (dividend == first || (first && compare(first, dividend) < 0)) continue;
    if (are_congruent(dividend, remainder.dividend(), m)) first = dividend;
  }
  if (!first || first == remainder.dividend()) return;
  replacements_.push_back({remainder, remainder.context().mod(first, remainder.divisor())});
}

Expr SharedDividends::rebuilt(Expr expr, int levels) const {
  if (expr.is_affine()) return expr;
  const auto known = std::ranges::find(replacements_, expr, &Replacement::before);
  if (known != replacements_.end()) return known->after;
  if (levels == 0) return expr;
  InlineVector<Expr, 8> operands;
  for (const Expr operand : expr.operands()) operands.push_back(rebuilt(operand, levels - 1));
  return std::ranges::equal(operands, expr.operands()) ? expr : with_operands(expr, operands);
}

}  // namespace mercator::internal
