#include "mercator/runtime/partition.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <queue>
#include <stop_token>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/cluster.h"
#include "mercator/runtime/engine_choice.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using InstructionList = std::vector<const hlo::Instruction*>;

// What the result and the effects of the entry computation are made from, operands first.
InstructionList live_instructions(const hlo::Module& module, const Effects& effects) {
  InstructionList roots = effects.in_order(*module.entry);
  roots.push_back(module.entry->root);
  return operands_first(roots, [](const hlo::Instruction& instruction) {
    return instruction.opcode != hlo::Opcode::kParameter;
  });
}

// Whether the instruction is the second part of what its first operand has begun.
bool continues_operand(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::kAllGatherDone:
    case hlo::Opcode::kAllReduceDone:
    case hlo::Opcode::kAsyncDone:
    case hlo::Opcode::kAsyncUpdate:
    case hlo::Opcode::kCollectivePermuteDone:
    case hlo::Opcode::kCopyDone:
    case hlo::Opcode::kRecvDone:
    case hlo::Opcode::kSendDone:
      return instruction.operand(0).opcode != hlo::Opcode::kParameter;
    default:
      return false;
  }
}

// Whether the instruction may cost next to nothing, if its operands do.
bool is_cheap_itself(const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::kConstant:
    case hlo::Opcode::kIota:
    case hlo::Opcode::kBroadcast:
      return true;
    case hlo::Opcode::kConcatenate:
    case hlo::Opcode::kReshape:
    case hlo::Opcode::kSlice:
      break;
    case hlo::Opcode::kMap:
      return false;
    default:
      if (!is_elementwise(instruction.opcode)) return false;
  }
  return instruction.shape.is_array() && instruction.shape.dynamic.empty() &&
         !instruction.operands.empty() && instruction.shape.element_count() <= kSmallElements;
}

class Partitioner {
 public:
  Partitioner(const hlo::Module& module, std::span<const Engine* const> engines,
              const Effects& effects, const std::stop_token& stop)
      : module_(module),
        effects_(effects),
        stop_(stop),
        choice_(module, engines),
        live_(live_instructions(module, effects)),
        first_id_(module.entry->instructions.front()->id),
        facts_(module.entry->instructions.size()) {}

  Result<std::vector<Subgraph>> run() {
    MERCATOR_TRY_VOID(find_cheap());
    MERCATOR_TRY_VOID(choose_engines());
    MERCATOR_TRY_VOID(number_units());
    MERCATOR_TRY_VOID(check_stop(stop_));
    const std::vector<std::uint32_t> clusters = merge_nodes(graph_);
    MERCATOR_TRY_VOID(check_stop(stop_));
    return subgraphs(clusters);
  }

 private:
  // The most instructions that one cheap instruction is made from.
  static constexpr std::uint32_t kMostCopied = 8;
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  // What is known of an instruction of the entry computation.
  struct Facts {
    std::uint64_t cheap_for = 0;  // a bit for each engine that may copy it
    std::uint32_t copied = 0;     // the instructions that a copy takes, if it is cheap
    bool needs_place = false;     // in a subgraph of its own right
    std::uint32_t engine = 0;     // then
    std::uint32_t first = kNone;  // then, the one that begins what it continues
    std::uint32_t unit = kNone;   // then, the node in the graph
    bool is_output = false;
  };
  Facts& facts(const hlo::Instruction& instruction) { return facts_[instruction.id - first_id_]; }

  static bool is_parameter(const hlo::Instruction& instruction) {
    return instruction.opcode == hlo::Opcode::kParameter;
  }
  bool copies(const hlo::Instruction& reader, const hlo::Instruction& operand) {
    return ((facts(operand).cheap_for >> facts(reader).engine) & 1) != 0;
  }
  // Whether the value crosses from a subgraph, or may, for the reader.
  bool crosses(const hlo::Instruction& reader, const hlo::Instruction& operand) {
    return !is_parameter(operand) && !copies(reader, operand);
  }

  Result<void> find_cheap() {
    for (const hlo::Instruction* instruction : live_) {
      MERCATOR_TRY_VOID(check_stop(stop_));
      if (!is_cheap_itself(*instruction) || effects_.has_effect(*instruction)) continue;
      std::uint64_t engines = ~std::uint64_t{0};
      std::uint32_t copied = 1;
      for (const hlo::Instruction* operand : instruction->operands) {
        engines &= is_parameter(*operand) ? 0 : facts(*operand).cheap_for;
        copied += facts(*operand).copied;
      }
      if (copied > kMostCopied) continue;
      facts(*instruction).copied = copied;
      for (std::size_t e = 0; e < choice_.engine_count(); ++e) {
        const std::uint64_t bit = std::uint64_t{1} << e;
        if ((engines & bit) != 0 && choice_.supports(e, *instruction)) {
          facts(*instruction).cheap_for |= bit;
        }
      }
    }
    return {};
  }

