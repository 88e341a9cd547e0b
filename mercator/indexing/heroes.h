// What a kernel moves or reduces (kernel.h).

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/kernel.h"

namespace mercator::indexing {

// Dimension i of the result of a transpose or copy is dimension [i] of its operand.
[[nodiscard]] std::vector<std::int64_t> permutation_of(const hlo::Instruction& hero);

// How many arrays a hero moves or reduces: its first operands.
[[nodiscard]] std::size_t array_count(const hlo::Instruction& hero);

// See IndexingAnalysis::kernel.
class Analysis;
[[nodiscard]] Result<KernelIndexing> kernel_indexing(Analysis& analysis,
                                                     const hlo::Instruction& call,
                                                     const Kernel& kernel);

}  // namespace mercator::indexing
