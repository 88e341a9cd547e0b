// Stops long loops.

#pragma once

#include <cstdint>
#include <stop_token>

#include "mercator/runtime/evaluator.h"
#include "mercator/runtime/run_context.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// The error of what is interrupted, if a stop was requested.
[[nodiscard]] inline Result<void> check_stop(const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(ErrorKind::kInterrupted, "interrupted");
  return {};
}

// Counts the steps of a loop and asks once in a while whether to go on. The token must stay.
class StopCheck {
 public:
  explicit StopCheck(const std::stop_token& stop) : stop_(stop) {}
  explicit StopCheck(const RunContext& context) : StopCheck(context.stop) {}
  explicit StopCheck(const Evaluator& evaluator) : StopCheck(evaluator.context()) {}

  // The error of an interrupted run, if a stop was requested. Requires steps >= 0.
  [[nodiscard]] Result<void> operator()(std::int64_t steps = 1) {
    constexpr std::int64_t kStepsBetween = 1 << 16;
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

}  // namespace mercator::runtime
