// The rules for quotients by a constant; their algebra is in rules.cc. In comments, [x] is the
// range of x.

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "mercator/expr/normal_form.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

using Coefficients = InlineVector<std::int64_t, 8>;

// The k with range within [k * n, k * n + n - 1], if there is one.
std::optional<std::int64_t> bucket_of(Interval range, std::int64_t n) {
  if (range.is_empty() || !range.is_bounded()) return std::nullopt;
  const std::int64_t k = floor_div(range.lo, n);
  if (floor_div(range.hi, n) != k) return std::nullopt;
  return k;
}

bool one_bucket(QuotientProblem& p) {
  const std::optional<std::int64_t> k = bucket_of(p.range, p.divisor);
  if (!k) return false;
  p.take_out(*k);
  p.solve();
  return true;
}

// k * (x mod m) where n divides k * m is k * x - k * m * (x floordiv m), of which the latter leaves
// the quotient: the remainder was needless.
bool needless_remainder(QuotientProblem& p) {
  for (const Remainder& remainder : p.remainders) {
    std::int64_t multiple = 0;
    if (!checked_mul(remainder.coefficient, remainder.divisor.value(), &multiple)) continue;
    if (multiple % p.divisor != 0 || multiple == Interval::kMinusInfinity) continue;
    const Expr q = p.normal_form.quotient_of(remainder);
    // numerator = rest - multiple * q
    const Term terms[] = {{p.numerator(), 1}, {q, multiple}};
    const Expr rest = p.normal_form.context().sum(terms);
    p.take_out(q, -(multiple / p.divisor));
    p.set_numerator(rest, p.divisor);
    return true;
  }
  return false;
}

// The k for which the numerator contains k times every term of `x`, constants aside.
std::optional<std::int64_t> times_contained(const SumView& outer, Expr x) {
  const SumView inner(x);
  std::optional<std::int64_t> k;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const std::int64_t coefficient = outer.coefficient_of(inner.operands[i]);
    if (coefficient == 0 || coefficient == Interval::kMinusInfinity ||
        coefficient % inner.coefficients[i] != 0) {
      return std::nullopt;
    }
    const std::int64_t times = coefficient / inner.coefficients[i];
    if (k && *k != times) return std::nullopt;
    k = times;
  }
  return k;
}

// A quotient among the parts read as `x floordiv m`, where k times x is in the numerator as well:
// the part's own dividend and divisor, or another quotient among the parts of which it is one.
struct Reading {
  Expr x;
  std::int64_t m;
  std::int64_t k;
  // k * m + the coefficient of the quotient: k * x + c * (x floordiv m) is
  // k * (x mod m) + multiple * (x floordiv m).
  std::int64_t multiple;
};

// Calls `visit(i, reading)` for all readings of all quotients, the parts' numbers i rising, until
// it says true; then, so does this.
template <class Visit>
bool any_reading(QuotientProblem& p, const SumView& numerator, Visit visit) {
  const auto try_reading = [&](std::size_t i, Expr x, std::int64_t m) {
    const std::optional<std::int64_t> k = times_contained(numerator, x);
    std::int64_t taken = 0;
    std::int64_t multiple = 0;
    return k && checked_mul(*k, m, &taken) && taken != Interval::kMinusInfinity &&
           checked_add(p.parts[i].coefficient, taken, &multiple) &&
           multiple != Interval::kMinusInfinity && multiple != 0 &&
           visit(i, Reading{x, m, *k, multiple});
  };
  for (std::size_t i = p.remainders.size(); i < p.parts.size(); ++i) {
    const Expr quotient = p.parts[i].expr;
    if (!is_constant_quotient(quotient)) continue;
    const std::int64_t m = quotient.divisor().value();
    if (try_reading(i, quotient.dividend(), m)) return true;
    for (std::size_t j = p.remainders.size(); j < p.parts.size(); ++j) {
      const Expr other = p.parts[j].expr;
      if (j == i || !is_constant_quotient(other)) continue;
      const std::int64_t step = other.divisor().value();
      if (step >= m || m % step != 0) continue;
      p.normal_form.spend(1);
      if (!(p.normal_form.quotient(other, m / step) == quotient)) continue;
      if (try_reading(i, other, m / step)) return true;
    }
  }
  return false;
}

