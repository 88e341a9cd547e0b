// Maps as index programs (expr/index_program.h), for `mercator simplify --lower`.

#pragma once

#include <string>

#include "mercator/expr/simplifier.h"
#include "mercator/map/index_map.h"
#include "mercator/support/error.h"

namespace mercator::tools {

// The text of the program that computes the results of `map`, with its constraints as the gate,
// after strength reduction. Fails as `lower` does (expr/index_types.h).
[[nodiscard]] Result<std::string> program_text(const IndexMap& map, Simplifier& simplifier);

}  // namespace mercator::tools
