// Results that are operands with a part written anew.

#pragma once

#include <cstdint>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"

namespace mercator::analysis {

// The array at `output` is the operand, but for the elements that an update writes.
struct InPlaceUpdate {
  ShapeIndex output;
  std::int64_t operand = 0;
  const hlo::Shape* update = nullptr;  // what is written, at most
};

// Those of a dynamic-update-slice, of a scatter of one array, and of a fusion whose result, or
// elements of it, are such of a parameter that nothing else inside uses. A compiler writes them
// where the operand is, if nobody needs that any more.
[[nodiscard]] std::vector<InPlaceUpdate> in_place_updates(const hlo::Instruction& instruction);

}  // namespace mercator::analysis
