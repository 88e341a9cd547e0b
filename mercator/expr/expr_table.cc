#include "mercator/expr/expr_table.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <memory>
#include <new>

namespace mercator::internal {
namespace {

// Of ids and numbers, never of addresses: both halves of the product of two words, and the words
// themselves, since one factor may be zero.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
  constexpr std::uint64_t kOtherFactor = 0xd1342543de82ef95U;
  const auto product = static_cast<unsigned __int128>(a ^ kFactor) * (b ^ kOtherFactor);
  return (static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64)) +
         std::rotl(a, 29) + b;
}

std::uint64_t hash_of(const NodeStructure& structure) {
  // The terms and operands are mixed side by side, each by its place.
  std::uint64_t operands = 0;
  const bool has_coefficients = structure.kind == ExprKind::kSum;
  for (std::size_t i = 0; i < structure.operands.size(); ++i) {
    operands += mixed(structure.operands[i].id() + (i << 32),
                      has_coefficients ? static_cast<std::uint64_t>(structure.coefficients[i]) : 0);
  }
  const std::uint64_t kinds = (static_cast<std::uint64_t>(structure.kind) << 8) |
                              static_cast<std::uint64_t>(structure.variable_kind);
  return mixed(operands + (kinds << 48), static_cast<std::uint64_t>(structure.value));
}

template <class T>
bool have_same_elements(std::span<const T> a, const T* b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] == b[i])) return false;
  }
  return true;
}

bool is_node(const NodeStructure& structure, const ExprNode& node) {
  return structure.kind == node.kind && structure.value == node.value &&
         structure.variable_kind == node.variable_kind &&
         structure.operands.size() == node.operand_count &&
         have_same_elements(structure.operands, node.operands) &&
         have_same_elements(structure.coefficients, node.coefficients);
}

}  // namespace

template <class IsSame>
const ExprNode* ExprTable::find_or_add(std::uint64_t hash, IsSame is_same,
                                       const NodeStructure& structure) {
  Slot* const slots = slots_.data();
  std::size_t place = hash & mask_;
  for (; slots[place].node != nullptr; place = (place + 1) & mask_) {
    if (slots[place].hash == hash && is_same(*slots[place].node)) return slots[place].node;
  }
  const ExprNode* node = add(structure);
  slots[place] = {hash, node};
  if (2 * size_ > slots_.size()) grow();
  return node;
}

const ExprNode* ExprTable::find_or_add(const NodeStructure& structure) {
  assert(structure.kind != ExprKind::kConstant && structure.kind != ExprKind::kFloorDiv &&
         structure.kind != ExprKind::kMod);
  return find_or_add(
      hash_of(structure), [&](const ExprNode& node) { return is_node(structure, node); },
      structure);
}

const ExprNode* ExprTable::find_or_add_division(ExprKind kind, Expr dividend, Expr divisor) {
  const std::uint64_t ids = (static_cast<std::uint64_t>(dividend.id()) << 32) | divisor.id();
  const Expr operands[] = {dividend, divisor};
  return find_or_add(mixed(ids, static_cast<std::uint64_t>(kind)),
                     [&](const ExprNode& node) {
                       return node.kind == kind && node.operands[0] == dividend &&
                              node.operands[1] == divisor;
                     },
                     {.kind = kind, .operands = operands});
}

const ExprNode* ExprTable::find_or_add_constant(std::int64_t value) {
  return find_or_add(
      mixed(static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(ExprKind::kConstant)),
      [&](const ExprNode& node) { return node.kind == ExprKind::kConstant && node.value == value; },
      {.kind = ExprKind::kConstant, .value = value});
}

