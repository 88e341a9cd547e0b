#include "mercator/expr/expr_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>

namespace mercator::internal {
namespace {

NodeStructure structure_of(const ExprNode& node) {
  return {
      .kind = node.kind,
      .variable_kind = node.variable_kind,
      .value = node.value,
      .operands = {node.operands, node.operand_count},
      .coefficients = {node.coefficients, node.kind == ExprKind::kSum ? node.operand_count : 0}};
}

}  // namespace

// Of ids and numbers, never of addresses.
std::size_t ExprTable::Hash::operator()(const NodeStructure& structure) const {
  std::array<std::uint64_t, 34> words;
  std::size_t count = 0;
  words[count++] = (static_cast<std::uint64_t>(structure.kind) << 8) |
                   static_cast<std::uint64_t>(structure.variable_kind);
  words[count++] = static_cast<std::uint64_t>(structure.value);
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t word) {
    if (count == words.size()) {
      hash = XXH3_64bits_withSeed(words.data(), sizeof words, hash);
      count = 0;
    }
    words[count++] = word;
  };
  for (const Expr operand : structure.operands) add(operand.id());
  for (const std::int64_t c : structure.coefficients) add(static_cast<std::uint64_t>(c));
  return XXH3_64bits_withSeed(words.data(), count * sizeof words[0], hash);
}

std::size_t ExprTable::Hash::operator()(const ExprNode* node) const {
  return (*this)(structure_of(*node));
}

bool ExprTable::Equal::operator()(const NodeStructure& structure, const ExprNode* node) const {
  const NodeStructure other = structure_of(*node);
  return structure.kind == other.kind && structure.variable_kind == other.variable_kind &&
         structure.value == other.value && std::ranges::equal(structure.operands, other.operands) &&
         std::ranges::equal(structure.coefficients, other.coefficients);
}

const ExprNode* ExprTable::find_or_add(const NodeStructure& structure) {
  const std::size_t hash = Hash{}(structure);
  if (const auto found = nodes_.find(structure, hash); found != nodes_.end()) return *found;

  std::uint32_t depth = 0;
  for (const Expr operand : structure.operands) depth = std::max(depth, operand.depth());
  const std::span<const Expr> operands = arena_.copy(structure.operands);
  const std::span<const std::int64_t> coefficients = arena_.copy(structure.coefficients);
  const auto* node = arena_.make<ExprNode>(ExprNode{
      .context = &context_,
      .operands = operands.data(),
      .coefficients = coefficients.data(),
      .value = structure.value,
      .id = size_++,
      .depth = depth + 1,
      .operand_count = static_cast<std::uint32_t>(operands.size()),
      .kind = structure.kind,
      .variable_kind = structure.variable_kind,
  });
  nodes_.insert(node);
  return node;
}

}  // namespace mercator::internal
