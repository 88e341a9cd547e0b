// Steps on constraints that tie several variables together which are needed elsewhere, or that are
// not linear: nothing is left but to ask whether they cut anything. For the files of this folder
// only.

#pragma once

#include "mercator/analysis/tile_state.h"

namespace mercator::internal {

// A constraint on nothing but numbers that occur nowhere else is met by some of them, or by none.
[[nodiscard]] StepResult decide(const TileState& state);

// A constraint on several variables, each linear, E <= b. With room for `room` above the least
// value of E, what it leaves is a tile in three ways: everything; nothing; or one variable is cut,
// and each of the others keeps its least value only, or all values.
[[nodiscard]] StepResult keep_whole(const TileState& state);

}  // namespace mercator::internal
