#include "mercator/hlo/float_format.h"

#include <bit>
#include <cmath>
#include <limits>

namespace mercator::hlo {
namespace {

using Special = FloatFormat::Special;

// The pattern of a positive finite value; may be beyond the largest finite one.
std::uint64_t encode_magnitude(const FloatFormat& format, double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  // In units of the last place, at the exponent of the value or of the subnormals.
  const bool scale = format.special == Special::kScale;
  const int smallest_exponent = scale ? -format.bias : 1 - format.bias;
  int unit_exponent = std::max(exponent - 1, smallest_exponent);
  const double scaled = std::ldexp(value, format.mantissa_bits - unit_exponent);
  double rounded = std::floor(scaled);
  const double rest = scaled - rounded;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(rounded, 2) != 0)) rounded += 1;
  auto mantissa = static_cast<std::uint64_t>(rounded);
  if (mantissa >> (format.mantissa_bits + 1) != 0) {
    mantissa >>= 1;
    ++unit_exponent;
  }
  const bool normal = mantissa >> format.mantissa_bits != 0;
  const int biased = normal ? unit_exponent + format.bias : 0;
  return (static_cast<std::uint64_t>(biased) << format.mantissa_bits) |
         (mantissa & mantissa_mask(format));
}

}  // namespace

std::optional<std::uint64_t> encode_float(ElementType type, double value) {
  if (type == ElementType::kF64) return std::bit_cast<std::uint64_t>(value);
  const FloatFormat format = float_format(type);
  const bool negative = std::signbit(value);
  if (std::isnan(value)) return quiet_nan(format, negative);
  if (std::isinf(value)) {
    if (format.special == Special::kIeee) {
      return (negative ? sign_bit(format) : 0) | (largest_finite(format) + 1);
    }
    return quiet_nan(format, negative);
  }
  if (format.special == Special::kScale) {
    if (value < std::ldexp(1.0, -format.bias)) return std::nullopt;
  } else if (value == 0) {
    return negative && format.special != Special::kFnuz ? sign_bit(format) : 0;
  }
  const std::uint64_t magnitude = encode_magnitude(format, std::abs(value));
  if (magnitude > largest_finite(format)) return std::nullopt;
  if (magnitude == 0 && format.special == Special::kFnuz) return 0;
  return (negative ? sign_bit(format) : 0) | magnitude;
}

double decode_float(ElementType type, std::uint64_t bits) {
  if (type == ElementType::kF64) return std::bit_cast<double>(bits);
  const FloatFormat format = float_format(type);
  const double sign = (bits & sign_bit(format)) != 0 ? -1.0 : 1.0;
  if (is_nan(format, bits)) return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  const std::uint64_t magnitude = bits & ~sign_bit(format);
  if (format.special == Special::kIeee && magnitude > largest_finite(format)) {
    return sign * std::numeric_limits<double>::infinity();
  }
  const auto exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const auto mantissa = static_cast<double>(magnitude & mantissa_mask(format));
  if (format.special == Special::kScale) return std::ldexp(1.0, exponent - format.bias);
  if (exponent == 0) {
    return sign * std::ldexp(mantissa, 1 - format.bias - format.mantissa_bits);
  }
  const double one = std::ldexp(1.0, format.mantissa_bits);
  return sign * std::ldexp(one + mantissa, exponent - format.bias - format.mantissa_bits);
}

std::optional<std::uint64_t> nan_payload(ElementType type, std::uint64_t bits) {
  const FloatFormat format = float_format(type);
  if (format.special != Special::kIeee || !is_nan(format, bits)) return std::nullopt;
  const std::uint64_t payload = bits & mantissa_mask(format);
  if (payload == std::uint64_t{1} << (format.mantissa_bits - 1)) return std::nullopt;
  return payload;
}

std::optional<std::uint64_t> make_nan(ElementType type, bool negative, std::uint64_t payload) {
  const FloatFormat format = float_format(type);
  if (format.special != Special::kIeee) return std::nullopt;
  if (payload == 0 || payload > mantissa_mask(format)) return std::nullopt;
  return (negative ? sign_bit(format) : 0) | (exponent_mask(format) << format.mantissa_bits) |
         payload;
}

}  // namespace mercator::hlo
