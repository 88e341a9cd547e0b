#include "mercator/runtime/scalar_operation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mercator/hlo/float_format.h"
#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

using hlo::ElementType;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Without the signs of nan, which are of no account; those with a payload keep theirs.
std::string without_nan_signs(std::string text) {
  for (std::size_t at = text.find("-nan"); at != std::string::npos;
       at = text.find("-nan", at + 1)) {
    if (at + 4 < text.size() && text[at + 4] != '(') text.erase(at, 1);
  }
  return text;
}

// How many numbers these are.
std::int64_t count_of(std::string_view values) {
  const std::int64_t pairs = std::ranges::count(values, '(');
  return values.starts_with('(') ? pairs : std::ranges::count(values, ',') + 1;
}

// What an instruction makes of its operands, all vectors of that length or scalars. `type` is that
// of the result.
std::string apply(std::string_view opcode, std::string_view type,
                  const std::vector<std::string>& operands, std::string_view attributes = "") {
  std::string lines;
  std::string names;
  std::string size;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string shape = operands[i].substr(0, operands[i].find(' '));
    if (!shape.ends_with("[]")) size = shape.substr(shape.find('['));
    lines += fmt::format("  p{} = {} parameter({})\n", i, shape, i);
    names += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
  }
  lines += fmt::format("  ROOT r = {}{} {}({}){}", type, size, opcode, names, attributes);
  const std::string text = without_nan_signs(result_of(lines, operands));
  return text.starts_with(fmt::format("{}[", type)) ? text.substr(text.find(' ') + 1) : text;
}

// The same with values of one type.
std::string unary(std::string_view opcode, std::string_view type, std::string_view values) {
  const std::int64_t count = count_of(values);
  return apply(opcode, type, {fmt::format("{}[{}] {{{}}}", type, count, values)});
}
std::string binary(std::string_view opcode, std::string_view type, std::string_view a,
                   std::string_view b, std::string_view result_type = "",
                   std::string_view attributes = "") {
  const std::int64_t count = count_of(a);
  return apply(
      opcode, result_type.empty() ? type : result_type,
      {fmt::format("{}[{}] {{{}}}", type, count, a), fmt::format("{}[{}] {{{}}}", type, count, b)},
      attributes);
}

// An instruction on scalars of the types.
class Operation {
 public:
  Operation(std::string_view opcode, std::vector<ElementType> types, ElementType result,
            std::string_view attributes = "") {
    std::string text = "HloModule m\n\nENTRY e {\n";
    std::string names;
    for (std::size_t i = 0; i < types.size(); ++i) {
      text += fmt::format("  p{} = {}[] parameter({})\n", i, hlo::name(types[i]), i);
      names += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
    }
    text +=
        fmt::format("  ROOT r = {}[] {}({}){}\n}}\n", hlo::name(result), opcode, names, attributes);
    module_ = hlo::parse_module(text).value();
    EXPECT_TRUE(hlo::verify(*module_).has_value()) << text;
    operation_ = scalar_operation(*module_->entry->root).value();
  }

  Number operator()(const std::vector<Number>& operands) const {
    return operation_(operands.data());
  }

 private:
  std::unique_ptr<hlo::Module> module_;
  ScalarOperation operation_;
};

// ---- integers ----

TEST(ScalarOperation, IntegersWrapAtTheirWidth) {
  EXPECT_EQ(binary("add", "s8", "127, -128", "1, -1"), "{-128, 127}");
  EXPECT_EQ(binary("subtract", "u8", "0, 5", "1, 7"), "{255, 254}");
  EXPECT_EQ(binary("multiply", "s4", "7, -8", "7, -1"), "{1, -8}");
  EXPECT_EQ(binary("add", "s4", "-8", "-8"), "{0}");
  EXPECT_EQ(binary("multiply", "u64", "18446744073709551615", "3"), "{18446744073709551613}");
  EXPECT_EQ(binary("multiply", "s64", "-9223372036854775808", "-1"), "{-9223372036854775808}");
  EXPECT_EQ(unary("negate", "s32", "-2147483648, 5"), "{-2147483648, -5}");
  EXPECT_EQ(unary("negate", "u2", "1, 0"), "{3, 0}");
  EXPECT_EQ(unary("abs", "s8", "-128, -3, 3"), "{-128, 3, 3}");
  EXPECT_EQ(unary("abs", "u8", "200, 3"), "{200, 3}");
}

