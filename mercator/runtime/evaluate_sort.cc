// sort and topk.

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/element_access.h"
#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/index_walk.h"
#include "mercator/runtime/merge_sort.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/pool_array.h"
#include "mercator/runtime/scalar_function.h"
#include "mercator/runtime/scalar_kinds.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using Sizes = std::vector<std::int64_t>;

// Whether an element of a row, one of each operand, comes before another.
class RowLess {
 public:
  [[nodiscard]] static Result<RowLess> make(const Evaluation& evaluation) {
    RowLess less(MERCATOR_TRY(ScalarFunction::make(
                     *evaluation.instruction.computation(hlo::AttributeName::kToApply),
                     evaluation.evaluator)),
                 evaluation.evaluator);
    for (std::size_t i = 0; i < evaluation.operands.size(); ++i) {
      for (const std::size_t parameter : {2 * i, 2 * i + 1}) {
        less.readers_.emplace_back(evaluation.tensor(i),
                                   less.function_.parameter_types()[parameter]);
      }
    }
    less.arguments_.resize(less.readers_.size(), Number{});
    return less;
  }

  // Of elements in row-major order.
  [[nodiscard]] Result<bool> operator()(std::int64_t a, std::int64_t b) {
    MERCATOR_TRY_VOID(check_stop_());
    for (std::size_t i = 0; i < readers_.size(); i += 2) {
      arguments_[i] = readers_[i](a);
      arguments_[i + 1] = readers_[i + 1](b);
    }
    Number is_less{};
    MERCATOR_TRY_VOID(function_(arguments_, {&is_less, 1}));
    return is_less.u != 0;
  }

 private:
  RowLess(ScalarFunction function, const Evaluator& evaluator)
      : function_(std::move(function)), check_stop_(evaluator.stop()) {}

  ScalarFunction function_;
  StopCheck check_stop_;
  std::vector<ElementReader> readers_;  // two of each operand
  std::vector<Number> arguments_;
};

// Copies the elements `order` of a tensor to neighbours along a row of another that starts at
// `first`.
void copy_row(const Tensor& from, std::span<const std::int64_t> order, std::int64_t first,
              std::int64_t stride, Tensor& to) {
  const auto bytes = static_cast<std::size_t>(hlo::element_bytes(from.element_type()));
  std::byte* target = to.mutable_bytes().data() + static_cast<std::size_t>(first) * bytes;
  for (const std::int64_t element : order) {
    std::memcpy(target, from.element(element), bytes);
    target += static_cast<std::size_t>(stride) * bytes;
  }
}

// A number that is larger for what is larger.
std::uint64_t signed_key(std::int64_t number) {
  return static_cast<std::uint64_t>(number) ^ (std::uint64_t{1} << 63);
}

// The same of integers, and of floating-point numbers in the total order.
std::uint64_t total_order_key(const Number& number, NumberKind kind) {
  switch (kind) {
    case NumberKind::kSigned:
      return signed_key(number.s);
    case NumberKind::kSingle:
      return signed_key(place_in_total_order(number.f));
    case NumberKind::kDouble:
      return signed_key(place_in_total_order(number.d));
    default:
      return number.u;
  }
}

struct Candidate {
  std::uint64_t key = 0;
  std::int64_t index = 0;  // in the row

  // Whether it comes earlier in the result.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.key != b.key ? a.key > b.key : a.index < b.index;
  }
};

}  // namespace

