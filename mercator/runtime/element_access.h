// Elements of dense tensors as numbers of a type.

#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "mercator/hlo/literal.h"
#include "mercator/runtime/number.h"
#include "mercator/runtime/run_context.h"
#include "mercator/runtime/tensor.h"

namespace mercator::runtime {

// The conversion, or null where the types are the same.
[[nodiscard]] inline Convert convert_if_needed(hlo::ElementType from, hlo::ElementType to) {
  return from == to ? nullptr : convert_function(from, to);
}

// Reads the elements of a tensor, which must stay, as numbers of the type `as`.
class ElementReader {
 public:
  ElementReader(const Tensor& tensor, hlo::ElementType as)
      : data_(tensor.bytes().data()),
        bytes_(hlo::element_bytes(tensor.element_type())),
        load_(load_function(tensor.element_type())),
        convert_(convert_if_needed(tensor.element_type(), as)) {
    assert(tensor.is_dense());
  }

  // Element `index` in row-major order.
  [[nodiscard]] Number operator()(std::int64_t index) const {
    const Number number = load_(data_ + index * bytes_);
    return convert_ == nullptr ? number : convert_(number);
  }

 private:
  const std::byte* data_;
  std::int64_t bytes_;
  Load load_;
  Convert convert_;
};

// Writes numbers of the type `from` to the elements of a tensor, which must stay.
class ElementWriter {
 public:
  ElementWriter(Tensor& tensor, hlo::ElementType from)
      : data_(tensor.mutable_bytes().data()),
        bytes_(hlo::element_bytes(tensor.element_type())),
        store_(store_function(tensor.element_type())),
        convert_(convert_if_needed(from, tensor.element_type())) {
    assert(tensor.is_dense());
  }

  void operator()(std::int64_t index, const Number& number) const {
    store_(convert_ == nullptr ? number : convert_(number), data_ + index * bytes_);
  }

 private:
  std::byte* data_;
  std::int64_t bytes_;
  Store store_;
  Convert convert_;
};

// The same array of numbers of another type; shares the memory if it is the same. Errors of kind
// kExhausted and kInterrupted.
[[nodiscard]] Result<Tensor> converted(const Tensor& tensor, hlo::ElementType to,
                                       const RunContext& context);

}  // namespace mercator::runtime
