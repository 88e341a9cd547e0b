#include "mercator/tools/streams.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>

namespace mercator::tools {
namespace {

constexpr std::size_t kBufferSize = std::size_t{64} << 10;

// The size of an open file; 0 if it is not known (a pipe).
std::size_t size_of(int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return static_cast<std::size_t>(status.st_size);
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

Result<void> write_file(const std::string& path, std::string_view text,
                        const std::stop_token& stop) {
  const std::span<const std::string_view> parts(&text, 1);
  if (is_special_file(path)) return write_to(path, parts, stop);
  FileReplacement file = MERCATOR_TRY(replacement_of(path));
  MERCATOR_TRY_VOID(write_to(file.beside(), parts, stop));
  return file.put_in_place();
}

bool is_special_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

Result<FileReplacement> replacement_of(const std::string& path) {
  if (is_special_file(path)) return fail(ErrorKind::kIo, "it is no regular file");
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  return FileReplacement::make(resolved(path), exists ? status.st_mode & 07777 : default_mode());
}

Result<std::string> read_input(const std::string& path, const std::stop_token& stop) {
  const bool is_standard_input = path == "-";
  const FileDescriptor file(is_standard_input ? -1 : MERCATOR_TRY(open_to_read(path, stop)));
  const int descriptor = is_standard_input ? STDIN_FILENO : file.number();

  // Positions in a text are 32 bits wide.
  constexpr std::size_t kMaxSize = std::numeric_limits<std::uint32_t>::max();
  const auto too_large = [] {
    return fail(ErrorKind::kUnsupported, "files of 4 GiB and more are not supported");
  };
  const std::size_t size = size_of(descriptor);
  if (size > kMaxSize) return too_large();

  std::string text;
  std::size_t used = 0;
  text.resize(size + 1);  // one more, to see the end of the file without growing
  while (true) {
    const auto rest = std::as_writable_bytes(std::span(text).subspan(used));
    used += MERCATOR_TRY(read_full(descriptor, rest, stop));
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
