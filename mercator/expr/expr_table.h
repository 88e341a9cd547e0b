// The nodes of a context, each structure once. For the files of this folder only.

#pragma once

#include <tsl/robin_set.h>

#include <cstdint>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/expr_node.h"
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

class ExprTable {
 public:
  explicit ExprTable(ExprContext& context) : context_(context) {}

  // The node of that structure, made if there is none. Copies what the structure points to.
  const ExprNode* find_or_add(const NodeStructure& structure);

  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const NodeStructure& structure) const;
    std::size_t operator()(const ExprNode* node) const;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const ExprNode* a, const ExprNode* b) const { return a == b; }
    bool operator()(const NodeStructure& structure, const ExprNode* node) const;
    bool operator()(const ExprNode* node, const NodeStructure& structure) const {
      return (*this)(structure, node);
    }
  };

  ExprContext& context_;
  Arena arena_;
  tsl::robin_set<const ExprNode*, Hash, Equal, std::allocator<const ExprNode*>,
                 /*StoreHash=*/true>
      nodes_;
  std::uint32_t size_ = 0;
};

}  // namespace mercator::internal
