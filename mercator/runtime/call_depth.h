// How deep calls lie inside each other, so that recursion ends before the stack does: computations
// of HLO call each other, packed functions run programs, and these call packed functions.

#pragma once

#include "mercator/support/error.h"

namespace mercator::runtime {

// Sets the depth of this thread while it lives. A thread that works for another takes its depth
// over: `const CallDepth depth(depth_of_the_other)`.
class CallDepth {
 public:
  // Deeper calls are refused.
  static constexpr int kMost = 500;

  explicit CallDepth(int depth) : before_(current_) { current_ = depth; }
  ~CallDepth() { current_ = before_; }
  CallDepth(const CallDepth&) = delete;
  CallDepth& operator=(const CallDepth&) = delete;

  // Of this thread; 0 outside all calls.
  [[nodiscard]] static int current() { return current_; }
  // An error of kind kUnsupported if a call that is `steps` deep goes beyond the most.
  [[nodiscard]] static Result<void> check(int steps) {
    if (steps <= kMost - current_) return {};
    return fail(ErrorKind::kUnsupported, "calls lie too deep inside each other");
  }

 private:
  static thread_local inline int current_ = 0;
  int before_;
};

}  // namespace mercator::runtime
