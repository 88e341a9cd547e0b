#include "mercator/support/arithmetic.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mercator {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// Values around everything that can go wrong.
constexpr std::array<std::int64_t, 20> kValues = {kMin,
                                                  kMin + 1,
                                                  kMin / 2,
                                                  -3'037'000'500,
                                                  -7,
                                                  -3,
                                                  -2,
                                                  -1,
                                                  0,
                                                  1,
                                                  2,
                                                  3,
                                                  7,
                                                  1'000,
                                                  3'037'000'499,
                                                  3'037'000'500,
                                                  kMax / 2,
                                                  kMax / 2 + 1,
                                                  kMax - 1,
                                                  kMax};

bool fits(__int128 value) { return value >= kMin && value <= kMax; }

TEST(CheckedArithmetic, AgreesWithWideArithmetic) {
  for (const std::int64_t a : kValues) {
    for (const std::int64_t b : kValues) {
      const __int128 wide_a = a;
      const __int128 wide_b = b;
      const auto expect = [&](bool ok, std::int64_t result, __int128 wide, char op) {
        EXPECT_EQ(ok, fits(wide)) << a << ' ' << op << ' ' << b;
        if (ok) {
          EXPECT_TRUE(wide == result) << a << ' ' << op << ' ' << b;
        }
      };
      std::int64_t result = 0;
      bool ok = checked_add(a, b, &result);
      expect(ok, result, wide_a + wide_b, '+');
      ok = checked_sub(a, b, &result);
      expect(ok, result, wide_a - wide_b, '-');
      ok = checked_mul(a, b, &result);
      expect(ok, result, wide_a * wide_b, '*');
    }
  }
}

TEST(FloorDivision, AgreesWithRealDivisionOnSmallValues) {
  for (std::int64_t a = -50; a <= 50; ++a) {
    for (std::int64_t b = -12; b <= 12; ++b) {
      if (b == 0) continue;
      const double quotient = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(floor_div(a, b), static_cast<std::int64_t>(std::floor(quotient))) << a << ' ' << b;
      if (b > 0) {
        EXPECT_EQ(ceil_div(a, b), static_cast<std::int64_t>(std::ceil(quotient))) << a << ' ' << b;
      }
    }
  }
}

// What defines quotient and remainder: a = b * q + r with r between 0 and b, r != b.
TEST(FloorDivision, SplitsTheDividendAtTheEndsOfInt64) {
  for (const std::int64_t a : kValues) {
    for (const std::int64_t b : kValues) {
      if (b == 0 || (a == kMin && b == -1)) continue;
      const std::int64_t q = floor_div(a, b);
      const std::int64_t r = floor_mod(a, b);
      EXPECT_TRUE(static_cast<__int128>(b) * q + r == a) << a << ' ' << b;
      EXPECT_TRUE(b > 0 ? (r >= 0 && r < b) : (r <= 0 && r > b)) << a << ' ' << b;
    }
  }
}

TEST(FloorDivision, RemainderByMinusOneIsZeroEvenForTheLeastValue) {
  EXPECT_EQ(floor_mod(kMin, -1), 0);
  EXPECT_EQ(floor_mod(kMax, -1), 0);
}

TEST(CeilDivision, IsMinusTheFloorOfTheNegated) {
  for (const std::int64_t a : kValues) {
    for (const std::int64_t b : kValues) {
      if (b <= 0 || a == kMin) continue;
      EXPECT_EQ(ceil_div(a, b), -floor_div(-a, b)) << a << ' ' << b;
    }
  }
  EXPECT_EQ(ceil_div(kMin, 1), kMin);
  EXPECT_EQ(ceil_div(kMin, kMax), -1);
}

TEST(Gcd, IgnoresSigns) {
  EXPECT_EQ(gcd(12, 18), 6);
  EXPECT_EQ(gcd(-12, 18), 6);
  EXPECT_EQ(gcd(12, -18), 6);
  EXPECT_EQ(gcd(0, -5), 5);
  EXPECT_EQ(gcd(0, 0), 0);
  EXPECT_EQ(gcd(kMax, -kMax), kMax);
}

}  // namespace
}  // namespace mercator
