// Sorting what is mostly short.

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace mercator {

// Sorts by insertion what is short, which needs no call and is fast where little is out of order.
// Elements that are equal by `less` may end up in any order.
template <class T, class Less>
void sort_short(std::span<T> elements, Less less) {
  constexpr std::size_t kShort = 16;
  if (elements.size() > kShort) {
    if (!std::is_sorted(elements.begin(), elements.end(), less)) {
      std::sort(elements.begin(), elements.end(), less);
    }
    return;
  }
  for (std::size_t i = 1; i < elements.size(); ++i) {
    const T element = elements[i];
    std::size_t place = i;
    for (; place > 0 && less(element, elements[place - 1]); --place) {
      elements[place] = elements[place - 1];
    }
    elements[place] = element;
  }
}

}  // namespace mercator
