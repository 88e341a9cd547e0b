// Closed ranges of int64 values, and how the operators of index expressions act on them.
//
// An interval stands for a set of integers: [3, 5] for {3, 4, 5}. The two ends of int64 mean "no
// bound": a lower end INT64_MIN is minus infinity and an upper end INT64_MAX plus infinity, and a
// bound that would leave int64 becomes infinite on its side. So an interval never claims more than
// is true.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "mercator/support/arithmetic.h"

namespace mercator {

struct Interval {
  static constexpr std::int64_t kMinusInfinity = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kPlusInfinity = std::numeric_limits<std::int64_t>::max();

  std::int64_t lo = kMinusInfinity;
  std::int64_t hi = kPlusInfinity;

  // All integers.
  static constexpr Interval all() { return {}; }
  static constexpr Interval point(std::int64_t value) { return {value, value}; }
  // {0, …, size - 1}: the indices of a dimension of `size` elements; empty for size 0.
  static constexpr Interval indices(std::int64_t size) { return {0, size - 1}; }
  static constexpr Interval empty() { return {0, -1}; }

  [[nodiscard]] constexpr bool is_empty() const { return lo > hi; }
  // Exactly one value. An end of int64 is no value but "no bound".
  [[nodiscard]] constexpr bool is_point() const { return lo == hi && is_bounded(); }
  // Neither end is infinite.
  [[nodiscard]] constexpr bool is_bounded() const {
    return lo != kMinusInfinity && hi != kPlusInfinity;
  }
  [[nodiscard]] constexpr bool contains(std::int64_t value) const {
    return lo <= value && value <= hi;
  }
  [[nodiscard]] constexpr bool contains(Interval other) const {
    return other.is_empty() || (lo <= other.lo && other.hi <= hi);
  }
  // The number of integers in it, saturating at INT64_MAX; 0 when empty.
  [[nodiscard]] std::int64_t size() const;

  friend constexpr bool operator==(Interval, Interval) = default;
};

[[nodiscard]] Interval intersect(Interval a, Interval b);
// The smallest interval that contains both.
[[nodiscard]] Interval hull(Interval a, Interval b);

// The smallest interval (up to saturation) that contains `x op y` for all x in a, y in b.
// The result of an empty operand is empty.
[[nodiscard]] Interval operator+(Interval a, Interval b);
[[nodiscard]] Interval operator-(Interval a, Interval b);
[[nodiscard]] Interval operator*(Interval a, Interval b);
[[nodiscard]] Interval operator-(Interval a);
[[nodiscard]] Interval min(Interval a, Interval b);
[[nodiscard]] Interval max(Interval a, Interval b);
// Values of y that are zero are left out, since the quotient does not exist there.
[[nodiscard]] Interval floor_div(Interval a, Interval b);
[[nodiscard]] Interval floor_mod(Interval a, Interval b);

// The same for one value, k, or a constant divisor n > 0.
[[nodiscard]] Interval operator*(Interval a, std::int64_t k);
[[nodiscard]] Interval floor_div(Interval a, std::int64_t n);
[[nodiscard]] Interval floor_mod(Interval a, std::int64_t n);

// constant + sum of coefficient * interval, as the operators above give it, but faster.
class LinearRange {
 public:
  explicit LinearRange(std::int64_t constant) : range_(Interval::point(constant)) {}

  void add(Interval interval, std::int64_t coefficient);
  [[nodiscard]] Interval range() const { return range_; }

 private:
  [[gnu::cold]] void add_saturating(Interval interval, std::int64_t coefficient);

  Interval range_;
  bool is_plain_ = range_.is_bounded();  // neither infinite nor empty
};

// The least interval that contains every x for which k * x lies in `range`. Requires k != 0.
[[nodiscard]] Interval divide_exactly_within(Interval range, std::int64_t k);

// "[lo, hi]", infinite ends as the int64 that they are stored as.
[[nodiscard]] std::string to_string(Interval interval);

// ---- the common case, without infinite ends or overflow, is inlined ----

namespace internal {
[[nodiscard]] Interval add_saturating(Interval a, Interval b);
}

inline Interval intersect(Interval a, Interval b) {
  return {a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

inline Interval operator+(Interval a, Interval b) {
  Interval sum;
  if (a.is_bounded() && b.is_bounded() && !a.is_empty() && !b.is_empty() &&
      checked_add(a.lo, b.lo, &sum.lo) && checked_add(a.hi, b.hi, &sum.hi)) {
    return sum;
  }
  return internal::add_saturating(a, b);
}

inline Interval operator*(Interval a, std::int64_t k) {
  Interval product;
  if (a.is_bounded() && !a.is_empty() && checked_mul(a.lo, k, &product.lo) &&
      checked_mul(a.hi, k, &product.hi)) {
    return k >= 0 ? product : Interval{product.hi, product.lo};
  }
  return a * Interval::point(k);
}

inline void LinearRange::add(Interval interval, std::int64_t coefficient) {
  if (is_plain_ && interval.is_bounded() && !interval.is_empty()) {
    std::int64_t at_lo = 0;
    std::int64_t at_hi = 0;
    Interval sum;
    if (checked_mul(interval.lo, coefficient, &at_lo) &&
        checked_mul(interval.hi, coefficient, &at_hi) &&
        checked_add(range_.lo, coefficient >= 0 ? at_lo : at_hi, &sum.lo) &&
        checked_add(range_.hi, coefficient >= 0 ? at_hi : at_lo, &sum.hi) && sum.is_bounded()) {
      range_ = sum;
      return;
    }
  }
  add_saturating(interval, coefficient);
}

inline Interval floor_div(Interval a, std::int64_t n) {
  if (a.is_bounded() && !a.is_empty()) return {floor_div(a.lo, n), floor_div(a.hi, n)};
  return floor_div(a, Interval::point(n));
}

inline Interval floor_mod(Interval a, std::int64_t n) {
  if (!a.is_bounded() || a.is_empty()) return floor_mod(a, Interval::point(n));
  if (floor_div(a.lo, n) != floor_div(a.hi, n)) return {0, n - 1};
  const std::int64_t lo = floor_mod(a.lo, n);
  return {lo, lo + (a.hi - a.lo)};
}

}  // namespace mercator