TEST(ScalarOperation, IntegerDivision) {
  EXPECT_EQ(binary("divide", "s32", "7, -7, 7, 0, -2147483648", "2, 2, 0, 0, -1"),
            "{3, -3, -1, -1, -2147483648}");
  EXPECT_EQ(binary("divide", "u32", "7, 0, 4294967295", "0, 0, 2"),
            "{4294967295, 4294967295, 2147483647}");
  EXPECT_EQ(binary("divide", "u4", "7, 15", "0, 4"), "{15, 3}");
  EXPECT_EQ(binary("divide", "s64", "-9223372036854775808, 5", "-1, 0"),
            "{-9223372036854775808, -1}");
  EXPECT_EQ(binary("remainder", "s32", "7, -7, 7, 7, -2147483648", "2, 2, -2, 0, -1"),
            "{1, -1, 1, 7, 0}");
  EXPECT_EQ(binary("remainder", "s64", "-9223372036854775808, 5", "-1, 0"), "{0, 5}");
  EXPECT_EQ(binary("remainder", "u8", "200, 7", "0, 4"), "{200, 3}");
}

TEST(ScalarOperation, IntegerPowers) {
  EXPECT_EQ(binary("power", "s32", "2, 2, -1, -1, 0, 1, 0, -3", "10, -1, -1, -2, -1, -5, 0, 3"),
            "{1024, 0, -1, 1, 0, 1, 1, -27}");
  EXPECT_EQ(binary("power", "s8", "2, 2, 3", "7, 8, 5"), "{-128, 0, -13}");
  EXPECT_EQ(binary("power", "u8", "3, 2", "255, 7"), "{171, 128}");  // 3^255 = 171 (mod 256)
}

TEST(ScalarOperation, Shifts) {
  EXPECT_EQ(binary("shift-left", "s32", "1, 1, 1, 1", "31, 32, -1, 100"), "{-2147483648, 0, 0, 0}");
  EXPECT_EQ(binary("shift-right-logical", "s32", "-1, -1, -1, -1", "1, 31, 32, -1"),
            "{2147483647, 1, 0, 0}");
  EXPECT_EQ(binary("shift-right-arithmetic", "s32", "-8, -8, -8, 8", "1, 32, -1, 40"),
            "{-4, -1, -1, 0}");
  // The top bit is copied in unsigned types too.
  EXPECT_EQ(binary("shift-right-arithmetic", "u8", "128, 127", "1, 1"), "{192, 63}");
  EXPECT_EQ(binary("shift-left", "s4", "3, 1", "2, 4"), "{-4, 0}");
  EXPECT_EQ(binary("shift-right-logical", "s4", "-1, -8", "1, 3"), "{7, 1}");
  EXPECT_EQ(binary("shift-left", "u64", "1, 1", "63, 64"), "{9223372036854775808, 0}");
}

TEST(ScalarOperation, BitsOfIntegers) {
  EXPECT_EQ(unary("count-leading-zeros", "s8", "0, 1, -1, 64"), "{8, 7, 0, 1}");
  EXPECT_EQ(unary("count-leading-zeros", "u4", "0, 1, 15"), "{4, 3, 0}");
  EXPECT_EQ(unary("count-leading-zeros", "s64", "0, 1, -1"), "{64, 63, 0}");
  EXPECT_EQ(unary("popcnt", "s16", "0, -1, 5"), "{0, 16, 2}");
  EXPECT_EQ(unary("popcnt", "u2", "3, 1"), "{2, 1}");
  EXPECT_EQ(unary("not", "s8", "0, -128"), "{-1, 127}");
  EXPECT_EQ(unary("not", "u4", "5"), "{10}");
  EXPECT_EQ(binary("and", "s8", "-2", "7"), "{6}");
  EXPECT_EQ(binary("or", "u8", "128", "1"), "{129}");
  EXPECT_EQ(binary("xor", "s8", "-1", "5"), "{-6}");
  EXPECT_EQ(unary("sign", "s8", "-128, 0, 3"), "{-1, 0, 1}");
  EXPECT_EQ(unary("sign", "u8", "255, 0"), "{1, 0}");
}

TEST(ScalarOperation, TruthValues) {
  const std::string p = "0, 0, 1, 1";
  const std::string q = "0, 1, 0, 1";
  EXPECT_EQ(binary("add", "pred", p, q), "{0, 1, 1, 1}");
  EXPECT_EQ(binary("multiply", "pred", p, q), "{0, 0, 0, 1}");
  EXPECT_EQ(binary("maximum", "pred", p, q), "{0, 1, 1, 1}");
  EXPECT_EQ(binary("minimum", "pred", p, q), "{0, 0, 0, 1}");
  EXPECT_EQ(binary("and", "pred", p, q), "{0, 0, 0, 1}");
  EXPECT_EQ(binary("or", "pred", p, q), "{0, 1, 1, 1}");
  EXPECT_EQ(binary("xor", "pred", p, q), "{0, 1, 1, 0}");
  EXPECT_EQ(binary("compare", "pred", p, q, "pred", ", direction=LT"), "{0, 1, 0, 0}");
  EXPECT_EQ(unary("not", "pred", "0, 1"), "{1, 0}");
}