  // An instruction with all that continues it.
  struct Unit {
    InstructionList instructions;
    // Asked for once for all of them: a chain of updates may be as long as the module.
    std::optional<Result<std::size_t>> engine;
  };
  // Those of more than one instruction, by the id of the first.
  using Units = std::unordered_map<std::uint32_t, Unit>;

  Units find_units() {
    Units units;
    for (const hlo::Instruction* instruction : live_) {
      Facts& own = facts(*instruction);
      own.first = instruction->id;
      if (!continues_operand(*instruction)) continue;
      own.first = facts(instruction->operand(0)).first;
      Unit& unit = units[own.first];
      if (unit.instructions.empty()) unit.instructions.push_back(module_.instructions[own.first]);
      unit.instructions.push_back(instruction);
    }
    return units;
  }

  Result<std::size_t> engine_of(const hlo::Instruction& instruction, Units& units) {
    const auto found = units.find(facts(instruction).first);
    if (found == units.end()) return choice_.first(std::array{&instruction});
    Unit& unit = found->second;
    if (!unit.engine) unit.engine = choice_.first(unit.instructions);
    return *unit.engine;
  }

  // Readers first: a cheap instruction needs a place only if one of them cannot copy it.
  Result<void> choose_engines() {
    Units units = find_units();
    if (!is_parameter(*module_.entry->root)) facts(*module_.entry->root).needs_place = true;

    Error refused;
    bool is_refused = false;
    for (auto next = live_.rbegin(); next != live_.rend(); ++next) {
      const hlo::Instruction& instruction = **next;
      Facts& own = facts(instruction);
      if (own.cheap_for != 0 && !own.needs_place) continue;
      own.needs_place = true;
      MERCATOR_TRY_VOID(check_stop(stop_));
      Result<std::size_t> engine = engine_of(instruction, units);
      if (!engine) {
        // The first in the order of evaluation is the one that is told.
        refused = std::move(engine).error();
        is_refused = true;
        continue;
      }
      own.engine = static_cast<std::uint32_t>(*engine);
      for (const hlo::Instruction* operand : instruction.operands) {
        if (crosses(instruction, *operand)) facts(*operand).needs_place = true;
      }
    }
    if (is_refused) return std::unexpected(std::move(refused));
    return {};
  }

  // The nodes of the graph, in a topological order.
  Result<void> number_units() {
    std::vector<InstructionList> members;
    std::unordered_map<std::uint32_t, std::uint32_t> found;  // by the id of the first
    for (const hlo::Instruction* instruction : live_) {
      Facts& own = facts(*instruction);
      if (!own.needs_place) continue;
      own.unit = found.emplace(own.first, found.size()).first->second;
      if (own.unit == members.size()) members.emplace_back();
      members[own.unit].push_back(instruction);
    }
    std::vector<std::vector<std::uint32_t>> needs(members.size());
    const auto add_edge = [&](const hlo::Instruction& from, const hlo::Instruction& to) {
      if (facts(from).unit != facts(to).unit) needs[facts(to).unit].push_back(facts(from).unit);
    };
    for (const InstructionList& unit : members) {
      for (const hlo::Instruction* instruction : unit) {
        for (const hlo::Instruction* operand : instruction->operands) {
          if (crosses(*instruction, *operand)) add_edge(*operand, *instruction);
        }
      }
    }
    const InstructionList effects = effects_.in_order(*module_.entry);
    for (std::size_t i = 1; i < effects.size(); ++i) add_edge(*effects[i - 1], *effects[i]);
    return sort_units(members, needs);
  }

  Result<void> sort_units(const std::vector<InstructionList>& members,
                          const std::vector<std::vector<std::uint32_t>>& needs) {
    std::vector<std::vector<std::uint32_t>> readers(needs.size());
    std::vector<std::size_t> missing(needs.size());
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> candidates;
    for (std::uint32_t unit = 0; unit < needs.size(); ++unit) {
      for (const std::uint32_t needed : needs[unit]) readers[needed].push_back(unit);
      missing[unit] = needs[unit].size();
      if (missing[unit] == 0) candidates.push(unit);
    }
    std::vector<std::uint32_t> numbers(needs.size(), kNone);
    std::uint32_t count = 0;
    while (!candidates.empty()) {
      const std::uint32_t unit = candidates.top();
      candidates.pop();
      numbers[unit] = count++;
      std::vector<std::uint32_t>& renumbered = graph_.needs.emplace_back();
      for (const std::uint32_t needed : needs[unit]) renumbered.push_back(numbers[needed]);
      graph_.colours.push_back(facts(*members[unit].front()).engine);
      for (const std::uint32_t reader : readers[unit]) {
        if (--missing[reader] == 0) candidates.push(reader);
      }
    }
    for (std::uint32_t unit = 0; unit < needs.size(); ++unit) {
      const hlo::Instruction& last = *members[unit].back();
      if (numbers[unit] == kNone && members[unit].size() > 1) {
        return fail(ErrorKind::kUnsupported,
                    fmt::format("'{}' reads what is computed from '{}', which it completes",
                                last.name, members[unit].front()->name),
                    last.span);
      }
      for (const hlo::Instruction* instruction : members[unit]) {
        facts(*instruction).unit = numbers[unit];
      }
    }
    return {};
  }

