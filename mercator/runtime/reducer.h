// Functions that accumulate: what reduce, reduce-window and scatter apply again and again.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/number.h"
#include "mercator/runtime/scalar_function.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// A computation (a1, …, an, b1, …, bn) -> (a1, …, an) of scalars, which adds the values b to the
// accumulators a: in wider types than those of the program where that is more precise.
class Reducer {
 public:
  // The computation and the evaluator must stay. Errors as ScalarFunction::make.
  [[nodiscard]] static Result<Reducer> make(const hlo::Computation& computation,
                                            Evaluator& evaluator);

  // n.
  [[nodiscard]] std::size_t size() const { return feedback_.size(); }
  // The types of the accumulators and of the values, for i in [0, n - 1].
  [[nodiscard]] hlo::ElementType accumulator_type(std::size_t i) const {
    return function_.parameter_types()[i];
  }
  [[nodiscard]] hlo::ElementType value_type(std::size_t i) const {
    return function_.parameter_types()[size() + i];
  }

  // Adds n values to n accumulators. Errors are those of `interpret`.
  [[nodiscard]] Result<void> operator()(std::span<Number> accumulators,
                                        std::span<const Number> values);

 private:
  explicit Reducer(ScalarFunction function);

  ScalarFunction function_;
  std::vector<Number> arguments_;
  std::vector<Number> results_;
  // From the results to the accumulators; null where the types are the same.
  std::vector<Convert> feedback_;
};

}  // namespace mercator::runtime
