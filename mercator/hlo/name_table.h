// A hash table from names to the objects that carry them. Internal to the reader.

#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace mercator::hlo {

// Finds objects by their member `name`. Starting a new scope forgets all names at no cost, so that
// one table serves thousands of small computations.
template <class T>
class NameTable {
 public:
  static std::uint32_t hash(std::string_view name) {
    return static_cast<std::uint32_t>(XXH3_64bits(name.data(), name.size()));
  }

  void new_scope() {
    ++scope_;
    size_ = 0;
  }

  // The place that holds the object of that name, or null if there is none yet: the caller then
  // must fill it. Valid until the next call.
  T*& slot(std::string_view name) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    const std::uint32_t h = hash(name);
    std::size_t i = h & mask_;
    while (slots_[i].scope == scope_) {
      if (slots_[i].hash == h && slots_[i].object->name == name) return slots_[i].object;
      i = (i + 1) & mask_;
    }
    slots_[i] = {h, scope_, nullptr};
    ++size_;
    return slots_[i].object;
  }

  // The object of that name; null if there is none.
  [[nodiscard]] T* find(std::string_view name) const {
    if (slots_.empty()) return nullptr;
    const std::uint32_t h = hash(name);
    for (std::size_t i = h & mask_; slots_[i].scope == scope_; i = (i + 1) & mask_) {
      if (slots_[i].hash == h && slots_[i].object->name == name) return slots_[i].object;
    }
    return nullptr;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t scope = 0;
    T* object = nullptr;
  };

  void grow() {
    constexpr std::size_t kSmallest = 64;
    const std::vector<Slot> old = std::move(slots_);
    slots_ = std::vector<Slot>(old.empty() ? kSmallest : 2 * old.size());
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.scope != scope_) continue;
      std::size_t i = slot.hash & mask_;
      while (slots_[i].scope == scope_) i = (i + 1) & mask_;
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
  std::uint32_t scope_ = 1;
};

}  // namespace mercator::hlo
