// Error messages with their place in a text, as compilers print them:
//
//   model.hlo:3:24: error: expected ')' after the operands
//     ROOT r = f32[2] add(a, b
//                        ^
//   hint: …

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mercator/support/error.h"

namespace mercator {

// A place in a text as people count: lines and columns from 1, columns in bytes.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  friend bool operator==(const LineColumn&, const LineColumn&) = default;
};

// The line and column of byte `offset` of `text` (clamped to its end). Linear in `offset`.
LineColumn line_column(std::string_view text, std::size_t offset);

// The error as shown above, ending in a newline: file name, line, column, message, the source line
// with
// `^~~~` under the span, the hint. A long source line is cut to a window around the span. What is
// not printable (bytes that are not UTF-8, control characters) is shown as `\xNN`, in the message
// too, so that a terminal never acts on what a file holds. Without a span it is `FILE: error:
// MESSAGE`; without a file name the message starts with the position, or with `error:`.
std::string render(const Error& error, std::string_view file_name, std::string_view text);

}  // namespace mercator
