// What a kernel moves or reduces (kernel.h).

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/kernel.h"

namespace mercator::indexing {

// The dimensions of more than one element, innermost first.
[[nodiscard]] std::vector<std::int64_t> long_dimensions(const hlo::Shape& array);

// Dimension i of the result of a transpose or copy is dimension [i] of its operand.
[[nodiscard]] std::vector<std::int64_t> permutation_of(const hlo::Instruction& hero);

// How many arrays a hero moves or reduces: its first operands.
[[nodiscard]] std::size_t array_count(const hlo::Instruction& hero);

// An instruction between a hero and the result of the call that is not made from the hero's
// elements one by one, each of them once or more often: null if there is none. Threads that have
// the elements of the hero can then write all of the result.
[[nodiscard]] const hlo::Instruction* unfit_behind_heroes(
    const hlo::Instruction& call, std::span<const hlo::Instruction* const> heroes);

// See IndexingAnalysis::kernel.
class Analysis;
[[nodiscard]] Result<KernelIndexing> kernel_indexing(Analysis& analysis,
                                                     const hlo::Instruction& call,
                                                     const Kernel& kernel);

}  // namespace mercator::indexing
