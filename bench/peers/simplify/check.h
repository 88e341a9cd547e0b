// Whether two expressions have the same values.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"

namespace mercator::peers {

// A point within the bounds of the dimensions where `expected` has a value that `actual` has not;
// none if none is found. Looks at every point of a domain of up to 100,000 points, and at corners
// and random points, always the same, of a larger one.
[[nodiscard]] std::optional<std::vector<std::int64_t>> find_difference(
    Expr expected, Expr actual, std::span<const Interval> bounds);

}  // namespace mercator::peers
