// Checks that a module that reads is also meaningful.

#pragma once

#include "mercator/hlo/module.h"

namespace mercator::hlo {

// The shape of the result as it follows from opcode, operands and attributes (layout unsaid); none
// for instructions whose result does not follow from them (parameter, constant, iota, custom-call,
// …), which the verifier only checks for consistency. An error when the operands do not fit the
// instruction.
[[nodiscard]] Result<std::optional<Shape>> infer_shape(const Instruction& instruction,
                                                       Arena& arena);

// The first thing that is wrong with the module: operand counts, shapes that do not follow from the
// operands, dimension numbers out of range or repeated, called computations with the wrong
// signature, parameters that are missing or doubled, layouts that do not fit. The error's span is
// that of the instruction.
[[nodiscard]] Result<void> verify(const Module& module);

}  // namespace mercator::hlo
