// The reference interpreter: runs HLO as it is defined, element by element. Slow, and right: it is
// what everything else that computes is compared with. Where HLO leaves a value open it follows
// XLA:CPU.
//
// It knows nothing of index maps, so that each tests the other.

#pragma once

#include <functional>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/run_context.h"
#include "mercator/runtime/value.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// Nothing if the interpreter has the instruction (for its types and attributes, the computations
// that it calls left aside), otherwise an error of kind kUnsupported that says why not.
[[nodiscard]] Result<void> interpreter_supports(const hlo::Instruction& instruction);

// Is told the value of each instruction that is evaluated as soon as it is known, those of called
// computations among them (not the scalar ones of reducers, comparators and the like).
using Observer = std::function<void(const hlo::Instruction& instruction, const Value& value)>;

// The value of the root of `computation` for dense arguments, one for each parameter. Instructions
// that neither the root nor an effect is made from are not evaluated. The module must be verified
// (hlo/verifier.h). Arguments that are given away (moved from) are freed after their last use.
//
// Errors: kUsage for arguments that do not match, kUnsupported for an instruction, kExhausted for
// values that do not fit in memory, kInterrupted. The message names the instruction.
[[nodiscard]] Result<Value> interpret(const hlo::Computation& computation,
                                      std::vector<Value> arguments, const RunContext& context,
                                      const Observer& observer = {});
// The value of one instruction for the values of its operands.
[[nodiscard]] Result<Value> interpret(const hlo::Instruction& instruction,
                                      std::vector<Value> operands, const RunContext& context,
                                      const Observer& observer = {});

}  // namespace mercator::runtime
