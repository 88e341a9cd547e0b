// How long a kernel takes, and what it waits for.

#pragma once

#include "mercator/analysis/cost.h"

namespace mercator::analysis {

// Sets time_us and limited_by from the rest.
void set_time(InstructionCost& cost, const Device& device);

}  // namespace mercator::analysis
