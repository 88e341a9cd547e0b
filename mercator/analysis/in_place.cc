#include "mercator/analysis/in_place.h"

#include <algorithm>
#include <optional>

namespace mercator::analysis {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// The shape of what is written over operand 0; null for an instruction that does not write so.
const hlo::Shape* update_of(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kDynamicUpdateSlice:
      return &instruction.operand(1).shape;
    case Opcode::kScatter:
      return instruction.operands.size() == 3 ? &instruction.operand(2).shape : nullptr;
    default:
      return nullptr;
  }
}

bool is_used_once(const hlo::Computation& computation, const Instruction& instruction) {
  std::int64_t uses = 0;
  for (const Instruction* user : computation.instructions) {
    uses += std::ranges::count(user->operands, &instruction);
  }
  return uses == 1;
}

// What is passed on without a change of shape or layout.
const Instruction& behind_bitcasts(const Instruction& instruction) {
  const Instruction* at = &instruction;
  while (at->opcode == Opcode::kBitcast || at->opcode == Opcode::kReshape) at = at->operands[0];
  return *at;
}

}  // namespace

std::vector<InPlaceUpdate> in_place_updates(const Instruction& instruction) {
  if (const hlo::Shape* update = update_of(instruction)) {
    return {{.output = {}, .operand = 0, .update = update}};
  }
  if (instruction.opcode != Opcode::kFusion) return {};
  const hlo::Computation& computation = *instruction.computation(hlo::AttributeName::kCalls);
  std::vector<InPlaceUpdate> updates;
  const auto add = [&](const Instruction& result, ShapeIndex output) {
    const Instruction& written = behind_bitcasts(result);
    const hlo::Shape* update = update_of(written);
    if (update == nullptr) return;
    const Instruction& array = behind_bitcasts(written.operand(0));
    if (array.opcode != Opcode::kParameter || !array.shape.is_array() ||
        !is_used_once(computation, array)) {
      return;
    }
    updates.push_back(
        {.output = std::move(output), .operand = array.parameter_number, .update = update});
  };
  const Instruction& root = *computation.root;
  if (root.opcode != Opcode::kTuple) {
    add(root, {});
    return updates;
  }
  for (std::size_t i = 0; i < root.operands.size(); ++i) {
    add(*root.operands[i], {static_cast<std::int64_t>(i)});
  }
  return updates;
}

}  // namespace mercator::analysis