// The value of a type of that width which is equal to `value` modulo the size of the type.
std::int64_t wrapped(std::int64_t value, int bits, bool is_signed) {
  const std::int64_t size = std::int64_t{1} << bits;
  const std::int64_t positive = ((value % size) + size) % size;
  return is_signed && positive >= size / 2 ? positive - size : positive;
}

// Every pair of values of every type of up to 8 bits.
TEST(ScalarOperation, ArithmeticOfNarrowIntegersIsExactModuloTheirSize) {
  using Function = std::function<std::int64_t(std::int64_t, std::int64_t)>;
  const std::vector<std::pair<std::string_view, Function>> operations = {
      {"add", [](auto a, auto b) { return a + b; }},
      {"subtract", [](auto a, auto b) { return a - b; }},
      {"multiply", [](auto a, auto b) { return a * b; }},
      {"divide", [](auto a, auto b) { return b == 0 ? -1 : a / b; }},
      {"remainder", [](auto a, auto b) { return b == 0 ? a : a % b; }},
      {"maximum", [](auto a, auto b) { return std::max(a, b); }},
      {"minimum", [](auto a, auto b) { return std::min(a, b); }},
  };
  for (const ElementType type :
       {ElementType::kS2, ElementType::kS4, ElementType::kS8, ElementType::kU1, ElementType::kU2,
        ElementType::kU4, ElementType::kU8}) {
    const auto bits = static_cast<int>(hlo::bit_width(type));
    const bool is_signed = hlo::is_signed(type);
    const std::int64_t least = is_signed ? -(1 << (bits - 1)) : 0;
    const std::int64_t end = least + (1 << bits);
    for (const auto& [opcode, function] : operations) {
      const Operation operation(opcode, {type, type}, type);
      for (std::int64_t a = least; a < end; ++a) {
        for (std::int64_t b = least; b < end; ++b) {
          const Number result = operation({{.s = a}, {.s = b}});
          ASSERT_EQ(result.s, wrapped(function(a, b), bits, is_signed))
              << opcode << hlo::name(type) << " " << a << " " << b;
        }
      }
    }
  }
}

// ---- floating-point numbers ----

TEST(ScalarOperation, ExtremaPassNanOnAndOrderZeros) {
  EXPECT_EQ(binary("maximum", "f32", "0, -0, nan, 1, 2", "-0, 0, 1, nan, 3"),
            "{0, 0, nan, nan, 3}");
  EXPECT_EQ(binary("minimum", "f32", "0, -0, nan, 1, 2", "-0, 0, 1, nan, 3"),
            "{-0, -0, nan, nan, 2}");
  EXPECT_EQ(binary("maximum", "bf16", "nan, -inf", "1, -2"), "{nan, -2}");
  EXPECT_EQ(apply("clamp", "f64",
                  {"f64[4] {0, 1, nan, 0}", "f64[4] {nan, 5, 1, -7}", "f64[4] {1, nan, 2, 2}"}),
            "{nan, nan, nan, 0}");
  // Of bounds that cross, the upper one counts.
  EXPECT_EQ(apply("clamp", "s32", {"s32[] 5", "s32[3] {1, 4, 9}", "s32[] 3"}), "{3, 3, 3}");
  EXPECT_EQ(apply("clamp", "u8", {"u8[] 10", "u8[3] {5, 15, 200}", "u8[3] {20, 20, 100}"}),
            "{10, 15, 100}");
}

TEST(ScalarOperation, SignsAndRounding) {
  EXPECT_EQ(unary("sign", "f32", "-2, -0, 0, 3, nan, -inf"), "{-1, -0, 0, 1, nan, -1}");
  EXPECT_EQ(unary("abs", "f32", "-0, -inf, 2"), "{0, inf, 2}");
  EXPECT_EQ(unary("negate", "f16", "0, -1, inf"), "{-0, 1, -inf}");
  EXPECT_EQ(unary("round-nearest-afz", "f64", "0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994"),
            "{1, -1, 2, 3, -3, 0}");
  EXPECT_EQ(unary("round-nearest-even", "f32", "0.5, -0.5, 1.5, 2.5, -2.5, nan, inf, 1e30"),
            "{0, -0, 2, 2, -2, nan, inf, 1e+30}");
  EXPECT_EQ(unary("floor", "f32", "-0.5, 1.5, -0, -inf"), "{-1, 1, -0, -inf}");
  EXPECT_EQ(unary("ceil", "f8e4m3fn", "-0.5, 1.5, 2"), "{-0, 2, 2}");
  EXPECT_EQ(apply("is-finite", "pred", {"f16[4] {1, inf, nan, -inf}"}), "{1, 0, 0, 0}");
}

