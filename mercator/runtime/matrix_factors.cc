#include "mercator/runtime/matrix_factors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

constexpr WideReal kEpsilon = std::numeric_limits<WideReal>::epsilon();
// Jacobi's methods converge quadratically: they need about ten sweeps.
constexpr int kMostSweeps = 60;

// What LAPACK compares pivots by.
template <class T>
WideReal pivot_size(const T& x) {
  if constexpr (kIsComplex<T>) {
    return std::abs(x.real()) + std::abs(x.imag());
  } else {
    return std::abs(x);
  }
}

template <class T>
T with_imaginary(WideReal real, WideReal imaginary) {
  if constexpr (kIsComplex<T>) {
    return {real, imaginary};
  } else {
    return real;
  }
}

template <class T>
bool is_finite(const Matrix<T>& a) {
  return std::ranges::all_of(a.numbers(), [](const T& x) { return std::isfinite(pivot_size(x)); });
}

template <class T>
void make_identity(const Matrix<T>& a) {
  std::ranges::fill(a.numbers(), T(0));
  for (std::int64_t i = 0; i < std::min(a.rows(), a.columns()); ++i) a.at(i, i) = T(1);
}

// Of columns p and q, or rows with the conjugate.
template <class T>
struct Rotation {
  WideReal c = 1;
  WideReal s = 0;
  T phase = T(1);

  // Makes ((alpha, beta), (conj(beta), gamma)) diagonal, for beta other than zero.
  Rotation(WideReal alpha, const T& beta, WideReal gamma) {
    const WideReal size = std::abs(beta);
    const WideReal tau = (gamma - alpha) / (2 * size);
    const WideReal t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::hypot(WideReal{1}, tau));
    c = 1 / std::hypot(WideReal{1}, t);
    s = t * c;
    phase = conjugate(beta) / size;
  }

  void columns(const Matrix<T>& a, std::int64_t p, std::int64_t q) const {
    for (std::int64_t i = 0; i < a.rows(); ++i) rotate(a.at(i, p), a.at(i, q), phase);
  }
  void rows(const Matrix<T>& a, std::int64_t p, std::int64_t q) const {
    for (std::int64_t i = 0; i < a.columns(); ++i) rotate(a.at(p, i), a.at(q, i), conjugate(phase));
  }

 private:
  void rotate(T& x, T& y, const T& factor) const {
    const T turned = factor * y;
    y = s * x + c * turned;
    x = c * x - s * turned;
  }
};

// Puts the columns of matrices, and the values, in an order of the values.
template <class T, class Before>
void sort_columns(std::span<WideReal> values, std::initializer_list<Matrix<T>> matrices,
                  Before before) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto next =
        std::min_element(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(), before);
    const auto j = static_cast<std::size_t>(next - values.begin());
    if (i == j) continue;
    std::swap(values[i], values[j]);
    for (const Matrix<T>& matrix : matrices) {
      for (std::int64_t row = 0; row < matrix.rows(); ++row) {
        std::swap(matrix.at(row, static_cast<std::int64_t>(i)),
                  matrix.at(row, static_cast<std::int64_t>(j)));
      }
    }
  }
}

// The sum of conj(a) b over rows of two columns.
template <class T>
T inner_product(const Matrix<T>& a, std::int64_t p, std::int64_t q) {
  T sum = T(0);
  for (std::int64_t i = 0; i < a.rows(); ++i) sum += conjugate(a.at(i, p)) * a.at(i, q);
  return sum;
}

template <class T>
void scale_column(const Matrix<T>& a, std::int64_t column, WideReal factor) {
  for (std::int64_t i = 0; i < a.rows(); ++i) a.at(i, column) *= factor;
}

}  // namespace

