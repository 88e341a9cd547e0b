#include "mercator/runtime/scalar_operation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/narrow_float.h"
#include "mercator/runtime/scalar_kinds.h"

namespace mercator::runtime {
namespace {

using hlo::ElementType;
using hlo::Opcode;

Number select(const ScalarOperation& /*operation*/, const Number* operands) {
  return operands[0].u != 0 ? operands[1] : operands[2];
}

// The value of another type that has the same bits.
Number reinterpret(const ScalarOperation& operation, const Number* operands) {
  std::array<std::byte, 16> bytes;
  store_function(operation.type)(operands[0], bytes.data());
  return load_function(operation.result)(bytes.data());
}

ScalarOperation::Function function_of_kind(Opcode opcode, ElementType type) {
  if (type == ElementType::kPred) return pred_function(opcode);
  switch (number_kind(type)) {
    case NumberKind::kUnsigned:
      return unsigned_function(opcode);
    case NumberKind::kSigned:
      return signed_function(opcode);
    case NumberKind::kSingle:
      return single_function(opcode);
    case NumberKind::kDouble:
      return double_function(opcode);
    case NumberKind::kComplexSingle:
      return complex_single_function(opcode);
    case NumberKind::kComplexDouble:
      return complex_double_function(opcode);
  }
  return nullptr;
}

ScalarOperation::Function function_of(const hlo::Instruction& instruction, ElementType type,
                                      ElementType result) {
  switch (instruction.opcode) {
    case Opcode::kCopy:
    case Opcode::kConvert:
      return first_operand;
    case Opcode::kBitcastConvert:
      return hlo::bit_width(type) == hlo::bit_width(result) ? reinterpret : nullptr;
    case Opcode::kSelect:
      return select;
    case Opcode::kCompare: {
      const auto direction = instruction.get<hlo::Word>(hlo::AttributeName::kDirection);
      const auto order = instruction.get<hlo::RawText>(hlo::AttributeName::kType);
      return compare_function(direction.text, order.text == "TOTALORDER", number_kind(type));
    }
    case Opcode::kReducePrecision:
      return reduce_precision_function(type);
    case Opcode::kStochasticConvert:
      return stochastic_convert_function(type);
    default:
      return function_of_kind(instruction.opcode, type);
  }
}

// The type of what the function gives for operands whose first one has type `type`.
ElementType computed_type(Opcode opcode, ElementType type, ElementType result) {
  const bool is_double = type == ElementType::kF64 || type == ElementType::kC128;
  switch (opcode) {
    case Opcode::kBitcastConvert:
    case Opcode::kSelect:
      return result;
    case Opcode::kCompare:
    case Opcode::kIsFinite:
      return ElementType::kPred;
    case Opcode::kConvert:
    case Opcode::kCopy:
      return type;
    case Opcode::kComplex:
      return is_double ? ElementType::kC128 : ElementType::kC64;
    case Opcode::kAbs:
    case Opcode::kImag:
    case Opcode::kReal:
      if (hlo::is_complex(type)) return is_double ? ElementType::kF64 : ElementType::kF32;
      break;
    default:
      break;
  }
  return is_narrow_float(type) ? ElementType::kF32 : type;
}

// Attributes may be larger than any type has use for.
int bit_count(const hlo::Instruction& instruction, hlo::AttributeName attribute) {
  return static_cast<int>(std::clamp<std::int64_t>(instruction.integer(attribute, 0), 0, 64));
}

}  // namespace

Result<ScalarOperation> scalar_operation(const hlo::Instruction& instruction,
                                         std::span<const ElementType> types, ElementType result) {
  const Opcode opcode = instruction.opcode;
  const ElementType type = types.empty() ? ElementType::kPred : types.front();
  const ScalarOperation::Function function =
      types.empty() ? nullptr : function_of(instruction, type, result);
  if (function == nullptr) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("the interpreter has no {} of {}", name(opcode), hlo::name(type)));
  }
  const ElementType computed = computed_type(opcode, type, result);
  ScalarOperation operation;
  operation.function = function;
  if (computed != result) operation.rounding = convert_function(computed, result);
  operation.computed = computed;
  operation.type = type;
  operation.result = result;
  operation.bits = static_cast<int>(hlo::bit_width(type));
  operation.exponent_bits = bit_count(instruction, hlo::AttributeName::kExponentBits);
  operation.mantissa_bits = bit_count(instruction, hlo::AttributeName::kMantissaBits);
  return operation;
}

Result<ScalarOperation> scalar_operation(const hlo::Instruction& instruction) {
  std::vector<ElementType> types;
  for (const hlo::Instruction* operand : instruction.operands) {
    types.push_back(operand->shape.element_type);
  }
  return scalar_operation(instruction, types, instruction.shape.element_type);
}

}  // namespace mercator::runtime
