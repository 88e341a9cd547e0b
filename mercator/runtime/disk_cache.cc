#include "mercator/runtime/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/binary.h"
#include "mercator/support/file.h"

namespace mercator::runtime {
namespace {

constexpr std::string_view kMagic = "mercache";
constexpr std::uint32_t kVersion = 1;

// All of a regular file that is not larger than an entry, and that nobody else can have written.
Result<std::string> content_of(const FileDescriptor& file) {
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) return io_error(errno);
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::kInvalidInput, "it is not a file");
  if (status.st_uid != ::geteuid()) {
    return fail(ErrorKind::kInvalidInput, "it belongs to another user");
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(ErrorKind::kInvalidInput, "other users may write to it");
  }
  if (static_cast<std::uint64_t>(status.st_size) > DiskCache::kLargestEntry) {
    return fail(ErrorKind::kInvalidInput, "it is too large");
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  bytes.resize(MERCATOR_TRY(read_full(file.number(), std::as_writable_bytes(std::span(bytes)))));
  return bytes;
}

Result<std::string> value_of(std::string_view key, std::string_view bytes) {
  BinaryReader reader(bytes);
  if (Result<std::string_view> magic = reader.read_raw(kMagic.size()); !magic || *magic != kMagic) {
    return fail(ErrorKind::kInvalidInput, "it is not a cache entry");
  }
  const std::uint32_t version = MERCATOR_TRY(reader.read_u32());
  if (version != kVersion) {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("it has version {}, not {}", version, kVersion));
  }
  const Checksum expected = MERCATOR_TRY(reader.read_checksum());
  if (checksum(reader.rest()) != expected) {
    return fail(ErrorKind::kInvalidInput, "its checksum is wrong");
  }
  const std::string_view found = MERCATOR_TRY(reader.read_text());
  if (found != key) return fail(ErrorKind::kInvalidInput, "it belongs to something else");
  const std::string_view value = MERCATOR_TRY(reader.read_text());
  if (!reader.rest().empty()) return fail(ErrorKind::kInvalidInput, "something follows its end");
  return std::string(value);
}

std::string entry_of(std::string_view key, std::string_view value) {
  BinaryWriter content;
  content.write_text(key);
  content.write_text(value);
  const std::string bytes = std::move(content).take();
  BinaryWriter entry;
  entry.write_raw(kMagic);
  entry.write_u32(kVersion);
  entry.write_checksum(checksum(bytes));
  entry.write_raw(bytes);
  return std::move(entry).take();
}

}  // namespace

std::string DiskCache::path_of(std::string_view key) const {
  return fmt::format("{}/{}.entry", directory_, to_string(checksum(key)));
}

Result<std::optional<std::string>> DiskCache::read(std::string_view key) const {
  // Without O_NONBLOCK, to open a pipe would wait for somebody to write to it.
  const FileDescriptor file(::open(path_of(key).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!file.is_open()) return io_error(errno);
  const std::string bytes = MERCATOR_TRY(content_of(file));
  return MERCATOR_TRY(value_of(key, bytes));
}

Result<void> DiskCache::write(std::string_view key, std::string_view value) const {
  const std::string entry = entry_of(key, value);
  if (entry.size() > kLargestEntry) return io_error(EFBIG);
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) return io_error(error.value());

  FileReplacement file = MERCATOR_TRY(FileReplacement::make(path_of(key), S_IRUSR | S_IWUSR));
  MERCATOR_TRY_VOID(write_to(file.beside(), std::array<std::string_view, 1>{entry}));
  return file.put_in_place();
}

}  // namespace mercator::runtime