template <class T>
Result<std::int64_t> lu_factor(const Matrix<T>& a, std::span<std::int64_t> pivots,
                               const RunContext& context) {
  std::int64_t first_zero = 0;
  for (std::int64_t k = 0; k < std::ssize(pivots); ++k) {
    MERCATOR_TRY_VOID(check_stop(context.stop));
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < a.rows(); ++i) {
      if (pivot_size(a.at(i, k)) > pivot_size(a.at(pivot, k))) pivot = i;
    }
    pivots[static_cast<std::size_t>(k)] = pivot;
    if (a.at(pivot, k) == T(0)) {
      if (first_zero == 0) first_zero = k + 1;
      continue;
    }
    for (std::int64_t j = 0; pivot != k && j < a.columns(); ++j) {
      std::swap(a.at(k, j), a.at(pivot, j));
    }
    for (std::int64_t i = k + 1; i < a.rows(); ++i) {
      a.at(i, k) /= a.at(k, k);
      for (std::int64_t j = k + 1; j < a.columns(); ++j) a.at(i, j) -= a.at(i, k) * a.at(k, j);
    }
  }
  return first_zero;
}

template <class T>
Result<void> qr_factor(const Matrix<T>& a, std::span<T> tau, const RunContext& context) {
  for (std::int64_t k = 0; k < std::ssize(tau); ++k) {
    MERCATOR_TRY_VOID(check_stop(context.stop));
    WideReal below = 0;
    for (std::int64_t i = k + 1; i < a.rows(); ++i) below += std::norm(a.at(i, k));
    const T alpha = a.at(k, k);
    T& factor = tau[static_cast<std::size_t>(k)];
    factor = T(0);
    if (below == 0 && alpha == T(real_part(alpha))) continue;  // H = I
    const WideReal length = std::sqrt(std::norm(alpha) + below);
    const WideReal beta = std::signbit(real_part(alpha)) ? length : -length;
    factor = (T(beta) - alpha) / beta;
    for (std::int64_t i = k + 1; i < a.rows(); ++i) a.at(i, k) /= alpha - T(beta);
    a.at(k, k) = beta;
    // H^H on the columns that are left.
    for (std::int64_t j = k + 1; j < a.columns(); ++j) {
      T sum = a.at(k, j);
      for (std::int64_t i = k + 1; i < a.rows(); ++i) sum += conjugate(a.at(i, k)) * a.at(i, j);
      sum *= conjugate(factor);
      a.at(k, j) -= sum;
      for (std::int64_t i = k + 1; i < a.rows(); ++i) a.at(i, j) -= a.at(i, k) * sum;
    }
  }
  return {};
}

template <class T>
Result<void> multiply_by_q(const Matrix<T>& factors, std::span<const T> tau, const Matrix<T>& c,
                           const QProduct& product, const RunContext& context) {
  const std::int64_t count = std::ssize(tau);
  // Which of the reflections is nearest to C.
  const bool last_first = product.left != product.adjoint;
  for (std::int64_t step = 0; step < count; ++step) {
    MERCATOR_TRY_VOID(check_stop(context.stop));
    const std::int64_t k = last_first ? count - 1 - step : step;
    const T given = tau[static_cast<std::size_t>(k)];
    const T factor = product.adjoint ? conjugate(given) : given;
    const auto v = [&](std::int64_t i) { return i == k ? T(1) : factors.at(i, k); };
    const std::int64_t lines = product.left ? c.columns() : c.rows();
    for (std::int64_t line = 0; line < lines; ++line) {
      const auto at = [&](std::int64_t i) -> T& {
        return product.left ? c.at(i, line) : c.at(line, i);
      };
      T sum = T(0);
      for (std::int64_t i = k; i < factors.rows(); ++i) {
        sum += product.left ? conjugate(v(i)) * at(i) : at(i) * v(i);
      }
      sum *= factor;
      for (std::int64_t i = k; i < factors.rows(); ++i) {
        at(i) -= product.left ? v(i) * sum : sum * conjugate(v(i));
      }
    }
  }
  return {};
}

template <class T>
Result<bool> hermitian_eigen(const Matrix<T>& a, std::span<WideReal> values,
                             const Matrix<T>& vectors, const RunContext& context) {
  if (!is_finite(a)) return false;
  const std::int64_t n = a.rows();
  make_identity(vectors);
  WideReal norm = 0;
  for (const T& x : a.numbers()) norm = std::max(norm, std::abs(x));
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMostSweeps; ++sweep) {
    rotated = false;
    for (std::int64_t p = 0; p < n; ++p) {
      MERCATOR_TRY_VOID(check_stop(context.stop));
      for (std::int64_t q = p + 1; q < n; ++q) {
        const T beta = a.at(p, q);
        if (std::abs(beta) <= kEpsilon / 16 * norm) continue;
        rotated = true;
        const Rotation<T> rotation(real_part(a.at(p, p)), beta, real_part(a.at(q, q)));
        rotation.columns(a, p, q);
        rotation.rows(a, p, q);
        rotation.columns(vectors, p, q);
        a.at(p, q) = T(0);
        a.at(q, p) = T(0);
      }
    }
  }
  for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = real_part(a.at(i, i));
  sort_columns(values, {vectors}, std::less<>());
  return true;
}

