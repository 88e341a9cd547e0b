// One elementwise instruction, for single elements.

#pragma once

#include <cstdint>
#include <span>

#include "mercator/hlo/module.h"
#include "mercator/runtime/number.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// What is the same for all elements of an instruction.
struct ScalarOperation {
  // Computes in the kind of the operands' type, or that of its parts.
  using Function = Number (*)(const ScalarOperation& operation, const Number* operands);
  Function function = nullptr;
  // Rounds what the function computed, a number of type `computed`, to the type of the result; null
  // if it is a value of it.
  Convert rounding = nullptr;
  hlo::ElementType computed = hlo::ElementType::kPred;
  hlo::ElementType type = hlo::ElementType::kPred;    // of the first operand
  hlo::ElementType result = hlo::ElementType::kPred;  // of the result
  int bits = 0;                                       // the width of `type`
  int exponent_bits = 0;                              // of reduce-precision
  int mantissa_bits = 0;

  // `operands` has one number for each operand, of its type; the result is a value of the
  // instruction's type.
  Number operator()(const Number* operands) const {
    const Number result = function(*this, operands);
    return rounding != nullptr ? rounding(result) : result;
  }
};

// The operation of an elementwise instruction (`clamp` included, `map` left aside, and
// `bitcast-convert` between types of the same width), if its operands had the types `types`, one
// for each, in place of those of the instruction, and its result had type `result`: ScalarFunction
// computes in wider types. An error of kind kUnsupported for other instructions and for types that
// the instruction does not have.
[[nodiscard]] Result<ScalarOperation> scalar_operation(const hlo::Instruction& instruction,
                                                       std::span<const hlo::ElementType> types,
                                                       hlo::ElementType result);
// With the types of the instruction, whose operands and result are arrays.
[[nodiscard]] Result<ScalarOperation> scalar_operation(const hlo::Instruction& instruction);

}  // namespace mercator::runtime
