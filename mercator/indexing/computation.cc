#include "mercator/indexing/computation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <tsl/robin_map.h>

#include "mercator/indexing/instruction_maps.h"
#include "mercator/indexing/map_transform.h"
#include "mercator/indexing/runtime_value.h"
#include "mercator/indexing/sizes.h"

namespace mercator::indexing {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// Sets of maps beyond these are widened: the work for an instruction stays bounded.
constexpr std::size_t kMaxMaps = 256;
constexpr std::int64_t kMaxTotalSize = 4096;  // of MapTable::size
// The same where so many compositions have been made on the way to arrays whose maps were too many:
// a computation that is deep enough for that is so again and again, from each leaf that we map
// from.
constexpr std::int64_t kMaxStepsInVain = 1024;
constexpr std::size_t kFewMaps = 16;
constexpr std::int64_t kSmallTotalSize = 256;

// Compositions and the like, for a computation: a base, and so many for each instruction. With many
// results that depend on much of a large computation, work could otherwise grow with the square of
// its size.
constexpr std::int64_t kBaseSteps = 1'000'000;
constexpr std::int64_t kStepsPerInstruction = 256;

// Those instructions, with their places and users.
class LiveInstructions {
 public:
  explicit LiveInstructions(const hlo::Computation& computation, const Instruction* root = nullptr)
      : instructions_(live_instructions(computation, root)) {
    for (const Instruction* instruction : instructions_) {
      positions_[instruction] = static_cast<std::uint32_t>(positions_.size());
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

  // All maps from the start to one leaf of an instruction.
  struct Maps {
    std::vector<MapRef> maps = {};  // a set; empty if unknown
    const std::string* unknown = nullptr;
  };

  [[nodiscard]] bool is_output_to_input() const { return direction_ == Direction::kOutputToInput; }
  // The walk passes by these from now on.
  void avoid(std::span<const Instruction* const> avoided) { avoided_ = avoided; }
  // Whether the walk goes no further.
  [[nodiscard]] bool is_end(const Instruction& instruction) const {
    return is_output_to_input() ? instruction.opcode == Opcode::kParameter
                                : &instruction == computation_.root;
  }

  // Goes from the array at `leaf` of `start`, and calls
  // `visit(instruction, leaf, maps)` for every leaf that it meets, `start` first.
  template <class Visit>
  void from(const Instruction& start, const hlo::ShapeLeaf& leaf, Visit visit) {
    steps_at_last_widening_ = steps_left_;
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
        const Maps settled =
            settle(maps, shape_at(instruction.shape, index), /*goes_on=*/!is_end(instruction));
        if (settled.maps.empty() && settled.unknown == nullptr) continue;
        visit(instruction, index, settled);
        if (!is_end(instruction)) leave(instruction, index, settled);
      }
    }
  }

 private:
  void reach(const Instruction& instruction, const ShapeIndex& leaf, MapRef ref) {
    if (is_avoided(instruction)) return;
    Maps& there = reached_[live_.position(instruction)][leaf];
    if (there.unknown == nullptr) add_to_set(there.maps, ref);
  }
  void reach_unknown(const Instruction& instruction, const ShapeIndex& leaf,
                     const std::string* reason) {
    --steps_left_;
    if (is_avoided(instruction)) return;
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

  [[nodiscard]] bool is_avoided(const Instruction& instruction) const {
    return std::ranges::find(avoided_, &instruction) != avoided_.end();
  }

  // The set itself, or one map in place of several: of all of them where the set is too large, and
  // of those that have been widened where there are several, so that they do not multiply again.
  // Where the walk goes on, what that map names anyway is left out for the same reason.
  Maps settle(const Maps& maps, const hlo::Shape& array, bool goes_on) {
    std::int64_t total_size = 0;
    for (const MapRef& ref : maps.maps) total_size += analysis_.maps().size(ref.map);
    const bool is_deep = steps_in_vain_ > kMaxStepsInVain;
    const bool is_too_large = maps.maps.size() > (is_deep ? kFewMaps : kMaxMaps) ||
                              total_size > (is_deep ? kSmallTotalSize : kMaxTotalSize);
    if (is_too_large) {
      steps_in_vain_ += steps_at_last_widening_ - steps_left_;
      steps_at_last_widening_ = steps_left_;
    }
    Maps settled;
    std::vector<MapRef> joined;
    for (const MapRef& ref : maps.maps) {
      (ref.widened || is_too_large ? joined : settled.maps).push_back(ref);
    }
    if (joined.empty()) return maps;
    const std::optional<MapRef> ref = joined.size() == 1 && !is_too_large
                                          ? joined[0]
                                          : widen(analysis_, joined, array.dimensions);
    if (!ref.has_value()) return settled;
    if (goes_on && !settled.maps.empty()) {
      const std::optional<MapRef> all = widen(analysis_, maps.maps, array.dimensions);
      if (all.has_value() && all->map == ref->map) settled.maps.clear();
    }
    add_to_set(settled.maps, *ref);
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
    for (MapRef second : pair.maps) {
      if (!call_sites(instruction).empty()) {
        const auto apart = apart_from_other_calls(analysis_, second, computation_);
        if (!apart.has_value()) continue;
        second = *apart;
      }
      for (const MapRef& first : maps.maps) {
        --steps_left_;
        const std::optional<MapRef> composed = compose(analysis_, first, second, array.dimensions);
        if (composed.has_value()) reach(target, target_leaf, *composed);
      }
    }
  }

  // Why it is unknown what lies behind `instruction`: the first reason on the way, and where it
  // arose.
  const std::string* reason_in(const Instruction& instruction, const std::string* reason,
                               const Maps& maps) {
    if (maps.unknown != nullptr) return maps.unknown;
    // Reasons from within calls name their instruction already.
    if (!call_sites(instruction).empty()) return reason;
    return analysis_.reason(fmt::format("{}: {}", instruction.name, *reason));
  }

  Analysis& analysis_;
  const hlo::Computation& computation_;
  const LiveInstructions& live_;
  Direction direction_;
  std::int64_t steps_left_;
  std::span<const Instruction* const> avoided_;
  std::int64_t steps_at_last_widening_ = 0;
  // Up to widenings.
  std::int64_t steps_in_vain_ = 0;
  // By position of the instruction, by leaf: what has been reached and not been left yet.
  std::map<std::uint32_t, std::map<ShapeIndex, Maps>> reached_;
};

const std::string* too_much(Analysis& analysis, const hlo::Computation& computation) {
  return analysis.reason(fmt::format(
      "not supported: {} has too many results that depend on too much of it", computation.name));
}

}  // namespace

std::vector<const Instruction*> live_instructions(const hlo::Computation& computation,
                                                  const Instruction* root) {
  std::vector<const Instruction*> order = computation.post_order();
  tsl::robin_map<const Instruction*, bool> is_live;
  is_live[root == nullptr ? computation.root : root] = true;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    if (!is_live.contains(*i)) continue;
    for (const Instruction* operand : (*i)->operands) is_live[operand] = true;
  }
  std::erase_if(order, [&](const Instruction* i) { return !is_live.contains(i); });
  return order;
}

