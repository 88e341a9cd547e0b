#include "mercator/runtime/sliding_window.h"

#include <algorithm>

#include "mercator/support/arithmetic.h"

namespace mercator::runtime {
namespace {

// Positions in an array that is dilated and padded fit int64, but not all sums on the way to them.
using Wide = __int128;

Wide ceil_quotient(Wide a, Wide b) { return a / b + (a % b > 0 ? 1 : 0); }
Wide floor_quotient(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }

// The number of positions from the first of `count` points to the last, where neighbours are
// `step` apart.
bool spread(std::int64_t count, std::int64_t step, std::int64_t* out) {
  *out = 0;
  return count == 0 || (checked_mul(count - 1, step, out) && checked_add(*out, 1, out));
}

}  // namespace

Result<WindowAxis> WindowAxis::make(const hlo::WindowDimension& window, std::int64_t size) {
  WindowAxis axis(window, size);
  std::int64_t padded = 0;
  std::int64_t extent = 0;
  if (!spread(size, window.base_dilation, &padded) ||
      !checked_add(padded, window.padding_low, &padded) ||
      !checked_add(padded, window.padding_high, &padded) ||
      !spread(window.size, window.window_dilation, &extent)) {
    return fail(ErrorKind::kExhausted, "the window is too large");
  }
  axis.places_ = padded < extent ? 0 : (padded - extent) / window.stride + 1;
  return axis;
}

WindowAxis::WindowAxis(const hlo::WindowDimension& window, std::int64_t size)
    : window_(window), size_(size), common_(gcd(window.base_dilation, window.window_dilation)) {
  tap_step_ = window.base_dilation / common_;
  element_step_ = window.window_dilation / common_;
  inverse_ = inverse_mod(element_step_ % tap_step_, tap_step_);
}

// With the dilations b of the array and w of the window, tap t of a window that begins at position
// p of the array meets element e if p + t * w = e * b. So b divides p + t * w: with their common
// divisor g, which must divide p, t = -(p / g) * inverse of (w / g), modulo b / g.
WindowOverlap WindowAxis::overlap(std::int64_t place) const {
  const Wide begin = Wide{place} * window_.stride - window_.padding_low;
  if (size_ == 0 || begin % common_ != 0) return {};
  const Wide last = Wide{size_ - 1} * window_.base_dilation;
  const Wide from = std::max<Wide>(0, ceil_quotient(-begin, window_.window_dilation));
  const Wide to =
      std::min<Wide>(window_.size - 1, floor_quotient(last - begin, window_.window_dilation));
  const auto residue = static_cast<std::int64_t>(-(begin / common_) % tap_step_);
  const std::int64_t first_modulo =
      multiply_mod(floor_mod(residue, tap_step_), inverse_, tap_step_);
  const Wide first =
      from + floor_mod(static_cast<std::int64_t>((first_modulo - from) % tap_step_), tap_step_);
  if (first > to) return {};
  const auto count = static_cast<std::int64_t>((to - first) / tap_step_ + 1);
  const Wide element = (begin + first * window_.window_dilation) / window_.base_dilation;
  return {.count = count,
          .first_tap = static_cast<std::int64_t>(first),
          .tap_step = count > 1 ? tap_step_ : 0,
          .first_element = static_cast<std::int64_t>(element),
          .element_step = count > 1 ? element_step_ : 0};
}

Result<SlidingWindow> SlidingWindow::make(hlo::Window window, std::span<const std::int64_t> sizes) {
  SlidingWindow result;
  for (std::size_t d = 0; d < window.size(); ++d) {
    result.axes_.push_back(MERCATOR_TRY(WindowAxis::make(window[d], sizes[d])));
  }
  result.place_.assign(window.size(), -1);
  result.overlaps_.resize(window.size());
  return result;
}

std::vector<std::int64_t> SlidingWindow::places() const {
  std::vector<std::int64_t> places;
  for (const WindowAxis& axis : axes_) places.push_back(axis.places());
  return places;
}

std::span<const WindowOverlap> SlidingWindow::overlaps(std::span<const std::int64_t> place) {
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    if (place_[d] == place[d]) continue;
    place_[d] = place[d];
    overlaps_[d] = axes_[d].overlap(place[d]);
  }
  return overlaps_;
}

}  // namespace mercator::runtime
