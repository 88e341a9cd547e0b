// Index programs in loops: what changes along the loop is carried from one iteration to the next.
//
// `i floordiv 12` and `i mod 12` for i = 0, 1, 2, … need no division: the remainder is a counter,
// and where it starts again the quotient goes up by one.

#pragma once

#include <cstdint>

#include "mercator/expr/expr.h"
#include "mercator/expr/index_program.h"
#include "mercator/expr/index_types.h"
#include "mercator/expr/simplifier.h"
#include "mercator/support/error.h"

namespace mercator {

// A loop in which `variable` has the values start, start + step, …, `count` of them.
struct Loop {
  VariableId variable;
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 1;
};

// A computation in a loop:
//
//   carried = initial(variables)
//   repeat count times: body(variables, carried); between two of them carried = step(variables,
//   carried)
//
// None of the three uses the loop's variable. The carried values are the runtime variables of
// numbers `first_carried`, `first_carried` + 1, …, in the order of the results of `initial` and
// `step`, and of the same type in all three programs. What the programs promise holds for the
// values that occur in the loop.
struct LoopPrograms {
  std::uint32_t first_carried = 0;
  IndexProgram initial;
  IndexProgram body;  // the results and the gate of the computation
  IndexProgram step;
};

// The computation along a loop, after strength reduction. Carried are
//   - affine expressions of the loop's variable: an addition in each iteration;
//   - quotients and remainders of those by constants, also nested, and sums of them: a counter that
//     starts again, by a comparison, and what that adds; not by powers of two alone, which a shift
//     gives in each iteration for less.
// The rest is computed in each iteration, from carried values.
//
// Fails as `lower` does, and with kUsage if the loop has no iteration, no step, or leaves int64.
// What `computation.bounds` says of the loop's variable does not count.
[[nodiscard]] Result<LoopPrograms> along(const Loop& loop, const IndexComputation& computation,
                                         Simplifier& simplifier);

}  // namespace mercator
