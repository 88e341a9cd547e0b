// How many elements several maps lead to, and how many pairs a map relates: of maps without runtime
// variables. For the files of this folder only.
//
// The indices that a map leads to are a product: of a set for each dimension of the array, where no
// variable or constraint connects the dimensions, or else for those that are connected together, as
// positions. The elements of the union of several products are counted by the products that they
// are in: for each factor apart, how many values lie in the sets of exactly these maps, and the
// maps of an element are those that all of its values have in common.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mercator/analysis/row_walk.h"
#include "mercator/map/index_map.h"

namespace mercator {

// The number of distinct elements of an array of these sizes that the maps lead to. None if it
// takes more steps than the budget has, or more than `kMaxSets` maps. Requires simplified maps
// without runtime variables that stay inside the array.
[[nodiscard]] std::optional<std::int64_t> count_union(std::span<const IndexMap> maps,
                                                      std::span<const std::int64_t> sizes,
                                                      StepBudget& budget);

// The number of distinct pairs (dimensions, results) of such a map, the largest int64 if it is
// larger. None if that takes too many steps.
[[nodiscard]] std::optional<std::int64_t> count_pairs(const IndexMap& map, StepBudget& budget);

}  // namespace mercator
