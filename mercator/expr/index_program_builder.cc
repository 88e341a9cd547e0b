#include "mercator/expr/index_program_builder.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "mercator/expr/index_interpreter.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

// All bit patterns of the type, which for i64 is "no bound".
Interval any_bits(IndexType type) {
  return type == IndexType::kI64 ? Interval::all() : values_of(type);
}

bool is_commutative(IndexOp op) {
  switch (op) {
    case IndexOp::kAdd:
    case IndexOp::kMul:
    case IndexOp::kMulHighUnsigned:
    case IndexOp::kMin:
    case IndexOp::kMax:
    case IndexOp::kAnd:
    case IndexOp::kXor:
    case IndexOp::kEqual:
    case IndexOp::kNotEqual:
      return true;
    default:
      return false;
  }
}

}  // namespace

IndexType least_common_type(IndexType a, IndexType b) { return std::max(a, b); }

std::optional<std::int64_t> IndexProgramBuilder::constant_value(ValueId id) const {
  const IndexInstruction& instruction = instructions_[id];
  if (instruction.op != IndexOp::kConstant) return std::nullopt;
  return instruction.value;
}

ValueId IndexProgramBuilder::constant(std::int64_t value) {
  const std::optional<IndexType> type = smallest_type(Interval::point(value));
  assert(type);
  return constant(value, *type);
}

ValueId IndexProgramBuilder::constant(std::int64_t value, IndexType type) {
  assert(any_bits(type).contains(value));
  return append({.op = IndexOp::kConstant, .type = type, .value = value, .range = {value, value}});
}

ValueId IndexProgramBuilder::variable(VariableId id, Interval bounds) {
  const std::optional<IndexType> type = smallest_type(bounds);
  assert(type);
  return append({.op = IndexOp::kVariable, .type = *type, .variable = id, .range = bounds});
}

IndexType IndexProgramBuilder::needed_type(ValueId a, ValueId b) const {
  return least_common_type(smallest_type(range(a)).value_or(type(a)),
                           smallest_type(range(b)).value_or(type(b)));
}

ValueId IndexProgramBuilder::binary(IndexOp op, ValueId a, ValueId b, Interval range) {
  const std::optional<IndexType> result = smallest_type(range);
  assert(result);
  const IndexType type = least_common_type(*result, needed_type(a, b));
  const ValueId operands[] = {convert(a, type), convert(b, type)};
  return emit(op, type, operands, range);
}

ValueId IndexProgramBuilder::compare(IndexOp op, ValueId a, ValueId b) {
  const IndexType type = needed_type(a, b);
  const ValueId operands[] = {convert(a, type), convert(b, type)};
  return emit(op, IndexType::kI1, operands, {0, 1});
}

ValueId IndexProgramBuilder::select(ValueId condition, ValueId a, ValueId b, Interval range) {
  assert(type(condition) == IndexType::kI1);
  const IndexType type = needed_type(a, b);
  const ValueId operands[] = {condition, convert(a, type), convert(b, type)};
  return emit(IndexOp::kSelect, type, operands, range);
}

ValueId IndexProgramBuilder::convert(ValueId value, IndexType type) {
  const IndexInstruction instruction = instructions_[value];
  if (instruction.type == type) return value;
  assert(values_of(type).contains(instruction.range));
  if (instruction.op == IndexOp::kConstant) return constant(instruction.value, type);
  const bool is_conversion = instruction.op == IndexOp::kSignExtend ||
                             instruction.op == IndexOp::kZeroExtend ||
                             instruction.op == IndexOp::kTruncate;
  // Conversions keep the number, so there and back is where it came from.
  if (is_conversion && this->type(instruction.operands[0]) == type) return instruction.operands[0];
  const ValueId operands[] = {value};
  if (type < instruction.type) {
    return emit(IndexOp::kTruncate, type, operands, instruction.range);
  }
  const bool is_negative = instruction.range.lo < 0;
  return emit(is_negative ? IndexOp::kSignExtend : IndexOp::kZeroExtend, type, operands,
              instruction.range);
}

