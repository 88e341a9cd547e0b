// Where the command reads from and writes to.

#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "mercator/support/error.h"
#include "mercator/support/file.h"

namespace mercator::tools {

// The whole of a file, or of standard input for "-". An error of kind kIo, without the file's name,
// if it cannot be read, of kind kUnsupported for 4 GiB and more, and of kind kInterrupted soon
// after a stop is requested.
[[nodiscard]] Result<std::string> read_input(const std::string& path,
                                             const std::stop_token& stop = {});

// What messages call that input: its path, or "<stdin>".
[[nodiscard]] std::string input_name(const std::string& path);

// Writes a file, whole or not at all: what is there is replaced once everything is written. What is
// not a regular file, such as a device or a pipe, is written to directly. An error of kind kIo,
// without the file's name, or kInterrupted soon after a stop is requested.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view text,
                                      const std::stop_token& stop = {});

// Whether there is something else at a path than a regular file, which cannot be replaced.
[[nodiscard]] bool is_special_file(const std::string& path);
// What will take the place of a regular file, if there is one, with its permissions. A symbolic
// link goes on to lead there. An error of kind kIo.
[[nodiscard]] Result<FileReplacement> replacement_of(const std::string& path);

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
