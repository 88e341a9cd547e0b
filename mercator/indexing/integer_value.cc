#include "mercator/indexing/integer_value.h"

#include <optional>
#include <string_view>

#include "mercator/indexing/runtime_value.h"

namespace mercator::indexing {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// Whether the difference of two numbers says how they compare, wherever it is.
Expr compared(Analysis& analysis, std::string_view direction, Expr difference) {
  const Interval range = analysis.simplifier().range(difference);
  const auto known = [&](bool always, bool never) {
    if (!always && !never) return Expr();
    return analysis.context().constant(always ? 1 : 0);
  };
  const bool differs = range.lo > 0 || range.hi < 0;
  const bool is_zero = range == Interval::point(0);
  if (direction == "EQ") return known(is_zero, differs);
  if (direction == "NE") return known(differs, is_zero);
  if (direction == "LT") return known(range.hi < 0, range.lo >= 0);
  if (direction == "LE") return known(range.hi <= 0, range.lo > 0);
  if (direction == "GT") return known(range.lo > 0, range.hi <= 0);
  if (direction == "GE") return known(range.lo >= 0, range.hi < 0);
  return {};
}

}  // namespace

Expr integer_value(Analysis& analysis, const Instruction& instruction,
                   std::span<const Expr> operands) {
  switch (instruction.opcode) {
    case Opcode::kConvert:
      return operands[0];
    case Opcode::kAdd:
      return operands[0] + operands[1];
    case Opcode::kSubtract:
      return operands[0] - operands[1];
    case Opcode::kMultiply:
      return operands[0] * operands[1];
    case Opcode::kNegate:
      return -operands[0];
    case Opcode::kMaximum:
      return max(operands[0], operands[1]);
    case Opcode::kMinimum:
      return min(operands[0], operands[1]);
    case Opcode::kClamp:
      return min(max(operands[1], operands[0]), operands[2]);
    case Opcode::kSelect:
      if (!operands[0].is(ExprKind::kConstant)) return {};
      return operands[0].value() != 0 ? operands[1] : operands[2];
    case Opcode::kCompare:
      return compared(analysis, instruction.get<hlo::Word>(AttributeName::kDirection).text,
                      operands[0] - operands[1]);
    default:
      return {};
  }
}

Expr without_wrapping(Analysis& analysis, Expr value, hlo::ElementType type) {
  const Expr simple = analysis.simplifier().simplify(value);
  const std::optional<Interval> all = values_of(type);
  const Interval range = analysis.simplifier().range(simple);
  return all.has_value() && range.is_bounded() && all->contains(range) ? simple : Expr();
}

}  // namespace mercator::indexing
