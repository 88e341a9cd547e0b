// Walking expressions as the directed acyclic graphs that they are.

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "mercator/expr/expr.h"
#include "mercator/expr/node_places.h"
#include "mercator/support/inline_vector.h"

namespace mercator {

// The distinct subexpressions of some expressions, operands before users: what every analysis of
// expressions loops over. Needs no stack, however deep the expressions are.
class Traversal {
 public:
  explicit Traversal(std::span<const Expr> roots);

  // Distinct, operands first.
  [[nodiscard]] std::span<const Expr> nodes() const& { return nodes_; }
  std::span<const Expr> nodes() && = delete;
  // Places in nodes() of the operands of nodes()[node].
  [[nodiscard]] std::span<const std::uint32_t> operands(std::size_t node) const {
    return std::span<const std::uint32_t>(operands_).subspan(
        first_operand_[node], first_operand_[node + 1] - first_operand_[node]);
  }
  // Places in nodes() of the roots, in the order given.
  [[nodiscard]] std::span<const std::uint32_t> roots() const { return roots_; }

 private:
  InlineVector<Expr, 32> nodes_;
  InlineVector<std::uint32_t, 32> first_operand_;
  InlineVector<std::uint32_t, 64> operands_;
  InlineVector<std::uint32_t, 16> roots_;
};

// Calls `test` for each distinct subexpression of some expressions of one context, in no particular
// order, until it says true; then, so does this. Cheaper than a Traversal. `test` must neither make
// nor traverse expressions.
template <class Test>
bool any_node(std::span<const Expr> roots, Test test) {
  if (roots.empty()) return false;
  internal::NodePlaces& places = roots[0].context().places();
  places.clear();
  InlineVector<Expr, 32> pending;
  const auto add = [&](Expr expr) {
    if (!places.try_set(expr, 0)) return false;
    if (!expr.operands().empty()) pending.push_back(expr);
    return test(expr);
  };
  if (std::ranges::any_of(roots, add)) return true;
  while (!pending.empty()) {
    const Expr node = pending.back();
    pending.pop_back();
    if (std::ranges::any_of(node.operands(), add)) return true;
  }
  return false;
}

// The same for all of them.
template <class Visit>
void for_each_node(std::span<const Expr> roots, Visit visit) {
  any_node(roots, [&](Expr node) {
    visit(node);
    return false;
  });
}

}  // namespace mercator
