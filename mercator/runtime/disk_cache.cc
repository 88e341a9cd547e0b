#include "mercator/runtime/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/binary.h"
#include "mercator/support/file.h"

namespace mercator::runtime {
namespace {

constexpr std::string_view kMagic = "mercache";
constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kSuffix = ".entry";

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

// A file of the directory that is an entry, or the beginnings of one.
struct EntryFile {
  std::string name;
  std::uint64_t size = 0;
  timespec used{};

  [[nodiscard]] bool is_whole() const { return name.ends_with(kSuffix); }
  [[nodiscard]] auto age_order() const {
    return std::tuple(used.tv_sec, used.tv_nsec, std::string_view(name));
  }
};

// Whether a file of that name was made here: others in the directory are left alone.
bool is_entry_name(std::string_view name) {
  constexpr std::size_t kDigits = 32;
  return name.size() > kDigits && name.substr(kDigits).starts_with(kSuffix) &&
         name.find_first_not_of("0123456789abcdef") == kDigits;
}

Result<std::vector<EntryFile>> entry_files(const std::string& directory) {
  std::vector<EntryFile> files;
  std::error_code error;
  std::filesystem::directory_iterator place(directory, error);
  for (; !error && place != std::filesystem::directory_iterator(); place.increment(error)) {
    std::string name = place->path().filename();
    struct stat status{};
    // Another process may have removed it meanwhile.
    if (!is_entry_name(name) || ::lstat(place->path().c_str(), &status) != 0) continue;
    if (!S_ISREG(status.st_mode)) continue;
    files.push_back({.name = std::move(name),
                     .size = static_cast<std::uint64_t>(status.st_size),
                     .used = status.st_mtim});
  }
  if (error) return io_error(error.value());
  return files;
}

}  // namespace

std::string DiskCache::path_of(std::string_view key) const {
  return fmt::format("{}/{}{}", directory_, to_string(checksum(key)), kSuffix);
}

Result<std::optional<std::string>> DiskCache::read(std::string_view key) const {
  // Without O_NONBLOCK, to open a pipe would wait for somebody to write to it.
  const FileDescriptor file(::open(path_of(key).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!file.is_open()) return io_error(errno);
  const std::string bytes = MERCATOR_TRY(content_of(file));
  std::string value = MERCATOR_TRY(value_of(key, bytes));
  // Where that is not allowed, the entry is as good, and may go sooner.
  ::futimens(file.number(), nullptr);
  return value;
}

Result<void> DiskCache::write(std::string_view key, std::string_view value) {
  const std::string entry = entry_of(key, value);
  if (entry.size() > kLargestEntry) return io_error(EFBIG);
  if (entry.size() > limit_) {
    return fail(ErrorKind::kIo,
                fmt::format("it has {} bytes, and the cache may have {}", entry.size(), limit_));
  }
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) return io_error(error.value());

  FileReplacement file = MERCATOR_TRY(FileReplacement::make(path_of(key), S_IRUSR | S_IWUSR));
  MERCATOR_TRY_VOID(write_to(file.beside(), std::array<std::string_view, 1>{entry}));
  MERCATOR_TRY_VOID(file.put_in_place());
  const std::lock_guard lock(mutex_);
  room_ -= std::min<std::uint64_t>(room_, entry.size());
  return {};
}

Result<void> DiskCache::trim() {
  const std::lock_guard lock(mutex_);
  if (room_ > 0) return {};
  std::vector<EntryFile> files = MERCATOR_TRY(entry_files(directory_));
  std::uint64_t total = 0;
  for (const EntryFile& file : files) total += file.size;

  // More than is needed, so that not every later entry costs a look at all of them.
  const std::uint64_t wanted = limit_ - limit_ / 8;
  // A process that was ended while it wrote leaves what it had; one that still writes goes on.
  constexpr time_t kLongestWrite = 60 * 60;
  const time_t now = std::time(nullptr);
  std::ranges::sort(files, {}, &EntryFile::age_order);
  const bool is_full = total > limit_;
  for (const EntryFile& file : files) {
    const bool is_left_over = !file.is_whole() && file.used.tv_sec < now - kLongestWrite;
    const bool is_in_the_way = file.is_whole() && is_full && total > wanted;
    if (!is_left_over && !is_in_the_way) continue;
    const std::string path = fmt::format("{}/{}", directory_, file.name);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return io_error(errno);
    total -= file.size;
  }
  room_ = std::min(limit_ - std::min(limit_, total), limit_ / 16);
  return {};
}

}  // namespace mercator::runtime
