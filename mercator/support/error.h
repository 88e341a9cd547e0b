// Results and errors.
//
// A function that can fail returns `Result<T>`: either a value or an `Error` that says what kind of
// failure it was and, in words, what is wrong. No function of Mercator throws.

#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mercator {

// The kinds of failure; the command turns each into its exit status (`exit_status` in tools).
enum class ErrorKind : std::uint8_t {
  kInvalidInput,  // the input text or file is wrong
  kUsage,         // the caller asked for something that makes no sense
  kUnsupported,   // the input is right but asks for something that is not supported
  kIo,            // a file could not be read or written
  kExhausted,     // it needs more memory than there is
  kInterrupted,   // the caller asked to stop
};

// A half-open range of bytes [begin, end) of the text that an error is about.
struct TextSpan {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

// What went wrong. `message` is one line without the position, starts in lower case and has no full
// stop. `hint`, where it helps, says what would be right. `span` is set by readers of text.
struct Error {
  ErrorKind kind = ErrorKind::kInvalidInput;
  std::string message;
  std::string hint = {};
  std::optional<TextSpan> span = std::nullopt;
};

template <class T>
using Result = std::expected<T, Error>;

// Shorthand for returning an error: `return fail(ErrorKind::kUsage, "…")`.
[[nodiscard]] inline std::unexpected<Error> fail(ErrorKind kind, std::string message,
                                                 std::optional<TextSpan> span = std::nullopt) {
  return std::unexpected(
      Error{.kind = kind, .message = std::move(message), .hint = {}, .span = span});
}

}  // namespace mercator

// The value of `result`, or return its error from the enclosing function.
#define MERCATOR_TRY(result)                                                            \
  __extension__({                                                                       \
    auto&& mercator_result_ = (result);                                                 \
    if (!mercator_result_) return std::unexpected(std::move(mercator_result_).error()); \
    *std::move(mercator_result_);                                                       \
  })

// The same for `Result<void>`, which has no value.
#define MERCATOR_TRY_VOID(result)                                                       \
  do {                                                                                  \
    auto&& mercator_result_ = (result);                                                 \
    if (!mercator_result_) return std::unexpected(std::move(mercator_result_).error()); \
  } while (false)