ValueId IndexProgramBuilder::add_constant(ValueId value, std::int64_t constant, Interval range) {
  const IndexInstruction instruction = instructions_[value];
  if (instruction.op == IndexOp::kAdd && !instruction.wraps) {
    const std::optional<std::int64_t> inner = constant_value(instruction.operands[1]);
    std::int64_t sum = 0;
    // Unless the one addition would have to be wider than the two.
    const auto type_of_sum = [&](ValueId x, std::int64_t c) {
      return smallest_type(hull(this->range(x), {c, c}));
    };
    if (inner && checked_add(*inner, constant, &sum) &&
        type_of_sum(instruction.operands[0], sum) <= type_of_sum(value, constant)) {
      return add_constant(instruction.operands[0], sum, range);
    }
  }
  if (constant == 0) return value;
  return binary(IndexOp::kAdd, value, this->constant(constant), range);
}

// lo <= x <= hi just if x - lo <= hi - lo, both sides modulo 2^width and unsigned: with x from lo
// to the largest number of the type, x - lo is what it is, and for a smaller x it is x - lo +
// 2^width > hi - lo, since x + 2^width is more than any number of the type.
ValueId IndexProgramBuilder::within(ValueId value, Interval wanted) {
  const std::optional<IndexType> type = smallest_type(range(value));
  assert(type && range(value).contains(wanted));
  const Interval difference = range(value) - Interval::point(wanted.lo);
  const Interval values = values_of(*type);
  const ValueId above_lo =
      values.contains(difference) && values.contains(-Interval::point(wanted.lo))
          ? convert(add_constant(value, -wanted.lo, difference), *type)
          : wrapping(IndexOp::kSub, convert(value, *type), constant(wanted.lo, *type));
  const std::int64_t extent =
      apply(IndexOp::kSub, *type, *type, std::array{wanted.hi, wanted.lo}).value;
  const ValueId operands[] = {above_lo, constant(extent, *type)};
  return emit(IndexOp::kLessEqualUnsigned, IndexType::kI1, operands, {0, 1});
}

ValueId IndexProgramBuilder::both(ValueId a, ValueId b) {
  assert(type(a) == IndexType::kI1 && type(b) == IndexType::kI1);
  const ValueId operands[] = {a, b};
  return emit(IndexOp::kAnd, IndexType::kI1, operands, {0, 1});
}

ValueId IndexProgramBuilder::exact(IndexOp op, ValueId a, ValueId b, Interval range) {
  assert(type(a) == type(b));
  const ValueId operands[] = {a, b};
  return emit(op, type(a), operands, range);
}

ValueId IndexProgramBuilder::wrapping(IndexOp op, ValueId a, ValueId b, Interval range) {
  assert(type(a) == type(b));
  const ValueId operands[] = {a, b};
  return emit(op, type(a), operands, range, /*wraps=*/true);
}

ValueId IndexProgramBuilder::wrapping(IndexOp op, ValueId a, ValueId b) {
  return wrapping(op, a, b, any_bits(type(a)));
}

ValueId IndexProgramBuilder::emit(IndexOp op, IndexType type, std::span<const ValueId> operands,
                                  Interval range, bool wraps) {
  assert(operands.size() == operand_count(op));
  IndexInstruction instruction = {.op = op, .type = type, .wraps = wraps, .range = range};
  std::ranges::copy(operands, instruction.operands.begin());
  return append(instruction);
}

