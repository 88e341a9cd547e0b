#include "mercator/expr/traversal.h"

#include <tsl/robin_map.h>

#include <algorithm>

namespace mercator {

Traversal::Traversal(std::span<const Expr> roots) {
  tsl::robin_map<std::uint32_t, std::uint32_t> place;  // by id
  const auto visit = [&](Expr expr) {
    if (place.try_emplace(expr.id(), 0).second) nodes_.push_back(expr);
  };
  for (const Expr root : roots) visit(root);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const Expr operand : nodes_[i].operands()) visit(operand);
  }
  // Operands are made before their users, so ids are in topological order.
  std::sort(nodes_.begin(), nodes_.end(), [](Expr a, Expr b) { return a.id() < b.id(); });
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) place[nodes_[i].id()] = i;

  first_operand_.reserve(nodes_.size() + 1);
  for (const Expr node : nodes_) {
    first_operand_.push_back(static_cast<std::uint32_t>(operands_.size()));
    for (const Expr operand : node.operands()) operands_.push_back(place[operand.id()]);
  }
  first_operand_.push_back(static_cast<std::uint32_t>(operands_.size()));
  for (const Expr root : roots) roots_.push_back(place[root.id()]);
}

}  // namespace mercator
