// Quotients and remainders by a divisor that is not a constant. Where it is zero there is no value,
// so the rules need not care.

#include <algorithm>

#include "mercator/expr/normal_form.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

// The factors of a term or a divisor.
std::span<const Expr> factors_of(const Expr& expr) {
  return expr.is(ExprKind::kProduct) ? expr.operands() : std::span(&expr, 1);
}

// `expr` divided by a term all of whose factors it has; null if it does not have them.
Expr divided_by(Expr expr, Expr term) {
  const std::span<const Expr> factors = factors_of(expr);
  InlineVector<Expr, 4> left(factors);
  for (const Expr factor : factors_of(term)) {
    Expr* const found = std::ranges::find(left, factor);
    if (found == left.end()) return {};
    left.erase_at(static_cast<std::size_t>(found - left.begin()));
  }
  return expr.context().product(left);
}

// `divisor` as coefficient * term; a coefficient of 0 if it is no such thing.
Term single_term(Expr divisor) {
  const SumView view(divisor);
  if (view.size() != 1 || view.constant != 0) return {divisor, 0};
  return {view.operands[0], view.coefficients[0]};
}

// A common factor of all terms of the numerator and of the divisor; null if there is none.
Expr common_factor(const SumView& numerator, Expr divisor_term) {
  if (numerator.constant != 0 || numerator.size() == 0) return {};
  for (const Expr factor : factors_of(divisor_term)) {
    const bool is_common = std::ranges::all_of(numerator.operands, [&](const Expr& term) {
      return std::ranges::find(factors_of(term), factor) != factors_of(term).end();
    });
    if (is_common) return factor;
  }
  return {};
}

}  // namespace

Expr NormalForm::normalize_variable_division(bool is_quotient, Expr dividend, Expr divisor) {
  const auto division = [&](Expr numerator, Expr by) {
    return is_quotient ? context().floor_div(numerator, by)
                       : numerator - by * context().floor_div(numerator, by);
  };
  // x*d floordiv y*d is x floordiv y; x*d mod y*d is d * (x mod y).
  const Term unit = single_term(divisor);
  if (unit.coefficient != 0) {
    const SumView view(dividend);
    if (const Expr factor = common_factor(view, unit.expr)) {
      InlineVector<Term, 8> terms;
      for (std::size_t i = 0; i < view.size(); ++i) {
        terms.push_back({divided_by(view.operands[i], factor), view.coefficients[i]});
      }
      const Expr numerator = context().sum(terms);
      const Expr by = divided_by(unit.expr, factor) * unit.coefficient;
      const Expr quotient = normalize(context().floor_div(numerator, by));
      const Expr result = is_quotient ? quotient : factor * (numerator - by * quotient);
      log_.count(Rule::kVariableCommonFactor);
      log_.report(Rule::kVariableCommonFactor, division(dividend, divisor), result, {});
      return is_quotient ? result : normalize(result);
    }
  }

  // What is a multiple of the divisor leaves the quotient and vanishes from the remainder.
  const SumView view(dividend);
  InlineVector<Term, 8> multiples;
  InlineVector<Term, 8> rest;
  for (std::size_t i = 0; i < view.size(); ++i) {
    const std::int64_t c = view.coefficients[i];
    const Expr other =
        unit.coefficient == 0 || c == Interval::kMinusInfinity || c % unit.coefficient != 0
            ? Expr()
            : divided_by(view.operands[i], unit.expr);
    if (other) {
      multiples.push_back({other, c / unit.coefficient});
    } else if (view.operands[i] == divisor) {
      multiples.push_back({context().constant(1), c});
    } else {
      rest.push_back({view.operands[i], c});
    }
  }
  const Expr numerator = context().sum(rest, view.constant);
  const Expr whole = context().sum(multiples);
  if (!multiples.empty()) {
    log_.count(Rule::kVariableMultiples);
    if (log_.has_listener()) {
      log_.report(Rule::kVariableMultiples, context().floor_div(dividend, divisor),
                  whole + context().floor_div(numerator, divisor), {});
    }
  }
  const Interval bucket = floor_div(range(numerator), range(divisor));
  Expr quotient = context().floor_div(numerator, divisor);
  if (bucket.is_point()) {
    log_.count(Rule::kVariableOneBucket);
    const KnownRange known[] = {{numerator, range(numerator)}, {divisor, range(divisor)}};
    log_.report(Rule::kVariableOneBucket, quotient, context().constant(bucket.lo), known);
    quotient = context().constant(bucket.lo);
  }
  return is_quotient ? whole + quotient : numerator - divisor * quotient;
}

}  // namespace mercator::internal