const ExprNode* ExprTable::add(const NodeStructure& structure) {
  const std::size_t count = structure.operands.size();
  const std::size_t coefficient_count = structure.coefficients.size();
  static_assert(sizeof(Expr) == sizeof(std::int64_t) && alignof(ExprNode) == alignof(Expr) &&
                alignof(Expr) == alignof(std::int64_t));
  // One piece: the node, its operands, its coefficients.
  auto* const memory = static_cast<std::byte*>(arena_.allocate(
      sizeof(ExprNode) + (count + coefficient_count) * sizeof(Expr), alignof(ExprNode)));
  auto* const operands = reinterpret_cast<Expr*>(memory + sizeof(ExprNode));
  auto* const coefficients = reinterpret_cast<std::int64_t*>(operands + count);
  std::uninitialized_copy_n(structure.coefficients.data(), coefficient_count, coefficients);

  const bool divides = structure.kind == ExprKind::kFloorDiv || structure.kind == ExprKind::kMod;
  auto* const node = new (memory) ExprNode{
      .context = &context_,
      .operands = operands,
      .coefficients = coefficients,
      .value = structure.value,
      .written_size = 1,
      .variable_bits = 0,
      .sort_key = static_cast<std::uint64_t>(structure.kind) << 56,
      .id = size_++,
      .depth = 0,
      .operand_count = static_cast<std::uint32_t>(count),
      .operation_weight = 0,
      .tree_weight = 0,
      .kind = structure.kind,
      .variable_kind = structure.variable_kind,
      .is_affine = count == 0 || structure.kind == ExprKind::kSum,
      .has_variable_divisor = divides && !structure.operands[1].is(ExprKind::kConstant),
      .is_tree = true,
  };
  if (structure.kind == ExprKind::kVariable) {
    node->variable_bits =
        variable_bit({structure.variable_kind, static_cast<std::uint32_t>(structure.value)});
    node->sort_key |= (static_cast<std::uint64_t>(structure.variable_kind) << 32) |
                      static_cast<std::uint64_t>(structure.value);
  }
  // The variables of the operands that are operations: of those on leaves, that is on variables and
  // constants, and of the others.
  std::uint64_t bits_on_leaves = 0;
  std::uint64_t bits_of_others = 0;
  std::int64_t tree_weight = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Expr operand = structure.operands[i];
    new (&operands[i]) Expr(operand);
    const std::uint64_t bits = variable_bits(operand);
    node->depth = std::max(node->depth, operand.depth());
    node->written_size += operand.written_size();
    node->variable_bits |= bits;
    node->is_affine = node->is_affine && operand.is(ExprKind::kVariable);
    node->has_variable_divisor = node->has_variable_divisor || operand.has_variable_divisor();
    if (operand.operands().empty()) continue;
    // An operation in two operands has variables that are in both; and unless the operands are the
    // same, it lies within one of them.
    const bool is_on_leaves = operand.depth() == 2;
    const std::uint64_t others = is_on_leaves ? bits_of_others : bits_of_others | bits_on_leaves;
    const bool is_repeated = i > 0 && operand == structure.operands[i - 1];
    node->is_tree =
        node->is_tree && operand.is_tree() && bits != 0 && (bits & others) == 0 && !is_repeated;
    (is_on_leaves ? bits_on_leaves : bits_of_others) |= bits;
    tree_weight += operand.tree_weight();
  }
  ++node->depth;
  node->operation_weight = static_cast<std::uint32_t>(operation_cost(Expr(node)).weight());
  tree_weight += node->operation_weight;
  node->is_tree = node->is_tree && tree_weight <= std::numeric_limits<std::uint32_t>::max();
  if (node->is_tree) node->tree_weight = static_cast<std::uint32_t>(tree_weight);
  return node;
}

void ExprTable::grow() {
  std::vector<Slot> larger(2 * slots_.size());
  for (const Slot& slot : slots_) {
    if (slot.node == nullptr) continue;
    std::size_t place = slot.hash & (larger.size() - 1);
    while (larger[place].node != nullptr) place = (place + 1) & (larger.size() - 1);
    larger[place] = slot;
  }
  slots_ = std::move(larger);
  mask_ = slots_.size() - 1;
}

}  // namespace mercator::internal