bool has_quotient(const QuotientProblem& p) {
  return std::any_of(p.parts.begin() + p.remainders.size(), p.parts.end(),
                     [](const Part& part) { return is_constant_quotient(part.expr); });
}

// Where n divides the multiple of a reading, only the remainder matters to the quotient by n, and
// its range is the smaller.
bool remainder_of_residues(QuotientProblem& p) {
  if (!has_quotient(p)) return false;
  const Expr numerator = p.numerator();
  const SumView view(numerator);
  return any_reading(p, view, [&](std::size_t i, const Reading& reading) {
    if (reading.multiple % p.divisor != 0 ||
        (reading.multiple - p.parts[i].coefficient) % p.divisor == 0) {
      return false;
    }
    const Expr quotient = p.parts[i].expr;
    const Term terms[] = {{numerator, 1}, {quotient, -reading.multiple}};
    const Expr rest = p.normal_form.context().sum(terms);
    p.take_out(quotient, reading.multiple / p.divisor);
    p.set_numerator(rest, p.divisor);
    return true;
  });
}

bool whole_multiples(QuotientProblem& p) {
  const std::int64_t n = p.divisor;
  const auto is_reduced = [n](std::int64_t c) { return c >= 0 && c < n; };
  bool changes = false;
  std::size_t kept = 0;
  if (!is_reduced(p.constant)) {
    const std::int64_t whole = floor_div(p.constant, n);
    p.take_out(whole);
    p.constant = floor_mod(p.constant, n);
    changes = true;
  }
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    Part part = p.parts[i];
    if (!is_reduced(part.coefficient)) {
      const std::int64_t whole = floor_div(part.coefficient, n);
      p.take_out(part.expr, whole);
      part.coefficient = floor_mod(part.coefficient, n);
      changes = true;
    }
    if (part.coefficient != 0) p.parts[kept++] = part;
  }
  if (!changes) return false;
  p.parts.truncate(kept);
  p.update();
  return true;
}

// The coefficients as whole * n + residue with residues of least magnitude, n/2 staying positive.
// False if all of them are residues already.
bool split_near_zero(const QuotientProblem& p, std::int64_t n, Coefficients& wholes,
                     Coefficients& residues) {
  bool changes = false;
  for (const Part& part : p.parts) {
    std::int64_t whole = floor_div(part.coefficient, n);
    std::int64_t residue = floor_mod(part.coefficient, n);
    if (residue > n - residue) {
      residue -= n;
      ++whole;
    }
    changes = changes || whole != 0;
    wholes.push_back(whole);
    residues.push_back(residue);
  }
  return changes;
}

Interval range_of(const QuotientProblem& p, const Coefficients& coefficients) {
  Interval range = Interval::point(p.constant);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] != 0) range = range + p.parts[i].range * coefficients[i];
  }
  return range;
}

bool one_bucket_of_residues(QuotientProblem& p) {
  const std::int64_t n = p.divisor;
  const auto is_near_zero = [n](const Part& part) {
    return part.coefficient >= 0 && part.coefficient <= n - part.coefficient;
  };
  if (std::ranges::all_of(p.parts, is_near_zero)) return false;
  Coefficients wholes;
  Coefficients residues;
  if (!split_near_zero(p, n, wholes, residues)) return false;
  const std::optional<std::int64_t> k = bucket_of(range_of(p, residues), n);
  if (!k) return false;
  for (std::size_t i = 0; i < wholes.size(); ++i) p.take_out(p.parts[i].expr, wholes[i]);
  p.take_out(*k);
  p.solve();
  return true;
}

bool two_values(QuotientProblem& p) {
  if (p.parts.size() != 1) return false;
  const Part part = p.parts[0];
  if (part.range.size() != 2) return false;
  const Interval numerator = part.range * part.coefficient + Interval::point(p.constant);
  if (!numerator.is_bounded()) return false;
  const bool rises = part.coefficient > 0;
  const std::int64_t at_lo = floor_div(rises ? numerator.lo : numerator.hi, p.divisor);
  const std::int64_t at_hi = floor_div(rises ? numerator.hi : numerator.lo, p.divisor);
  std::int64_t rise = 0;
  std::int64_t shift = 0;
  if (!checked_sub(at_hi, at_lo, &rise) || !checked_mul(rise, part.range.lo, &shift) ||
      !checked_sub(at_lo, shift, &shift)) {
    return false;
  }
  p.take_out(part.expr, rise);
  p.take_out(shift);
  p.solve();
  return true;
}

