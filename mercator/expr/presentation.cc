#include "mercator/expr/presentation.h"

#include <algorithm>

#include "mercator/support/arithmetic.h"

namespace mercator::internal {

Expr Presentation::present(Expr expr) {
  is_exact_ = true;
  return expr.is(ExprKind::kSum) && !expr.is_affine() ? present_sum(expr, /*is_part=*/false)
                                                      : present_part(expr);
}

Expr Presentation::present_part(Expr expr) {
  if (expr.is_affine() || normal_form_.is_exhausted()) return expr;
  if (const ExprRecord& known = normal_form_.record(expr); known.presented) {
    is_exact_ = is_exact_ && known.is_presented_exactly;
    return known.presented;
  }
  const bool was_exact = std::exchange(is_exact_, true);
  const Expr result = compute(expr);
  ExprRecord& record = normal_form_.record(expr);
  record.presented = result;
  record.is_presented_exactly = is_exact_;
  is_exact_ = is_exact_ && was_exact;
  return result;
}

Expr Presentation::compute(Expr expr) {
  if (expr.is(ExprKind::kSum)) return present_sum(expr, /*is_part=*/true);
  if (is_constant_quotient(expr)) {
    const Expr dividend = present_part(expr.dividend());
    return dividend == expr.dividend() ? expr : context().floor_div(dividend, expr.divisor());
  }
  InlineVector<Expr, 8> operands;
  for (const Expr operand : expr.operands()) operands.push_back(present_part(operand));
  is_exact_ = false;
  switch (expr.kind()) {
    case ExprKind::kProduct:
      return context().product(operands);
    case ExprKind::kFloorDiv:
      return context().floor_div(operands[0], operands[1]);
    case ExprKind::kMod:
      return context().mod(operands[0], operands[1]);
    case ExprKind::kMin:
      return context().min(operands);
    case ExprKind::kMax:
      return context().max(operands);
    default:
      return expr;
  }
}

Expr Presentation::present_sum(Expr sum, bool is_part) {
  normal_form_.spend(static_cast<std::int64_t>(SumView(sum).size()));
  if (holds_sum(sum)) return sum;
  const Remainders* const found = normal_form_.remainders(sum);
  InlineVector<Term, 12> terms;
  Expr rest = sum;
  if (found != nullptr) {
    for (const Remainder& remainder : found->remainders) {
      terms.push_back({present_remainder(remainder), remainder.coefficient});
    }
    if (!found->has_other_terms()) {
      terms.append(found->terms);
      const Expr result = context().sum(terms, found->constant);
      normal_form_.log().count(Rule::kRemainderFound);
      normal_form_.log().report(Rule::kRemainderFound, sum, result, {});
      return result;
    }
    rest = found->rest(context());
  }
  InlineVector<Term, 8> candidates;
  struct Absorbed {
    Term quotient;   // with what has moved in
    Expr numerator;  // without
  };
  InlineVector<Absorbed, 8> quotients;  // taken out of `rest`
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
    quotients.push_back({quotient, candidate.expr.dividend()});
    is_exact_ = is_exact_ &&
                loses_multiples_first(quotient.expr.dividend(), quotient.expr.divisor().value());
  }
  for (const Absorbed& absorbed : quotients) {
    const Expr dividend = present_numerator(absorbed.quotient.expr.dividend(), absorbed.numerator);
    terms.push_back({context().floor_div(dividend, absorbed.quotient.expr.divisor()),
                     absorbed.quotient.coefficient});
  }
  const SumView view(rest);
  add_presented(view, terms);
  const Expr result = context().sum(terms, view.constant);
  if (found != nullptr) {
    normal_form_.log().count(Rule::kRemainderFound);
    normal_form_.log().report(Rule::kRemainderFound, sum, result, {});
  }
  if (!quotients.empty()) {
    normal_form_.log().count(Rule::kTermAbsorbed);
    if (found == nullptr) {
      normal_form_.log().report(Rule::kTermAbsorbed, sum, result, {});
    }
  }
  return result;
}

// Whether it is certain that whole multiples of n are the first that leaves `dividend` floordiv n
// on the way to the normal form, so that those which have been added or taken away make no
// difference. Of sums of variables, only the rule for one bucket is before them.
bool Presentation::loses_multiples_first(Expr dividend, std::int64_t n) {
  if (!dividend.is_affine() || normal_form_.has_facts()) return false;
  const Interval buckets = floor_div(normal_form_.range(dividend), n);
  return !buckets.is_empty() && buckets.lo != buckets.hi;
}

// The terms one by one: a sum that is not in normal form is not searched for remainders, since new
// ones could be made for ever.
void Presentation::add_presented(const SumView& sum, Terms& terms) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    terms.push_back({present_part(sum.operands[i]), sum.coefficients[i]});
  }
}

