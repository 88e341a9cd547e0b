#include "mercator/expr/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

// Ends are computed in 128 bits. An infinite end is one more than the largest finite one in
// magnitude there, so that multiplying it never gives a finite bound. Only a lower end can be minus
// infinity and only an upper end plus infinity: a lower end INT64_MAX, left by saturation, is that
// number.
using Wide = __int128;

constexpr Wide kWidePlusInfinity = Wide{1} << 63;

Wide widen_lower(std::int64_t end) { return end; }
Wide widen_upper(std::int64_t end) {
  return end == Interval::kPlusInfinity ? kWidePlusInfinity : Wide{end};
}

// Rounds towards the inside of int64: a lower bound that is too large for it becomes the largest
// value, a smaller one and thus still a bound.
std::int64_t narrow(Wide end) {
  if (end <= Wide{Interval::kMinusInfinity}) return Interval::kMinusInfinity;
  if (end >= Wide{Interval::kPlusInfinity}) return Interval::kPlusInfinity;
  return static_cast<std::int64_t>(end);
}

std::int64_t add_lower(std::int64_t a, std::int64_t b) {
  if (a == Interval::kMinusInfinity || b == Interval::kMinusInfinity) {
    return Interval::kMinusInfinity;
  }
  return narrow(widen_lower(a) + widen_lower(b));
}

std::int64_t add_upper(std::int64_t a, std::int64_t b) {
  if (a == Interval::kPlusInfinity || b == Interval::kPlusInfinity) return Interval::kPlusInfinity;
  return narrow(widen_upper(a) + widen_upper(b));
}

Wide wide_floor_div(Wide a, Wide b) {
  const Wide q = a / b;
  return q - static_cast<Wide>(a % b != 0 && (a < 0) != (b < 0));
}

// For b > 0: the quotient rises with a, and its extremes over b are at the ends of b.
Interval floor_div_positive(Interval a, Interval b) {
  Interval q = Interval::all();
  if (a.lo != Interval::kMinusInfinity) {
    const Wide lo = widen_lower(a.lo);
    q.lo = narrow(std::min(wide_floor_div(lo, b.lo), wide_floor_div(lo, widen_upper(b.hi))));
  }
  if (a.hi != Interval::kPlusInfinity) {
    const Wide hi = widen_upper(a.hi);
    q.hi = narrow(std::max(wide_floor_div(hi, b.lo), wide_floor_div(hi, widen_upper(b.hi))));
  }
  return q;
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

Interval hull(Interval a, Interval b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Interval internal::add_saturating(Interval a, Interval b) {
  if (a.is_empty() || b.is_empty()) return Interval::empty();
  return {add_lower(a.lo, b.lo), add_upper(a.hi, b.hi)};
}

Interval operator-(Interval a) {
  if (a.is_empty()) return Interval::empty();
  return {narrow(-widen_upper(a.hi)), narrow(-widen_lower(a.lo))};
}

Interval operator-(Interval a, Interval b) { return a + -b; }

Interval operator*(Interval a, Interval b) {
  if (a.is_empty() || b.is_empty()) return Interval::empty();
  const Wide ends[] = {widen_lower(a.lo) * widen_lower(b.lo), widen_lower(a.lo) * widen_upper(b.hi),
                       widen_upper(a.hi) * widen_lower(b.lo),
                       widen_upper(a.hi) * widen_upper(b.hi)};
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
  if (!positive.is_empty()) result = floor_div_positive(a, positive);
  // x floordiv -n = (-x) floordiv n.
  const Interval negative = negative_part(b);
  if (!negative.is_empty()) result = hull(result, floor_div_positive(-a, -negative));
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

void LinearRange::add_saturating(Interval interval, std::int64_t coefficient) {
  is_plain_ = false;
  range_ = range_ + interval * coefficient;
}

std::string to_string(Interval interval) {
  return fmt::format("[{}, {}]", interval.lo, interval.hi);
}

}  // namespace mercator
