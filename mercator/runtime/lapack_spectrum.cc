#include "mercator/runtime/lapack_spectrum.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "mercator/runtime/lapack_matrices.h"
#include "mercator/runtime/matrix_factors.h"

namespace mercator::runtime {
namespace {

// A matrix or, if it has fewer rows than columns, its adjoint.
template <class T>
void make_tall(const Matrix<T>& a, const Matrix<T>& tall) {
  if (tall.columns() == 0) return;
  const bool is_tall = a.rows() >= a.columns();
  for (std::int64_t i = 0; i < tall.rows(); ++i) {
    for (std::int64_t j = 0; j < tall.columns(); ++j) {
      tall.at(i, j) = is_tall ? a.at(i, j) : conjugate(a.at(j, i));
    }
  }
}

// Fills the first columns of `wide`, which has as many rows as `narrow`, with those of `narrow`.
template <class T>
void copy_columns(const Matrix<T>& narrow, const Matrix<T>& wide) {
  if (narrow.columns() == 0) return;
  for (std::int64_t i = 0; i < narrow.rows(); ++i) {
    for (std::int64_t j = 0; j < narrow.columns(); ++j) wide.at(i, j) = narrow.at(i, j);
  }
}

// The singular vectors of a matrix: columns of U and rows of V^H.
template <class T>
struct SingularVectors {
  Matrix<T> u;
  Matrix<T> vh;

  // From those of the tall matrix: its columns of U, `left`, and V.
  Result<void> set(const Matrix<T>& left, const Matrix<T>& v, bool is_tall,
                   const RunContext& context) const {
    const Matrix<T>& for_u = is_tall ? left : v;
    const Matrix<T>& for_v = is_tall ? v : left;
    std::ranges::fill(u.numbers(), T(0));
    copy_columns(for_u, u);
    MERCATOR_TRY_VOID(complete_basis(u, context));
    const Matrix<T> columns = MERCATOR_TRY(Matrix<T>::make(vh.columns(), vh.rows(), context.pool));
    copy_columns(for_v, columns);
    MERCATOR_TRY_VOID(complete_basis(columns, context));
    for (std::int64_t i = 0; i < vh.rows(); ++i) {
      for (std::int64_t j = 0; j < vh.columns(); ++j) vh.at(i, j) = conjugate(columns.at(j, i));
    }
    return {};
  }
};

}  // namespace

template <class T>
Result<Value> lapack_syevd(Evaluation& evaluation) {
  auto call = MERCATOR_TRY(LapackCall<T>::make(evaluation));
  const std::int64_t n = call.rows();
  MERCATOR_TRY_VOID(call.expect(1, 3, true));
  MERCATOR_TRY_VOID(call.expect_result(0, {n, n}));
  MERCATOR_TRY_VOID(call.expect_result(1, {n}));
  MERCATOR_TRY_VOID(call.expect_result(2, {}));
  const bool lower = MERCATOR_TRY(is_lower(call));
  const bool wants_vectors = MERCATOR_TRY(is_letter(call.instruction(), "mode", 'V', 'N'));
  const Matrix<T> a = MERCATOR_TRY(call.matrix(n, n));
  const Matrix<T> vectors = MERCATOR_TRY(call.matrix(n, n));
  const auto values = MERCATOR_TRY(call.template vector<WideReal>(n));
  MERCATOR_TRY_VOID(call.for_each_batch([&](std::int64_t batch) -> Result<void> {
    call.load(0, batch, a.numbers());
    for (std::int64_t i = 0; i < n; ++i) {
      a.at(i, i) = real_part(a.at(i, i));
      for (std::int64_t j = 0; j < i; ++j) {
        (lower ? a.at(j, i) : a.at(i, j)) = conjugate(lower ? a.at(i, j) : a.at(j, i));
      }
    }
    std::int64_t info = 0;
    if (!MERCATOR_TRY(hermitian_eigen(a, values.elements(), vectors, call.context()))) {
      info = 1;
      std::ranges::fill(values.elements(), std::numeric_limits<WideReal>::quiet_NaN());
      std::ranges::fill(vectors.numbers(), T(std::numeric_limits<WideReal>::quiet_NaN()));
    }
    call.store(0, batch, vectors.numbers());
    call.store(1, batch, values.elements());
    call.store_integers(2, batch, {&info, 1});
    return {};
  }));
  if (!wants_vectors) call.keep_operand(0, 0);
  return std::move(call).results();
}

template <class T>
Result<Value> lapack_gesdd(Evaluation& evaluation) {
  auto call = MERCATOR_TRY(LapackCall<T>::make(evaluation));
  const std::int64_t rows = call.rows();
  const std::int64_t columns = call.columns();
  const std::int64_t count = std::min(rows, columns);
  MERCATOR_TRY_VOID(call.expect(1, 5));
  MERCATOR_TRY_VOID(call.expect_result(0, {rows, columns}));
  MERCATOR_TRY_VOID(call.expect_result(1, {count}));
  MERCATOR_TRY_VOID(call.expect_result(4, {}));
  const std::int64_t mode = lapack_setting(call.instruction(), "mode").value_or(0);
  const bool has_vectors = mode != 'N';
  if (has_vectors) {
    const bool is_full = MERCATOR_TRY(is_letter(call.instruction(), "mode", 'A', 'S'));
    MERCATOR_TRY_VOID(call.expect_result(2, {rows, is_full ? rows : count}));
    MERCATOR_TRY_VOID(call.expect_result(3, {is_full ? columns : count, columns}));
  }
  const Matrix<T> a = MERCATOR_TRY(call.matrix(rows, columns));
  const Matrix<T> tall = MERCATOR_TRY(call.matrix(std::max(rows, columns), count));
  const Matrix<T> v = MERCATOR_TRY(call.matrix(count, count));
  SingularVectors<T> vectors;
  if (has_vectors) {
    vectors.u = MERCATOR_TRY(call.result_matrix(2));
    vectors.vh = MERCATOR_TRY(call.result_matrix(3));
  }
  const auto values = MERCATOR_TRY(call.template vector<WideReal>(count));
  MERCATOR_TRY_VOID(call.for_each_batch([&](std::int64_t batch) -> Result<void> {
    call.load(0, batch, a.numbers());
    make_tall(a, tall);
    std::int64_t info = 0;
    if (!MERCATOR_TRY(singular_values(tall, values.elements(), v, call.context()))) {
      info = 1;
      constexpr WideReal kNan = std::numeric_limits<WideReal>::quiet_NaN();
      std::ranges::fill(values.elements(), kNan);
      std::ranges::fill(vectors.u.numbers(), T(kNan));
      std::ranges::fill(vectors.vh.numbers(), T(kNan));
    } else if (has_vectors) {
      MERCATOR_TRY_VOID(vectors.set(tall, v, rows >= columns, call.context()));
    }
    call.store(1, batch, values.elements());
    if (has_vectors) {
      call.store(2, batch, vectors.u.numbers());
      call.store(3, batch, vectors.vh.numbers());
    }
    call.store_integers(4, batch, {&info, 1});
    return {};
  }));
  call.keep_operand(0, 0);
  return std::move(call).results();
}

template Result<Value> lapack_syevd<WideReal>(Evaluation&);
template Result<Value> lapack_syevd<WideComplex>(Evaluation&);
template Result<Value> lapack_gesdd<WideReal>(Evaluation&);
template Result<Value> lapack_gesdd<WideComplex>(Evaluation&);

}  // namespace mercator::runtime
