// Executables as packed functions.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mercator/runtime/engine.h"
#include "mercator/runtime/function_table.h"
#include "mercator/runtime/packed_function.h"
#include "mercator/runtime/run_context.h"

namespace mercator::runtime {

// The function that runs an executable, each time in this context, but with custom calls looked up
// in `functions` first (null: only in the table of the process). A table that holds a function
// which looks up in it is only freed once that function is removed.
//
// Its arguments are the values of the parameters: a tensor, however it is stored, for an array, a
// list for a tuple, null for a token. It returns the same for the root of a program; for an
// executable that does not have one result, a list of its results. Errors: kUsage for arguments
// that are none of these; those of the executable.
//
// With a memory limit (in bytes, above 0), each call has a pool of its own with that limit, so that
// results of earlier calls do not count. With 0 all calls take memory from `context.pool`.
[[nodiscard]] PackedFunction as_function(std::string name,
                                         std::shared_ptr<const Executable> executable,
                                         RunContext context = {},
                                         std::shared_ptr<const FunctionTable> functions = nullptr,
                                         std::int64_t memory_limit = 0);

}  // namespace mercator::runtime
