// Options that are whole numbers.

#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <CLI/CLI.hpp>

namespace mercator::tools {

// Takes a whole number of [lowest, highest], in digits. (CLI11's own checks let negative numbers
// and those that do not fit become others.)
[[nodiscard]] CLI::Validator whole_number(
    std::uint64_t lowest, std::uint64_t highest = std::numeric_limits<std::int64_t>::max());

}  // namespace mercator::tools
