// A directory of entries that outlive the process. Internal to the compile cache.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "mercator/support/error.h"

namespace mercator::runtime {

// Maps keys to values, both of any bytes. An entry is a file that is named after the hash of its
// key and holds all of the key, so that no hash is trusted. Files are written beside and renamed:
// several threads and processes may use a directory at once, and see each entry whole or not at
// all. What a crash of the machine leaves of a file is found by its checksum. Executables
// are code: only the user who wrote an entry can read it, and what another user owns or may write
// to is not read.
//
// Entries have no more than `limit` bytes together: those that were read or written least recently
// go. The time of that is the modification time of the file. Another process that still reads one
// has it open; one that looks for it makes it anew.
class DiskCache {
 public:
  static constexpr std::uint64_t kDefaultLimit = std::uint64_t{4} << 30;

  // The directory is made when the first entry is written.
  explicit DiskCache(std::string directory, std::uint64_t limit = kDefaultLimit)
      : directory_(std::move(directory)), limit_(limit) {}

  // The value; nothing if there is no entry. An error (kIo, kInvalidInput) if there is one that
  // cannot be used: damaged, of another version, of a larger size than entries have, unreadable, or
  // in the hands of other users.
  [[nodiscard]] Result<std::optional<std::string>> read(std::string_view key) const;
  // Makes the entry, in the place of what is there. An error of kind kIo leaves that as it is; an
  // entry that is larger than the limit is one.
  [[nodiscard]] Result<void> write(std::string_view key, std::string_view value);
  // Removes entries down to the limit, to be called after writing. While several processes write,
  // each may leave a sixteenth of the limit more than that. An error of kind kIo.
  [[nodiscard]] Result<void> trim();

  [[nodiscard]] std::string path_of(std::string_view key) const;

  // No entry has more bytes.
  static constexpr std::uint64_t kLargestEntry = std::uint64_t{1} << 30;

 private:
  std::string directory_;
  std::uint64_t limit_;
  std::mutex mutex_;
  // How many bytes may be written before the directory is looked at, which takes time for each of
  // its files.
  std::uint64_t room_ = 0;
};

}  // namespace mercator::runtime
