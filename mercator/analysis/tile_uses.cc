#include "mercator/analysis/tile_uses.h"

#include <algorithm>
#include <utility>

#include "mercator/expr/rebuild.h"
#include "mercator/expr/traversal.h"

namespace mercator::internal {
namespace {

class UseFinder {
 public:
  UseFinder(std::span<const Expr> roots, std::size_t count) : nodes_(roots), uses_(count) {
    const std::size_t size = nodes_.nodes().size();
    varies_.resize(size);
    parents_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      varies_[i] = is_range(node(i));
      for (const std::uint32_t operand : nodes_.operands(i)) {
        varies_[i] = varies_[i] || varies_[operand];
        if (varies_[operand]) parents_[operand].push_back(i);
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (is_range(node(i))) find(i);
    }
  }
  [[nodiscard]] std::vector<VariableUses> take() { return std::move(uses_); }

 private:
  [[nodiscard]] Expr node(std::size_t i) const { return nodes_.nodes()[i]; }

  void find(std::size_t variable) {
    VariableUses& uses = uses_[node(variable).variable().index];
    const Expr zero = node(variable).context().constant(0);
    find(variable, {.expr = node(variable), .factor = 1, .rest = zero}, uses);
    for (const std::size_t parent : parents_[variable]) {
      if (!node(parent).is(ExprKind::kSum)) continue;
      const std::span<const std::uint32_t> operands = nodes_.operands(parent);
      const auto varying =
          std::ranges::count_if(operands, [&](std::uint32_t operand) { return varies_[operand]; });
      std::int64_t factor = 1;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i] == variable) factor = node(parent).coefficients()[i];
      }
      if (varying > 1) {
        uses.sums.push_back({node(parent), factor});
        continue;
      }
      find(parent,
           {.expr = node(parent), .factor = factor, .rest = node(parent) - node(variable) * factor},
           uses);
    }
  }

  // What becomes of a linear argument.
  void find(std::size_t place, const LinearArgument& argument, VariableUses& uses) {
    for (std::size_t root = 0; root < nodes_.roots().size(); ++root) {
      if (nodes_.roots()[root] != place) continue;
      uses.roots.push_back({static_cast<std::uint32_t>(root), argument});
    }
    for (const std::size_t parent : parents_[place]) {
      const Expr user = node(parent);
      if (user.is(ExprKind::kSum)) {
        // Of the variable itself: `find` above looks at it. A sum in a sum is one too large to add.
        if (!is_range(node(place))) uses.is_opaque = true;
        continue;
      }
      const bool divides = user.is(ExprKind::kFloorDiv) || user.is(ExprKind::kMod);
      if (!divides || user.dividend() != argument.expr || !user.divisor().is(ExprKind::kConstant) ||
          user.divisor().value() < 1) {
        uses.is_opaque = true;
        continue;
      }
      uses.digits.push_back({.node = user,
                             .argument = argument,
                             .is_quotient = user.is(ExprKind::kFloorDiv),
                             .divisor = user.divisor().value()});
    }
  }

  Traversal nodes_;
  std::vector<bool> varies_;
  std::vector<std::vector<std::size_t>> parents_;
  std::vector<VariableUses> uses_;
};

}  // namespace

std::vector<VariableUses> uses_of(std::span<const Expr> roots, std::size_t count) {
  if (roots.empty() || count == 0) return std::vector<VariableUses>(count);
  return UseFinder(roots, count).take();
}

std::int64_t coefficient_of(Expr term, Expr sum) {
  if (!sum.is(ExprKind::kSum)) return sum == term ? 1 : 0;
  for (std::size_t i = 0; i < sum.operands().size(); ++i) {
    if (sum.operands()[i] == term) return sum.coefficients()[i];
  }
  return 0;
}

std::vector<std::int64_t> sorted_divisors(std::vector<std::int64_t> divisors) {
  std::ranges::sort(divisors);
  const auto repeated = std::ranges::unique(divisors);
  divisors.erase(repeated.begin(), repeated.end());
  return divisors;
}

bool is_chain(std::span<const std::int64_t> ascending) {
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    if (ascending[i] % ascending[i - 1] != 0) return false;
  }
  return true;
}

bool is_range(Expr expr) {
  return expr.is(ExprKind::kVariable) && expr.variable().kind == VariableKind::kRange;
}

bool has_ranges(Expr expr) { return any_node(std::span(&expr, 1), is_range); }

std::vector<std::uint32_t> ranges_in(Expr expr) {
  std::vector<std::uint32_t> found;
  for_each_node(std::span(&expr, 1), [&](Expr node) {
    if (is_range(node)) found.push_back(node.variable().index);
  });
  std::ranges::sort(found);
  return found;
}

bool is_within(Expr node, Expr expr) {
  return any_node(std::span(&expr, 1), [&](Expr part) { return part == node; });
}

void rewrite(std::span<Expr> roots,
             const std::function<Expr(Expr, std::span<const Expr>)>& replace) {
  if (roots.empty()) return;
  const Traversal old(roots);
  std::vector<Expr> done;
  std::vector<Expr> operands;
  for (std::size_t i = 0; i < old.nodes().size(); ++i) {
    operands.clear();
    for (const std::uint32_t operand : old.operands(i)) operands.push_back(done[operand]);
    Expr result = replace(old.nodes()[i], operands);
    if (!result) result = with_operands(old.nodes()[i], operands);
    done.push_back(result);
  }
  for (std::size_t i = 0; i < roots.size(); ++i) roots[i] = done[old.roots()[i]];
}

}  // namespace mercator::internal
