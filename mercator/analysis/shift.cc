#include "mercator/analysis/shift.h"

#include <numeric>
#include <span>

#include "mercator/expr/traversal.h"
#include "mercator/support/arithmetic.h"

namespace mercator::analysis {
namespace {

std::optional<std::int64_t> multiple(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!checked_mul(a, b, &result) || result == std::numeric_limits<std::int64_t>::min()) {
    return std::nullopt;
  }
  return result;
}

std::optional<Shift> times(const Shift& shift, std::int64_t factor) {
  const std::optional<std::int64_t> period = multiple(shift.period, factor);
  const std::optional<std::int64_t> delta = multiple(shift.delta, factor);
  if (!period || !delta) return std::nullopt;
  return Shift{.period = *period, .delta = *delta};
}

// Of the sum of `coefficients[i] * operands[i]`.
std::optional<Shift> sum(std::span<const Shift> operands,
                         std::span<const std::int64_t> coefficients) {
  Shift total;
  for (const Shift& operand : operands) {
    const auto period = multiple(total.period / gcd(total.period, operand.period), operand.period);
    if (!period) return std::nullopt;
    total.period = *period;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto delta = multiple(operands[i].delta, total.period / operands[i].period);
    const auto term = delta ? multiple(*delta, coefficients[i]) : std::nullopt;
    if (!term || !checked_add(total.delta, *term, &total.delta)) return std::nullopt;
  }
  return total;
}

// Of the least or the greatest of the operands, and of their product: where all move by the same,
// and for a product not at all.
std::optional<Shift> together(std::span<const Shift> operands, bool is_product) {
  Shift total;
  for (const Shift& operand : operands) {
    const auto period = multiple(total.period / gcd(total.period, operand.period), operand.period);
    if (!period) return std::nullopt;
    total.period = *period;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto delta = multiple(operands[i].delta, total.period / operands[i].period);
    if (!delta || (is_product && *delta != 0)) return std::nullopt;
    if (i > 0 && *delta != total.delta) return std::nullopt;
    total.delta = *delta;
  }
  return total;
}

std::optional<Shift> quotient(const Shift& dividend, Expr divisor, bool is_remainder) {
  if (dividend.delta == 0 && dividend.period == 1) return Shift{};
  if (!divisor.is(ExprKind::kConstant) || divisor.value() <= 0) return std::nullopt;
  const std::int64_t n = divisor.value();
  std::optional<Shift> shift = times(dividend, n / gcd(n, dividend.delta));
  if (shift) shift->delta = is_remainder ? 0 : shift->delta / n;
  return shift;
}

std::optional<Shift> shift_of_node(Expr node, std::span<const Shift> operands,
                                   VariableId variable) {
  switch (node.kind()) {
    case ExprKind::kConstant:
      return Shift{};
    case ExprKind::kVariable:
      return Shift{.period = 1, .delta = node.variable() == variable ? 1 : 0};
    case ExprKind::kSum:
      return sum(operands, node.coefficients());
    case ExprKind::kProduct:
      return together(operands, /*is_product=*/true);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return together(operands, /*is_product=*/false);
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
      // A divisor that moves moves in some way that this does not know.
      if (operands[1] != Shift{}) return std::nullopt;
      return quotient(operands[0], node.divisor(), node.is(ExprKind::kMod));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Shift> shift_of(Expr expr, VariableId variable) {
  const Traversal traversal(std::span(&expr, 1));
  std::vector<Shift> shifts;
  std::vector<Shift> operands;
  for (std::size_t i = 0; i < traversal.nodes().size(); ++i) {
    operands.clear();
    for (const std::uint32_t place : traversal.operands(i)) operands.push_back(shifts[place]);
    const std::optional<Shift> shift = shift_of_node(traversal.nodes()[i], operands, variable);
    if (!shift) return std::nullopt;
    shifts.push_back(*shift);
  }
  return shifts[traversal.roots()[0]];
}

std::optional<Shift> shift_modulo(Expr expr, VariableId variable, std::int64_t modulus) {
  const std::optional<Shift> shift = shift_of(expr, variable);
  return shift ? times(*shift, modulus / gcd(modulus, shift->delta)) : std::nullopt;
}

}  // namespace mercator::analysis
