#include "bench/peers/simplify/check.h"

#include <algorithm>
#include <array>
#include <random>

namespace mercator::peers {
namespace {

constexpr std::int64_t kMostPoints = 100'000;
constexpr int kCorners = 2'000;
constexpr int kRandomPoints = 20'000;
// Stands for the end of an interval that has none.
constexpr std::int64_t kFar = std::int64_t{1} << 40;

class Comparison {
 public:
  Comparison(Expr expected, Expr actual)
      : expected_(std::span(&expected, 1)), actual_(std::span(&actual, 1)) {}

  bool differs(std::span<const std::int64_t> point) {
    std::int64_t wanted = 0;
    std::int64_t found = 0;
    if (!expected_({.dimensions = point}, std::span(&wanted, 1))) return false;
    return !actual_({.dimensions = point}, std::span(&found, 1)) || found != wanted;
  }

 private:
  Evaluator expected_;
  Evaluator actual_;
};

// Whether the bounds allow at most kMostPoints points.
bool is_small(std::span<const Interval> bounds) {
  std::int64_t points = 1;
  for (const Interval bound : bounds) {
    if (bound.size() > kMostPoints / points) return false;
    points *= bound.size();
    if (points == 0) return true;
  }
  return true;
}

// Advances to the next point in lexicographic order; false after the last.
bool go_on(std::span<std::int64_t> point, std::span<const Interval> bounds) {
  for (std::size_t i = point.size(); i-- > 0;) {
    if (point[i] < bounds[i].hi) {
      ++point[i];
      return true;
    }
    point[i] = bounds[i].lo;
  }
  return false;
}

Interval reachable(Interval bound) { return {std::max(bound.lo, -kFar), std::min(bound.hi, kFar)}; }

}  // namespace

std::optional<std::vector<std::int64_t>> find_difference(Expr expected, Expr actual,
                                                         std::span<const Interval> bounds) {
  if (expected == actual) return std::nullopt;
  if (std::ranges::any_of(bounds, &Interval::is_empty)) return std::nullopt;
  Comparison comparison(expected, actual);
  std::vector<std::int64_t> point;
  for (const Interval bound : bounds) point.push_back(reachable(bound).lo);

  if (is_small(bounds)) {
    do {
      if (comparison.differs(point)) return point;
    } while (go_on(point, bounds));
    return std::nullopt;
  }

  std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): the same points each time
  for (int i = 0; i < kCorners + kRandomPoints; ++i) {
    for (std::size_t j = 0; j < bounds.size(); ++j) {
      const auto [lo, hi] = reachable(bounds[j]);
      const std::array corners = {lo, std::min(lo + 1, hi), std::max(hi - 1, lo), hi};
      point[j] = i < kCorners ? corners[random() % corners.size()]
                              : lo + static_cast<std::int64_t>(
                                         random() % (static_cast<std::uint64_t>(hi - lo) + 1));
    }
    if (comparison.differs(point)) return point;
  }
  return std::nullopt;
}

}  // namespace mercator::peers
