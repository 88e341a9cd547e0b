#include "mercator/runtime/reducer.h"

#include <algorithm>
#include <utility>

#include "mercator/runtime/element_access.h"

namespace mercator::runtime {

Result<Reducer> Reducer::make(const hlo::Computation& computation, Evaluator& evaluator) {
  return Reducer(MERCATOR_TRY(ScalarFunction::make_accumulator(computation, evaluator)));
}

Reducer::Reducer(ScalarFunction function) : function_(std::move(function)) {
  const std::span<const hlo::ElementType> results = function_.result_types();
  arguments_.resize(2 * results.size(), Number{});
  results_.resize(results.size(), Number{});
  for (std::size_t i = 0; i < results.size(); ++i) {
    feedback_.push_back(convert_if_needed(results[i], function_.parameter_types()[i]));
  }
}

Result<void> Reducer::operator()(std::span<Number> accumulators, std::span<const Number> values) {
  std::ranges::copy(accumulators, arguments_.begin());
  std::ranges::copy(values, arguments_.begin() + static_cast<std::ptrdiff_t>(size()));
  MERCATOR_TRY_VOID(function_(arguments_, results_));
  for (std::size_t i = 0; i < size(); ++i) {
    accumulators[i] = feedback_[i] == nullptr ? results_[i] : feedback_[i](results_[i]);
  }
  return {};
}

}  // namespace mercator::runtime
