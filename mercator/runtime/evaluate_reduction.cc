// Instructions that apply a function to elements or slices, one after another.

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/index_walk.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/reduction.h"
#include "mercator/runtime/scalar_function.h"
#include "mercator/runtime/strided_copy.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using Sizes = std::vector<std::int64_t>;

// Some of the dimensions of an array, in ascending order.
struct Part {
  Sizes sizes;
  Sizes strides;
};

// Slices of a tensor along a dimension, each without that dimension.
class Slices {
 public:
  Slices(std::span<const std::int64_t> sizes, std::size_t along) {
    const Sizes strides = row_major_strides(sizes);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (d == along) continue;
      sizes_.push_back(sizes[d]);
      in_tensor_.strides.push_back(strides[d]);
    }
    in_slice_.strides = row_major_strides(sizes_);
    step_ = strides[along];
  }

  [[nodiscard]] Result<Tensor> read(const Tensor& tensor, std::int64_t index,
                                    const RunContext& context) {
    Tensor slice = MERCATOR_TRY(Tensor::allocate(tensor.element_type(), sizes_, context.pool));
    in_tensor_.first = index * step_;
    MERCATOR_TRY_VOID(copy_elements(sizes_, tensor, in_tensor_, slice, in_slice_, context.stop));
    return slice;
  }
  [[nodiscard]] Result<void> write(const Tensor& slice, std::int64_t index, Tensor& tensor,
                                   const std::stop_token& stop) {
    if (!std::ranges::equal(slice.dimensions(), sizes_)) {
      return fail(ErrorKind::kUnsupported,
                  fmt::format("a slice of the sizes [{}] where [{}] are declared",
                              fmt::join(slice.dimensions(), ","), fmt::join(sizes_, ",")));
    }
    in_tensor_.first = index * step_;
    return copy_elements(sizes_, slice, in_slice_, tensor, in_tensor_, stop);
  }

 private:
  Sizes sizes_;
  StridedPlaces in_tensor_;
  StridedPlaces in_slice_;
  std::int64_t step_ = 0;
};

// The function maps a slice of each of N arrays and C carried values to a slice of each of M
// results and new carried values; those of the last step are results too.
class Scan {
 public:
  explicit Scan(Evaluation& evaluation)
      : evaluation_(evaluation),
        function_(*evaluation.instruction.computation(hlo::AttributeName::kToApply)),
        along_(static_cast<std::size_t>(
            evaluation.instruction.integers(hlo::AttributeName::kDimensions)[0])),
        length_(evaluation.tensor(0).dimensions()[along_]),
        is_reverse_(evaluation.instruction.get<bool>(hlo::AttributeName::kIsReverse)) {}

  [[nodiscard]] Result<Value> run() {
    MERCATOR_TRY_VOID(start());
    for (std::int64_t step = 0; step < length_; ++step) {
      MERCATOR_TRY_VOID(take(is_reverse_ ? length_ - 1 - step : step));
    }
    std::vector<Value> results;
    for (Output& output : outputs_) results.emplace_back(std::move(output.tensor));
    std::ranges::move(carried_, std::back_inserter(results));
    return evaluation_.instruction.shape.is_tuple() ? Value::tuple(std::move(results))
                                                    : std::move(results[0]);
  }

 private:
  struct Output {
    Tensor tensor;
    Slices slices;
  };

  [[nodiscard]] Result<void> start() {
    const auto carries = static_cast<std::size_t>(
        evaluation_.instruction.integer(hlo::AttributeName::kNumCarries, 0));
    const std::size_t inputs = evaluation_.operands.size() - carries;
    for (std::size_t i = 0; i < inputs; ++i) {
      const Tensor& input = evaluation_.tensor(i);
      if (input.dimensions()[along_] != length_) {
        return fail(ErrorKind::kInvalidInput, "the operands have different numbers of slices");
      }
      inputs_.emplace_back(input.dimensions(), along_);
    }
    carried_.assign(evaluation_.operands.begin() + static_cast<std::ptrdiff_t>(inputs),
                    evaluation_.operands.end());
    const hlo::Shape& shape = evaluation_.instruction.shape;
    const std::span<const hlo::Shape> results =
        shape.is_tuple() ? shape.elements : std::span(&shape, 1);
    for (const hlo::Shape& result : results.first(results.size() - carries)) {
      Sizes sizes(result.dimensions.begin(), result.dimensions.end());
      sizes[along_] = length_;
      Slices slices(sizes, along_);
      outputs_.push_back({.tensor = MERCATOR_TRY(evaluation_.allocate(result.element_type, sizes)),
                          .slices = std::move(slices)});
    }
    return {};
  }

