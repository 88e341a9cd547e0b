// The rules for quotients by a constant, in normal form.
//
// In their algebra x, y are expressions, a, b, c, k, m, n integers, n > 0 the divisor; `[x]` is the
// range of x. `x = p * q + r` splits as floor division does.

#include <algorithm>
#include <array>
#include <numeric>

#include "mercator/expr/normal_form.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

using Coefficients = std::vector<std::int64_t>;

// constant + sum of coefficients[i] * parts[i].expr.
Expr combine(const QuotientProblem& problem, const Coefficients& coefficients,
             std::int64_t constant) {
  std::vector<Term> terms;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] != 0) terms.push_back({problem.parts[i].expr, coefficients[i]});
  }
  return problem.normal_form.context().sum(terms, constant);
}

Interval range_of(const QuotientProblem& problem, const Coefficients& coefficients,
                  std::int64_t constant) {
  Interval range = Interval::point(constant);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    range = range + problem.parts[i].range * Interval::point(coefficients[i]);
  }
  return range;
}

// The k with range within [k * n, k * n + n - 1], if there is one.
std::optional<std::int64_t> bucket_of(Interval range, std::int64_t n) {
  if (range.is_empty() || !range.is_bounded()) return std::nullopt;
  const std::int64_t k = floor_div(range.lo, n);
  if (floor_div(range.hi, n) != k) return std::nullopt;
  return k;
}

// Each coefficient c of a part as c = quotient * n + residue.
struct Split {
  Coefficients quotients;
  Coefficients residues;
};

// With residues in [0, n - 1], or, if `near_zero`, of least magnitude (n/2 stays positive).
Split split_coefficients(const QuotientProblem& problem, std::int64_t n, bool near_zero) {
  Split split;
  for (const Part& part : problem.parts) {
    std::int64_t q = floor_div(part.coefficient, n);
    std::int64_t r = floor_mod(part.coefficient, n);
    if (near_zero && r > n - r) {
      r -= n;
      ++q;
    }
    split.quotients.push_back(q);
    split.residues.push_back(r);
  }
  return split;
}

std::optional<Expr> one_bucket(const QuotientProblem& p) {
  const std::optional<std::int64_t> k = bucket_of(p.range, p.divisor);
  if (!k) return std::nullopt;
  return p.normal_form.context().constant(*k);
}

// k * (x mod m) where n divides k * m is k * x - k * m * (x floordiv m), of which the latter leaves
// the quotient: the remainder was needless.
std::optional<Expr> needless_remainder(const QuotientProblem& p) {
  for (const Remainder& remainder : p.remainders) {
    std::int64_t multiple = 0;
    if (!checked_mul(remainder.coefficient, remainder.divisor, &multiple)) continue;
    if (multiple % p.divisor != 0) continue;
    const Expr q = p.normal_form.quotient(remainder.dividend, remainder.divisor);
    // numerator = rest - multiple * q
    const Term terms[] = {{p.numerator, 1}, {q, multiple}};
    const Expr rest = p.normal_form.context().sum(terms);
    return p.normal_form.quotient(rest, p.divisor) - q * (multiple / p.divisor);
  }
  return std::nullopt;
}

// The k for which the numerator contains k times every term of `x`, constants aside.
std::optional<std::int64_t> times_contained(const QuotientProblem& p, Expr x) {
  const SumView inner(x);
  const SumView outer(p.numerator);
  std::optional<std::int64_t> k;
  for (std::size_t i = 0; i < inner.operands.size(); ++i) {
    const auto found = std::ranges::find(outer.operands, inner.operands[i]);
    if (found == outer.operands.end()) return std::nullopt;
    const std::int64_t outer_coefficient = outer.coefficients[found - outer.operands.begin()];
    if (outer_coefficient == Interval::kMinusInfinity ||
        outer_coefficient % inner.coefficients[i] != 0) {
      return std::nullopt;
    }
    const std::int64_t times = outer_coefficient / inner.coefficients[i];
    if (k && *k != times) return std::nullopt;
    k = times;
  }
  return k;
}

