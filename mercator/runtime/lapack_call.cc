#include "mercator/runtime/lapack_call.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/lapack_matrices.h"
#include "mercator/runtime/lapack_spectrum.h"
#include "mercator/runtime/matrix_factors.h"

namespace mercator::runtime {
namespace {

using Sizes = std::vector<std::int64_t>;

// (a) -> (its Cholesky factor, beside the other triangle of a; info)
template <class T>
Result<Value> potrf(Evaluation& evaluation) {
  auto call = MERCATOR_TRY(LapackCall<T>::make(evaluation));
  const std::int64_t n = call.rows();
  MERCATOR_TRY_VOID(call.expect(1, 2, true));
  MERCATOR_TRY_VOID(call.expect_result(0, {n, n}));
  MERCATOR_TRY_VOID(call.expect_result(1, {}));
  const bool lower = MERCATOR_TRY(is_lower(call));
  const Matrix<T> a = MERCATOR_TRY(call.matrix(n, n));
  MERCATOR_TRY_VOID(call.for_each_batch([&](std::int64_t batch) -> Result<void> {
    call.load(0, batch, a.numbers());
    if (!lower) transpose(a);
    const std::int64_t info = MERCATOR_TRY(cholesky(a, call.context()));
    if (!lower) transpose(a);
    call.store(0, batch, a.numbers());
    call.store_integers(1, batch, {&info, 1});
    return {};
  }));
  return std::move(call).results();
}

// (a) -> (L and U in one; pivots, counted from 1; info)
template <class T>
Result<Value> getrf(Evaluation& evaluation) {
  auto call = MERCATOR_TRY(LapackCall<T>::make(evaluation));
  const std::int64_t steps = std::min(call.rows(), call.columns());
  MERCATOR_TRY_VOID(call.expect(1, 3));
  MERCATOR_TRY_VOID(call.expect_result(0, {call.rows(), call.columns()}));
  MERCATOR_TRY_VOID(call.expect_result(1, {steps}));
  MERCATOR_TRY_VOID(call.expect_result(2, {}));
  const Matrix<T> a = MERCATOR_TRY(call.matrix(call.rows(), call.columns()));
  const auto pivots = MERCATOR_TRY(call.template vector<std::int64_t>(steps));
  MERCATOR_TRY_VOID(call.for_each_batch([&](std::int64_t batch) -> Result<void> {
    call.load(0, batch, a.numbers());
    const std::int64_t info = MERCATOR_TRY(lu_factor(a, pivots.elements(), call.context()));
    for (std::int64_t& pivot : pivots.elements()) ++pivot;
    call.store(0, batch, a.numbers());
    call.store_integers(1, batch, pivots.elements());
    call.store_integers(2, batch, {&info, 1});
    return {};
  }));
  return std::move(call).results();
}

// (a) -> (R and what says Q; tau)
template <class T>
Result<Value> geqrf(Evaluation& evaluation) {
  auto call = MERCATOR_TRY(LapackCall<T>::make(evaluation));
  const std::int64_t steps = std::min(call.rows(), call.columns());
  MERCATOR_TRY_VOID(call.expect(1, 2));
  MERCATOR_TRY_VOID(call.expect_result(0, {call.rows(), call.columns()}));
  MERCATOR_TRY_VOID(call.expect_result(1, {steps}));
  const Matrix<T> a = MERCATOR_TRY(call.matrix(call.rows(), call.columns()));
  const auto tau = MERCATOR_TRY(call.template vector<T>(steps));
  MERCATOR_TRY_VOID(call.for_each_batch([&](std::int64_t batch) -> Result<void> {
    call.load(0, batch, a.numbers());
    MERCATOR_TRY_VOID(qr_factor(a, tau.elements(), call.context()));
    call.store(0, batch, a.numbers());
    call.store(1, batch, tau.elements());
    return {};
  }));
  return std::move(call).results();
}

// The sizes of what says a Q: factors and tau, which are operands 0 and 1.
template <class T>
Result<std::int64_t> reflection_count(const LapackCall<T>& call, const Evaluation& evaluation) {
  const Tensor& tau = evaluation.tensor(1);
  const std::int64_t count = tau.rank() == 0 ? 0 : tau.dimensions().back();
  MERCATOR_TRY_VOID(call.expect_operand(1, {count}));
  if (count <= call.columns() && count <= call.rows()) return count;
  return fail(ErrorKind::kUnsupported,
              fmt::format("there are more numbers in {} than columns or rows of {}", type_text(tau),
                          type_text(evaluation.tensor(0))));
}

// (factors, tau) -> the first columns of Q
template <class T>
Result<Value> orgqr(Evaluation& evaluation) {
  auto call = MERCATOR_TRY(LapackCall<T>::make(evaluation));
  MERCATOR_TRY_VOID(call.expect(2, 1));
  MERCATOR_TRY_VOID(call.expect_result(0, {call.rows(), call.columns()}));
  const std::int64_t count = MERCATOR_TRY(reflection_count(call, evaluation));
  const Matrix<T> factors = MERCATOR_TRY(call.matrix(call.rows(), call.columns()));
  const Matrix<T> q = MERCATOR_TRY(call.matrix(call.rows(), call.columns()));
  const auto tau = MERCATOR_TRY(call.template vector<T>(count));
  MERCATOR_TRY_VOID(call.for_each_batch([&](std::int64_t batch) -> Result<void> {
    call.load(0, batch, factors.numbers());
    call.load(1, batch, tau.elements());
    std::ranges::fill(q.numbers(), T(0));
    for (std::int64_t i = 0; i < std::min(q.rows(), q.columns()); ++i) q.at(i, i) = T(1);
    MERCATOR_TRY_VOID(
        multiply_by_q(factors, std::span<const T>(tau.elements()), q, {}, call.context()));
    call.store(0, batch, q.numbers());
    return {};
  }));
  return std::move(call).results();
}

// (factors, tau, c) -> the product of c with Q or its adjoint
template <class T>
Result<Value> ormqr(Evaluation& evaluation) {
  auto call = MERCATOR_TRY(LapackCall<T>::make(evaluation));
  MERCATOR_TRY_VOID(call.expect(3, 1));
  const std::int64_t count = MERCATOR_TRY(reflection_count(call, evaluation));
  const QProduct product{
      .left = lapack_setting(call.instruction(), "left").value_or(1) != 0,
      .adjoint = lapack_setting(call.instruction(), "transpose").value_or(0) != 0};
  const Tensor& given = evaluation.tensor(2);
  if (given.rank() < 2) return fail(ErrorKind::kUnsupported, "operand 2 has no matrices");
  const std::int64_t rows = given.dimensions().end()[-2];
  const std::int64_t columns = given.dimensions().end()[-1];
  const Sizes sizes = {product.left ? call.rows() : rows, product.left ? columns : call.rows()};
  MERCATOR_TRY_VOID(call.expect_operand(2, sizes));
  MERCATOR_TRY_VOID(call.expect_result(0, sizes));
  const Matrix<T> factors = MERCATOR_TRY(call.matrix(call.rows(), call.columns()));
  const Matrix<T> c = MERCATOR_TRY(call.matrix(rows, columns));
  const auto tau = MERCATOR_TRY(call.template vector<T>(count));
  MERCATOR_TRY_VOID(call.for_each_batch([&](std::int64_t batch) -> Result<void> {
    call.load(0, batch, factors.numbers());
    call.load(1, batch, tau.elements());
    call.load(2, batch, c.numbers());
    MERCATOR_TRY_VOID(
        multiply_by_q(factors, std::span<const T>(tau.elements()), c, product, call.context()));
    call.store(0, batch, c.numbers());
    return {};
  }));
  return std::move(call).results();
}

// (a, b) -> X with op(A) X = B or X op(A) = B
template <class T>
Result<Value> trsm(Evaluation& evaluation) {
  auto call = MERCATOR_TRY(LapackCall<T>::make(evaluation));
  MERCATOR_TRY_VOID(call.expect(2, 1, true));
  TriangularSystem system{
      .left = MERCATOR_TRY(is_letter(call.instruction(), "side", 'L', 'R')),
      .lower = MERCATOR_TRY(is_lower(call)),
      .unit_diagonal = MERCATOR_TRY(is_letter(call.instruction(), "diag", 'U', 'N')),
  };
  system.conjugated = lapack_setting(call.instruction(), "trans_x") == 'C';
  system.transposed =
      system.conjugated || !MERCATOR_TRY(is_letter(call.instruction(), "trans_x", 'N', 'T'));
  const Tensor& given = evaluation.tensor(1);
  if (given.rank() < 2) return fail(ErrorKind::kUnsupported, "operand 1 has no matrices");
  const std::int64_t rows = given.dimensions().end()[-2];
  const std::int64_t columns = given.dimensions().end()[-1];
  const Sizes sizes = {system.left ? call.rows() : rows, system.left ? columns : call.rows()};
  MERCATOR_TRY_VOID(call.expect_operand(1, sizes));
  MERCATOR_TRY_VOID(call.expect_result(0, sizes));
  const Matrix<T> a = MERCATOR_TRY(call.matrix(call.rows(), call.columns()));
  const Matrix<T> b = MERCATOR_TRY(call.matrix(rows, columns));
  MERCATOR_TRY_VOID(call.for_each_batch([&](std::int64_t batch) -> Result<void> {
    call.load(0, batch, a.numbers());
    call.load(1, batch, b.numbers());
    MERCATOR_TRY_VOID(solve_triangular(a, b, system, call.context()));
    call.store(0, batch, b.numbers());
    return {};
  }));
  return std::move(call).results();
}

// A function of LAPACK for real and for complex numbers, by its name without the letter of the
// type.
struct Function {
  std::string_view real_name;
  std::string_view complex_name;
  EvaluateFunction real;
  EvaluateFunction complex;
};
constexpr Function kFunctions[] = {
    {"geqrf", "geqrf", geqrf<WideReal>, geqrf<WideComplex>},
    {"gesdd", "gesdd", lapack_gesdd<WideReal>, lapack_gesdd<WideComplex>},
    {"gesvd", "gesvd", lapack_gesdd<WideReal>, lapack_gesdd<WideComplex>},
    {"getrf", "getrf", getrf<WideReal>, getrf<WideComplex>},
    {"orgqr", "ungqr", orgqr<WideReal>, orgqr<WideComplex>},
    {"ormqr", "unmqr", ormqr<WideReal>, ormqr<WideComplex>},
    {"potrf", "potrf", potrf<WideReal>, potrf<WideComplex>},
    {"syevd", "heevd", lapack_syevd<WideReal>, lapack_syevd<WideComplex>},
    {"trsm", "trsm", trsm<WideReal>, trsm<WideComplex>},
};

}  // namespace

EvaluateFunction lapack_function(std::string_view target) {
  constexpr std::string_view kPrefix = "lapack_";
  constexpr std::string_view kSuffix = "_ffi";
  if (!target.starts_with(kPrefix) || !target.ends_with(kSuffix) ||
      target.size() <= kPrefix.size() + kSuffix.size()) {
    return nullptr;
  }
  const char type = target[kPrefix.size()];
  const bool is_complex = type == 'c' || type == 'z';
  if (!is_complex && type != 's' && type != 'd') return nullptr;
  std::string_view name = target.substr(kPrefix.size() + 1);
  name.remove_suffix(kSuffix.size());
  for (const Function& function : kFunctions) {
    if ((is_complex ? function.complex_name : function.real_name) != name) continue;
    return is_complex ? function.complex : function.real;
  }
  return nullptr;
}

}  // namespace mercator::runtime
