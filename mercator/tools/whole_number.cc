#include "mercator/tools/whole_number.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace mercator::tools {

CLI::Validator whole_number(std::uint64_t lowest, std::uint64_t highest) {
  const auto check = [lowest, highest](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && stop == end && lowest <= number && number <= highest) return "";
    return fmt::format("'{}' is no whole number from {} to {}", text, lowest, highest);
  };
  return CLI::Validator(check, "");
}

CLI::Validator byte_size() {
  const auto transform = [](std::string& text) -> std::string {
    if (text.starts_with('-')) return fmt::format("'{}' is no number of bytes", text);
    return CLI::AsSizeValue(/*kb_is_1000=*/false)(text);
  };
  return CLI::Validator(transform, "");
}

}  // namespace mercator::tools
