// What windows are, by the definition: an array is dilated, padded, and cut where padding is
// negative; a window, dilated too, slides over what comes out.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "mercator/hlo/attribute.h"
#include "test/support/random_draw.h"

namespace mercator::runtime {

// For each position of the dilated and padded array the element there; -1 if there is none.
inline std::vector<std::int64_t> padded_positions(const hlo::WindowDimension& window,
                                                  std::int64_t size) {
  std::vector<std::int64_t> dilated;
  for (std::int64_t i = 0; i < size; ++i) {
    if (i > 0)
      dilated.insert(dilated.end(), static_cast<std::size_t>(window.base_dilation - 1), -1);
    dilated.push_back(i);
  }
  std::vector<std::int64_t> padded;
  const auto length = static_cast<std::int64_t>(dilated.size());
  for (std::int64_t p = -window.padding_low; p < length + window.padding_high; ++p) {
    padded.push_back(p >= 0 && p < length ? dilated[static_cast<std::size_t>(p)] : -1);
  }
  return padded;
}

inline std::int64_t window_places(const hlo::WindowDimension& window, std::int64_t size) {
  const auto padded = static_cast<std::int64_t>(padded_positions(window, size).size());
  std::int64_t places = 0;
  while (places * window.stride + (window.size - 1) * window.window_dilation < padded) ++places;
  return places;
}

// The element of an array of `size` elements under a tap of the window at a place; -1 if there is
// none.
inline std::int64_t element_under(const hlo::WindowDimension& window, std::int64_t size,
                                  std::int64_t place, std::int64_t tap) {
  const std::int64_t position = place * window.stride + tap * window.window_dilation;
  return padded_positions(window, size)[static_cast<std::size_t>(position)];
}

inline hlo::WindowDimension random_window(const test::Draw& draw) {
  return {.size = draw(1, 3),
          .stride = draw(1, 3),
          .padding_low = draw(-2, 3),
          .padding_high = draw(-2, 3),
          .base_dilation = draw(1, 4),
          .window_dilation = draw(1, 4),
          .reversal = draw(0, 1) == 1};
}

// ", window={size=… …}"; nothing without dimensions.
inline std::string window_attribute(const std::vector<hlo::WindowDimension>& window,
                                    bool reversal = true) {
  if (window.empty()) return "";
  std::vector<std::vector<std::string>> parts(6);
  for (const hlo::WindowDimension& d : window) {
    parts[0].push_back(fmt::format("{}", d.size));
    parts[1].push_back(fmt::format("{}", d.stride));
    parts[2].push_back(fmt::format("{}_{}", d.padding_low, d.padding_high));
    parts[3].push_back(fmt::format("{}", d.base_dilation));
    parts[4].push_back(fmt::format("{}", d.window_dilation));
    parts[5].push_back(d.reversal ? "1" : "0");
  }
  const auto joined = [&](std::size_t i) { return fmt::format("{}", fmt::join(parts[i], "x")); };
  return fmt::format(", window={{size={} stride={} pad={} lhs_dilate={} rhs_dilate={}{}}}",
                     joined(0), joined(1), joined(2), joined(3), joined(4),
                     reversal ? " rhs_reversal=" + joined(5) : "");
}

}  // namespace mercator::runtime
