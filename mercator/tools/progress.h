// A line on standard error that says how far long work has come, or how long it has taken.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>

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

// For work of which nobody knows how far it has come: says for how long it has been going on, as
// Progress does.
class ElapsedTime {
 public:
  explicit ElapsedTime(std::string_view what);
  ~ElapsedTime();
  ElapsedTime(const ElapsedTime&) = delete;
  ElapsedTime& operator=(const ElapsedTime&) = delete;

 private:
  void show_until(const std::stop_token& end);

  std::string_view what_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread clock_;
};

}  // namespace mercator::tools
