// How expressions are stored. For the files of this folder only.

#pragma once

#include <cstdint>

#include "mercator/expr/expr.h"

namespace mercator::internal {

struct ExprNode {
  ExprContext* context;
  const Expr* operands;
  const std::int64_t* coefficients;  // of sums, as many as operands
  std::int64_t value;                // of constants; of sums the constant; of variables the index
  std::uint32_t id;
  std::uint32_t depth;
  std::uint32_t operand_count;
  ExprKind kind;
  VariableKind variable_kind;
};

}  // namespace mercator::internal
