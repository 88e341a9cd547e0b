// dot and scaled-dot: products of matrices, one for each batch.

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/dot_operands.h"
#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/index_walk.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/sparse_operand.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using Sizes = std::vector<std::int64_t>;

// Operand 0 or 1, which may be sparse; operands 2 and 3 say how.
Result<DotSide> dot_operand(const Evaluation& evaluation, std::size_t k, SumKind kind) {
  const RunContext& context = evaluation.evaluator.context();
  const Tensor& operand = evaluation.tensor(k);
  const DotDimensions dimensions = dot_dimensions(evaluation.instruction, k, operand.rank());
  const auto sparsity = evaluation.instruction.get<std::span<const hlo::SparseOperand>>(
      hlo::AttributeName::kSparsity);
  for (std::size_t i = 0; i < sparsity.size(); ++i) {
    if (sparsity[i].operand != static_cast<std::int64_t>(k)) continue;
    const WholeOperand whole =
        MERCATOR_TRY(expand_sparse(operand, evaluation.tensor(2 + i), sparsity[i], kind, context));
    DotSide side = MERCATOR_TRY(dot_side(whole.factors, dimensions, kind, context));
    DotSide present = MERCATOR_TRY(dot_side(whole.present, dimensions, SumKind::kInteger, context));
    side.present = std::move(present.factors);
    return side;
  }
  return dot_side(operand, dimensions, kind, context);
}

// How many elements along each dimension of an operand have one scale. A scalar scales all.
Result<Sizes> block_sizes(const Tensor& operand, const Tensor& scales) {
  if (scales.rank() == 0) return sizes_of(operand);
  bool fits = operand.rank() == scales.rank();
  Sizes blocks;
  for (std::size_t d = 0; fits && d < operand.dimensions().size(); ++d) {
    const std::int64_t size = operand.dimensions()[d];
    const std::int64_t count = scales.dimensions()[d];
    fits = size == 0 || (count > 0 && size % count == 0);
    blocks.push_back(fits && size > 0 ? size / count : 1);
  }
  if (fits) return blocks;
  return fail(ErrorKind::kUnsupported,
              fmt::format("the operand {} does not consist of blocks, one for each scale of {}",
                          type_text(operand), type_text(scales)));
}

// The elements of an operand times their scales, as factors.
template <class Sum>
Result<Tensor> scaled_operand(const Tensor& operand, const Tensor& scales,
                              const RunContext& context) {
  const Sizes blocks = MERCATOR_TRY(block_sizes(operand, scales));
  Sizes strides = row_major_strides(scales.dimensions());
  strides.resize(blocks.size(), 0);
  Tensor result = MERCATOR_TRY(Tensor::allocate(Sum::kFactorType, sizes_of(operand), context.pool));
  const ElementReader read(operand, Sum::kFactorType);
  const ElementReader read_scale(scales, Sum::kFactorType);
  const ElementWriter write(result, Sum::kFactorType);
  StopCheck check_stop(context.stop);
  std::int64_t element = 0;
  for (IndexWalk<0> walk(operand.dimensions(), {}); !walk.at_end(); walk.next()) {
    MERCATOR_TRY_VOID(check_stop());
    std::int64_t scale = 0;
    for (std::size_t d = 0; d < blocks.size(); ++d) {
      scale += walk.index()[d] / blocks[d] * strides[d];
    }
    Sum product;
    product.add(Sum::factor(read(element)), Sum::factor(read_scale(scale)));
    write(element++, product.number());
  }
  return result;
}

}  // namespace

Result<Value> evaluate_dot(Evaluation& evaluation) {
  const SumKind kind = sum_kind({evaluation.tensor(0).element_type(),
                                 evaluation.tensor(1).element_type(), evaluation.element_type()});
  const DotSide lhs = MERCATOR_TRY(dot_operand(evaluation, 0, kind));
  const DotSide rhs = MERCATOR_TRY(dot_operand(evaluation, 1, kind));
  return multiply(evaluation, lhs, rhs, kind);
}

// Operands 2 and 3 are the scales of operands 0 and 1.
Result<Value> evaluate_scaled_dot(Evaluation& evaluation) {
  const SumKind kind =
      sum_kind({evaluation.tensor(0).element_type(), evaluation.tensor(1).element_type(),
                evaluation.tensor(2).element_type(), evaluation.tensor(3).element_type(),
                evaluation.element_type()});
  const RunContext& context = evaluation.evaluator.context();
  std::array<DotSide, 2> sides;
  for (const std::size_t k : {0U, 1U}) {
    const Tensor& operand = evaluation.tensor(k);
    const Tensor factors = MERCATOR_TRY(with_sum(kind, [&](auto sum) {
      return scaled_operand<decltype(sum)>(operand, evaluation.tensor(k + 2), context);
    }));
    const DotDimensions dimensions = dot_dimensions(evaluation.instruction, k, operand.rank());
    sides[k] = MERCATOR_TRY(dot_side(factors, dimensions, kind, context));
  }
  return multiply(evaluation, sides[0], sides[1], kind);
}

}  // namespace mercator::runtime
