// The floating-point element types bit by bit: rounding to them, and back.

#pragma once

#include <cstdint>
#include <optional>

#include "mercator/hlo/shape.h"

namespace mercator::hlo {

// How the values of a floating-point type are laid out: sign, exponent, mantissa, from the top bit
// down.
struct FloatFormat {
  // What the patterns with an exponent of all ones mean.
  enum class Special : std::uint8_t {
    kIeee,     // infinity where the mantissa is 0, nan elsewhere
    kFn,       // numbers, but for a mantissa of all ones, which is nan; no infinity
    kFnuz,     // numbers; the only nan is the pattern of -0, which does not exist; no infinity
    kNumbers,  // numbers; neither infinity nor nan
    kScale,    // nan; no sign, no zero and no mantissa: f8e8m0fnu
  };
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Special special;
};

// The format of a floating-point type.
[[nodiscard]] constexpr FloatFormat float_format(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return {5, 10, 15, FloatFormat::Special::kIeee};
    case ElementType::kBf16:
      return {8, 7, 127, FloatFormat::Special::kIeee};
    case ElementType::kF32:
      return {8, 23, 127, FloatFormat::Special::kIeee};
    case ElementType::kF8e5m2:
      return {5, 2, 15, FloatFormat::Special::kIeee};
    case ElementType::kF8e4m3:
      return {4, 3, 7, FloatFormat::Special::kIeee};
    case ElementType::kF8e4m3fn:
      return {4, 3, 7, FloatFormat::Special::kFn};
    case ElementType::kF8e4m3b11fnuz:
      return {4, 3, 11, FloatFormat::Special::kFnuz};
    case ElementType::kF8e3m4:
      return {3, 4, 3, FloatFormat::Special::kIeee};
    case ElementType::kF8e5m2fnuz:
      return {5, 2, 16, FloatFormat::Special::kFnuz};
    case ElementType::kF8e4m3fnuz:
      return {4, 3, 8, FloatFormat::Special::kFnuz};
    case ElementType::kF4e2m1fn:
      return {2, 1, 1, FloatFormat::Special::kNumbers};
    case ElementType::kF8e8m0fnu:
      return {8, 0, 127, FloatFormat::Special::kScale};
    default:
      return {11, 52, 1023, FloatFormat::Special::kIeee};
  }
}

// The fields of a pattern.
[[nodiscard]] constexpr std::uint64_t mantissa_mask(const FloatFormat& format) {
  return (std::uint64_t{1} << format.mantissa_bits) - 1;
}
[[nodiscard]] constexpr std::uint64_t exponent_mask(const FloatFormat& format) {
  return (std::uint64_t{1} << format.exponent_bits) - 1;
}
[[nodiscard]] constexpr std::uint64_t sign_bit(const FloatFormat& format) {
  if (format.special == FloatFormat::Special::kScale) return 0;
  return std::uint64_t{1} << (format.exponent_bits + format.mantissa_bits);
}

// The pattern of the largest finite value.
[[nodiscard]] constexpr std::uint64_t largest_finite(const FloatFormat& format) {
  const std::uint64_t all = (exponent_mask(format) << format.mantissa_bits) | mantissa_mask(format);
  switch (format.special) {
    case FloatFormat::Special::kIeee:
      return all - mantissa_mask(format) - 1;
    case FloatFormat::Special::kFn:
    case FloatFormat::Special::kScale:
      return all - 1;
    case FloatFormat::Special::kFnuz:
    case FloatFormat::Special::kNumbers:
      return all;
  }
  return all;
}

[[nodiscard]] constexpr bool is_nan(const FloatFormat& format, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & ~sign_bit(format);
  switch (format.special) {
    case FloatFormat::Special::kIeee:
      return magnitude > (exponent_mask(format) << format.mantissa_bits);
    case FloatFormat::Special::kFn:
    case FloatFormat::Special::kScale:
      return magnitude > largest_finite(format);
    case FloatFormat::Special::kFnuz:
      return bits == sign_bit(format);
    case FloatFormat::Special::kNumbers:
      return false;
  }
  return false;
}

// The nan that stands for all of them; none if the type has none.
[[nodiscard]] constexpr std::optional<std::uint64_t> quiet_nan(const FloatFormat& format,
                                                               bool negative) {
  const std::uint64_t sign = negative ? sign_bit(format) : 0;
  switch (format.special) {
    case FloatFormat::Special::kIeee:
      return sign | (exponent_mask(format) << format.mantissa_bits) |
             (std::uint64_t{1} << (format.mantissa_bits - 1));
    case FloatFormat::Special::kFn:
    case FloatFormat::Special::kScale:
      return sign | (largest_finite(format) + 1);
    case FloatFormat::Special::kFnuz:
      return sign_bit(format);
    case FloatFormat::Special::kNumbers:
      return std::nullopt;
  }
  return std::nullopt;
}

// The pattern of the value of `type` that is nearest to `value`, ties to even. An infinity becomes
// nan in types that have nan but no infinity. None when the type has no such value: a finite value
// that is out of range, a nan where there is none, or a value below the smallest of f8e8m0fnu.
[[nodiscard]] std::optional<std::uint64_t> encode_float(ElementType type, double value);

// The value of a pattern. A nan keeps its sign but not its payload.
[[nodiscard]] double decode_float(ElementType type, std::uint64_t bits);

// The payload (the mantissa) of a nan, if `bits` is a nan whose payload says more than "quiet nan".
[[nodiscard]] std::optional<std::uint64_t> nan_payload(ElementType type, std::uint64_t bits);
// The nan with that payload; none if the type has no such nan.
[[nodiscard]] std::optional<std::uint64_t> make_nan(ElementType type, bool negative,
                                                    std::uint64_t payload);

}  // namespace mercator::hlo