  [[nodiscard]] Result<void> take(std::int64_t index) {
    std::vector<Value> arguments;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      arguments.emplace_back(MERCATOR_TRY(
          inputs_[i].read(evaluation_.tensor(i), index, evaluation_.evaluator.context())));
    }
    std::ranges::move(carried_, std::back_inserter(arguments));
    const Value root = MERCATOR_TRY(evaluation_.evaluator.call(function_, std::move(arguments)));
    const std::span<const Value> parts = root.is_tuple() ? root.elements() : std::span(&root, 1);
    for (std::size_t j = 0; j < outputs_.size(); ++j) {
      MERCATOR_TRY_VOID(outputs_[j].slices.write(parts[j].tensor(), index, outputs_[j].tensor,
                                                 evaluation_.evaluator.stop()));
    }
    carried_.assign(parts.begin() + static_cast<std::ptrdiff_t>(outputs_.size()), parts.end());
    return {};
  }

  Evaluation& evaluation_;
  const hlo::Computation& function_;
  std::size_t along_;
  std::int64_t length_;
  bool is_reverse_;
  std::vector<Slices> inputs_;
  std::vector<Output> outputs_;
  std::vector<Value> carried_;
};

}  // namespace

Result<Value> evaluate_map(Evaluation& evaluation) {
  const hlo::Computation& computation =
      *evaluation.instruction.computation(hlo::AttributeName::kToApply);
  ScalarFunction function = MERCATOR_TRY(ScalarFunction::make(computation, evaluation.evaluator));
  std::vector<ElementReader> readers;
  for (std::size_t i = 0; i < evaluation.operands.size(); ++i) {
    MERCATOR_TRY_VOID(expect_same_sizes(evaluation.tensor(0), evaluation.tensor(i)));
    readers.emplace_back(evaluation.tensor(i), function.parameter_types()[i]);
  }
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes_of(evaluation.tensor(0))));
  const ElementWriter write(result, function.result_types()[0]);
  std::vector<Number> arguments(readers.size(), Number{});
  Number value{};
  StopCheck check_stop(evaluation.evaluator.stop());
  for (std::int64_t i = 0; i < result.element_count(); ++i) {
    MERCATOR_TRY_VOID(check_stop());
    for (std::size_t k = 0; k < readers.size(); ++k) arguments[k] = readers[k](i);
    MERCATOR_TRY_VOID(function(arguments, {&value, 1}));
    write(i, value);
  }
  return result;
}

Result<Value> evaluate_reduce(Evaluation& evaluation) {
  const Tensor& array = evaluation.tensor(0);
  const auto dimensions = evaluation.instruction.integers(hlo::AttributeName::kDimensions);
  const Sizes strides = row_major_strides(array.dimensions());
  Part kept;
  Part reduced;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    const bool is_reduced =
        std::ranges::find(dimensions, static_cast<std::int64_t>(d)) != dimensions.end();
    Part& part = is_reduced ? reduced : kept;
    part.sizes.push_back(array.dimensions()[d]);
    part.strides.push_back(strides[d]);
  }
  Reduction reduction = MERCATOR_TRY(Reduction::make(evaluation, kept.sizes));
  StopCheck check_stop(evaluation.evaluator.stop());
  IndexWalk<1> inner(reduced.sizes, {reduced.strides});
  std::int64_t output = 0;
  for (IndexWalk<1> outer(kept.sizes, {kept.strides}); !outer.at_end(); outer.next()) {
    MERCATOR_TRY_VOID(check_stop());
    reduction.begin();
    for (inner.restart(); !inner.at_end(); inner.next()) {
      MERCATOR_TRY_VOID(check_stop());
      MERCATOR_TRY_VOID(reduction.add(outer.offset(0) + inner.offset(0)));
    }
    reduction.finish(output++);
  }
  return std::move(reduction).result();
}

Result<Value> evaluate_scan(Evaluation& evaluation) { return Scan(evaluation).run(); }

}  // namespace mercator::runtime
