#include "mercator/runtime/pack.h"

#include <fmt/format.h>

namespace mercator::runtime::internal {

Error argument_error(std::string_view function, std::size_t index, const Any& argument,
                     std::string_view wanted) {
  return {.kind = ErrorKind::kUsage,
          .message = fmt::format("argument {} of '{}' is {}, where {} is wanted", index, function,
                                 describe(argument), wanted)};
}

std::string integer_text(std::int64_t least, std::int64_t most) {
  const bool all = least == std::numeric_limits<std::int64_t>::min() &&
                   most == std::numeric_limits<std::int64_t>::max();
  return all ? "an integer" : fmt::format("an integer in [{}, {}]", least, most);
}

Error result_error(std::string_view function, std::uint64_t result) {
  return {.kind = ErrorKind::kUnsupported,
          .message = fmt::format("the result of '{}' is {}, which is more than int64 has", function,
                                 result)};
}

}  // namespace mercator::runtime::internal