TEST(ScalarOperation, RemaindersHaveTheSignOfTheFirst) {
  EXPECT_EQ(binary("remainder", "f32", "5, 5, -5, 5, -6, inf, -0", "0, inf, 3, -3, 3, 2, 1"),
            "{nan, 5, -2, 2, -0, nan, -0}");
}

TEST(ScalarOperation, PowersAndAnglesAtTheEdges) {
  EXPECT_EQ(binary("power", "f64", "1, nan, 0, -1, -8, 0, -0, -0, -2, 0.5, -inf",
                   "nan, 0, 0, inf, 0.5, -1, -1, -2, 3, inf, -3"),
            "{1, 1, 1, 1, nan, inf, -inf, inf, -8, 0, -0}");
  EXPECT_EQ(binary("atan2", "f64", "0, -0, 0, -0, 1", "1, 1, -1, -1, 0"),
            "{0, -0, 3.141592653589793, -3.141592653589793, 1.5707963267948966}");
}

TEST(ScalarOperation, ArithmeticOfNarrowFloatsIsRoundedOnce) {
  // Every pair of values, by hlo's own encoder; sums in f32 are exact or, far from halfway, as
  // good.
  using Function = std::function<float(float, float)>;
  const std::vector<std::pair<std::string_view, Function>> operations = {
      {"add", [](float a, float b) { return a + b; }},
      {"multiply", [](float a, float b) { return a * b; }},
      {"divide", [](float a, float b) { return a / b; }},
  };
  for (const ElementType type :
       {ElementType::kF8e5m2, ElementType::kF8e4m3, ElementType::kF8e3m4}) {
    for (const auto& [opcode, function] : operations) {
      const Operation operation(opcode, {type, type}, type);
      for (std::uint64_t a = 0; a < 256; ++a) {
        for (std::uint64_t b = 0; b < 256; ++b) {
          const auto x = static_cast<float>(hlo::decode_float(type, a));
          const auto y = static_cast<float>(hlo::decode_float(type, b));
          const double exact = function(x, y);
          const auto bits = hlo::encode_float(type, exact);
          const double expected =
              bits ? hlo::decode_float(type, *bits) : std::copysign(kInfinity, exact);
          const float actual = operation({{.f = x}, {.f = y}}).f;
          ASSERT_TRUE(actual == expected || (std::isnan(actual) && std::isnan(expected)))
              << opcode << hlo::name(type) << " " << x << " " << y << " " << actual;
          ASSERT_TRUE(std::isnan(expected) || std::signbit(actual) == std::signbit(expected));
        }
      }
    }
  }
}

TEST(ScalarOperation, FunctionsOfF32AreRoundedOnce) {
  const std::vector<std::pair<std::string_view, long double (*)(long double)>> functions = {
      {"exponential", std::exp},
      {"exponential-minus-one", std::expm1},
      {"log", std::log},
      {"log-plus-one", std::log1p},
      {"sine", std::sin},
      {"cosine", std::cos},
      {"tan", std::tan},
      {"tanh", std::tanh},
      {"erf", std::erf},
      {"cbrt", std::cbrt},
      {"sqrt", std::sqrt},
      {"asin", std::asin},
      {"acos", std::acos},
      {"asinh", std::asinh},
      {"acosh", std::acosh},
      {"atanh", std::atanh},
      {"sinh", std::sinh},
      {"cosh", std::cosh},
      {"rsqrt", [](long double x) { return 1 / std::sqrt(x); }},
      {"logistic", [](long double x) { return 1 / (1 + std::exp(-x)); }},
  };
  for (const auto& [opcode, function] : functions) {
    const Operation single(opcode, {ElementType::kF32}, ElementType::kF32);
    const Operation half(opcode, {ElementType::kBf16}, ElementType::kBf16);
    const Operation twice(opcode, {ElementType::kF64}, ElementType::kF64);
    for (std::uint32_t i = 0; i < 65536; ++i) {
      // Every bf16, and the f32 that begin so.
      const auto coarse = std::bit_cast<float>(i << 16);
      const auto fine = std::bit_cast<float>((i << 16) | (i * 40503U & 0xFFFF));
      const auto expected = static_cast<float>(function(fine));
      const float actual = single({{.f = fine}}).f;
      // In f64 the value may lie on the other side of halfway between two f32.
      ASSERT_TRUE((std::isnan(actual) && std::isnan(expected)) || actual == expected ||
                  actual == std::nextafter(expected, actual))
          << opcode << " " << fine << " " << actual << " " << expected;
      const Number rounded = convert_function(
          ElementType::kF32, ElementType::kBf16)({.f = static_cast<float>(function(coarse))});
      const float actual_half = half({{.f = coarse}}).f;
      ASSERT_TRUE((std::isnan(actual_half) && std::isnan(rounded.f)) || actual_half == rounded.f)
          << opcode << " " << coarse << " " << actual_half;
      const auto expected_twice = static_cast<double>(function(fine));
      const double actual_twice = twice({{.d = fine}}).d;
      ASSERT_TRUE((std::isnan(actual_twice) && std::isnan(expected_twice)) ||
                  actual_twice == expected_twice ||
                  std::abs(actual_twice - expected_twice) <= 4e-16 * std::abs(expected_twice))
          << opcode << " " << fine << " " << actual_twice << " " << expected_twice;
    }
  }
}

