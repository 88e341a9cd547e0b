// How an expression changes when one of its variables does.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mercator/expr/expr.h"

namespace mercator::analysis {

// expr(v + period) = expr(v) + delta, for all values of the variables. The period is positive.
struct Shift {
  std::int64_t period = 1;
  std::int64_t delta = 0;

  friend bool operator==(const Shift&, const Shift&) = default;
};

// The shift of `expr` by `variable`, with a period as small as follows from how it is built: that
// of x mod 6 + x floordiv 4 is 12, with delta 3. None where there is no such shift, or its numbers
// leave int64.
[[nodiscard]] std::optional<Shift> shift_of(Expr expr, VariableId variable);

// The same with a delta that is a multiple of `modulus`, which is positive.
[[nodiscard]] std::optional<Shift> shift_modulo(Expr expr, VariableId variable,
                                                std::int64_t modulus);

}  // namespace mercator::analysis
