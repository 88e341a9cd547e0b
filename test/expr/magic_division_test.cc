// Division by constants: every divisor up to 1000, and random ones, at the edges of ranges of
// dividends; the programs that compute quotient and remainder, and the multipliers themselves.

#include "mercator/expr/magic_division.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "mercator/expr/index_interpreter.h"
#include "mercator/expr/index_program.h"
#include "mercator/expr/strength_reduction.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

constexpr std::int64_t kMin32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMax32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();

// d0 floordiv d and d0 mod d for d0 in `range`, all of the type.
IndexProgram division_program(IndexType type, Interval range, std::int64_t d) {
  const Interval quotients = {floor_div(range.lo, d), floor_div(range.hi, d)};
  IndexProgram program;
  program.instructions = {
      {.op = IndexOp::kVariable, .type = type, .range = range},
      {.op = IndexOp::kConstant, .type = type, .value = d, .range = {d, d}},
      {.op = IndexOp::kFloorDiv, .type = type, .operands = {0, 1}, .range = quotients},
      {.op = IndexOp::kMod, .type = type, .operands = {0, 1}, .range = {0, d - 1}}};
  program.results = {2, 3};
  return program;
}

// Where a wrong multiplier, shift or correction shows: around 0, the divisor and its multiples near
// both ends, and at the ends.
std::vector<std::int64_t> edges(Interval range, std::int64_t d) {
  std::set<std::int64_t> edges;
  const auto add = [&](__int128 center) {
    for (int offset = -1; offset <= 1; ++offset) {
      const __int128 n = center + offset;
      if (range.lo <= n && n <= range.hi) edges.insert(static_cast<std::int64_t>(n));
    }
  };
  for (const __int128 center : {__int128{range.lo}, __int128{range.hi}, __int128{0},
                                __int128{kMax32}, __int128{kMin32}, __int128{d}, -__int128{d}}) {
    add(center);
  }
  for (int k = -2; k <= 2; ++k) {
    add((__int128{floor_div(range.lo, d)} + k) * d);
    add((__int128{floor_div(range.hi, d)} + k) * d);
    add((__int128{floor_div(range.lo, d)} / 2 + k) * d);
  }
  return {edges.begin(), edges.end()};
}

void check_division(IndexType type, Interval range, std::int64_t d,
                    const std::vector<std::int64_t>& dividends) {
  const IndexProgram program = reduce_strength(division_program(type, range, d));
  EXPECT_EQ(cost(program).division, 0);
  for (const std::int64_t n : dividends) {
    const Interpretation result = interpret(program, {.dimensions = std::span(&n, 1)});
    ASSERT_FALSE(result.broken_promise.has_value()) << n << " by " << d << "\n"
                                                    << to_string(program) << *result.broken_promise;
    ASSERT_EQ(result.results[0], floor_div(n, d)) << n << " by " << d << "\n" << to_string(program);
    ASSERT_EQ(result.results[1], floor_mod(n, d)) << n << " by " << d << "\n" << to_string(program);
  }
}

void check_all_divisors(IndexType type, const std::vector<Interval>& ranges) {
  for (const Interval range : ranges) {
    for (std::int64_t d = 1; d <= 1000 && !testing::Test::HasFailure(); ++d) {
      check_division(type, range, d, edges(range, d));
    }
  }
}

TEST(MagicDivision, DividesByAllSmallDivisorsIn32Bits) {
  check_all_divisors(IndexType::kI32, {{0, kMax32},
                                       {kMin32, kMax32},
                                       {kMin32, -1},
                                       {kMin32, 0},
                                       {-1, kMax32},
                                       {0, 1000},
                                       {-1000, 1000},
                                       {0, 65535},
                                       {-40000, 40000},
                                       {0, 1 << 24},
                                       {kMax32 - 3000, kMax32},
                                       {kMin32, kMin32 + 3000},
                                       {-5, 1 << 30}});
}

// All of i64, including the two ends that no expression reaches.
TEST(MagicDivision, DividesByAllSmallDivisorsIn64Bits) {
  check_all_divisors(IndexType::kI64, {{0, kMax64},
                                       {kMin64, kMax64},
                                       {kMin64, -1},
                                       {kMin64, 0},
                                       {-1, kMax64},
                                       {0, kMax32 + 1},
                                       {kMin32 - 1, kMax32},
                                       {0, std::int64_t{1} << 50},
                                       {-(std::int64_t{1} << 50), std::int64_t{1} << 40},
                                       {kMax64 - 3000, kMax64},
                                       {kMin64, kMin64 + 3000},
                                       {-5, std::int64_t{1} << 62}});
}

