// Archives of named tensors as numpy writes them (.npz): zip files, stored or deflated, whose
// entries are .npy files.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/runtime/byte_source.h"
#include "mercator/runtime/memory.h"
#include "mercator/runtime/tensor.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// Whether a file of that name is an archive.
[[nodiscard]] bool is_npz(std::string_view path);

class NpzReader {
 public:
  // An error, without the name of the file, of kind kIo if it cannot be opened, and of kind
  // kInvalidInput if it is not a zip file or has an entry that is no .npy file.
  [[nodiscard]] static Result<NpzReader> open(const std::string& path);

  // The names of the entries without `.npy`, in the order of the archive.
  [[nodiscard]] std::span<const std::string> names() const { return names_; }
  // The bytes of an entry, as a .npy file, which must not outlive the reader. It gives an error
  // where they are damaged: at the end, where the checksum is.
  [[nodiscard]] Result<std::unique_ptr<ByteSource>> entry(std::size_t index) const;

 private:
  std::shared_ptr<void> archive_;
  std::vector<std::string> names_;
};

struct NpzEntry {
  std::string name;  // without `.npy`
  Tensor tensor;     // dense
};

// Writes an archive, stored. A tensor of a type that numpy lacks is written as bits, and its name
// says the type: `0.bf16`. The file does not tell when it was written. An error of kind kIo,
// without the name of the file, or kInterrupted; then what is at `path` is as it was before.
[[nodiscard]] Result<void> write_npz(const std::string& path, std::span<const NpzEntry> entries,
                                     const MemoryPool& pool, const std::stop_token& stop = {});

}  // namespace mercator::runtime
