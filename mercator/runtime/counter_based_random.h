// Counter-based random numbers: Threefry-2x32 with 20 rounds and Philox-4x32 with 10.
//
// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: Parallel random numbers: as easy as 1, 2, 3.
// SC 2011. Each is a bijection of counters for every key.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mercator::runtime {

using ThreefryBlock = std::array<std::uint32_t, 2>;
using PhiloxBlock = std::array<std::uint32_t, 4>;
using RandomKey = std::array<std::uint32_t, 2>;

// The words of a number, the low one first.
[[nodiscard]] constexpr std::array<std::uint32_t, 2> words(std::uint64_t x) {
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(x >> 32)};
}
[[nodiscard]] constexpr std::uint64_t from_words(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

[[nodiscard]] constexpr ThreefryBlock threefry_2x32(ThreefryBlock x, RandomKey key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr std::uint32_t kParity = 0x1BD11BDA;
  const std::uint32_t keys[3] = {key[0], key[1], kParity ^ key[0] ^ key[1]};
  x[0] += keys[0];
  x[1] += keys[1];
  // Five times four rounds, with a key injected after each four.
  for (std::uint32_t i = 1; i <= 5; ++i) {
    for (const int rotation : kRotations[(i - 1) % 2]) {
      x[0] += x[1];
      x[1] = std::rotl(x[1], rotation) ^ x[0];
    }
    x[0] += keys[i % 3];
    x[1] += keys[(i + 1) % 3] + i;
  }
  return x;
}

[[nodiscard]] constexpr PhiloxBlock philox_4x32(PhiloxBlock x, RandomKey key) {
  constexpr int kRounds = 10;
  constexpr std::uint64_t kMultipliers[2] = {0xD2511F53, 0xCD9E8D57};
  constexpr std::uint32_t kWeyl[2] = {0x9E3779B9, 0xBB67AE85};
  for (int round = 0; round < kRounds; ++round) {
    const auto [low0, high0] = words(kMultipliers[0] * x[0]);
    const auto [low1, high1] = words(kMultipliers[1] * x[2]);
    x = {high1 ^ x[1] ^ key[0], low1, high0 ^ x[3] ^ key[1], low0};
    key[0] += kWeyl[0];
    key[1] += kWeyl[1];
  }
  return x;
}

}  // namespace mercator::runtime
