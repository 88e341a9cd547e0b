// The functions of StableHLO's dialect chlo that HLO has no instruction for. Reading StableHLO
// leaves them as custom calls (hlo/stablehlo_ops.cc); HLO from JAX has them spelled out.

#pragma once

#include <string_view>

#include "mercator/runtime/evaluator.h"

namespace mercator::runtime {

// The rule for a target such as chlo.erf_inv; null for functions that are not known. They apply to
// each element of floating-point arrays, are computed in f64, and rounded once.
[[nodiscard]] EvaluateFunction chlo_function(std::string_view target);

}  // namespace mercator::runtime
