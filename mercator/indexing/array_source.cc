#include "mercator/indexing/array_source.h"

#include <cstddef>

namespace mercator::indexing {

using hlo::Opcode;

bool step_back(ArraySource& source) {
  const hlo::Instruction& instruction = *source.instruction;
  switch (instruction.opcode) {
    case Opcode::kGetTupleElement:
      source.path.insert(source.path.begin(), instruction.integer(hlo::AttributeName::kIndex, 0));
      source.instruction = instruction.operands[0];
      return true;
    case Opcode::kTuple:
      if (source.path.empty()) return false;
      source.instruction = instruction.operands[static_cast<std::size_t>(source.path.front())];
      source.path.erase(source.path.begin());
      return true;
    case Opcode::kAddDependency:
    case Opcode::kCopy:
    case Opcode::kDomain:
    case Opcode::kOptimizationBarrier:
      source.instruction = instruction.operands[0];
      return true;
    default:
      return false;
  }
}

ArraySource source_of(ArraySource source) {
  // Longer chains are not followed to their end, which keeps the analysis of a module of long
  // chains linear.
  constexpr int kMaxSteps = 64;
  for (int step = 0; step < kMaxSteps && step_back(source); ++step) {
  }
  return source;
}

}  // namespace mercator::indexing
