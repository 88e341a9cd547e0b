#include "mercator/indexing/analysis.h"

#include <utility>

#include "mercator/indexing/computation.h"
#include "mercator/indexing/instructions.h"
#include "mercator/indexing/loop.h"

namespace mercator::indexing {

std::vector<CallSite> call_sites(const hlo::Instruction& instruction) {
  using hlo::AttributeName;
  const auto site = [&](AttributeName attribute, std::size_t first_operand = 0) {
    return CallSite{.call = &instruction,
                    .computation = instruction.computation(attribute),
                    .first_operand = first_operand};
  };
  switch (instruction.opcode) {
    case hlo::Opcode::kAsyncStart:
    case hlo::Opcode::kFusion:
      return {site(AttributeName::kCalls)};
    case hlo::Opcode::kCall:
      return {site(AttributeName::kToApply)};
    case hlo::Opcode::kWhile:
      return {site(AttributeName::kBody), site(AttributeName::kCondition)};
    case hlo::Opcode::kConditional:
      break;
    default:
      return {};
  }
  if (instruction.find(AttributeName::kTrueComputation) != nullptr) {
    return {site(AttributeName::kTrueComputation, 1), site(AttributeName::kFalseComputation, 2)};
  }
  std::vector<CallSite> sites;
  for (const hlo::Computation* branch :
       instruction.get<std::span<hlo::Computation* const>>(AttributeName::kBranchComputations)) {
    sites.push_back(
        {.call = &instruction, .computation = branch, .first_operand = sites.size() + 1});
  }
  return sites;
}

Analysis::Analysis(const hlo::Module& module, ExprContext& context, CustomCalls custom_calls)
    : module_(module),
      context_(context),
      devices_(devices_of(module)),
      call_paths_(module),
      custom_calls_(std::move(custom_calls)) {
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
        for (const CallSite& site : call_sites(*instruction)) {
          const hlo::Computation* called = site.computation;
          if (tables.computations[called->id] != nullptr) continue;
          if (tables.entered[called->id]) {
            // It is waiting for this one.
            tables.computations[called->id] = std::make_unique<const PairList>(
                PairList::not_known(reason("the computation calls itself")));
          } else {
            stack.push_back(called);
          }
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

const std::vector<ShapeIndex>& Analysis::invariants(const hlo::Instruction& loop) {
  const auto known = invariants_.find(loop.id);
  if (known != invariants_.end()) return known->second;
  return invariants_.emplace(loop.id, loop_invariants(loop)).first->second;
}

const CustomCallMeaning* Analysis::custom_call(std::string_view target) const {
  const auto given = custom_calls_.find(target);
  return given == custom_calls_.end() ? nullptr : &given->second;
}

const std::string* Analysis::reason(std::string text) {
  return &*reasons_.insert(std::move(text)).first;
}

}  // namespace mercator::indexing
