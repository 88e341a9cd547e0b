// How long a program takes, and what it was made of.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercator/runtime/program.h"
#include "mercator/support/error.h"

namespace mercator::tools {

struct RunTimes {
  std::vector<double> seconds;       // of each run, sorted
  std::int64_t peak_temp_bytes = 0;  // the most memory at once besides arguments
};

// Runs a program again and again, for a second and at least five times. Errors as Program::run.
[[nodiscard]] Result<RunTimes> measure(const runtime::Program& program,
                                       const std::vector<runtime::Value>& arguments,
                                       const runtime::RunContext& context);

// {"engine": "interpreter", "compile_ms": 41.2, "run_ms": 3.1, …}, on one line.
[[nodiscard]] std::string times_json(const runtime::Program& program, const RunTimes& times,
                                     const runtime::RunContext& context);

// Subgraphs, times, hits of the cache, and memory, a line for each.
[[nodiscard]] std::string statistics_text(const runtime::Program& program,
                                          const runtime::RunStatistics& run);

}  // namespace mercator::tools
