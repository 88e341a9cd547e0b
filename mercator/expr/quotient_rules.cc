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
  if (range.lo >= 0 && range.hi < n) return 0;
  if (static_cast<std::uint64_t>(range.hi) - static_cast<std::uint64_t>(range.lo) >=
      static_cast<std::uint64_t>(n)) {
    return std::nullopt;
  }
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

// The k for which `sum` has k times the first term of `base` and `is_match(c, rest)` says so for
// every term of the base, of which the sum has c, or `rest` more than k times. None if there is
// none.
template <class IsMatch>
std::optional<std::int64_t> times_matching(const SumView& sum, Expr base, IsMatch is_match) {
  const SumView inner(base);
  const std::optional<std::int64_t> k = times_within(sum, base);
  if (!k) return std::nullopt;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const std::int64_t c = sum.coefficient_of(inner.operands[i]);
    std::int64_t product = 0;
    std::int64_t rest = 0;
    if (!checked_mul(*k, inner.coefficients[i], &product) || !checked_sub(c, product, &rest) ||
        !is_match(c, rest)) {
      return std::nullopt;
    }
  }
  return k;
}

// The k for which `outer` contains k times every term of `x`, constants aside.
std::optional<std::int64_t> times_contained(const SumView& outer, Expr x) {
  return times_matching(outer, x, [](std::int64_t c, std::int64_t rest) {
    return rest == 0 && c != Interval::kMinusInfinity;
  });
}

// The k for which `outer` contains k times the first term of `x`, and some of every other: with the
// rest of those beside it, k * (x mod m) takes no more terms than there were.
std::optional<std::int64_t> times_touched(const SumView& outer, Expr x) {
  return times_matching(outer, x, [](std::int64_t c, std::int64_t) {
    return c != 0 && c != Interval::kMinusInfinity;
  });
}

// The same up to multiples of n.
std::optional<std::int64_t> times_modulo(const SumView& sum, Expr base, std::int64_t n) {
  return times_matching(sum, base, [n](std::int64_t, std::int64_t rest) { return rest % n == 0; });
}

// A quotient among the terms of a sum, read as `x floordiv m`, where k times x is in the sum as
// well: k * x + c * (x floordiv m) is k * (x mod m) + multiple * (x floordiv m).
struct Reading {
  Expr quotient;
  std::int64_t coefficient;  // c
  Expr x;
  std::int64_t m;
  std::int64_t k;
  std::int64_t multiple;  // c + k * m
};

// Whether all of x must be in the sum, or a part of each of its terms will do.
enum class Match : std::uint8_t { kExact, kLoose };

// Calls `visit(reading)` for all readings, quotient by quotient, until it says true; then, so does
// this. x is the quotient's dividend, or another quotient among the terms of which it is one.
template <class Visit>
bool any_reading(NormalForm& normal_form, const SumView& sum, Match match, Visit visit) {
  const auto try_reading = [&](std::size_t i, Expr x, std::int64_t m) {
    const std::optional<std::int64_t> k =
        match == Match::kLoose ? times_touched(sum, x) : times_contained(sum, x);
    const std::int64_t c = sum.coefficients[i];
    std::int64_t taken = 0;
    std::int64_t multiple = 0;
    return k && checked_mul(*k, m, &taken) && taken != Interval::kMinusInfinity &&
           c != Interval::kMinusInfinity && checked_add(c, taken, &multiple) &&
           multiple != Interval::kMinusInfinity &&
           visit(Reading{sum.operands[i], c, x, m, *k, multiple});
  };
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const Expr quotient = sum.operands[i];
    if (!is_constant_quotient(quotient)) continue;
    const std::int64_t m = quotient.divisor().value();
    if (try_reading(i, quotient.dividend(), m)) return true;
    for (const Expr other : sum.operands) {
      if (other == quotient || !is_constant_quotient(other)) continue;
      const std::int64_t step = other.divisor().value();
      if (step >= m || m % step != 0) continue;
      normal_form.spend(1);
      if (!(normal_form.quotient(other, m / step) == quotient)) continue;
      if (try_reading(i, other, m / step)) return true;
    }
  }
  return false;
}

