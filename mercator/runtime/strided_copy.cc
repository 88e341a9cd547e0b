#include "mercator/runtime/strided_copy.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

namespace mercator::runtime {
namespace {

// Strides in bytes. On its own it is compiled for strides of one element, too, which is faster.
template <std::size_t kBytes>
[[gnu::noinline]] void copy_row(std::int64_t count, const std::byte* from, std::int64_t from_stride,
                                std::byte* to, std::int64_t to_stride) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, kBytes);
  }
}

// Elements of kBytes bytes.
template <std::size_t kBytes>
Result<void> copy(std::span<const std::int64_t> sizes, const Tensor& source,
                  const StridedPlaces& from, Tensor& target, const StridedPlaces& to,
                  const std::stop_token& stop) {
  constexpr auto kStep = static_cast<std::int64_t>(kBytes);
  const std::byte* const read = source.bytes().data();
  std::byte* const written = target.mutable_bytes().data();
  const std::int64_t from_stride = sizes.empty() ? 0 : from.strides.back() * kStep;
  const std::int64_t to_stride = sizes.empty() ? 0 : to.strides.back() * kStep;
  return for_each_row(sizes, from, to, stop,
                      [=](std::int64_t count, std::int64_t first, std::int64_t place) {
                        copy_row<kBytes>(count, read + first * kStep, from_stride,
                                         written + place * kStep, to_stride);
                      });
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

Result<void> copy_elements(std::span<const std::int64_t> sizes, const Tensor& source,
                           const StridedPlaces& from, Tensor& target, const StridedPlaces& to,
                           const std::stop_token& stop) {
  switch (hlo::element_bytes(source.element_type())) {
    case 1:
      return copy<1>(sizes, source, from, target, to, stop);
    case 2:
      return copy<2>(sizes, source, from, target, to, stop);
    case 4:
      return copy<4>(sizes, source, from, target, to, stop);
    case 8:
      return copy<8>(sizes, source, from, target, to, stop);
    default:
      return copy<16>(sizes, source, from, target, to, stop);
  }
}

Result<void> fill_elements(const Tensor& scalar, Tensor& target, const std::stop_token& stop) {
  return copy_elements(std::vector{target.element_count()}, scalar, {.strides = {0}}, target,
                       {.strides = {1}}, stop);
}

Result<Tensor> writable(Tensor tensor, const RunContext& context) {
  if (tensor.buffer().is_exclusive()) return tensor;
  const std::span<const std::int64_t> sizes = tensor.dimensions();
  Tensor copy = MERCATOR_TRY(
      Tensor::allocate(tensor.element_type(), {sizes.begin(), sizes.end()}, context.pool));
  // Large pieces are copied past the caches.
  constexpr std::size_t kMostAtOnce = std::size_t{64} << 20;
  const std::span<const std::byte> from = tensor.bytes();
  for (std::size_t i = 0; i < from.size(); i += kMostAtOnce) {
    MERCATOR_TRY_VOID(check_stop(context.stop));
    const std::size_t count = std::min(from.size() - i, kMostAtOnce);
    std::memcpy(copy.mutable_bytes().data() + i, from.data() + i, count);
  }
  return copy;
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
