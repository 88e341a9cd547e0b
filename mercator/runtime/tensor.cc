#include "mercator/runtime/tensor.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/narrow_integer.h"
#include "mercator/runtime/strided_copy.h"
#include "mercator/support/arithmetic.h"

namespace mercator::runtime {
namespace {

// The bits from one element to the next.
std::int64_t element_bits(hlo::ElementType type, const Storage& storage) {
  const std::int64_t natural = 8 * hlo::element_bytes(type);
  return storage.packed ? std::min(natural, hlo::bit_width(type)) : natural;
}

std::int64_t next_stride(std::int64_t stride, std::int64_t size) {
  // Too large only where there are no elements, and then the stride leads nowhere.
  return checked_mul(stride, size, &stride) ? stride : 0;
}

// The low `bits` bits of an element that shares bytes with others.
std::byte read_packed(std::span<const std::byte> bytes, std::int64_t place, std::int64_t bits) {
  const std::int64_t first = place * bits;
  const auto byte = std::to_integer<unsigned>(bytes[static_cast<std::size_t>(first / 8)]);
  return static_cast<std::byte>((byte >> (first % 8)) & ((1U << bits) - 1));
}

void write_packed(std::span<std::byte> bytes, std::int64_t place, std::int64_t bits,
                  std::byte value) {
  const std::int64_t first = place * bits;
  const auto mask = static_cast<std::byte>(((1U << bits) - 1) << (first % 8));
  std::byte& byte = bytes[static_cast<std::size_t>(first / 8)];
  byte = (byte & ~mask) | ((value << static_cast<int>(first % 8)) & mask);
}

}  // namespace

Result<Storage> storage_of(const hlo::Shape& array) {
  Storage storage;
  storage.packed = hlo::bits_in_memory(array) < 8;
  if (array.layout == nullptr) return storage;
  if (!array.layout->tiles.empty()) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("layouts with tiles are not supported: {}", to_string(array)));
  }
  const std::span<const std::int64_t> order = array.layout->minor_to_major;
  const bool row_major = std::is_sorted(order.begin(), order.end(), std::greater<>());
  if (!row_major) storage.minor_to_major.assign(order.begin(), order.end());
  return storage;
}

Tensor::Tensor(hlo::ElementType element_type, std::vector<std::int64_t> dimensions, Buffer buffer,
               Storage storage)
    : element_type_(element_type),
      dimensions_(std::move(dimensions)),
      element_bytes_(hlo::element_bytes(element_type)),
      storage_(std::move(storage)),
      buffer_(std::move(buffer)) {
  const Result<std::int64_t> count = runtime::element_count(dimensions_);
  const Result<std::int64_t> bytes = byte_size(element_type_, dimensions_, storage_);
  assert(count.has_value() && bytes.has_value());
  element_count_ = count.value_or(0);
  byte_size_ = std::min(bytes.value_or(0), buffer_.size());
}

Result<Tensor> Tensor::allocate(hlo::ElementType element_type, std::vector<std::int64_t> dimensions,
                                const MemoryPool& pool) {
  const std::int64_t bytes = MERCATOR_TRY(byte_size(element_type, dimensions));
  return Tensor(element_type, std::move(dimensions), MERCATOR_TRY(pool.allocate(bytes)));
}

std::span<const std::byte> Tensor::bytes() const {
  return {buffer_.data(), static_cast<std::size_t>(byte_size_)};
}

std::span<std::byte> Tensor::mutable_bytes() {
  return {buffer_.data(), static_cast<std::size_t>(byte_size_)};
}

Tensor Tensor::reshaped(std::vector<std::int64_t> dimensions) const {
  assert(is_dense());
  Tensor result = *this;
  result.dimensions_ = std::move(dimensions);
  return result;
}

Result<std::int64_t> element_count(std::span<const std::int64_t> dimensions) {
  // An empty array has no elements, however large its other dimensions are.
  if (std::ranges::find(dimensions, 0) != dimensions.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t size : dimensions) {
    if (!checked_mul(count, size, &count)) {
      return fail(ErrorKind::kExhausted,
                  fmt::format("[{}] has too many elements", fmt::join(dimensions, ",")));
    }
  }
  return count;
}

Result<std::int64_t> byte_size(hlo::ElementType element_type,
                               std::span<const std::int64_t> dimensions, const Storage& storage) {
  const std::int64_t count = MERCATOR_TRY(element_count(dimensions));
  const std::int64_t bits = element_bits(element_type, storage);
  if (bits < 8) return ceil_div(count, 8 / bits);
  std::int64_t bytes = 0;
  if (!checked_mul(count, bits / 8, &bytes)) {
    return fail(ErrorKind::kExhausted,
                fmt::format("{}[{}] does not fit in memory", hlo::name(element_type),
                            fmt::join(dimensions, ",")));
  }
  return bytes;
}