TEST(ScalarOperation, LogisticDoesNotOverflow) {
  EXPECT_EQ(unary("logistic", "f64", "-inf, inf, 0, 800, -745"), "{0, 1, 0.5, 1, 5e-324}");
  EXPECT_EQ(unary("logistic", "f32", "-100, 100, nan"), "{3.8e-44, 1, nan}");
}

// ---- reduce-precision and stochastic-convert ----

std::string reduced(std::string_view type, std::string_view values, int exponent, int mantissa) {
  const std::int64_t count = count_of(values);
  return apply("reduce-precision", type, {fmt::format("{}[{}] {{{}}}", type, count, values)},
               fmt::format(", exponent_bits={}, mantissa_bits={}", exponent, mantissa));
}

TEST(ScalarOperation, ReducePrecision) {
  // As f16, whose largest value is 65504 and whose smallest normal one 2^-14; the rest is zero.
  EXPECT_EQ(
      reduced("f32", "65504, 65520, -1e5, 6.1035156e-05, 3.0517578e-05, -3e-5, nan, -inf", 5, 10),
      "{65504, inf, -inf, 6.1035156e-05, 0, -0, nan, -inf}");
  // Without a mantissa, ties go to the even exponent.
  EXPECT_EQ(reduced("f32", "1, 1.25, 1.5, 1.75, 3, 3.5", 8, 0), "{1, 1, 2, 2, 2, 4}");
  EXPECT_EQ(reduced("f32", "1, 1.5, 2, 3", 1, 5), "{0, 0, inf, inf}");
  EXPECT_EQ(reduced("f64", "1.0000001, 3.5e38, 1e-310", 8, 23), "{1.0000001192092896, inf, 0}");
  EXPECT_EQ(reduced("f64", "1.0000001, 1e-310", 11, 52), "{1.0000001, 1e-310}");
  // Subnormal numbers of the type itself are rounded where they lie.
  EXPECT_EQ(reduced("f16", "6e-08, 1.526e-05, 65504", 5, 4), "{0, 1.526e-05, inf}");
  EXPECT_EQ(reduced("f8e4m3fn", "448, 240, 224, 3, 3.25", 4, 1), "{nan, nan, nan, 3, 3}");
  EXPECT_EQ(reduced("f8e5m2", "1.25, 1.75, 57344", 5, 1), "{1, 2, inf}");
  EXPECT_EQ(reduced("bf16", "3.39e38, 1.0078125", 8, 6), "{inf, 1}");
}