PairList pairs_from(Analysis& analysis, const hlo::Computation& computation,
                    const Instruction& start, const ShapeIndex& leaf, Direction direction,
                    std::span<const Instruction* const> avoided) {
  const LiveInstructions live(computation);
  Walk walk(analysis, computation, live, direction);
  walk.avoid(avoided);
  std::vector<LeafPair> pairs;
  walk.from(start, {.index = leaf, .shape = shape_at(start.shape, leaf)},
            [&](const Instruction& end, const ShapeIndex& index, const Walk::Maps& maps) {
              if (!walk.is_end(end)) return;
              const bool forward = walk.is_output_to_input();
              pairs.push_back({.output = forward ? leaf : index,
                               .operand = forward ? end.parameter_number : 0,
                               .operand_leaf = forward ? index : leaf,
                               .maps = maps.maps,
                               .unknown = maps.unknown});
            });
  if (walk.has_given_up()) return PairList::not_known(too_much(analysis, computation));
  return PairList(std::move(pairs));
}

PairList computation_pairs(Analysis& analysis, const hlo::Computation& computation,
                           Direction direction) {
  const LiveInstructions live(computation);
  std::vector<LeafPair> pairs;
  Walk walk(analysis, computation, live, direction);
  const auto from_leaves_of = [&](const Instruction& start) {
    for (const hlo::ShapeLeaf& leaf : hlo::leaves(start.shape)) {
      if (!leaf.shape.is_array() || walk.has_given_up()) continue;
      walk.from(start, leaf,
                [&](const Instruction& end, const ShapeIndex& index, const Walk::Maps& maps) {
                  if (!walk.is_end(end)) return;
                  const bool forward = walk.is_output_to_input();
                  pairs.push_back({.output = forward ? leaf.index : index,
                                   .operand = (forward ? end : start).parameter_number,
                                   .operand_leaf = forward ? index : leaf.index,
                                   .maps = maps.maps,
                                   .unknown = maps.unknown});
                });
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
    return PairList::not_known(too_much(analysis, computation));
  }
  return PairList(std::move(pairs));
}

namespace {

Inside walk_below(Analysis& analysis, const Instruction& start, const LiveInstructions& live,
                  const std::optional<ShapeIndex>& output) {
  Inside inside;
  Walk walk(analysis, *start.parent, live, Direction::kOutputToInput);
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(start.shape)) {
    if (!leaf.shape.is_array() || walk.has_given_up()) continue;
    if (output.has_value() && leaf.index != *output) continue;
    walk.from(start, leaf,
              [&](const Instruction& instruction, const ShapeIndex& index, const Walk::Maps& maps) {
                inside.parts.push_back({.output = leaf.index,
                                        .instruction = &instruction,
                                        .leaf = index,
                                        .maps = maps.maps,
                                        .unknown = maps.unknown});
              });
  }
  if (walk.has_given_up() || std::ssize(inside.parts) > kMaxPairs) {
    return {.parts = {}, .unknown = too_much(analysis, *start.parent)};
  }
  return inside;
}

}  // namespace

Inside inside_of(Analysis& analysis, const hlo::Computation& computation,
                 const std::optional<ShapeIndex>& output) {
  return walk_below(analysis, *computation.root, LiveInstructions(computation), output);
}

Inside below(Analysis& analysis, const Instruction& start,
             const std::optional<ShapeIndex>& output) {
  return walk_below(analysis, start, LiveInstructions(*start.parent, &start), output);
}

}  // namespace mercator::indexing
