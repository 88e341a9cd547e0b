#include "mercator/tools/streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "mercator/support/file.h"

namespace mercator::tools {
namespace {

constexpr std::size_t kBufferSize = std::size_t{64} << 10;

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
  return write_file(path, std::span(&text, 1));
}

Result<void> write_file(const std::string& path, std::span<const std::string_view> parts) {
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return write_to(path, parts);
  return replace_file(path, [parts](const std::string& beside) { return write_to(beside, parts); });
}

Result<void> replace_file(const std::string& path,
                          const std::function<Result<void>(const std::string&)>& write) {
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return fail(ErrorKind::kIo, "it is no regular file");
  const mode_t mode = exists ? status.st_mode & 07777 : default_mode();
  return replace_atomically(resolved(path), mode, write);
}

Result<std::string> read_input(const std::string& path) {
  const InputFile file(path);
  if (file.descriptor() < 0) return io_error(errno);

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
    const auto rest = std::as_writable_bytes(std::span(text).subspan(used));
    used += MERCATOR_TRY(read_full(file.descriptor(), rest));
    if (used > kMaxSize) return too_large();
    if (used < text.size()) break;
    text.resize(2 * used + kBufferSize);
  }
  text.resize(used);
  return text;
}

void write_message(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

std::string input_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

void Output::write(std::string_view text) {
  if (failed()) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) flush();
}

void Output::flush() {
  if (!failed()) error_ = write_full(STDOUT_FILENO, buffer_);
  buffer_.clear();
}

Result<void> Output::finish() {
  flush();
  if (error_ == 0) return {};
  if (error_ == EPIPE) return fail(ErrorKind::kIo, "");
  return io_error(error_);
}

}  // namespace mercator::tools