// Puts the quotient by f in place of the numerator: coefficients `wholes`, constant `constant`.
void divide_by(QuotientProblem& p, std::int64_t f, const Coefficients& wholes,
               std::int64_t constant) {
  p.divisor /= f;
  p.constant = constant;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < wholes.size(); ++i) {
    if (wholes[i] != 0) {
      p.parts[kept] = p.parts[i];
      p.parts[kept++].coefficient = wholes[i];
    }
  }
  p.parts.truncate(kept);
  if (p.divisor == 1 || kept == 0) {
    for (const Part& part : p.parts) p.take_out(part.expr, part.coefficient);
    p.take_out(floor_div(p.constant, p.divisor));
    p.solve();
    return;
  }
  p.update();
}

// Divisors of n worth dividing by first: those that take a coefficient whole. Largest first.
Coefficients factors_to_try(const QuotientProblem& p) {
  Coefficients factors;
  std::int64_t common = p.divisor;
  for (const Part& part : p.parts) {
    const std::int64_t c = part.coefficient;
    if (c == Interval::kMinusInfinity) return {};
    const std::int64_t factor = c == 1                                  ? 1
                                : floor_mod(p.divisor, c) == 0 && c > 0 ? c
                                                                        : gcd(c, p.divisor);
    if (factor > 1 && factor < p.divisor) factors.push_back(factor);
    if (common != 1) common = factor == 1 ? 1 : gcd(factor, common);
  }
  if (factors.size() <= 1) return factors;
  if (common > 1) factors.push_back(common);
  std::sort(factors.begin(), factors.end(), std::greater());
  factors.truncate(
      static_cast<std::size_t>(std::unique(factors.begin(), factors.end()) - factors.begin()));
  return factors;
}

// Tries to take the quotient by f first.
bool divide_in_steps(QuotientProblem& p, std::int64_t f) {
  Coefficients wholes;
  Coefficients residues;
  for (const Part& part : p.parts) {
    wholes.push_back(floor_div(part.coefficient, f));
    residues.push_back(floor_mod(part.coefficient, f));
  }
  std::optional<std::int64_t> k = bucket_of(range_of(p, residues), f);
  if (!k) {
    wholes.clear();
    residues.clear();
    split_near_zero(p, f, wholes, residues);
    if (std::ranges::any_of(residues, [](std::int64_t r) { return r < 0; })) {
      k = bucket_of(range_of(p, residues), f);
    }
  }
  if (!k) return false;
  divide_by(p, f, wholes, *k);
  return true;
}

bool by_factor(QuotientProblem& p) {
  return std::ranges::any_of(factors_to_try(p),
                             [&p](std::int64_t f) { return divide_in_steps(p, f); });
}

// The quotient by f first, for an f that is a factor of the multiple of a reading: k * (x mod m)
// may stay below f where k * x does not.
bool by_factor_of_reading(QuotientProblem& p) {
  if (!has_quotient(p)) return false;
  const Expr numerator = p.numerator();
  const SumView view(numerator);
  Coefficients factors;
  any_reading(p, view, [&](std::size_t, const Reading& reading) {
    const std::int64_t f = gcd(reading.multiple, p.divisor);
    if (f > 1 && f < p.divisor && std::ranges::find(factors, f) == factors.end()) {
      factors.push_back(f);
    }
    return false;
  });
  std::sort(factors.begin(), factors.end(), std::greater());
  for (const std::int64_t f : factors) {
    QuotientProblem grouped = p;
    grouped.parts.clear();
    grouped.remainders.clear();
    Expr rest = numerator;
    InlineVector<Expr, 8> done;
    any_reading(p, view, [&](std::size_t i, const Reading& reading) {
      const Expr quotient = p.parts[i].expr;
      if (reading.multiple % f != 0 || std::ranges::find(done, quotient) != done.end())
        return false;
      const Term remainder_terms[] = {{reading.x, 1}, {quotient, -reading.m}};
      const Expr remainder = p.normal_form.context().sum(remainder_terms);
      const Term rest_terms[] = {{rest, 1}, {remainder, -reading.k}, {quotient, -reading.multiple}};
      const Expr less = p.normal_form.context().sum(rest_terms);
      // Another one may have taken its terms.
      if (SumView(less).size() >= SumView(rest).size()) return false;
      rest = less;
      done.push_back(quotient);
      grouped.parts.push_back({remainder, reading.k, p.normal_form.range(remainder)});
      grouped.parts.push_back({quotient, reading.multiple, p.parts[i].range});
      return false;
    });
    const SumView others(rest);
    grouped.constant = others.constant;
    for (std::size_t i = 0; i < others.size(); ++i) {
      grouped.parts.push_back(
          {others.operands[i], others.coefficients[i], p.normal_form.range(others.operands[i])});
    }
    if (divide_in_steps(grouped, f)) {
      p = grouped;
      return true;
    }
  }
  return false;
}

