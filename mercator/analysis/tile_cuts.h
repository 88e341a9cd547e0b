// Steps on constraints that tie several variables together which are needed elsewhere, or that are
// not linear: nothing is left but to ask whether they cut anything. For the files of this folder
// only.

#pragma once

#include "mercator/analysis/tile_state.h"

namespace mercator::internal {

// A constraint on several variables, each linear, E <= b. With room for `room` above the least
// value of E, what it leaves is a tile in three ways: everything; nothing; or one variable is cut,
// and each of the others keeps its least value only, or all values.
[[nodiscard]] StepResult keep_whole(const TileState& state);

// What a constraint on several variables, each linear and no others, leaves where that is nothing,
// or one variable is cut as above: cases that what asks for something of all their values lacks.
// Where the constraint has two ends, so does each of these, besides the case that they leave all.
// Nothing for a constraint that `can_cut` does not allow.
void add_cuts(const TileState& state, std::size_t constraint, TileBranches& next);
// What all combinations that meet such a constraint need: that the least and the greatest sums are
// not beyond its ends.
void add_reached(TileState& state, std::size_t constraint);
// Whether a constraint is one of those.
[[nodiscard]] bool can_cut(const TileState& state, std::size_t constraint);

}  // namespace mercator::internal
