#include "mercator/runtime/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercator/hlo/float_format.h"
#include "mercator/hlo/literal.h"

namespace mercator::runtime {
namespace {

using hlo::ElementType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array kNarrowFloats = {
    ElementType::kF16,      ElementType::kBf16,       ElementType::kF8e5m2,
    ElementType::kF8e4m3,   ElementType::kF8e4m3fn,   ElementType::kF8e4m3b11fnuz,
    ElementType::kF8e3m4,   ElementType::kF8e5m2fnuz, ElementType::kF8e4m3fnuz,
    ElementType::kF4e2m1fn, ElementType::kF8e8m0fnu};

constexpr std::array kIntegers = {
    ElementType::kS1,  ElementType::kS2,  ElementType::kS4,  ElementType::kS8, ElementType::kS16,
    ElementType::kS32, ElementType::kS64, ElementType::kU1,  ElementType::kU2, ElementType::kU4,
    ElementType::kU8,  ElementType::kU16, ElementType::kU32, ElementType::kU64};

Number load_bits(ElementType type, std::uint64_t bits) {
  std::array<std::byte, 16> bytes{};
  std::memcpy(bytes.data(), &bits, sizeof bits);
  return load_function(type)(bytes.data());
}

std::uint64_t stored_bits(ElementType type, const Number& number) {
  std::array<std::byte, 16> bytes{};
  store_function(type)(number, bytes.data());
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), static_cast<std::size_t>(hlo::element_bytes(type)));
  return bits;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// What a narrow type makes of a double, by hlo's slow encoder and the rules for what it leaves
// open.
double rounded(ElementType type, double value) {
  const auto bits = hlo::encode_float(type, value);
  if (bits) return hlo::decode_float(type, *bits);
  const hlo::FloatFormat format = hlo::float_format(type);
  switch (format.special) {
    case hlo::FloatFormat::Special::kIeee:
      return std::copysign(kInfinity, value);
    case hlo::FloatFormat::Special::kNumbers:
      return std::isnan(value) ? -0.0 : std::copysign(6.0, value);
    default:
      return kNan;
  }
}

double converted(ElementType from, ElementType to, const Number& number) {
  const Number result = convert_function(from, to)(number);
  switch (number_kind(to)) {
    case NumberKind::kUnsigned:
      return static_cast<double>(result.u);
    case NumberKind::kSigned:
      return static_cast<double>(result.s);
    case NumberKind::kSingle:
      return result.f;
    case NumberKind::kDouble:
      return result.d;
    case NumberKind::kComplexSingle:
      return result.c.real();
    case NumberKind::kComplexDouble:
      return result.z.real();
  }
  return 0;
}

double from_double(ElementType to, double value) {
  return converted(ElementType::kF64, to, {.d = value});
}

std::int64_t to_s64(ElementType type, double value) {
  return convert_function(ElementType::kF64, type)({.d = value}).s;
}

// Halfway between neighbours, just beside that, and everything else that rounding depends on.
std::vector<double> hard_values(ElementType type) {
  std::vector<double> values = {0.0,    -0.0,     kNan,     kInfinity, -kInfinity, 1e300,
                                -1e300, 1e-300,   -1e-300,  5e-324,    1e38,       3.4e38,
                                3.5e38, 0x1p-127, 0x1p-128, 0x1.8p-127};
  const auto patterns = std::uint64_t{1} << hlo::bit_width(type);
  for (std::uint64_t bits = 0; bits < patterns; ++bits) {
    const double value = hlo::decode_float(type, bits);
    const double next = hlo::decode_float(type, (bits + 1) % patterns);
    if (!std::isfinite(value)) continue;
    values.push_back(value);
    const double middle = std::isfinite(next) ? (value + next) / 2 : value * 1.0625;
    for (const double beside :
         {middle, std::nextafter(middle, kInfinity), std::nextafter(middle, -kInfinity)}) {
      values.push_back(beside);
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) values.push_back(std::bit_cast<double>(random()));
  return values;
}

TEST(Number, PatternsOfNarrowFloatsAreReadAsTheFormatSays) {
  for (const ElementType type : kNarrowFloats) {
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << hlo::bit_width(type); ++bits) {
      const double expected = hlo::decode_float(type, bits);
      const Number number = load_bits(type, bits);
      ASSERT_TRUE(same(number.f, expected)) << hlo::name(type) << " " << bits;
      ASSERT_EQ(std::signbit(number.f), std::signbit(expected)) << hlo::name(type) << " " << bits;
      if (!std::isnan(expected)) {
        ASSERT_EQ(stored_bits(type, number), bits) << hlo::name(type) << " " << bits;
      }
    }
  }
}

TEST(Number, StoringRoundsToTheNearestEven) {
  for (const ElementType type : kNarrowFloats) {
    for (const double value : hard_values(type)) {
      const auto single = static_cast<float>(value);
      const double actual = load_bits(type, stored_bits(type, {.f = single})).f;
      ASSERT_TRUE(same(actual, rounded(type, single))) << hlo::name(type) << " " << single;
    }
  }
}

TEST(Number, DoublesAreRoundedOnceToEightBitsAndTwiceToSixteen) {
  for (const ElementType type : kNarrowFloats) {
    const bool twice = hlo::bit_width(type) == 16;
    for (const double value : hard_values(type)) {
      const double expected = rounded(type, twice ? static_cast<float>(value) : value);
      ASSERT_TRUE(same(from_double(type, value), expected))
          << hlo::name(type) << " " << fmt::format("{:a}", value);
    }
  }
  // Just above halfway, which f32 cannot tell from halfway.
  EXPECT_EQ(from_double(ElementType::kBf16, 1 + 0x1p-8 + 0x1p-40), 1);
  EXPECT_EQ(from_double(ElementType::kF16, 65519.999999), kInfinity);
  EXPECT_EQ(from_double(ElementType::kF8e4m3, 1.0625 + 0x1p-40), 1.125);
}

TEST(Number, BeyondTheLargestValue) {
  EXPECT_EQ(from_double(ElementType::kF8e4m3fn, 464), 448);
  EXPECT_TRUE(std::isnan(from_double(ElementType::kF8e4m3fn, 465)));
  EXPECT_TRUE(std::isnan(from_double(ElementType::kF8e4m3fn, -kInfinity)));
  EXPECT_EQ(from_double(ElementType::kF8e4m3, 247.9), 240);
  EXPECT_EQ(from_double(ElementType::kF8e4m3, -248), -kInfinity);
  EXPECT_EQ(from_double(ElementType::kF8e5m2, 61439), 57344);
  EXPECT_EQ(from_double(ElementType::kF8e5m2, 61440), kInfinity);
  EXPECT_TRUE(std::isnan(from_double(ElementType::kF8e5m2fnuz, 61440)));
  EXPECT_EQ(from_double(ElementType::kF4e2m1fn, 1e30), 6);
  EXPECT_EQ(from_double(ElementType::kF4e2m1fn, -kInfinity), -6);
  EXPECT_TRUE(same(from_double(ElementType::kF4e2m1fn, kNan), -0.0));
  EXPECT_TRUE(same(from_double(ElementType::kF8e4m3fnuz, -0.0), 0.0));
  EXPECT_EQ(from_double(ElementType::kF8e8m0fnu, 1.4999), 1);
  EXPECT_EQ(from_double(ElementType::kF8e8m0fnu, 1.5), 2);
  EXPECT_EQ(from_double(ElementType::kF8e8m0fnu, 3), 4);
  EXPECT_EQ(from_double(ElementType::kF8e8m0fnu, 0x1.7p127), 0x1p127);
  for (const double value : {0.0, -1.0, 0x1p-128, 0x1.8p127}) {
    EXPECT_TRUE(std::isnan(from_double(ElementType::kF8e8m0fnu, value))) << value;
  }
}

TEST(Number, FloatsToIntegersSaturate) {
  for (const ElementType type : kIntegers) {
    const auto width = static_cast<int>(hlo::bit_width(type));
    const bool is_signed = hlo::is_signed(type);
    const double limit = std::ldexp(1.0, is_signed ? width - 1 : width);
    const double least = is_signed ? -limit : 0;
    for (const double value :
         {0.0,    -0.0,    0.5,      -0.5,   0.999,     -0.999,    1.0,     -1.0,   1.5,
          -1.5,   2.5,     6.99,     -7.99,  126.5,     127.5,     -128.5,  -129.0, 254.9,
          255.5,  40000.7, -40000.7, 3e9,    -3e9,      9.2e18,    -9.2e18, 9.3e18, -9.3e18,
          1.8e19, 1.9e19,  1e300,    -1e300, kInfinity, -kInfinity}) {
      // Toward zero; what lies at the limit or beyond it is compared as the largest integer.
      const double truncated = std::trunc(value);
      const Number number = convert_function(ElementType::kF64, type)({.d = value});
      if (truncated >= limit) {
        const std::uint64_t largest =
            is_signed ? (std::uint64_t{1} << (width - 1)) - 1 : ~std::uint64_t{0} >> (64 - width);
        EXPECT_EQ(number.u, largest) << hlo::name(type) << " " << value;
      } else {
        const double expected = std::max(truncated, least) + 0.0;
        EXPECT_EQ(converted(ElementType::kF64, type, {.d = value}), expected)
            << hlo::name(type) << " " << value;
        EXPECT_EQ(converted(ElementType::kF32, type, {.f = static_cast<float>(value)}),
                  std::max(std::trunc(static_cast<double>(static_cast<float>(value))), least) + 0.0)
            << hlo::name(type) << " " << value;
      }
    }
    EXPECT_EQ(to_s64(type, kNan), 0);
  }
}

TEST(Number, IntegersWrap) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> values = {0, 1, 7, 8, 127, 128, 255, 256, 40000, ~std::uint64_t{0}};
  for (int i = 0; i < 1000; ++i) values.push_back(random());
  for (const ElementType from : kIntegers) {
    for (const ElementType to : kIntegers) {
      for (const std::uint64_t bits : values) {
        const Number number = load_bits(from, bits);
        const Number result = convert_function(from, to)(number);
        // The only value of the type that is the same modulo its size.
        const auto width = static_cast<int>(hlo::bit_width(to));
        const auto size = static_cast<__int128>(1) << width;
        const auto exact = hlo::is_signed(from) ? static_cast<__int128>(number.s)
                                                : static_cast<__int128>(number.u);
        const auto actual =
            hlo::is_signed(to) ? static_cast<__int128>(result.s) : static_cast<__int128>(result.u);
        ASSERT_EQ(static_cast<int>((exact - actual) % size), 0) << hlo::name(from) << hlo::name(to);
        ASSERT_LT(actual, hlo::is_signed(to) ? size / 2 : size);
        ASSERT_GE(actual, hlo::is_signed(to) ? -(size / 2) : 0);
        // It is stored as it is.
        const Number again = load_bits(to, stored_bits(to, result));
        ASSERT_EQ(again.u, result.u);
      }
    }
  }
}

