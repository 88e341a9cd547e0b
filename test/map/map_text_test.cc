#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"
#include "mercator/support/diagnostic.h"

namespace mercator {
namespace {

std::string reprinted(std::string_view text, MapStyle style = MapStyle::kOneLine) {
  ExprContext context;
  const Result<IndexMap> map = parse_index_map(text, context);
  if (!map) return "error: " + map.error().message;
  return to_string(*map, style);
}

// The error with its source line and caret.
std::string error_of(std::string_view text) {
  ExprContext context;
  const Result<IndexMap> map = parse_index_map(text, context);
  if (map) return "read as " + to_string(*map, MapStyle::kOneLine);
  EXPECT_EQ(map.error().kind, ErrorKind::kInvalidInput);
  EXPECT_TRUE(map.error().span.has_value());
  return render(map.error(), "map", text);
}

// ---- printing ----

TEST(MapText, OneEntryALine) {
  const std::string text =
      "(d0, d1)[s0]{rt0} -> (d0 + rt0, d1 floordiv 8, s0 + (d1 mod 8) * 4),\n"
      "domain:\n"
      "d0 in [0, 9],\n"
      "d1 in [0, 63],\n"
      "s0 in [0, 3],\n"
      "rt0 in [0, 22],\n"
      "d0 + s0 in [0, 11]";
  EXPECT_EQ(reprinted(text, MapStyle::kLines), text);
}

TEST(MapText, OnOneLine) {
  const std::string text =
      "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 9], d1 in [-3, 4], s0 in [0, 3], "
      "d0 + s0 in [0, 11]";
  EXPECT_EQ(reprinted(text), text);
}

TEST(MapText, WithoutVariablesAndConstraintsThereIsNoDomain) {
  EXPECT_EQ(reprinted("() -> ()"), "() -> ()");
  EXPECT_EQ(reprinted("() -> (7, -3)", MapStyle::kLines), "() -> (7, -3)");
}

TEST(MapText, ConstraintsWithoutVariables) {
  EXPECT_EQ(reprinted("() -> (7), domain: 3 in [0, 4]"), "() -> (7), domain: 3 in [0, 4]");
}

TEST(MapText, EmptyDomains) {
  EXPECT_EQ(reprinted("(x) -> (x), domain: x in [3, 2]"), "KNOWN EMPTY");
  EXPECT_EQ(reprinted("(x) -> (x), domain: x in [3, 2]", MapStyle::kLines), "KNOWN EMPTY");
  EXPECT_EQ(reprinted(" KNOWN\n EMPTY "), "KNOWN EMPTY");
}

// ---- what the reader takes ----

TEST(MapText, AnyDistribution) {
  const std::string expected =
      "(d0)[s0]{rt0} -> (d0 + s0 + rt0), domain: d0 in [0, 1], "
      "s0 in [0, 2], rt0 in [0, 3], d0 + s0 in [1, 2]";
  for (const char* text :
       {"(d0)[s0]{rt0} -> (d0 + s0 + rt0), domain: d0 in [0, 1], s0 in [0, 2], rt0 in [0, 3], "
        "d0 + s0 in [1, 2]",
        // No commas at the ends of lines.
        "(d0)[s0]{rt0} -> (d0 + s0 + rt0)\ndomain:\nd0 in [0, 1]\ns0 in [0, 2]\nrt0 in [0, 3]\n"
        "d0 + s0 in [1, 2]\n",
        // A comma at the very end, tabs, carriage returns, any order.
        "(d0) [s0] {rt0}\t->(d0+s0+rt0),domain:\r\nrt0 in [0,3],\r\nd0+s0 in [1,2],d0 in [ 0 , 1 ],"
        "s0 in [0,2],\r\n"}) {
    EXPECT_EQ(reprinted(text), expected);
  }
}

TEST(MapText, OperatorsInBothSpellings) {
  EXPECT_EQ(
      reprinted("(x) -> (x / 3, x % 3, x ceildiv 3, min(x, 2), max(x, 2)), domain: x in [0, 9]"),
      "(x) -> (x floordiv 3, x mod 3, (x + 2) floordiv 3, min(x, 2), max(x, 2)), "
      "domain: x in [0, 9]");
}

TEST(MapText, OtherNames) {
  const std::string text =
      "(th_x, bl_x)[chunk]{start} -> (th_x + start, chunk), domain: th_x in [0, 1], "
      "bl_x in [0, 1], chunk in [0, 1], start in [0, 1], th_x + bl_x in [0, 1]";
  EXPECT_EQ(reprinted(text), text);
}

TEST(MapText, EmptyLists) {
  EXPECT_EQ(reprinted("()[]{} -> ()"), "() -> ()");
  EXPECT_EQ(reprinted("()[a] -> (), domain: a in [0, 1]"), "()[a] -> (), domain: a in [0, 1]");
  EXPECT_EQ(reprinted("(){a} -> (), domain: a in [0, 1]"), "(){a} -> (), domain: a in [0, 1]");
  EXPECT_EQ(reprinted("(a) -> (a), domain: a in [0, 1], "), "(a) -> (a), domain: a in [0, 1]");
}

TEST(MapText, VariablesWithoutBoundsAreUnbounded) {
  const std::string expected =
      "(x, y) -> (x), domain: x in [-9223372036854775808, 9223372036854775807], y in [0, 1]";
  EXPECT_EQ(reprinted("(x, y) -> (x), domain: y in [0, 1]"), expected);
  EXPECT_EQ(reprinted(expected), expected);
  EXPECT_EQ(reprinted("(x) -> (x)"),
            "(x) -> (x), domain: x in [-9223372036854775808, 9223372036854775807]");
}

TEST(MapText, OnlyTheFirstRangeOfAVariableIsItsBounds) {
  const std::string text = "(x) -> (x), domain: x in [0, 9], x in [2, 12], x in [2, 13]";
  EXPECT_EQ(reprinted(text), text);
  // Not the bare name: a constraint, though it says the same.
  EXPECT_EQ(reprinted("(x) -> (x), domain: (x) in [0, 9]"),
            "(x) -> (x), domain: x in [-9223372036854775808, 9223372036854775807], x in [0, 9]");
}

// ---- bare expressions ----

TEST(MapText, BareExpressions) {
  EXPECT_TRUE(is_bare_expression("x + 1, domain: x in [0, 3]"));
  EXPECT_TRUE(is_bare_expression("7"));
  EXPECT_FALSE(is_bare_expression("(x) -> (x)"));
  EXPECT_FALSE(is_bare_expression("KNOWN EMPTY"));
  EXPECT_EQ(reprinted("x mod 7 + y, domain: y in [0, 3], x in [-5, 5]"),
            "(y, x) -> (y + x mod 7), domain: y in [0, 3], x in [-5, 5]");
  EXPECT_EQ(reprinted("3 * 4"), "() -> (12)");
  // The domain may use a variable before it gives its bounds.
  EXPECT_EQ(
      reprinted("x * y, domain: x + y in [0, 4], x in [0, 3] y in [0, 2], min(x, y) in [0, 1]"),
      "(x, y) -> (x * y), domain: x in [0, 3], y in [0, 2], x + y in [0, 4], "
      "min(x, y) in [0, 1]");
}

TEST(MapText, BareExpressionsNameTheirUnknownVariables) {
  EXPECT_EQ(error_of("row * 512 + col, domain: row in [0, 99]"),
            "map:1:13: error: unknown variable 'col'\n"
            "row * 512 + col, domain: row in [0, 99]\n"
            "            ^~~\n"
            "hint: add its bounds to the domain: 'col in [0, 9]'\n");
  EXPECT_EQ(error_of("x, domain: x in [0, 3], x + y in [0, 4]"),
            "map:1:29: error: unknown variable 'y'\n"
            "x, domain: x in [0, 3], x + y in [0, 4]\n"
            "                            ^\n"
            "hint: add its bounds to the domain: 'y in [0, 9]'\n");
}

// ---- errors ----

TEST(MapTextError, SayWhatWasExpectedAndWhere) {
  EXPECT_EQ(error_of("(d0, d1] -> (d0)"),
            "map:1:8: error: expected ',' or ')', found ']'\n"
            "(d0, d1] -> (d0)\n"
            "       ^\n");
  EXPECT_EQ(error_of("(d0) -> (d0,\n d1)"),
            "map:2:2: error: unknown variable 'd1'\n"
            " d1)\n"
            " ^~\n");
}

std::string message_of(std::string_view text) {
  ExprContext context;
  const Result<IndexMap> map = parse_index_map(text, context);
  return map ? "read as " + to_string(*map, MapStyle::kOneLine) : map.error().message;
}

TEST(MapTextError, Messages) {
  EXPECT_EQ(message_of(""), "expected an expression, found the end");
  EXPECT_EQ(message_of("->"), "expected '(', found '->'");
  EXPECT_EQ(message_of("(d0"), "unknown variable 'd0'");
  EXPECT_EQ(message_of("(d0 ->"), "expected ',' or ')', found '->'");
  EXPECT_EQ(message_of("(d0 d1) -> ()"), "expected ',' or ')', found 'd1'");
  EXPECT_EQ(message_of("(d0,) -> ()"), "expected the name of a variable, found ')'");
  EXPECT_EQ(message_of("(3) -> ()"), "expected the name of a variable, found '3'");
  EXPECT_EQ(message_of("(mod) -> ()"), "expected the name of a variable, found 'mod'");
  EXPECT_EQ(message_of("(x)[x] -> (x)"), "two variables are called 'x'");
  EXPECT_EQ(message_of("(x){y}[z] -> (x)"), "expected '->', found '['");
  EXPECT_EQ(message_of("(x) => (x)"), "unknown variable 'x'");
  EXPECT_EQ(message_of("(x) -> x"), "expected '(', found 'x'");
  EXPECT_EQ(message_of("(x) -> (x"), "expected an operator, ',' or ')', found the end");
  EXPECT_EQ(message_of("(x) -> (x,)"), "expected an expression, found ')'");
  EXPECT_EQ(message_of("(x) -> (x) x"), "expected ', domain:' or the end, found 'x'");
  EXPECT_EQ(message_of("(x) -> (x), x in [0, 1]"), "expected 'domain', found 'x'");
  EXPECT_EQ(message_of("(x) -> (x), domain x in [0, 1]"), "expected ':', found 'x'");
  EXPECT_EQ(message_of("(x) -> (x), domain: x [0, 1]"), "expected an operator or 'in', found '['");
  EXPECT_EQ(message_of("(x) -> (x), domain: x in 0"), "expected '[', found '0'");
  EXPECT_EQ(message_of("(x) -> (x), domain: x in [0"), "expected ',', found the end");
  EXPECT_EQ(message_of("(x) -> (x), domain: x in [0, y]"), "expected an integer, found 'y'");
  EXPECT_EQ(message_of("(x) -> (x), domain: x in [0, 1)"), "expected ']', found ')'");
  EXPECT_EQ(message_of("(x) -> (x), domain: ,"), "expected an expression, found ','");
  EXPECT_EQ(message_of("(x) -> (x), domain: x in [0, 99999999999999999999]"),
            "integer does not fit into 64 bits");
  EXPECT_EQ(message_of("(x) -> (x floordiv 0)"), "division by zero");
  EXPECT_EQ(message_of("KNOWN EMPTY x"), "expected the end, found 'x'");
  EXPECT_EQ(message_of("(x) -> (x) \x01"), "expected ', domain:' or the end, found '\x01'");
}

TEST(MapTextError, HostileTexts) {
  const std::string parens(1'000'000, '(');
  EXPECT_FALSE(message_of(parens).starts_with("read as"));
  EXPECT_FALSE(message_of("() -> (" + parens).starts_with("read as"));
  EXPECT_FALSE(message_of("(x) -> (" + std::string(1'000'000, '-') + "x)").starts_with("read as"));
  std::string sum = "(x) -> (x";
  for (int i = 0; i < 100'000; ++i) sum += " + x";
  EXPECT_EQ(message_of(sum + "), domain: x in [0, 1]"),
            "read as (x) -> (x * 100001), domain: x in [0, 1]");
  std::string names = "(x0";
  for (int i = 1; i < 100'000; ++i) names += ", x" + std::to_string(i);
  EXPECT_TRUE(message_of(names + ") -> ()").starts_with("read as"));
}

}  // namespace
}  // namespace mercator