ValueId IndexProgramBuilder::append(IndexInstruction instruction) {
  if (const std::optional<ValueId> folded = fold(instruction)) return *folded;
  // A constant stands on the right. Otherwise the order is kept, but is no difference.
  std::array<ValueId, 3> key_operands = instruction.operands;
  if (is_commutative(instruction.op)) {
    if (constant_value(instruction.operands[0])) {
      std::swap(instruction.operands[0], instruction.operands[1]);
    }
    std::sort(key_operands.begin(), key_operands.begin() + 2);
  }
  const auto [entry, is_new] =
      known_.try_emplace(Key(instruction.op, instruction.type, instruction.wraps,
                             instruction.variable, instruction.value, key_operands),
                         static_cast<ValueId>(instructions_.size()));
  if (is_new) {
    instructions_.push_back(instruction);
  } else {
    // Both are true.
    Interval& range = instructions_[entry->second].range;
    range = intersect(range, instruction.range);
  }
  return entry->second;
}

// What needs no operation.
std::optional<ValueId> IndexProgramBuilder::fold(const IndexInstruction& instruction) {
  const std::span<const ValueId> operands = operands_of(instruction);
  if (operands.empty()) return std::nullopt;
  std::array<std::int64_t, 3> values = {};
  std::size_t constants = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (const std::optional<std::int64_t> value = constant_value(operands[i])) {
      values[i] = *value;
      ++constants;
    }
  }
  if (constants == operands.size()) {
    const OperationResult result = apply(instruction.op, instruction.type, type(operands.back()),
                                         std::span(values).first(operands.size()));
    if (result.is_exact || instruction.wraps) return constant(result.value, instruction.type);
    return std::nullopt;
  }
  const auto is = [&](std::size_t i, std::int64_t value) {
    return constant_value(operands[i]) == value;
  };
  switch (instruction.op) {
    case IndexOp::kAdd:
    case IndexOp::kXor:
      if (is(0, 0)) return operands[1];
      if (is(1, 0)) return operands[0];
      return std::nullopt;
    case IndexOp::kSub:
    case IndexOp::kShiftLeft:
    case IndexOp::kShiftRight:
    case IndexOp::kShiftRightUnsigned:
      if (is(1, 0)) return operands[0];
      return std::nullopt;
    case IndexOp::kMul:
      if (is(0, 1)) return operands[1];
      if (is(1, 1)) return operands[0];
      return std::nullopt;
    case IndexOp::kAnd:
      if (operands[0] == operands[1]) return operands[0];
      if (instruction.type == IndexType::kI1) {
        if (is(0, 0) || is(1, 1)) return operands[0];
        if (is(1, 0) || is(0, 1)) return operands[1];
      }
      return std::nullopt;
    case IndexOp::kSelect:
      if (constant_value(operands[0])) return operands[is(0, 0) ? 2 : 1];
      if (operands[1] == operands[2]) return operands[1];
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

IndexProgram IndexProgramBuilder::finish(std::span<const ValueId> results,
                                         std::optional<ValueId> gate) const {
  // A gate that is always open is no gate.
  if (gate && constant_value(*gate) == 1) gate = std::nullopt;
  std::vector<bool> is_needed(instructions_.size(), false);
  for (const ValueId result : results) is_needed[result] = true;
  if (gate) is_needed[*gate] = true;
  for (std::size_t id = instructions_.size(); id-- > 0;) {
    if (!is_needed[id]) continue;
    for (const ValueId operand : operands_of(instructions_[id])) is_needed[operand] = true;
  }
  IndexProgram program;
  std::vector<ValueId> place(instructions_.size(), 0);
  for (std::size_t id = 0; id < instructions_.size(); ++id) {
    if (!is_needed[id]) continue;
    place[id] = static_cast<ValueId>(program.instructions.size());
    IndexInstruction instruction = instructions_[id];
    for (std::size_t i = 0; i < operand_count(instruction.op); ++i) {
      instruction.operands[i] = place[instruction.operands[i]];
    }
    program.instructions.push_back(instruction);
  }
  for (const ValueId result : results) program.results.push_back(place[result]);
  if (gate) program.gate = place[*gate];
  return program;
}

}  // namespace mercator::internal
