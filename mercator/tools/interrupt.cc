#include "mercator/tools/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace mercator::tools {
namespace {

constexpr char kStop = 's';
constexpr char kEnd = 'e';

// Where the handler writes to. To request a stop itself would not be safe in a handler.
std::atomic<int> write_end = -1;

void on_interrupt(int /*signal*/) {
  const int error = errno;
  [[maybe_unused]] const ssize_t count = ::write(write_end, &kStop, 1);
  errno = error;
}

}  // namespace

Interrupt::Interrupt() {
  // Who started the command in the background may have turned SIGINT off.
  struct sigaction before{};
  if (::sigaction(SIGINT, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
  // Without the pipe, SIGINT does what it does by default.
  if (::pipe2(pipe_.data(), O_CLOEXEC) != 0) return;
  write_end = pipe_[1];
  watcher_ = std::thread([this] {
    char what = kEnd;
    ssize_t count = 0;
    do {
      count = ::read(pipe_[0], &what, 1);
    } while (count < 0 && errno == EINTR);
    if (count == 1 && what == kStop) source_.request_stop();
  });
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
}

Interrupt::~Interrupt() {
  if (!watcher_.joinable()) return;
  std::signal(SIGINT, SIG_DFL);
  [[maybe_unused]] const ssize_t count = ::write(pipe_[1], &kEnd, 1);
  watcher_.join();
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

}  // namespace mercator::tools
