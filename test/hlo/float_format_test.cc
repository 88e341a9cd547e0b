#include "mercator/hlo/float_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace mercator::hlo {
namespace {

constexpr ElementType kSmallTypes[] = {
    ElementType::kF16,      ElementType::kBf16,       ElementType::kF8e5m2,
    ElementType::kF8e4m3,   ElementType::kF8e4m3fn,   ElementType::kF8e4m3b11fnuz,
    ElementType::kF8e3m4,   ElementType::kF8e5m2fnuz, ElementType::kF8e4m3fnuz,
    ElementType::kF4e2m1fn, ElementType::kF8e8m0fnu};

std::uint64_t pattern_count(ElementType type) { return std::uint64_t{1} << bit_width(type); }

// Every finite value of the type with its pattern; of the two zeros the positive one.
std::map<double, std::uint64_t> finite_values(ElementType type) {
  std::map<double, std::uint64_t> values;
  for (std::uint64_t bits = 0; bits < pattern_count(type); ++bits) {
    const double value = decode_float(type, bits);
    if (std::isfinite(value)) values.emplace(value, bits);
  }
  return values;
}

TEST(FloatFormat, EveryPatternEncodesToItself) {
  for (const ElementType type : kSmallTypes) {
    for (std::uint64_t bits = 0; bits < pattern_count(type); ++bits) {
      const double value = decode_float(type, bits);
      if (std::isnan(value)) continue;
      EXPECT_EQ(encode_float(type, value), bits) << name(type) << " " << bits;
    }
  }
}

TEST(FloatFormat, NanPayloadsEncodeToThemselves) {
  for (const ElementType type : kSmallTypes) {
    for (std::uint64_t bits = 0; bits < pattern_count(type); ++bits) {
      const double value = decode_float(type, bits);
      if (!std::isnan(value)) {
        EXPECT_EQ(nan_payload(type, bits), std::nullopt);
        continue;
      }
      const std::optional<std::uint64_t> payload = nan_payload(type, bits);
      const std::optional<std::uint64_t> again =
          payload ? make_nan(type, std::signbit(value), *payload) : encode_float(type, value);
      EXPECT_EQ(again, bits) << name(type) << " " << bits;
    }
  }
}

// Compares with the definition: the nearest of all values, and of two that are as near the even
// one.
TEST(FloatFormat, RoundsToTheNearestValue) {
  std::mt19937_64 random(11);
  for (const ElementType type : kSmallTypes) {
    const std::map<double, std::uint64_t> values = finite_values(type);
    std::vector<double> samples;
    for (auto low = values.begin(), high = std::next(low); high != values.end(); ++low, ++high) {
      if (values.size() > 1000 && random() % 20 != 0) continue;
      const double middle = low->first + (high->first - low->first) / 2;
      samples.insert(samples.end(), {middle, std::nextafter(middle, high->first),
                                     std::nextafter(middle, low->first)});
    }
    for (const double sample : samples) {
      const auto above = values.lower_bound(sample);
      const auto below = std::prev(above);
      const double up = above->first - sample;
      const double down = sample - below->first;
      // f8e8m0fnu has no mantissa: half way lies below the larger power of two.
      const bool tie_up = type == ElementType::kF8e8m0fnu || above->second % 2 == 0;
      const double expected = up < down || (up == down && tie_up) ? above->first : below->first;
      const std::optional<std::uint64_t> bits = encode_float(type, sample);
      ASSERT_TRUE(bits) << name(type) << " " << sample;
      EXPECT_EQ(decode_float(type, *bits), expected) << name(type) << " " << sample;
    }
  }
}

TEST(FloatFormat, AgreesWithTheMachineOnF32) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<double>((random() & 0x800F'FFFF'FFFF'FFFF) |
                                             ((1023 - 160 + random() % 320) << 52));
    const auto rounded = static_cast<float>(value);
    const std::optional<std::uint64_t> bits = encode_float(ElementType::kF32, value);
    if (std::isinf(rounded)) {
      EXPECT_EQ(bits, std::nullopt);
    } else {
      ASSERT_EQ(bits, std::bit_cast<std::uint32_t>(rounded)) << value;
      ASSERT_EQ(decode_float(ElementType::kF32, *bits), static_cast<double>(rounded));
    }
  }
}

TEST(FloatFormat, KnowsTheLimits) {
  const auto largest = [](ElementType type) { return finite_values(type).rbegin()->first; };
  EXPECT_EQ(largest(ElementType::kF16), 65504);
  EXPECT_EQ(largest(ElementType::kF8e5m2), 57344);
  EXPECT_EQ(largest(ElementType::kF8e4m3), 240);
  EXPECT_EQ(largest(ElementType::kF8e4m3fn), 448);
  EXPECT_EQ(largest(ElementType::kF8e4m3b11fnuz), 30);
  EXPECT_EQ(largest(ElementType::kF8e3m4), 15.5);
  EXPECT_EQ(largest(ElementType::kF8e5m2fnuz), 57344);
  EXPECT_EQ(largest(ElementType::kF8e4m3fnuz), 240);
  EXPECT_EQ(largest(ElementType::kF4e2m1fn), 6);
  EXPECT_EQ(largest(ElementType::kF8e8m0fnu), 0x1p127);
  EXPECT_EQ(finite_values(ElementType::kF8e8m0fnu).begin()->first, 0x1p-127);
  EXPECT_EQ(finite_values(ElementType::kF4e2m1fn).size(), 15u);
}

TEST(FloatFormat, InfinityAndNan) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(encode_float(ElementType::kF16, infinity), 0x7C00);
  EXPECT_EQ(encode_float(ElementType::kF8e5m2, -infinity), 0xFC);
  EXPECT_EQ(encode_float(ElementType::kF8e4m3fn, infinity), 0x7F);
  EXPECT_EQ(encode_float(ElementType::kF8e4m3fnuz, infinity), 0x80);
  EXPECT_EQ(encode_float(ElementType::kF4e2m1fn, infinity), std::nullopt);
  EXPECT_EQ(encode_float(ElementType::kF8e8m0fnu, std::nan("")), 0xFF);
  EXPECT_EQ(encode_float(ElementType::kF8e4m3fnuz, -0.0), 0);
  EXPECT_EQ(encode_float(ElementType::kF8e4m3fn, -0.0), 0x80);
  EXPECT_EQ(encode_float(ElementType::kF8e4m3fnuz, -1e-9), 0);
}

}  // namespace
}  // namespace mercator::hlo
