// The rules for quotients by a constant; their algebra is in rules.cc. In comments, [x] is the
// range of x.

#include <algorithm>
#include <array>
#include <functional>

#include "mercator/expr/normal_form.h"
#include "mercator/expr/plain_rules.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

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
  InlineVector<std::int64_t, 8> factors;
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

// Whether what `base` brings in beside the terms of `numerator` is too deep: the quotient could be
// part of it, at any distance, and so be replaced by itself without end. What is less deep has only
// quotients of less deep numerators.
bool brings_in_deeper_terms(Expr base, const SumView& numerator, std::uint32_t depth) {
  const SumView view(base);
  return std::ranges::any_of(view.operands, [&](Expr term) {
    return term.depth() > depth + 1 && numerator.coefficient_of(term) == 0;
  });
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
    if (brings_in_deeper_terms(fact.base, view, numerator.depth())) continue;
    const Term terms[] = {{numerator, 1}, {fact.base, -*k}};
    const Expr rest = p.normal_form.context().sum(terms, shift);
    p.take_out(fact.quotient, multiple / p.divisor);
    p.set_numerator(rest, p.divisor);
    return true;
  }
  return false;
}

constexpr std::array kRules = {
    QuotientRule{Rule::kOneBucket, kNothing, one_bucket<QuotientProblem>},
    QuotientRule{Rule::kNeedlessRemainder, kRemainders, needless_remainder},
    QuotientRule{Rule::kSolvedByResidues, kQuotients, solved_by_residues},
    QuotientRule{Rule::kWholeMultiples, kNothing, whole_multiples<QuotientProblem>},
    QuotientRule{Rule::kOneBucketOfResidues, kNothing, one_bucket_of_residues<QuotientProblem>},
    QuotientRule{Rule::kTwoValues, kNothing, two_values<QuotientProblem>},
    QuotientRule{Rule::kKnownResidue, kResidueFacts, known_residue},
    QuotientRule{Rule::kByFactor, kNothing, by_factor<QuotientProblem>},
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
