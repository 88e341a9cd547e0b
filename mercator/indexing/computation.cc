#include "mercator/indexing/computation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include <tsl/robin_map.h>

#include "mercator/indexing/instruction_maps.h"
#include "mercator/indexing/map_transform.h"

namespace mercator::indexing {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// Sets of maps beyond these are widened: the work for an instruction stays bounded.
constexpr std::size_t kMaxMaps = 256;
constexpr std::int64_t kMaxTotalSize = 4096;  // of MapTable::size

// Compositions and the like, for a computation: a base, and so many for each instruction. With many
// results that depend on much of a large computation, work could otherwise grow with the square of
// its size.
constexpr std::int64_t kBaseSteps = 1'000'000;
constexpr std::int64_t kStepsPerInstruction = 256;

const hlo::Shape& shape_at(const hlo::Shape& shape, const ShapeIndex& leaf) {
  const hlo::Shape* result = &shape;
  for (const std::int64_t i : leaf) result = &result->elements[static_cast<std::size_t>(i)];
  return *result;
}

// The instructions that the root depends on, operands before users.
class LiveInstructions {
 public:
  explicit LiveInstructions(const hlo::Computation& computation) {
    const std::vector<const Instruction*> order = computation.post_order();
    tsl::robin_map<const Instruction*, bool> is_live;
    is_live[computation.root] = true;
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      if (!is_live.contains(*i)) continue;
      for (const Instruction* operand : (*i)->operands) is_live[operand] = true;
    }
    for (const Instruction* instruction : order) {
      if (!is_live.contains(instruction)) continue;
      positions_[instruction] = static_cast<std::uint32_t>(instructions_.size());
      instructions_.push_back(instruction);
    }
    users_.resize(instructions_.size());
    for (const Instruction* instruction : instructions_) {
      for (std::size_t k = 0; k < instruction->operands.size(); ++k) {
        users_[position(*instruction->operands[k])].push_back(
            {.instruction = instruction, .operand = static_cast<std::int64_t>(k)});
      }
    }
  }

  struct Use {
    const Instruction* instruction;
    std::int64_t operand;
  };

  [[nodiscard]] std::int64_t size() const { return std::ssize(instructions_); }
  [[nodiscard]] const Instruction& operator[](std::uint32_t position) const {
    return *instructions_[position];
  }
  [[nodiscard]] std::uint32_t position(const Instruction& instruction) const {
    return positions_.at(&instruction);
  }
  [[nodiscard]] bool contains(const Instruction& instruction) const {
    return positions_.contains(&instruction);
  }
  [[nodiscard]] const std::vector<Use>& users(std::uint32_t position) const {
    return users_[position];
  }

 private:
  std::vector<const Instruction*> instructions_;
  tsl::robin_map<const Instruction*, std::uint32_t> positions_;
  std::vector<std::vector<Use>> users_;
};

// A walk from one leaf through a computation, in the order of dependence.
class Walk {
 public:
  Walk(Analysis& analysis, const hlo::Computation& computation, const LiveInstructions& live,
       Direction direction)
      : analysis_(analysis),
        computation_(computation),
        live_(live),
        direction_(direction),
        steps_left_(kBaseSteps + kStepsPerInstruction * live.size()) {}

  // Whether the work has become too much; what was added is then not complete.
  [[nodiscard]] bool has_given_up() const { return steps_left_ < 0; }

  // Adds the pairs of the array at `leaf` of `start`, which is the root or a parameter.
  void from(const Instruction& start, const hlo::ShapeLeaf& leaf, std::vector<LeafPair>& pairs) {
    const IndexMap identity = IndexMap::identity(analysis_.context(), leaf.shape.dimensions);
    const std::optional<MapId> id = analysis_.maps().add(identity);
    if (!id.has_value()) return;  // no elements
    reach(start, leaf.index, {.map = *id});
    while (!reached_.empty() && !has_given_up()) {
      const auto next = is_output_to_input() ? std::prev(reached_.end()) : reached_.begin();
      const Instruction& instruction = live_[next->first];
      const std::map<ShapeIndex, Maps> leaves = std::move(next->second);
      reached_.erase(next);
      for (const auto& [index, maps] : leaves) {
        const Maps settled = settle(maps, shape_at(instruction.shape, index));
        if (settled.maps.empty() && settled.unknown == nullptr) continue;
        if (!is_end(instruction)) {
          leave(instruction, index, settled);
        } else if (is_output_to_input()) {
          pairs.push_back({.output = leaf.index,
                           .operand = instruction.parameter_number,
                           .operand_leaf = index,
                           .maps = settled.maps,
                           .unknown = settled.unknown});
        } else {
          pairs.push_back({.output = index,
                           .operand = start.parameter_number,
                           .operand_leaf = leaf.index,
                           .maps = settled.maps,
                           .unknown = settled.unknown});
        }
      }
    }
  }

 private:
  // All maps from the start to one leaf of an instruction.
  struct Maps {
    std::vector<MapRef> maps = {};  // a set; empty if unknown
    const std::string* unknown = nullptr;
  };

  [[nodiscard]] bool is_output_to_input() const { return direction_ == Direction::kOutputToInput; }
  [[nodiscard]] bool is_end(const Instruction& instruction) const {
    return is_output_to_input() ? instruction.opcode == Opcode::kParameter
                                : &instruction == computation_.root;
  }

