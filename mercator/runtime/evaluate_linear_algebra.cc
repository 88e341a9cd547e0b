// Cholesky decomposition and triangular systems, for batches of matrices.

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/matrix.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/wide_elements.h"

namespace mercator::runtime {
namespace {

using hlo::AttributeName;

// The last two dimensions of a tensor, in matrices of `T`.
template <class T>
Result<Matrix<T>> matrix_for(const Tensor& tensor, const MemoryPool& pool) {
  const std::span<const std::int64_t> sizes = tensor.dimensions().last(2);
  return Matrix<T>::make(sizes[0], sizes[1], pool);
}

// Reads matrix `batch`.
template <class T>
void load(const WideReader<T>& reader, std::int64_t batch, const Matrix<T>& matrix) {
  std::int64_t element = batch * matrix.rows() * matrix.columns();
  for (T& number : matrix.numbers()) number = reader[element++];
}

template <class T>
void store(const Matrix<T>& matrix, std::int64_t batch, const WideWriter<T>& writer) {
  std::int64_t element = batch * matrix.rows() * matrix.columns();
  for (const T& number : matrix.numbers()) writer.set(element++, number);
}

// That the actual sizes are those of square matrices.
Result<void> expect_square(const Tensor& tensor) {
  const std::span<const std::int64_t> sizes = tensor.dimensions().last(2);
  if (sizes[0] == sizes[1]) return {};
  return fail(ErrorKind::kInvalidInput,
              fmt::format("{} has no square matrices", type_text(tensor)));
}

// How many matrices a tensor with elements has.
std::int64_t matrix_count(const Tensor& tensor) {
  const std::span<const std::int64_t> sizes = tensor.dimensions().last(2);
  return tensor.element_count() / (sizes[0] * sizes[1]);
}

template <class T>
Result<void> cholesky_of_each(const Tensor& operand, bool lower, Tensor& result,
                              const RunContext& context) {
  const Matrix<T> a = MERCATOR_TRY(matrix_for<T>(operand, context.pool));
  const WideReader<T> reader(operand);
  const WideWriter<T> writer(result);
  for (std::int64_t batch = 0; batch < matrix_count(operand); ++batch) {
    load(reader, batch, a);
    if (!lower) transpose(a);  // A = U^H U is A = L L^H with L = U^H
    if (MERCATOR_TRY(cholesky(a, context)) == 0) {
      if (!lower) transpose(a);
      for (std::int64_t i = 0; i < a.rows(); ++i) {
        for (std::int64_t j = 0; j < i; ++j) (lower ? a.at(j, i) : a.at(i, j)) = T(0);
      }
    } else {
      std::ranges::fill(a.numbers(), T(std::numeric_limits<WideReal>::quiet_NaN()));
    }
    store(a, batch, writer);
  }
  return {};
}

template <class T>
Result<void> solve_each(const Tensor& a_operand, const Tensor& b_operand,
                        const TriangularSystem& system, Tensor& result, const RunContext& context) {
  const Matrix<T> a = MERCATOR_TRY(matrix_for<T>(a_operand, context.pool));
  const Matrix<T> b = MERCATOR_TRY(matrix_for<T>(b_operand, context.pool));
  const WideReader<T> a_reader(a_operand);
  const WideReader<T> b_reader(b_operand);
  const WideWriter<T> writer(result);
  for (std::int64_t batch = 0; batch < matrix_count(b_operand); ++batch) {
    load(a_reader, batch, a);
    load(b_reader, batch, b);
    MERCATOR_TRY_VOID(solve_triangular(a, b, system, context));
    store(b, batch, writer);
  }
  return {};
}

}  // namespace

// The triangle that is not asked for is zero; where the matrix is not positive definite everything
// is nan, as in XLA:CPU.
Result<Value> evaluate_cholesky(Evaluation& evaluation) {
  const Tensor& operand = evaluation.tensor(0);
  const bool lower = evaluation.instruction.get<bool>(AttributeName::kLower);
  const RunContext& context = evaluation.evaluator.context();
  MERCATOR_TRY_VOID(expect_square(operand));
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes_of(operand)));
  if (result.element_count() == 0) return result;
  MERCATOR_TRY_VOID(hlo::is_complex(operand.element_type())
                        ? cholesky_of_each<WideComplex>(operand, lower, result, context)
                        : cholesky_of_each<WideReal>(operand, lower, result, context));
  return result;
}

Result<Value> evaluate_triangular_solve(Evaluation& evaluation) {
  const Tensor& a = evaluation.tensor(0);
  const Tensor& b = evaluation.tensor(1);
  const hlo::Instruction& instruction = evaluation.instruction;
  const std::string_view transpose = instruction.get<hlo::Word>(AttributeName::kTransposeA).text;
  const TriangularSystem system{
      .left = instruction.get<bool>(AttributeName::kLeftSide),
      .lower = instruction.get<bool>(AttributeName::kLower),
      .unit_diagonal = instruction.get<bool>(AttributeName::kUnitDiagonal),
      .transposed = transpose == "TRANSPOSE" || transpose == "ADJOINT",
      .conjugated = transpose == "ADJOINT",
  };
  if (!system.transposed && !transpose.empty() && transpose != "NO_TRANSPOSE") {
    return fail(ErrorKind::kUnsupported, fmt::format("there is no transpose_a={}", transpose));
  }
  const RunContext& context = evaluation.evaluator.context();
  MERCATOR_TRY_VOID(expect_square(a));
  std::vector<std::int64_t> fitting = sizes_of(a);
  fitting[fitting.size() - (system.left ? 1 : 2)] =
      b.dimensions()[fitting.size() - (system.left ? 1 : 2)];
  MERCATOR_TRY_VOID(expect_same_sizes(b.dimensions(), fitting, "the sides of a system"));
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes_of(b)));
  if (result.element_count() == 0) return result;
  MERCATOR_TRY_VOID(hlo::is_complex(b.element_type())
                        ? solve_each<WideComplex>(a, b, system, result, context)
                        : solve_each<WideReal>(a, b, system, result, context));
  return result;
}

}  // namespace mercator::runtime
