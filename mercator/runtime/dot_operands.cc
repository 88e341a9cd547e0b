#include "mercator/runtime/dot_operands.h"

#include <utility>

#include "mercator/runtime/operand_sizes.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

// One row of an operand. Where `present` is not null it says which elements take part.
template <class Sum>
struct Row {
  const typename Sum::Factor* factors;
  const std::int64_t* present;
};

template <class Sum>
Row<Sum> row_of(const DotSide& side, std::int64_t row) {
  const std::int64_t first = row * side.columns;
  return {
      .factors = factors<Sum>(side.factors).data() + first,
      .present = side.present
                     ? reinterpret_cast<const std::int64_t*>(side.present->bytes().data()) + first
                     : nullptr};
}

template <class Sum>
Number product_of(const Row<Sum>& a, const Row<Sum>& b, std::int64_t columns) {
  if (a.present == nullptr && b.present == nullptr) {
    return dot_product<Sum>(a.factors, b.factors, columns);
  }
  Sum sum;
  for (std::int64_t i = 0; i < columns; ++i) {
    const bool is_present =
        (a.present == nullptr || a.present[i] != 0) && (b.present == nullptr || b.present[i] != 0);
    if (is_present) sum.add(a.factors[i], b.factors[i]);
  }
  return sum.number();
}

template <class Sum>
Result<void> multiply_rows(const DotSide& lhs, const DotSide& rhs, Tensor& result,
                           StopCheck check_stop) {
  const ElementWriter write(result, Sum::kFactorType);
  std::int64_t place = 0;
  for (std::int64_t batch = 0; batch < lhs.batches; ++batch) {
    for (std::int64_t i = 0; i < lhs.rows; ++i) {
      const Row<Sum> left = row_of<Sum>(lhs, batch * lhs.rows + i);
      for (std::int64_t j = 0; j < rhs.rows; ++j) {
        MERCATOR_TRY_VOID(check_stop(1 + lhs.columns));
        const Row<Sum> right = row_of<Sum>(rhs, batch * rhs.rows + j);
        write(place++, product_of(left, right, lhs.columns));
      }
    }
  }
  return {};
}

}  // namespace

DotDimensions dot_dimensions(const hlo::Instruction& dot, std::size_t operand, std::int64_t rank) {
  using enum hlo::AttributeName;
  const bool is_left = operand == 0;
  DotDimensions dimensions{
      .groups = is_left ? std::span<const std::int64_t>() : dot.integers(kRhsGroupDims),
      .batch = dot.integers(is_left ? kLhsBatchDims : kRhsBatchDims),
      .free = {},
      .contracting = dot.integers(is_left ? kLhsContractingDims : kRhsContractingDims)};
  for (std::int64_t d = 0; d < rank; ++d) {
    if (!contains(dimensions.groups, d) && !contains(dimensions.batch, d) &&
        !contains(dimensions.contracting, d)) {
      dimensions.free.push_back(d);
    }
  }
  return dimensions;
}

Result<DotSide> dot_side(const Tensor& operand, const DotDimensions& dimensions, SumKind kind,
                         const RunContext& context) {
  std::vector<std::int64_t> order(dimensions.groups.begin(), dimensions.groups.end());
  const auto append = [&](std::span<const std::int64_t> part) {
    std::vector<std::int64_t> sizes;
    for (const std::int64_t d : part) {
      order.push_back(d);
      sizes.push_back(operand.dimensions()[static_cast<std::size_t>(d)]);
    }
    return sizes;
  };
  DotSide side;
  side.batch = append(dimensions.batch);
  side.free = append(dimensions.free);
  side.contracting = append(dimensions.contracting);
  side.factors = MERCATOR_TRY(as_factors(operand, order, kind, context));
  side.batches = MERCATOR_TRY(element_count(side.batch));
  side.rows = MERCATOR_TRY(element_count(side.free));
  side.columns = MERCATOR_TRY(element_count(side.contracting));
  return side;
}

Result<void> expect_fitting(const DotSide& lhs, const DotSide& rhs) {
  MERCATOR_TRY_VOID(expect_same_sizes(lhs.batch, rhs.batch, "the batch dimensions"));
  return expect_same_sizes(lhs.contracting, rhs.contracting, "the contracting dimensions");
}

std::vector<std::int64_t> product_sizes(const DotSide& lhs, const DotSide& rhs) {
  std::vector<std::int64_t> sizes = lhs.batch;
  sizes.insert(sizes.end(), lhs.free.begin(), lhs.free.end());
  sizes.insert(sizes.end(), rhs.free.begin(), rhs.free.end());
  return sizes;
}

Result<Value> multiply(const Evaluation& evaluation, const DotSide& lhs, const DotSide& rhs,
                       SumKind kind) {
  MERCATOR_TRY_VOID(expect_fitting(lhs, rhs));
  Tensor result = MERCATOR_TRY(evaluation.allocate(product_sizes(lhs, rhs)));
  if (result.element_count() == 0) return result;
  MERCATOR_TRY_VOID(with_sum(kind, [&](auto sum) {
    return multiply_rows<decltype(sum)>(lhs, rhs, result, StopCheck(evaluation.evaluator.stop()));
  }));
  return result;
}

}  // namespace mercator::runtime
