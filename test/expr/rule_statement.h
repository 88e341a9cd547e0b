// What a rule of the simplifier says, read from its text: see SimplifierRule and, for rules about
// constraints, constraint_rules().

#pragma once

#include <string>
#include <variant>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/simplifier.h"
#include "mercator/support/error.h"
#include "test/expr/z3_proof.h"

namespace mercator::test {

// The letters for expressions and variables are dimension variables, those for integers range
// variables.
struct RuleStatement {
  // About values or about constraints, with what the letters promise of themselves.
  std::variant<Claim, Equivalence> claim;
  std::vector<VariableId> integers;  // that occur, in alphabetical order
  std::string name;                  // which of several: "for max", "for b infinite"; else empty
};

// Whether the letter stands for a positive integer.
[[nodiscard]] bool is_positive_integer(VariableId id);
// The letter that the variable is in the text.
[[nodiscard]] std::string letter_of(VariableId id);

// Everything that the rule says:
// - what it says of values and a minimum or a maximum, a second time for the other one: there the
//   two change places, and the guard speaks of the negated expressions;
// - what it says of constraints, for each of the statements that its algebra lists, with all ends
// of
//   ranges finite and with some of those infinite that are a letter of its own: then whatever
//   speaks of them says nothing.
[[nodiscard]] Result<std::vector<RuleStatement>> read_statements(const SimplifierRule& rule,
                                                                 ExprContext& context);

}  // namespace mercator::test