// A numerator into which terms have moved, either term by term or with the remainders that it had
// before.
Expr Presentation::present_numerator(Expr numerator, Expr before) {
  Terms plain;
  add_presented(SumView(numerator), plain);
  const Expr best = context().sum(plain, SumView(numerator).constant);
  const Remainders* const found = normal_form_.remainders(before);
  if (found == nullptr) return best;
  Terms grouped;
  Terms rest = {{numerator, 1}};
  for (const Remainder& one : found->remainders) {
    grouped.push_back({present_remainder(one), one.coefficient});
    rest.push_back({normal_form_.expr_of(one), -one.coefficient});
  }
  const Expr others = context().sum(rest);
  add_presented(SumView(others), grouped);
  const Expr other = context().sum(grouped, SumView(others).constant);
  return normal_form_.weight(other) < normal_form_.weight(best) ? other : best;
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
  normal_form_.spend(static_cast<std::int64_t>(inner.size()));
  // Of long sums nothing is moved, since each move makes a new one.
  if (c == Interval::kMinusInfinity || outer.size() > kManyTerms) return {};

  InlineVector<Term, 12> moved_in;
  InlineVector<Term, 12> left;
  const auto multiple = [&](std::int64_t e) -> std::int64_t {  // 0: none
    std::int64_t product = 0;
    if (e == Interval::kMinusInfinity || e % c != 0 || !checked_mul(e / c, n, &product)) return 0;
    return product;
  };
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const Expr term = inner.operands[i];
    const std::int64_t inside = inner.coefficients[i];
    const std::int64_t e = outer.coefficient_of(term);
    if (e == 0) continue;
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
  const Expr new_numerator = context().sum(moved_in, constant_in);
  const Expr new_quotient = context().floor_div(new_numerator, quotient.expr.divisor());
  const Expr new_outside = context().sum(left, constant_left);
  if (!is_constant_quotient(new_quotient) || holds_sum(new_numerator) || holds_sum(new_outside)) {
    return {};
  }
  quotient.expr = new_quotient;
  return new_outside;
}

Expr Presentation::present_remainder(const Remainder& remainder) {
  const Expr x = remainder.dividend;
  if (!remainder.divisor.is(ExprKind::kConstant)) {
    is_exact_ = false;
    return context().mod(present_part(x), present_part(remainder.divisor));
  }
  const std::int64_t m = remainder.divisor.value();
  const SumView view(x);
  const Remainders* const inner = normal_form_.remainders(x);
  const Reduced all = reduced(view, {}, m);
  if (inner == nullptr && is_same(all, view)) {
    return context().mod(present_part(x), remainder.divisor);
  }
  const Expr plain = present_reduced(all);
  if (inner == nullptr) return context().mod(cheaper(plain, x, m), remainder.divisor);
  // Coefficients that belong together may be worth more than small ones.
  Terms remainders;
  for (const Remainder& one : inner->remainders) {
    remainders.push_back({present_remainder(one), one.coefficient});
  }
  const Expr grouped = present_reduced(reduced(SumView(inner->rest(context())), remainders, m));
  const bool are_grouped = normal_form_.weight(grouped) < normal_form_.weight(plain);
  return context().mod(cheaper(are_grouped ? grouped : plain, x, m), remainder.divisor);
}

// The terms of the sum presented; what was given beside it is so already.
Expr Presentation::present_reduced(const Reduced& reduced) {
  Terms terms;
  for (std::size_t i = 0; i < reduced.terms.size(); ++i) {
    const Term& term = reduced.terms[i];
    const bool is_presented = i >= reduced.terms.size() - reduced.more;
    terms.push_back({is_presented ? term.expr : present_part(term.expr), term.coefficient});
  }
  return context().sum(terms, reduced.constant);
}

// `dividend`, which leaves the same remainder by m, or x itself, presented.
Expr Presentation::cheaper(Expr dividend, Expr x, std::int64_t m) {
  const bool was_exact = is_exact_;
  const Expr presented = present_part(x);
  if (normal_form_.weight(presented) < normal_form_.weight(dividend)) {
    return presented;
  }
  is_exact_ =
      was_exact && (presented == dividend || (x.is_affine() && loses_multiples_first(dividend, m)));
  return dividend;
}

bool Presentation::is_same(const Reduced& reduced, const SumView& sum) {
  if (reduced.constant != sum.constant || reduced.terms.size() != sum.size()) return false;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (!(reduced.terms[i].expr == sum.operands[i]) ||
        reduced.terms[i].coefficient != sum.coefficients[i]) {
      return false;
    }
  }
  return true;
}

// The terms of `sum` and then `more` with other coefficients and another constant that leave the
// same remainder by m.
Presentation::Reduced Presentation::reduced(const SumView& sum, std::span<const Term> more,
                                            std::int64_t m) {
  Reduced result;
  const auto add = [&](Expr expr, std::int64_t coefficient) {
    std::int64_t c = floor_mod(coefficient, m);
    // -1 saves the multiplication.
    if (m > 2 && c == m - 1) c = -1;
    if (c != 0) result.terms.push_back({expr, c});
    return c != 0;
  };
  for (std::size_t i = 0; i < sum.size(); ++i) add(sum.operands[i], sum.coefficients[i]);
  for (const Term& term : more) result.more += add(term.expr, term.coefficient) ? 1 : 0;
  // The constant nearest to zero that keeps the dividend non-negative, if one of the two does.
  result.constant = floor_mod(sum.constant, m);
  if (result.constant != 0) {
    const Interval range = normal_form_.range(context().sum(result.terms, result.constant));
    if (!range.is_empty() && range.lo >= m) result.constant -= m;
  }
  return result;
}

}  // namespace mercator::internal
