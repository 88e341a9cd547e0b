// The instructions that move elements; see value_evaluator.h.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercator/hlo/module.h"
#include "test/indexing/value_evaluator.h"

namespace mercator::testing {

// A result of `instruction`, which must yield an array, where it only moves elements of its
// operands, as indices among them say; none for any other instruction.
[[nodiscard]] std::optional<std::vector<std::int64_t>> moved_elements(
    const hlo::Instruction& instruction, std::span<const Value* const> operands);

// Where an element of the updates of a scatter lands: positions in row-major order.
struct Landing {
  std::int64_t update = 0;
  std::int64_t operand = 0;
};
// In the order of the updates; windows that do not fit as a whole are left out.
[[nodiscard]] std::vector<Landing> landings(const hlo::Instruction& scatter,
                                            const std::vector<std::int64_t>& indices);

}  // namespace mercator::testing
