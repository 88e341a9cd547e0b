// Walking expressions as the directed acyclic graphs that they are.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"

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
    return std::span(operands_).subspan(first_operand_[node],
                                        first_operand_[node + 1] - first_operand_[node]);
  }
  // Places in nodes() of the roots, in the order given.
  [[nodiscard]] std::span<const std::uint32_t> roots() const { return roots_; }

 private:
  std::vector<Expr> nodes_;
  std::vector<std::uint32_t> first_operand_;
  std::vector<std::uint32_t> operands_;
  std::vector<std::uint32_t> roots_;
};

}  // namespace mercator
