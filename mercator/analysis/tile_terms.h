// Steps on the variables that no constraint singles out: those of sums become one, those of
// quotients and remainders give way to these. For the files of this folder only.

#pragma once

#include <cstddef>
#include <span>

#include "mercator/analysis/tile_state.h"
#include "mercator/analysis/tile_uses.h"

namespace mercator::internal {

// Variables that occur in the same sums, with proportional coefficients, and nowhere else: their
// sum is a variable.
[[nodiscard]] StepResult merge(const TileState& state, std::span<const VariableUses> uses);

// All there is of the variable is one quotient or remainder, which becomes a variable.
[[nodiscard]] StepResult divide(const TileState& state, std::size_t index,
                                const VariableUses& uses);

// There are several, and perhaps the variable itself: all are made of digits, which become
// variables.
[[nodiscard]] StepResult split(const TileState& state, std::size_t index, const VariableUses& uses);

}  // namespace mercator::internal
