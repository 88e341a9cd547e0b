#include "mercator/indexing/analysis.h"

#include <utility>

#include "mercator/indexing/computation.h"
#include "mercator/indexing/instructions.h"

namespace mercator::indexing {

const hlo::Computation* callee(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::kFusion:
      return instruction.computation(hlo::AttributeName::kCalls);
    case hlo::Opcode::kCall:
      return instruction.computation(hlo::AttributeName::kToApply);
    default:
      return nullptr;
  }
}

Analysis::Analysis(const hlo::Module& module, ExprContext& context)
    : module_(module), context_(context) {
  for (Tables& tables : tables_) {
    tables.instructions.resize(module.instructions.size());
    tables.computations.resize(module.computations.size());
    tables.entered.resize(module.computations.size(), false);
  }
}

const PairList& Analysis::pairs(const hlo::Instruction& instruction, Direction direction) {
  std::unique_ptr<const PairList>& known =
      tables_[static_cast<std::size_t>(direction)].instructions[instruction.id];
  if (known == nullptr) {
    InstructionMaps maps(*this, instruction, direction);
    const MapFunctions functions = map_functions(instruction.opcode);
    (maps.is_output_to_input() ? functions.output_to_input : functions.input_to_output)(maps);
    known = std::make_unique<const PairList>(maps.take());
  }
  return *known;
}

const PairList& Analysis::pairs(const hlo::Computation& computation, Direction direction) {
  Tables& tables = tables_[static_cast<std::size_t>(direction)];
  // Callees first, so that computing the maps of a computation finds those of its calls ready.
  std::vector<const hlo::Computation*> stack = {&computation};
  while (!stack.empty()) {
    const hlo::Computation& next = *stack.back();
    if (tables.computations[next.id] != nullptr) {
      stack.pop_back();
    } else if (!tables.entered[next.id]) {
      tables.entered[next.id] = true;
      for (const hlo::Instruction* instruction : next.instructions) {
        const hlo::Computation* called = callee(*instruction);
        if (called == nullptr || tables.computations[called->id] != nullptr) continue;
        if (tables.entered[called->id]) {
          // It is waiting for this one.
          tables.computations[called->id] = std::make_unique<const PairList>(
              PairList::not_known(reason("the computation calls itself")));
        } else {
          stack.push_back(called);
        }
      }
    } else {
      PairList list = computation_pairs(*this, next, direction);
      if (tables.computations[next.id] == nullptr) {
        tables.computations[next.id] = std::make_unique<const PairList>(std::move(list));
      }
      stack.pop_back();
    }
  }
  return *tables.computations[computation.id];
}

const std::string* Analysis::reason(std::string text) {
  return &*reasons_.insert(std::move(text)).first;
}

}  // namespace mercator::indexing
