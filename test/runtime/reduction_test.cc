#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "test/runtime/integer_array.h"
#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

constexpr std::string_view kSum = R"(
sum {
  a = TYPE[] parameter(0)
  b = TYPE[] parameter(1)
  ROOT r = TYPE[] add(a, b)
}
)";

// A module with the sum of numbers of a type.
std::string with_sum_of(const std::string& type, const std::string& lines) {
  std::string sum(kSum);
  for (std::size_t at = 0; (at = sum.find("TYPE")) != std::string::npos;) sum.replace(at, 4, type);
  return "HloModule m\n" + sum + "ENTRY e {\n" + lines + "\n}\n";
}

using Strings = std::vector<std::string>;

// ---- map ----

TEST(Map, AppliesAFunctionToElementsAtTheSameIndex) {
  EXPECT_EQ(results_of(R"(HloModule m
f {
  a = s32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] convert(a)
  ROOT r = f32[] subtract(c, b)
}
ENTRY e {
  a = s32[2,2] parameter(0)
  b = f32[2,2] parameter(1)
  ROOT r = f32[2,2] map(a, b), dimensions={0,1}, to_apply=f
})",
                       {"s32[2,2] {{1, 2}, {3, 4}}", "f32[2,2] {{0.5, 1}, {1.5, nan}}"}),
            (Strings{"f32[2,2] { {0.5, 1}, {1.5, nan} }"}));
}

// ---- reduce ----

TEST(Reduce, SumsOverTheNamedDimensions) {
  const std::string array = "s32[2,3] {{1, 2, 3}, {4, 5, 6}}";
  const auto reduced = [&](const std::string& result, const std::string& dimensions) {
    return results_of(
        with_sum_of("s32",
                    "a = s32[2,3] parameter(0)\n i = s32[] constant(100)\n "
                    "ROOT r = " +
                        result + " reduce(a, i), dimensions={" + dimensions + "}, to_apply=sum"),
        {array});
  };
  EXPECT_EQ(reduced("s32[3]", "0"), Strings{"s32[3] {105, 107, 109}"});
  EXPECT_EQ(reduced("s32[2]", "1"), Strings{"s32[2] {106, 115}"});
  EXPECT_EQ(reduced("s32[]", "1,0"), Strings{"s32[] 121"});
  // Also of one element: XLA:CPU forgets the initial value then.
  EXPECT_EQ(reduced("s32[2,3]", ""), Strings{"s32[2,3] { {101, 102, 103}, {104, 105, 106} }"});
}

TEST(Reduce, OfNothingIsTheInitialValue) {
  EXPECT_EQ(results_of(with_sum_of("f32",
                                   "a = f32[0,2] parameter(0)\n i = f32[] constant(7)\n "
                                   "ROOT r = f32[2] reduce(a, i), dimensions={0}, "
                                   "to_apply=sum"),
                       {"f32[0,2] {}"}),
            Strings{"f32[2] {7, 7}"});
}

TEST(Reduce, AddsUpMorePreciselyThanItsType) {
  EXPECT_EQ(results_of(with_sum_of("bf16",
                                   "a = bf16[4] parameter(0)\n i = bf16[] constant(0)\n "
                                   "ROOT r = bf16[] reduce(a, i), dimensions={0}, "
                                   "to_apply=sum"),
                       {"bf16[4] {256, 1, 1, -256}"}),
            Strings{"bf16[] 2"});
  EXPECT_EQ(results_of(with_sum_of("f32",
                                   "a = f32[3] parameter(0)\n i = f32[] constant(0)\n "
                                   "ROOT r = f32[] reduce(a, i), dimensions={0}, "
                                   "to_apply=sum"),
                       {"f32[3] {1e8, 1, -1e8}"}),
            Strings{"f32[] 1"});
}

TEST(Reduce, SeveralArrays) {
  EXPECT_EQ(results_of(R"(HloModule m
argmin {
  v = f32[] parameter(0)
  p = s32[] parameter(1)
  w = f32[] parameter(2)
  q = s32[] parameter(3)
  earlier = pred[] compare(v, w), direction=LE
  value = f32[] select(earlier, v, w)
  place = s32[] select(earlier, p, q)
  ROOT r = (f32[], s32[]) tuple(value, place)
}
ENTRY e {
  a = f32[2,3] parameter(0)
  p = s32[2,3] iota(), iota_dimension=1
  v = f32[] constant(inf)
  i = s32[] constant(-1)
  ROOT r = (f32[2], s32[2]) reduce(a, p, v, i), dimensions={1}, to_apply=argmin
})",
                       {"f32[2,3] {{3, 1, 1}, {-2, inf, -3}}"}),
            (Strings{"f32[2] {1, -3}", "s32[2] {1, 2}"}));
}

