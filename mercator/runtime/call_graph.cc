#include "mercator/runtime/call_graph.h"

#include <algorithm>

namespace mercator::runtime {
namespace {

using Callers = std::vector<std::vector<std::uint32_t>>;

Callers callers_of(const hlo::Module& module) {
  Callers callers(module.computations.size());
  for (const hlo::Instruction* instruction : module.instructions) {
    for (const hlo::Computation* callee : instruction->called_computations()) {
      callers[callee->id].push_back(instruction->parent->id);
    }
  }
  return callers;
}

bool draws_random_numbers(const hlo::Instruction& instruction) {
  return instruction.opcode == hlo::Opcode::kRng ||
         instruction.opcode == hlo::Opcode::kRngGetAndUpdateState;
}

bool has_effect_itself(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::kInfeed:
    case hlo::Opcode::kOutfeed:
    case hlo::Opcode::kRecv:
    case hlo::Opcode::kRecvDone:
    case hlo::Opcode::kSend:
    case hlo::Opcode::kSendDone:
      return true;
    case hlo::Opcode::kCustomCall:
      return instruction.get<bool>(hlo::AttributeName::kCustomCallHasSideEffect);
    default:
      return draws_random_numbers(instruction);
  }
}

// By computation, whether an instruction in it, or in what it calls, is one of these.
template <class Predicate>
std::vector<bool> computations_with(const hlo::Module& module, Predicate predicate) {
  std::vector<bool> marked(module.computations.size());
  bool any = false;
  for (const hlo::Instruction* instruction : module.instructions) {
    if (!predicate(*instruction)) continue;
    marked[instruction->parent->id] = true;
    any = true;
  }
  if (!any) return marked;
  const auto nearest = nearest_marked_callee(module, marked);
  for (std::size_t i = 0; i < marked.size(); ++i) marked[i] = nearest[i].has_value();
  return marked;
}

bool calls_one_of(const hlo::Instruction& instruction, const std::vector<bool>& computations) {
  return std::ranges::any_of(
      instruction.called_computations(),
      [&](const hlo::Computation* callee) { return computations[callee->id]; });
}

}  // namespace

std::vector<std::optional<std::uint32_t>> nearest_marked_callee(const hlo::Module& module,
                                                                const std::vector<bool>& marked) {
  const Callers callers = callers_of(module);
  std::vector<std::optional<std::uint32_t>> nearest(marked.size());
  std::vector<std::uint32_t> queue;
  for (std::uint32_t id = 0; id < marked.size(); ++id) {
    if (!marked[id]) continue;
    nearest[id] = id;
    queue.push_back(id);
  }
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::uint32_t callee = queue[next];
    for (const std::uint32_t caller : callers[callee]) {
      if (nearest[caller]) continue;
      nearest[caller] = nearest[callee];
      queue.push_back(caller);
    }
  }
  return nearest;
}

Effects::Effects(const hlo::Module& module)
    : effects_(computations_with(module, has_effect_itself)),
      random_(computations_with(module, draws_random_numbers)) {}

bool Effects::has_effect(const hlo::Instruction& instruction) const {
  return has_effect_itself(instruction) || calls_one_of(instruction, effects_);
}

bool Effects::is_random(const hlo::Instruction& instruction) const {
  return draws_random_numbers(instruction) || calls_one_of(instruction, random_);
}

std::vector<const hlo::Instruction*> Effects::in_order(const hlo::Computation& computation) const {
  if (!has_effect(computation)) return {};
  std::vector<const hlo::Instruction*> order = computation.post_order();
  std::erase_if(order, [&](const hlo::Instruction* i) { return !has_effect(*i); });
  return order;
}

}  // namespace mercator::runtime
