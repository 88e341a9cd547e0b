#include "mercator/tools/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "mercator/tools/streams.h"

namespace mercator::tools {
namespace {

constexpr std::chrono::milliseconds kDelay{1000};
constexpr std::chrono::milliseconds kInterval{100};
constexpr std::string_view kEraseLine = "\r\x1b[K";

}  // namespace

Progress::Progress(std::string_view what, std::size_t total, bool enabled)
    : what_(what),
      total_(total),
      enabled_(enabled && ::isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + kDelay) {}

Progress::~Progress() {
  if (shown_) write_message(kEraseLine);
}

void Progress::advance() {
  ++done_;
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  write_message(fmt::format("{}{}: {} of {}", kEraseLine, what_, done_, total_));
}

ElapsedTime::ElapsedTime(std::string_view what) : what_(what) {
  if (::isatty(STDERR_FILENO) != 1) return;
  clock_ = std::jthread([this](const std::stop_token& end) { show_until(end); });
}

// The thread is asked to end, and waited for, before the rest goes away.
ElapsedTime::~ElapsedTime() {
  clock_.request_stop();
  if (clock_.joinable()) clock_.join();
}

void ElapsedTime::show_until(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!ended_.wait_for(lock, end, kDelay, [] { return false; }) && !end.stop_requested()) {
    write_message(fmt::format("{}{}: {} s", kEraseLine, what_, ++seconds));
  }
  if (seconds > 0) write_message(kEraseLine);
}

}  // namespace mercator::tools
