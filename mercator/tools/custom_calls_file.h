// Files that say what custom calls read (docs/command-line.md).

#pragma once

#include <string_view>

#include "mercator/expr/expr.h"
#include "mercator/indexing/custom_calls.h"
#include "mercator/support/error.h"

namespace mercator::tools {

// {"relu": "elementwise", "keep": "identity", "row_sum": [{"operand": 0, "map": "(d0)[s0] -> (d0,
// s0)"}]}
//
// The maps are of `context`. An error carries the place in the text.
[[nodiscard]] Result<CustomCalls> read_custom_calls(std::string_view text, ExprContext& context);

}  // namespace mercator::tools
