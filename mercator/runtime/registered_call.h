// Custom calls whose target is a registered function.

#pragma once

#include <span>

#include "mercator/hlo/module.h"
#include "mercator/runtime/run_context.h"
#include "mercator/runtime/value.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// The result of a custom call by the function that is registered under its target, in
// `context.functions` or else in the table of the process.
//
// The function is called with the operands: a tensor, dense, for an array, a list for a tuple, null
// for a token. If the instruction has a backend_config, it follows as a string (without the quotes
// where it stands in quotes), unless the function takes only as many arguments as there are
// operands; a function that takes one argument more than there are operands gets it in any case, ""
// if there is none. The function returns a tensor, however it is stored, or for a tuple a list, or
// for a token null.
//
// Errors: kUnsupported if no function is registered, kUsage if the result does not have the shape
// of the instruction, those of the function.
[[nodiscard]] Result<Value> call_registered(const hlo::Instruction& custom_call,
                                            std::span<const Value> operands,
                                            const RunContext& context);

}  // namespace mercator::runtime