TEST(Number, IntegersToFloats) {
  const auto from_s64 = [](ElementType to, std::int64_t value) {
    return converted(ElementType::kS64, to, {.s = value});
  };
  // Rounded once to f32 (above halfway) and by way of f32 to bf16 (halfway, then even).
  EXPECT_EQ(from_s64(ElementType::kF32, (1LL << 60) + (1LL << 36) + 1), 0x1p60 + 0x1p37);
  EXPECT_EQ(from_s64(ElementType::kBf16, (1LL << 60) + (1LL << 52) + 1), 0x1p60);
  EXPECT_EQ(from_s64(ElementType::kF64, (1LL << 60) + (1LL << 7) + 1), 0x1p60 + 0x1p8);
  EXPECT_EQ(from_s64(ElementType::kF16, 65519), 65504);
  EXPECT_EQ(from_s64(ElementType::kF16, -65520), -kInfinity);
  EXPECT_EQ(from_s64(ElementType::kF8e4m3fn, 19), 20);
  EXPECT_EQ(from_s64(ElementType::kF4e2m1fn, -100), -6);
  EXPECT_EQ(converted(ElementType::kU64, ElementType::kF32, {.u = ~std::uint64_t{0}}), 0x1p64);
  EXPECT_EQ(converted(ElementType::kU64, ElementType::kF64, {.u = ~std::uint64_t{0}}), 0x1p64);
  EXPECT_EQ(converted(ElementType::kS1, ElementType::kF32, load_bits(ElementType::kS1, 1)), -1);
}

