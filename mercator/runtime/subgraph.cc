#include "mercator/runtime/subgraph.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace mercator::runtime {
namespace {

using InstructionList = std::vector<const hlo::Instruction*>;
using InstructionSet = std::unordered_set<const hlo::Instruction*>;

// Attributes that say nothing about what is computed. The order that control predecessors ask for
// matters between effects only, and there it is the order of the text.
bool is_dropped(hlo::AttributeName name) {
  return name == hlo::AttributeName::kMetadata || name == hlo::AttributeName::kOrigin ||
         name == hlo::AttributeName::kStatistics ||
         name == hlo::AttributeName::kControlPredecessors;
}

// Parameters by number, then what the effects and the root are made from.
InstructionList canonical_order(const hlo::Computation& computation, const Effects& effects) {
  InstructionList order(computation.parameters.begin(), computation.parameters.end());
  InstructionList roots = effects.in_order(computation);
  roots.push_back(computation.root);
  std::ranges::copy(operands_first(roots,
                                   [](const hlo::Instruction& instruction) {
                                     return instruction.opcode != hlo::Opcode::kParameter;
                                   }),
                    std::back_inserter(order));
  return order;
}

// Puts instructions together to a module that can be printed, under their canonical names. It
// shares its parts with the module that they come from.
class CanonicalModule {
 public:
  CanonicalModule(const Subgraph& subgraph, const Effects& effects) : effects_(effects) {
    module_.name = "subgraph";
    const hlo::Module& whole = *subgraph.instructions.front()->parent->module;
    for (const hlo::ModuleAttribute& attribute : whole.attributes) {
      const bool counts = attribute.name == "replica_count" || attribute.name == "num_partitions";
      if (counts) module_.attributes.push_back(attribute);
    }
    for (const hlo::Instruction* instruction : subgraph.instructions) {
      for (const hlo::Computation* callee : instruction->called_computations()) add_called(*callee);
    }
    add_entry(subgraph);
  }

  [[nodiscard]] std::string text() const { return to_string(module_); }
  // In the order of the text; null for the root.
  [[nodiscard]] const InstructionList& origins() const { return origins_; }

 private:
  // A computation whose callees are being added.
  struct Open {
    const hlo::Computation* computation;
    InstructionList order;
    std::vector<const hlo::Computation*> callees;
    std::size_t next = 0;
  };

  // Callees before callers, without recursion: the depth is that of the input.
  void add_called(const hlo::Computation& computation) {
    std::vector<Open> stack;
    const auto open = [&](const hlo::Computation& callee) {
      if (!seen_.insert(&callee).second) return;
      Open& entry = stack.emplace_back(&callee, canonical_order(callee, effects_));
      for (const hlo::Instruction* instruction : entry.order) {
        std::ranges::copy(instruction->called_computations(), std::back_inserter(entry.callees));
      }
    };
    open(computation);
    while (!stack.empty()) {
      if (stack.back().next < stack.back().callees.size()) {
        open(*stack.back().callees[stack.back().next++]);
        continue;
      }
      add_computation(*stack.back().computation, stack.back().order);
      stack.pop_back();
    }
  }

  void add_computation(const hlo::Computation& original, const InstructionList& order) {
    auto* computation = module_.arena().make<hlo::Computation>(original);
    computation->name = new_name("c", module_.computations.size());
    computations_.emplace(&original, computation);
    std::vector<hlo::Instruction*> instructions;
    for (const hlo::Instruction* instruction : order) {
      instructions.push_back(add(*instruction, *computation, instructions.size()));
    }
    finish(*computation, instructions, original.parameters.size());
    computation->root = copies_.at(original.root);
  }

  void add_entry(const Subgraph& subgraph) {
    auto* entry = module_.arena().make<hlo::Computation>();
    entry->name = "entry";
    std::vector<hlo::Instruction*> instructions;
    for (const hlo::Instruction* input : subgraph.inputs) {
      hlo::Instruction* parameter = add_new(input, *entry, instructions.size());
      parameter->opcode = hlo::Opcode::kParameter;
      parameter->parameter_number = static_cast<std::int64_t>(instructions.size());
      parameter->shape = input->shape;
      instructions.push_back(parameter);
    }
    for (const hlo::Instruction* instruction : subgraph.instructions) {
      instructions.push_back(add(*instruction, *entry, instructions.size()));
    }
    hlo::Instruction* root = add_new(nullptr, *entry, instructions.size());
    root->opcode = hlo::Opcode::kTuple;
    root->operands = copies_of(subgraph.outputs);
    root->shape = tuple_of(subgraph.outputs);
    instructions.push_back(root);
    finish(*entry, instructions, subgraph.inputs.size());
    entry->root = root;
    module_.entry = entry;
  }

  void finish(hlo::Computation& computation, std::span<hlo::Instruction* const> instructions,
              std::size_t parameters) {
    computation.module = &module_;
    computation.instructions = module_.arena().copy(instructions);
    computation.parameters = computation.instructions.first(parameters);
    module_.computations.push_back(&computation);
  }

