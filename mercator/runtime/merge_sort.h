// A stable sort that ends, and stays within its array, whatever the comparison says.

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "mercator/support/error.h"

namespace mercator::runtime {

// Merges the sorted halves of `elements` before and from `middle` on, which lie in `from`, into
// `into`. Of elements that are equal those of the first half come first.
template <class T, class Less>
[[nodiscard]] Result<void> merge_halves(std::span<const T> from, std::size_t middle,
                                        std::span<T> into, Less& less) {
  std::size_t left = 0;
  std::size_t right = middle;
  for (T& target : into) {
    const bool takes_right =
        left == middle || (right < from.size() && MERCATOR_TRY(less(from[right], from[left])));
    target = takes_right ? from[right++] : from[left++];
  }
  return {};
}

// Sorts `elements` by `less`, which gives a Result<bool>, the first error of which ends the sort;
// then the elements are in no particular order. `scratch` has as many elements. If `less` is no
// strict weak order, the result is some permutation.
template <class T, class Less>
[[nodiscard]] Result<void> merge_sort(std::span<T> elements, std::span<T> scratch, Less less) {
  std::span<T> from = elements;
  std::span<T> into = scratch;
  for (std::size_t half = 1; half < elements.size(); half *= 2) {
    for (std::size_t begin = 0; begin < elements.size(); begin += 2 * half) {
      const std::size_t size = std::min(2 * half, elements.size() - begin);
      const std::size_t middle = std::min(half, size);
      MERCATOR_TRY_VOID(
          merge_halves<T>(from.subspan(begin, size), middle, into.subspan(begin, size), less));
    }
    std::swap(from, into);
  }
  if (from.data() != elements.data()) std::ranges::copy(from, elements.begin());
  return {};
}

}  // namespace mercator::runtime
