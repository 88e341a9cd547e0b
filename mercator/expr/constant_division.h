// Quotients and remainders by constants that are no powers of two, without division. For the files
// of this folder.

#pragma once

#include <cstdint>

#include "mercator/expr/index_program_builder.h"

namespace mercator::internal {

// floor(x / d), and x - d * floor(x / d) within `range`, both of the type of x. What they have in
// common is computed once. Requires d > 1 and that d is a number of the type.
ValueId quotient_by_constant(ValueId x, std::int64_t d, IndexProgramBuilder& builder);
ValueId remainder_by_constant(ValueId x, std::int64_t d, Interval range,
                              IndexProgramBuilder& builder);

}  // namespace mercator::internal
