// Inputs of programs that are run, and what can be told from their results; see value_check.h.

#pragma once

#include <cstddef>
#include <cstdint>

#include "mercator/hlo/module.h"
#include "test/indexing/value_evaluator.h"

namespace mercator::testing {

// The type that arrays of data have in these programs. All other integers may be indices.
inline constexpr hlo::ElementType kDataType = hlo::ElementType::kU64;

class InputNumbers {
 public:
  explicit InputNumbers(std::uint64_t seed) : seed_(seed) {}

  // All different.
  [[nodiscard]] std::int64_t next();
  // An index: most fit small arrays or nearly do, some are as large as can be.
  [[nodiscard]] std::int64_t index(hlo::ElementType type);

 private:
  std::int64_t in(std::int64_t lo, std::int64_t hi);

  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

// Different numbers for data, random ones for what else there is.
[[nodiscard]] Value random_value(const hlo::Shape& shape, InputNumbers& numbers);

// Whether elements of an array in an operand can be told in the result, because they are moved or
// added. Of an instruction with computations inside, those of data.
[[nodiscard]] bool shows_in_result(const hlo::Instruction& instruction, std::size_t operand,
                                   const hlo::Shape& array);

// Whether there are loops in what the instruction evaluates. What decides how many rounds they have
// does not count as read.
[[nodiscard]] bool has_loop(const hlo::Instruction& instruction);

}  // namespace mercator::testing
