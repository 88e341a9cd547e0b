// A second implementation of what maps mean, as plain as it can be: recursion over the values of
// all variables and over expressions, in 128 bits, apart from the code that it is compared with.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator::map_test {

using Wide = __int128;

// The value of `expr` at a point; none where a divisor is zero. Requires that no value on the way
// leaves 128 bits.
std::optional<Wide> reference_value(Expr expr, const VariableValues& point);

// The results at a point; none outside the domain. The ends of int64 are no bounds.
std::optional<std::vector<Wide>> reference_results(const IndexMap& map,
                                                   const VariableValues& point);

// The relation of a map with small, bounded variables and results in int64.
std::set<RelatedPair> reference_relation(const IndexMap& map);

// The relation of `simplified`, with the runtime variables of `original`, all of which have names:
// those that were dropped may have any value within their bounds.
std::set<RelatedPair> reference_relation_like(const IndexMap& simplified, const IndexMap& original);

}  // namespace mercator::map_test
