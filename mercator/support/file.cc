#include "mercator/support/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "mercator/support/stop_check.h"

namespace mercator {
namespace {

// What opens a file for reads and writes that wait_until waits for.
int non_blocking(const std::stop_token& stop) { return stop.stop_possible() ? O_NONBLOCK : 0; }

// Whether a read or write that failed so is to be tried again.
bool is_passing(int error, const std::stop_token& stop) {
  return error == EINTR || (error == EAGAIN && stop.stop_possible());
}

// Waits until a descriptor is ready for `events` of poll, at most for some time. An error of kind
// kInterrupted if a stop is requested; where none can be, what waits is the read or write.
Result<void> wait_until(int descriptor, short events, const std::stop_token& stop,
                        std::chrono::milliseconds at_most = std::chrono::milliseconds(-1)) {
  if (!stop.stop_possible()) return {};
  const FileDescriptor woken(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!woken.is_open()) return io_error(errno);
  const std::stop_callback wake(stop, [&] { ::eventfd_write(woken.number(), 1); });
  std::array<pollfd, 2> waited_for = {pollfd{.fd = descriptor, .events = events, .revents = 0},
                                      pollfd{.fd = woken.number(), .events = POLLIN, .revents = 0}};
  const auto timeout = static_cast<int>(at_most.count());
  while (::poll(waited_for.data(), waited_for.size(), timeout) < 0) {
    if (errno != EINTR) return io_error(errno);
  }
  return check_stop(stop);
}

// How many bytes of so many are read or written before a stop is looked for again.
std::size_t at_once(std::size_t size, const std::stop_token& stop) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  return stop.stop_possible() ? std::min(size, kMost) : size;
}

}  // namespace

std::unexpected<Error> io_error(int error) {
  return fail(ErrorKind::kIo, std::generic_category().message(error));
}

FileDescriptor::~FileDescriptor() {
  if (is_open()) ::close(number_);
}

Result<void> FileDescriptor::close() {
  if (!is_open()) return {};
  // Where it is interrupted, Linux has closed it all the same.
  if (::close(std::exchange(number_, -1)) != 0 && errno != EINTR) return io_error(errno);
  return {};
}

Result<int> open_to_read(const std::string& path, const std::stop_token& stop) {
  MERCATOR_TRY_VOID(check_stop(stop));
  // Does not wait for who writes to a pipe: to read waits, and can be interrupted.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | non_blocking(stop));
  if (descriptor < 0) return io_error(errno);
  return descriptor;
}

Result<int> open_to_write(const std::string& path, const std::stop_token& stop) {
  // The system does not tell when somebody comes to read from a pipe.
  constexpr std::chrono::milliseconds kBetweenAttempts(20);
  while (true) {
    MERCATOR_TRY_VOID(check_stop(stop));
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | non_blocking(stop));
    if (descriptor >= 0) return descriptor;
    const int error = errno;
    struct stat status{};
    const bool is_pipe = ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
    if (error != ENXIO || !is_pipe) return io_error(error);
    MERCATOR_TRY_VOID(wait_until(-1, 0, stop, kBetweenAttempts));
  }
}

Result<std::size_t> read_full(int descriptor, std::span<std::byte> out,
                              const std::stop_token& stop) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    MERCATOR_TRY_VOID(wait_until(descriptor, POLLIN, stop));
    const std::size_t size = at_once(out.size() - filled, stop);
    const ssize_t count = ::read(descriptor, out.data() + filled, size);
    if (count < 0 && is_passing(errno, stop)) continue;
    if (count < 0) return io_error(errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

int write_full(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

Result<void> write_to(const std::string& path, std::span<const std::string_view> parts,
                      const std::stop_token& stop) {
  FileDescriptor file(MERCATOR_TRY(open_to_write(path, stop)));
  for (std::string_view part : parts) {
    while (!part.empty()) {
      MERCATOR_TRY_VOID(wait_until(file.number(), POLLOUT, stop));
      const ssize_t count = ::write(file.number(), part.data(), at_once(part.size(), stop));
      if (count < 0 && is_passing(errno, stop)) continue;
      if (count < 0) return io_error(errno);
      part.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  return file.close();
}

Result<FileReplacement> FileReplacement::make(std::string path, mode_t mode) {
  std::string beside = path + ".XXXXXX";
  FileDescriptor file(::mkostemp(beside.data(), O_CLOEXEC));
  if (!file.is_open()) return io_error(errno);
  FileReplacement replacement(std::move(path), std::move(beside), mode);
  MERCATOR_TRY_VOID(file.close());
  return replacement;
}

FileReplacement::FileReplacement(std::string path, std::string beside, mode_t mode)
    : path_(std::move(path)), beside_(std::move(beside)), mode_(mode) {}

FileReplacement::FileReplacement(FileReplacement&& other) noexcept
    : path_(std::move(other.path_)),
      beside_(std::exchange(other.beside_, "")),
      mode_(other.mode_) {}

FileReplacement::~FileReplacement() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

Result<void> FileReplacement::put_in_place() {
  if (::chmod(beside_.c_str(), mode_) != 0) return io_error(errno);
  if (::rename(beside_.c_str(), path_.c_str()) != 0) return io_error(errno);
  beside_.clear();
  return {};
}

}  // namespace mercator
