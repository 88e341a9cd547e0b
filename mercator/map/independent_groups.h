// The parts of a map that have no variables in common, and so take their values independently.

#pragma once

#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator {

struct IndependentGroup {
  std::vector<VariableId> variables;  // dimensions, then ranges, then runtimes
  std::vector<Expr> parts;
  std::vector<Constraint> constraints;
};

// `parts`, expressions in the variables of `map`, and its constraints, by the variables that
// connect them; parts that are constants are left out. A group without parts and constraints, of
// variables that occur nowhere, is left out as well. Requires that no constraint is on a constant.
[[nodiscard]] std::vector<IndependentGroup> independent_groups(const IndexMap& map,
                                                               std::span<const Expr> parts);

// The part of `map` that a group is: its variables as dimensions, its parts as results.
[[nodiscard]] IndexMap map_of(const IndexMap& map, const IndependentGroup& group);

[[nodiscard]] Interval bounds_of(const IndexMap& map, VariableId id);

}  // namespace mercator
