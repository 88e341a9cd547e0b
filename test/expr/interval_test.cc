#include "mercator/expr/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(Interval, Size) {
  EXPECT_EQ(Interval::indices(5).size(), 5);
  EXPECT_EQ(Interval::indices(0).size(), 0);
  EXPECT_EQ((Interval{3, 1}).size(), 0);
  EXPECT_EQ((Interval{-3, 3}).size(), 7);
  EXPECT_EQ(Interval::all().size(), kMax);
  EXPECT_EQ((Interval{kMin + 1, kMax - 1}).size(), kMax);
}

TEST(Interval, EndsOfInt64AreNoBounds) {
  EXPECT_FALSE(Interval::point(kMax).is_point());
  EXPECT_FALSE(Interval::point(kMin).is_point());
  EXPECT_TRUE(Interval::point(kMax - 1).is_point());
}

// ---- against brute force: every small interval with every other ----

using Operation = std::function<std::optional<std::int64_t>(std::int64_t, std::int64_t)>;

struct BinaryCase {
  const char* name;
  Interval (*interval)(Interval, Interval);
  Operation exact;
  bool is_least;  // whether the interval must be the least one
};

class BinaryInterval : public testing::TestWithParam<BinaryCase> {};

TEST_P(BinaryInterval, ContainsEveryResult) {
  constexpr std::int64_t kReach = 6;
  int checked = 0;
  for (std::int64_t al = -kReach; al <= kReach; ++al) {
    for (std::int64_t ah = al - 1; ah <= kReach; ++ah) {
      for (std::int64_t bl = -kReach; bl <= kReach; ++bl) {
        for (std::int64_t bh = bl - 1; bh <= kReach; ++bh) {
          const Interval actual = GetParam().interval({al, ah}, {bl, bh});
          Interval expected = Interval::empty();
          for (std::int64_t x = al; x <= ah; ++x) {
            for (std::int64_t y = bl; y <= bh; ++y) {
              const auto value = GetParam().exact(x, y);
              if (value) expected = hull(expected, Interval::point(*value));
            }
          }
          ++checked;
          ASSERT_TRUE(actual.contains(expected))
              << to_string({al, ah}) << " " << GetParam().name << " " << to_string({bl, bh})
              << " gives " << to_string(actual) << ", needs " << to_string(expected);
          if (GetParam().is_least) {
            ASSERT_EQ(actual.is_empty(), expected.is_empty());
            if (!expected.is_empty()) {
              ASSERT_EQ(actual, expected)
                  << to_string({al, ah}) << " " << GetParam().name << " " << to_string({bl, bh});
            }
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 8000);
}

INSTANTIATE_TEST_SUITE_P(
    Operators, BinaryInterval,
    testing::Values(BinaryCase{"+", [](Interval a, Interval b) { return a + b; },
                               [](std::int64_t x, std::int64_t y) { return x + y; }, true},
                    BinaryCase{"-", [](Interval a, Interval b) { return a - b; },
                               [](std::int64_t x, std::int64_t y) { return x - y; }, true},
                    BinaryCase{"*", [](Interval a, Interval b) { return a * b; },
                               [](std::int64_t x, std::int64_t y) { return x * y; }, true},
                    BinaryCase{"min", [](Interval a, Interval b) { return min(a, b); },
                               [](std::int64_t x, std::int64_t y) { return std::min(x, y); }, true},
                    BinaryCase{"max", [](Interval a, Interval b) { return max(a, b); },
                               [](std::int64_t x, std::int64_t y) { return std::max(x, y); }, true},
                    BinaryCase{"floordiv", [](Interval a, Interval b) { return floor_div(a, b); },
                               [](std::int64_t x, std::int64_t y) {
                                 return y == 0 ? std::nullopt : std::optional(floor_div(x, y));
                               },
                               true},
                    BinaryCase{"mod", [](Interval a, Interval b) { return floor_mod(a, b); },
                               [](std::int64_t x, std::int64_t y) {
                                 return y == 0 ? std::nullopt : std::optional(floor_mod(x, y));
                               },
                               false}),
    [](const auto& info) { return "Case" + std::to_string(info.index); });

TEST(Interval, ModByOneNumberIsLeastWithinABucket) {
  EXPECT_EQ(floor_mod(Interval{8, 11}, Interval::point(8)), (Interval{0, 3}));
  EXPECT_EQ(floor_mod(Interval{-3, -1}, Interval::point(8)), (Interval{5, 7}));
  EXPECT_EQ(floor_mod(Interval{6, 9}, Interval::point(8)), (Interval{0, 7}));
}

TEST(Interval, DivideExactlyWithin) {
  for (std::int64_t k = -5; k <= 5; ++k) {
    if (k == 0) continue;
    for (std::int64_t lo = -12; lo <= 12; ++lo) {
      for (std::int64_t hi = lo; hi <= 12; ++hi) {
        const Interval x = divide_exactly_within({lo, hi}, k);
        for (std::int64_t candidate = -15; candidate <= 15; ++candidate) {
          const bool inside = lo <= k * candidate && k * candidate <= hi;
          ASSERT_EQ(x.contains(candidate), inside) << k << " * " << candidate;
        }
      }
    }
  }
  EXPECT_EQ(divide_exactly_within({kMin, 7}, 2), (Interval{kMin, 3}));
  EXPECT_EQ(divide_exactly_within({kMin, 7}, -2), (Interval{-3, kMax}));
  EXPECT_EQ(divide_exactly_within({-9, 7}, kMin), (Interval{0, 0}));
  EXPECT_TRUE(divide_exactly_within({1, 7}, kMin).is_empty());
}

// ---- saturation ----

TEST(Interval, InfiniteEndsStayInfinite) {
  const Interval half = {5, kMax};
  EXPECT_EQ(half + Interval::point(-3), (Interval{2, kMax}));
  EXPECT_EQ(half - Interval::point(3), (Interval{2, kMax}));
  EXPECT_EQ(-half, (Interval{kMin, -5}));
  EXPECT_EQ(half * Interval::point(-1), (Interval{kMin, -5}));
  EXPECT_EQ(half * Interval::point(2), (Interval{10, kMax}));
  EXPECT_EQ(half * Interval::point(0), (Interval{0, 0}));
  EXPECT_EQ(floor_div(half, Interval::point(2)), (Interval{2, kMax}));
  EXPECT_EQ(floor_div(half, Interval::point(-2)), (Interval{kMin, -3}));
  EXPECT_EQ(floor_div(Interval::all(), Interval::all()), Interval::all());
  EXPECT_EQ(floor_mod(Interval::all(), Interval::point(8)), (Interval{0, 7}));
  EXPECT_EQ(floor_mod(Interval{0, 5}, Interval{1, kMax}), (Interval{0, 5}));
}

TEST(Interval, BoundsThatLeaveInt64BecomeInfinite) {
  const Interval large = {kMax / 2, kMax - 1};
  EXPECT_EQ(large + large, (Interval{kMax / 2 * 2, kMax}));
  EXPECT_EQ(large * Interval::point(4), (Interval{kMax, kMax}));
  EXPECT_EQ(-Interval::point(kMin + 1), Interval::point(kMax));
}

// A lower end that was too large is still a number, the largest: what follows from it is finite.
TEST(Interval, SaturatedEndsAreNotInfinite) {
  const std::int64_t large = std::int64_t{1} << 40;
  const Interval square = Interval{large, large + 1} * Interval{large, large + 1};
  EXPECT_EQ(square, (Interval{kMax, kMax}));
  EXPECT_EQ(floor_div(square, Interval::point(std::int64_t{1} << 50)), (Interval{8191, kMax}));
  EXPECT_EQ(floor_div(square, Interval::point(-(std::int64_t{1} << 50))), (Interval{kMin, -8192}));
  EXPECT_EQ(square - Interval::point(5), (Interval{kMax - 5, kMax}));
  EXPECT_EQ(-square, (Interval{kMin, kMin + 1}));
  const Interval small = -square - Interval::point(7);
  EXPECT_EQ(small, (Interval{kMin, kMin}));
  EXPECT_EQ(small + Interval::point(7), (Interval{kMin, kMin + 7}));
  EXPECT_EQ(floor_div(small, Interval::point(2)), (Interval{kMin, kMin / 2}));
}

}  // namespace
}  // namespace mercator
