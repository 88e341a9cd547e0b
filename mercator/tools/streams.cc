#include "mercator/tools/streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <system_error>
#include <utility>

namespace mercator::tools {
namespace {

constexpr std::size_t kBufferSize = std::size_t{64} << 10;

std::string describe(int error) { return std::generic_category().message(error); }

// An open file that closes itself; standard input for "-".
class InputFile {
 public:
  explicit InputFile(const std::string& path)
      : owned_(path != "-"),
        descriptor_(owned_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO) {}
  ~InputFile() {
    if (owned_ && descriptor_ >= 0) ::close(descriptor_);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  // 0 if it is not known (a pipe).
  [[nodiscard]] std::size_t size() const {
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    return static_cast<std::size_t>(status.st_size);
  }

 private:
  bool owned_;
  int descriptor_;
};

std::unexpected<Error> io_error() { return fail(ErrorKind::kIo, describe(errno)); }

Result<void> write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return io_error();
    }
  }
  return {};
}

// Writes to an open file and closes it.
Result<void> write_and_close(int descriptor, std::string_view text) {
  Result<void> written = write_all(descriptor, text);
  if (::close(descriptor) != 0 && written.has_value()) written = io_error();
  return written;
}

// Where a path leads by symbolic links: the file itself is to be replaced, not a link to it.
std::string resolved(const std::string& path) {
  char* const real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result = real;
  std::free(real);
  return result;
}

// The permissions of a file that is made anew.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Result<void> write_file(const std::string& path, std::string_view text) {
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return io_error();
    return write_and_close(descriptor, text);
  }
  const std::string target = resolved(path);
  std::string beside = target + ".XXXXXX";
  const int descriptor = ::mkstemp(beside.data());
  if (descriptor < 0) return io_error();
  Result<void> written;
  if (::fchmod(descriptor, exists ? status.st_mode & 07777 : default_mode()) != 0) {
    written = io_error();
  }
  if (Result<void> done = write_and_close(descriptor, text); written.has_value()) written = done;
  if (written.has_value() && ::rename(beside.c_str(), target.c_str()) != 0) written = io_error();
  if (!written.has_value()) ::unlink(beside.c_str());
  return written;
}

Result<std::string> read_input(const std::string& path) {
  const InputFile file(path);
  if (file.descriptor() < 0) return fail(ErrorKind::kIo, describe(errno));

  // Positions in a text are 32 bits wide.
  constexpr std::size_t kMaxSize = std::numeric_limits<std::uint32_t>::max();
  const auto too_large = [] {
    return fail(ErrorKind::kUnsupported, "files of 4 GiB and more are not supported");
  };
  if (file.size() > kMaxSize) return too_large();

  std::string text;
  std::size_t used = 0;
  text.resize(file.size() + 1);  // one more, to see the end of the file without growing
  while (true) {
    const ssize_t count = ::read(file.descriptor(), text.data() + used, text.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(ErrorKind::kIo, describe(errno));
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > kMaxSize) return too_large();
    if (used == text.size()) text.resize(2 * used + kBufferSize);
  }
  text.resize(used);
  return text;
}

std::string input_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

void Output::write(std::string_view text) {
  if (failed()) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) flush();
}

void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && !failed()) {
    const ssize_t count = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
}

Result<void> Output::finish() {
  flush();
  if (error_ == 0) return {};
  return fail(ErrorKind::kIo, error_ == EPIPE ? "" : describe(error_));
}

}  // namespace mercator::tools
