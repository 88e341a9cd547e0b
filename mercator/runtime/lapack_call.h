// The custom calls by which JAX has LAPACK decompose matrices on the CPU.

#pragma once

#include <string_view>

#include "mercator/runtime/evaluator.h"
#include "mercator/runtime/value.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// The rule for a target such as lapack_dgetrf_ffi; null for functions that are not known.
[[nodiscard]] EvaluateFunction lapack_function(std::string_view target);

}  // namespace mercator::runtime
