#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator {
namespace {

Result<std::int64_t> count(std::string_view text, std::int64_t budget) {
  ExprContext context;
  const Result<IndexMap> map = parse_index_map(text, context);
  if (!map) return std::unexpected(map.error());
  return count_image(*map, budget);
}

// In closed form: without visiting a point.
std::int64_t closed(std::string_view text) { return count(text, 0).value_or(-1); }

TEST(CountImage, NothingAndOnePoint) {
  EXPECT_EQ(closed("() -> ()"), 1);
  EXPECT_EQ(closed("() -> (3, 4)"), 1);
  EXPECT_EQ(closed("(x) -> (5), domain: x in [0, 9]"), 1);
  EXPECT_EQ(closed("KNOWN EMPTY"), 0);
  EXPECT_EQ(closed("(x) -> (x), domain: x in [0, 9], x in [10, 12]"), 0);
}

TEST(CountImage, DistinctVariables) {
  EXPECT_EQ(closed("(x, y)[s] -> (x, s), domain: x in [0, 9], y in [0, 6], s in [-2, 2]"), 50);
  EXPECT_EQ(closed("(x, y) -> (x, x, x + 1, 2 * x, -x), domain: x in [0, 9], y in [0, 6]"), 10);
  // A variable that no result uses may be unbounded.
  EXPECT_EQ(closed("(x, y) -> (x), domain: x in [0, 9]"), 10);
}

TEST(CountImage, LargeTensors) {
  EXPECT_EQ(closed("(x, y) -> (x, y), domain: x in [0, 2147483646], y in [0, 2147483646]"),
            2147483647LL * 2147483647LL);
  EXPECT_FALSE(
      count("(x, y, z) -> (x, y, z), domain: x in [0, 2147483647], y in [0, 2147483647], "
            "z in [0, 3]",
            0));
  EXPECT_EQ(closed("(x, y, z) -> (x, y, z), domain: x in [0, 2147483647], y in [0, 2147483647], "
                   "z in [0, 3], z in [4, 4]"),
            0);
}

TEST(CountImage, SumsThatReadLikeDigits) {
  EXPECT_EQ(closed("(x, y) -> (x * 8 + y), domain: x in [0, 3], y in [0, 7]"), 32);
  EXPECT_EQ(closed("(x, y) -> (x * 100 - y * 7), domain: x in [0, 3], y in [0, 7]"), 32);
  EXPECT_EQ(closed("(x, y) -> (x * 8 + y, y), domain: x in [0, 3], y in [0, 7]"), 32);
}

TEST(CountImage, SumsThatOverlap) {
  // A window that slides by less than its size: 0 … 9 * 2 + 4.
  EXPECT_EQ(closed("(x)[s] -> (x * 2 + s), domain: x in [0, 9], s in [0, 4]"), 23);
  // By more: gaps.
  EXPECT_EQ(closed("(x)[s] -> (x * 7 + s), domain: x in [0, 9], s in [0, 4]"), 50);
  EXPECT_EQ(closed("(x)[s, t] -> (x * 2 + s * 3 + t * 6), domain: x in [0, 9], s in [0, 4], "
                   "t in [0, 1]"),
            -1);
  EXPECT_EQ(*count("(x)[s, t] -> (x * 2 + s * 3 + t * 6), domain: x in [0, 9], s in [0, 4], "
                   "t in [0, 1]",
                   100),
            35);
}

TEST(CountImage, QuotientsAndRemainders) {
  EXPECT_EQ(closed("(x) -> (x floordiv 8), domain: x in [3, 40]"), 6);
  EXPECT_EQ(closed("(x) -> (x mod 8), domain: x in [3, 40]"), 8);
  EXPECT_EQ(closed("(x) -> (x mod 8), domain: x in [3, 6]"), 4);
  EXPECT_EQ(closed("(x) -> (x floordiv 8, x mod 8), domain: x in [3, 40]"), 38);
  EXPECT_EQ(closed("(x, y) -> ((x * 2 + y) floordiv 3), domain: x in [0, 9], y in [0, 1]"), 7);
}

TEST(CountImage, Reshapes) {
  EXPECT_EQ(closed("(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4), "
                   "domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]"),
            32);
  EXPECT_EQ(closed("(d0, d1, d2) -> ((d0 * 100 + d1 * 10 + d2) floordiv 200, "
                   "(d0 * 100 + d1 * 10 + d2) mod 200), "
                   "domain: d0 in [0, 7], d1 in [0, 9], d2 in [0, 9]"),
            800);
  EXPECT_EQ(closed("(d0) -> (d0 floordiv 1000000, (d0 floordiv 1000) mod 1000, d0 mod 1000), "
                   "domain: d0 in [0, 999999999]"),
            1000000000);
}

TEST(CountImage, OnlyThePartsThatNeedItAreEnumerated) {
  // x and y are tied together; z counts in closed form.
  EXPECT_EQ(*count("(x, y, z) -> (x, y, z), domain: x in [0, 9], y in [0, 9], z in [0, 999999], "
                   "x + y in [0, 3]",
                   100),
            10 * 1000000);
  EXPECT_FALSE(
      count("(x, y, z) -> (x, y, z), domain: x in [0, 9], y in [0, 9], z in [0, 999999], "
            "x + y in [0, 3]",
            99));
  // No result uses y and z, but their constraint must hold somewhere.
  EXPECT_EQ(*count("(x, y, z) -> (x), domain: x in [0, 9], y in [0, 9], z in [0, 9], "
                   "y * z in [77, 77]",
                   100),
            0);
  EXPECT_EQ(*count("(x, y, z) -> (x), domain: x in [0, 9], y in [0, 9], z in [0, 9], "
                   "y * z in [72, 72]",
                   100),
            10);
}

TEST(CountImage, DivisorsThatMayBeZero) {
  EXPECT_EQ(*count("(x, y) -> (x floordiv y), domain: x in [5, 6], y in [0, 1]", 100), 2);
  EXPECT_EQ(*count("(x, y) -> ((x floordiv y) mod 2, (x floordiv y) floordiv 2), "
                   "domain: x in [0, 6], y in [-1, 1]",
                   100),
            13);
  // The quotient is 0 wherever it has a value, but that is not everywhere.
  EXPECT_EQ(*count("(x, y) -> ((x floordiv y) mod 2, (x floordiv y) floordiv 2, y), "
                   "domain: x in [0, 0], y in [-1, 1]",
                   100),
            2);
}

}  // namespace
}  // namespace mercator
