// Checked and saturating 64-bit integer arithmetic, and division as index expressions mean it.

#pragma once

#include <cassert>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>

namespace mercator {

// `out = a op b`; false, with `out` unspecified, when the result leaves int64.
[[nodiscard]] inline bool checked_add(std::int64_t a, std::int64_t b, std::int64_t* out) {
  return !__builtin_add_overflow(a, b, out);
}
[[nodiscard]] inline bool checked_sub(std::int64_t a, std::int64_t b, std::int64_t* out) {
  return !__builtin_sub_overflow(a, b, out);
}
[[nodiscard]] inline bool checked_mul(std::int64_t a, std::int64_t b, std::int64_t* out) {
  return !__builtin_mul_overflow(a, b, out);
}

// For numbers that are not negative: they stay at the largest int64 once they would leave it.
[[nodiscard]] inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return checked_add(a, b, &sum) ? sum : std::numeric_limits<std::int64_t>::max();
}
[[nodiscard]] inline std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return checked_mul(a, b, &product) ? product : std::numeric_limits<std::int64_t>::max();
}

// The low `bits` bits of a value, 1 to 64 of them, as an integer of that width, which is signed if
// T is.
template <class T>
[[nodiscard]] constexpr T low_bits(std::uint64_t value, int bits) {
  static_assert(sizeof(T) == sizeof(value));
  const int unused = 64 - bits;
  return static_cast<T>(value << unused) >> unused;
}

namespace internal {
// Whether both are in [0, 2^32): their quotient is then that of 32-bit numbers, which machines
// compute several times faster.
[[nodiscard]] constexpr bool are_short(std::int64_t a, std::int64_t b) {
  return ((static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b)) >> 32) == 0;
}
}  // namespace internal

// a / b rounded toward minus infinity. Requires b != 0 and not (a = INT64_MIN and b = -1).
[[nodiscard]] constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  assert(b != 0);
  if (internal::are_short(a, b))
    return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  const std::int64_t q = a / b;
  return q - static_cast<std::int64_t>((a % b != 0) && ((a < 0) != (b < 0)));
}

// a - b * floor_div(a, b): has the sign of b, in [0, b - 1] for b > 0. Requires b != 0.
[[nodiscard]] constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  assert(b != 0);
  if (internal::are_short(a, b))
    return static_cast<std::uint32_t>(a) % static_cast<std::uint32_t>(b);
  if (b == -1) return 0;
  const std::int64_t r = a % b;
  return (r != 0 && ((r < 0) != (b < 0))) ? r + b : r;
}

// a / b rounded toward plus infinity. Requires b > 0.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  assert(b > 0);
  const std::int64_t q = a / b;
  return q + static_cast<std::int64_t>(a % b > 0);
}

// The greatest common divisor of |a| and |b|; gcd(0, 0) = 0. Requires that neither is INT64_MIN.
[[nodiscard]] inline std::int64_t gcd(std::int64_t a, std::int64_t b) { return std::gcd(a, b); }

// a * b mod n, in [0, n - 1] for a, b in [0, n - 1]. Requires n > 0.
[[nodiscard]] inline std::int64_t multiply_mod(std::int64_t a, std::int64_t b, std::int64_t n) {
  if (internal::are_short(a, b)) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b) %
                                     static_cast<std::uint64_t>(n));
  }
  return static_cast<std::int64_t>(static_cast<__int128>(a) * b % n);
}

// The x in [0, n - 1] with a * x = 1 (mod n), for a in [0, n - 1] without common factor with n.
[[nodiscard]] inline std::int64_t inverse_mod(std::int64_t a, std::int64_t n) {
  // Euclid's algorithm, keeping r = a * x (mod n) for both remainders. No x is larger than n, in
  // absolute value; the products, which may be, are taken modulo 2^64.
  std::int64_t r0 = n;
  std::int64_t r1 = a;
  std::int64_t x0 = 0;
  std::int64_t x1 = 1;
  while (r1 != 0) {
    const std::int64_t q = r0 / r1;
    const std::int64_t r2 = r0 % r1;
    const auto x2 =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(x0) -
                                  static_cast<std::uint64_t>(q) * static_cast<std::uint64_t>(x1));
    r0 = r1;
    r1 = r2;
    x0 = x1;
    x1 = x2;
  }
  return floor_mod(x0, n);
}

}  // namespace mercator
