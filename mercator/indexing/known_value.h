// Values that follow from the index alone: of constants, iotas and arithmetic of them.

#pragma once

#include <optional>
#include <vector>

#include "mercator/indexing/runtime_value.h"

namespace mercator::indexing {

// A condition that holds where all constraints of at least one entry hold.
using Condition = std::vector<std::vector<Constraint>>;

// Where an element of an array of truth values is `wanted`, in the domain that the analysis's
// simplifier is set to; none if that does not follow from the index.
[[nodiscard]] std::optional<Condition> known_condition(Analysis& analysis, Element element,
                                                       bool wanted);

// Whether the value of an instruction depends on a parameter, or on something else that the program
// is given, as far as a short search finds out; if it takes too long: yes.
[[nodiscard]] bool depends_on_data(const hlo::Instruction& instruction);

}  // namespace mercator::indexing
