// Reading and writing by the descriptors of the system.

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "mercator/support/error.h"

namespace mercator {

// An error of kind kIo that says what an errno means; without the name of a file.
[[nodiscard]] std::unexpected<Error> io_error(int error);

// An open file, which closes itself.
class FileDescriptor {
 public:
  // Takes over what `open` returns: below 0, no file is open.
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  // Some file systems tell only here that they are full: an error of kind kIo. The file is closed
  // in any case.
  [[nodiscard]] Result<void> close();

 private:
  int number_;
};

// Opens a file to read or to write it from its start; the number of the descriptor. An error of
// kind kIo. To open a pipe waits for somebody at its other end, and ends with an error of kind
// kInterrupted soon after a stop is requested.
[[nodiscard]] Result<int> open_to_read(const std::string& path, const std::stop_token& stop = {});
[[nodiscard]] Result<int> open_to_write(const std::string& path, const std::stop_token& stop = {});

// Fills `out`; the number of bytes, fewer than asked for only at the end. An error of kind kIo, or
// kInterrupted soon after a stop is requested, though nobody writes to what is read.
[[nodiscard]] Result<std::size_t> read_full(int descriptor, std::span<std::byte> out,
                                            const std::stop_token& stop = {});

// Writes all of the bytes; 0, or the errno of what went wrong.
[[nodiscard]] int write_full(int descriptor, std::string_view bytes);

// Writes to a file that is there, from its start. An error of kind kIo, or kInterrupted soon after
// a stop is requested, though nobody reads what is written.
[[nodiscard]] Result<void> write_to(const std::string& path,
                                    std::span<const std::string_view> parts,
                                    const std::stop_token& stop = {});

// What will take the place of a file, whole or not at all: a new file in the same folder, which is
// removed unless it is put in place.
class FileReplacement {
 public:
  // Makes the new file, empty; `path` will have the permissions `mode`. An error of kind kIo.
  [[nodiscard]] static Result<FileReplacement> make(std::string path, mode_t mode);
  FileReplacement(FileReplacement&& other) noexcept;
  FileReplacement& operator=(FileReplacement&&) = delete;
  ~FileReplacement();

  // Of the new file, to write to.
  [[nodiscard]] const std::string& beside() const { return beside_; }
  // An error of kind kIo leaves everything as it was.
  [[nodiscard]] Result<void> put_in_place();

 private:
  FileReplacement(std::string path, std::string beside, mode_t mode);

  std::string path_;
  std::string beside_;  // "" once there is no such file any more
  mode_t mode_;
};

}  // namespace mercator