// Whether in `rest` more remainders are found than in the problem, one of them with that quotient.
// If not, whole multiples would bring the numerator back to what it was, again and again.
bool finds_more_remainders(const QuotientProblem& p, Expr rest, Expr quotient) {
  const Remainders* const found = p.normal_form.remainders(rest);
  return found != nullptr && found->remainders.size() > p.remainders.size() &&
         std::ranges::any_of(found->remainders, [&](const Remainder& one) {
           return p.normal_form.quotient_of(one) == quotient;
         });
}

// Where n divides the multiple of a reading, only the remainder matters to the quotient by n.
bool remainder_of_residues(QuotientProblem& p, bool must_solve) {
  if (p.parts.size() > kManyTerms) return false;
  const Expr numerator = p.numerator();
  const SumView view(numerator);
  return any_reading(p.normal_form, view, must_solve ? Match::kExact : Match::kLoose,
                     [&](const Reading& reading) {
                       if (reading.multiple == 0 || reading.multiple % p.divisor != 0 ||
                           (reading.multiple - reading.coefficient) % p.divisor == 0) {
                         return false;
                       }
                       const Term terms[] = {{numerator, 1}, {reading.quotient, -reading.multiple}};
                       const Expr rest = p.normal_form.context().sum(terms);
                       if (must_solve ? !bucket_of(p.normal_form.range(rest), p.divisor)
                                      : !finds_more_remainders(p, rest, reading.quotient)) {
                         return false;
                       }
                       p.take_out(reading.quotient, reading.multiple / p.divisor);
                       p.set_numerator(rest, p.divisor);
                       return true;
                     });
}

bool solved_by_residues(QuotientProblem& p) {
  return remainder_of_residues(p, /*must_solve=*/true);
}

