// How the command ends.

#pragma once

#include <cstdint>
#include <string_view>

#include "mercator/support/error.h"

namespace mercator::tools {

enum class ExitStatus : std::uint8_t {
  kDone = 0,
  kInvalidInput = 1,   // the input is wrong, or a file could not be read or written
  kUsage = 2,          // the command was called wrongly
  kUnsupported = 3,    // the input is right but asks for what is not supported
  kWrongResult = 4,    // a result was checked and is not what it must be
  kInterrupted = 130,  // the user asked to stop, by SIGINT: what shells say of such commands
};

[[nodiscard]] ExitStatus exit_status(ErrorKind kind);

// Prints the error on standard error, with its place in `text`, which came from `file_name`; the
// status that it ends the command with.
ExitStatus report(const Error& error, std::string_view file_name, std::string_view text = {});

}  // namespace mercator::tools
