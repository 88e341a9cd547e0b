// A second implementation of what maps mean, as plain as it can be: recursion over the values of
// all variables and over expressions, in 128 bits, apart from the code that it is compared with.

#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator::map_test {

// The value of `expr` at a point; none where a divisor is zero. Requires small values.
std::optional<std::int64_t> reference_value(Expr expr, const VariableValues& point);

// The relation of a map with small, bounded variables.
std::set<RelatedPair> reference_relation(const IndexMap& map);

}  // namespace mercator::map_test
