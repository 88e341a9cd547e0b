// Reads any bytes as a .npy file, and as an archive of them. What reads is written, and must read
// back to the same tensor.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "mercator/runtime/npy.h"
#include "mercator/runtime/npz.h"

namespace {

using mercator::Result;
namespace hlo = mercator::hlo;
namespace runtime = mercator::runtime;

constexpr std::int64_t kMemory = std::int64_t{16} << 20;

class Bytes final : public runtime::ByteSource {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : rest_(bytes) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t count = std::min(out.size(), rest_.size());
    std::ranges::copy(rest_.first(count), out.begin());
    rest_ = rest_.subspan(count);
    return count;
  }

 private:
  std::span<const std::byte> rest_;
};

[[noreturn]] void stop(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

Result<runtime::Tensor> read(runtime::ByteSource& source, hlo::ElementType type) {
  const runtime::NpyHeader header = MERCATOR_TRY(runtime::read_npy_header(source));
  static_cast<void>(type_text(header));
  if (!holds(header, type, runtime::ForeignElements::kVoid)) {
    return mercator::fail(mercator::ErrorKind::kUsage, "another type");
  }
  return read_npy_elements(source, header, type, runtime::MemoryPool(kMemory));
}

void check_round_trip(const runtime::Tensor& tensor) {
  const auto content =
      npy_content(tensor, runtime::ForeignElements::kVoid, runtime::MemoryPool(kMemory));
  if (!content) stop("what was read cannot be written");
  const std::span<const std::byte> header = std::as_bytes(std::span(content->header));
  std::vector<std::byte> file(header.begin(), header.end());
  const std::span<const std::byte> elements = content->elements.bytes();
  file.insert(file.end(), elements.begin(), elements.end());
  Bytes source(file);
  const Result<runtime::Tensor> again = read(source, tensor.element_type());
  if (!again || !std::ranges::equal(again->bytes(), tensor.bytes()) ||
      !std::ranges::equal(again->dimensions(), tensor.dimensions())) {
    stop("what was written reads back differently");
  }
}

void read_archive(std::span<const std::byte> bytes) {
  const std::string path = "/tmp/mercator_npz_fuzzer_" + std::to_string(::getpid());
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (std::fclose(file) == 0 && written) {
    if (const Result<runtime::NpzReader> reader = runtime::NpzReader::open(path)) {
      for (std::size_t i = 0; i < std::min<std::size_t>(reader->names().size(), 100); ++i) {
        if (const auto entry = reader->entry(i)) {
          static_cast<void>(read(**entry, hlo::ElementType::kF32));
        }
      }
    }
  }
  std::remove(path.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  for (const hlo::ElementType type :
       {hlo::ElementType::kPred, hlo::ElementType::kS4, hlo::ElementType::kU2,
        hlo::ElementType::kS32, hlo::ElementType::kBf16, hlo::ElementType::kF32,
        hlo::ElementType::kF8e5m2, hlo::ElementType::kC128}) {
    Bytes source(bytes);
    const Result<runtime::Tensor> tensor = read(source, type);
    if (tensor) check_round_trip(*tensor);
    if (!tensor && tensor.error().message.empty()) stop("an error without a message");
  }
  if (size > 1 && data[0] == 'P' && data[1] == 'K') read_archive(bytes);
  return 0;
}