TEST(ScalarOperation, StochasticConvert) {
  const std::string values = "1.25, 1.25, 1.25, -1.25, -1.25, 127.5, 300, -300, nan, -0.5, -0.5, 2";
  const std::string random =
      "0, 1073741823, 1073741824, 0, 1073741824, 0, 0, 0, 0, 0, 2147483648, 0";
  const std::vector<std::string> operands = {"f32[12] {" + values + "}",
                                             "u32[12] {" + random + "}"};
  EXPECT_EQ(apply("stochastic-convert", "s8", operands),
            "{2, 2, 1, -2, -1, 127, 127, -128, 0, -1, 0, 2}");
  EXPECT_EQ(apply("stochastic-convert", "s32", operands),
            "{2, 2, 1, -2, -1, 128, 300, -300, 0, -1, 0, 2}");
  // A quarter of the way from 1 to its neighbour 1.0078125 in bf16.
  EXPECT_EQ(apply("stochastic-convert", "bf16",
                  {"f32[4] {1.001953125, 1.001953125, -1.001953125, 1}",
                   "u32[4] {1073741823, 1073741824, 0, 0}"}),
            "{1.01, 1, -1.01, 1}");
  // Three eighths of the way from 1 to 1.125; beyond the largest value it is rounded.
  EXPECT_EQ(
      apply("stochastic-convert", "f8e4m3fn",
            {"f16[5] {1.046875, -1.046875, 448, 1000, -0}", "u16[5] {24575, 24576, 0, 0, 0}"}),
      "{1.1, -1, 4.5e+02, nan, -0}");
  EXPECT_EQ(apply("stochastic-convert", "f8e4m3fnuz",
                  {"f16[2] {-0.00048828125, -0.00048828125}", "u16[2] {32767, 32768}"}),
            "{-0.001, 0}");
  EXPECT_EQ(apply("stochastic-convert", "f32",
                  {"f64[2] {16777217, 16777217}", "u64[2] {0, 9223372036854775808}"}),
            "{16777218, 16777216}");
}

// ---- comparisons and selections ----

TEST(ScalarOperation, Comparisons) {
  const auto compare = [](std::string_view type, std::string_view direction) {
    return binary("compare", type, "1, 2, nan, -0, nan", "2, 1, 1, 0, nan", "pred",
                  fmt::format(", direction={}", direction));
  };
  EXPECT_EQ(compare("f32", "EQ"), "{0, 0, 0, 1, 0}");
  EXPECT_EQ(compare("f32", "NE"), "{1, 1, 1, 0, 1}");
  EXPECT_EQ(compare("f64", "LT"), "{1, 0, 0, 0, 0}");
  EXPECT_EQ(compare("bf16", "LE"), "{1, 0, 0, 1, 0}");
  EXPECT_EQ(compare("f8e5m2", "GT"), "{0, 1, 0, 0, 0}");
  EXPECT_EQ(compare("f16", "GE"), "{0, 1, 0, 1, 0}");
  EXPECT_EQ(binary("compare", "s8", "-1, 1", "1, 1", "pred", ", direction=LT"), "{1, 0}");
  EXPECT_EQ(binary("compare", "u8", "255, 1", "1, 1", "pred", ", direction=LT"), "{0, 0}");
  EXPECT_EQ(
      binary("compare", "c64", "(1, 2), (1, nan)", "(1, 2), (1, nan)", "pred", ", direction=EQ"),
      "{1, 0}");
}

TEST(ScalarOperation, TotalOrder) {
  const std::string order = "-nan, -inf, -1, -0, 0, 1, inf, nan";
  const std::string next = "-inf, -1, -0, 0, 1, inf, nan, nan";
  for (const std::string_view type : {"f32", "f64", "f16", "bf16", "f8e5m2"}) {
    EXPECT_EQ(binary("compare", type, order, next, "pred", ", direction=LT, type=TOTALORDER"),
              "{1, 1, 1, 1, 1, 1, 1, 0}")
        << type;
    EXPECT_EQ(binary("compare", type, order, next, "pred", ", direction=GE, type=TOTALORDER"),
              "{0, 0, 0, 0, 0, 0, 0, 1}")
        << type;
    EXPECT_EQ(binary("compare", type, order, order, "pred", ", direction=EQ, type=TOTALORDER"),
              "{1, 1, 1, 1, 1, 1, 1, 1}")
        << type;
  }
}

TEST(ScalarOperation, Selections) {
  EXPECT_EQ(apply("select", "s4", {"pred[3] {1, 0, 1}", "s4[3] {1, 2, 3}", "s4[3] {-1, -2, -3}"}),
            "{1, -2, 3}");
  EXPECT_EQ(
      apply("select", "c64", {"pred[] 0", "c64[2] {(1, 2), (3, 4)}", "c64[2] {(5, 6), (7, 8)}"}),
      "{(5, 6), (7, 8)}");
  // Payloads of nan come through.
  EXPECT_EQ(
      apply("select", "f16", {"pred[2] {1, 0}", "f16[2] {nan(0x155), 2}", "f16[2] {1, -nan(0x3)}"}),
      "{nan(0x155), -nan(0x3)}");
}

// ---- complex numbers ----

using Complex = std::complex<double>;

Complex complex_of(std::string_view opcode, const std::vector<Complex>& operands) {
  const Operation operation(opcode, std::vector<ElementType>(operands.size(), ElementType::kC128),
                            ElementType::kC128);
  std::vector<Number> numbers;
  for (const Complex& operand : operands) numbers.push_back({.z = operand});
  return operation(numbers).z;
}

