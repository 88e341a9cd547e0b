#include "mercator/map/congruence.h"

#include <algorithm>
#include <utility>

#include "mercator/support/arithmetic.h"
#include "mercator/support/inline_vector.h"

namespace mercator::internal {
namespace {

using Wide = __int128;

// The representative of `a` modulo n in (-n/2, n/2].
std::int64_t centered_mod(std::int64_t a, std::int64_t n) {
  const std::int64_t r = floor_mod(a, n);
  return r > n - r ? r - n : r;
}

using Terms = InlineVector<Term, 8>;

Terms terms_of(Expr base) {
  if (!base.is(ExprKind::kSum)) return {{base, 1}};
  Terms terms;
  for (std::size_t i = 0; i < base.operands().size(); ++i) {
    terms.push_back({base.operands()[i], base.coefficients()[i]});
  }
  return terms;
}

template <class Predicate>
void erase_if(Terms& terms, Predicate predicate) {
  Term* const end = std::remove_if(terms.begin(), terms.end(), predicate);
  terms.truncate(static_cast<std::size_t>(end - terms.begin()));
}

}  // namespace

std::optional<Congruence> as_congruence(const Constraint& constraint) {
  const Expr expr = constraint.expr;
  if (!expr.is(ExprKind::kMod) || !expr.divisor().is(ExprKind::kConstant)) return std::nullopt;
  const std::int64_t modulus = expr.divisor().value();
  const std::int64_t remainder = constraint.range.lo;
  if (modulus <= 0 || !constraint.range.is_point() || remainder < 0 || remainder >= modulus) {
    return std::nullopt;
  }
  Expr base = expr.dividend();
  std::int64_t residue = remainder;
  if (base.is(ExprKind::kSum) && base.constant() != 0) {
    residue -= floor_mod(base.constant(), modulus);
    if (residue < 0) residue += modulus;
    base = base.context().sum(terms_of(base));
  }
  return Congruence{.base = base, .modulus = modulus, .residue = residue};
}

Constraint as_constraint(const Congruence& congruence) {
  return {mod(congruence.base - congruence.residue, congruence.modulus), Interval::point(0)};
}

namespace {

// Whether `normalize` would change nothing.
bool is_normal(const Congruence& congruence) {
  if (congruence.base.is(ExprKind::kVariable)) return true;
  if (!congruence.base.is(ExprKind::kSum) || congruence.base.operands().size() < 2) return false;
  const std::int64_t n = congruence.modulus;
  std::int64_t factor = n;
  for (const std::int64_t c : congruence.base.coefficients()) {
    if (c == 0 || c == Interval::kMinusInfinity || (c > 0 ? c > n - c : -c >= n + c)) return false;
    factor = gcd(factor, c);
  }
  return factor == 1 && congruence.base.coefficients()[0] > 0;
}

}  // namespace

Truth normalize(Congruence& congruence) {
  if (congruence.modulus > 1 && is_normal(congruence)) return Truth::kSometimes;
  std::int64_t& n = congruence.modulus;
  std::int64_t& residue = congruence.residue;
  Terms terms = terms_of(congruence.base);

  std::int64_t factor = n;
  for (Term& term : terms) {
    term.coefficient = centered_mod(term.coefficient, n);
    factor = gcd(factor, term.coefficient);
  }
  erase_if(terms, [](const Term& term) { return term.coefficient == 0; });
  if (residue % factor != 0) return Truth::kNever;
  n /= factor;
  residue /= factor;
  if (terms.empty() || n == 1) return Truth::kAlways;  // No terms: the common factor is n.

  for (Term& term : terms) term.coefficient = centered_mod(term.coefficient / factor, n);
  if (terms.size() == 1) {
    residue = multiply_mod(residue, inverse_mod(floor_mod(terms[0].coefficient, n), n), n);
    terms[0].coefficient = 1;
  } else if (terms[0].coefficient < 0) {
    for (Term& term : terms) term.coefficient = centered_mod(-term.coefficient, n);
    residue = floor_mod(-residue, n);
  }
  congruence.base = congruence.base.context().sum(terms);
  return Truth::kSometimes;
}

std::optional<Truth> conjoin(Congruence& congruence, const Congruence& other) {
  // base = r1 + n1 * k with n1 * k = r2 - r1 (mod n2).
  const std::int64_t n1 = congruence.modulus;
  const std::int64_t n2 = other.modulus;
  const std::int64_t factor = gcd(n1, n2);
  const std::int64_t difference = other.residue - congruence.residue;
  if (difference % factor != 0) return Truth::kNever;
  const std::int64_t steps = n2 / factor;
  std::int64_t modulus = 0;
  if (!checked_mul(n1, steps, &modulus)) return std::nullopt;
  const std::int64_t k = multiply_mod(floor_mod(difference / factor, steps),
                                      inverse_mod(floor_mod(n1 / factor, steps), steps), steps);
  congruence.modulus = modulus;
  congruence.residue += n1 * k;  // Below the modulus, since k < steps and the residue is below n1.
  return Truth::kSometimes;
}

std::optional<Congruence> implied_congruence(Expr expr, const Congruence& congruence) {
  const std::int64_t n = congruence.modulus;
  if (expr == congruence.base) return congruence;
  if (!expr.is(ExprKind::kSum) || expr.constant() != 0 ||
      (variable_bits(congruence.base) & ~variable_bits(expr)) != 0) {
    return std::nullopt;
  }
  Terms terms = terms_of(expr);
  erase_if(terms, [n](const Term& term) { return term.coefficient % n == 0; });
  const Terms base = terms_of(congruence.base);
  const auto matches = [&](std::int64_t sign) {
    return std::ranges::equal(terms, base, [&](const Term& a, const Term& b) {
      return a.expr == b.expr && (Wide{a.coefficient} - Wide{sign} * b.coefficient) % n == 0;
    });
  };
  if (matches(1)) return Congruence{expr, n, congruence.residue};
  if (matches(-1)) return Congruence{expr, n, floor_mod(-congruence.residue, n)};
  return std::nullopt;
}

Interval tightened(Interval range, const Congruence& congruence) {
  // Where nothing can overflow, 64 bits do.
  constexpr std::int64_t kSmall = std::int64_t{1} << 61;
  if (range.lo > -kSmall && range.lo <= range.hi && range.hi < kSmall &&
      congruence.modulus < kSmall) {
    return {range.lo + floor_mod(congruence.residue - range.lo, congruence.modulus),
            range.hi - floor_mod(range.hi - congruence.residue, congruence.modulus)};
  }
  const Wide n = congruence.modulus;
  const Wide residue = congruence.residue;
  const auto distance = [n](Wide from, Wide to) { return ((to - from) % n + n) % n; };
  const Wide lo = range.lo + distance(range.lo, residue);
  const Wide hi = range.hi - distance(residue, range.hi);
  Interval result = range;
  // An end that leaves int64 on its way inwards has passed the other end, if there is one.
  if (range.lo != Interval::kMinusInfinity) {
    if (lo < Interval::kPlusInfinity) {
      result.lo = static_cast<std::int64_t>(lo);
    } else if (range.hi != Interval::kPlusInfinity) {
      return Interval::empty();
    }
  }
  if (range.hi != Interval::kPlusInfinity) {
    if (hi > Interval::kMinusInfinity) {
      result.hi = static_cast<std::int64_t>(hi);
    } else if (range.lo != Interval::kMinusInfinity) {
      return Interval::empty();
    }
  }
  return result;
}

}  // namespace mercator::internal
