// The relation of an index map when its runtime variables have the values that a program computed.

#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include "mercator/hlo/module.h"
#include "mercator/map/index_map.h"
#include "mercator/support/error.h"

namespace mercator::testing {

// (from, to): row-major positions.
using Positions = std::set<std::pair<std::int64_t, std::int64_t>>;

// The number in element `position` of a tensor.
using NumberOf =
    std::function<Result<std::int64_t>(const hlo::Instruction& tensor, std::int64_t position)>;

// What the map relates in arrays of these sizes, where each runtime variable is the element that it
// names, clamped to its bounds. An error, in words, if the map leads out of the arrays, or a
// variable out of its tensor; kUnsupported if there are more than `max_points` points to look at.
[[nodiscard]] Result<Positions> positions_of(const IndexMap& map,
                                             std::span<const std::int64_t> from_sizes,
                                             std::span<const std::int64_t> to_sizes,
                                             const hlo::Module& module, const NumberOf& number_of,
                                             std::int64_t max_points);

}  // namespace mercator::testing
