// Where the command reads from and writes to.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "mercator/support/error.h"

namespace mercator::tools {

// The whole of a file, or of standard input for "-". An error of kind kIo, without the file's name,
// if it cannot be read, and of kind kUnsupported for 4 GiB and more.
[[nodiscard]] Result<std::string> read_input(const std::string& path);

// What messages call that input: its path, or "<stdin>".
[[nodiscard]] std::string input_name(const std::string& path);

// Writes a file, whole or not at all: what is there is replaced once everything is written. What is
// not a regular file, such as a device or a pipe, is written to directly. An error of kind kIo,
// without the file's name.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view text);
// The same for a file that consists of several parts.
[[nodiscard]] Result<void> write_file(const std::string& path,
                                      std::span<const std::string_view> parts);
// The same for what `write` writes to the file whose path it is given, which is there and empty.
// Only for regular files; otherwise an error of kind kIo.
[[nodiscard]] Result<void> replace_file(
    const std::string& path, const std::function<Result<void>(const std::string&)>& write);

// Writes to standard error. Where that cannot be written to, nobody can be told, and work goes on.
void write_message(std::string_view text);

// Standard output, buffered. Once a write has failed, further writes do nothing, and long work may
// stop.
class Output {
 public:
  void write(std::string_view text);
  [[nodiscard]] bool failed() const { return error_ != 0; }

  // Writes what is left; an error of kind kIo if anything was not written. Its message is empty if
  // the reader closed the pipe (`| head`): it has what it wanted, and needs no message.
  [[nodiscard]] Result<void> finish();

 private:
  void flush();

  std::string buffer_;
  int error_ = 0;  // the errno of the write that failed
};

}  // namespace mercator::tools
