#include "test/runtime/interpreter_testing.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "mercator/runtime/counter_based_random.h"

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The known answers that come with the Random123 library.
static_assert(threefry_2x32({0, 0}, {0, 0}) == ThreefryBlock{0x6b200159, 0x99ba4efe});
static_assert(threefry_2x32({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
              ThreefryBlock{0x1cb996fc, 0xbb002be7});
static_assert(threefry_2x32({0x243f6a88, 0x85a308d3}, {0x13198a2e, 0x03707344}) ==
              ThreefryBlock{0xc4923a9c, 0x483df7a0});
static_assert(philox_4x32({0, 0, 0, 0}, {0, 0}) ==
              PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox_4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                          {0xffffffff, 0xffffffff}) ==
              PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(philox_4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                          {0xa4093822, 0x299f31d0}) ==
              PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

std::vector<std::string> bits(const std::string& algorithm, const std::string& state,
                              const std::string& array) {
  const std::string type = state.substr(0, state.find(' '));
  return results_of("HloModule m\nENTRY main {\n p = " + type + " parameter(0)\n ROOT r = (" +
                        type + ", " + array + ") rng-bit-generator(p), algorithm=" + algorithm +
                        "\n}",
                    {state});
}

// The expected bits are those of XLA:CPU (jaxlib 0.10.2).
TEST(RngBitGenerator, ThreefryPairsNeighboursAlongOneDimension) {
  EXPECT_THAT(bits("rng_three_fry", "u64[2] {5, 6}", "u32[3]"),
              ElementsAre("u64[2] {5, 8}", "u32[3] {2857746084, 3971895240, 4000641395}"));
  // Of odd dimensions the longest, so that pairs stand in rows and the last one is cut.
  EXPECT_THAT(bits("rng_three_fry", "u64[2] {5, 6}", "u32[3,5]"),
              ElementsAre("u64[2] {5, 15}",
                          "u32[3,5] { {2857746084, 3971895240, 4000641395, 1063621336, 10964293}, "
                          "{3804237681, 1604586794, 3127050898, 557083298, 25868247}, "
                          "{1140191436, 929334342, 2649284203, 626461462, 1044413347} }"));
  EXPECT_THAT(bits("rng_three_fry", "u64[2] {5, 6}", "u32[]"),
              ElementsAre("u64[2] {5, 7}", "u32[] 2857746084"));
  EXPECT_THAT(bits("rng_three_fry", "u64[2] {5, 6}", "u32[3,0]"),
              ElementsAre("u64[2] {5, 6}", "u32[3,0] { {}, {}, {} }"));
}

TEST(RngBitGenerator, ThreefryPairsTheFirstEvenDimension) {
  // Columns of u32[2,1] are the pairs of u32[2]; in u32[2,3] there are three.
  const std::vector<std::string> pairs = bits("rng_three_fry", "u64[2] {5, 6}", "u32[3,2]");
  EXPECT_THAT(pairs[1], HasSubstr("{ {2857746084, 3971895240}, "));
  const std::vector<std::string> columns = bits("rng_three_fry", "u64[2] {5, 6}", "u32[2,3]");
  EXPECT_THAT(columns[1], HasSubstr("{ {2857746084, 4000641395, "));
  EXPECT_THAT(columns[1], HasSubstr("}, {3971895240, 1063621336, "));
}

TEST(RngBitGenerator, ThreefryOfOtherWidths) {
  EXPECT_THAT(bits("rng_three_fry", "u64[2] {5, 6}", "u64[3]"),
              ElementsAre("u64[2] {5, 9}",
                          "u64[3] {17059160161795817124, 4568218857448468851, "
                          "8837050182540938565}"));
  EXPECT_THAT(bits("rng_three_fry", "u64[2] {5, 6}", "u16[3]"),
              ElementsAre("u64[2] {5, 8}", "u16[3] {48804, 20424, 61811}"));
  EXPECT_THAT(bits("rng_three_fry", "u64[2] {5, 6}", "s8[3]"),
              ElementsAre("u64[2] {5, 8}", "s8[3] {-92, -56, 115}"));
  EXPECT_THAT(bits("rng_three_fry", "u64[2] {5, 6}", "s4[3]"),
              ElementsAre("u64[2] {5, 8}", "s4[3] {4, -8, 3}"));
}

TEST(RngBitGenerator, PhiloxGivesFourWordsABlock) {
  EXPECT_THAT(bits("rng_philox", "u64[2] {5, 6}", "u32[5]"),
              ElementsAre("u64[2] {5, 8}",
                          "u32[5] {1465900379, 1469274632, 1503072275, "
                          "1899801764, 1957188081}"));
  EXPECT_THAT(bits("rng_default", "u64[2] {5, 6}", "u64[3]"),
              ElementsAre("u64[2] {5, 8}",
                          "u64[3] {6310486494748335451, 8159586446766182419, "
                          "14169269631707533809}"));
}

TEST(RngBitGenerator, PhiloxCarriesIntoTheHighHalfOfItsCounter) {
  EXPECT_THAT(bits("rng_philox", "u64[3] {99, 18446744073709551614, 5}", "u32[8]"),
              ElementsAre("u64[3] {99, 0, 6}",
                          "u32[8] {3776345571, 3201912749, 1682550826, 2248623106, "
                          "2181756612, 269297402, 3264991970, 3971060216}"));
}

TEST(RngBitGenerator, OtherStatesAndTypesAreRefused) {
  EXPECT_THAT(bits("rng_three_fry", "u64[3] {1,2,3}", "u32[2]"),
              ElementsAre("'r': rng_three_fry has a state of u64[2], not u64[3]"));
  EXPECT_THAT(bits("rng_philox", "u32[4] {1,2,3,4}", "u32[2]"),
              ElementsAre("'r': rng_philox has a state of u64[2] or u64[3], not u32[4]"));
  EXPECT_THAT(bits("rng_philox", "u64[1] {1}", "u32[2]"), ElementsAre(HasSubstr("not u64[1]")));
  EXPECT_THAT(bits("rng_philox", "u64[2] {1,2}", "pred[2]"),
              ElementsAre("'r': there are no random bits of type pred"));
}

// Numbers of `rng` as doubles.
std::vector<double> drawn(const std::string& type, std::int64_t count, const std::string& low,
                          const std::string& high, const std::string& distribution,
                          std::uint64_t seed = 1) {
  RunContext context;
  context.seed = seed;
  const Result<std::vector<Tensor>> results = run_program(
      "HloModule m\nENTRY main {\n a = " + type + "[] parameter(0)\n b = " + type +
          "[] parameter(1)\n ROOT r = " + type + "[" + std::to_string(count) +
          "] rng(a, b), distribution=" + distribution + "\n}",
      {tensor_from_text(type + "[] " + low), tensor_from_text(type + "[] " + high)}, context);
  if (!results) {
    ADD_FAILURE() << results.error().message;
    return {};
  }
  Arena arena;
  const hlo::Literal literal = literal_of((*results)[0], arena);
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(*literal.number(i));
  return numbers;
}

double mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x;
  return sum / static_cast<double>(numbers.size());
}

double deviation(const std::vector<double>& numbers) {
  const double m = mean(numbers);
  double sum = 0;
  for (const double x : numbers) sum += (x - m) * (x - m);
  return std::sqrt(sum / static_cast<double>(numbers.size()));
}

TEST(Rng, UniformNumbersFillTheInterval) {
  for (const std::string type : {"f16", "bf16", "f32", "f64", "f8e4m3fn"}) {
    const std::vector<double> numbers = drawn(type, 20000, "-1", "3", "rng_uniform");
    EXPECT_TRUE(std::ranges::all_of(numbers, [](double x) { return x >= -1 && x < 3; })) << type;
    // Of a width w the deviation is w / sqrt(12), that of the mean of n is smaller by sqrt(n).
    // Narrow types are coarser at the upper end.
    EXPECT_NEAR(mean(numbers), 1, type == "f8e4m3fn" ? 0.1 : 0.04) << type;
    EXPECT_NEAR(deviation(numbers), 4 / std::sqrt(12), 0.04) << type;
  }
}

TEST(Rng, UniformIntegersTakeEachValueAlike) {
  for (const std::string type : {"s8", "s32", "u64"}) {
    const std::vector<double> numbers = drawn(type, 30000, "2", "5", "rng_uniform");
    for (const double value : {2, 3, 4}) {
      // Binomial: 10,000 with a deviation of 82.
      EXPECT_NEAR(static_cast<double>(std::ranges::count(numbers, value)), 10000, 400) << type;
    }
  }
  const std::vector<double> wide =
      drawn("s64", 1000, "-9223372036854775808", "9223372036854775807", "rng_uniform");
  EXPECT_NEAR(deviation(wide) / 0x1p64, 1 / std::sqrt(12), 0.02);
}

TEST(Rng, OfAnEmptyIntervalIsItsLowerBound) {
  EXPECT_THAT(drawn("s32", 2, "4", "4", "rng_uniform"), ElementsAre(4, 4));
  EXPECT_THAT(drawn("f32", 2, "4", "3", "rng_uniform"), ElementsAre(4, 4));
}

TEST(Rng, NormalNumbersHaveTheirMeanAndDeviation) {
  const std::vector<double> numbers = drawn("f32", 40000, "10", "2", "rng_normal");
  EXPECT_NEAR(mean(numbers), 10, 0.05);
  EXPECT_NEAR(deviation(numbers), 2, 0.04);
  const auto within = std::ranges::count_if(numbers, [](double x) { return std::abs(x - 10) < 2; });
  EXPECT_NEAR(static_cast<double>(within) / 40000, 0.6827, 0.01);
}

TEST(Rng, ComesFromTheSeedAlone) {
  const std::vector<double> numbers = drawn("f64", 100, "0", "1", "rng_uniform", 7);
  EXPECT_EQ(drawn("f64", 100, "0", "1", "rng_uniform", 7), numbers);
  const std::vector<double> others = drawn("f64", 100, "0", "1", "rng_uniform", 8);
  for (const double x : others) EXPECT_EQ(std::ranges::count(numbers, x), 0);
}

TEST(Rng, TheSecondOneGoesOnWhereTheFirstEnded) {
  const std::vector<std::string> results = results_of(R"(HloModule m
ENTRY main {
  a = u32[] parameter(0)
  b = u32[] parameter(1)
  x = u32[1] rng(a, b), distribution=rng_uniform
  y = u32[1] rng(a, b), distribution=rng_uniform
  ROOT r = (u32[1], u32[1]) tuple(x, y)
})",
                                                      {"u32[] 0", "u32[] 4294967295"});
  const std::string both = result_of(
      "a = u32[] parameter(0)\nb = u32[] parameter(1)\n"
      "ROOT r = u32[2] rng(a, b), distribution=rng_uniform",
      {"u32[] 0", "u32[] 4294967295"});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_NE(results[0], results[1]);
  const auto number = [](const std::string& text) {
    return text.substr(text.find('{') + 1, text.find('}') - text.find('{') - 1);
  };
  EXPECT_EQ(both, "u32[2] {" + number(results[0]) + ", " + number(results[1]) + "}");
}

TEST(Rng, TheStateMovesOnByDelta) {
  RunContext context;
  context.seed = 40;
  const Result<std::vector<Tensor>> results = run_program(R"(HloModule m
ENTRY main {
  a = u64[2] rng-get-and-update-state(), delta=2
  b = u64[2] rng-get-and-update-state(), delta=1
  ROOT r = (u64[2], u64[2]) tuple(a, b)
})",
                                                          {}, context);
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_EQ(text_of((*results)[0]), "u64[2] {40, 0}");
  EXPECT_EQ(text_of((*results)[1]), "u64[2] {42, 0}");
}

}  // namespace
}  // namespace mercator::runtime
