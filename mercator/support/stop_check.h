// Stops what takes long.

#pragma once

#include <cstdint>
#include <stop_token>

#include "mercator/support/error.h"

namespace mercator {

// The error of what is interrupted, of kind kInterrupted, if a stop was requested.
[[nodiscard]] inline Result<void> check_stop(const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(ErrorKind::kInterrupted, "interrupted");
  return {};
}

// Counts the steps of a loop and asks once in a while whether to go on. The token must stay.
class StopCheck {
 public:
  // To ask more seldom would let a user wait, more often would take time.
  static constexpr std::int64_t kStepsBetween = 1 << 16;

  explicit StopCheck(const std::stop_token& stop) : stop_(stop) {}
  explicit StopCheck(std::stop_token&&) = delete;

  // The error of what is interrupted, if a stop was requested. Requires steps >= 0.
  [[nodiscard]] Result<void> operator()(std::int64_t steps = 1) {
    if (steps < left_) {
      left_ -= steps;
      return {};
    }
    left_ = kStepsBetween;
    return check_stop(stop_);
  }

 private:
  const std::stop_token& stop_;
  std::int64_t left_ = 0;
};

}  // namespace mercator
