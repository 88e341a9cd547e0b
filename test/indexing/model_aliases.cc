// What only passes on arrays; see model_devices.h.

#include <algorithm>
#include <iterator>
#include <string_view>

#include "test/indexing/model_definitions.h"
#include "test/indexing/model_devices.h"

namespace mercator::testing {
namespace {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Adds the arrays of `shape`, which lie below `output` in the result and below `leaf` in an
// operand.
void add_aliases(const Shape& shape, const Index& output, std::int64_t operand, const Index& leaf,
                 std::vector<Alias>& result) {
  for (const hlo::ShapeLeaf& array : hlo::leaves(shape)) {
    if (!array.shape.is_array()) continue;
    Alias alias{output, operand, leaf, array.shape.element_count()};
    alias.output.insert(alias.output.end(), array.index.begin(), array.index.end());
    alias.operand_leaf.insert(alias.operand_leaf.end(), array.index.begin(), array.index.end());
    result.push_back(alias);
  }
}

// Custom calls that only say something of their operand.
bool is_known_to_pass_on(const Instruction& call) {
  static constexpr std::string_view kTargets[] = {"MoveToDevice", "MoveToHost", "Sharding",
                                                  "annotate_device_placement"};
  const auto target = call.get<hlo::QuotedString>(AttributeName::kCustomCallTarget).text;
  return std::ranges::find(kTargets, target) != std::end(kTargets);
}

}  // namespace

std::vector<Alias> aliases(const Instruction& instruction) {
  std::vector<Alias> result;
  const Shape& shape = instruction.shape;
  const auto count = std::ssize(instruction.operands);
  const auto operand = [&](std::int64_t k) -> const Shape& {
    return instruction.operand(static_cast<std::size_t>(k)).shape;
  };
  switch (instruction.opcode) {
    case Opcode::kTuple:
      for (std::int64_t k = 0; k < count; ++k) add_aliases(operand(k), {k}, k, {}, result);
      break;
    case Opcode::kGetTupleElement:
      add_aliases(shape, {}, 0, {instruction.integer(AttributeName::kIndex, -1)}, result);
      break;
    case Opcode::kAsyncStart:
      for (std::int64_t k = 0; k < count; ++k) add_aliases(operand(k), {0, k}, k, {}, result);
      break;
    case Opcode::kAllGatherStart:
    case Opcode::kCollectivePermuteStart:
      for (std::int64_t k = 0; k < count; ++k) {
        add_aliases(operand(k), count == 1 ? Index{0} : Index{0, k}, k, {}, result);
      }
      break;
    case Opcode::kAllGatherDone:
    case Opcode::kAsyncDone:
    case Opcode::kCollectivePermuteDone:
      add_aliases(shape, {}, 0, {1}, result);
      break;
    case Opcode::kAddDependency:
    case Opcode::kAllReduceDone:
    case Opcode::kAsyncUpdate:
    case Opcode::kOptimizationBarrier:
      add_aliases(shape, {}, 0, {}, result);
      break;
    case Opcode::kCopyStart:
      for (const std::int64_t part : {0, 1}) add_aliases(operand(0), {part}, 0, {}, result);
      break;
    case Opcode::kCopyDone:
      add_aliases(shape, {}, 0, {0}, result);
      break;
    case Opcode::kSend:
      add_aliases(operand(0), {0}, 0, {}, result);
      break;
    case Opcode::kRecvDone:
      add_aliases(operand(0).elements[0], {0}, 0, {0}, result);
      break;
    case Opcode::kCustomCall:
      if (is_known_to_pass_on(instruction)) add_aliases(shape, {}, 0, {}, result);
      break;
    default:
      break;
  }
  return result;
}

bool is_only_aliases(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kCustomCall:
      return is_known_to_pass_on(instruction);
    case Opcode::kAddDependency:
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCall:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kFusion:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kTuple:
      return true;
    default:
      return false;
  }
}

}  // namespace mercator::testing
