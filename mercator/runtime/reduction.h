// The operands and results of reduce and reduce-window, which differ in what belongs together only.

#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mercator/runtime/element_access.h"
#include "mercator/runtime/evaluator.h"
#include "mercator/runtime/reducer.h"

namespace mercator::runtime {

// n arrays of the same sizes, n initial values, and n results, whose elements are made one after
// another: begin, add what belongs to it, finish.
class Reduction {
 public:
  // With results of the sizes `result_sizes`. The operands of the evaluation must stay. An error of
  // kind kInvalidInput if the arrays have different sizes.
  [[nodiscard]] static Result<Reduction> make(const Evaluation& evaluation,
                                              std::vector<std::int64_t> result_sizes);

  void begin() { accumulators_ = initial_values_; }
  // Adds element `index` of each array.
  [[nodiscard]] Result<void> add(std::int64_t index);
  // Writes element `index` of each result.
  void finish(std::int64_t index);

  // An array if there is one, otherwise a tuple.
  [[nodiscard]] Value result() &&;

 private:
  explicit Reduction(Reducer reducer) : reducer_(std::move(reducer)) {}

  Reducer reducer_;
  std::vector<Number> initial_values_;
  std::vector<ElementReader> readers_;
  std::vector<Tensor> results_;
  std::vector<ElementWriter> writers_;
  std::vector<Number> accumulators_;
  std::vector<Number> values_;
};

}  // namespace mercator::runtime
