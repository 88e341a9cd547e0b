// A bump allocator: memory that is given back all at once, when the arena dies.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mercator {

// Owns what it hands out. Runs no destructors, hence takes trivially destructible types only.
// Addresses stay valid when the arena is moved.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept { *this = std::move(other); }
  Arena& operator=(Arena&& other) noexcept {
    blocks_ = std::move(other.blocks_);
    next_ = std::exchange(other.next_, nullptr);
    end_ = std::exchange(other.end_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `size` bytes aligned to `alignment`, a power of two that is at most that of std::max_align_t.
  void* allocate(std::size_t size, std::size_t alignment) {
    const auto room = static_cast<std::size_t>(end_ - next_);
    std::size_t padding = padding_for(next_, alignment);
    if (next_ == nullptr || padding > room || size > room - padding) {
      grow(size);
      padding = 0;
    }
    std::byte* start = next_ + padding;
    next_ = start + size;
    return start;
  }

  // A copy of `elements`, owned by the arena.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  std::span<const T> copy(std::span<const T> elements) {
    if (elements.empty()) return {};
    auto* data = static_cast<T*>(allocate(elements.size_bytes(), alignof(T)));
    std::memcpy(data, elements.data(), elements.size_bytes());
    return {data, elements.size()};
  }
  // A copy of `text`, owned by the arena.
  std::string_view copy(std::string_view text) {
    const std::span<const char> chars = copy(std::span<const char>(text.data(), text.size()));
    return {chars.data(), chars.size()};
  }

  // `count` value-initialised objects. Requires that their size fits std::size_t.
  template <class T>
    requires std::is_trivially_destructible_v<T>
  std::span<T> make_array(std::size_t count) {
    if (count == 0) return {};
    auto* data = static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(data, count);
    return {data, count};
  }

  // One object, made from `args`.
  template <class T, class... Args>
    requires std::is_trivially_destructible_v<T>
  T* make(Args&&... args) {
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  // Bytes taken from the system so far.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  // Bytes to skip from `p` to the next multiple of `alignment`.
  static std::size_t padding_for(const std::byte* p, std::size_t alignment) {
    return -reinterpret_cast<std::uintptr_t>(p) & (alignment - 1);
  }
  void grow(std::size_t at_least) {
    constexpr std::size_t kBlock = std::size_t{64} << 10;
    // Blocks double, so that a large module takes few of them.
    const std::size_t size = std::max({kBlock, bytes_, at_least});
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    next_ = blocks_.back().get();
    end_ = next_ + size;
    bytes_ += size;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mercator
