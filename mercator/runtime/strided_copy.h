// Copies elements between arrays that are walked with strides: what every movement of data is.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercator/runtime/tensor.h"

namespace mercator::runtime {

// Where the elements of a walk over an array lie: the first, and for each dimension of the walk the
// elements from one to the next. Strides may be zero or negative.
struct StridedPlaces {
  std::int64_t first = 0;
  std::vector<std::int64_t> strides;
};

// Copies `sizes[0] * sizes[1] * …` elements of dense tensors of the same element type, from the
// places in `source` to those in `target`.
void copy_elements(std::span<const std::int64_t> sizes, const Tensor& source,
                   const StridedPlaces& from, Tensor& target, const StridedPlaces& to);

// Sets every element of a dense tensor to the one element of `scalar`.
void fill_elements(const Tensor& scalar, Tensor& target);

// Element `index` of a dense tensor of integers or pred; what is beyond int64 is the largest int64.
[[nodiscard]] std::int64_t integer_element(const Tensor& tensor, std::int64_t index);

}  // namespace mercator::runtime
