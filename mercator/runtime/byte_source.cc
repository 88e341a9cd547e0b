#include "mercator/runtime/byte_source.h"

#include <fcntl.h>

#include <cerrno>

#include "mercator/support/file.h"

namespace mercator::runtime {
namespace {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(int descriptor) : file_(descriptor) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    return read_full(file_.number(), out);
  }

 private:
  FileDescriptor file_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return io_error(errno);
  return std::make_unique<FileSource>(descriptor);
}

}  // namespace mercator::runtime
