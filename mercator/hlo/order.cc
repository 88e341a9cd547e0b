#include "mercator/hlo/order.h"

#include <algorithm>

namespace mercator::hlo {
namespace {

enum class State : std::uint8_t { kNew, kOpen, kDone };

template <class T>
struct Frame {
  T* node;
  std::size_t next;
};

std::span<const Instruction* const> control_predecessors(const Instruction& instruction) {
  return instruction.get<std::span<const Instruction* const>>(AttributeName::kControlPredecessors);
}

}  // namespace

std::size_t predecessor_count(const Instruction& instruction) {
  return instruction.operands.size() + control_predecessors(instruction).size();
}

const Instruction* predecessor(const Instruction& instruction, std::size_t i) {
  if (i < instruction.operands.size()) return instruction.operands[i];
  return control_predecessors(instruction)[i - instruction.operands.size()];
}

const Instruction* append_post_order(std::span<Instruction* const> instructions, std::uint32_t base,
                                     std::vector<const Instruction*>& out) {
  std::vector<State> states(instructions.size(), State::kNew);
  std::vector<Frame<const Instruction>> stack;
  for (const Instruction* root : instructions) {
    if (states[root->id - base] != State::kNew) continue;
    stack.push_back({root, 0});
    states[root->id - base] = State::kOpen;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == predecessor_count(*node)) {
        states[node->id - base] = State::kDone;
        out.push_back(node);
        stack.pop_back();
        continue;
      }
      const Instruction* before = predecessor(*node, next++);
      State& state = states[before->id - base];
      if (state == State::kOpen) return before;
      if (state == State::kDone) continue;
      state = State::kOpen;
      stack.push_back({before, 0});
    }
  }
  return nullptr;
}

const Computation* append_callees_first(const std::vector<Computation*>& computations,
                                        const std::vector<Call>& calls,
                                        std::vector<Computation*>& out) {
  std::vector<std::vector<Computation*>> callees(computations.size());
  for (const Call& call : calls) callees[call.caller->id].push_back(call.callee);
  std::vector<State> states(computations.size(), State::kNew);
  std::vector<Frame<Computation>> stack;
  for (Computation* root : computations) {
    if (states[root->id] != State::kNew) continue;
    stack.push_back({root, 0});
    states[root->id] = State::kOpen;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == callees[node->id].size()) {
        states[node->id] = State::kDone;
        out.push_back(node);
        stack.pop_back();
        continue;
      }
      Computation* callee = callees[node->id][next++];
      State& state = states[callee->id];
      if (state == State::kOpen) return callee;
      if (state == State::kDone) continue;
      state = State::kOpen;
      stack.push_back({callee, 0});
    }
  }
  return nullptr;
}

}  // namespace mercator::hlo
