// Options that are whole numbers, and sizes.

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

// Takes a number of bytes, or one with a unit: 500M, 2G; a K is 1024 bytes. Makes it one of bytes.
[[nodiscard]] CLI::Validator byte_size();

}  // namespace mercator::tools