  hlo::Instruction* add_new(const hlo::Instruction* origin, hlo::Computation& parent,
                            std::size_t number) {
    auto* instruction = module_.arena().make<hlo::Instruction>();
    instruction->name = new_name("v", number);
    instruction->parent = &parent;
    if (origin != nullptr) copies_.emplace(origin, instruction);
    origins_.push_back(origin);
    return instruction;
  }

  hlo::Instruction* add(const hlo::Instruction& original, hlo::Computation& parent,
                        std::size_t number) {
    hlo::Instruction* copy = add_new(&original, parent, number);
    copy->opcode = original.opcode;
    copy->shape = original.shape;
    copy->parameter_number = original.parameter_number;
    copy->literal = original.literal;
    copy->operands = copies_of(original.operands);
    std::vector<hlo::Attribute> attributes;
    for (const hlo::Attribute& attribute : original.attributes) {
      if (!is_dropped(attribute.name)) attributes.push_back(renamed(attribute));
    }
    copy->attributes = module_.arena().copy(std::span<const hlo::Attribute>(attributes));
    return copy;
  }

  // The attribute with the computations of this module.
  hlo::Attribute renamed(hlo::Attribute attribute) {
    if (auto* one = std::get_if<hlo::Computation*>(&attribute.value)) {
      *one = computations_.at(*one);
    } else if (auto* many = std::get_if<std::span<hlo::Computation* const>>(&attribute.value)) {
      std::vector<hlo::Computation*> copies;
      for (const hlo::Computation* called : *many) copies.push_back(computations_.at(called));
      *many = module_.arena().copy(std::span<hlo::Computation* const>(copies));
    }
    return attribute;
  }

  template <class Instructions>
  std::span<hlo::Instruction* const> copies_of(const Instructions& originals) {
    std::vector<hlo::Instruction*> copies;
    for (const hlo::Instruction* original : originals) copies.push_back(copies_.at(original));
    return module_.arena().copy(std::span<hlo::Instruction* const>(copies));
  }

  hlo::Shape tuple_of(const InstructionList& instructions) {
    std::vector<hlo::Shape> shapes;
    for (const hlo::Instruction* instruction : instructions) shapes.push_back(instruction->shape);
    return {.kind = hlo::ShapeKind::kTuple,
            .elements = module_.arena().copy(std::span<const hlo::Shape>(shapes))};
  }

  std::string_view new_name(std::string_view letter, std::size_t number) {
    return module_.arena().copy(std::string_view(fmt::format("{}{}", letter, number)));
  }

  const Effects& effects_;
  hlo::Module module_;
  InstructionList origins_;
  std::unordered_set<const hlo::Computation*> seen_;
  std::unordered_map<const hlo::Computation*, hlo::Computation*> computations_;
  std::unordered_map<const hlo::Instruction*, hlo::Instruction*> copies_;
};

}  // namespace

InstructionList operands_first(std::span<const hlo::Instruction* const> roots,
                               const std::function<bool(const hlo::Instruction&)>& enter) {
  struct Frame {
    const hlo::Instruction* instruction;
    std::size_t next;
  };
  InstructionList order;
  InstructionSet seen;
  std::vector<Frame> stack;
  const auto open = [&](const hlo::Instruction* instruction) {
    if (enter(*instruction) && seen.insert(instruction).second) stack.push_back({instruction, 0});
  };
  for (const hlo::Instruction* root : roots) {
    open(root);
    while (!stack.empty()) {
      auto& [instruction, next] = stack.back();
      if (next < instruction->operands.size()) {
        open(instruction->operands[next++]);
      } else {
        order.push_back(instruction);
        stack.pop_back();
      }
    }
  }
  return order;
}

Subgraph make_subgraph(std::size_t engine, std::span<const hlo::Instruction* const> instructions,
                       std::span<const hlo::Instruction* const> copies, InstructionList outputs,
                       const Effects& effects) {
  const InstructionSet own(instructions.begin(), instructions.end());
  const InstructionSet may_copy(copies.begin(), copies.end());
  InstructionList roots;
  std::ranges::copy_if(instructions, std::back_inserter(roots),
                       [&](const hlo::Instruction* i) { return effects.has_effect(*i); });
  std::ranges::copy(outputs, std::back_inserter(roots));

  Subgraph subgraph;
  subgraph.engine = engine;
  subgraph.outputs = std::move(outputs);
  subgraph.instructions = operands_first(roots, [&](const hlo::Instruction& instruction) {
    return own.contains(&instruction) || may_copy.contains(&instruction);
  });
  InstructionSet inside(subgraph.instructions.begin(), subgraph.instructions.end());
  for (const hlo::Instruction* instruction : subgraph.instructions) {
    if (!own.contains(instruction)) subgraph.copies.push_back(instruction);
    for (const hlo::Instruction* operand : instruction->operands) {
      if (inside.insert(operand).second) subgraph.inputs.push_back(operand);
    }
  }
  return subgraph;
}

Result<SubgraphModule> module_of(const Subgraph& subgraph, const Effects& effects) {
  const CanonicalModule canonical(subgraph, effects);
  SubgraphModule result;
  result.module = MERCATOR_TRY(hlo::parse_module(canonical.text()));
  for (const hlo::Instruction* instruction : result.module->instructions) {
    result.origins.push_back({instruction->span, canonical.origins()[instruction->id]});
  }
  return result;
}

}  // namespace mercator::runtime
