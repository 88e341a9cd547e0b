// Rewriting the range and runtime variables of maps.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mercator/map/index_map.h"

namespace mercator::indexing {

// `map` with `value`, over its variables, in place of runtime variable `runtime`, which then occurs
// nowhere. Requires that `value` does not depend on that variable.
[[nodiscard]] IndexMap replace_runtime(const IndexMap& map, std::uint32_t runtime, Expr value);

// `map` without a range variable for which a constraint leaves one value in terms of the other
// variables: that takes its place, and lies within its bounds. None if there is no such variable.
//
//   (d0)[s0] -> (s0), s0 in [0, 9], d0 - s0 in [1, 1]  becomes  (d0) -> (d0 - 1), d0 - 1 in [0, 9]
[[nodiscard]] std::optional<IndexMap> without_determined_range(const IndexMap& map);

// `map` with a range variable over all values that runtime variable `runtime` may have in its
// place.
[[nodiscard]] IndexMap range_for_runtime(const IndexMap& map, std::uint32_t runtime);

// `map` with one runtime variable in place of several that stand for the same element of the same
// tensor, clamped to the same bounds. None if there are no such variables.
[[nodiscard]] std::optional<IndexMap> merge_runtimes(const IndexMap& map);

// `map` with its range variables numbered in the order in which they occur in the results, then the
// constraints, then the indices of runtime variables (within a sum, larger coefficients come
// first), and its runtime variables in the order of their tensors, indices and bounds. So maps that
// differ in the numbers of their variables become equal. None if they are already numbered so.
[[nodiscard]] std::optional<IndexMap> number_variables(const IndexMap& map);

// A map from the same dimensions, over all values that they take in some map of `maps`, which
// relates every point to all that some map relates it to, and perhaps to more. A result on which
// all maps agree and that depends on dimensions only is kept; for another, all indices of a
// dimension of that size are taken. Requires at least one map.
[[nodiscard]] IndexMap widen(std::span<const IndexMap* const> maps,
                             std::span<const std::int64_t> result_sizes);

}  // namespace mercator::indexing
