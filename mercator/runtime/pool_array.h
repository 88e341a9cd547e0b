// Arrays of the interpreter's own, in the memory that tensors come from.

#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "mercator/runtime/memory.h"
#include "mercator/support/arithmetic.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

template <class T>
  requires std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>
class PoolArray {
 public:
  // Of no elements.
  PoolArray() = default;
  // Of `size` elements T{}. An error of kind kExhausted if there is not so much memory.
  [[nodiscard]] static Result<PoolArray> allocate(std::int64_t size, const MemoryPool& pool) {
    std::int64_t bytes = 0;
    if (!checked_mul(size, static_cast<std::int64_t>(sizeof(T)), &bytes)) {
      return fail(ErrorKind::kExhausted, "an array does not fit in memory");
    }
    return PoolArray(MERCATOR_TRY(pool.allocate(bytes)), static_cast<std::size_t>(size));
  }

  [[nodiscard]] std::span<T> elements() const { return elements_; }
  [[nodiscard]] T& operator[](std::size_t i) const {
    assert(i < elements_.size());
    return elements_[i];
  }

 private:
  PoolArray(Buffer buffer, std::size_t size)
      : buffer_(std::move(buffer)), elements_(reinterpret_cast<T*>(buffer_.data()), size) {
    std::uninitialized_value_construct(elements_.begin(), elements_.end());
  }

  Buffer buffer_;
  std::span<T> elements_;
};

}  // namespace mercator::runtime
