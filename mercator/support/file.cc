#include "mercator/support/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace mercator {

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

Result<std::size_t> read_full(int descriptor, std::span<std::byte> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t count = ::read(descriptor, out.data() + filled, out.size() - filled);
    if (count < 0 && errno == EINTR) continue;
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

Result<void> write_to(const std::string& path, std::span<const std::string_view> parts) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) return io_error(errno);
  for (const std::string_view part : parts) {
    if (const int error = write_full(file.number(), part); error != 0) return io_error(error);
  }
  return file.close();
}

Result<void> replace_atomically(const std::string& path, mode_t mode,
                                const std::function<Result<void>(const std::string&)>& write) {
  std::string beside = path + ".XXXXXX";
  FileDescriptor file(::mkostemp(beside.data(), O_CLOEXEC));
  if (!file.is_open()) return io_error(errno);
  Result<void> written = file.close();
  if (written) written = write(beside);
  if (written && ::chmod(beside.c_str(), mode) != 0) written = io_error(errno);
  if (written && ::rename(beside.c_str(), path.c_str()) != 0) written = io_error(errno);
  if (!written) ::unlink(beside.c_str());
  return written;
}

}  // namespace mercator
