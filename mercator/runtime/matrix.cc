#include "mercator/runtime/matrix.h"

#include <cmath>

#include "mercator/support/stop_check.h"

namespace mercator::runtime {

template <class T>
Result<std::int64_t> cholesky(const Matrix<T>& a, const RunContext& context) {
  for (std::int64_t j = 0; j < a.rows(); ++j) {
    MERCATOR_TRY_VOID(check_stop(context.stop));
    WideReal pivot = real_part(a.at(j, j));
    for (std::int64_t k = 0; k < j; ++k) pivot -= std::norm(a.at(j, k));
    if (!(pivot > 0)) return j + 1;
    const WideReal root = std::sqrt(pivot);
    a.at(j, j) = root;
    for (std::int64_t i = j + 1; i < a.rows(); ++i) {
      T sum = a.at(i, j);
      for (std::int64_t k = 0; k < j; ++k) sum -= a.at(i, k) * conjugate(a.at(j, k));
      a.at(i, j) = sum / root;
    }
  }
  return 0;
}

template <class T>
Result<void> solve_triangular(const Matrix<T>& a, const Matrix<T>& b,
                              const TriangularSystem& system, const RunContext& context) {
  // X op(A) = B is op(A)^T X^T = B^T: the vectors to solve for are then the rows of B.
  const bool swapped = system.transposed == system.left;
  const auto coefficient = [&](std::int64_t i, std::int64_t j) {
    const T& number = swapped ? a.at(j, i) : a.at(i, j);
    return system.conjugated ? conjugate(number) : number;
  };
  const std::int64_t n = a.rows();
  const std::int64_t vectors = system.left ? b.columns() : b.rows();
  const bool forward = system.lower != swapped;
  for (std::int64_t v = 0; v < vectors; ++v) {
    const auto unknown = [&](std::int64_t i) -> T& {
      return system.left ? b.at(i, v) : b.at(v, i);
    };
    for (std::int64_t step = 0; step < n; ++step) {
      MERCATOR_TRY_VOID(check_stop(context.stop));
      const std::int64_t i = forward ? step : n - 1 - step;
      T sum = unknown(i);
      for (std::int64_t solved = 0; solved < step; ++solved) {
        const std::int64_t j = forward ? solved : n - 1 - solved;
        sum -= coefficient(i, j) * unknown(j);
      }
      unknown(i) = system.unit_diagonal ? sum : sum / coefficient(i, i);
    }
  }
  return {};
}

template Result<std::int64_t> cholesky(const Matrix<WideReal>&, const RunContext&);
template Result<std::int64_t> cholesky(const Matrix<WideComplex>&, const RunContext&);
template Result<void> solve_triangular(const Matrix<WideReal>&, const Matrix<WideReal>&,
                                       const TriangularSystem&, const RunContext&);
template Result<void> solve_triangular(const Matrix<WideComplex>&, const Matrix<WideComplex>&,
                                       const TriangularSystem&, const RunContext&);

}  // namespace mercator::runtime
