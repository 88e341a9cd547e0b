#include <algorithm>
#include <cstdlib>

#include "mercator/expr/expr.h"
#include "mercator/expr/traversal.h"

namespace mercator {

ExprCost cost(std::span<const Expr> exprs) {
  ExprCost cost;
  const Traversal traversal(exprs);
  for (const Expr node : traversal.nodes()) {
    const auto operand_count = static_cast<std::int64_t>(node.operands().size());
    switch (node.kind()) {
      case ExprKind::kConstant:
      case ExprKind::kVariable:
        break;
      case ExprKind::kSum: {
        const auto is_unit = [](std::int64_t c) { return c == 1 || c == -1; };
        cost.mul += operand_count - std::ranges::count_if(node.coefficients(), is_unit);
        cost.add += operand_count - 1 + (node.constant() != 0 ? 1 : 0);
        // -x, and -x - y, begin with a negation; 5 - x does not.
        const auto is_negated = [](std::int64_t c) { return c == -1; };
        if (node.constant() == 0 && std::ranges::all_of(node.coefficients(), is_negated)) {
          ++cost.add;
        }
        break;
      }
      case ExprKind::kProduct:
        cost.mul += operand_count - 1;
        break;
      case ExprKind::kFloorDiv:
        ++cost.div;
        break;
      case ExprKind::kMod:
        ++cost.mod;
        break;
      case ExprKind::kMin:
      case ExprKind::kMax:
        cost.minmax += operand_count - 1;
        break;
    }
  }
  return cost;
}

}  // namespace mercator
