#include <algorithm>

#include "mercator/expr/expr.h"
#include "mercator/expr/traversal.h"

namespace mercator {

ExprCost operation_cost(Expr expr) {
  ExprCost cost;
  const auto operand_count = static_cast<std::int64_t>(expr.operands().size());
  switch (expr.kind()) {
    case ExprKind::kConstant:
    case ExprKind::kVariable:
      break;
    case ExprKind::kSum: {
      bool is_negated = expr.constant() == 0;
      for (const std::int64_t c : expr.coefficients()) {
        if (c != 1 && c != -1) ++cost.mul;
        is_negated = is_negated && c == -1;
      }
      cost.add += operand_count - 1 + (expr.constant() != 0 ? 1 : 0);
      // -x, and -x - y, begin with a negation; 5 - x does not.
      if (is_negated) ++cost.add;
      break;
    }
    case ExprKind::kProduct:
      cost.mul = operand_count - 1;
      break;
    case ExprKind::kFloorDiv:
      cost.div = 1;
      break;
    case ExprKind::kMod:
      cost.mod = 1;
      break;
    case ExprKind::kMin:
    case ExprKind::kMax:
      cost.minmax = operand_count - 1;
      break;
  }
  return cost;
}

ExprCost cost(std::span<const Expr> exprs) {
  ExprCost cost;
  const Traversal traversal(exprs);
  for (const Expr node : traversal.nodes()) cost += operation_cost(node);
  return cost;
}

}  // namespace mercator