TEST(Reduce, RandomDimensionsByTheDefinition) {
  const test::Draw draw = test::seeded_draw(6);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t rank = draw(0, 4);
    Index sizes;
    Index dimensions;
    Index kept;
    for (std::int64_t d = 0; d < rank; ++d) {
      sizes.push_back(draw(0, 8) == 0 ? 0 : draw(1, 4));
      (draw(0, 1) == 0 ? dimensions : kept).push_back(d);
    }
    Index kept_sizes;
    for (const std::int64_t d : kept) kept_sizes.push_back(sizes[static_cast<std::size_t>(d)]);
    IntegerArray array = random_array(draw, sizes);
    const IntegerArray initial_value = random_array(draw, {});
    IntegerArray expected(kept_sizes, initial_value.values[0]);
    for_each_index(sizes, [&](const Index& index) {
      Index at;
      for (const std::int64_t d : kept) at.push_back(index[static_cast<std::size_t>(d)]);
      expected[at] = ordered_sum(expected[at], array[index]);
    });
    const std::string hlo = fmt::format(
        "HloModule m\n{}\nENTRY e {{\n  a = {} parameter(0)\n  i = s32[] parameter(1)\n  ROOT r = "
        "{} reduce(a, i), dimensions={{{}}}, to_apply=ordered_sum\n}}\n",
        kOrderedSum, array.type(), expected.type(), fmt::join(dimensions, ","));
    EXPECT_EQ(run_integers(hlo, {array, initial_value}), std::vector{expected}) << hlo;
  }
}

TEST(Reduce, CanBeInterrupted) {
  std::stop_source source;
  source.request_stop();
  RunContext context;
  context.stop = source.get_token();
  const Result<std::vector<Tensor>> results = run_program(
      with_sum_of("s32",
                  "i = s32[] constant(0)\n a = s32[1000,1000] broadcast(i), dimensions={}\n "
                  "ROOT r = s32[] reduce(a, i), dimensions={0,1}, to_apply=sum"),
      {}, context);
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().kind, ErrorKind::kInterrupted);
}

// ---- scan ----

constexpr std::string_view kStep = R"(HloModule m
step {
  x = s32[2] parameter(0)
  c = s32[2] parameter(1)
  n = s32[2] add(x, c)
  d = s32[2] add(n, n)
  ROOT r = (s32[2], s32[2]) tuple(d, n)
}
)";

TEST(Scan, CarriesValuesFromSliceToSlice) {
  const Strings arguments = {"s32[3,2] {{1, 2}, {3, 4}, {5, 6}}", "s32[2] {10, 100}"};
  EXPECT_EQ(results_of(std::string(kStep) +
                           "ENTRY e { x = s32[3,2] parameter(0) c = s32[2] parameter(1) ROOT r = "
                           "(s32[3,2], s32[2]) scan(x, c), dimensions={0}, num_carries=1, "
                           "to_apply=step }",
                       arguments),
            (Strings{"s32[3,2] { {22, 204}, {28, 212}, {38, 224} }", "s32[2] {19, 112}"}));
  EXPECT_EQ(results_of(std::string(kStep) +
                           "ENTRY e { x = s32[3,2] parameter(0) c = s32[2] parameter(1) ROOT r = "
                           "(s32[3,2], s32[2]) scan(x, c), dimensions={0}, num_carries=1, "
                           "is_reverse=true, to_apply=step }",
                       arguments),
            (Strings{"s32[3,2] { {38, 224}, {36, 220}, {30, 212} }", "s32[2] {19, 112}"}));
}

TEST(Scan, AlongAnotherDimension) {
  EXPECT_EQ(results_of(std::string(kStep) +
                           "ENTRY e { x = s32[2,3] parameter(0) c = s32[2] parameter(1) ROOT r = "
                           "(s32[2,3], s32[2]) scan(x, c), dimensions={1}, num_carries=1, "
                           "to_apply=step }",
                       {"s32[2,3] {{1, 3, 5}, {2, 4, 6}}", "s32[2] {10, 100}"}),
            (Strings{"s32[2,3] { {22, 28, 38}, {204, 212, 224} }", "s32[2] {19, 112}"}));
}

TEST(Scan, OfNoSlicesGivesBackWhatIsCarried) {
  EXPECT_EQ(results_of(std::string(kStep) +
                           "ENTRY e { x = s32[0,2] parameter(0) c = s32[2] parameter(1) ROOT r = "
                           "(s32[0,2], s32[2]) scan(x, c), dimensions={0}, num_carries=1, "
                           "to_apply=step }",
                       {"s32[0,2] {}", "s32[2] {10, 100}"}),
            (Strings{"s32[0,2] {}", "s32[2] {10, 100}"}));
}

TEST(Scan, OneResultIsNoTuple) {
  EXPECT_EQ(results_of(R"(HloModule m
double {
  x = s32[2] parameter(0)
  ROOT r = s32[2] add(x, x)
}
ENTRY e {
  x = s32[2,2] parameter(0)
  ROOT r = s32[2,2] scan(x), dimensions={0}, num_carries=0, to_apply=double
})",
                       {"s32[2,2] {{1, 2}, {3, 4}}"}),
            Strings{"s32[2,2] { {2, 4}, {6, 8} }"});
}

}  // namespace
}  // namespace mercator::runtime
