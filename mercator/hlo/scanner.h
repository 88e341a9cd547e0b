// Takes HLO text apart: the tokens that shapes, literals, attributes and modules are made of.
//
// Internal to the reader. Nothing is copied: names and raw values are views into the text.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/support/arena.h"
#include "mercator/support/error.h"

namespace mercator::hlo {

// A cursor over a text that is followed by a NUL byte, so that looking at the next byte needs no
// test for the end. Functions that read return whether it worked; the first failure is kept in
// `error()` with its span, and everything after it fails too.
class Scanner {
 public:
  // text.data()[text.size()] must be '\0'.
  explicit Scanner(std::string_view text)
      : begin_(text.data()), end_(text.data() + text.size()), p_(begin_) {}

  // ---- where we are ----

  [[nodiscard]] const char* position() const { return p_; }
  void set_position(const char* p) { p_ = p; }
  [[nodiscard]] const char* end() const { return end_; }
  [[nodiscard]] bool at_end() const { return p_ == end_; }
  // The next byte; '\0' at the end.
  [[nodiscard]] char peek() const { return *p_; }
  [[nodiscard]] std::string_view since(const char* start) const {
    return {start, static_cast<std::size_t>(p_ - start)};
  }
  [[nodiscard]] TextSpan span(const char* first, const char* last) const {
    return {static_cast<std::uint32_t>(first - begin_), static_cast<std::uint32_t>(last - begin_)};
  }
  [[nodiscard]] TextSpan span(std::string_view part) const {
    return span(part.data(), part.data() + part.size());
  }

  // ---- failing ----

  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const Error& error() const { return *error_; }
  // Records the error unless there is one already. Always false.
  bool fail(std::string message, TextSpan span, std::string hint = {},
            ErrorKind kind = ErrorKind::kInvalidInput);
  // "expected `what`, found …", about the next token.
  bool expected(std::string_view what, std::string hint = {});

  // ---- tokens ----

  // Past white space and comments.
  void skip_space() {
    if (static_cast<unsigned char>(*p_) > ' ' && *p_ != '/') return;
    skip_space_slowly();
  }
  // Takes the next byte if it is `c`. Does not skip space.
  bool consume(char c) {
    if (*p_ != c) return false;
    ++p_;
    return true;
  }
  // Skips space, then takes `c` if it is next.
  bool accept(char c) {
    skip_space();
    return consume(c);
  }
  // Skips space, then takes `c` or fails; `where` completes "expected '{' …".
  bool expect(char c, std::string_view where) {
    skip_space();
    return consume(c) || expected_char(c, where);
  }

  // Letters, digits, '_', '.' and '-' (but not "->"), beginning with a letter or '_'. Empty if
  // there is none.
  std::string_view identifier() {
    const char* start = p_;
    if (!is(*p_, kLetter)) return {};
    skip_word();
    return since(start);
  }
  // The same, after an optional '%'; the view is without it. Fails if there is none.
  bool name(std::string_view* out, std::string_view what) {
    skip_space();
    consume('%');
    *out = identifier();
    return !out->empty() || expected(what);
  }

  [[nodiscard]] static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  [[nodiscard]] static bool is_letter(char c) { return is(c, kLetter); }
  [[nodiscard]] static bool is_word(char c) { return is(c, kWord); }

  // Decimal digits after an optional '-'. Fails if there are none or the value leaves int64.
  bool integer(std::int64_t* out);
  // Digits only.
  bool unsigned_integer(std::int64_t* out) {
    // So many digits fit int64 whatever they are.
    constexpr int kSafeDigits = 18;
    std::int64_t value = 0;
    const char* p = p_;
    for (; is_digit(*p); ++p) {
      if (p - p_ == kSafeDigits) return unsigned_integer_slowly(out);
      value = value * 10 + (*p - '0');
    }
    if (p == p_) return expected("a number");
    p_ = p;
    *out = value;
    return true;
  }

  // A quoted string; `out` gets what stands between the quotes, escapes as written. Expects to
  // stand on the opening quote.
  bool quoted(std::string_view* out);

  // A bracketed text whose brackets and quotes are balanced, from the bracket that is next to the
  // one that closes it.
  bool balanced(std::string_view* out);

  // The value of an attribute of unknown syntax: a word, a string, bracketed text or a run of
  // these, up to the ',' or the bracket that ends it.
  bool raw_value(std::string_view* out);

 private:
  enum CharClass : std::uint8_t {
    kOther = 0,
    kLetter = 1,   // a-z A-Z _
    kWord = 2,     // letters, digits . _ -
    kBracket = 4,  // ( ) [ ] { }
    kQuote = 8,    // " '
    kStop = 16,    // NUL, '/', brackets and quotes: what a raw value must look at
  };
  static const std::array<std::uint8_t, 256> kClasses;
  [[nodiscard]] static bool is(char c, CharClass char_class) {
    return (kClasses[static_cast<unsigned char>(c)] & char_class) != 0;
  }

  void skip_word() {
    while (is(*p_, kWord)) ++p_;
    // An arrow is not part of a name: `f(a)->f32[]`, `b0f_0io->b0f`.
    if (*p_ == '>' && p_[-1] == '-') --p_;
  }
  bool unsigned_integer_slowly(std::int64_t* out);
  void skip_space_slowly();
  bool skip_comment();
  bool expected_char(char c, std::string_view where);
  [[nodiscard]] std::string found() const;
  [[nodiscard]] TextSpan next_token() const;

  const char* begin_;
  const char* end_;
  const char* p_;
  std::optional<Error> error_;
  std::vector<const char*> open_brackets_;
};

// Spans count bytes in 32 bits.
inline constexpr std::size_t kLongestText = 0xFFFF'FFF0;

// A copy of `text` in `arena` that a Scanner can read.
[[nodiscard]] std::string_view terminated(std::string_view text, Arena& arena);

}  // namespace mercator::hlo
