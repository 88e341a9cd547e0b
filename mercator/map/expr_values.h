// Which values an expression takes, where its structure tells.

#pragma once

#include <optional>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator {

// The values that an expression takes: `count` of them, from `lo` on over a length of `span`.
// Evenly spaced, they are lo, lo + step, …, lo + span.
struct ExprValues {
  __int128 lo = 0;
  __int128 span = 0;
  __int128 count = 1;
  __int128 step = 1;
  bool is_evenly_spaced = true;
};

// The values of an expression over the bounds of the variables of `map`, whose constraints are not
// looked at. None where a variable occurs twice or is not bounded, or where the values do not
// follow from those of the operands.
[[nodiscard]] std::optional<ExprValues> values_of(const IndexMap& map, Expr expr);

}  // namespace mercator
