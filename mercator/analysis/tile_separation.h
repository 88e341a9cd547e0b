// Digits of sums in which nothing is carried. For the files of this folder only.

#pragma once

#include <cstddef>
#include <vector>

#include "mercator/analysis/tile_state.h"
#include "mercator/expr/expr.h"

namespace mercator::internal {

// Quotients and remainders of some terms of a sum become those of the sum, where all uses of its
// variables do: with (6x + y) floordiv 4, y mod 2 is (6x + y) mod 2, and x floordiv 2 is (6x + y)
// floordiv 12 for y < 6.
void lift_digits(std::vector<Expr>& roots, Assumptions& assumptions);

// What the digits of a sum are where the sum itself is not evenly spaced, for a sum of which there
// are digits only: those of its upper terms, which are multiples of a divisor n, and those of its
// lower terms, which stay within one multiple of n. With 6x + y, for even x and n = 4, where y mod
// 4 takes no step from 3 to 0:
//   (6x + y) floordiv 4 = 3 (x floordiv 2) + y floordiv 4,  (6x + y) mod 4 = y mod 4
//
// Adds these cases to `next`, which has those in which the sum of `group` is evenly spaced. Returns
// whether all are there in which the digits are a product of progressions. Then the sum has two
// forms in which each term is larger than all lower ones together: its own, and that of the digits.
// Terms that continue the one below joined, the forms are the same, since the least values begin
// with one row of the lowest term in both. So a digit ends where a term does, or the sum is evenly
// spaced.
[[nodiscard]] bool add_separations(const TileState& state, const std::vector<std::size_t>& group,
                                   TileBranches& next);

}  // namespace mercator::internal
