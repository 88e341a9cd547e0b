// The operands of dots, put in an order in which a dot is a product of matrices.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercator/hlo/attribute.h"
#include "mercator/hlo/module.h"
#include "mercator/runtime/evaluator.h"
#include "mercator/runtime/product_sum.h"
#include "mercator/runtime/tensor.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// Which dimensions of an operand play which part.
struct DotDimensions {
  std::span<const std::int64_t> groups;  // of operand 1 of a ragged-dot
  std::span<const std::int64_t> batch;
  std::vector<std::int64_t> free;
  std::span<const std::int64_t> contracting;
};

// Of operand 0 or 1, which has so many dimensions, of any of the kinds of dots.
[[nodiscard]] DotDimensions dot_dimensions(const hlo::Instruction& dot, std::size_t operand,
                                           std::int64_t rank);

// An operand as factors, as a matrix for each group and each batch: its rows are the free
// dimensions, its columns the contracting ones.
struct DotSide {
  Tensor factors;
  // Of an operand that is sparse: whether there is an element, as s64, in the same order.
  std::optional<Tensor> present;
  std::vector<std::int64_t> batch;  // sizes
  std::vector<std::int64_t> free;
  std::vector<std::int64_t> contracting;
  std::int64_t batches = 1;  // products of the sizes
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};
// Errors of kind kExhausted and kInterrupted.
[[nodiscard]] Result<DotSide> dot_side(const Tensor& operand, const DotDimensions& dimensions,
                                       SumKind kind, const RunContext& context);

// An error of kind kInvalidInput if the batch or the contracting dimensions differ.
[[nodiscard]] Result<void> expect_fitting(const DotSide& lhs, const DotSide& rhs);

// The sizes of the batch dimensions, the free ones of `lhs` and those of `rhs`.
[[nodiscard]] std::vector<std::int64_t> product_sizes(const DotSide& lhs, const DotSide& rhs);

// The sum of the products of `count` factors.
template <class Sum>
[[nodiscard]] Number dot_product(const typename Sum::Factor* a, const typename Sum::Factor* b,
                                 std::int64_t count) {
  Sum sum;
  for (std::int64_t i = 0; i < count; ++i) sum.add(a[i], b[i]);
  return sum.number();
}

// The sums over the contracting dimensions: the value of an instruction, whose result has the type
// that the evaluation says. Errors as expect_fitting.
[[nodiscard]] Result<Value> multiply(const Evaluation& evaluation, const DotSide& lhs,
                                     const DotSide& rhs, SumKind kind);

}  // namespace mercator::runtime
