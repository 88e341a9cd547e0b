// The maps of a whole computation: those of its instructions, composed.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/analysis.h"
#include "mercator/indexing/pairs.h"

namespace mercator::indexing {

// The maps between the leaves of the root and the leaves of the parameters. From each leaf that we
// map from, every instruction on the way is visited once, with the set of all maps that lead there:
// however many paths there are, equal maps are one. A set that grows beyond a limit is widened to
// one over-approximate map. An instruction whose maps are not known makes unknown what lies behind
// it only.
PairList computation_pairs(Analysis& analysis, const hlo::Computation& computation,
                           Direction direction);

// The maps from the array at `leaf` of `start`, which the root depends on, to the parameters, or to
// the root: on the paths that do not lead into an instruction of `avoided`. The side of `start` has
// its leaf, and operand 0 where it stands for one.
PairList pairs_from(Analysis& analysis, const hlo::Computation& computation,
                    const hlo::Instruction& start, const ShapeIndex& leaf, Direction direction,
                    std::span<const hlo::Instruction* const> avoided = {});

// The instructions that the root depends on, or `root` instead, operands before users.
std::vector<const hlo::Instruction*> live_instructions(const hlo::Computation& computation,
                                                       const hlo::Instruction* root = nullptr);

// The maps from the leaves of the root to the leaves of everything that it is made from, parameters
// and the root itself included: each (leaf of the root, instruction, leaf) once, leaf by leaf of
// the root, users before their operands.
struct Inside {
  struct Part {
    ShapeIndex output;
    const hlo::Instruction* instruction = nullptr;
    ShapeIndex leaf;
    std::vector<MapRef> maps = {};         // a set
    const std::string* unknown = nullptr;  // null: known
  };
  std::vector<Part> parts = {};
  const std::string* unknown = nullptr;  // not null: nothing is known, for this reason
};
// With `output`, only from that leaf.
Inside inside_of(Analysis& analysis, const hlo::Computation& computation,
                 const std::optional<ShapeIndex>& output);
// The same from an instruction of a computation to what that is made from there.
Inside below(Analysis& analysis, const hlo::Instruction& start,
             const std::optional<ShapeIndex>& output);

}  // namespace mercator::indexing
