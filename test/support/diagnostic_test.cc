#include "mercator/support/diagnostic.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace mercator {
namespace {

Error error_at(std::uint32_t begin, std::uint32_t end) {
  return {.kind = ErrorKind::kInvalidInput,
          .message = "something is wrong",
          .hint = {},
          .span = TextSpan{begin, end}};
}

// The source line and the line with the caret.
std::string source_of(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  const std::string rendered = render(error_at(begin, end), "f", text);
  return rendered.substr(rendered.find('\n') + 1);
}

TEST(LineColumn, CountsFromOne) {
  constexpr std::string_view kText = "ab\n\ncd";
  EXPECT_EQ(line_column(kText, 0), (LineColumn{1, 1}));
  EXPECT_EQ(line_column(kText, 1), (LineColumn{1, 2}));
  EXPECT_EQ(line_column(kText, 2), (LineColumn{1, 3}));  // the newline itself ends line 1
  EXPECT_EQ(line_column(kText, 3), (LineColumn{2, 1}));
  EXPECT_EQ(line_column(kText, 4), (LineColumn{3, 1}));
  EXPECT_EQ(line_column(kText, 6), (LineColumn{3, 3}));
  EXPECT_EQ(line_column(kText, 1000), (LineColumn{3, 3}));
  EXPECT_EQ(line_column("", 0), (LineColumn{1, 1}));
}

TEST(Render, ShowsTheLineWithACaretAndTheHint) {
  const std::string_view text =
      "HloModule m\n"
      "ENTRY e {\n"
      "  ROOT r = f32[2] add(a, b\n"
      "}\n";
  const Error error = {.kind = ErrorKind::kInvalidInput,
                       .message = "expected ')' after the operands",
                       .hint = "close the list",
                       .span = TextSpan{48, 49}};
  EXPECT_EQ(render(error, "model.hlo", text),
            "model.hlo:3:27: error: expected ')' after the operands\n"
            "  ROOT r = f32[2] add(a, b\n"
            "                          ^\n"
            "hint: close the list\n");
}

TEST(Render, UnderlinesTheWholeSpanButNotBeyondItsLine) {
  EXPECT_EQ(source_of("one two three", 4, 7), "one two three\n    ^~~\n");
  EXPECT_EQ(source_of("one two\nthree", 4, 12), "one two\n    ^~~\n");
  EXPECT_EQ(source_of("one two", 4, 4), "one two\n    ^\n");
  EXPECT_EQ(source_of("one two", 4, 2), "one two\n    ^\n");
}

TEST(Render, PointsBehindTheTextAtItsEnd) {
  EXPECT_EQ(source_of("abc", 3, 3), "abc\n   ^\n");
  EXPECT_EQ(source_of("abc", 90, 99), "abc\n   ^\n");
  EXPECT_EQ(source_of("abc\n", 3, 4), "abc\n   ^\n");
  EXPECT_EQ(source_of("abc\n", 4, 4), "\n^\n");
  EXPECT_EQ(source_of("", 0, 0), "\n^\n");
}

TEST(Render, ShowsOneOfManyLines) {
  EXPECT_EQ(source_of("ab\ncd\nef\n", 0, 1), "ab\n^\n");
  EXPECT_EQ(source_of("ab\ncd\nef\n", 4, 5), "cd\n ^\n");
  EXPECT_EQ(source_of("ab\r\ncd\r\n", 5, 6), "cd\n ^\n");
  EXPECT_EQ(source_of("ab\r\ncd\r\n", 6, 7), "cd\n  ^\n");
}

TEST(Render, WithoutASpanHasNoSourceLine) {
  const Error error = {.kind = ErrorKind::kIo, .message = "no such file"};
  EXPECT_EQ(render(error, "model.hlo", ""), "model.hlo: error: no such file\n");
  EXPECT_EQ(render(error, "", ""), "error: no such file\n");
}

TEST(Render, CutsALongLineAroundTheSpan) {
  const std::string line = std::string(500, 'a') + "XY" + std::string(500, 'b');
  EXPECT_EQ(source_of(line, 500, 502), "..." + std::string(40, 'a') + "XY" + std::string(58, 'b') +
                                           "...\n" + std::string(43, ' ') + "^~\n");
  EXPECT_EQ(source_of(line, 2, 3), std::string(100, 'a') + "...\n  ^\n");
  EXPECT_EQ(source_of(line, 1001, 1002),
            "..." + std::string(100, 'b') + "\n" + std::string(102, ' ') + "^\n");
  EXPECT_EQ(source_of(line, 500, 1002), "..." + std::string(40, 'a') + "XY" + std::string(58, 'b') +
                                            "...\n" + std::string(43, ' ') + "^" +
                                            std::string(59, '~') + "\n");
}

TEST(Render, CutsNoCodePointInTwo) {
  std::string line;
  for (int i = 0; i < 200; ++i) line += "ä€😀";  // 2 + 3 + 4 bytes
  for (std::uint32_t begin = 0; begin < line.size(); begin += 9) {
    EXPECT_EQ(render(error_at(begin, begin + 2), "f", line).find("\\x"), std::string::npos)
        << begin;
  }
}

TEST(Render, CountsCodePointsNotBytesBeforeTheCaret) {
  EXPECT_EQ(source_of("ä€😀 x", 10, 11), "ä€😀 x\n    ^\n");
  EXPECT_EQ(source_of("\tx", 1, 2), " x\n ^\n");
}

TEST(Render, EscapesWhatIsNotPrintable) {
  EXPECT_EQ(source_of(std::string_view("a\0b", 3), 2, 3), "a\\x00b\n     ^\n");
  EXPECT_EQ(source_of("a\x1b[2Jb", 5, 6), "a\\x1b[2Jb\n        ^\n");
  EXPECT_EQ(source_of("\xff\xfe", 1, 2), "\\xff\\xfe\n    ^~~~\n");
  EXPECT_EQ(source_of("\x7f", 0, 1), "\\x7f\n^~~~\n");
  EXPECT_EQ(source_of("a\rb", 0, 1), "a\\x0db\n^\n");
}

TEST(Render, EscapesInvalidUtf8) {
  EXPECT_EQ(source_of("\xc3", 0, 0), "\\xc3\n^\n");                             // cut short
  EXPECT_EQ(source_of("\xc0\x80", 0, 0), "\\xc0\\x80\n^\n");                    // overlong
  EXPECT_EQ(source_of("\xe0\x80\x80", 0, 0), "\\xe0\\x80\\x80\n^\n");           // overlong
  EXPECT_EQ(source_of("\xed\xa0\x80", 0, 0), "\\xed\\xa0\\x80\n^\n");           // a surrogate
  EXPECT_EQ(source_of("\xf4\x90\x80\x80", 0, 0), "\\xf4\\x90\\x80\\x80\n^\n");  // too large
  EXPECT_EQ(source_of("\xe2\x82x", 0, 0), "\\xe2\\x82x\n^\n");
}

TEST(Render, EscapesControlCharactersInUtf8) {
  EXPECT_EQ(source_of("\xc2\x9b", 0, 0), "\\xc2\\x9b\n^\n");           // C1: a control sequence
  EXPECT_EQ(source_of("\xe2\x80\xae", 0, 0), "\\xe2\\x80\\xae\n^\n");  // right-to-left override
}

TEST(Render, EscapesInMessageHintAndFileName) {
  const Error error = {.kind = ErrorKind::kInvalidInput,
                       .message = "unknown opcode 'a\x1b\nb'",
                       .hint = "did you mean '\x07'?"};
  EXPECT_EQ(render(error, "x\x1b.hlo", ""),
            "x\\x1b.hlo: error: unknown opcode 'a\\x1b\\x0ab'\n"
            "hint: did you mean '\\x07'?\n");
}

}  // namespace
}  // namespace mercator
