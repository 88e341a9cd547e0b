// Reading and writing by the descriptors of the system.

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <span>
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

// Fills `out`; the number of bytes, fewer than asked for only at the end. An error of kind kIo.
[[nodiscard]] Result<std::size_t> read_full(int descriptor, std::span<std::byte> out);

// Writes all of the bytes; 0, or the errno of what went wrong.
[[nodiscard]] int write_full(int descriptor, std::string_view bytes);

// Writes to a file that is there, from its start. An error of kind kIo.
[[nodiscard]] Result<void> write_to(const std::string& path,
                                    std::span<const std::string_view> parts);

// Puts what `write` writes in the place of `path`, whole or not at all: `write` is given the path
// of a new file in the same folder, which is empty and gets the permissions `mode`. Errors are
// those of `write`, and of kind kIo; they leave everything as it was.
[[nodiscard]] Result<void> replace_atomically(
    const std::string& path, mode_t mode,
    const std::function<Result<void>(const std::string&)>& write);

}  // namespace mercator