template <class T>
Result<bool> singular_values(const Matrix<T>& a, std::span<WideReal> values, const Matrix<T>& v,
                             const RunContext& context) {
  if (!is_finite(a)) return false;
  const std::int64_t n = a.columns();
  make_identity(v);
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMostSweeps; ++sweep) {
    rotated = false;
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) {
        MERCATOR_TRY_VOID(check_stop(context.stop));
        const WideReal alpha = real_part(inner_product(a, p, p));
        const WideReal gamma = real_part(inner_product(a, q, q));
        const T beta = inner_product(a, p, q);
        if (std::abs(beta) <= kEpsilon * std::sqrt(alpha * gamma)) continue;
        rotated = true;
        const Rotation<T> rotation(alpha, beta, gamma);
        rotation.columns(a, p, q);
        rotation.columns(v, p, q);
      }
    }
  }
  WideReal largest = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    WideReal& value = values[static_cast<std::size_t>(j)];
    value = std::sqrt(real_part(inner_product(a, j, j)));
    largest = std::max(largest, value);
  }
  // What rounding alone has left of a column has no direction.
  const WideReal least = largest * kEpsilon * static_cast<WideReal>(a.rows());
  for (std::int64_t j = 0; j < n; ++j) {
    const WideReal value = values[static_cast<std::size_t>(j)];
    scale_column(a, j, value <= least ? 0 : 1 / value);
  }
  sort_columns(values, {a, v}, std::greater<>());
  return true;
}

template <class T>
Result<void> complete_basis(const Matrix<T>& q, const RunContext& context) {
  std::int64_t axis = 0;  // the next one to try
  for (std::int64_t j = 0; j < q.columns(); ++j) {
    while (real_part(inner_product(q, j, j)) < WideReal{0.5} && axis < q.rows()) {
      MERCATOR_TRY_VOID(check_stop(context.stop));
      for (std::int64_t i = 0; i < q.rows(); ++i) q.at(i, j) = T(i == axis ? 1 : 0);
      ++axis;
      // Twice, since the first time leaves what rounding makes of it.
      for (int time = 0; time < 2; ++time) {
        for (std::int64_t other = 0; other < q.columns(); ++other) {
          if (other == j) continue;
          const T part = inner_product(q, other, j);
          for (std::int64_t i = 0; i < q.rows(); ++i) q.at(i, j) -= q.at(i, other) * part;
        }
      }
      const WideReal length = std::sqrt(real_part(inner_product(q, j, j)));
      // An axis that lies almost in what the other columns span is of no use.
      scale_column(q, j,
                   length * length * static_cast<WideReal>(2 * q.rows()) < 1 ? 0 : 1 / length);
    }
  }
  return {};
}

#define MERCATOR_INSTANTIATE(T)                                                                  \
  template Result<std::int64_t> lu_factor(const Matrix<T>&, std::span<std::int64_t>,             \
                                          const RunContext&);                                    \
  template Result<void> qr_factor(const Matrix<T>&, std::span<T>, const RunContext&);            \
  template Result<void> multiply_by_q(const Matrix<T>&, std::span<const T>, const Matrix<T>&,    \
                                      const QProduct&, const RunContext&);                       \
  template Result<bool> hermitian_eigen(const Matrix<T>&, std::span<WideReal>, const Matrix<T>&, \
                                        const RunContext&);                                      \
  template Result<bool> singular_values(const Matrix<T>&, std::span<WideReal>, const Matrix<T>&, \
                                        const RunContext&);                                      \
  template Result<void> complete_basis(const Matrix<T>&, const RunContext&);
MERCATOR_INSTANTIATE(WideReal)
MERCATOR_INSTANTIATE(WideComplex)
#undef MERCATOR_INSTANTIATE

}  // namespace mercator::runtime
