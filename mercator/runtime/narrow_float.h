// The floating-point types narrower than f32: their patterns as numbers and back, quickly. What
// they mean is said in hlo/float_format.h. Internal to the runtime.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "mercator/hlo/float_format.h"
#include "mercator/hlo/shape.h"

namespace mercator::runtime {

constexpr bool is_narrow_float(hlo::ElementType type) {
  return type == hlo::ElementType::kF16 || type == hlo::ElementType::kBf16 ||
         (type >= hlo::ElementType::kF8e5m2 && type <= hlo::ElementType::kF8e8m0fnu);
}

// The value of a pattern. A nan keeps its sign, and its payload in the types that have one.
template <hlo::ElementType type>
constexpr float decode_narrow(std::uint32_t bits) {
  constexpr hlo::FloatFormat kFormat = hlo::float_format(type);
  constexpr auto kSign = static_cast<std::uint32_t>(hlo::sign_bit(kFormat));
  constexpr auto kLargest = static_cast<std::uint32_t>(hlo::largest_finite(kFormat));
  constexpr bool kIsIeee = kFormat.special == hlo::FloatFormat::Special::kIeee;
  if constexpr (type == hlo::ElementType::kBf16) return std::bit_cast<float>(bits << 16);

  const float sign = (bits & kSign) != 0 ? -1.0F : 1.0F;
  const std::uint32_t magnitude = bits & ~kSign;
  const std::uint32_t mantissa = magnitude << (23 - kFormat.mantissa_bits);
  if (hlo::is_nan(kFormat, bits)) {
    const std::uint32_t payload = kIsIeee ? mantissa & 0x007F'FFFF : 0x0040'0000;
    return std::bit_cast<float>((sign < 0 ? 0x8000'0000 : 0) | 0x7F80'0000 | payload);
  }
  if (magnitude > kLargest) return sign * std::numeric_limits<float>::infinity();
  if constexpr (kFormat.special == hlo::FloatFormat::Special::kScale) {
    if (magnitude == 0) return 0x1p-127F;
  }
  // As the f32 with that exponent field and that mantissa, whose bias is another. The product is
  // exact, and makes subnormal numbers normal.
  constexpr auto kBiasDifference =
      std::bit_cast<float>(static_cast<std::uint32_t>(127 + 127 - kFormat.bias) << 23);
  return sign * std::bit_cast<float>(mantissa) * kBiasDifference;
}

// The pattern of the value that is nearest to `value`, ties to even. What is beyond the largest
// value becomes infinity, or nan in a type without infinity, or the largest value in a type without
// either. As XLA has it, nan is -0 where there is no nan, and numbers that f8e8m0fnu has no
// neighbour of (zero, negative and very small ones) are nan in it.
template <hlo::ElementType type>
constexpr std::uint32_t encode_narrow(double value) {
  constexpr hlo::FloatFormat kFormat = hlo::float_format(type);
  constexpr bool kIsScale = kFormat.special == hlo::FloatFormat::Special::kScale;
  constexpr auto kSign = static_cast<std::uint32_t>(hlo::sign_bit(kFormat));
  constexpr std::uint64_t kLargest = hlo::largest_finite(kFormat);
  constexpr bool kIsIeee = kFormat.special == hlo::FloatFormat::Special::kIeee;
  constexpr auto kNan = static_cast<std::uint32_t>(hlo::quiet_nan(kFormat, false).value_or(kSign));
  constexpr std::uint64_t kInfinityOfDouble = 0x7FF0'0000'0000'0000;
  constexpr int kDroppedBits = 52 - kFormat.mantissa_bits;

  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & (~std::uint64_t{0} >> 1);
  const std::uint32_t sign = magnitude != bits ? kSign : 0;
  if (magnitude > kInfinityOfDouble) {
    if constexpr (!kIsIeee) return kNan | sign;
    constexpr std::uint64_t kMantissa = hlo::mantissa_mask(kFormat);
    return kNan | sign | static_cast<std::uint32_t>((magnitude >> kDroppedBits) & kMantissa);
  }

  // The significand and, as in the pattern, the exponent above it: a carry out of the one is one
  // more in the other.
  const int exponent = static_cast<int>(magnitude >> 52) - 1023 + kFormat.bias;
  std::uint64_t significand = 0;
  int dropped_bits = kDroppedBits;
  if constexpr (kIsScale) {
    if (magnitude != bits || exponent < 0) return kNan;
    significand = magnitude - (std::uint64_t{1023 - kFormat.bias} << 52);
  } else if (exponent > 0) {
    significand = magnitude - (std::uint64_t{1023 - kFormat.bias} << 52);
  } else {  // A subnormal number, or below half of the smallest one.
    constexpr std::uint64_t kOne = std::uint64_t{1} << 52;
    dropped_bits += 1 - exponent;
    if (dropped_bits <= 53)
      significand = kOne | (magnitude & (kOne - 1));
    else
      dropped_bits = 53;
  }
  const std::uint64_t half = std::uint64_t{1} << (dropped_bits - 1);
  // The one bit of the significand of f8e8m0fnu is odd, so that all ties go up.
  const bool is_odd = kIsScale || ((significand >> dropped_bits) & 1) != 0;
  const std::uint64_t rounded = (significand + half - (is_odd ? 0 : 1)) >> dropped_bits;

  if (rounded > kLargest) {
    if constexpr (kIsIeee) return static_cast<std::uint32_t>(kLargest + 1) | sign;
    if constexpr (kFormat.special == hlo::FloatFormat::Special::kNumbers) {
      return static_cast<std::uint32_t>(kLargest) | sign;
    }
    return kNan | sign;
  }
  if (kFormat.special == hlo::FloatFormat::Special::kFnuz && rounded == 0) return 0;
  return static_cast<std::uint32_t>(rounded) | sign;
}

template <hlo::ElementType type>
constexpr std::uint32_t encode_narrow(float value) {
  if constexpr (type != hlo::ElementType::kBf16) {
    return encode_narrow<type>(static_cast<double>(value));
  } else {  // The upper half of f32.
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFF'FFFF) > 0x7F80'0000) return (bits >> 16) | 0x40;
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  }
}

// The values of all patterns of a type of up to 8 bits; the bits above those of the type do not
// count.
template <hlo::ElementType type>
inline constexpr std::array<float, 256> kNarrowValues = [] {
  constexpr std::uint32_t kMask = type == hlo::ElementType::kF4e2m1fn ? 0x0F : 0xFF;
  std::array<float, 256> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = decode_narrow<type>(static_cast<std::uint32_t>(i) & kMask);
  }
  return values;
}();

}  // namespace mercator::runtime
