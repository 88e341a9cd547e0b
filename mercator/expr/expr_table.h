// The nodes of a context, each structure once. For the files of this folder only.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/support/arena.h"

namespace mercator::internal {

// The structure of a node.
struct NodeStructure {
  ExprKind kind;
  VariableKind variable_kind = VariableKind::kDimension;
  std::int64_t value = 0;
  std::span<const Expr> operands = {};
  std::span<const std::int64_t> coefficients = {};
};

// Open addressing with linear probing: every expression that is made passes through here.
class ExprTable {
 public:
  explicit ExprTable(ExprContext& context) : context_(context), slots_(kFirstCapacity) {}

  // The node of that structure, made if there is none. Copies what the structure points to. Not for
  // these:
  const ExprNode* find_or_add(const NodeStructure& structure);
  // A quotient or remainder.
  const ExprNode* find_or_add_division(ExprKind kind, Expr dividend, Expr divisor);
  // A constant.
  const ExprNode* find_or_add_constant(std::int64_t value);

  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    const ExprNode* node = nullptr;
  };

  static constexpr std::size_t kFirstCapacity = 256;

  // `is_same(node)` says whether a node with that hash is the one.
  template <class IsSame>
  const ExprNode* find_or_add(std::uint64_t hash, IsSame is_same, const NodeStructure& structure);
  const ExprNode* add(const NodeStructure& structure);
  void grow();

  ExprContext& context_;
  Arena arena_;
  std::vector<Slot> slots_;  // as many as a power of two, at most half of them taken
  std::size_t mask_ = kFirstCapacity - 1;
  std::uint32_t size_ = 0;
};

}  // namespace mercator::internal