Result<Value> evaluate_sort(Evaluation& evaluation) {
  const Sizes sizes = sizes_of(evaluation.tensor(0));
  const Sizes strides = row_major_strides(sizes);
  const auto along =
      static_cast<std::size_t>(evaluation.instruction.integers(hlo::AttributeName::kDimensions)[0]);
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < evaluation.operands.size(); ++i) {
    MERCATOR_TRY_VOID(expect_same_sizes(evaluation.tensor(0), evaluation.tensor(i)));
    results.push_back(
        MERCATOR_TRY(evaluation.allocate(evaluation.tensor(i).element_type(), sizes)));
  }
  if (results[0].element_count() == 0) return one_or_tuple(std::move(results));
  RowLess less = MERCATOR_TRY(RowLess::make(evaluation));
  const std::int64_t length = sizes[along];
  const MemoryPool& pool = evaluation.evaluator.pool();
  const auto order = MERCATOR_TRY(PoolArray<std::int64_t>::allocate(length, pool));
  const auto scratch = MERCATOR_TRY(PoolArray<std::int64_t>::allocate(length, pool));

  Sizes rows = sizes;
  rows[along] = 1;
  StopCheck check_stop(evaluation.evaluator.stop());
  for (IndexWalk<1> row(rows, {strides}); !row.at_end(); row.next()) {
    MERCATOR_TRY_VOID(check_stop(length));
    for (std::size_t i = 0; i < order.elements().size(); ++i) {
      order[i] = row.offset(0) + static_cast<std::int64_t>(i) * strides[along];
    }
    MERCATOR_TRY_VOID(merge_sort(order.elements(), scratch.elements(), std::ref(less)));
    for (std::size_t i = 0; i < results.size(); ++i) {
      copy_row(evaluation.tensor(i), order.elements(), row.offset(0), strides[along], results[i]);
    }
  }
  return one_or_tuple(std::move(results));
}

Result<Value> evaluate_top_k(Evaluation& evaluation) {
  return top_k(evaluation, evaluation.instruction.integer(hlo::AttributeName::kK, 0),
               evaluation.instruction.get<bool>(hlo::AttributeName::kLargest, true));
}

Result<Value> top_k(Evaluation& evaluation, std::int64_t k, bool largest) {
  const Tensor& operand = evaluation.tensor(0);
  const hlo::ElementType type = operand.element_type();
  if (hlo::is_complex(type)) {
    return fail(ErrorKind::kUnsupported, fmt::format("{} has no order", hlo::name(type)));
  }
  Sizes sizes = sizes_of(operand);
  const std::int64_t length = sizes.back();
  if (length > std::numeric_limits<std::int32_t>::max()) {
    return fail(ErrorKind::kUnsupported, "the indices do not fit s32");
  }
  sizes.back() = std::clamp<std::int64_t>(k, 0, length);
  Tensor values = MERCATOR_TRY(evaluation.allocate(type, sizes));
  Tensor indices = MERCATOR_TRY(evaluation.allocate(hlo::ElementType::kS32, sizes));
  if (values.element_count() == 0) return Value::tuple({std::move(values), std::move(indices)});
  const ElementReader read(operand, type);
  const ElementWriter write_index(indices, hlo::ElementType::kS64);
  const MemoryPool& pool = evaluation.evaluator.pool();
  const auto candidates = MERCATOR_TRY(PoolArray<Candidate>::allocate(length, pool));
  const auto order = MERCATOR_TRY(PoolArray<std::int64_t>::allocate(sizes.back(), pool));
  const std::int64_t rows = operand.element_count() / length;
  StopCheck check_stop(evaluation.evaluator.stop());
  for (std::int64_t row = 0; row < rows; ++row) {
    MERCATOR_TRY_VOID(check_stop(length));
    for (std::int64_t i = 0; i < length; ++i) {
      const std::uint64_t key = total_order_key(read(row * length + i), number_kind(type));
      candidates[static_cast<std::size_t>(i)] = {.key = largest ? key : ~key, .index = i};
    }
    const std::span<Candidate> all = candidates.elements();
    std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(sizes.back()),
                              std::less<>());
    const std::int64_t first = row * sizes.back();
    for (std::size_t i = 0; i < order.elements().size(); ++i) {
      order[i] = row * length + all[i].index;
      write_index(first + static_cast<std::int64_t>(i), Number{.s = all[i].index});
    }
    copy_row(operand, order.elements(), first, 1, values);
  }
  return Value::tuple({std::move(values), std::move(indices)});
}

}  // namespace mercator::runtime
