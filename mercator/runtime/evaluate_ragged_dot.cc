// ragged-dot: a dimension of the left operand is cut into groups, one after another, whose sizes
// the program computes.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "mercator/runtime/dot_operands.h"
#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/index_walk.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/pool_array.h"
#include "mercator/runtime/strided_copy.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using Sizes = std::vector<std::int64_t>;

// What lies behind the last group.
constexpr std::int64_t kNoGroup = -1;

// The group that each row belongs to (or each column), for all batches. `sizes` are those of the
// batch dimensions and of the free (or contracting) ones, dimension `ragged` of which is cut. The
// group sizes are a vector, or one for each index of the dimensions before `ragged`; what is
// negative counts as 0.
Result<PoolArray<std::int64_t>> find_groups(const Tensor& group_sizes, const Sizes& sizes,
                                            std::size_t ragged, StopCheck& check_stop,
                                            const MemoryPool& pool) {
  const std::int64_t groups = group_sizes.dimensions().back();
  Sizes strides(sizes.size(), 0);
  if (group_sizes.rank() > 1) {
    MERCATOR_TRY_VOID(expect_same_sizes(
        group_sizes.dimensions().first(group_sizes.dimensions().size() - 1),
        std::span(sizes).first(ragged), "the sizes of the groups and what they are for"));
    const Sizes group_strides = row_major_strides(group_sizes.dimensions());
    std::ranges::copy(std::span(group_strides).first(ragged), strides.begin());
  }
  const auto result =
      MERCATOR_TRY(PoolArray<std::int64_t>::allocate(MERCATOR_TRY(element_count(sizes)), pool));
  std::size_t place = 0;
  for (IndexWalk<1> walk(sizes, {strides}); !walk.at_end(); walk.next()) {
    MERCATOR_TRY_VOID(check_stop(1 + groups));
    // Counts down from the position to the place in its group.
    std::int64_t left = walk.index()[ragged];
    std::int64_t group = 0;
    for (; group < groups; ++group) {
      const std::int64_t size =
          std::max<std::int64_t>(0, integer_element(group_sizes, walk.offset(0) + group));
      if (left < size) break;
      left -= size;
    }
    result[place++] = group < groups ? group : kNoGroup;
  }
  return result;
}

// Each row of the left operand meets the matrix of its group; rows of no group are 0.
template <class Sum>
Result<void> multiply_by_row(const DotSide& lhs, const DotSide& rhs,
                             std::span<const std::int64_t> groups, Tensor& result,
                             StopCheck& check_stop) {
  const ElementWriter write(result, Sum::kFactorType);
  const typename Sum::Factor* const left = factors<Sum>(lhs.factors).data();
  const typename Sum::Factor* const right = factors<Sum>(rhs.factors).data();
  std::int64_t place = 0;
  for (std::int64_t row = 0; row < lhs.batches * lhs.rows; ++row) {
    const std::int64_t group = groups[static_cast<std::size_t>(row)];
    const std::int64_t matrix = group * lhs.batches + row / lhs.rows;
    for (std::int64_t j = 0; j < rhs.rows; ++j) {
      MERCATOR_TRY_VOID(check_stop(1 + lhs.columns));
      const std::int64_t columns = group == kNoGroup ? 0 : lhs.columns;
      const typename Sum::Factor* const column =
          group == kNoGroup ? right : right + (matrix * rhs.rows + j) * rhs.columns;
      write(place++, dot_product<Sum>(left + row * lhs.columns, column, columns));
    }
  }
  return {};
}

// Each group of columns has a result of its own.
template <class Sum>
Result<void> multiply_by_column(const DotSide& lhs, const DotSide& rhs,
                                std::span<const std::int64_t> groups, std::int64_t group_count,
                                Tensor& result, StopCheck& check_stop, const MemoryPool& pool) {
  const ElementWriter write(result, Sum::kFactorType);
  const typename Sum::Factor* const left = factors<Sum>(lhs.factors).data();
  const typename Sum::Factor* const right = factors<Sum>(rhs.factors).data();
  const std::int64_t results_of_group = lhs.batches * lhs.rows * rhs.rows;
  const auto sums = MERCATOR_TRY(PoolArray<Sum>::allocate(group_count, pool));
  for (std::int64_t place = 0; place < results_of_group; ++place) {
    MERCATOR_TRY_VOID(check_stop(1 + group_count + lhs.columns));
    const std::int64_t row = place / rhs.rows;
    const std::int64_t batch = row / lhs.rows;
    const std::int64_t other_row = batch * rhs.rows + place % rhs.rows;
    std::ranges::fill(sums.elements(), Sum());
    for (std::int64_t i = 0; i < lhs.columns; ++i) {
      const std::int64_t group = groups[static_cast<std::size_t>(batch * lhs.columns + i)];
      if (group == kNoGroup) continue;
      sums[static_cast<std::size_t>(group)].add(left[row * lhs.columns + i],
                                                right[other_row * lhs.columns + i]);
    }
    for (std::int64_t group = 0; group < group_count; ++group) {
      write(group * results_of_group + place, sums[static_cast<std::size_t>(group)].number());
    }
  }
  return {};
}

