// Rounding to fewer bits, and by chance.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "mercator/hlo/float_format.h"
#include "mercator/hlo/literal.h"
#include "mercator/runtime/narrow_float.h"
#include "mercator/runtime/scalar_kinds.h"

namespace mercator::runtime {
namespace {

using hlo::ElementType;
using hlo::FloatFormat;

// ---- reduce-precision ----

// The mantissa is rounded to the nearest even; what then has too large an exponent is infinite, too
// small a one zero: the format that is imitated has no subnormal numbers.
std::uint64_t reduced(std::uint64_t bits, const FloatFormat& format, int exponent_bits,
                      int mantissa_bits) {
  if (hlo::is_nan(format, bits)) return bits;
  const std::uint64_t sign = bits & hlo::sign_bit(format);
  std::uint64_t magnitude = bits ^ sign;
  if (mantissa_bits < format.mantissa_bits) {
    const int dropped = format.mantissa_bits - mantissa_bits;
    const std::uint64_t is_odd = (magnitude >> dropped) & 1;
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    magnitude = ((magnitude + half - 1 + is_odd) >> dropped) << dropped;
  }
  if (exponent_bits < format.exponent_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const auto exponent = static_cast<int>(magnitude >> format.mantissa_bits) - format.bias;
    if (exponent > bias) magnitude = hlo::largest_finite(format) + 1;
    if (exponent <= -bias) magnitude = 0;
  }
  return sign | magnitude;
}

Number reduce_double(const ScalarOperation& operation, const Number* operands) {
  const auto bits = std::bit_cast<std::uint64_t>(operands[0].d);
  return {.d = std::bit_cast<double>(reduced(bits, hlo::float_format(ElementType::kF64),
                                             operation.exponent_bits, operation.mantissa_bits))};
}

Number reduce_single(const ScalarOperation& operation, const Number* operands) {
  const auto bits = std::bit_cast<std::uint32_t>(operands[0].f);
  return {.f = std::bit_cast<float>(static_cast<std::uint32_t>(
              reduced(bits, hlo::float_format(ElementType::kF32), operation.exponent_bits,
                      operation.mantissa_bits)))};
}

template <ElementType type>
Number reduce_narrow(const ScalarOperation& operation, const Number* operands) {
  const std::uint64_t bits = reduced(encode_narrow<type>(operands[0].f), hlo::float_format(type),
                                     operation.exponent_bits, operation.mantissa_bits);
  return {.f = decode_narrow<type>(static_cast<std::uint32_t>(bits))};
}

// ---- stochastic-convert ----

// Whether a random number of that width says to do what is to be done with the probability
// `fraction` in [0, 1).
bool is_drawn(double fraction, std::uint64_t random, int bits) {
  return random < static_cast<std::uint64_t>(std::ldexp(fraction, bits));
}

// One of the two integers beside a positive value.
double to_integer(double value, std::uint64_t random, int bits) {
  const double below = std::floor(value);
  return is_drawn(value - below, random, bits) ? below + 1 : below;
}

// The pattern of the value of a floating-point type that is nearest to `value`.
std::uint64_t nearest(ElementType type, double value) {
  std::uint64_t bits = 0;
  std::byte bytes[sizeof bits] = {};
  store_function(type)(convert_function(ElementType::kF64, type)({.d = value}), bytes);
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

// One of the two neighbours of a positive value in a type with fewer bits. What the type has no
// neighbours of is left to rounding.
double to_float(ElementType type, double value, std::uint64_t random, int bits) {
  std::uint64_t below = nearest(type, value);
  if (hlo::decode_float(type, below) > value) --below;
  const double low = hlo::decode_float(type, below);
  const double high = hlo::decode_float(type, below + 1);
  if (!std::isfinite(low) || !std::isfinite(high)) return value;
  return is_drawn((value - low) / (high - low), random, bits) ? high : low;
}

template <class Real>
Number stochastic_convert(const ScalarOperation& operation, const Number* operands) {
  const double value = part<Real>(operands[0]);
  const std::uint64_t random = operands[1].u;
  double magnitude = std::abs(value);
  if (std::isfinite(value)) {
    if (hlo::is_integral(operation.result)) {
      magnitude = to_integer(magnitude, random, operation.bits);
    } else if (hlo::bit_width(operation.result) < operation.bits) {
      magnitude = to_float(operation.result, magnitude, random, operation.bits);
    }
  }
  return number_of(static_cast<Real>(std::copysign(magnitude, value)));
}

}  // namespace

// XLA:CPU computes the types of up to 8 bits as f16, and f8e8m0fnu as bf16: what is rounded is the
// mantissa of that type.
ScalarOperation::Function reduce_precision_function(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return reduce_double;
    case ElementType::kF32:
      return reduce_single;
    case ElementType::kBf16:
    case ElementType::kF8e8m0fnu:
      return reduce_narrow<ElementType::kBf16>;
    default:
      return hlo::is_floating(type) ? reduce_narrow<ElementType::kF16> : nullptr;
  }
}

ScalarOperation::Function stochastic_convert_function(ElementType type) {
  if (!hlo::is_floating(type)) return nullptr;
  return type == ElementType::kF64 ? stochastic_convert<double> : stochastic_convert<float>;
}

}  // namespace mercator::runtime
