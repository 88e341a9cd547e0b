// Windows that slide over arrays: reduce-window, select-and-scatter, convolution.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercator/hlo/attribute.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// The elements of an array that a window at some place meets along one dimension, in ascending
// order: tap `first_tap + i * tap_step` of the window meets element `first_element + i *
// element_step` for i in [0, count - 1] (both steps are 0 if that is one). The other taps lie in
// padding, or between the elements of an array that is dilated.
struct WindowOverlap {
  std::int64_t count = 0;
  std::int64_t first_tap = 0;
  std::int64_t tap_step = 1;
  std::int64_t first_element = 0;
  std::int64_t element_step = 1;
};

// One dimension of a window and of the array that it slides over.
class WindowAxis {
 public:
  // Over an array of `size` elements. An error of kind kExhausted if the sizes do not fit int64.
  [[nodiscard]] static Result<WindowAxis> make(const hlo::WindowDimension& window,
                                               std::int64_t size);

  // At how many places the window lies inside the array, after dilation and padding.
  [[nodiscard]] std::int64_t places() const { return places_; }
  // For a place in [0, places() - 1].
  [[nodiscard]] WindowOverlap overlap(std::int64_t place) const;

 private:
  WindowAxis(const hlo::WindowDimension& window, std::int64_t size);

  hlo::WindowDimension window_;
  std::int64_t size_;
  std::int64_t places_ = 0;
  // Taps that meet elements are `tap_step_` apart, and these elements `element_step_`.
  std::int64_t tap_step_ = 1;
  std::int64_t element_step_ = 1;
  std::int64_t common_ = 1;   // the greatest common divisor of the dilations
  std::int64_t inverse_ = 0;  // of `element_step_` modulo `tap_step_`
};

// A window that slides over an array.
class SlidingWindow {
 public:
  // Over an array of these sizes, one for each dimension of the window. Errors as WindowAxis::make.
  [[nodiscard]] static Result<SlidingWindow> make(hlo::Window window,
                                                  std::span<const std::int64_t> sizes);

  // At how many places the window lies inside the array, along each dimension.
  [[nodiscard]] std::vector<std::int64_t> places() const;
  // What the window meets at a place, along each dimension: valid until the next call.
  [[nodiscard]] std::span<const WindowOverlap> overlaps(std::span<const std::int64_t> place);

 private:
  std::vector<WindowAxis> axes_;
  std::vector<std::int64_t> place_;  // of the overlaps; -1: not known
  std::vector<WindowOverlap> overlaps_;
};

}  // namespace mercator::runtime