// k * x + c * (x floordiv m) is k * (x mod m) + (c + k * m) * (x floordiv m). Where n divides c + k
// * m, only the remainder matters to the quotient by n, and its range is the smaller.
std::optional<Expr> remainder_of_residues(const QuotientProblem& p) {
  for (std::size_t i = p.remainders.size(); i < p.parts.size(); ++i) {
    const Part& part = p.parts[i];
    if (!part.expr.is(ExprKind::kFloorDiv) || !part.expr.divisor().is(ExprKind::kConstant))
      continue;
    const std::int64_t m = part.expr.divisor().value();
    const std::optional<std::int64_t> k = times_contained(p, part.expr.dividend());
    std::int64_t taken = 0;
    std::int64_t multiple = 0;
    if (m < 0 || !k || !checked_mul(*k, m, &taken) || taken % p.divisor == 0 ||
        !checked_add(part.coefficient, taken, &multiple) || multiple % p.divisor != 0 ||
        multiple == 0 || multiple == Interval::kMinusInfinity) {
      continue;
    }
    const Term terms[] = {{p.numerator, 1}, {part.expr, -multiple}};
    const Expr rest = p.normal_form.context().sum(terms);
    return part.expr * (multiple / p.divisor) + p.normal_form.quotient(rest, p.divisor);
  }
  return std::nullopt;
}

std::optional<Expr> whole_multiples(const QuotientProblem& p) {
  const Split split = split_coefficients(p, p.divisor, /*near_zero=*/false);
  const std::int64_t whole = floor_div(p.constant, p.divisor);
  const bool changes =
      whole != 0 || std::ranges::any_of(split.quotients, [](std::int64_t q) { return q != 0; });
  if (!changes) return std::nullopt;
  const Expr rest = combine(p, split.residues, floor_mod(p.constant, p.divisor));
  return combine(p, split.quotients, whole) + p.normal_form.quotient(rest, p.divisor);
}

std::optional<Expr> one_bucket_of_residues(const QuotientProblem& p) {
  const Split split = split_coefficients(p, p.divisor, /*near_zero=*/true);
  const std::optional<std::int64_t> k =
      bucket_of(range_of(p, split.residues, p.constant), p.divisor);
  if (!k) return std::nullopt;
  return combine(p, split.quotients, *k);
}

std::optional<Expr> two_values(const QuotientProblem& p) {
  if (p.parts.size() != 1) return std::nullopt;
  const Part& part = p.parts[0];
  if (part.range.size() != 2) return std::nullopt;
  const Interval values = Interval::point(part.coefficient) * part.range;
  const Interval numerator = values + Interval::point(p.constant);
  if (!numerator.is_bounded()) return std::nullopt;
  const bool rises = part.coefficient > 0;
  const std::int64_t at_lo = floor_div(rises ? numerator.lo : numerator.hi, p.divisor);
  const std::int64_t at_hi = floor_div(rises ? numerator.hi : numerator.lo, p.divisor);
  return (part.expr - part.range.lo) * (at_hi - at_lo) + at_lo;
}

// Divisors of n worth dividing by first: those that take a coefficient whole. Largest first.
std::vector<std::int64_t> factors_to_try(const QuotientProblem& p) {
  std::vector<std::int64_t> factors;
  std::int64_t common = p.divisor;
  for (const Part& part : p.parts) {
    if (part.coefficient == Interval::kMinusInfinity) return {};
    factors.push_back(gcd(part.coefficient, p.divisor));
    common = gcd(part.coefficient, common);
  }
  factors.push_back(common);
  std::ranges::sort(factors, std::greater());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  std::erase_if(factors, [&](std::int64_t f) { return f <= 1 || f >= p.divisor; });
  return factors;
}

std::optional<Expr> by_factor(const QuotientProblem& p) {
  for (const std::int64_t f : factors_to_try(p)) {
    for (const bool near_zero : {false, true}) {
      const Split split = split_coefficients(p, f, near_zero);
      const std::optional<std::int64_t> k = bucket_of(range_of(p, split.residues, p.constant), f);
      if (!k) continue;
      const Expr numerator = combine(p, split.quotients, *k);
      return p.normal_form.quotient(numerator, p.divisor / f);
    }
  }
  return std::nullopt;
}

