// A perfectly ordinary hash table from names to small numbers, built by the compiler.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mercator::hlo {

// Finds the place of a name in a fixed list of distinct names. Built in constant expressions only.
template <std::size_t kCount>
class NameIndex {
 public:
  consteval explicit NameIndex(const std::array<std::string_view, kCount>& names) : names_(names) {
    for (std::size_t i = 0; i < kCount; ++i) {
      std::size_t slot = hash(names[i]) % kSlots;
      while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
      slots_[slot] = static_cast<std::uint16_t>(i + 1);
    }
  }

  // The place of `name`; -1 if it is not in the list.
  [[nodiscard]] constexpr int find(std::string_view name) const {
    if (name.empty()) return -1;
    for (std::size_t slot = hash(name) % kSlots; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
      const std::size_t i = slots_[slot] - 1u;
      if (names_[i] == name) return static_cast<int>(i);
    }
    return -1;
  }

  [[nodiscard]] constexpr std::string_view operator[](std::size_t i) const { return names_[i]; }
  [[nodiscard]] static constexpr std::size_t size() { return kCount; }

 private:
  static constexpr std::size_t kSlots = std::bit_ceil(kCount * 4);

  // Mixes the length and a few characters: enough to tell names of HLO apart.
  static constexpr std::uint32_t hash(std::string_view name) {
    const std::size_t n = name.size();
    std::uint32_t h = static_cast<std::uint32_t>(n);
    for (const std::size_t i : {std::size_t{0}, n / 3, n / 2, n - 1, (n - 1) - (n - 1) / 4}) {
      h = (h ^ static_cast<unsigned char>(name[i])) * 0x9E3779B1u;
      h ^= h >> 15;
    }
    return h;
  }

  std::array<std::string_view, kCount> names_;
  std::array<std::uint16_t, kSlots> slots_{};
};

}  // namespace mercator::hlo
