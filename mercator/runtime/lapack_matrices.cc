#include "mercator/runtime/lapack_matrices.h"

#include <charconv>
#include <string>

namespace mercator::runtime {

std::optional<std::int64_t> lapack_setting(const hlo::Instruction& instruction,
                                           std::string_view name) {
  const std::string_view config =
      instruction.get<hlo::RawText>(hlo::AttributeName::kBackendConfig).text;
  const std::string key = fmt::format("{} = ", name);
  const std::size_t found = config.find(key);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view value = config.substr(found + key.size());
  if (value.starts_with("true")) return 1;
  if (value.starts_with("false")) return 0;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

Result<bool> is_letter(const hlo::Instruction& instruction, std::string_view name, char yes,
                       char no) {
  const std::optional<std::int64_t> value = lapack_setting(instruction, name);
  if (value == yes || value == no) return value == yes;
  return fail(ErrorKind::kUnsupported,
              fmt::format("the backend_config does not have {} = {} ({}) or {} ({})", name,
                          static_cast<int>(yes), yes, static_cast<int>(no), no));
}

}  // namespace mercator::runtime
