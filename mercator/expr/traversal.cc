#include "mercator/expr/traversal.h"

#include <algorithm>

#include "mercator/expr/node_places.h"

namespace mercator {

namespace {

// What was found from users to operands is nearly in the opposite order.
void sort_by_id(InlineVector<Expr, 32>& nodes) {
  constexpr std::size_t kFew = 24;
  const auto comes_first = [](Expr a, Expr b) { return a.id() < b.id(); };
  std::reverse(nodes.begin(), nodes.end());
  if (nodes.size() > kFew) {
    std::sort(nodes.begin(), nodes.end(), comes_first);
    return;
  }
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Expr node = nodes[i];
    std::size_t place = i;
    for (; place > 0 && comes_first(node, nodes[place - 1]); --place) {
      nodes[place] = nodes[place - 1];
    }
    nodes[place] = node;
  }
}

}  // namespace

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
  sort_by_id(nodes_);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) places.set(nodes_[i], i);

  for (const Expr node : nodes_) {
    first_operand_.push_back(static_cast<std::uint32_t>(operands_.size()));
    for (const Expr operand : node.operands()) operands_.push_back(places.get(operand));
  }
  first_operand_.push_back(static_cast<std::uint32_t>(operands_.size()));
  for (const Expr root : roots) roots_.push_back(places.get(root));
}

}  // namespace mercator
