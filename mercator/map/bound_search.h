// Bounds from constraints that no rule understands, by trying values: x * x in [0, 10] moves the
// bounds of x to [-3, 3] and then always holds. For the files of this folder only.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/map/index_map.h"

namespace mercator::internal {

// Constraints whose only variable is `variable`.
struct Condition {
  VariableId variable;
  // Values that are not a multiple of this, at least 1, away from an end of the bounds do not
  // count.
  std::int64_t step = 1;
  std::vector<Constraint> constraints = {};
};

struct SearchResult {
  // The given bounds, with both ends moved inwards to values that satisfy all constraints. An end
  // stays if there is no such value among the nearest 1024, or if it is infinite.
  Interval bounds;
  // Which of the constraints hold for every value within `bounds`, as far as can be told by trying
  // no more than 1024 of them.
  std::vector<bool> always_holds;
};

// None if no value within `bounds`, which are not empty, satisfies all constraints.
[[nodiscard]] std::optional<SearchResult> search(const Condition& condition, Interval bounds);

}  // namespace mercator::internal
