#include "mercator/hlo/module.h"

#include "mercator/hlo/order.h"

namespace mercator::hlo {

bool Instruction::is_root() const { return parent != nullptr && parent->root == this; }

const Attribute* Instruction::find(AttributeName attribute) const {
  for (const Attribute& candidate : attributes) {
    if (candidate.name == attribute) return &candidate;
  }
  return nullptr;
}

std::vector<const Computation*> Instruction::called_computations() const {
  std::vector<const Computation*> called;
  for (const Attribute& attribute : attributes) {
    if (const auto* one = std::get_if<Computation*>(&attribute.value)) {
      called.push_back(*one);
    } else if (const auto* many = std::get_if<std::span<Computation* const>>(&attribute.value)) {
      called.insert(called.end(), many->begin(), many->end());
    }
  }
  return called;
}

std::vector<const Instruction*> Computation::post_order() const {
  std::vector<const Instruction*> order;
  order.reserve(instructions.size());
  append_post_order(instructions, instructions.front()->id, order);
  return order;
}

const Instruction* Computation::find(std::string_view instruction_name) const {
  for (const Instruction* instruction : instructions) {
    if (instruction->name == instruction_name) return instruction;
  }
  return nullptr;
}

const Computation* Module::find(std::string_view computation_name) const {
  for (const Computation* computation : computations) {
    if (computation->name == computation_name) return computation;
  }
  return nullptr;
}

}  // namespace mercator::hlo
