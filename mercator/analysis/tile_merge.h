// The step on variables that occur together. For the files of this folder only.

#pragma once

#include <span>

#include "mercator/analysis/tile_state.h"
#include "mercator/analysis/tile_uses.h"

namespace mercator::internal {

// Variables that occur in the same sums, with proportional coefficients, and nowhere else: their
// sum is a variable.
[[nodiscard]] StepResult merge(const TileState& state, std::span<const VariableUses> uses);

}  // namespace mercator::internal