  void reach(const Instruction& instruction, const ShapeIndex& leaf, MapRef ref) {
    Maps& there = reached_[live_.position(instruction)][leaf];
    if (there.unknown == nullptr) add_to_set(there.maps, ref);
  }
  void reach_unknown(const Instruction& instruction, const ShapeIndex& leaf,
                     const std::string* reason) {
    --steps_left_;
    Maps& there = reached_[live_.position(instruction)][leaf];
    if (there.unknown != nullptr) return;
    there.unknown = reason;
    there.maps.clear();
  }
  void reach_unknown_everywhere(const Instruction& instruction, const std::string* reason) {
    for (const hlo::ShapeLeaf& leaf : hlo::leaves(instruction.shape)) {
      if (leaf.shape.is_array()) reach_unknown(instruction, leaf.index, reason);
    }
  }

  // The set itself, or one map in place of several: of all of them where the set is too large, and
  // of the over-approximate ones where there are several, so that what has been widened once does
  // not multiply again.
  Maps settle(const Maps& maps, const hlo::Shape& array) {
    std::int64_t total_size = 0;
    for (const MapRef& ref : maps.maps) total_size += analysis_.maps().size(ref.map);
    const bool is_too_large = maps.maps.size() > kMaxMaps || total_size > kMaxTotalSize;
    if (!is_too_large && std::ranges::count(maps.maps, false, &MapRef::exact) <= 1) return maps;
    Maps settled;
    std::vector<const IndexMap*> joined;
    for (const MapRef& ref : maps.maps) {
      if (ref.exact && !is_too_large) {
        settled.maps.push_back(ref);
      } else {
        joined.push_back(&analysis_.maps()[ref.map]);
      }
    }
    const std::optional<MapId> id = analysis_.maps().add(widen(joined, array.dimensions));
    if (id.has_value()) add_to_set(settled.maps, {.map = *id, .exact = false});
    return settled;
  }

  void leave(const Instruction& instruction, const ShapeIndex& leaf, const Maps& maps) {
    const hlo::Shape& array = shape_at(instruction.shape, leaf);
    if (is_output_to_input()) {
      const PairList& list = analysis_.pairs(instruction, direction_);
      if (list.unknown() != nullptr) {
        const std::string* reason = reason_in(instruction, list.unknown(), maps);
        for (const Instruction* operand : instruction.operands) {
          reach_unknown_everywhere(*operand, reason);
        }
        return;
      }
      for (const LeafPair& pair : list.of_output(leaf)) {
        const Instruction& operand = *instruction.operands[static_cast<std::size_t>(pair.operand)];
        step(maps, array, instruction, pair, operand, pair.operand_leaf);
      }
      return;
    }
    for (const LiveInstructions::Use& use : live_.users(live_.position(instruction))) {
      const Instruction& user = *use.instruction;
      const PairList& list = analysis_.pairs(user, direction_);
      if (list.unknown() != nullptr) {
        reach_unknown_everywhere(user, reason_in(user, list.unknown(), maps));
        continue;
      }
      for (const std::uint32_t i : list.of_operand(use.operand, leaf)) {
        const LeafPair& pair = list.pairs()[i];
        step(maps, array, user, pair, user, pair.output);
      }
    }
  }

  // From the maps to an array, through a pair of the maps of `instruction`, to a leaf of `target`.
  void step(const Maps& maps, const hlo::Shape& array, const Instruction& instruction,
            const LeafPair& pair, const Instruction& target, const ShapeIndex& target_leaf) {
    if (maps.unknown != nullptr || pair.unknown != nullptr) {
      return reach_unknown(target, target_leaf, reason_in(instruction, pair.unknown, maps));
    }
    for (const MapRef& first : maps.maps) {
      for (const MapRef& second : pair.maps) {
        --steps_left_;
        const std::optional<MapId> composed =
            analysis_.maps().compose(first.map, second.map, array.dimensions);
        if (composed.has_value()) {
          reach(target, target_leaf, {.map = *composed, .exact = first.exact && second.exact});
        }
      }
    }
  }

  // Why it is unknown what lies behind `instruction`: the first reason on the way, and where it
  // arose.
  const std::string* reason_in(const Instruction& instruction, const std::string* reason,
                               const Maps& maps) {
    if (maps.unknown != nullptr) return maps.unknown;
    // Reasons from within calls name their instruction already.
    if (callee(instruction) != nullptr) return reason;
    return analysis_.reason(fmt::format("{}: {}", instruction.name, *reason));
  }

  Analysis& analysis_;
  const hlo::Computation& computation_;
  const LiveInstructions& live_;
  Direction direction_;
  std::int64_t steps_left_;
  // By position of the instruction, by leaf: what has been reached and not been left yet.
  std::map<std::uint32_t, std::map<ShapeIndex, Maps>> reached_;
};

}  // namespace

PairList computation_pairs(Analysis& analysis, const hlo::Computation& computation,
                           Direction direction) {
  const LiveInstructions live(computation);
  std::vector<LeafPair> pairs;
  Walk walk(analysis, computation, live, direction);
  const auto from_leaves_of = [&](const Instruction& start) {
    for (const hlo::ShapeLeaf& leaf : hlo::leaves(start.shape)) {
      if (leaf.shape.is_array() && !walk.has_given_up()) walk.from(start, leaf, pairs);
    }
  };
  if (direction == Direction::kOutputToInput) {
    from_leaves_of(*computation.root);
  } else {
    for (const Instruction* parameter : computation.parameters) {
      if (live.contains(*parameter)) from_leaves_of(*parameter);
    }
  }
  if (walk.has_given_up() || std::ssize(pairs) > kMaxPairs) {
    return PairList::not_known(analysis.reason(fmt::format(
        "not supported: {} has too many results that depend on too much of it", computation.name)));
  }
  return PairList(std::move(pairs));
}

}  // namespace mercator::indexing