std::optional<Expr> all_by_common_factor(const QuotientProblem& p) {
  if (p.parts.empty()) return std::nullopt;
  std::int64_t common = p.divisor;
  for (const Part& part : p.parts) {
    if (part.coefficient == Interval::kMinusInfinity) return std::nullopt;
    common = gcd(part.coefficient, common);
  }
  if (common == 1) return std::nullopt;
  Coefficients coefficients;
  for (const Part& part : p.parts) coefficients.push_back(part.coefficient / common);
  const Expr numerator = combine(p, coefficients, floor_div(p.constant, common));
  return p.normal_form.quotient(numerator, p.divisor / common);
}

std::optional<Expr> quotient_of_quotient(const QuotientProblem& p) {
  for (std::size_t i = p.remainders.size(); i < p.parts.size(); ++i) {
    const Part& part = p.parts[i];
    if (part.coefficient != 1 || !part.expr.is(ExprKind::kFloorDiv) ||
        !part.expr.divisor().is(ExprKind::kConstant)) {
      continue;
    }
    const std::int64_t m = part.expr.divisor().value();
    std::int64_t product = 0;
    if (m < 0 || !checked_mul(m, p.divisor, &product)) continue;
    const Term others[] = {{p.numerator, 1}, {part.expr, -1}};
    const Expr rest = p.normal_form.context().sum(others);
    // Every coefficient of the new numerator must fit.
    const SumView view(rest);
    std::int64_t scaled = 0;
    const auto fits = [&](std::int64_t c) { return checked_mul(c, m, &scaled); };
    if (!fits(view.constant) || !std::ranges::all_of(view.coefficients, fits)) continue;
    const Term terms[] = {{part.expr.dividend(), 1}, {rest, m}};
    return p.normal_form.quotient(p.normal_form.context().sum(terms), product);
  }
  return std::nullopt;
}

constexpr std::array kRules = {
    QuotientRule{{.name = "quotient-one-bucket",
                  .algebra = "x floordiv n -> k",
                  .guard = "[x] within [k*n, k*n + n - 1]",
                  .by_construction = false},
                 one_bucket},
    QuotientRule{{.name = "quotient-needless-remainder",
                  .algebra = "(k*(x mod m) + y) floordiv n -> "
                             "(k*x + y) floordiv n - (k*m/n)*(x floordiv m)",
                  .guard = "n divides k*m",
                  .by_construction = false},
                 needless_remainder},
    QuotientRule{{.name = "quotient-remainder-of-residues",
                  .algebra = "(k*x + c*(x floordiv m) + y) floordiv n -> "
                             "((c + k*m)/n)*(x floordiv m) + (k*(x mod m) + y) floordiv n",
                  .guard = "n divides c + k*m, but not k*m",
                  .by_construction = false},
                 remainder_of_residues},
    QuotientRule{{.name = "quotient-whole-multiples",
                  .algebra = "((a*n + b)*x + y) floordiv n -> a*x + (b*x + y) floordiv n",
                  .guard = "0 <= b < n",
                  .by_construction = false},
                 whole_multiples},
    QuotientRule{{.name = "quotient-one-bucket-of-residues",
                  .algebra = "((a*n + b)*x + y) floordiv n -> a*x + k",
                  .guard = "b of least magnitude, either sign; [b*x + y] within [k*n, k*n + n - 1]",
                  .by_construction = false},
                 one_bucket_of_residues},
    QuotientRule{{.name = "quotient-two-values",
                  .algebra = "(a*x + b) floordiv n -> p + (q - p)*(x - lo)",
                  .guard = "[x] = [lo, lo + 1]; p, q the quotients there",
                  .by_construction = false},
                 two_values},
    QuotientRule{{.name = "quotient-common-factor",
                  .algebra = "(f*x + b) floordiv (f*n) -> (x + b floordiv f) floordiv n",
                  .guard = "",
                  .by_construction = false},
                 all_by_common_factor},
    QuotientRule{{.name = "quotient-by-factor",
                  .algebra = "(f*x + y) floordiv (f*n) -> (x + k) floordiv n",
                  .guard = "[y] within [k*f, k*f + f - 1]",
                  .by_construction = false},
                 by_factor},
    QuotientRule{{.name = "quotient-of-quotient",
                  .algebra = "(x floordiv m + y) floordiv n -> (x + m*y) floordiv (m*n)",
                  .guard = "m*n fits int64",
                  .by_construction = false},
                 quotient_of_quotient},
};

}  // namespace

std::span<const QuotientRule> quotient_rules() { return kRules; }

}  // namespace mercator::internal
