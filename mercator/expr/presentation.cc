#include "mercator/expr/presentation.h"

#include <algorithm>

#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

bool is_constant_quotient(Expr expr) {
  return expr.is(ExprKind::kFloorDiv) && expr.divisor().is(ExprKind::kConstant) &&
         expr.divisor().value() > 0;
}

}  // namespace

Expr Presentation::present(Expr expr) {
  if (normal_form_.is_exhausted()) return expr;
  if (const Expr* known = presented_.find(expr)) return *known;
  const Expr result = compute(expr);
  presented_.set(expr, result);
  return result;
}

Expr Presentation::compute(Expr expr) {
  if (expr.is(ExprKind::kConstant) || expr.is(ExprKind::kVariable)) return expr;
  if (expr.is(ExprKind::kSum)) return present_sum(expr);
  std::vector<Expr> operands;
  for (const Expr operand : expr.operands()) operands.push_back(present(operand));
  switch (expr.kind()) {
    case ExprKind::kProduct:
      return context_.product(operands);
    case ExprKind::kFloorDiv:
      return context_.floor_div(operands[0], operands[1]);
    case ExprKind::kMod:
      return context_.mod(operands[0], operands[1]);
    case ExprKind::kMin:
      return context_.min(operands);
    case ExprKind::kMax:
      return context_.max(operands);
    default:
      __builtin_unreachable();
  }
}

Expr Presentation::present_sum(Expr sum) {
  // A copy: presenting what it refers to may move it.
  const Remainders found = normal_form_.remainders(sum);
  std::vector<Term> terms;
  for (const Remainder& remainder : found.remainders) {
    terms.push_back(
        {present_remainder(remainder.dividend, remainder.divisor), remainder.coefficient});
  }

  Expr rest = found.rest;
  std::vector<Term> quotients;  // taken out of `rest`
  const std::vector<Term> candidates = [&] {
    std::vector<Term> all;
    const SumView view(rest);
    for (std::size_t i = 0; i < view.operands.size(); ++i) {
      if (is_constant_quotient(view.operands[i])) {
        all.push_back({view.operands[i], view.coefficients[i]});
      }
    }
    return all;
  }();
  for (const Term& candidate : candidates) {
    Term quotient = candidate;
    if (const std::optional<Expr> smaller = absorb(rest, quotient)) {
      rest = *smaller;
      quotients.push_back(quotient);
    }
  }
  for (const Term& quotient : quotients) {
    terms.push_back({context_.floor_div(present(quotient.expr.dividend()), quotient.expr.divisor()),
                     quotient.coefficient});
  }
  const SumView view(rest);
  for (std::size_t i = 0; i < view.operands.size(); ++i) {
    terms.push_back({present(view.operands[i]), view.coefficients[i]});
  }
  return context_.sum(terms, view.constant);
}

// c * (N floordiv n) + e * t = c * ((N + (e/c) * n * t) floordiv n) when c divides e: the term t is
// then paid for once, inside. Likewise a constant, unless that would make the numerator's a large
// one.
std::optional<Expr> Presentation::absorb(Expr outside, Term& quotient) {
  const std::int64_t n = quotient.expr.divisor().value();
  const std::int64_t c = quotient.coefficient;
  const Expr numerator = quotient.expr.dividend();
  const SumView inner(numerator);
  const SumView outer(outside);
  normal_form_.spend(static_cast<std::int64_t>(outer.operands.size()));
  if (c == Interval::kMinusInfinity) return std::nullopt;

  std::vector<Term> moved_in = {{numerator, 1}};
  std::vector<Term> left = {{outside, 1}, {quotient.expr, -c}};
  const auto multiple = [&](std::int64_t e) -> std::optional<std::int64_t> {
    std::int64_t product = 0;
    if (e == 0 || e == Interval::kMinusInfinity || e % c != 0) return std::nullopt;
    if (!checked_mul(e / c, n, &product)) return std::nullopt;
    return product;
  };
  for (std::size_t i = 0; i < outer.operands.size(); ++i) {
    const Expr term = outer.operands[i];
    if (std::ranges::find(inner.operands, term) == inner.operands.end()) continue;
    if (const auto product = multiple(outer.coefficients[i])) {
      moved_in.push_back({term, *product});
      left.push_back({term, -outer.coefficients[i]});
    }
  }
  std::int64_t constant_in = 0;
  std::int64_t constant_left = 0;
  const auto product = multiple(outer.constant);
  std::int64_t constant = 0;
  if (product && inner.constant != 0 && checked_add(inner.constant, *product, &constant) &&
      constant > -n && constant < n) {
    constant_in = *product;
    constant_left = -outer.constant;
  }
  if (moved_in.size() == 1 && constant_in == 0) return std::nullopt;
  const Expr new_numerator = context_.sum(moved_in, constant_in);
  const Expr new_quotient = context_.floor_div(new_numerator, quotient.expr.divisor());
  if (!new_quotient.is(ExprKind::kFloorDiv)) return std::nullopt;
  quotient.expr = new_quotient;
  return context_.sum(left, constant_left);
}

Expr Presentation::present_remainder(Expr x, std::int64_t m) {
  const SumView view(x);
  std::vector<Term> terms;
  const bool is_plain = normal_form_.remainders(x).remainders.empty();
  for (std::size_t i = 0; i < view.operands.size(); ++i) {
    std::int64_t c = view.coefficients[i];
    // -1 saves the multiplication; within a remainder of x, coefficients belong together.
    if (is_plain && m > 2 && floor_mod(c, m) == m - 1) c = -1;
    terms.push_back({view.operands[i], c});
  }
  // The constant nearest to zero that keeps the dividend non-negative, if one of the two does.
  std::int64_t constant = floor_mod(view.constant, m);
  if (constant != 0) {
    const Interval range = normal_form_.range(context_.sum(terms, constant));
    if (!range.is_empty() && range.lo >= m) constant -= m;
  }
  const Expr dividend = context_.sum(terms, constant);
  return context_.mod(present(dividend), context_.constant(m));
}

}  // namespace mercator::internal
