// Decompositions of matrices, with the conventions of LAPACK.

#pragma once

#include <cstdint>
#include <span>

#include "mercator/runtime/matrix.h"
#include "mercator/runtime/pool_array.h"
#include "mercator/runtime/run_context.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// P A = L U with rows exchanged for the largest pivot, in place: L, with ones on its diagonal,
// below the diagonal, U above. Step k exchanged row k and row pivots[k], of min(rows, columns).
// Returns the number of the first pivot that is zero, counted from 1, or 0.
template <class T>
[[nodiscard]] Result<std::int64_t> lu_factor(const Matrix<T>& a, std::span<std::int64_t> pivots,
                                             const RunContext& context);

// A = Q R in place: R on and above the diagonal, and below it what, with the factors `tau`, says Q:
// Q = H_0 H_1 …, H_k = I - tau[k] v v^H, where v has k zeros, a one, and then column k.
template <class T>
[[nodiscard]] Result<void> qr_factor(const Matrix<T>& a, std::span<T> tau,
                                     const RunContext& context);

// Which product with a Q in that form.
struct QProduct {
  bool left = true;      // Q C, otherwise C Q
  bool adjoint = false;  // with Q^H in place of Q
};

// Replaces `c` by the product with the Q of the first tau.size() columns of `factors`.
template <class T>
[[nodiscard]] Result<void> multiply_by_q(const Matrix<T>& factors, std::span<const T> tau,
                                         const Matrix<T>& c, const QProduct& product,
                                         const RunContext& context);

// The eigenvalues of a Hermitian matrix in ascending order, and in the columns of `vectors` its
// eigenvectors (of length 1, each up to a factor of absolute value 1), by Jacobi's method. Replaces
// `a`. False if a number is not finite.
template <class T>
[[nodiscard]] Result<bool> hermitian_eigen(const Matrix<T>& a, std::span<WideReal> values,
                                           const Matrix<T>& vectors, const RunContext& context);

// A = U S V^H for a matrix with at least as many rows as columns: the singular values in descending
// order, in place of A the first columns of U, and V; by Hestenes's one-sided Jacobi method. A
// column of U of a singular value that is zero is zero too. False if a number is not finite.
template <class T>
[[nodiscard]] Result<bool> singular_values(const Matrix<T>& a, std::span<WideReal> values,
                                           const Matrix<T>& v, const RunContext& context);

// Replaces columns of `q` that are zero so that its columns are orthogonal and of length 1. The
// others must be so; there are at least as many rows as columns.
template <class T>
[[nodiscard]] Result<void> complete_basis(const Matrix<T>& q, const RunContext& context);

}  // namespace mercator::runtime
