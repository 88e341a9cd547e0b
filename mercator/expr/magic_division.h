// Division by a constant as a multiplication: floor(n / d) = floor(n * m / 2^s) for a multiplier m
// that is 2^s / d rounded up, if the error of rounding stays small enough up to the largest n.

#pragma once

#include <cstdint>

namespace mercator {

// floor(n / d) = (n * multiplier) >> shift, computed without overflow, for all 0 <= n <= max.
struct MagicDivision {
  std::uint64_t multiplier;  // 2^shift / d rounded up
  unsigned shift;
  std::uint64_t error;  // multiplier * d - 2^shift, less than d
};

// The one of the smallest shift that is at least `min_shift`. If d and max are less than 2^(w-1)
// and min_shift is at most w, the multiplier is less than 2^w and the shift less than 2*w. Requires
// 1 < d < 2^63, max < 2^63 and min_shift <= 64.
[[nodiscard]] MagicDivision magic_division(std::uint64_t d, std::uint64_t max,
                                           unsigned min_shift = 0);

}  // namespace mercator