bool simpler_by_residues(QuotientProblem& p) {
  return remainder_of_residues(p, /*must_solve=*/false);
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

// The coefficients of the parts, taken apart as wholes * n + residues.
struct Split {
  std::int64_t n;
  Coefficients wholes;
  Coefficients residues;
};

// With residues in [0, n - 1]; none if they cannot stay within one bucket: together they then
// spread over n values or more, even where each is the nearer one to zero of its two residues.
std::optional<Split> split_from_zero(const QuotientProblem& p, std::int64_t n) {
  Split split = {.n = n, .wholes = {}, .residues = {}};
  std::int64_t spread = 0;
  for (const Part& part : p.parts) {
    const std::int64_t whole = floor_div(part.coefficient, n);
    // In unsigned numbers, since whole * n may leave int64 though the difference does not.
    const auto residue = static_cast<std::int64_t>(static_cast<std::uint64_t>(part.coefficient) -
                                                   static_cast<std::uint64_t>(whole) *
                                                       static_cast<std::uint64_t>(n));
    split.wholes.push_back(whole);
    split.residues.push_back(residue);
    if (residue == 0) continue;
    std::int64_t width = 0;
    if (!part.range.is_bounded() || !checked_sub(part.range.hi, part.range.lo, &width) ||
        !checked_mul(width, std::min(residue, n - residue), &width) ||
        !checked_add(spread, width, &spread) || spread >= n) {
      return std::nullopt;
    }
  }
  return split;
}

// The residues in (-n/2, n/2] or, with `down`, in [-n/2, n/2). False if that changes nothing.
bool move_near_zero(Split& split, bool down) {
  bool changes = false;
  for (std::size_t i = 0; i < split.residues.size(); ++i) {
    std::int64_t& residue = split.residues[i];
    const std::int64_t other = split.n - residue;
    if (residue < other || (residue == other && !down)) continue;
    residue -= split.n;
    ++split.wholes[i];
    changes = true;
  }
  return changes;
}

// The bucket of all values of the residues, with the constant of the problem.
std::optional<std::int64_t> bucket_of(const QuotientProblem& p, const Split& split) {
  LinearRange range(p.constant);
  for (std::size_t i = 0; i < split.residues.size(); ++i) {
    range.add(p.parts[i].range, split.residues[i]);
  }
  return bucket_of(range.range(), split.n);
}

bool one_bucket_of_residues(QuotientProblem& p) {
  const std::int64_t n = p.divisor;
  const auto is_below_half = [n](const Part& part) {
    return part.coefficient >= 0 && part.coefficient < n - part.coefficient;
  };
  if (std::ranges::all_of(p.parts, is_below_half)) return false;
  std::optional<Split> split = split_from_zero(p, n);
  if (!split) return false;
  std::optional<std::int64_t> k;
  for (const bool down : {false, true}) {
    move_near_zero(*split, down);
    k = bucket_of(p, *split);
    if (k) break;
  }
  if (!k) return false;
  for (std::size_t i = 0; i < p.parts.size(); ++i) p.take_out(p.parts[i].expr, split->wholes[i]);
  p.take_out(*k);
  p.solve();
  return true;
}

bool two_values(QuotientProblem& p) {
  if (p.parts.size() != 1) return false;
  const Part part = p.parts[0];
  if (!part.range.is_bounded() || part.range.lo >= part.range.hi ||
      part.range.lo + 1 != part.range.hi) {
    return false;
  }
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
  std::optional<Split> split = split_from_zero(p, f);
  if (!split) return false;
  std::optional<std::int64_t> k = bucket_of(p, *split);
  for (const bool down : {false, true}) {
    if (!k && move_near_zero(*split, down)) k = bucket_of(p, *split);
  }
  if (!k) return false;
  divide_by(p, f, split->wholes, *k);
  return true;
}

bool by_factor(QuotientProblem& p) {
  return std::ranges::any_of(factors_to_try(p),
                             [&p](std::int64_t f) { return divide_in_steps(p, f); });
}

// The problem with remainders in place of the readings whose multiple f divides. Of the remainders
// that are known already, the first `kept` stay as they are.
QuotientProblem grouped_for(const QuotientProblem& p, std::int64_t f, std::size_t kept) {
  NormalForm& normal_form = p.normal_form;
  ExprContext& context = normal_form.context();
  QuotientProblem grouped = p;
  grouped.parts.truncate(kept);
  InlineVector<Term, 12> terms;
  for (std::size_t i = kept; i < p.parts.size(); ++i) {
    terms.push_back({p.parts[i].expr, p.parts[i].coefficient});
  }
  const Expr all = context.sum(terms, p.constant);
  Expr rest = all;
  any_reading(normal_form, SumView(all), Match::kExact, [&](const Reading& reading) {
    if (reading.multiple % f != 0) return false;
    const Term remainder_terms[] = {{reading.x, 1}, {reading.quotient, -reading.m}};
    const Expr remainder = context.sum(remainder_terms);
    const Term rest_terms[] = {
        {rest, 1}, {remainder, -reading.k}, {reading.quotient, -reading.multiple}};
    const Expr less = context.sum(rest_terms);
    // Another reading may have taken its terms.
    if (SumView(less).size() >= SumView(rest).size()) return false;
    rest = less;
    grouped.parts.push_back({remainder, reading.k, normal_form.range(remainder)});
    if (reading.multiple != 0) {
      grouped.parts.push_back(
          {reading.quotient, reading.multiple, normal_form.range(reading.quotient)});
    }
    return false;
  });
  const SumView others(rest);
  grouped.constant = others.constant;
  for (std::size_t i = 0; i < others.size(); ++i) {
    grouped.parts.push_back(
        {others.operands[i], others.coefficients[i], normal_form.range(others.operands[i])});
  }
  return grouped;
}

// The quotient by f first, for an f that is a factor of the multiple of a reading: k * (x mod m)
// may stay below f where k * x does not.
bool by_factor_of_reading(QuotientProblem& p) {
  if (p.parts.size() > kManyTerms) return false;
  const Expr numerator = p.numerator();
  Coefficients factors;
  any_reading(p.normal_form, SumView(numerator), Match::kExact, [&](const Reading& reading) {
    const std::int64_t f = gcd(reading.multiple, p.divisor);
    if (f > 1 && f < p.divisor && std::ranges::find(factors, f) == factors.end()) {
      factors.push_back(f);
    }
    return false;
  });
  std::sort(factors.begin(), factors.end(), std::greater());
  for (const std::int64_t f : factors) {
    for (const std::size_t kept : {p.remainders.size(), std::size_t{0}}) {
      QuotientProblem grouped = grouped_for(p, f, kept);
      if (divide_in_steps(grouped, f)) {
        p = grouped;
        return true;
      }
      if (kept == 0) break;
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
  const Expr numerator = p.numerator();
  const SumView view(numerator);
  for (std::size_t i = 0; i < facts.residues.size(); ++i) {
    const ResidueFact fact = facts.residues[i];
    // The quotient of the base itself is as simple as it gets.
    if (numerator == fact.base && p.divisor == fact.modulus) continue;
    const std::optional<std::int64_t> k = times_modulo(view, fact.base, p.divisor);
    std::int64_t multiple = 0;
    std::int64_t shift = 0;
    if (!k || !checked_mul(*k, fact.modulus, &multiple) || multiple % p.divisor != 0 ||
        multiple == Interval::kMinusInfinity || !checked_mul(*k, fact.residue, &shift)) {
      continue;
    }
    const Term terms[] = {{numerator, 1}, {fact.base, -*k}};
    const Expr rest = p.normal_form.context().sum(terms, shift);
    p.take_out(fact.quotient, multiple / p.divisor);
    p.set_numerator(rest, p.divisor);
    return true;
  }
  return false;
}

constexpr std::array kRules = {
    QuotientRule{Rule::kOneBucket, kNothing, one_bucket},
    QuotientRule{Rule::kNeedlessRemainder, kRemainders, needless_remainder},
    QuotientRule{Rule::kSolvedByResidues, kQuotients, solved_by_residues},
    QuotientRule{Rule::kWholeMultiples, kNothing, whole_multiples},
    QuotientRule{Rule::kOneBucketOfResidues, kNothing, one_bucket_of_residues},
    QuotientRule{Rule::kTwoValues, kNothing, two_values},
    QuotientRule{Rule::kKnownResidue, kResidueFacts, known_residue},
    QuotientRule{Rule::kByFactor, kNothing, by_factor},
    QuotientRule{Rule::kByFactorOfReading, kQuotients, by_factor_of_reading},
    QuotientRule{Rule::kQuotientOfQuotient, kQuotients, quotient_of_quotient},
    QuotientRule{Rule::kSimplerByResidues, kQuotients, simpler_by_residues},
};

struct RuleList {
  std::array<QuotientRule, kRules.size()> rules = {};
  std::size_t size = 0;
};

constexpr std::array<RuleList, kAllFeatures + 1> kRulesByFeatures = [] {
  std::array<RuleList, kAllFeatures + 1> lists;
  for (std::size_t features = 0; features < lists.size(); ++features) {
    for (const QuotientRule& rule : kRules) {
      if ((rule.needs & ~features) == 0) lists[features].rules[lists[features].size++] = rule;
    }
  }
  return lists;
}();

}  // namespace

std::span<const QuotientRule> quotient_rules(std::uint8_t features) {
  const RuleList& list = kRulesByFeatures[features];
  return std::span(list.rules).first(list.size);
}

}  // namespace mercator::internal
