// Ctrl-C, as a request to stop.

#pragma once

#include <array>
#include <stop_token>
#include <thread>

namespace mercator::tools {

// While there is one, the first SIGINT requests a stop, and what is under way may end in order; the
// second ends the process at once. Only one at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::array<int, 2> pipe_ = {-1, -1};
  std::thread watcher_;
};

}  // namespace mercator::tools
