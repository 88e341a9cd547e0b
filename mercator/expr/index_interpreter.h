// Runs index programs, with the widths and the wrapping of a machine.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/index_program.h"

namespace mercator {

// The result of one operation, as the number that its bits are when read as signed (an i1: 0 or 1).
struct OperationResult {
  std::int64_t value;
  // Whether the operation, computed with integers of any size, gives just that number. A division
  // by zero is never exact and gives 0.
  bool is_exact;
};
// `op` on operands of `operand_type`, with a result of `type`. The operands are given as signed;
// for kSelect, `operand_type` is that of the values to choose from. Requires an operation with
// operands.
[[nodiscard]] OperationResult apply(IndexOp op, IndexType type, IndexType operand_type,
                                    std::span<const std::int64_t> operands);

struct Interpretation {
  std::vector<std::int64_t> results;
  bool gate = true;
  // The first instruction that did not do what the program promises: its result left its range, or
  // was inexact without `wraps`. None for a correct program inside its box.
  std::optional<ValueId> broken_promise;
};
// Requires a value for each variable that the program uses.
[[nodiscard]] Interpretation interpret(const IndexProgram& program, const VariableValues& values);

}  // namespace mercator
