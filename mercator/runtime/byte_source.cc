#include "mercator/runtime/byte_source.h"

#include <utility>

#include "mercator/support/file.h"

namespace mercator::runtime {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(int descriptor, std::stop_token stop) : file_(descriptor), stop_(std::move(stop)) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    return read_full(file_.number(), out, stop_);
  }

 private:
  FileDescriptor file_;
  std::stop_token stop_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path,
                                              const std::stop_token& stop) {
  return std::make_unique<FileSource>(MERCATOR_TRY(open_to_read(path, stop)), stop);
}

}  // namespace mercator::runtime
