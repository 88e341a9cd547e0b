#include "mercator/tools/exit_status.h"

#include <cstdio>
#include <string>

#include "mercator/support/diagnostic.h"

namespace mercator::tools {

ExitStatus exit_status(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidInput:
    case ErrorKind::kIo:
      return ExitStatus::kInvalidInput;
    case ErrorKind::kUsage:
      return ExitStatus::kUsage;
    case ErrorKind::kUnsupported:
      return ExitStatus::kUnsupported;
  }
  return ExitStatus::kInvalidInput;
}

ExitStatus report(const Error& error, std::string_view file_name, std::string_view text) {
  const std::string message = render(error, file_name, text);
  std::fwrite(message.data(), 1, message.size(), stderr);
  return exit_status(error.kind);
}

}  // namespace mercator::tools
