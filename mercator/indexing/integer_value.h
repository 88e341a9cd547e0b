// Integers that instructions compute from others, as expressions.

#pragma once

#include <span>

#include "mercator/expr/expr.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/analysis.h"

namespace mercator::indexing {

// The value of an elementwise instruction of integers and truth values, in terms of those of its
// operands, all in the domain that the analysis's simplifier is set to. Null if it is not known.
// What leaves the range of the type is not minded.
[[nodiscard]] Expr integer_value(Analysis& analysis, const hlo::Instruction& instruction,
                                 std::span<const Expr> operands);

// That value, simplified; null if it may leave the range of the type, where the instruction would
// wrap around.
[[nodiscard]] Expr without_wrapping(Analysis& analysis, Expr value, hlo::ElementType type);

}  // namespace mercator::indexing
