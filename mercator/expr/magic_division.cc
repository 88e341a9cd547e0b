#include "mercator/expr/magic_division.h"

#include <cassert>

namespace mercator {
namespace {

using Wide = unsigned __int128;

}  // namespace

// Let m = (2^s + e) / d with 0 <= e < d, and n = q*d + r with 0 <= r < d. Then
//
//   n*m = q*2^s + q*e + r*m,  so floor(n*m / 2^s) = q just if q*e + r*m < 2^s.
//
// For r = d - 1 that says (q + 1)*e < m, or in other words n*e < 2^s: the condition of Granlund and
// Montgomery, "Division by Invariant Integers using Multiplication" (1994), theorem 4.2, and of
// Warren, "Hacker's Delight", chapter 10, here for the actual maximum in place of 2^N - 1. It is
// enough to ask it of the largest such n up to the maximum: the smaller ones of any remainder ask
// for less, and for those above it, q*e < m by the bucket below, hence e < m, and r <= d - 2, so
// q*e + r*m < m + (d - 2)*m <= 2^s + e - m < 2^s. If it holds for s it does for s + 1, whose
// error is at most 2*e.
MagicDivision magic_division(std::uint64_t d, std::uint64_t max, unsigned min_shift) {
  assert(1 < d && d >> 63 == 0 && max >> 63 == 0 && min_shift <= 64);
  // The largest n <= max with remainder d - 1; the least such n if max is below it.
  const std::uint64_t hardest = max >= d - 1 ? max - (max - (d - 1)) % d : d - 1;
  for (unsigned shift = min_shift;; ++shift) {
    const Wide power = Wide{1} << shift;
    const Wide multiplier = (power + d - 1) / d;
    const Wide error = multiplier * d - power;
    if (hardest * error < power) {
      return {.multiplier = static_cast<std::uint64_t>(multiplier),
              .shift = shift,
              .error = static_cast<std::uint64_t>(error)};
    }
  }
}

}  // namespace mercator
