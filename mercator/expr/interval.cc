#include "mercator/expr/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

// Ends are computed in 128 bits, where plus infinity is 2^63: one more than the largest finite
// bound, so that multiplying it never gives a finite bound.
using Wide = __int128;

constexpr Wide kWideInfinity = Wide{1} << 63;

Wide widen(std::int64_t end) { return end == Interval::kPlusInfinity ? kWideInfinity : Wide{end}; }

std::int64_t narrow(Wide end) {
  if (end <= Wide{Interval::kMinusInfinity}) return Interval::kMinusInfinity;
  if (end >= kWideInfinity) return Interval::kPlusInfinity;
  return static_cast<std::int64_t>(end);
}

std::int64_t add_lower(std::int64_t a, std::int64_t b) {
  if (a == Interval::kMinusInfinity || b == Interval::kMinusInfinity) {
    return Interval::kMinusInfinity;
  }
  return narrow(widen(a) + widen(b));
}

std::int64_t add_upper(std::int64_t a, std::int64_t b) {
  if (a == Interval::kPlusInfinity || b == Interval::kPlusInfinity) return Interval::kPlusInfinity;
  return narrow(widen(a) + widen(b));
}

bool is_infinite(std::int64_t end) {
  return end == Interval::kMinusInfinity || end == Interval::kPlusInfinity;
}

// The end of a quotient; `b` is not zero.
std::int64_t divide_end(std::int64_t a, std::int64_t b) {
  if (is_infinite(a)) {
    return (a > 0) == (b > 0) ? Interval::kPlusInfinity : Interval::kMinusInfinity;
  }
  const Wide x = a;
  const Wide y = widen(b);
  const Wide q = x / y;
  return narrow(q - static_cast<Wide>(x % y != 0 && (x < 0) != (y < 0)));
}

// For b without zero: the quotient is monotone in each argument on either side of zero, so that its
// extremes lie at corners.
Interval floor_div_nonzero(Interval a, Interval b) {
  const std::int64_t ends[] = {divide_end(a.lo, b.lo), divide_end(a.lo, b.hi),
                               divide_end(a.hi, b.lo), divide_end(a.hi, b.hi)};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

Interval positive_part(Interval a) { return intersect(a, {1, Interval::kPlusInfinity}); }
Interval negative_part(Interval a) { return intersect(a, {Interval::kMinusInfinity, -1}); }

// For b > 0.
Interval floor_mod_positive(Interval a, Interval b) {
  if (b.lo == b.hi && b.is_bounded() && a.is_bounded()) {
    if (floor_div(a.lo, b.lo) == floor_div(a.hi, b.lo)) {
      return {floor_mod(a.lo, b.lo), floor_mod(a.hi, b.lo)};
    }
  }
  if (a.lo >= 0 && a.hi < b.lo) return a;
  const std::int64_t below_divisor =
      b.hi == Interval::kPlusInfinity ? Interval::kPlusInfinity : b.hi - 1;
  return {0, a.lo >= 0 ? std::min(a.hi, below_divisor) : below_divisor};
}

}  // namespace

std::int64_t Interval::size() const {
  if (is_empty()) return 0;
  if (!is_bounded()) return kPlusInfinity;
  return narrow(Wide{hi} - Wide{lo} + 1);
}

Interval intersect(Interval a, Interval b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }

Interval hull(Interval a, Interval b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Interval operator+(Interval a, Interval b) {
  if (a.is_empty() || b.is_empty()) return Interval::empty();
  return {add_lower(a.lo, b.lo), add_upper(a.hi, b.hi)};
}

Interval operator-(Interval a) {
  if (a.is_empty()) return Interval::empty();
  return {narrow(-widen(a.hi)), narrow(-widen(a.lo))};
}

Interval operator-(Interval a, Interval b) { return a + -b; }

Interval operator*(Interval a, Interval b) {
  if (a.is_empty() || b.is_empty()) return Interval::empty();
  const Wide ends[] = {widen(a.lo) * widen(b.lo), widen(a.lo) * widen(b.hi),
                       widen(a.hi) * widen(b.lo), widen(a.hi) * widen(b.hi)};
  return {narrow(*std::min_element(ends, ends + 4)), narrow(*std::max_element(ends, ends + 4))};
}

Interval min(Interval a, Interval b) {
  if (a.is_empty() || b.is_empty()) return Interval::empty();
  return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
}

Interval max(Interval a, Interval b) {
  if (a.is_empty() || b.is_empty()) return Interval::empty();
  return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Interval floor_div(Interval a, Interval b) {
  if (a.is_empty()) return Interval::empty();
  Interval result = Interval::empty();
  const Interval positive = positive_part(b);
  if (!positive.is_empty()) result = floor_div_nonzero(a, positive);
  const Interval negative = negative_part(b);
  if (!negative.is_empty()) result = hull(result, floor_div_nonzero(a, negative));
  return result;
}

Interval floor_mod(Interval a, Interval b) {
  if (a.is_empty()) return Interval::empty();
  Interval result = Interval::empty();
  const Interval positive = positive_part(b);
  if (!positive.is_empty()) result = floor_mod_positive(a, positive);
  // x mod -n = -((-x) mod n).
  const Interval negative = negative_part(b);
  if (!negative.is_empty()) result = hull(result, -floor_mod_positive(-a, -negative));
  return result;
}

Interval divide_exactly_within(Interval range, std::int64_t k) {
  assert(k != 0);
  if (range.is_empty()) return Interval::empty();
  if (k < 0) {
    range = -range;
    if (k == Interval::kMinusInfinity) {
      // -k = 2^63 does not fit, but any bounded range holds at most the multiple 0.
      Interval x = range;
      if (range.lo != Interval::kMinusInfinity) x.lo = range.lo > 0 ? 1 : 0;
      if (range.hi != Interval::kPlusInfinity) x.hi = range.hi < 0 ? -1 : 0;
      return x;
    }
    k = -k;
  }
  Interval x = range;
  if (range.lo != Interval::kMinusInfinity) x.lo = ceil_div(range.lo, k);
  if (range.hi != Interval::kPlusInfinity) x.hi = floor_div(range.hi, k);
  return x;
}

std::string to_string(Interval interval) {
  return fmt::format("[{}, {}]", interval.lo, interval.hi);
}

}  // namespace mercator
