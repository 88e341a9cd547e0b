#include "mercator/runtime/strided_copy.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

namespace mercator::runtime {
namespace {

template <std::size_t kBytes>
void copy_row(std::int64_t count, const std::byte* from, std::int64_t from_stride, std::byte* to,
              std::int64_t to_stride) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, kBytes);
  }
}

// Strides in bytes.
using CopyRow = void (*)(std::int64_t count, const std::byte* from, std::int64_t from_stride,
                         std::byte* to, std::int64_t to_stride);

CopyRow copy_row_function(std::int64_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return copy_row<1>;
    case 2:
      return copy_row<2>;
    case 4:
      return copy_row<4>;
    case 8:
      return copy_row<8>;
    default:
      return copy_row<16>;
  }
}

template <class T>
std::int64_t load_integer(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<std::int64_t>(
        std::min<std::uint64_t>(value, static_cast<std::uint64_t>(kLargest)));
  } else {
    return value;
  }
}

}  // namespace

void copy_elements(std::span<const std::int64_t> sizes, const Tensor& source,
                   const StridedPlaces& from, Tensor& target, const StridedPlaces& to) {
  if (std::ranges::find(sizes, 0) != sizes.end()) return;
  const std::int64_t bytes = hlo::element_bytes(source.element_type());
  const CopyRow copy_row = copy_row_function(bytes);
  const std::byte* read = source.bytes().data() + from.first * bytes;
  std::byte* write = target.mutable_bytes().data() + to.first * bytes;
  if (sizes.empty()) return copy_row(1, read, 0, write, 0);

  const std::size_t inner = sizes.size() - 1;
  std::vector<std::int64_t> index(sizes.size(), 0);
  while (true) {
    copy_row(sizes[inner], read, from.strides[inner] * bytes, write, to.strides[inner] * bytes);
    std::size_t d = inner;
    while (d > 0) {
      --d;
      read += from.strides[d] * bytes;
      write += to.strides[d] * bytes;
      if (++index[d] < sizes[d]) break;
      read -= from.strides[d] * bytes * sizes[d];
      write -= to.strides[d] * bytes * sizes[d];
      index[d] = 0;
      if (d == 0) return;
    }
    if (inner == 0) return;
  }
}

void fill_elements(const Tensor& scalar, Tensor& target) {
  copy_elements(std::vector{target.element_count()}, scalar, {.strides = {0}}, target,
                {.strides = {1}});
}

std::int64_t integer_element(const Tensor& tensor, std::int64_t index) {
  const std::byte* const element = tensor.element(index);
  const bool is_signed = hlo::is_signed(tensor.element_type());
  switch (hlo::element_bytes(tensor.element_type())) {
    case 1:
      return is_signed ? load_integer<std::int8_t>(element) : load_integer<std::uint8_t>(element);
    case 2:
      return is_signed ? load_integer<std::int16_t>(element) : load_integer<std::uint16_t>(element);
    case 4:
      return is_signed ? load_integer<std::int32_t>(element) : load_integer<std::uint32_t>(element);
    default:
      return is_signed ? load_integer<std::int64_t>(element) : load_integer<std::uint64_t>(element);
  }
}

}  // namespace mercator::runtime