void expect_near(Complex actual, Complex expected, std::string_view what) {
  EXPECT_LE(std::abs(actual - expected), 1e-15 * std::abs(expected)) << what << actual << expected;
}

TEST(ScalarOperation, ComplexFunctionsSatisfyTheirIdentities) {
  for (const double x : {-2.5, -0.75, 0.3, 1.25}) {
    for (const double y : {-1.5, -0.1, 0.4, 2.75}) {
      const Complex z(x, y);
      const std::complex<long double> wide(z);
      const auto expect = [&](std::string_view opcode, std::complex<long double> expected) {
        expect_near(complex_of(opcode, {z}), Complex(expected), opcode);
      };
      expect("exponential", std::exp(wide));
      expect("exponential-minus-one", std::exp(wide) - 1.0L);
      expect("log", std::log(wide));
      expect("log-plus-one", std::log(1.0L + wide));
      expect("sqrt", std::exp(std::log(wide) / 2.0L));
      expect("rsqrt", std::exp(-std::log(wide) / 2.0L));
      expect("cbrt", std::exp(std::log(wide) / 3.0L));
      expect("sine", std::sin(wide));
      expect("cosine", std::cos(wide));
      expect("tan", std::sin(wide) / std::cos(wide));
      expect("tanh", std::sinh(wide) / std::cosh(wide));
      expect("logistic", 1.0L / (1.0L + std::exp(-wide)));
      expect("sign", wide / std::abs(wide));
      expect_near(complex_of("power", {z, {0.5, 0.25}}),
                  Complex(std::exp(std::log(wide) * std::complex<long double>(0.5L, 0.25L))),
                  "power");
      expect_near(complex_of("multiply", {z, {3, -2}}), {3 * x + 2 * y, 3 * y - 2 * x}, "multiply");
      expect_near(complex_of("divide", {complex_of("multiply", {z, {3, -2}}), {3, -2}}), z,
                  "divide");
      // The tangent of the angle is the quotient.
      expect_near(complex_of("tan", {complex_of("atan2", {z, {0.5, 1}})}), z / Complex(0.5, 1),
                  "atan2");
    }
  }
}

TEST(ScalarOperation, ComplexNumbersDoNotOverflowOnTheWay) {
  EXPECT_EQ(apply("abs", "f64", {"c128[1] {(3e300, 4e300)}"}), "{5e+300}");
  EXPECT_EQ(apply("abs", "f32", {"c64[2] {(3e-30, 4e-30), (3e38, 0)}"}), "{5e-30, 3e+38}");
  EXPECT_EQ(complex_of("divide", {{1e300, 1e300}, {1e300, 1e300}}), Complex(1, 0));
  EXPECT_EQ(complex_of("divide", {{1e-300, 0}, {1e-300, 0}}), Complex(1, 0));
  EXPECT_EQ(complex_of("sqrt", {{0, 2e300}}), Complex(1e150, 1e150));
  EXPECT_EQ(complex_of("exponential-minus-one", {{1e-300, -1e-300}}), Complex(1e-300, -1e-300));
  EXPECT_EQ(complex_of("log-plus-one", {{1e-300, 1e-300}}), Complex(1e-300, 1e-300));
}

TEST(ScalarOperation, ComplexEdges) {
  const auto c128 = [](std::string_view opcode, std::string_view values) {
    return unary(opcode, "c128", values);
  };
  const double pi = std::numbers::pi;
  EXPECT_EQ(complex_of("log", {{-1, 0}}), Complex(0, pi));
  EXPECT_EQ(complex_of("log", {{-1, -0.0}}), Complex(0, -pi));
  EXPECT_EQ(complex_of("log", {{0, 0}}), Complex(-kInfinity, 0));
  // Not on the other side of the cut.
  EXPECT_EQ(complex_of("sqrt", {{-4, -0.0}}), Complex(0, 2));
  EXPECT_EQ(complex_of("exponential", {{800, 0}}), Complex(kInfinity, 0));
  EXPECT_EQ(complex_of("exponential", {{-kInfinity, 1}}), Complex(0, 0));
  EXPECT_EQ(complex_of("power", {{0, 0}, {0, 0}}), Complex(1, 0));
  EXPECT_EQ(complex_of("power", {{0, 0}, {2, 0}}), Complex(0, 0));
  EXPECT_EQ(complex_of("power", {{kNan, 0}, {0, 0}}), Complex(1, 0));
  EXPECT_EQ(complex_of("power", {{kInfinity, 0}, {-1, 0}}), Complex(0, 0));
  EXPECT_EQ(complex_of("divide", {{1, 1}, {kInfinity, 0}}), Complex(0, 0));
  EXPECT_EQ(complex_of("divide", {{1, 1}, {0, 0}}), Complex(kInfinity, kInfinity));
  EXPECT_EQ(complex_of("sign", {{0, -0.0}}), Complex(0, 0));
  EXPECT_EQ(complex_of("tanh", {{kInfinity, 1}}), Complex(1, 0));
  // A nan or an infinity that C would make something of.
  EXPECT_EQ(apply("abs", "f64", {"c128[1] {(inf, nan)}"}), "{nan}");
  for (const std::string_view opcode : {"log", "sqrt", "logistic", "sign"}) {
    const Complex result = complex_of(opcode, {{kInfinity, kNan}});
    EXPECT_TRUE(std::isnan(result.real()) && std::isnan(result.imag())) << opcode;
  }
  const Complex product = complex_of("multiply", {{kInfinity, 0}, {1, 0}});
  EXPECT_EQ(product.real(), kInfinity);
  EXPECT_TRUE(std::isnan(product.imag()));
  EXPECT_EQ(c128("negate", "(0, -1)"), "{(-0, 1)}");
}

