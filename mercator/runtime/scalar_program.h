// Computations of scalars as lists of operations on registers. Internal to the runtime.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/number.h"
#include "mercator/runtime/scalar_operation.h"

namespace mercator::runtime {

class ScalarProgram {
 public:
  // In which types to compute.
  enum class Precision : std::uint8_t {
    kAsWritten,
    // Floating-point types as f64, complex ones as c128, provided that this only makes the results
    // more precise: where they come from sums, products, extrema and selections of them.
    kWide,
  };

  // None if the computation has anything but elementwise instructions on scalars, constants, tuples
  // and calls of such computations, or if it is not one to compute with that precision.
  [[nodiscard]] static std::optional<ScalarProgram> compile(const hlo::Computation& computation,
                                                            Precision precision);

  // The types that it computes with: of the arguments, and of the arrays in the root.
  [[nodiscard]] std::span<const hlo::ElementType> parameter_types() const {
    return parameter_types_;
  }
  [[nodiscard]] std::span<const hlo::ElementType> result_types() const { return result_types_; }

  void run(std::span<const Number> arguments, std::span<Number> results);

 private:
  friend class ScalarCompiler;
  static constexpr std::size_t kMostOperands = 3;
  struct Step {
    ScalarOperation operation;
    std::array<std::uint32_t, kMostOperands> operands = {};
    std::uint32_t operand_count = 0;
    std::uint32_t result = 0;
  };
  [[nodiscard]] Number evaluate(const Step& step) const;
  void remove_unused_steps();
  void find_single_operation();

  // Registers: the arguments, then constants and results of steps.
  std::vector<Number> registers_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> results_;
  std::vector<hlo::ElementType> parameter_types_;
  std::vector<hlo::ElementType> result_types_;
  // Whether it is one operation on the arguments in their order, such as a sum.
  bool is_single_operation_ = false;
};

}  // namespace mercator::runtime