TEST(Number, AnythingButZeroIsTrue) {
  EXPECT_EQ(from_double(ElementType::kPred, kNan), 1);
  EXPECT_EQ(from_double(ElementType::kPred, 1e-300), 1);
  EXPECT_EQ(from_double(ElementType::kPred, -0.0), 0);
  EXPECT_EQ(converted(ElementType::kS64, ElementType::kPred, {.s = 1LL << 40}), 1);
  EXPECT_EQ(converted(ElementType::kC64, ElementType::kPred, {.c = {0, 2}}), 1);
  EXPECT_EQ(converted(ElementType::kC64, ElementType::kPred, {.c = {0, -0.0F}}), 0);
  EXPECT_EQ(load_bits(ElementType::kPred, 2).u, 1);
  EXPECT_EQ(stored_bits(ElementType::kPred, {.u = 1}), 1);
}

// The value of a real number, exactly.
long double exact(ElementType type, const Number& number) {
  switch (number_kind(type)) {
    case NumberKind::kUnsigned:
      return static_cast<long double>(number.u);
    case NumberKind::kSigned:
      return static_cast<long double>(number.s);
    case NumberKind::kSingle:
      return number.f;
    default:
      return number.d;
  }
}

long double expected(ElementType from, ElementType to, long double value) {
  const auto width = static_cast<int>(hlo::bit_width(to));
  if (to == ElementType::kPred) return value != 0 ? 1 : 0;
  if (hlo::is_integral(to)) {
    const long double size = std::ldexp(1.0L, width);
    const long double least = hlo::is_signed(to) ? -size / 2 : 0;
    if (hlo::is_floating(from)) {
      if (std::isnan(value)) return 0;
      return std::clamp(std::trunc(value), least, least + size - 1);
    }
    return value - std::floor((value - least) / size) * size;
  }
  if (to == ElementType::kF64) return static_cast<double>(value);
  if (to == ElementType::kF32) return static_cast<float>(value);
  const bool by_f32 = from != ElementType::kF64 || width == 16;
  return rounded(to, by_f32 ? static_cast<float>(value) : static_cast<double>(value));
}

