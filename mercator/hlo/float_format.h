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
[[nodiscard]] FloatFormat float_format(ElementType type);

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
