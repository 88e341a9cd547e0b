// Tensors: arrays of elements of an HLO type in the memory of the host.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "mercator/hlo/literal.h"
#include "mercator/hlo/shape.h"
#include "mercator/runtime/memory.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// How the elements of a tensor lie in its memory. By default *dense*: row-major, each element in
// `hlo::element_bytes`, as in hlo::Literal (types narrower than a byte are sign- or zero-extended
// to one).
struct Storage {
  // minor_to_major[0] is the dimension whose neighbours are adjacent. Empty: row-major.
  std::vector<std::int64_t> minor_to_major = {};
  // Whether elements narrower than a byte share bytes, the first in the lowest bits.
  bool packed = false;

  friend bool operator==(const Storage&, const Storage&) = default;
};

// The storage that a shape's layout asks for. An error of kind kUnsupported for layouts with tiles.
[[nodiscard]] Result<Storage> storage_of(const hlo::Shape& array);

// A view of memory that it shares: as cheap to copy as a few words. Nobody writes to memory that
// somebody else may see.
class Tensor {
 public:
  // Of no elements: pred[0].
  Tensor() = default;
  // Of memory that holds at least `byte_size(element_type, dimensions, storage)` bytes.
  Tensor(hlo::ElementType element_type, std::vector<std::int64_t> dimensions, Buffer buffer,
         Storage storage = {});
  // Dense and not yet written. An error of kind kExhausted if there is not so much memory.
  [[nodiscard]] static Result<Tensor> allocate(hlo::ElementType element_type,
                                               std::vector<std::int64_t> dimensions,
                                               const MemoryPool& pool);

  [[nodiscard]] hlo::ElementType element_type() const { return element_type_; }
  // The sizes that it has, which for a shape with dynamic dimensions may lie below the bounds.
  [[nodiscard]] std::span<const std::int64_t> dimensions() const { return dimensions_; }
  [[nodiscard]] std::int64_t rank() const { return static_cast<std::int64_t>(dimensions_.size()); }
  [[nodiscard]] std::int64_t element_count() const { return element_count_; }
  [[nodiscard]] const Storage& storage() const { return storage_; }
  [[nodiscard]] bool is_dense() const { return storage_ == Storage{}; }
  [[nodiscard]] const Buffer& buffer() const { return buffer_; }

  // Those of its elements: the buffer may be larger.
  [[nodiscard]] std::span<const std::byte> bytes() const;
  // For whoever has just made it, or holds the only copy (Buffer::is_exclusive).
  [[nodiscard]] std::span<std::byte> mutable_bytes();
  // Element `index` in row-major order. Requires a dense tensor.
  [[nodiscard]] const std::byte* element(std::int64_t index) const {
    return buffer_.data() + index * element_bytes_;
  }

  // The same elements in the same order under other dimensions, whose product is the same.
  // Requires a dense tensor.
  [[nodiscard]] Tensor reshaped(std::vector<std::int64_t> dimensions) const;

 private:
  hlo::ElementType element_type_ = hlo::ElementType::kPred;
  std::vector<std::int64_t> dimensions_ = {0};
  std::int64_t element_count_ = 0;
  std::int64_t element_bytes_ = 1;
  std::int64_t byte_size_ = 0;
  Storage storage_;
  Buffer buffer_;
};

// The number of elements; an error of kind kExhausted if it does not fit int64.
[[nodiscard]] Result<std::int64_t> element_count(std::span<const std::int64_t> dimensions);
// The bytes that such a tensor takes; an error of kind kExhausted if they do not fit int64.
[[nodiscard]] Result<std::int64_t> byte_size(hlo::ElementType element_type,
                                             std::span<const std::int64_t> dimensions,
                                             const Storage& storage = {});

// The same tensor stored in another way; shares the memory if it is stored so already. Errors of
// kind kExhausted, and kInterrupted soon after a stop is requested.
[[nodiscard]] Result<Tensor> with_storage(const Tensor& tensor, const Storage& storage,
                                          const MemoryPool& pool, const std::stop_token& stop = {});

// The value of a literal of an array. An error of kind kUnsupported if it is elided.
[[nodiscard]] Result<Tensor> tensor_of(const hlo::Literal& literal, const MemoryPool& pool);
// A literal that shows the elements of a dense tensor: valid as long as the tensor and `arena`.
[[nodiscard]] hlo::Literal literal_of(const Tensor& tensor, Arena& arena);

// For each dimension of a row-major array, the elements between neighbours along it.
[[nodiscard]] std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> dimensions);
// The same for an array that is stored in any way.
[[nodiscard]] std::vector<std::int64_t> element_strides(std::span<const std::int64_t> dimensions,
                                                        const Storage& storage);

// f32[2,3]
[[nodiscard]] std::string type_text(const Tensor& tensor);

}  // namespace mercator::runtime
