// The arguments of a run, and what is expected of its results.

#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/memory.h"
#include "mercator/runtime/tensor.h"
#include "mercator/tools/exit_status.h"

namespace mercator::tools {

// The arguments of a module, one for each array in its parameters: those in the files, and those
// that are drawn with the seed where the files leave them out. Reports errors itself.
[[nodiscard]] std::expected<std::vector<runtime::Tensor>, ExitStatus> read_arguments(
    const hlo::Module& module, std::span<const std::string> files,
    std::optional<std::uint64_t> seed, const runtime::MemoryPool& pool,
    const std::stop_token& stop);

// What files say about the results of a module, one for each array in them; nothing where there are
// no files. Reports errors itself, each result that no file gives among them.
[[nodiscard]] std::expected<std::vector<runtime::Tensor>, ExitStatus> read_expected(
    const hlo::Module& module, std::span<const std::string> files, const runtime::MemoryPool& pool,
    const std::stop_token& stop);

}  // namespace mercator::tools
