// Steps by which a constraint disappears into the values of a variable: it cuts them, or a variable
// that nothing else needs takes it along. For the files of this folder only.

#pragma once

#include <cstddef>
#include <span>

#include "mercator/analysis/tile_state.h"
#include "mercator/analysis/tile_uses.h"

namespace mercator::internal {

// What a constraint, a <= k * x + c <= b, leaves of x.
[[nodiscard]] SymbolicRange range_left(const RootUse& use, const SymbolicRange& range);

// a <= k * x + c <= b: some values of x.
[[nodiscard]] StepResult clip(const TileState& state, std::size_t index, const VariableUses& uses);

// (x + c) mod n = r: every so many of the values.
[[nodiscard]] StepResult choose_residue(const TileState& state, std::size_t index,
                                        const VariableUses& uses);

// A variable that occurs in one constraint only, and linearly, leaves what some value of it allows:
// as long as there is no gap between what two neighbouring values allow, an interval.
[[nodiscard]] StepResult eliminate(const TileState& state, std::size_t index,
                                   const VariableUses& uses);
// The same where there is never a gap.
[[nodiscard]] StepResult eliminate_freely(const TileState& state, std::size_t index,
                                          const VariableUses& uses);

// x + E = c, where x is not needed elsewhere in another way: c - E takes the place of x.
[[nodiscard]] StepResult solve_equation(const TileState& state, std::span<const VariableUses> uses);

// A variable x, of all integers between two, that occurs in sums only which all are x + E and
// numbers: x + E takes its place as a variable, and x + E - E must be what x may be.
[[nodiscard]] StepResult shift(const TileState& state, std::size_t index, const VariableUses& uses);

// A variable x that occurs in constraints only, in sums that all are x + E or E - x: there is such
// an x wherever each lower bound that these leave it is at most each upper one (Fourier-Motzkin
// elimination, which is exact for integers since the factors of x are 1 and -1).
[[nodiscard]] StepResult project(const TileState& state, std::size_t index,
                                 const VariableUses& uses);

// (x + E) mod n = r, where x occurs nowhere else: some x always meets it if there are n in a row.
[[nodiscard]] StepResult cover(const TileState& state, std::size_t index, const VariableUses& uses);

}  // namespace mercator::internal
