#include "mercator/support/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mercator {
namespace {

// Source lines longer than this many bytes are cut to a window of that many.
constexpr std::size_t kWindow = 100;
// How many bytes of the window stand before the span.
constexpr std::size_t kBeforeSpan = 40;
constexpr std::string_view kCut = "...";

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: not valid UTF-8
};

// The code point that `text`, which is not empty, starts with.
CodePoint decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {.value = lead, .bytes = 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  std::uint32_t value = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {};
    value = value << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {.value = value, .bytes = bytes};
}

// Whether a terminal would act on the code point rather than show it: control characters, and the
// marks that change the direction of the text around them.
bool is_control(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || (c >= 0x200E && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

struct Shown {
  std::string text;
  std::size_t columns = 0;
};

// `bytes` as they can be shown on one line, with the number of columns that they take up there.
Shown show(std::string_view bytes) {
  Shown shown;
  while (!bytes.empty()) {
    const CodePoint point = decode(bytes);
    const std::size_t taken = std::max<std::size_t>(point.bytes, 1);
    if (point.value == '\t') {
      shown.text += ' ';
      shown.columns += 1;
    } else if (point.bytes != 0 && !is_control(point.value)) {
      shown.text += bytes.substr(0, taken);
      shown.columns += 1;
    } else {
      for (const char byte : bytes.substr(0, taken)) {
        fmt::format_to(std::back_inserter(shown.text), "\\x{:02x}",
                       static_cast<unsigned char>(byte));
      }
      shown.columns += 4 * taken;
    }
    bytes.remove_prefix(taken);
  }
  return shown;
}

// Half-open ranges of bytes of the text.
struct Bytes {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The line that byte `offset` lies in, without its end-of-line characters.
Bytes line_around(std::string_view text, std::size_t offset) {
  Bytes line{.begin = 0, .end = text.size()};
  if (offset > 0) {
    const std::size_t before = text.rfind('\n', offset - 1);
    if (before != std::string_view::npos) line.begin = before + 1;
  }
  const std::size_t after = text.find('\n', offset);
  if (after != std::string_view::npos) line.end = after;
  if (line.end > line.begin && text[line.end - 1] == '\r') --line.end;
  return line;
}

// The part of a line to show, with the span that begins at `begin` in it. Cuts no code point in
// two.
Bytes window_of(std::string_view text, Bytes line, std::size_t begin) {
  if (line.end - line.begin <= kWindow) return line;
  Bytes window = line;
  if (begin - line.begin > kBeforeSpan) {
    window.begin = std::min(begin - kBeforeSpan, line.end - kWindow);
  }
  window.end = std::min(window.begin + kWindow, line.end);
  for (int i = 0; i < 3 && window.begin > line.begin && is_continuation(text[window.begin]); ++i) {
    ++window.begin;
  }
  for (int i = 0; i < 3 && window.end < line.end && is_continuation(text[window.end]); ++i) {
    --window.end;
  }
  return window;
}

// The source line and, under it, the caret.
void append_source(std::string* out, std::string_view text, TextSpan span) {
  const std::size_t offset = std::min<std::size_t>(span.begin, text.size());
  const Bytes line = line_around(text, offset);
  const std::size_t begin = std::min(offset, line.end);
  const Bytes window = window_of(text, line, begin);
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, window.end);

  const auto shown = [&](std::size_t from, std::size_t to) {
    return show(text.substr(from, to - from));
  };
  const Shown before = shown(window.begin, begin);
  const Shown inside = shown(begin, end);
  const std::string_view left = window.begin > line.begin ? kCut : "";
  const std::string_view right = window.end < line.end ? kCut : "";
  fmt::format_to(std::back_inserter(*out), "{}{}{}{}{}\n", left, before.text, inside.text,
                 shown(end, window.end).text, right);
  out->append(left.size() + before.columns, ' ');
  *out += '^';
  if (inside.columns > 1) out->append(inside.columns - 1, '~');
  *out += '\n';
}

}  // namespace

LineColumn line_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  return {.line = static_cast<std::uint32_t>(line + 1),
          .column = static_cast<std::uint32_t>(before.size() - line_begin + 1)};
}

std::string render(const Error& error, std::string_view file_name, std::string_view text) {
  std::string out = show(file_name).text;
  if (!out.empty()) out += ':';
  if (error.span) {
    const LineColumn at = line_column(text, error.span->begin);
    fmt::format_to(std::back_inserter(out), "{}:{}:", at.line, at.column);
  }
  if (!out.empty()) out += ' ';
  fmt::format_to(std::back_inserter(out), "error: {}\n", show(error.message).text);
  if (error.span) append_source(&out, text, *error.span);
  if (!error.hint.empty()) {
    fmt::format_to(std::back_inserter(out), "hint: {}\n", show(error.hint).text);
  }
  return out;
}

}  // namespace mercator
