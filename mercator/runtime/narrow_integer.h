// The integer types narrower than a byte, as dense tensors have them. Internal to the runtime.

#pragma once

#include <cstddef>
#include <cstdint>

#include "mercator/support/arithmetic.h"

namespace mercator::runtime {

// The byte of an element of `bits` bits, which are the low ones of `value`: sign- or zero-extended.
[[nodiscard]] constexpr std::byte extended(std::byte value, int bits, bool is_signed) {
  const auto pattern = std::to_integer<std::uint64_t>(value);
  return is_signed ? static_cast<std::byte>(low_bits<std::int64_t>(pattern, bits))
                   : static_cast<std::byte>(low_bits<std::uint64_t>(pattern, bits));
}

}  // namespace mercator::runtime
