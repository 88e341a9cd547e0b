#include "mercator/expr/presentation.h"

#include <algorithm>
#include <bit>

#include "mercator/support/arithmetic.h"

namespace mercator::internal {

Expr Presentation::present(Expr expr) {
  return expr.is(ExprKind::kSum) && !expr.is_affine() ? present_sum(expr, /*is_part=*/false)
                                                      : present_part(expr);
}

Expr Presentation::present_part(Expr expr) {
  if (expr.is_affine() || normal_form_.is_exhausted()) return expr;
  if (const Expr known = normal_form_.record(expr).presented) return known;
  const Expr result = compute(expr);
  normal_form_.record(expr).presented = result;
  return result;
}

Expr Presentation::compute(Expr expr) {
  if (expr.is(ExprKind::kSum)) return present_sum(expr, /*is_part=*/true);
  if (is_constant_quotient(expr)) return present_quotient(expr.dividend(), expr.divisor().value());
  InlineVector<Expr, 8> operands;
  for (const Expr operand : expr.operands()) operands.push_back(present_part(operand));
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
      return expr;
  }
}

Expr Presentation::present_quotient(Expr numerator, std::int64_t n) {
  return context_.floor_div(present_part(numerator), context_.constant(n));
}

Expr Presentation::present_sum(Expr sum, bool is_part) {
  const Remainders found = normal_form_.remainders(sum);
  InlineVector<Term, 12> terms;
  for (const Remainder& remainder : found.remainders) {
    terms.push_back({present_remainder(remainder), remainder.coefficient});
  }

  Expr rest = found.rest;
  InlineVector<Term, 8> candidates;
  InlineVector<Term, 8> quotients;  // taken out of `rest`
  {
    const SumView view(rest);
    for (std::size_t i = 0; i < view.size(); ++i) {
      if (is_constant_quotient(view.operands[i])) {
        candidates.push_back({view.operands[i], view.coefficients[i]});
      }
    }
  }
  for (const Term& candidate : candidates) {
    Term quotient = candidate;
    const Expr smaller = absorb(rest, quotient, is_part);
    if (!smaller) continue;
    rest = smaller;
    quotients.push_back(quotient);
  }
  for (const Term& quotient : quotients) {
    terms.push_back({present_quotient(quotient.expr.dividend(), quotient.expr.divisor().value()),
                     quotient.coefficient});
  }
  const SumView view(rest);
  for (std::size_t i = 0; i < view.size(); ++i) {
    terms.push_back({present_part(view.operands[i]), view.coefficients[i]});
  }
  const Expr result = context_.sum(terms, view.constant);
  if (!found.remainders.empty()) {
    normal_form_.log().count(Rule::kRemainderFound);
    normal_form_.log().report(Rule::kRemainderFound, sum, result, {});
  }
  if (!quotients.empty()) {
    normal_form_.log().count(Rule::kTermAbsorbed);
    if (found.remainders.empty()) {
      normal_form_.log().report(Rule::kTermAbsorbed, sum, result, {});
    }
  }
  return result;
}

namespace {

// The weight of a multiplication by c.
int multiplication(std::int64_t c) { return c == 0 || c == 1 || c == -1 ? 0 : 2; }

}  // namespace

