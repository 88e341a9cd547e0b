// A line on standard error that says how far long work has come.

#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace mercator::tools {

// Shows nothing in the first second, and nothing at all unless `enabled` and standard error is a
// terminal. Its line goes away at the end.
class Progress {
 public:
  Progress(std::string_view what, std::size_t total, bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One more of `total` is done.
  void advance();

 private:
  std::string_view what_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace mercator::tools