  std::vector<Subgraph> subgraphs(const std::vector<std::uint32_t>& clusters) {
    const auto cluster = [&](const hlo::Instruction& i) { return clusters[facts(i).unit]; };
    if (!is_parameter(*module_.entry->root)) facts(*module_.entry->root).is_output = true;
    std::vector<InstructionList> members;
    for (const hlo::Instruction* instruction : live_) {
      if (!facts(*instruction).needs_place) continue;
      const std::uint32_t own = cluster(*instruction);
      if (own >= members.size()) members.resize(own + 1);
      members[own].push_back(instruction);
      for (const hlo::Instruction* operand : instruction->operands) {
        if (!crosses(*instruction, *operand) || cluster(*operand) == own) continue;
        facts(*operand).is_output = true;
      }
    }
    std::vector<Subgraph> result;
    for (const InstructionList& own : members) {
      InstructionList outputs;
      std::ranges::copy_if(own, std::back_inserter(outputs),
                           [&](const hlo::Instruction* i) { return facts(*i).is_output; });
      result.push_back(make_subgraph(facts(*own.front()).engine, own, copied_by(own),
                                     std::move(outputs), effects_));
    }
    return result;
  }

  InstructionList copied_by(const InstructionList& instructions) {
    InstructionList copied;
    std::unordered_set<const hlo::Instruction*> seen(instructions.begin(), instructions.end());
    const auto take_operands = [&](const hlo::Instruction& reader, std::uint32_t engine) {
      for (const hlo::Instruction* operand : reader.operands) {
        const bool takes =
            !is_parameter(*operand) && ((facts(*operand).cheap_for >> engine) & 1) != 0;
        if (takes && seen.insert(operand).second) copied.push_back(operand);
      }
    };
    const std::uint32_t engine = facts(*instructions.front()).engine;
    for (const hlo::Instruction* instruction : instructions) take_operands(*instruction, engine);
    for (std::size_t next = 0; next < copied.size(); ++next) take_operands(*copied[next], engine);
    return copied;
  }

  const hlo::Module& module_;
  const Effects& effects_;
  const std::stop_token& stop_;
  const EngineChoice choice_;
  const InstructionList live_;
  const std::uint32_t first_id_;
  std::vector<Facts> facts_;
  ColouredGraph graph_;
};

}  // namespace

Result<std::vector<Subgraph>> partition(const hlo::Module& module,
                                        std::span<const Engine* const> engines,
                                        const Effects& effects, const std::stop_token& stop) {
  constexpr std::size_t kMostEngines = 64;
  if (engines.empty() || engines.size() > kMostEngines) {
    return fail(ErrorKind::kUsage, fmt::format("{} engines, where 1 to {} are possible",
                                               engines.size(), kMostEngines));
  }
  return Partitioner(module, engines, effects, stop).run();
}

Result<void> check_partition(const hlo::Module& module, std::span<const Subgraph> subgraphs,
                             const Effects& effects) {
  const auto wrong = [](std::string message) {
    return fail(ErrorKind::kInvalidInput, "the subgraphs are wrong: " + std::move(message));
  };
  using InstructionSet = std::unordered_set<const hlo::Instruction*>;
  const hlo::Computation& entry = *module.entry;
  InstructionSet available(entry.parameters.begin(), entry.parameters.end());
  InstructionSet placed;
  InstructionList happened;
  for (const Subgraph& subgraph : subgraphs) {
    if (subgraph.instructions.empty()) return wrong("one is empty");
    const InstructionSet copies(subgraph.copies.begin(), subgraph.copies.end());
    const InstructionSet inside(subgraph.instructions.begin(), subgraph.instructions.end());
    for (const hlo::Instruction* instruction : subgraph.instructions) {
      const bool is_effect = effects.has_effect(*instruction);
      if (copies.contains(instruction) ? is_effect : !placed.insert(instruction).second) {
        return wrong(fmt::format("'{}' is in two", instruction->name));
      }
      if (is_effect) happened.push_back(instruction);
    }
    for (const hlo::Instruction* input : subgraph.inputs) {
      if (available.contains(input)) continue;
      return wrong(fmt::format("one reads '{}', which none before has as a result", input->name));
    }
    for (const hlo::Instruction* output : subgraph.outputs) {
      if (inside.contains(output) && available.insert(output).second) continue;
      return wrong(fmt::format("'{}' is not a result", output->name));
    }
  }
  if (!available.contains(entry.root)) return wrong("the root is missing");
  if (happened != effects.in_order(entry)) return wrong("effects are not in their order");
  return {};
}

}  // namespace mercator::runtime
