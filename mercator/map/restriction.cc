#include "mercator/map/restriction.h"

#include "mercator/support/arithmetic.h"
#include "mercator/support/inline_vector.h"

namespace mercator::internal {

Restriction restriction_of(const Constraint& constraint) {
  if (const std::optional<Congruence> grid = as_congruence(constraint)) return Restriction(*grid);
  return {constraint.expr, constraint.range};
}

Constraint constraint_of(const Restriction& restriction) {
  return restriction.is_grid() ? as_constraint(restriction.grid)
                               : Constraint{restriction.base(), restriction.range};
}

bool sorts_before(const Restriction& a, const Restriction& b) {
  if (const auto order = compare(a.base(), b.base()); order != 0) return order < 0;
  if (a.is_grid() != b.is_grid()) return a.is_grid();
  return a.grid.modulus != b.grid.modulus ? a.grid.modulus < b.grid.modulus
                                          : a.grid.residue < b.grid.residue;
}

std::optional<Truth> join(Restriction& restriction, const Restriction& other) {
  if (restriction.base() != other.base() || restriction.is_grid() != other.is_grid()) {
    return std::nullopt;
  }
  if (restriction.is_grid()) return conjoin(restriction.grid, other.grid);
  restriction.range = intersect(restriction.range, other.range);
  return restriction.range.is_empty() ? Truth::kNever : Truth::kSometimes;
}

namespace {

// factor * end + offset for one end of a range, where `infinite` is what stands for no bound at
// that end and stays. None if the result leaves int64 or would read as infinite.
std::optional<std::int64_t> moved_end(std::int64_t end, std::int64_t infinite, std::int64_t factor,
                                      std::int64_t offset) {
  if (end == infinite) return end;
  std::int64_t moved = 0;
  if (!checked_mul(end, factor, &moved) || !checked_add(moved, offset, &moved) ||
      moved == infinite) {
    return std::nullopt;
  }
  return moved;
}

std::optional<std::int64_t> moved_lower(std::int64_t end, std::int64_t factor,
                                        std::int64_t offset) {
  return moved_end(end, Interval::kMinusInfinity, factor, offset);
}

std::optional<std::int64_t> moved_upper(std::int64_t end, std::int64_t factor,
                                        std::int64_t offset) {
  return moved_end(end, Interval::kPlusInfinity, factor, offset);
}

// The common factor of the coefficients, with the sign of the first one; 1 if it does not fit.
std::int64_t signed_factor(Expr sum) {
  std::int64_t factor = 0;
  for (const std::int64_t coefficient : sum.coefficients()) {
    if (coefficient == Interval::kMinusInfinity) return 1;
    factor = factor == 1 || coefficient == 1 || coefficient == -1 ? 1 : gcd(factor, coefficient);
  }
  return sum.coefficients()[0] < 0 ? -factor : factor;
}

}  // namespace

bool move_sum(Restriction& restriction) {
  const Expr sum = restriction.base();
  const std::int64_t factor = signed_factor(sum);
  if (sum.constant() == 0 && factor == 1) return false;
  if (sum.constant() == Interval::kMinusInfinity) return false;
  const auto lo = moved_lower(restriction.range.lo, 1, -sum.constant());
  const auto hi = moved_upper(restriction.range.hi, 1, -sum.constant());
  if (!lo || !hi) return false;
  // The negation of the least lower end would read as infinite, that of the least upper end does
  // not fit.
  if (factor < 0 && (*lo == Interval::kMinusInfinity + 1 || *hi == Interval::kMinusInfinity)) {
    return false;
  }

  InlineVector<Term, 8> terms;
  for (std::size_t i = 0; i < sum.operands().size(); ++i) {
    terms.push_back({sum.operands()[i], sum.coefficients()[i] / factor});
  }
  restriction = {sum.context().sum(terms), divide_exactly_within({*lo, *hi}, factor)};
  return true;
}

bool move_quotient(Restriction& restriction) {
  const Expr divisor = restriction.base().divisor();
  if (!divisor.is(ExprKind::kConstant) || divisor.value() <= 0) return false;
  const std::int64_t n = divisor.value();
  const auto lo = moved_lower(restriction.range.lo, n, 0);
  const auto hi = moved_upper(restriction.range.hi, n, n - 1);
  if (!lo || !hi) return false;
  restriction = {restriction.base().dividend(), {*lo, *hi}};
  return true;
}

}  // namespace mercator::internal
