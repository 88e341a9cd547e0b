#include "mercator/indexing/heroes.h"

#include <algorithm>
#include <set>

#include "mercator/indexing/analysis.h"
#include "mercator/indexing/computation.h"

namespace mercator {
namespace {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;

}  // namespace

namespace indexing {

std::vector<std::int64_t> long_dimensions(const hlo::Shape& array) {
  std::vector<std::int64_t> order = hlo::minor_to_major(array);
  std::erase_if(order,
                [&](std::int64_t d) { return array.dimensions[static_cast<std::size_t>(d)] == 1; });
  return order;
}

std::vector<std::int64_t> permutation_of(const Instruction& hero) {
  if (hero.opcode == Opcode::kTranspose) {
    const std::span<const std::int64_t> dimensions = hero.integers(AttributeName::kDimensions);
    return {dimensions.begin(), dimensions.end()};
  }
  std::vector<std::int64_t> same(hero.shape.dimensions.size());
  for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<std::int64_t>(i);
  return same;
}

const Instruction* unfit_behind_heroes(const Instruction& call,
                                       std::span<const Instruction* const> heroes) {
  const std::vector<CallSite> sites = call_sites(call);
  if (sites.size() != 1) return nullptr;
  std::set<const Instruction*> behind(heroes.begin(), heroes.end());
  for (const Instruction* instruction : live_instructions(*sites.front().computation)) {
    const bool is_behind =
        std::ranges::any_of(instruction->operands,
                            [&](const Instruction* operand) { return behind.contains(operand); });
    if (!is_behind || behind.contains(instruction)) continue;
    switch (instruction->opcode) {
      case Opcode::kBitcast:
      case Opcode::kBroadcast:
      case Opcode::kClamp:
      case Opcode::kGetTupleElement:
      case Opcode::kReshape:
      case Opcode::kReverse:
      case Opcode::kTranspose:
      case Opcode::kTuple:
        break;
      default:
        if (!hlo::is_elementwise(instruction->opcode)) return instruction;
    }
    behind.insert(instruction);
  }
  return nullptr;
}

std::size_t array_count(const Instruction& hero) {
  switch (hero.opcode) {
    case Opcode::kConcatenate:
      return hero.operands.size();
    case Opcode::kReduce:
      return hero.operands.size() / 2;
    default:
      return 1;
  }
}

}  // namespace indexing

namespace {

bool moves_innermost(const Instruction& instruction) {
  if (instruction.opcode != Opcode::kTranspose && instruction.opcode != Opcode::kCopy) return false;
  if (!instruction.shape.is_array()) return false;
  const std::vector<std::int64_t> from = indexing::long_dimensions(instruction.operand(0).shape);
  const std::vector<std::int64_t> to = indexing::long_dimensions(instruction.shape);
  const std::vector<std::int64_t> permutation = indexing::permutation_of(instruction);
  return !to.empty() && permutation[static_cast<std::size_t>(to.front())] != from.front();
}

bool reduces(const Instruction& instruction, bool rows) {
  if (instruction.opcode != Opcode::kReduce) return false;
  const std::vector<std::int64_t> order = indexing::long_dimensions(instruction.operand(0).shape);
  if (order.empty()) return rows;
  const auto reduced = instruction.integers(AttributeName::kDimensions);
  return (std::ranges::find(reduced, order.front()) != reduced.end()) == rows;
}

bool may_be_hero(const Instruction& instruction, Scheme scheme) {
  switch (scheme) {
    case Scheme::kLoop:
      return false;
    case Scheme::kTranspose:
      return moves_innermost(instruction);
    case Scheme::kRowReduction:
      return reduces(instruction, /*rows=*/true);
    case Scheme::kColumnReduction:
      return reduces(instruction, /*rows=*/false);
    case Scheme::kConcatenate:
      return instruction.opcode == Opcode::kConcatenate;
  }
  return false;
}

// Whether the same threads can see to both.
bool are_alike(const Instruction& a, const Instruction& b) {
  const auto equal = [](const hlo::Shape& x, const hlo::Shape& y) {
    return std::ranges::equal(x.dimensions, y.dimensions) &&
           hlo::minor_to_major(x) == hlo::minor_to_major(y);
  };
  const auto result = [](const Instruction& i) -> const hlo::Shape& {
    return i.shape.is_tuple() ? i.shape.elements.front() : i.shape;
  };
  const bool has_dimensions = a.find(AttributeName::kDimensions) != nullptr;
  if (a.opcode != b.opcode || !equal(result(a), result(b))) return false;
  if (has_dimensions && !std::ranges::equal(a.integers(AttributeName::kDimensions),
                                            b.integers(AttributeName::kDimensions))) {
    return false;
  }
  if (a.opcode != Opcode::kConcatenate) return equal(a.operand(0).shape, b.operand(0).shape);
  return std::ranges::equal(
      a.operands, b.operands,
      [&](const Instruction* x, const Instruction* y) { return equal(x->shape, y->shape); });
}

}  // namespace

std::vector<const Instruction*> heroes_of(const Instruction& call, Scheme scheme) {
  const std::vector<indexing::CallSite> sites = indexing::call_sites(call);
  if (sites.size() != 1) {
    if (may_be_hero(call, scheme)) return {&call};
    return {};
  }
  const std::vector<const Instruction*> live =
      indexing::live_instructions(*sites.front().computation);
  std::vector<const Instruction*> heroes;
  // What heroes are computed from.
  std::set<const Instruction*> behind;
  for (auto i = live.rbegin(); i != live.rend(); ++i) {
    const Instruction& instruction = **i;
    bool is_behind = behind.contains(&instruction);
    if (!is_behind && may_be_hero(instruction, scheme) &&
        (heroes.empty() || are_alike(*heroes.front(), instruction))) {
      heroes.push_back(&instruction);
      is_behind = true;
    }
    if (!is_behind) continue;
    behind.insert(instruction.operands.begin(), instruction.operands.end());
  }
  return heroes;
}

}  // namespace mercator