TEST(Number, AllPairsOfRealTypes) {
  std::vector<ElementType> types(kNarrowFloats.begin(), kNarrowFloats.end());
  types.insert(types.end(), kIntegers.begin(), kIntegers.end());
  types.insert(types.end(), {ElementType::kPred, ElementType::kF32, ElementType::kF64});
  std::mt19937_64 random(11);
  for (const ElementType from : types) {
    const bool is_short = hlo::bit_width(from) <= 8;
    for (const ElementType to : types) {
      for (std::uint64_t i = 0; i < (is_short ? 256 : 1000); ++i) {
        // Of all sizes: integers with leading zeros too.
        const std::uint64_t bits = is_short ? i : random() >> (hlo::is_integral(from) ? i % 64 : 0);
        const Number number = load_bits(from, bits);
        const Number result = convert_function(from, to)(number);
        const long double actual = exact(to, result);
        const long double wanted = expected(from, to, exact(from, number));
        ASSERT_TRUE(actual == wanted || (std::isnan(actual) && std::isnan(wanted)))
            << hlo::name(from) << " to " << hlo::name(to) << " of " << exact(from, number) << ": "
            << actual << ", not " << wanted;
      }
    }
  }
}

TEST(Number, ComplexNumbers) {
  const Number c = {.c = {1.5F, -2}};
  EXPECT_EQ(convert_function(ElementType::kC64, ElementType::kC128)(c).z,
            std::complex<double>(1.5, -2));
  const Number z = {.z = {1 + 0x1p-30, 1e300}};
  EXPECT_EQ(convert_function(ElementType::kC128, ElementType::kC64)(z).c,
            std::complex<float>(1, std::numeric_limits<float>::infinity()));
  EXPECT_EQ(converted(ElementType::kC64, ElementType::kS32, {.c = {-1.5F, 7}}), -1);
  EXPECT_EQ(converted(ElementType::kC64, ElementType::kF8e3m4, {.c = {-1.5F, 7}}), -1.5);
  const Number from_integer = convert_function(ElementType::kS8, ElementType::kC64)({.s = -3});
  EXPECT_EQ(from_integer.c, std::complex<float>(-3, 0));
}

TEST(Number, WideTypesAreStoredAsTheyAre) {
  std::array<std::byte, 16> bytes{};
  store_function(ElementType::kC128)({.z = {1, -0.0}}, bytes.data());
  const Number z = load_function(ElementType::kC128)(bytes.data());
  EXPECT_EQ(z.z.real(), 1);
  EXPECT_TRUE(std::signbit(z.z.imag()));
  EXPECT_EQ(stored_bits(ElementType::kF32, {.f = 1.0F}), 0x3F80'0000);
  EXPECT_EQ(stored_bits(ElementType::kF64, {.d = -2.0}), 0xC000'0000'0000'0000);
  EXPECT_EQ(load_bits(ElementType::kC64, 0x4000'0000'3F80'0000).c, std::complex<float>(1, 2));
  // Narrow integers are extended in their byte, and the bits above them are of no account.
  EXPECT_EQ(stored_bits(ElementType::kS4, {.s = -8}), 0xF8);
  EXPECT_EQ(stored_bits(ElementType::kU4, {.u = 15}), 0x0F);
  EXPECT_EQ(load_bits(ElementType::kS4, 0x08).s, -8);
  EXPECT_EQ(load_bits(ElementType::kU2, 0xFE).u, 2);
}

}  // namespace
}  // namespace mercator::runtime
