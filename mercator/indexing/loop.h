// Loops: which parts of its state a while changes, and how often it goes round.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"

namespace mercator::indexing {

class Analysis;
struct CallSite;

// The arrays of the state that every round passes on as they are, in their order.
[[nodiscard]] std::vector<ShapeIndex> loop_invariants(const hlo::Instruction& loop);

// Whether the array at `path` within the parameter of the computation has in every round the value
// that the caller passes: always, unless the caller is a while that changes it.
[[nodiscard]] bool stays_as_passed(Analysis& analysis, const CallSite& site,
                                   const ShapeIndex& path);

// A loop that counts: `leaf` of the state is an integer, first + step * k in round k, and there are
// `count` rounds.
struct CountedLoop {
  ShapeIndex leaf;
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};
// None if the condition does not compare a counter with a known bound.
//
//   body:      ROOT t = (s32[], …) tuple(add(i, constant(2)), …)
//   condition: ROOT c = pred[] compare(i, constant(9)), direction=LT
//   while((constant(0), …)): 5 rounds, with i = 0, 2, 4, 6, 8
[[nodiscard]] std::optional<CountedLoop> counted_loop(Analysis& analysis,
                                                      const hlo::Instruction& loop);

// The value of an integer scalar of the loop's body in round `round`, a variable, in the domain
// that the analysis's simplifier is set to. Null unless it follows from the counter and constants.
[[nodiscard]] Expr value_in_round(Analysis& analysis, const hlo::Instruction& loop,
                                  const CountedLoop& counted, const hlo::Instruction& scalar,
                                  Expr round);

// How the body changes an array of the state.
enum class Overwriting : std::uint8_t {
  kUnknown,
  // It does nothing but overwrite a part, in each round another, so that what a round writes stays
  // to the end:
  //
  //   body: ys2 = f32[80,4] dynamic-update-slice(ys, y, i, 0), of y = f32[1,4], with i = 0 … 78
  kApart,
  // The same, and with i = 0 … 79: nothing is left of what the array was at first.
  kAll,
};
[[nodiscard]] Overwriting overwriting(Analysis& analysis, const hlo::Instruction& loop,
                                      const CountedLoop& counted, const ShapeIndex& leaf);

}  // namespace mercator::indexing
