#include "mercator/hlo/literal.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "test/hlo/hlo_testing.h"

namespace mercator::hlo {
namespace {

using ::testing::HasSubstr;

class LiteralTest : public ::testing::Test {
 protected:
  Result<Literal> parse(std::string_view shape, std::string_view text) {
    return parse_literal(text, *parse_shape(shape, arena_), arena_);
  }
  Literal literal(std::string_view shape, std::string_view text) {
    Result<Literal> result = parse(shape, text);
    if (result) return *result;
    ADD_FAILURE() << shape << " " << text << ": " << result.error().message;
    return {};
  }
  std::string message(std::string_view shape, std::string_view text) {
    Result<Literal> result = parse(shape, text);
    return result ? "" : result.error().message;
  }
  // What is printed of the literal, which must read back to the same bytes.
  std::string printed(std::string_view shape, std::string_view text) {
    const Literal first = literal(shape, text);
    std::string out = to_string(first);
    const Literal second = literal(shape, out);
    EXPECT_TRUE(std::ranges::equal(first.data, second.data)) << shape << " " << out;
    EXPECT_EQ(first.elided, second.elided);
    EXPECT_EQ(to_string(second), out);
    return out;
  }
  double number(std::string_view type, std::string_view text) {
    return literal(std::string(type) + "[]", text).number(0).value();
  }