// c * (N floordiv n) + e * t = c * ((N + (e/c) * n * t) floordiv n) when c divides e: a term t that
// is in N as well is then paid for once, inside. Likewise a constant, unless that would make a
// large one of it for nothing.
Expr Presentation::absorb(Expr outside, Term& quotient, bool is_part) {
  const std::int64_t n = quotient.expr.divisor().value();
  const std::int64_t c = quotient.coefficient;
  const Expr numerator = quotient.expr.dividend();
  const SumView inner(numerator);
  const SumView outer(outside);
  normal_form_.spend(static_cast<std::int64_t>(outer.size()));
  if (c == Interval::kMinusInfinity) return {};

  InlineVector<Term, 12> moved_in;
  InlineVector<Term, 12> left;
  const auto multiple = [&](std::int64_t e) -> std::int64_t {  // 0: none
    std::int64_t product = 0;
    if (e == Interval::kMinusInfinity || e % c != 0 || !checked_mul(e / c, n, &product)) return 0;
    return product;
  };
  for (std::size_t i = 0; i < outer.size(); ++i) {
    const Expr term = outer.operands[i];
    const std::int64_t e = outer.coefficients[i];
    const std::int64_t inside = inner.coefficient_of(term);
    if (inside == 0) continue;
    const std::int64_t product = multiple(e);
    std::int64_t merged = 0;
    if (product == 0 || !checked_add(inside, product, &merged)) continue;
    const int before = 1 + multiplication(e) + multiplication(inside);
    if (before <= multiplication(merged)) continue;
    moved_in.push_back({term, product});
    left.push_back({term, -e});
  }
  std::int64_t constant_in = 0;
  std::int64_t constant_left = 0;
  std::int64_t constant = 0;
  const std::int64_t product = multiple(outer.constant);
  if (product != 0 && inner.constant != 0 && checked_add(inner.constant, product, &constant) &&
      (is_part || (constant > -n && constant < n))) {
    constant_in = product;
    constant_left = -outer.constant;
  }
  if (moved_in.empty() && constant_in == 0) return {};
  moved_in.push_back({numerator, 1});
  left.push_back({outside, 1});
  left.push_back({quotient.expr, -c});
  const Expr new_numerator = context_.sum(moved_in, constant_in);
  const Expr new_quotient = context_.floor_div(new_numerator, quotient.expr.divisor());
  if (!is_constant_quotient(new_quotient)) return {};
  quotient.expr = new_quotient;
  return context_.sum(left, constant_left);
}

Expr Presentation::present_remainder(const Remainder& remainder) {
  const Expr x = remainder.dividend;
  if (!remainder.divisor.is(ExprKind::kConstant)) {
    return context_.mod(present_part(x), present_part(remainder.divisor));
  }
  const std::int64_t m = remainder.divisor.value();
  if (const Expr shared = shared_dividend(x, m)) return context_.mod(shared, remainder.divisor);
  const SumView view(x);
  InlineVector<Term, 12> terms;
  const bool is_plain = normal_form_.remainders(x).remainders.empty();
  for (std::size_t i = 0; i < view.size(); ++i) {
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
  return context_.mod(present_part(context_.sum(terms, constant)), remainder.divisor);
}

// ---- sharing ----

void Presentation::share_dividends(Expr expr) {
  constexpr std::size_t kMaxDividends = 32;
  if (expr.is_affine()) return;
  InlineVector<Expr, 16> pending = {expr};
  const std::uint32_t mark = normal_form_.new_mark();
  while (!pending.empty() && dividends_.size() < kMaxDividends) {
    const Expr node = pending.back();
    pending.pop_back();
    if (std::exchange(normal_form_.record(node).mark, mark) == mark) continue;
    if (is_constant_quotient(node) && node.dividend().is(ExprKind::kSum)) {
      dividends_.push_back({node.dividend(), node.divisor().value()});
    }
    for (const Expr operand : node.operands()) {
      if (!operand.is_affine()) pending.push_back(operand);
    }
  }
}

Expr Presentation::shared_dividend(Expr x, std::int64_t m) {
  const SumView view(x);
  const auto is_congruent = [m](std::int64_t a, std::int64_t b) {
    return floor_mod(a, m) == floor_mod(b, m);
  };
  for (const Dividend& dividend : dividends_) {
    if (dividend.divisor % m != 0 || dividend.expr == x) continue;
    const SumView other(dividend.expr);
    if (!is_congruent(view.constant, other.constant)) continue;
    bool is_same = true;
    for (std::size_t i = 0; is_same && i < other.size(); ++i) {
      is_same = is_congruent(other.coefficients[i], view.coefficient_of(other.operands[i]));
    }
    for (std::size_t i = 0; is_same && i < view.size(); ++i) {
      is_same = is_congruent(view.coefficients[i], other.coefficient_of(view.operands[i]));
    }
    if (!is_same) continue;
    normal_form_.log().count(Rule::kSharedDividend);
    if (normal_form_.log().has_listener()) {
      const Expr divisor = context_.constant(m);
      normal_form_.log().report(Rule::kSharedDividend, context_.mod(x, divisor),
                                context_.mod(dividend.expr, divisor), {});
    }
    return dividend.expr;
  }
  return {};
}

}  // namespace mercator::internal
