// Orders of evaluation. Internal.

#pragma once

#include <vector>

#include "mercator/hlo/module.h"

namespace mercator::hlo {

// The instructions that must come before `instruction`: its operands and its control predecessors.
[[nodiscard]] std::size_t predecessor_count(const Instruction& instruction);
[[nodiscard]] const Instruction* predecessor(const Instruction& instruction, std::size_t i);

// Appends the instructions of the computation, each after its predecessors, to `out`; between such
// orders it takes the one nearest to that of the text. `id - base` must be an instruction's place
// in the computation. Returns an instruction that is its own predecessor, or null if there is none.
const Instruction* append_post_order(std::span<Instruction* const> instructions, std::uint32_t base,
                                     std::vector<const Instruction*>& out);

struct Call {
  Computation* caller;
  Computation* callee;
};

// The computations in an order in which callees stand before callers, appended to `out`. Returns a
// computation that calls itself, directly or not, or null if there is none.
const Computation* append_callees_first(const std::vector<Computation*>& computations,
                                        const std::vector<Call>& calls,
                                        std::vector<Computation*>& out);

}  // namespace mercator::hlo
