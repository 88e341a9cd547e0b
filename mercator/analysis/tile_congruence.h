// Quotients and remainders in the form that other expressions have. For the files of
// this folder only.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mercator/analysis/tile_state.h"
#include "mercator/expr/expr.h"

namespace mercator::internal {

// x + (x - y) floordiv 2 is (3x - y) floordiv 2, in which x and y occur once; x + (y - z) floordiv
// 2 is (2x + y - z) floordiv 2, which is taken where x and y occur together elsewhere as well. In
// one sum, variables can become one.
void join_quotients(std::vector<Expr>& roots);

// (x - y) mod 2 is (3x - y) mod 2, and (x - y) mod 3 = 1 says the same as (2x + y) mod 3 = 2: a
// multiple of what it says, by a number that has no factor in common with the divisor. Where
// `roots` have 3x - y or 2x + y elsewhere, that form is the useful one: x and y then occur in one
// sum only. `ranges` are those of the roots from `first` on, the constraints.
void align_remainders(std::vector<Expr>& roots, std::size_t first, std::span<SymbolicRange> ranges);

}  // namespace mercator::internal
