// What becomes of the results of a run: files, comparisons, text.

#pragma once

#include <expected>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/run_context.h"
#include "mercator/runtime/tensor.h"
#include "mercator/tools/exit_status.h"
#include "mercator/tools/streams.h"

namespace mercator::tools {

// Writes results to files: to one called `….npz` all of them, to each other one the next. Files are
// replaced once everything is written; where that fails, or a stop is requested, none is. Reports
// errors itself.
ExitStatus write_results(std::span<const std::string> paths,
                         std::span<const runtime::Tensor> results,
                         const runtime::RunContext& context);

// Prints for each result of a module whether it is what is expected of it; kWrongResult if one is
// not. Reports itself where it is stopped.
ExitStatus compare_results(const hlo::Module& module, std::span<const runtime::Tensor> results,
                           std::span<const runtime::Tensor> expected, const std::stop_token& stop,
                           Output& output);

}  // namespace mercator::tools
