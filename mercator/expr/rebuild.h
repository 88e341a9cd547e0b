// Making expressions anew, node by node.

#pragma once

#include <span>

#include "mercator/expr/expr.h"

namespace mercator::internal {

// The same operation on other operands.
[[nodiscard]] Expr with_operands(Expr expr, std::span<const Expr> operands);

}  // namespace mercator::internal
