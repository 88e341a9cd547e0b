// Matrices of wide numbers, and what decomposes them and solves with them.
//
// Everything takes real numbers (long double) and complex ones, in place of which a conjugate of a
// real number is the number. An error is one of an interrupted run.

#pragma once

#include <array>
#include <cstdint>

#include "mercator/runtime/pool_array.h"
#include "mercator/runtime/run_context.h"
#include "mercator/runtime/wide_elements.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// Row-major, at first all zeros. Copies share the numbers.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  [[nodiscard]] static Result<Matrix> make(std::int64_t rows, std::int64_t columns,
                                           const MemoryPool& pool) {
    Matrix matrix;
    matrix.rows_ = rows;
    matrix.columns_ = columns;
    const std::array<std::int64_t, 2> sizes = {rows, columns};
    matrix.numbers_ =
        MERCATOR_TRY(PoolArray<T>::allocate(MERCATOR_TRY(element_count(sizes)), pool));
    return matrix;
  }

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  [[nodiscard]] T& at(std::int64_t i, std::int64_t j) const {
    return numbers_[static_cast<std::size_t>(i * columns_ + j)];
  }
  // Row by row.
  [[nodiscard]] std::span<T> numbers() const { return numbers_.elements(); }

 private:
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  PoolArray<T> numbers_;
};

// Replaces each number of a Hermitian matrix, or of a triangle of one, by the conjugate of the one
// on the other side of the diagonal, which is real and stays.
template <class T>
void transpose(const Matrix<T>& square) {
  for (std::int64_t i = 0; i < square.rows(); ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const T below = square.at(i, j);
      square.at(i, j) = conjugate(square.at(j, i));
      square.at(j, i) = conjugate(below);
    }
  }
}

// Replaces the lower triangle of a Hermitian matrix, the only part that is read, by that of L with
// A = L L^H. Returns 0, or if A is not positive definite the order of the first leading minor that
// is not; then only the columns before are replaced.
template <class T>
[[nodiscard]] Result<std::int64_t> cholesky(const Matrix<T>& a, const RunContext& context);

// What of a matrix A stands in a triangular system, and on which side of the unknown.
struct TriangularSystem {
  bool left = true;            // op(A) X = B, otherwise X op(A) = B
  bool lower = true;           // which triangle of A is read
  bool unit_diagonal = false;  // ones are meant in place of A's diagonal
  bool transposed = false;     // op(A) = A^T
  bool conjugated = false;     // and its conjugate
};

// Replaces `b` by X.
template <class T>
[[nodiscard]] Result<void> solve_triangular(const Matrix<T>& a, const Matrix<T>& b,
                                            const TriangularSystem& system,
                                            const RunContext& context);

}  // namespace mercator::runtime