bool quotient_of_quotient(QuotientProblem& p) {
  for (std::size_t i = p.remainders.size(); i < p.parts.size(); ++i) {
    const Part part = p.parts[i];
    if (part.coefficient != 1 || !is_constant_quotient(part.expr)) continue;
    const std::int64_t m = part.expr.divisor().value();
    std::int64_t product = 0;
    if (!checked_mul(m, p.divisor, &product)) continue;
    const Term others[] = {{p.numerator(), 1}, {part.expr, -1}};
    const Expr rest = p.normal_form.context().sum(others);
    // Every coefficient of the new numerator must fit.
    const SumView view(rest);
    std::int64_t scaled = 0;
    const auto fits = [&](std::int64_t c) { return checked_mul(c, m, &scaled); };
    if (!fits(view.constant) || !std::ranges::all_of(view.coefficients, fits)) continue;
    const Term terms[] = {{part.expr.dividend(), 1}, {rest, m}};
    p.set_numerator(p.normal_form.context().sum(terms), product);
    return true;
  }
  return false;
}

// Where x is known to leave the residue b modulo m, x = m * (x floordiv m) + b.
bool known_residue(QuotientProblem& p) {
  const Facts& facts = p.normal_form.facts();
  if (facts.residues.empty()) return false;
  const Expr numerator = p.numerator();
  const SumView view(numerator);
  for (std::size_t i = 0; i < facts.residues.size(); ++i) {
    const ResidueFact fact = facts.residues[i];
    const std::optional<std::int64_t> k = times_contained(view, fact.base);
    std::int64_t multiple = 0;
    std::int64_t shift = 0;
    if (!k || !checked_mul(*k, fact.modulus, &multiple) || multiple % p.divisor != 0 ||
        multiple == Interval::kMinusInfinity || !checked_mul(*k, fact.residue, &shift)) {
      continue;
    }
    // The quotient of the base itself is as simple as it gets.
    if (numerator == fact.base && p.divisor == fact.modulus) continue;
    const Term terms[] = {{numerator, 1}, {fact.base, -*k}};
    const Expr rest = p.normal_form.context().sum(terms, shift);
    p.take_out(p.normal_form.quotient(fact.base, fact.modulus), multiple / p.divisor);
    p.set_numerator(rest, p.divisor);
    return true;
  }
  return false;
}

constexpr std::array kRules = {
    QuotientRule{Rule::kOneBucket, one_bucket},
    QuotientRule{Rule::kNeedlessRemainder, needless_remainder},
    QuotientRule{Rule::kRemainderOfResidues, remainder_of_residues},
    QuotientRule{Rule::kWholeMultiples, whole_multiples},
    QuotientRule{Rule::kOneBucketOfResidues, one_bucket_of_residues},
    QuotientRule{Rule::kTwoValues, two_values},
    QuotientRule{Rule::kKnownResidue, known_residue},
    QuotientRule{Rule::kByFactor, by_factor},
    QuotientRule{Rule::kByFactorOfReading, by_factor_of_reading},
    QuotientRule{Rule::kQuotientOfQuotient, quotient_of_quotient},
};

}  // namespace

std::span<const QuotientRule> quotient_rules() { return kRules; }

}  // namespace mercator::internal
