// What a rule of the simplifier says, read from its text: see SimplifierRule.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/simplifier.h"
#include "mercator/support/error.h"
#include "test/expr/z3_proof.h"

namespace mercator::test {

// x, y, z and d are dimension variables, the integers a, b, c, k and f, m, n range variables.
struct RuleStatement {
  Claim claim;                       // the guard, and what the letters promise of themselves
  std::vector<VariableId> integers;  // that occur, in alphabetical order
};

// Whether the letter stands for a positive integer.
[[nodiscard]] bool is_positive_integer(VariableId id);
// The letter that the variable is in the text.
[[nodiscard]] std::string letter_of(VariableId id);

// What the rule says. If it is about a minimum or a maximum, a second time for the other one: there
// the two change places, and the guard speaks of the negated expressions.
[[nodiscard]] Result<std::vector<RuleStatement>> read_statements(const SimplifierRule& rule,
                                                                 ExprContext& context);

}  // namespace mercator::test
