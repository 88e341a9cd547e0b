#include "mercator/expr/facts.h"

#include "mercator/support/arithmetic.h"

namespace mercator::internal {

std::optional<std::int64_t> times_within(const SumView& sum, Expr base) {
  const SumView inner(base);
  if (inner.size() == 0) return std::nullopt;
  const std::int64_t unit = inner.coefficients[0];
  const std::int64_t coefficient = sum.coefficient_of(inner.operands[0]);
  if (coefficient == 0 || coefficient == Interval::kMinusInfinity || coefficient % unit != 0) {
    return std::nullopt;
  }
  return coefficient / unit;
}

std::optional<ResidueFact> residue_fact(const SumView& sum, std::int64_t modulus,
                                        std::int64_t residue) {
  std::int64_t m = modulus;
  std::int64_t r = floor_mod(floor_mod(residue, m) - floor_mod(sum.constant, m), m);
  InlineVector<Term, 8> terms;
  std::int64_t common = m;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const std::int64_t c = floor_mod(sum.coefficients[i], m);
    if (c == 0) continue;
    terms.push_back({sum.operands[i], c});
    common = gcd(common, c);
  }
  if (terms.empty() || r % common != 0) return std::nullopt;
  m /= common;
  r /= common;
  if (m == 1) return std::nullopt;
  const std::int64_t first = terms[0].coefficient / common;
  const std::int64_t factor = gcd(first, m) == 1 ? inverse_mod(first % m, m) : 1;
  for (Term& term : terms) {
    term.coefficient = multiply_mod(term.coefficient / common % m, factor, m);
  }
  return ResidueFact{.base = sum.operands[0].context().sum(terms),
                     .modulus = m,
                     .residue = multiply_mod(r, factor, m),
                     .quotient = {}};
}

}  // namespace mercator::internal
