#include <algorithm>

#include "mercator/expr/expr.h"
#include "mercator/expr/rebuild.h"
#include "mercator/expr/traversal.h"
#include "mercator/support/inline_vector.h"

namespace mercator {

Expr internal::with_operands(Expr expr, std::span<const Expr> operands) {
  ExprContext& context = expr.context();
  switch (expr.kind()) {
    case ExprKind::kConstant:
    case ExprKind::kVariable:
      return expr;
    case ExprKind::kSum: {
      InlineVector<Term, 12> terms;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        terms.push_back({operands[i], expr.coefficients()[i]});
      }
      return context.sum(terms, expr.constant());
    }
    case ExprKind::kProduct:
      return context.product(operands);
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
      // A variable divisor that becomes the constant 0: the expression has no value anywhere, which
      // is what it still says as long as the divisor stays a variable.
      if (operands[1].is_constant(0)) return expr;
      return expr.is(ExprKind::kFloorDiv) ? context.floor_div(operands[0], operands[1])
                                          : context.mod(operands[0], operands[1]);
    case ExprKind::kMin:
      return context.min(operands);
    case ExprKind::kMax:
      return context.max(operands);
  }
  __builtin_unreachable();
}

void substitute(std::span<Expr> exprs, const std::function<Expr(VariableId)>& replacement) {
  const Traversal traversal(exprs);
  const std::span<const Expr> nodes = traversal.nodes();
  InlineVector<Expr, 32> rebuilt(nodes);
  InlineVector<Expr, 12> operands;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].is(ExprKind::kVariable)) {
      const Expr replaced = replacement(nodes[i].variable());
      if (replaced) rebuilt[i] = replaced;
      continue;
    }
    operands.clear();
    for (const std::uint32_t operand : traversal.operands(i)) operands.push_back(rebuilt[operand]);
    if (!std::ranges::equal(operands, nodes[i].operands())) {
      rebuilt[i] = internal::with_operands(nodes[i], operands);
    }
  }
  for (std::size_t i = 0; i < exprs.size(); ++i) exprs[i] = rebuilt[traversal.roots()[i]];
}

Expr substitute(Expr expr, const std::function<Expr(VariableId)>& replacement) {
  substitute(std::span(&expr, 1), replacement);
  return expr;
}

bool UsedVariables::contains(VariableId id) const {
  const std::vector<bool>& of_kind = id.kind == VariableKind::kDimension ? dimensions
                                     : id.kind == VariableKind::kRange   ? ranges
                                                                         : runtimes;
  return id.index < of_kind.size() && of_kind[id.index];
}

UsedVariables used_variables(std::span<const Expr> exprs) {
  UsedVariables used;
  const Traversal traversal(exprs);
  for (const Expr node : traversal.nodes()) {
    if (!node.is(ExprKind::kVariable)) continue;
    const VariableId id = node.variable();
    std::vector<bool>& of_kind = id.kind == VariableKind::kDimension ? used.dimensions
                                 : id.kind == VariableKind::kRange   ? used.ranges
                                                                     : used.runtimes;
    if (of_kind.size() <= id.index) of_kind.resize(id.index + 1);
    of_kind[id.index] = true;
  }
  return used;
}

}  // namespace mercator
