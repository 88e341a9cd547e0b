#include "mercator/tools/json_parts.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "mercator/support/diagnostic.h"
#include "mercator/tools/json.h"

namespace mercator::tools {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

TextSpan span(std::size_t begin, std::size_t end) {
  return {.begin = static_cast<std::uint32_t>(begin), .end = static_cast<std::uint32_t>(end)};
}

// Behind the string that begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// Behind the value that begins at `at`.
std::size_t value_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"':
        at = string_end(text, at);
        if (depth == 0) return at;
        continue;
      case '[':
      case '{':
        ++depth;
        break;
      case ']':
      case '}':
        // Of what the value is a part of: it was a number or a word.
        if (depth == 0) return at;
        if (--depth == 0) return at + 1;
        break;
      case ',':
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        if (depth == 0) return at;
        break;
      default:
        break;
    }
    ++at;
  }
  return at;
}

}  // namespace

std::vector<JsonPart> json_parts(std::string_view text, TextSpan whole) {
  std::vector<JsonPart> parts;
  const auto next = [&](std::size_t at) { return text.find_first_not_of(kSpace, at); };
  std::size_t at = next(whole.begin);
  if (at == std::string_view::npos || (text[at] != '[' && text[at] != '{')) return parts;
  const bool is_object = text[at] == '{';
  at = next(at + 1);
  while (text[at] != ']' && text[at] != '}') {
    JsonPart part;
    if (is_object) {
      part.key_span = span(at, string_end(text, at));
      part.key = ParsedJson::parse(text.substr(at, part.key_span.end - at), nullptr, false)
                     .get<std::string>();
      at = next(next(part.key_span.end) + 1);  // behind the colon
    }
    part.value = span(at, value_end(text, at));
    if (!is_object) part.key_span = part.value;
    at = next(part.value.end);
    if (text[at] == ',') at = next(at + 1);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<JsonPart> json_parts(std::string_view text) {
  return json_parts(
      text, span(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0, text.size()));
}

Result<void> require_distinct_keys(std::string_view text, std::span<const JsonPart> members) {
  std::map<std::string_view, TextSpan> places;
  for (const JsonPart& member : members) {
    const auto [first, is_new] = places.emplace(member.key, member.key_span);
    if (is_new) continue;
    return fail(
        ErrorKind::kInvalidInput,
        fmt::format("\"{}\" stands at {} already", member.key, position_text(text, first->second)),
        member.key_span);
  }
  return {};
}

std::string position_text(std::string_view text, TextSpan place) {
  const LineColumn at = line_column(text, place.begin);
  return fmt::format("{}:{}", at.line, at.column);
}

}  // namespace mercator::tools
