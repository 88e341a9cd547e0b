// What `reduce` and `reduce-window` have in common.

#pragma once

#include "mercator/indexing/instruction_maps.h"

namespace mercator::indexing {

// Adds the maps of an instruction of N inputs, N initial values and N results, in the direction of
// `maps`: `input` between every result and every input, and every element of every result made from
// every initial value.
void add_reduction(InstructionMaps& maps, const IndexMap& input);

// The shape of the results of such an instruction, which are of the same size.
[[nodiscard]] const hlo::Shape& result_array(const hlo::Shape& output);

}  // namespace mercator::indexing
