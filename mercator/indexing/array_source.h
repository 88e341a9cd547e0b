// Where arrays come from, through what passes them on as they are: tuples and their elements,
// copies, barriers.

#pragma once

#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"

namespace mercator::indexing {

// An array that an instruction yields: `path` within its result, outermost first.
struct ArraySource {
  const hlo::Instruction* instruction = nullptr;
  ShapeIndex path = {};
};

// Goes on to the operand that the array comes from; false if the instruction makes it.
bool step_back(ArraySource& source);

// The end of that, or of many steps.
[[nodiscard]] ArraySource source_of(ArraySource source);

}  // namespace mercator::indexing
