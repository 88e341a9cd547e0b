#include "test/indexing/value_inputs.h"

#include <algorithm>

namespace mercator::testing {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// A permutation of all numbers of 64 bits that looks random: distinct numbers give distinct ones.
std::uint64_t scrambled(std::uint64_t number) {
  std::uint64_t z = number + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

std::int64_t InputNumbers::next() {
  return static_cast<std::int64_t>(scrambled((seed_ << 24U) + count_++));
}

std::int64_t InputNumbers::in(std::int64_t lo, std::int64_t hi) {
  return lo + static_cast<std::int64_t>(static_cast<std::uint64_t>(next()) %
                                        static_cast<std::uint64_t>(hi - lo + 1));
}

std::int64_t InputNumbers::index(hlo::ElementType type) {
  static constexpr std::int64_t kExtremes[] = {INT64_MIN, INT32_MIN, INT32_MAX, INT64_MAX};
  if (seed_ % 4 == 1) return wrapped(in(0, 3), type);
  const std::int64_t number = in(0, 19) == 0 ? kExtremes[in(0, 3)] : in(-3, 8);
  return wrapped(number, type);
}

Value random_value(const hlo::Shape& shape, InputNumbers& numbers) {
  Value value;
  for (const hlo::Shape& part : shape.elements) value.parts.push_back(random_value(part, numbers));
  if (!shape.is_array()) return value;
  for (std::int64_t i = 0; i < shape.element_count(); ++i) {
    const bool is_data = shape.element_type == kDataType;
    value.elements.push_back(is_data ? numbers.next() : numbers.index(shape.element_type));
  }
  return value;
}

bool shows_in_result(const Instruction& instruction, std::size_t operand, const hlo::Shape& array) {
  switch (instruction.opcode) {
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
      return operand == 0;
    case Opcode::kDynamicUpdateSlice:
      return operand <= 1;
    case Opcode::kScatter:
      return operand != instruction.operands.size() / 2;
    case Opcode::kAdd:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kGetTupleElement:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kTuple:
      return true;
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kWhile:
      return array.element_type == kDataType;
    default:
      return false;
  }
}

bool has_loop(const Instruction& instruction) {
  return instruction.opcode == Opcode::kWhile ||
         std::ranges::any_of(instruction.called_computations(), [](const auto* computation) {
           return std::ranges::any_of(computation->instructions,
                                      [](const auto* inner) { return has_loop(*inner); });
         });
}

}  // namespace mercator::testing