TEST(ScalarOperation, PartsOfComplexNumbers) {
  EXPECT_EQ(apply("real", "f32", {"c64[2] {(1, 2), (nan, -3)}"}), "{1, nan}");
  EXPECT_EQ(apply("imag", "f64", {"c128[1] {(1, -0)}"}), "{-0}");
  EXPECT_EQ(unary("real", "bf16", "1.5"), "{1.5}");
  EXPECT_EQ(unary("imag", "f16", "1.5"), "{0}");
  EXPECT_EQ(apply("complex", "c64", {"f32[1] {1}", "f32[1] {-0}"}), "{(1, -0)}");
}

// ---- the rule for tensors ----

TEST(ScalarOperation, TensorsOfAllSizes) {
  EXPECT_EQ(
      result_of("  p = f32[0,3] parameter(0)\n  ROOT r = f32[0,3] negate(p)", {"f32[0,3] {}"}),
      "f32[0,3] {}");
  EXPECT_EQ(result_of("  p = f32[] parameter(0)\n  ROOT r = f32[] add(p, p)", {"f32[] 2"}),
            "f32[] 4");
  // Scalars stay scalars beside scalars.
  EXPECT_EQ(result_of("  p = f32[] parameter(0)\n  ROOT r = f32[] clamp(p, p, p)", {"f32[] 2"}),
            "f32[] 2");
}

TEST(ScalarOperation, SizesThatAreDynamicMustFit) {
  const std::string lines =
      "  p = f32[<=4] parameter(0)\n  q = f32[<=4] parameter(1)\n  ROOT r = f32[<=4] add(p, q)";
  EXPECT_EQ(result_of(lines, {"f32[2] {1, 2}", "f32[2] {3, 4}"}), "f32[2] {4, 6}");
  EXPECT_THAT(result_of(lines, {"f32[3] {1, 2, 3}", "f32[2] {3, 4}"}), HasSubstr("same"));
  EXPECT_THAT(result_of(lines, {"f32[2] {1, 2}", "f32[3] {3, 4, 5}"}), HasSubstr("same"));
}

TEST(ScalarOperation, MemoryOfOperandsIsUsedAgain) {
  const MemoryPool pool;
  RunContext context;
  context.pool = pool;
  Tensor argument = Tensor::allocate(ElementType::kF32, {1000}, pool).value();
  std::ranges::fill(argument.mutable_bytes(), std::byte{0});
  std::vector<Value> arguments;
  arguments.emplace_back(std::move(argument));
  const std::vector<Tensor> results =
      run_program(
          "HloModule m\n\nENTRY e {\n  p = f32[1000] parameter(0)\n  a = f32[1000] cosine(p)\n"
          "  b = s32[1000] convert(a)\n  c = pred[1000] compare(b, b), direction=EQ\n"
          "  ROOT r = s32[1000] select(c, b, b)\n}\n",
          std::move(arguments), context)
          .value();
  EXPECT_EQ(text_of(results[0]).substr(0, 20), "s32[1000] {1, 1, 1, ");
  EXPECT_EQ(pool.peak_bytes(), 4000 + 1000 + 4000);
}

TEST(ScalarOperation, TypesThatAnInstructionDoesNotHave) {
  EXPECT_EQ(unary("erf", "c64", "(1, 2)"), "'r': the interpreter has no erf of c64");
  EXPECT_EQ(binary("remainder", "c64", "(1, 2)", "(1, 2)"),
            "'r': the interpreter has no remainder of c64");
}

}  // namespace
}  // namespace mercator::runtime
