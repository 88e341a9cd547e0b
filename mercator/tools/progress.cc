#include "mercator/tools/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

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
  if (shown_) fmt::print(stderr, "{}", kEraseLine);
}

void Progress::advance() {
  ++done_;
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  fmt::print(stderr, "{}{}: {} of {}", kEraseLine, what_, done_, total_);
  std::fflush(stderr);
}

}  // namespace mercator::tools