  Arena arena_;
};

TEST_F(LiteralTest, ReadsIntegersOfEveryWidth) {
  struct Range {
    std::string_view type;
    std::string_view least;
    std::string_view most;
    std::string_view below;
    std::string_view above;
  };
  for (const Range& range : std::initializer_list<Range>{
           {"s1", "-1", "0", "-2", "1"},
           {"u1", "0", "1", "-1", "2"},
           {"s2", "-2", "1", "-3", "2"},
           {"u2", "0", "3", "-1", "4"},
           {"s4", "-8", "7", "-9", "8"},
           {"u4", "0", "15", "-1", "16"},
           {"s8", "-128", "127", "-129", "128"},
           {"u8", "0", "255", "-1", "256"},
           {"s16", "-32768", "32767", "-32769", "32768"},
           {"u16", "0", "65535", "-1", "65536"},
           {"s32", "-2147483648", "2147483647", "-2147483649", "2147483648"},
           {"u32", "0", "4294967295", "-1", "4294967296"},
           {"s64", "-9223372036854775808", "9223372036854775807", "-9223372036854775809",
            "9223372036854775808"},
           {"u64", "0", "18446744073709551615", "-9223372036854775809", "18446744073709551616"}}) {
    const std::string shape = std::string(range.type) + "[]";
    EXPECT_EQ(printed(shape, range.least), range.least) << shape;
    EXPECT_EQ(printed(shape, range.most), range.most) << shape;
    EXPECT_THAT(message(shape, range.below), HasSubstr("out of the range of")) << shape;
    EXPECT_THAT(message(shape, range.above), HasSubstr("out of the range of")) << shape;
  }
  EXPECT_EQ(literal("s4[]", "-8").integer(0), -8);
  EXPECT_EQ(literal("u64[]", "9223372036854775807").integer(0), 9223372036854775807);
  EXPECT_EQ(literal("u64[]", "18446744073709551615").integer(0), std::nullopt);
  EXPECT_EQ(number("u64", "18446744073709551615"), 0x1p64);
  EXPECT_EQ(printed("u64[]", "-1"), "18446744073709551615");
  EXPECT_EQ(number("s64", "-3"), -3);
  EXPECT_EQ(literal("f32[]", "3").integer(0), std::nullopt);
  EXPECT_THAT(message("s32[]", "1.5"), HasSubstr("expected an integer"));
  EXPECT_THAT(message("s32[]", "true"), HasSubstr("expected an integer"));
  EXPECT_THAT(message("s32[]", std::string(1000, '9')), HasSubstr("out of the range"));
}

TEST_F(LiteralTest, ReadsPred) {
  EXPECT_EQ(printed("pred[]", "true"), "true");
  EXPECT_EQ(printed("pred[]", "0"), "false");
  EXPECT_EQ(printed("pred[3]", "{1, false, true}"), "{1, 0, 1}");
  EXPECT_EQ(literal("pred[2]", "{0, 7}").integer(1), 1);
  EXPECT_THAT(message("pred[]", "maybe"), HasSubstr("expected true or false, found 'maybe'"));
}

TEST_F(LiteralTest, ReadsFloats) {
  EXPECT_EQ(number("f32", "1"), 1);
  EXPECT_EQ(number("f32", "-2.5e3"), -2500);
  EXPECT_EQ(number("f64", "0.1"), 0.1);
  EXPECT_EQ(number("f32", "0.1"), static_cast<double>(0.1f));
  EXPECT_EQ(number("f32", "inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number("f64", "-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(number("bf16", "nan")));
  EXPECT_TRUE(std::signbit(number("bf16", "-nan")));
  EXPECT_TRUE(std::signbit(number("f32", "-0")));
  EXPECT_EQ(number("f32", "1e-50"), 0);
  EXPECT_EQ(number("f64", "1e-400"), 0);
  EXPECT_EQ(number("f64", std::string(300, '1') + "e-900"), 0);
  EXPECT_THAT(message("f64[]", "0." + std::string(300, '0') + "1e+900"), HasSubstr("too large"));
  EXPECT_THAT(message("f64[]", "1e99999999999999999999"), HasSubstr("too large"));
  EXPECT_EQ(number("f64", "1e-99999999999999999999"), 0);
  EXPECT_EQ(number("f64", "0." + std::string(400, '0') + "1"), 0);
  EXPECT_THAT(message("f64[]", "1e400"), HasSubstr("too large"));
  EXPECT_THAT(message("f64[]", std::string(400, '9')), HasSubstr("too large"));
  EXPECT_THAT(message("f64[]", std::string(400, '9') + ".5"), HasSubstr("too large"));
  EXPECT_THAT(message("f32[]", "3.5e38"), HasSubstr("the value 3.5e38 is out of the range of f32"));
  EXPECT_THAT(message("f16[]", "65520"), HasSubstr("out of the range of f16"));
  EXPECT_EQ(number("f16", "65519"), 65504);
  EXPECT_EQ(number("f8e4m3fn", "448"), 448);
  EXPECT_EQ(number("f8e4m3fn", "449"), 448);
  EXPECT_THAT(message("f8e4m3fn[]", "465"), HasSubstr("out of the range"));
  EXPECT_TRUE(std::isnan(number("f8e4m3fn", "inf")));
  EXPECT_THAT(message("f4e2m1fn[]", "nan"), HasSubstr("f4e2m1fn has no value nan"));
  EXPECT_THAT(message("f8e8m0fnu[]", "0"), HasSubstr("out of the range"));
  EXPECT_THAT(message("f8e8m0fnu[]", "-1"), HasSubstr("out of the range"));
  EXPECT_THAT(message("f32[]", "."), HasSubstr("expected a number"));
  EXPECT_THAT(message("f32[]", "0x10"), HasSubstr("expected the end"));
  EXPECT_THAT(message("f32[]", "infinity"), HasSubstr("expected a number"));
  EXPECT_THAT(message("f32[]", ""), HasSubstr("expected a number, found the end"));
}

TEST_F(LiteralTest, RoundsToNearestEven) {
  // bf16 has 8 bits of precision: 257 and 259 lie half way between their neighbours.
  EXPECT_EQ(number("bf16", "257"), 256);
  EXPECT_EQ(number("bf16", "259"), 260);
  EXPECT_EQ(number("bf16", "257.0001"), 258);
  EXPECT_EQ(number("f8e5m2", "9"), 8);
  EXPECT_EQ(number("f8e5m2", "11"), 12);
  EXPECT_EQ(number("f8e8m0fnu", "3"), 4);
  EXPECT_EQ(number("f8e8m0fnu", "1.4"), 1);
  // The smallest subnormal of f16 is 2^-24; half of it rounds to zero, a little more does not.
  EXPECT_EQ(number("f16", "2.98023223876953125e-08"), 0);
  EXPECT_EQ(number("f16", "2.9802323e-08"), 0x1p-24);
}

TEST_F(LiteralTest, KeepsThePayloadOfNan) {
  for (const std::string_view text : {"nan", "-nan", "nan(0x1)", "-nan(0x123)", "nan(0x400001)"}) {
    EXPECT_EQ(printed("f32[]", text), text);
  }
  EXPECT_EQ(printed("f32[]", "nan(0x400000)"), "nan");
  EXPECT_EQ(printed("bf16[]", "nan(0x3)"), "nan(0x3)");
  EXPECT_EQ(printed("f64[]", "nan(0xfffffffffffff)"), "nan(0xfffffffffffff)");
  EXPECT_EQ(printed("f8e5m2[]", "nan(0x1)"), "nan(0x1)");
  EXPECT_EQ(printed("f8e4m3fnuz[]", "nan"), "-nan");
  EXPECT_THAT(message("f32[]", "nan(0x800000)"), HasSubstr("f32 has no value nan(0x800000)"));
  EXPECT_THAT(message("f32[]", "nan(0x0)"), HasSubstr("no value"));
  EXPECT_THAT(message("f8e4m3fn[]", "nan(0x1)"), HasSubstr("no value"));
  EXPECT_THAT(message("f32[]", "nan(1)"), HasSubstr("(0x"));
  EXPECT_THAT(message("f32[]", "nan(0x"), HasSubstr("(0x"));
}

TEST_F(LiteralTest, PrintsFewDigits) {
  EXPECT_EQ(printed("f32[]", "0.1"), "0.1");
  EXPECT_EQ(printed("f64[]", "0.1"), "0.1");
  EXPECT_EQ(printed("f64[]", "3.141592653589793"), "3.141592653589793");
  EXPECT_EQ(printed("bf16[]", "3.14159"), "3.14");
  EXPECT_EQ(printed("f32[]", "-0.0"), "-0");
  EXPECT_EQ(printed("f32[]", "16777216"), "16777216");
  EXPECT_EQ(printed("f32[]", "3.4028235e38"), "3.4028235e+38");
  EXPECT_EQ(printed("f32[]", "1e-45"), "1e-45");
}

TEST_F(LiteralTest, ReadsComplex) {
  const Literal l = literal("c64[2]", "{(1, -2.5), (nan, inf)}");
  EXPECT_EQ(l.complex(0), std::complex<double>(1, -2.5));
  EXPECT_TRUE(std::isnan(l.complex(1)->real()));
  EXPECT_TRUE(std::isinf(l.complex(1)->imag()));
  EXPECT_EQ(l.number(0), std::nullopt);
  EXPECT_EQ(printed("c64[2]", "{(1,-2.5),(nan,inf)}"), "{(1, -2.5), (nan, inf)}");
  EXPECT_EQ(printed("c128[]", "(1e300, -0)"), "(1e+300, -0)");
  EXPECT_EQ(literal("f32[]", "2").complex(0), std::complex<double>(2, 0));
  EXPECT_EQ(literal("s32[]", "2").complex(0), std::nullopt);
  EXPECT_THAT(message("c64[]", "1"), HasSubstr("expected '('"));
  EXPECT_THAT(message("c64[]", "(1e39, 0)"), HasSubstr("out of the range"));
}

TEST_F(LiteralTest, ReadsNestedBraces) {
  const Literal l = literal("s32[2,3]", "{ { 1, 2, 3 }, /*i0=1*/ { 4, 5, 6 } }");
  for (int i = 0; i < 6; ++i) EXPECT_EQ(l.integer(i), i + 1);
  EXPECT_EQ(printed("s32[2,3]", "{{1,2,3},{4,5,6}}"), "{ {1, 2, 3}, {4, 5, 6} }");
  EXPECT_EQ(printed("s32[1,1,1]", "{{{7}}}"), "{ { {7} } }");
  // The layout says where elements lie in memory, not how they are written.
  EXPECT_EQ(literal("s32[2,2]{0,1}", "{{1,2},{3,4}}").integer(1), 2);
}

TEST_F(LiteralTest, ReadsEmptyArrays) {
  EXPECT_EQ(printed("s32[0]", "{}"), "{}");
  EXPECT_EQ(printed("s32[0,1]", "{}"), "{}");
  EXPECT_EQ(printed("s32[2,0]", "{{}, {}}"), "{ {}, {} }");
  EXPECT_EQ(printed("s32[2,0]", "{}"), "{ {}, {} }");
  EXPECT_EQ(printed("s32[1000000000,0]", "{}"), "{}");
  EXPECT_THAT(message("s32[1]", "{}"), HasSubstr("expected 1 elements in dimension 0 after 0"));
}

TEST_F(LiteralTest, ReadsElidedAndSplat) {
  const Literal elided = literal("f32[2,3]", "{...}");
  EXPECT_TRUE(elided.elided);
  EXPECT_EQ(elided.number(0), std::nullopt);
  EXPECT_EQ(elided.complex(0), std::nullopt);
  EXPECT_EQ(literal("s32[5]", "{...}").integer(0), std::nullopt);
  EXPECT_EQ(printed("f32[2,3]", "{ ... }"), "{...}");
  EXPECT_EQ(printed("f32[1000000,1000000]", "{...}"), "{...}");

  const Literal splat = literal("f32[1000000,1000000]", "0.5");
  EXPECT_TRUE(splat.splat);
  EXPECT_EQ(splat.data.size(), 4);
  EXPECT_EQ(splat.number(999'999'999'999), 0.5);
  EXPECT_EQ(literal("c64[9]", "(1, 2)").complex(8), std::complex<double>(1, 2));
  EXPECT_EQ(literal("s8[9]", "-3").integer(8), -3);
  EXPECT_EQ(printed("s8[9]", "-3"), "-3");
  EXPECT_FALSE(literal("f32[1]", "{0.5}").splat);
}

TEST_F(LiteralTest, ReadsTuples) {
  const Literal l = literal("(f32[], (s32[2], pred[]))", "(1, ({2, 3}, true))");
  ASSERT_EQ(l.elements.size(), 2);
  EXPECT_EQ(l.elements[0].number(0), 1);
  EXPECT_EQ(l.elements[1].elements[0].integer(1), 3);
  EXPECT_EQ(to_string(l), "(1, ({2, 3}, true))");
  EXPECT_EQ(to_string(literal("()", "()")), "()");
  EXPECT_EQ(to_string(literal("(f32[], f32[])", "{...}")), "{...}");
  EXPECT_THAT(message("(f32[], f32[])", "(1)"), HasSubstr("expected ',' before element 1"));
  EXPECT_THAT(message("(f32[])", "(1, 2)"), HasSubstr("expected ')' after the 1 elements"));
  EXPECT_THAT(message("token[]", "1"), HasSubstr("expected a literal of an array or a tuple"));
}

TEST_F(LiteralTest, RefusesTheWrongNumberOfElements) {
  EXPECT_THAT(message("s32[3]", "{1, 2}"), HasSubstr("expected 3 elements in dimension 0 after 2"));
  EXPECT_THAT(message("s32[2]", "{1, 2, 3}"), HasSubstr("'}' after the 2 elements"));
  EXPECT_THAT(message("s32[2]", "{1, 2,}"), HasSubstr("expected an element after ','"));
  EXPECT_THAT(message("s32[2]", "{1 2}"), HasSubstr("expected ','"));
  EXPECT_THAT(message("s32[2]", "{{1}, {2}}"), HasSubstr("has 1 levels of braces"));
  EXPECT_THAT(message("s32[2,1]", "{1, 2}"), HasSubstr("has 2 levels of braces"));
  EXPECT_THAT(message("s32[1,1]", "{{1}, {2}}"), HasSubstr("'}' after the 1 elements"));
  EXPECT_THAT(message("s32[1]", "{1"), HasSubstr("expected ','"));
  EXPECT_THAT(message("s32[1]", "{1}}"), HasSubstr("expected the end"));
  EXPECT_THAT(message("s32[]", "{1}"), HasSubstr("expected an integer"));
  EXPECT_THAT(message("f32[4]", "{1, ...}"), HasSubstr("expected a number"));
  EXPECT_THAT(message("f32[4]", "{..}"), HasSubstr("expected '...'"));
}

TEST_F(LiteralTest, RefusesDeepNesting) {
  EXPECT_NE(message("s32[2,2]", std::string(1'000'000, '{')), "");
  EXPECT_NE(message("(s32[])", std::string(1'000'000, '(')), "");
}

}  // namespace
}  // namespace mercator::hlo
