// Computations of scalars that are applied many times: reducers, comparators, the body of `map`.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/number.h"
#include "mercator/runtime/scalar_program.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

class Evaluator;

// A computation whose parameters and results are scalars.
class ScalarFunction {
 public:
  // The computation must stay, and so must the evaluator, which evaluates what is not elementwise.
  // An error of kind kUnsupported for other parameters and results.
  [[nodiscard]] static Result<ScalarFunction> make(const hlo::Computation& computation,
                                                   Evaluator& evaluator);
  // The same where floating-point types are computed as f64 and complex ones as c128, if the
  // computation is one where that only makes the result more precise (sums, products, extrema,
  // selections of them). Otherwise the function as it stands. It is what reductions accumulate
  // with: see parameter_types.
  [[nodiscard]] static Result<ScalarFunction> make_accumulator(const hlo::Computation& computation,
                                                               Evaluator& evaluator);

  // The types of the numbers that it takes and gives, wider than those of the computation if it is
  // an accumulator: convert to and from them (number.h).
  [[nodiscard]] std::span<const hlo::ElementType> parameter_types() const {
    return parameter_types_;
  }
  [[nodiscard]] std::span<const hlo::ElementType> result_types() const { return result_types_; }

  // `results` has room for one number for each leaf of the root. Errors are those of `interpret`.
  [[nodiscard]] Result<void> operator()(std::span<const Number> arguments,
                                        std::span<Number> results) {
    if (program_ == nullptr) return call(arguments, results);
    program_->run(arguments, results);
    return {};
  }

 private:
  ScalarFunction(const hlo::Computation& computation, Evaluator& evaluator)
      : computation_(&computation), evaluator_(&evaluator) {}
  // With tensors, by the evaluator.
  Result<void> call(std::span<const Number> arguments, std::span<Number> results) const;

  const hlo::Computation* computation_;
  Evaluator* evaluator_;
  std::unique_ptr<ScalarProgram> program_;  // null: it is for the evaluator
  std::vector<hlo::ElementType> parameter_types_;
  std::vector<hlo::ElementType> result_types_;
};

}  // namespace mercator::runtime