Result<Tensor> with_storage(const Tensor& tensor, const Storage& storage, const MemoryPool& pool,
                            const std::stop_token& stop) {
  const hlo::ElementType type = tensor.element_type();
  const std::int64_t from_bits = element_bits(type, tensor.storage());
  const std::int64_t to_bits = element_bits(type, storage);
  const std::vector<std::int64_t> from = element_strides(tensor.dimensions(), tensor.storage());
  const std::vector<std::int64_t> to = element_strides(tensor.dimensions(), storage);
  const std::vector<std::int64_t> dimensions(tensor.dimensions().begin(),
                                             tensor.dimensions().end());
  if (from_bits == to_bits && from == to) {
    return Tensor(type, dimensions, tensor.buffer(), storage);
  }

  const std::int64_t size = MERCATOR_TRY(byte_size(type, dimensions, storage));
  Tensor result(type, dimensions, MERCATOR_TRY(pool.allocate(size)), storage);
  if (from_bits >= 8 && to_bits >= 8) {
    MERCATOR_TRY_VOID(
        copy_elements(dimensions, tensor, {.strides = from}, result, {.strides = to}, stop));
    return result;
  }

  const std::span<const std::byte> source = tensor.bytes();
  const std::span<std::byte> target = result.mutable_bytes();
  std::ranges::fill(target, std::byte{0});
  const std::int64_t from_stride = from.empty() ? 0 : from.back();
  const std::int64_t to_stride = to.empty() ? 0 : to.back();
  const bool is_signed = hlo::is_signed(type);
  MERCATOR_TRY_VOID(for_each_row(
      dimensions, {.strides = from}, {.strides = to}, stop,
      [&](std::int64_t count, std::int64_t read, std::int64_t written) {
        for (std::int64_t i = 0; i < count; ++i, read += from_stride, written += to_stride) {
          const std::byte low = from_bits < 8 ? read_packed(source, read, from_bits)
                                              : source[static_cast<std::size_t>(read)];
          if (to_bits < 8) {
            write_packed(target, written, to_bits, low);
          } else {
            target[static_cast<std::size_t>(written)] =
                extended(low, static_cast<int>(from_bits), is_signed);
          }
        }
      }));
  return result;
}

Result<Tensor> tensor_of(const hlo::Literal& literal, const MemoryPool& pool) {
  if (literal.elided) {
    return fail(ErrorKind::kUnsupported,
                "the value of the constant was left out where the program was printed ({...})");
  }
  const std::span<const std::int64_t> dimensions = literal.shape.dimensions;
  Tensor tensor = MERCATOR_TRY(
      Tensor::allocate(literal.shape.element_type, {dimensions.begin(), dimensions.end()}, pool));
  const std::span<std::byte> bytes = tensor.mutable_bytes();
  if (!literal.splat) {
    std::ranges::copy(literal.data, bytes.begin());
    return tensor;
  }
  for (std::size_t i = 0; i < bytes.size(); i += literal.data.size()) {
    std::ranges::copy(literal.data, bytes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return tensor;
}

hlo::Literal literal_of(const Tensor& tensor, Arena& arena) {
  assert(tensor.is_dense());
  return {.shape = hlo::array_shape(tensor.element_type(), tensor.dimensions(), arena),
          .data = tensor.bytes()};
}

std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> dimensions) {
  std::vector<std::int64_t> result(dimensions.size(), 0);
  // The product of the other sizes of an array without elements may leave int64.
  if (std::ranges::find(dimensions, 0) != dimensions.end()) return result;
  std::int64_t stride = 1;
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    result[d] = stride;
    stride *= dimensions[d];
  }
  return result;
}

std::vector<std::int64_t> element_strides(std::span<const std::int64_t> dimensions,
                                          const Storage& storage) {
  if (storage.minor_to_major.empty()) return row_major_strides(dimensions);
  std::vector<std::int64_t> result(dimensions.size());
  std::int64_t stride = 1;
  for (const std::int64_t d : storage.minor_to_major) {
    result[static_cast<std::size_t>(d)] = stride;
    stride = next_stride(stride, dimensions[static_cast<std::size_t>(d)]);
  }
  return result;
}

std::string type_text(const Tensor& tensor) {
  return fmt::format("{}[{}]", hlo::name(tensor.element_type()),
                     fmt::join(tensor.dimensions(), ","));
}

}  // namespace mercator::runtime
