// Decompositions, multiplied together again.

#include "mercator/runtime/matrix_factors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace mercator::runtime {
namespace {

template <class T>
class MatrixFactors : public ::testing::Test {
 protected:
  static Matrix<T> zeros(std::int64_t rows, std::int64_t columns) {
    return Matrix<T>::make(rows, columns, MemoryPool()).value();
  }

  // Numbers without a pattern.
  Matrix<T> random(std::int64_t rows, std::int64_t columns) {
    const Matrix<T> a = zeros(rows, columns);
    for (T& x : a.numbers()) {
      if constexpr (kIsComplex<T>) {
        const WideReal real = next();
        x = {real, next()};
      } else {
        x = next();
      }
    }
    return a;
  }

  static Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b) {
    const Matrix<T> c = zeros(a.rows(), b.columns());
    for (std::int64_t i = 0; i < a.rows(); ++i) {
      for (std::int64_t j = 0; j < b.columns(); ++j) {
        for (std::int64_t k = 0; k < a.columns(); ++k) c.at(i, j) += a.at(i, k) * b.at(k, j);
      }
    }
    return c;
  }

  static Matrix<T> adjoint(const Matrix<T>& a) {
    const Matrix<T> b = zeros(a.columns(), a.rows());
    for (std::int64_t i = 0; i < a.rows(); ++i) {
      for (std::int64_t j = 0; j < a.columns(); ++j) b.at(j, i) = conjugate(a.at(i, j));
    }
    return b;
  }

  static Matrix<T> copy(const Matrix<T>& a) { return adjoint(adjoint(a)); }

  static Matrix<T> diagonal(std::span<const WideReal> values) {
    const auto n = static_cast<std::int64_t>(values.size());
    const Matrix<T> d = zeros(n, n);
    for (std::int64_t i = 0; i < n; ++i) d.at(i, i) = values[static_cast<std::size_t>(i)];
    return d;
  }

  static Matrix<T> identity(std::int64_t n) {
    return diagonal(std::vector<WideReal>(static_cast<std::size_t>(n), 1));
  }

  static void expect_equal(const Matrix<T>& a, const Matrix<T>& b) {
    ASSERT_EQ(a.rows(), b.rows());
    ASSERT_EQ(a.columns(), b.columns());
    WideReal worst = 0;
    for (std::size_t i = 0; i < a.numbers().size(); ++i) {
      worst = std::max(worst, std::abs(a.numbers()[i] - b.numbers()[i]));
    }
    EXPECT_LT(worst, 1e-16L);
  }

  RunContext context_;

 private:
  WideReal next() {
    state_ = state_ * 1664525 + 1013904223;
    return static_cast<WideReal>(state_ >> 8) / (1 << 23) - 1;
  }
  std::uint32_t state_ = 1;
};

using Numbers = ::testing::Types<WideReal, WideComplex>;
TYPED_TEST_SUITE(MatrixFactors, Numbers);

TYPED_TEST(MatrixFactors, EigenvectorsMakeTheMatrixDiagonal) {
  for (const std::int64_t n : {0, 1, 2, 5, 12}) {
    const auto some = this->random(n, n);
    const auto a = this->product(some, this->adjoint(some));
    const auto work = this->copy(a);
    const auto vectors = this->zeros(n, n);
    std::vector<WideReal> values(static_cast<std::size_t>(n));
    ASSERT_TRUE(hermitian_eigen(work, std::span(values), vectors, this->context_).value());
    EXPECT_TRUE(std::ranges::is_sorted(values));
    this->expect_equal(this->product(vectors, this->adjoint(vectors)), this->identity(n));
    this->expect_equal(
        this->product(this->product(vectors, this->diagonal(values)), this->adjoint(vectors)), a);
  }
}

TYPED_TEST(MatrixFactors, SingularVectorsMakeTheMatrixDiagonal) {
  for (const auto& [rows, columns, rank] :
       {std::array{4, 4, 4}, {7, 3, 3}, {1, 1, 1}, {5, 4, 2}, {3, 2, 0}, {4, 0, 0}}) {
    const auto a = this->product(this->random(rows, rank), this->random(rank, columns));
    const auto u = this->copy(a);
    const auto v = this->zeros(columns, columns);
    std::vector<WideReal> values(static_cast<std::size_t>(columns));
    ASSERT_TRUE(singular_values(u, std::span(values), v, this->context_).value());
    EXPECT_TRUE(std::ranges::is_sorted(values, std::greater<>()));
    this->expect_equal(this->product(this->product(u, this->diagonal(values)), this->adjoint(v)),
                       a);
    ASSERT_TRUE(complete_basis(u, this->context_).has_value());
    this->expect_equal(this->product(this->adjoint(u), u), this->identity(columns));
    this->expect_equal(this->product(this->adjoint(v), v), this->identity(columns));
  }
}

TYPED_TEST(MatrixFactors, QTimesRIsTheMatrix) {
  for (const auto& [rows, columns] : {std::array{4, 4}, {6, 3}, {3, 5}, {1, 1}}) {
    const auto a = this->random(rows, columns);
    const auto factors = this->copy(a);
    std::vector<TypeParam> tau(static_cast<std::size_t>(std::min(rows, columns)));
    ASSERT_TRUE(qr_factor(factors, std::span(tau), this->context_).has_value());
    const auto r = this->copy(factors);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < std::min<std::int64_t>(i, columns); ++j)
        r.at(i, j) = TypeParam(0);
    }
    const std::span<const TypeParam> given(tau);
    const auto back = this->copy(r);
    ASSERT_TRUE(multiply_by_q(factors, given, back, {}, this->context_).has_value());
    this->expect_equal(back, a);
    // R = Q^H A, and the same on the other side: A^H Q = R^H, R^H Q^H = A^H.
    const auto forth = this->copy(a);
    ASSERT_TRUE(
        multiply_by_q(factors, given, forth, {.adjoint = true}, this->context_).has_value());
    this->expect_equal(forth, r);
    const auto right = this->adjoint(a);
    ASSERT_TRUE(multiply_by_q(factors, given, right, {.left = false}, this->context_).has_value());
    this->expect_equal(right, this->adjoint(r));
    ASSERT_TRUE(
        multiply_by_q(factors, given, right, {.left = false, .adjoint = true}, this->context_)
            .has_value());
    this->expect_equal(right, this->adjoint(a));
  }
}

TYPED_TEST(MatrixFactors, LTimesUIsTheMatrixWithRowsExchanged) {
  for (const auto& [rows, columns] : {std::array{5, 5}, {6, 3}, {3, 5}}) {
    const auto a = this->random(rows, columns);
    const auto factors = this->copy(a);
    const std::int64_t steps = std::min(rows, columns);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(steps));
    EXPECT_EQ(lu_factor(factors, std::span(pivots), this->context_).value(), 0);
    const auto lower = this->zeros(rows, steps);
    const auto upper = this->zeros(steps, columns);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        if (j < i && j < steps) lower.at(i, j) = factors.at(i, j);
        if (j >= i) upper.at(i, j) = factors.at(i, j);
      }
      if (i < steps) lower.at(i, i) = TypeParam(1);
    }
    for (std::int64_t k = 0; k < steps; ++k) {
      for (std::int64_t j = 0; j < columns; ++j) {
        std::swap(a.at(k, j), a.at(pivots[static_cast<std::size_t>(k)], j));
      }
    }
    this->expect_equal(this->product(lower, upper), a);
  }
}

}  // namespace
}  // namespace mercator::runtime
