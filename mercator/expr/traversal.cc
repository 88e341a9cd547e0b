#include "mercator/expr/traversal.h"

#include <algorithm>

#include "mercator/expr/node_places.h"
#include "mercator/support/sort_short.h"

namespace mercator {

Traversal::Traversal(std::span<const Expr> roots) {
  if (roots.empty()) {
    first_operand_.push_back(0);
    return;
  }
  internal::NodePlaces& places = roots[0].context().places();
  places.clear();
  const auto visit = [&](Expr expr) {
    if (places.try_set(expr, 0)) nodes_.push_back(expr);
  };
  for (const Expr root : roots) visit(root);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const Expr operand : nodes_[i].operands()) visit(operand);
  }
  // Operands are made before their users, so ids are in topological order.
  // They were found from users to operands, nearly in the opposite order.
  std::reverse(nodes_.begin(), nodes_.end());
  sort_short(std::span<Expr>(nodes_.begin(), nodes_.end()),
             [](Expr a, Expr b) { return a.id() < b.id(); });
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) places.set(nodes_[i], i);

  for (const Expr node : nodes_) {
    first_operand_.push_back(static_cast<std::uint32_t>(operands_.size()));
    for (const Expr operand : node.operands()) operands_.push_back(places.get(operand));
  }
  first_operand_.push_back(static_cast<std::uint32_t>(operands_.size()));
  for (const Expr root : roots) roots_.push_back(places.get(root));
}

}  // namespace mercator
