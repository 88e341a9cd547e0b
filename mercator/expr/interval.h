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

// The least interval that contains every x for which k * x lies in `range`. Requires k != 0.
[[nodiscard]] Interval divide_exactly_within(Interval range, std::int64_t k);

// "[lo, hi]", infinite ends as the int64 that they are stored as.
[[nodiscard]] std::string to_string(Interval interval);

}  // namespace mercator
