// Where the bytes of a file come from, in order.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "mercator/support/error.h"

namespace mercator::runtime {

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // Fills `out`; the number of bytes, fewer than asked for only at the end. Errors, without the
  // name of the file, say why it cannot be read.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<std::byte> out) = 0;
};

// The bytes of a file. An error of kind kIo, without the file's name, if it cannot be opened. To
// open and to read it end with one of kind kInterrupted soon after a stop is requested.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_file(const std::string& path,
                                                            const std::stop_token& stop = {});

}  // namespace mercator::runtime
