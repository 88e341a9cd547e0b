// Walks over the indices of an array, and where the elements lie in other arrays meanwhile.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mercator::runtime {

// Visits the indices below `sizes` in row-major order; without dimensions that is one index. Along
// with them goes one offset for each of `kArrays` arrays, which is 0 at the first index and
// `strides[array][d]` more at the next index of dimension d. Strides may be zero or negative.
template <std::size_t kArrays>
class IndexWalk {
 public:
  using Strides = std::span<const std::int64_t>;

  IndexWalk(std::span<const std::int64_t> sizes, const std::array<Strides, kArrays>& strides) {
    restart(sizes, strides);
  }
  // Of no indices.
  IndexWalk() { restart(std::array<std::int64_t, 1>{0}, empty_strides()); }

  // From the first index on.
  void restart() {
    index_.assign(sizes_.size(), 0);
    offsets_.fill(0);
    at_end_ = std::ranges::find(sizes_, 0) != sizes_.end();
  }
  // The same over other indices, in the memory that it has.
  void restart(std::span<const std::int64_t> sizes, const std::array<Strides, kArrays>& strides) {
    sizes_.assign(sizes.begin(), sizes.end());
    for (std::size_t i = 0; i < kArrays; ++i) {
      strides_[i].assign(strides[i].begin(), strides[i].end());
    }
    restart();
  }

  [[nodiscard]] bool at_end() const { return at_end_; }
  // Requires, like the others below, that it is not at the end.
  void next() {
    for (std::size_t d = sizes_.size(); d-- > 0;) {
      const bool is_inside = ++index_[d] < sizes_[d];
      const std::int64_t steps = is_inside ? 1 : 1 - sizes_[d];
      for (std::size_t i = 0; i < kArrays; ++i) offsets_[i] += steps * strides_[i][d];
      if (is_inside) return;
      index_[d] = 0;
    }
    at_end_ = true;
  }
  [[nodiscard]] std::span<const std::int64_t> index() const { return index_; }
  [[nodiscard]] std::int64_t offset(std::size_t array) const { return offsets_[array]; }

 private:
  static std::array<Strides, kArrays> empty_strides() {
    static constexpr std::array<std::int64_t, 1> kNone = {0};
    std::array<Strides, kArrays> strides;
    strides.fill(kNone);
    return strides;
  }

  std::vector<std::int64_t> sizes_;
  std::array<std::vector<std::int64_t>, kArrays> strides_;
  std::vector<std::int64_t> index_;
  std::array<std::int64_t, kArrays> offsets_{};
  bool at_end_ = false;
};

}  // namespace mercator::runtime
