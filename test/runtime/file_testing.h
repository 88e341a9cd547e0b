// Bytes and files for tests of files.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "mercator/runtime/byte_source.h"

namespace mercator::runtime {

// The bytes of a text.
class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t count = std::min(out.size(), text_.size() - used_);
    const std::span<const std::byte> bytes = std::as_bytes(std::span(text_));
    std::ranges::copy(bytes.subspan(used_, count), out.begin());
    used_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t used_ = 0;
};

// A folder that goes away at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = ::testing::TempDir() + "mercator_XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path(std::string_view name) const { return path_ / name; }
  // The path of a file that is written.
  [[nodiscard]] std::string write(std::string_view name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  // The bytes of a file.
  [[nodiscard]] std::string read(std::string_view name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

// A .npy file of version 1 whose header is not padded.
inline std::string npy(std::string_view type, std::string_view shape, std::string_view elements,
                       std::string_view order = "False") {
  const std::string header = "{'descr': '" + std::string(type) +
                             "', 'fortran_order': " + std::string(order) +
                             ", 'shape': " + std::string(shape) + "}\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return file + header + std::string(elements);
}

}  // namespace mercator::runtime
