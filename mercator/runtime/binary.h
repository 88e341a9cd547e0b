// Bytes of files: written and read in one form on every machine. Internal to caches and artifacts.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "mercator/support/error.h"

namespace mercator::runtime {

// 128 bits of XXH3: finds damage, does not resist forgery.
using Checksum = std::array<std::uint64_t, 2>;
[[nodiscard]] Checksum checksum(std::string_view bytes);
// 32 hexadecimal digits.
[[nodiscard]] std::string to_string(const Checksum& checksum);

// Appends to bytes. Numbers are little-endian; a text has its length before it, in 8 bytes.
class BinaryWriter {
 public:
  void write_u32(std::uint32_t value);
  void write_u64(std::uint64_t value);
  void write_text(std::string_view text);
  void write_checksum(const Checksum& checksum);
  void write_raw(std::string_view bytes) { bytes_ += bytes; }

  [[nodiscard]] std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Takes bytes off the front. Errors are of kind kInvalidInput: there are not so many bytes. Nothing
// is copied, so that a length that is wrong takes no memory.
class BinaryReader {
 public:
  explicit BinaryReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] Result<std::uint32_t> read_u32();
  [[nodiscard]] Result<std::uint64_t> read_u64();
  [[nodiscard]] Result<std::string_view> read_text();
  [[nodiscard]] Result<Checksum> read_checksum();
  [[nodiscard]] Result<std::string_view> read_raw(std::uint64_t size);
  // A number of items that take at least `item_bytes` each: no more than there can be.
  [[nodiscard]] Result<std::uint32_t> read_count(std::size_t item_bytes);

  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace mercator::runtime
