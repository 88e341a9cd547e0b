// How long the tests with random inputs are.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace mercator::test {

// MERCATOR_RANDOM_FACTOR=20 makes a long run: that many times as many inputs. 1 if it is not set.
inline std::int64_t random_factor() {
  const char* text = std::getenv("MERCATOR_RANDOM_FACTOR");
  return text == nullptr ? 1 : std::max<std::int64_t>(1, std::strtoll(text, nullptr, 10));
}

}  // namespace mercator::test
