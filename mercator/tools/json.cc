#include "mercator/tools/json.h"

#include <algorithm>

namespace mercator::tools {
namespace {

// Finds where a text stops to be JSON.
class ErrorLocator : public nlohmann::json_sax<ParsedJson> {
 public:
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] bool is_number_too_large() const { return is_number_too_large_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    position_ = position;
    // The one of its errors that is about what is JSON otherwise: a number that no double holds.
    constexpr int kNumberOutOfRange = 406;
    is_number_too_large_ = error.id == kNumberOutOfRange;
    return false;
  }

 private:
  std::size_t position_ = 0;
  bool is_number_too_large_ = false;
};

}  // namespace

Result<ParsedJson> parse_json(std::string_view text) {
  ErrorLocator locator;
  if (!ParsedJson::sax_parse(text, &locator)) {
    const std::size_t end = std::min(locator.position(), text.size());
    const auto begin = static_cast<std::uint32_t>(end == 0 ? 0 : end - 1);
    return fail(ErrorKind::kInvalidInput,
                locator.is_number_too_large() ? "this number is too large" : "this is not JSON",
                TextSpan{.begin = begin, .end = static_cast<std::uint32_t>(end)});
  }
  return ParsedJson::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace mercator::tools
