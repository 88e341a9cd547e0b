// Steps on quotients and remainders: the variables in them give way to these. For the files of this
// folder only.

#pragma once

#include <cstddef>

#include "mercator/analysis/tile_state.h"
#include "mercator/analysis/tile_uses.h"

namespace mercator::internal {

// All there is of the variable is one quotient or remainder, which becomes a variable.
[[nodiscard]] StepResult divide(const TileState& state, std::size_t index,
                                const VariableUses& uses);

// There are several, and perhaps the variable itself: all are made of digits, which become
// variables.
[[nodiscard]] StepResult split(const TileState& state, std::size_t index, const VariableUses& uses);

// Whether the elements are a tile only if the digits of this variable, of any values, are a product
// of progressions.
[[nodiscard]] bool digits_must_be_product(const TileState& state, std::size_t index);

}  // namespace mercator::internal
