#include "mercator/indexing/dependence.h"

#include <algorithm>

#include <tsl/robin_set.h>

namespace mercator::indexing {
namespace {

using hlo::Instruction;
using hlo::Opcode;

bool is_elementwise(const Instruction& instruction) {
  return instruction.shape.is_array() && hlo::is_elementwise(instruction.opcode) &&
         std::ranges::all_of(instruction.operands, [&](const Instruction* operand) {
           return operand->shape.is_array() &&
                  std::ranges::equal(operand->shape.dimensions, instruction.shape.dimensions);
         });
}

// A walk from results to parameters.
class Walk {
 public:
  void start(const Instruction& instruction) {
    if (seen_.insert(&instruction).second) found_.push_back(&instruction);
  }
  // Visits all that can be reached, going on behind those for which `visit` says so.
  template <class Visit>
  void run(Visit&& visit) {
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (!visit(*found_[i])) continue;
      for (const Instruction* operand : found_[i]->operands) start(*operand);
    }
  }

 private:
  tsl::robin_set<const Instruction*> seen_;
  std::vector<const Instruction*> found_;
};

std::vector<Dependence> dependences(const Instruction& result, std::size_t parameters) {
  std::vector<Dependence> found(parameters, Dependence::kNone);
  Walk behind_others;
  Walk elementwise;
  elementwise.start(result);
  elementwise.run([&](const Instruction& instruction) {
    if (instruction.opcode == Opcode::kParameter) {
      found[static_cast<std::size_t>(instruction.parameter_number)] = Dependence::kElementwise;
    } else if (!is_elementwise(instruction)) {
      for (const Instruction* operand : instruction.operands) behind_others.start(*operand);
      return false;
    }
    return true;
  });
  behind_others.run([&](const Instruction& instruction) {
    if (instruction.opcode == Opcode::kParameter) {
      Dependence& dependence = found[static_cast<std::size_t>(instruction.parameter_number)];
      const bool is_scalar = instruction.shape.is_array() && instruction.shape.rank() == 0;
      if (dependence == Dependence::kNone || !is_scalar) dependence = Dependence::kPossible;
    }
    return true;
  });
  return found;
}

}  // namespace

FunctionDependence::FunctionDependence(const hlo::Computation& function) {
  const Instruction& root = *function.root;
  const std::size_t parameters = function.parameters.size();
  if (root.opcode == Opcode::kTuple) {
    for (const Instruction* operand : root.operands) {
      table_.push_back(dependences(*operand, parameters));
    }
  } else {
    const std::size_t results = root.shape.is_tuple() ? root.shape.elements.size() : 1;
    table_.assign(results, dependences(root, parameters));
  }
}

}  // namespace mercator::indexing
