// Eigenvalues and singular values, in place of LAPACK's functions. Internal to custom calls.

#pragma once

#include "mercator/runtime/evaluator.h"
#include "mercator/runtime/value.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// syevd and heevd: (a) -> (eigenvectors; eigenvalues; info). Of a only one triangle is read.
template <class T>
[[nodiscard]] Result<Value> lapack_syevd(Evaluation& evaluation);

// gesdd and gesvd: (a) -> (nothing of use; singular values; U; V^H; info). Mode A asks for square U
// and V, S for as many vectors as there are values, N for the values only.
template <class T>
[[nodiscard]] Result<Value> lapack_gesdd(Evaluation& evaluation);

}  // namespace mercator::runtime
