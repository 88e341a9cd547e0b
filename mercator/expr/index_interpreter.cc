#include "mercator/expr/index_interpreter.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

// Holds the exact result of every operation.
using Wide = __int128;

// The bits of `value` as an unsigned number.
Wide as_unsigned(std::int64_t value, IndexType type) {
  const auto bits = static_cast<std::uint64_t>(value);
  switch (type) {
    case IndexType::kI1:
      return bits & 1;
    case IndexType::kI32:
      return bits & 0xffff'ffffU;
    case IndexType::kI64:
      return bits;
  }
  __builtin_unreachable();
}

// The low bits of `value` as a number of the type.
std::int64_t wrap(Wide value, IndexType type) {
  switch (type) {
    case IndexType::kI1:
      return static_cast<std::int64_t>(value & 1);
    case IndexType::kI32:
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
    case IndexType::kI64:
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
  }
  __builtin_unreachable();
}

Wide wide_floor_div(Wide a, Wide b) {
  const Wide q = a / b;
  return q - static_cast<Wide>(a % b != 0 && (a < 0) != (b < 0));
}

// None where there is no result.
std::optional<Wide> exact_result(IndexOp op, IndexType operand_type,
                                 std::span<const std::int64_t> operands) {
  const Wide a = operands[0];
  const Wide b = operands.size() > 1 ? operands[1] : 0;
  const Wide ua = as_unsigned(operands[0], operand_type);
  const Wide ub = operands.size() > 1 ? as_unsigned(operands[1], operand_type) : 0;
  switch (op) {
    case IndexOp::kConstant:
    case IndexOp::kVariable:
      break;
    case IndexOp::kAdd:
      return a + b;
    case IndexOp::kSub:
      return a - b;
    case IndexOp::kMul:
      return a * b;
    case IndexOp::kMulHighUnsigned: {
      // Up to 2^128, hence unsigned.
      const auto product = static_cast<unsigned __int128>(ua) * static_cast<unsigned __int128>(ub);
      return static_cast<Wide>(product >> bit_width(operand_type));
    }
    case IndexOp::kMin:
      return std::min(a, b);
    case IndexOp::kMax:
      return std::max(a, b);
    case IndexOp::kShiftLeft:
      return a * (Wide{1} << operands[1]);
    case IndexOp::kShiftRight:
      return a >> operands[1];
    case IndexOp::kShiftRightUnsigned:
      return ua >> operands[1];
    case IndexOp::kAnd:
      return a & b;
    case IndexOp::kXor:
      return a ^ b;
    case IndexOp::kFloorDiv:
      return b == 0 ? std::nullopt : std::optional(wide_floor_div(a, b));
    case IndexOp::kMod:
      return b == 0 ? std::nullopt : std::optional(a - b * wide_floor_div(a, b));
    case IndexOp::kDiv:
      return b == 0 ? std::nullopt : std::optional(a / b);
    case IndexOp::kDivUnsigned:
      return ub == 0 ? std::nullopt : std::optional(ua / ub);
    case IndexOp::kEqual:
      return a == b ? 1 : 0;
    case IndexOp::kNotEqual:
      return a != b ? 1 : 0;
    case IndexOp::kLessEqual:
      return a <= b ? 1 : 0;
    case IndexOp::kLessEqualUnsigned:
      return ua <= ub ? 1 : 0;
    case IndexOp::kSelect:
      return operands[0] != 0 ? operands[1] : operands[2];
    case IndexOp::kSignExtend:
    case IndexOp::kTruncate:
      return a;
    case IndexOp::kZeroExtend:
      return ua;
  }
  __builtin_unreachable();
}

std::int64_t value_of(VariableId variable, const VariableValues& values) {
  const std::span<const std::int64_t> of_kind =
      variable.kind == VariableKind::kDimension ? values.dimensions
      : variable.kind == VariableKind::kRange   ? values.ranges
                                                : values.runtimes;
  assert(variable.index < of_kind.size());
  return of_kind[variable.index];
}

}  // namespace

OperationResult apply(IndexOp op, IndexType type, IndexType operand_type,
                      std::span<const std::int64_t> operands) {
  const std::optional<Wide> exact = exact_result(op, operand_type, operands);
  if (!exact) return {.value = 0, .is_exact = false};
  const std::int64_t value = wrap(*exact, type);
  return {.value = value, .is_exact = value == *exact};
}

Interpretation interpret(const IndexProgram& program, const VariableValues& values) {
  Interpretation result;
  std::vector<std::int64_t> computed;
  computed.reserve(program.instructions.size());
  const auto run = [&](const IndexInstruction& instruction) -> OperationResult {
    if (instruction.op == IndexOp::kConstant) return {instruction.value, true};
    if (instruction.op == IndexOp::kVariable) {
      const std::int64_t value = value_of(instruction.variable, values);
      return {wrap(value, instruction.type), wrap(value, instruction.type) == value};
    }
    std::array<std::int64_t, 3> operands = {};
    const std::span<const ValueId> ids = operands_of(instruction);
    std::ranges::transform(ids, operands.begin(), [&](ValueId id) { return computed[id]; });
    return apply(instruction.op, instruction.type, program.instructions[ids.back()].type,
                 std::span(operands).first(ids.size()));
  };
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const IndexInstruction& instruction = program.instructions[id];
    const OperationResult operation = run(instruction);
    const bool is_kept =
        (operation.is_exact || instruction.wraps) && instruction.range.contains(operation.value);
    if (!is_kept && !result.broken_promise) result.broken_promise = id;
    computed.push_back(operation.value);
  }
  for (const ValueId id : program.results) result.results.push_back(computed[id]);
  if (program.gate) result.gate = computed[*program.gate] != 0;
  return result;
}

}  // namespace mercator
