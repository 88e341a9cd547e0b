#include "mercator/runtime/reduction.h"

#include <utility>

#include "mercator/runtime/operand_sizes.h"

namespace mercator::runtime {

Result<Reduction> Reduction::make(const Evaluation& evaluation,
                                  std::vector<std::int64_t> result_sizes) {
  const hlo::Instruction& instruction = evaluation.instruction;
  Reduction reduction(MERCATOR_TRY(
      Reducer::make(*instruction.computation(hlo::AttributeName::kToApply), evaluation.evaluator)));
  const std::size_t count = evaluation.operands.size() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor& array = evaluation.tensor(i);
    const Tensor& initial_value = evaluation.tensor(count + i);
    MERCATOR_TRY_VOID(expect_same_sizes(evaluation.tensor(0), array));
    const hlo::ElementType accumulator = reduction.reducer_.accumulator_type(i);
    reduction.readers_.emplace_back(array, reduction.reducer_.value_type(i));
    reduction.initial_values_.push_back(ElementReader(initial_value, accumulator)(0));
    const hlo::Shape& shape =
        instruction.shape.is_tuple() ? instruction.shape.elements[i] : instruction.shape;
    reduction.results_.push_back(
        MERCATOR_TRY(evaluation.allocate(shape.element_type, result_sizes)));
    reduction.writers_.emplace_back(reduction.results_.back(), accumulator);
  }
  reduction.values_.resize(count, Number{});
  return reduction;
}

Result<void> Reduction::add(std::int64_t index) {
  for (std::size_t i = 0; i < readers_.size(); ++i) values_[i] = readers_[i](index);
  return reducer_(accumulators_, values_);
}

void Reduction::finish(std::int64_t index) {
  for (std::size_t i = 0; i < writers_.size(); ++i) writers_[i](index, accumulators_[i]);
}

Value Reduction::result() && { return one_or_tuple(std::move(results_)); }

}  // namespace mercator::runtime