Sizes joined(Sizes first, const Sizes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The operands of a ragged-dot.
struct Operands {
  DotSide lhs;
  DotSide rhs;
  SumKind kind;
};

// The free dimension `ragged` of the left operand is cut.
Result<Value> with_groups_of_rows(const Evaluation& evaluation, const Operands& operands,
                                  std::size_t ragged) {
  const auto& [lhs, rhs, kind] = operands;
  const Tensor& group_sizes = evaluation.tensor(2);
  MERCATOR_TRY_VOID(expect_same_sizes(rhs.factors.dimensions().first(1),
                                      group_sizes.dimensions().last(1),
                                      "the groups of operand 1 and of operand 2"));
  Tensor result = MERCATOR_TRY(evaluation.allocate(product_sizes(lhs, rhs)));
  if (result.element_count() == 0) return result;
  StopCheck check_stop(evaluation.evaluator.stop());
  const auto groups =
      MERCATOR_TRY(find_groups(group_sizes, joined(lhs.batch, lhs.free), lhs.batch.size() + ragged,
                               check_stop, evaluation.evaluator.pool()));
  MERCATOR_TRY_VOID(with_sum(kind, [&](auto sum) {
    return multiply_by_row<decltype(sum)>(operands.lhs, operands.rhs, groups.elements(), result,
                                          check_stop);
  }));
  return result;
}

// The contracting dimension `ragged` is cut.
Result<Value> with_groups_of_columns(const Evaluation& evaluation, const Operands& operands,
                                     std::size_t ragged) {
  const auto& [lhs, rhs, kind] = operands;
  const Tensor& group_sizes = evaluation.tensor(2);
  const std::int64_t group_count = group_sizes.dimensions().back();
  const MemoryPool& pool = evaluation.evaluator.pool();
  Tensor result = MERCATOR_TRY(evaluation.allocate(joined({group_count}, product_sizes(lhs, rhs))));
  if (result.element_count() == 0) return result;
  StopCheck check_stop(evaluation.evaluator.stop());
  const auto groups = MERCATOR_TRY(find_groups(group_sizes, joined(lhs.batch, lhs.contracting),
                                               lhs.batch.size() + ragged, check_stop, pool));
  MERCATOR_TRY_VOID(with_sum(kind, [&](auto sum) {
    return multiply_by_column<decltype(sum)>(operands.lhs, operands.rhs, groups.elements(),
                                             group_count, result, check_stop, pool);
  }));
  return result;
}

std::optional<std::size_t> place_in(std::span<const std::int64_t> numbers, std::int64_t number) {
  const auto found = std::ranges::find(numbers, number);
  if (found == numbers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - numbers.begin());
}

}  // namespace

Result<Value> evaluate_ragged_dot(Evaluation& evaluation) {
  const hlo::Instruction& dot = evaluation.instruction;
  const Tensor& lhs = evaluation.tensor(0);
  const Tensor& rhs = evaluation.tensor(1);
  const RunContext& context = evaluation.evaluator.context();
  const SumKind kind =
      sum_kind({lhs.element_type(), rhs.element_type(), evaluation.element_type()});
  const DotDimensions dimensions = dot_dimensions(dot, 0, lhs.rank());
  const Operands operands{
      .lhs = MERCATOR_TRY(dot_side(lhs, dimensions, kind, context)),
      .rhs = MERCATOR_TRY(dot_side(rhs, dot_dimensions(dot, 1, rhs.rank()), kind, context)),
      .kind = kind};
  MERCATOR_TRY_VOID(expect_fitting(operands.lhs, operands.rhs));
  const std::int64_t ragged = dot.integers(hlo::AttributeName::kLhsRaggedDims)[0];
  if (const auto place = place_in(dimensions.free, ragged)) {
    return with_groups_of_rows(evaluation, operands, *place);
  }
  if (const auto place = place_in(dimensions.contracting, ragged)) {
    return with_groups_of_columns(evaluation, operands, *place);
  }
  // Groups of batches: a dot, as JAX has it.
  return multiply(evaluation, operands.lhs, operands.rhs, kind);
}

}  // namespace mercator::runtime
