#include "mercator/hlo/scanner.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace mercator::hlo {
namespace {

constexpr char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

}  // namespace

constinit const std::array<std::uint8_t, 256> Scanner::kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kLetter | kWord;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kLetter | kWord;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kWord;
  classes['_'] = kLetter | kWord;
  classes['.'] = classes['-'] = kWord;
  for (const char c : {'(', ')', '[', ']', '{', '}'}) classes[c] = kBracket | kStop;
  classes['"'] = classes['\''] = kQuote | kStop;
  classes['/'] = classes['\0'] = kStop;
  return classes;
}();

bool Scanner::fail(std::string message, TextSpan span, std::string hint, ErrorKind kind) {
  if (!error_) {
    error_ =
        Error{.kind = kind, .message = std::move(message), .hint = std::move(hint), .span = span};
  }
  return false;
}

TextSpan Scanner::next_token() const {
  const char* last = p_;
  if (is(*last, kWord)) {
    while (is(*last, kWord)) ++last;
  } else if (last < end_) {
    ++last;
  }
  return span(p_, last);
}

std::string Scanner::found() const {
  if (at_end()) return "the end of the text";
  const TextSpan token = next_token();
  constexpr std::size_t kLongest = 40;
  const std::string_view text(p_, std::min<std::size_t>(token.end - token.begin, kLongest));
  const auto byte = static_cast<unsigned char>(*p_);
  if (byte < ' ' || byte >= 0x7F) return fmt::format("the byte 0x{:02X}", byte);
  return fmt::format("'{}'", text);
}

bool Scanner::expected(std::string_view what, std::string hint) {
  if (failed()) return false;
  return fail(fmt::format("expected {}, found {}", what, found()), next_token(), std::move(hint));
}

bool Scanner::expected_char(char c, std::string_view where) {
  if (failed()) return false;
  return expected(fmt::format("'{}' {}", c, where));
}

void Scanner::skip_space_slowly() {
  while (true) {
    while (*p_ == ' ' || *p_ == '\n' || *p_ == '\r' || *p_ == '\t') ++p_;
    if (*p_ != '/' || !skip_comment()) return;
  }
}

// Past the comment that is next; false if there is none or if it has no end.
bool Scanner::skip_comment() {
  if (p_[1] == '/') {
    while (p_ != end_ && *p_ != '\n' && *p_ != '\r') ++p_;
    return true;
  }
  if (p_[1] != '*') return false;
  const std::string_view rest(p_ + 2, static_cast<std::size_t>(end_ - p_ - 2));
  const std::size_t close = rest.find("*/");
  if (close == std::string_view::npos) {
    return fail("the comment has no end", span(p_, p_ + 2), "'*/' closes it");
  }
  p_ += 2 + close + 2;
  return true;
}

bool Scanner::unsigned_integer_slowly(std::int64_t* out) {
  const char* start = p_;
  std::int64_t value = 0;
  for (; is_digit(*p_); ++p_) {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, *p_ - '0', &value)) {
      while (is_digit(*p_)) ++p_;
      return fail("the number is too large", span(start, p_));
    }
  }
  *out = value;
  return true;
}

bool Scanner::integer(std::int64_t* out) {
  if (*p_ != '-') return unsigned_integer(out);
  const char* start = p_++;
  if (!is_digit(*p_)) return expected("a number");
  std::int64_t value = 0;
  for (; is_digit(*p_); ++p_) {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_sub_overflow(value, *p_ - '0', &value)) {
      while (is_digit(*p_)) ++p_;
      return fail("the number is too large", span(start, p_));
    }
  }
  *out = value;
  return true;
}

bool Scanner::quoted(std::string_view* out) {
  const char quote = *p_;
  if (quote != '"' && quote != '\'') return expected("a quoted string");
  const char* start = p_ + 1;
  const char* close = start;
  while (true) {
    close =
        static_cast<const char*>(std::memchr(close, quote, static_cast<std::size_t>(end_ - close)));
    if (close == nullptr) return fail("the string has no end", span(p_, p_ + 1));
    // An escaped quote stands after an odd number of backslashes.
    const char* before = close;
    while (before > start && before[-1] == '\\') --before;
    if ((close - before) % 2 == 0) break;
    ++close;
  }
  *out = {start, static_cast<std::size_t>(close - start)};
  p_ = close + 1;
  return true;
}

bool Scanner::balanced(std::string_view* out) {
  const char* start = p_;
  open_brackets_.clear();
  do {
    while (!is(*p_, kStop)) ++p_;
    if (is(*p_, kQuote)) {
      std::string_view ignored;
      if (!quoted(&ignored)) return false;
    } else if (*p_ == '/') {
      if (!skip_comment()) {
        if (failed()) return false;
        ++p_;
      }
    } else if (*p_ == '\0') {
      if (at_end()) {
        return fail(fmt::format("'{}' is never closed", *open_brackets_.back()),
                    span(open_brackets_.back(), open_brackets_.back() + 1));
      }
      ++p_;
    } else if (*p_ == '(' || *p_ == '[' || *p_ == '{') {
      open_brackets_.push_back(p_++);
    } else if (closing(*open_brackets_.back()) == *p_) {
      open_brackets_.pop_back();
      ++p_;
    } else {
      return fail(fmt::format("expected '{}' to close '{}', found '{}'",
                              closing(*open_brackets_.back()), *open_brackets_.back(), *p_),
                  span(p_, p_ + 1));
    }
  } while (!open_brackets_.empty());
  *out = since(start);
  return true;
}

bool Scanner::raw_value(std::string_view* out) {
  const char* start = p_;
  const char* last = p_;
  while (true) {
    const char c = *p_;
    if (c == '(' || c == '[' || c == '{') {
      std::string_view ignored;
      if (!balanced(&ignored)) return false;
    } else if (c == '"' || c == '\'') {
      std::string_view ignored;
      if (!quoted(&ignored)) return false;
    } else if (c == ' ' || c == '\t' || c == '/') {
      // A value such as `f32[2] {1, 2}` goes on after the space, but only with a bracket.
      const char* space = p_;
      skip_space();
      if (failed()) return false;
      if (p_ == space) {
        ++p_;  // a '/' that begins no comment
        last = p_;
        continue;
      }
      if (*p_ != '{' && *p_ != '(' && *p_ != '[') break;
      continue;
    } else if (c == ',' || c == ')' || c == ']' || c == '}' || c == '\n' || c == '\r' ||
               c == '\0') {
      break;
    } else {
      ++p_;
    }
    last = p_;
  }
  *out = {start, static_cast<std::size_t>(last - start)};
  return !out->empty() || expected("a value");
}

std::string_view terminated(std::string_view text, Arena& arena) {
  const std::span<char> copy = arena.make_array<char>(text.size() + 1);
  std::ranges::copy(text, copy.begin());
  return {copy.data(), text.size()};
}

}  // namespace mercator::hlo
