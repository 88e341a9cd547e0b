// SplitMix64: G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom number generators.
// OOPSLA 2014.

#pragma once

#include <cstdint>

namespace mercator::runtime {

// What a state moves on by from one number to the next: odd, and near 2^64 over the golden ratio.
inline constexpr std::uint64_t kSplitMixGamma = 0x9E3779B97F4A7C15;

// The number of a state: a bijection, after which all bits depend on all bits.
[[nodiscard]] constexpr std::uint64_t split_mix(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
  return state ^ (state >> 31);
}

}  // namespace mercator::runtime
