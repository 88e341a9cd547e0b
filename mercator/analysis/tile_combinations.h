// What is said by looking at all combinations of values of some variables, where these are few. For
// the files of this folder only.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mercator/analysis/tile_state.h"

namespace mercator::internal {

// Groups of constraints that are connected by their variables, each in the order in which the state
// has them.
[[nodiscard]] std::vector<std::vector<std::size_t>> connected_constraints(const TileState& state);

// The same for all roots.
[[nodiscard]] std::vector<std::vector<std::size_t>> connected_roots(const TileState& state);

// Where there is a combination that meets all constraints of a state without results; none if there
// are too many to say that.
[[nodiscard]] std::optional<std::vector<Constraint>> existence(const TileState& state);

// Results that depend on numbers only, as some windows do that are the same for all tiles: what
// they are is enumerated.
[[nodiscard]] StepResult enumerate_numbers(const TileState& state);

}  // namespace mercator::internal
