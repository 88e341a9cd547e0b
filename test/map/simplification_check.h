// What must hold of whatever the simplifier makes of a map, checked by brute force against the
// reference semantics of reference.h. For property tests and fuzzers.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "mercator/map/index_map.h"

namespace mercator::map_test {

// Domains of up to so many points are visited whole.
inline constexpr std::int64_t kMaxPoints = 100'000;

// The number of points within the bounds of the variables; saturates.
std::int64_t point_count(const IndexMap& map);

// What is wrong with what the simplifier makes of `map`; none if nothing is. The result must denote
// the same relation, cost no more, and stay as it is when it is simplified again. Above kMaxPoints
// points it is compared at corners and at others that `draw` chooses; ranges and runtime variables
// are then not allowed.
std::optional<std::string> find_fault(
    const IndexMap& map, MapSimplifier& simplifier,
    const std::function<std::int64_t(std::int64_t, std::int64_t)>& draw);

}  // namespace mercator::map_test
