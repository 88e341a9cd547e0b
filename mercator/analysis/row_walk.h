// Enumerating what cannot be counted otherwise, row by row: along one variable, constraints that
// are linear in it leave an interval, and results that are linear in it have evenly spaced values.
// For the files of this folder only.

#pragma once

#include <cstdint>
#include <optional>

#include "mercator/analysis/value_set.h"
#include "mercator/map/index_map.h"

namespace mercator {

// Steps that enumeration may still take.
struct StepBudget {
  std::int64_t left = 0;

  // Whether there were so many left; takes them.
  [[nodiscard]] bool take(std::int64_t steps) {
    if (steps > left) return false;
    left -= steps;
    return true;
  }
};

// The number of points in the domain of a map that has only dimensions. None if that takes too many
// steps, or if a value leaves int64 on the way.
[[nodiscard]] std::optional<std::int64_t> count_points(const IndexMap& map, StepBudget& budget);

// The values that `expr` takes over that domain, which must lie in [0, limit). None as above, or if
// a value lies elsewhere.
[[nodiscard]] std::optional<ValueSet> enumerate_values(const IndexMap& map, Expr expr,
                                                       std::int64_t limit, StepBudget& budget);
// How many they are.
[[nodiscard]] std::optional<std::int64_t> count_values(const IndexMap& map, Expr expr,
                                                       std::int64_t limit, StepBudget& budget);

}  // namespace mercator