TEST(MagicDivision, DividesByLargeDivisors) {
  for (const std::int64_t d :
       {kMax32 - 1, kMax32, (std::int64_t{1} << 30) + 1, (std::int64_t{1} << 30) - 1}) {
    for (const Interval range : {Interval{0, kMax32}, Interval{kMin32, kMax32}}) {
      check_division(IndexType::kI32, range, d, edges(range, d));
    }
  }
  for (const std::int64_t d : {kMax64 - 1, kMax64, (std::int64_t{1} << 62) + 1,
                               (std::int64_t{1} << 62) - 1, kMax32, kMax32 + 2}) {
    for (const Interval range : {Interval{0, kMax64}, Interval{kMin64, kMax64}}) {
      check_division(IndexType::kI64, range, d, edges(range, d));
    }
  }
}

class RandomNumbers {
 public:
  // A number of the interval, of any magnitude.
  std::int64_t within(Interval range) {
    const auto n = static_cast<std::int64_t>(random_() >> (random_() % 64));
    const std::int64_t either_sign = random_() % 2 == 0 ? n : -n;
    return std::clamp(either_sign, range.lo, range.hi);
  }

 private:
  std::mt19937_64 random_{2024};
};

TEST(MagicDivision, DividesRandomNumbersByRandomDivisors) {
  RandomNumbers random;
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    const bool is_wide = i % 2 == 0;
    const Interval all = is_wide ? Interval{kMin64 + 1, kMax64} : Interval{kMin32, kMax32};
    const std::int64_t d = random.within({1, all.hi});
    const std::int64_t a = random.within(all);
    const std::int64_t b = random.within(all);
    const Interval range = {std::min(a, b), std::max(a, b)};
    std::vector<std::int64_t> dividends = edges(range, d);
    for (int k = 0; k < 10; ++k) dividends.push_back(random.within(range));
    check_division(is_wide ? IndexType::kI64 : IndexType::kI32, range, d, dividends);
  }
}

// Every dividend of every small range.
TEST(MagicDivision, DividesExhaustivelyWithinSmallRanges) {
  for (std::int64_t d = 1; d <= 24; ++d) {
    for (std::int64_t lo = -30; lo <= 30; lo += 3) {
      for (std::int64_t hi = lo; hi <= lo + 120; hi += 7) {
        std::vector<std::int64_t> dividends;
        for (std::int64_t n = lo; n <= hi; ++n) dividends.push_back(n);
        check_division(IndexType::kI32, {lo, hi}, d, dividends);
      }
    }
  }
}

TEST(MagicDivision, MultipliersAreTheKnownOnes) {
  // ceil(2^33 / 3) and ceil(2^34 / 5) in 32 bits; 7 takes 35 bits in all, and no more since the
  // dividends are less than 2^31.
  const auto multiplier = [](std::uint64_t d, std::uint64_t max, unsigned min_shift) {
    const MagicDivision magic = magic_division(d, max, min_shift);
    return fmt::format("{:#x} >> {}", magic.multiplier, magic.shift);
  };
  EXPECT_EQ(multiplier(3, kMax32, 32), "0x55555556 >> 32");
  EXPECT_EQ(multiplier(5, kMax32, 32), "0x66666667 >> 33");
  EXPECT_EQ(multiplier(7, kMax32, 32), "0x92492493 >> 34");
  EXPECT_EQ(multiplier(10, kMax32, 32), "0x66666667 >> 34");
  // The fewer the dividends, the shorter: 69 * 13 / 2^7 is 7, one too many.
  EXPECT_EQ(multiplier(10, 68, 0), "0xd >> 7");
  EXPECT_EQ(multiplier(10, 69, 0), "0x67 >> 10");
}

// The least shift that works, by definition: all dividends are tried.
TEST(MagicDivision, ShiftsAreTheLeastThatWork) {
  const auto works = [](std::uint64_t d, std::uint64_t max, unsigned shift) {
    const std::uint64_t multiplier = ((std::uint64_t{1} << shift) + d - 1) / d;
    for (std::uint64_t n = 0; n <= max; ++n) {
      if ((n * multiplier) >> shift != n / d) return false;
    }
    return true;
  };
  for (std::uint64_t d = 2; d <= 40; ++d) {
    for (std::uint64_t max = d; max <= 300; max += 13) {
      unsigned least = 0;
      while (!works(d, max, least)) ++least;
      EXPECT_EQ(magic_division(d, max).shift, least) << d << " up to " << max;
    }
  }
}

TEST(MagicDivision, MultipliersFitTheirType) {
  for (std::uint64_t d = 2; d <= 100000; d = d < 2000 ? d + 1 : d * 5 / 4) {
    const MagicDivision narrow = magic_division(d, kMax32, 32);
    EXPECT_EQ(narrow.multiplier >> 32, 0U) << d;
    EXPECT_LT(narrow.shift, 64U) << d;
    EXPECT_LT(magic_division(d, kMax64, 64).shift, 128U) << d;
  }
}

}  // namespace
}  // namespace mercator
