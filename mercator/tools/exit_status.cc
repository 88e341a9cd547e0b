#include "mercator/tools/exit_status.h"

#include <string>

#include "mercator/support/diagnostic.h"
#include "mercator/tools/streams.h"

namespace mercator::tools {

ExitStatus exit_status(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidInput:
    case ErrorKind::kIo:
      return ExitStatus::kInvalidInput;
    case ErrorKind::kInterrupted:
      return ExitStatus::kInterrupted;
    case ErrorKind::kUsage:
      return ExitStatus::kUsage;
    case ErrorKind::kUnsupported:
    case ErrorKind::kExhausted:
      return ExitStatus::kUnsupported;
  }
  return ExitStatus::kInvalidInput;
}

ExitStatus report(const Error& error, std::string_view file_name, std::string_view text) {
  write_message(render(error, file_name, text));
  return exit_status(error.kind);
}

}  // namespace mercator::tools
