// A vector whose first elements lie in the object itself, so that short ones take no memory from
// the heap.

#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace mercator {

// Of plain data. Grows like std::vector once it has more than `kInline` elements.
template <class T, std::size_t kInline>
  requires std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>
class InlineVector {
 public:
  InlineVector() noexcept {}
  InlineVector(std::initializer_list<T> elements) {
    append(std::span<const T>(elements.begin(), elements.size()));
  }
  explicit InlineVector(std::span<const T> elements) { append(elements); }
  // Of so many elements that have no value yet.
  explicit InlineVector(std::size_t size) {
    if (size > capacity_) grow(size);
    size_ = static_cast<std::uint32_t>(size);
  }
  InlineVector(const InlineVector& other) { append(std::span<const T>(other)); }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) {
      clear();
      append(std::span<const T>(other));
    }
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      free_heap();
      take(other);
    }
    return *this;
  }
  ~InlineVector() { free_heap(); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] T& operator[](std::size_t i) {
    assert(i < size_);
    return data_[i];
  }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    assert(i < size_);
    return data_[i];
  }
  [[nodiscard]] T& back() { return data_[size_ - 1]; }
  [[nodiscard]] const T& back() const { return data_[size_ - 1]; }
  operator std::span<const T>() const {
    return {data_, size_};
  }  // NOLINT(google-explicit-constructor)

  void push_back(T element) {
    if (size_ == capacity_) grow(std::size_t{size_} + 1);
    data_[size_++] = element;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  // Requires that `size` is at most size().
  void truncate(std::size_t size) {
    assert(size <= size_);
    size_ = static_cast<std::uint32_t>(size);
  }
  void append(std::span<const T> elements) {
    if (elements.size() > capacity_ - size_) grow(size_ + elements.size());
    if (!elements.empty()) std::memcpy(data_ + size_, elements.data(), elements.size_bytes());
    size_ += static_cast<std::uint32_t>(elements.size());
  }
  void erase_at(std::size_t i) {
    assert(i < size_);
    std::copy(data_ + i + 1, data_ + size_, data_ + i);
    --size_;
  }

 private:
  // Rare, and kept out of the code around it, which is to stay small.
  [[gnu::noinline, gnu::cold]] void grow(std::size_t at_least) {
    const std::size_t capacity = std::max(at_least, 2 * std::size_t{capacity_});
    assert(capacity <= std::numeric_limits<std::uint32_t>::max());
    T* const larger = new T[capacity];
    std::copy(data_, data_ + size_, larger);
    free_heap();
    data_ = larger;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  void free_heap() {
    if (capacity_ != kInline) delete[] data_;
  }
  void take(InlineVector& other) noexcept {
    size_ = other.size_;
    if (other.capacity_ != kInline) {
      data_ = other.data_;
      capacity_ = other.capacity_;
    } else {
      data_ = inline_data();
      capacity_ = kInline;
      std::copy(other.data_, other.data_ + size_, data_);
    }
    other.data_ = other.inline_data();
    other.size_ = 0;
    other.capacity_ = kInline;
  }
  T* inline_data() { return std::launder(reinterpret_cast<T*>(storage_)); }

  alignas(T) std::byte storage_[kInline * sizeof(T)];
  T* data_ = inline_data();
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInline;  // otherwise, `data_` lies on the heap
};

}  // namespace mercator
