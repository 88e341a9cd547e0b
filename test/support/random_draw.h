// Where random inputs get their numbers from: a seed in tests, the bytes of the input in fuzzers.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>

namespace mercator::test {

// Gives an integer of [lo, hi], where lo <= hi.
using Draw = std::function<std::int64_t(std::int64_t lo, std::int64_t hi)>;

inline Draw seeded_draw(std::uint64_t seed) {
  return [engine = std::make_shared<std::mt19937_64>(seed)](std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(*engine);
  };
}

}  // namespace mercator::test
