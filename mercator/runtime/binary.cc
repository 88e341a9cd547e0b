#include "mercator/runtime/binary.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>

#include <fmt/format.h>

namespace mercator::runtime {
namespace {

std::unexpected<Error> too_short() {
  return fail(ErrorKind::kInvalidInput, "the bytes end too early");
}

template <class T>
std::string little_endian(T value) {
  std::string bytes(sizeof(T), '\0');
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

template <class T>
T from_little_endian(std::string_view bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

}  // namespace

Checksum checksum(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

std::string to_string(const Checksum& checksum) {
  return fmt::format("{:016x}{:016x}", checksum[1], checksum[0]);
}

void BinaryWriter::write_u32(std::uint32_t value) { bytes_ += little_endian(value); }
void BinaryWriter::write_u64(std::uint64_t value) { bytes_ += little_endian(value); }

void BinaryWriter::write_text(std::string_view text) {
  write_u64(text.size());
  bytes_ += text;
}

void BinaryWriter::write_checksum(const Checksum& checksum) {
  write_u64(checksum[0]);
  write_u64(checksum[1]);
}

Result<std::string_view> BinaryReader::read_raw(std::uint64_t size) {
  if (size > rest_.size()) return too_short();
  const std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return bytes;
}

Result<std::uint32_t> BinaryReader::read_u32() {
  return from_little_endian<std::uint32_t>(MERCATOR_TRY(read_raw(sizeof(std::uint32_t))));
}

Result<std::uint64_t> BinaryReader::read_u64() {
  return from_little_endian<std::uint64_t>(MERCATOR_TRY(read_raw(sizeof(std::uint64_t))));
}

Result<std::string_view> BinaryReader::read_text() {
  const std::uint64_t size = MERCATOR_TRY(read_u64());
  return read_raw(size);
}

Result<Checksum> BinaryReader::read_checksum() {
  Checksum checksum;
  for (std::uint64_t& part : checksum) part = MERCATOR_TRY(read_u64());
  return checksum;
}

Result<std::uint32_t> BinaryReader::read_count(std::size_t item_bytes) {
  const std::uint32_t count = MERCATOR_TRY(read_u32());
  if (count > rest_.size() / item_bytes) return too_short();
  return count;
}

}  // namespace mercator::runtime
