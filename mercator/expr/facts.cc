#include "mercator/expr/facts.h"

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

}  // namespace mercator::internal
