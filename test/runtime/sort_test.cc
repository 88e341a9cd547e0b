#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "mercator/runtime/merge_sort.h"
#include "test/runtime/integer_array.h"
#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

using Strings = std::vector<std::string>;

// ---- the sort itself ----

std::vector<int> merge_sorted(std::vector<int> elements, auto less) {
  std::vector<int> scratch(elements.size());
  EXPECT_TRUE(
      merge_sort(std::span(elements), std::span(scratch), [&](int a, int b) -> Result<bool> {
        return less(a, b);
      }).has_value());
  return elements;
}

TEST(MergeSort, IsStableForEveryLength) {
  const test::Draw draw = test::seeded_draw(7);
  for (std::int64_t length = 0; length < 70; ++length) {
    std::vector<int> elements;
    for (std::int64_t i = 0; i < length; ++i) {
      elements.push_back(static_cast<int>(100 * draw(0, 9) + i));
    }
    const auto less = [](int a, int b) { return a / 100 < b / 100; };
    std::vector<int> expected = elements;
    std::stable_sort(expected.begin(), expected.end(), less);
    EXPECT_EQ(merge_sorted(elements, less), expected);
  }
}

TEST(MergeSort, EndsForComparisonsThatAreNoOrder) {
  const test::Draw draw = test::seeded_draw(8);
  for (std::size_t length = 0; length < 50; ++length) {
    std::vector<int> elements(length);
    std::iota(elements.begin(), elements.end(), 0);
    for (std::vector<int> result :
         {merge_sorted(elements, [](int, int) { return true; }),
          merge_sorted(elements, [&](int, int) { return draw(0, 1) == 1; })}) {
      std::ranges::sort(result);
      EXPECT_EQ(result, elements);
    }
  }
}

TEST(MergeSort, StopsAtTheFirstError) {
  std::vector<int> elements = {3, 1, 2};
  std::vector<int> scratch(3);
  int calls = 0;
  const Result<void> result =
      merge_sort(std::span(elements), std::span(scratch), [&](int, int) -> Result<bool> {
        ++calls;
        return fail(ErrorKind::kInterrupted, "stop");
      });
  EXPECT_EQ(result.error().message, "stop");
  EXPECT_EQ(calls, 1);
}

// ---- sort ----

constexpr std::string_view kLess = R"(HloModule m
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER
}
)";

TEST(Sort, ByTheTotalOrder) {
  EXPECT_EQ(
      results_of(std::string(kLess) + "ENTRY e { a = f32[7] parameter(0) ROOT r = f32[7] sort(a), "
                                      "dimensions={0}, to_apply=less }",
                 {"f32[7] {nan, 1, -nan, 0, inf, -0, -inf}"}),
      Strings{"f32[7] {-nan, -inf, -0, 0, 1, inf, nan}"});
}

TEST(Sort, AlongAnyDimension) {
  const std::string argument = "f32[2,3] {{3, 1, 2}, {2, 4, 1}}";
  EXPECT_EQ(results_of(std::string(kLess) +
                           "ENTRY e { a = f32[2,3] parameter(0) ROOT r = f32[2,3] sort(a), "
                           "dimensions={0}, to_apply=less }",
                       {argument}),
            Strings{"f32[2,3] { {2, 1, 1}, {3, 4, 2} }"});
  EXPECT_EQ(results_of(std::string(kLess) +
                           "ENTRY e { a = f32[2,3] parameter(0) ROOT r = f32[2,3] sort(a), "
                           "dimensions={1}, to_apply=less }",
                       {argument}),
            Strings{"f32[2,3] { {1, 2, 3}, {1, 2, 4} }"});
}

TEST(Sort, OfNothing) {
  EXPECT_EQ(results_of(std::string(kLess) +
                           "ENTRY e { a = f32[2,0] parameter(0) ROOT r = f32[2,0] sort(a), "
                           "dimensions={1}, to_apply=less }",
                       {"f32[2,0] {{}, {}}"}),
            Strings{"f32[2,0] { {}, {} }"});
}

TEST(Sort, OperandsMoveTogetherAndEqualOnesKeepTheirOrder) {
  // By the second operand, descending.
  EXPECT_EQ(results_of(R"(HloModule m
greater {
  a = u8[] parameter(0)
  b = u8[] parameter(1)
  c = s64[] parameter(2)
  d = s64[] parameter(3)
  ROOT r = pred[] compare(c, d), direction=GT
}
ENTRY e {
  a = u8[6] parameter(0)
  b = s64[6] parameter(1)
  ROOT r = (u8[6], s64[6]) sort(a, b), dimensions={0}, is_stable=true, to_apply=greater
})",
                       {"u8[6] {0, 1, 2, 3, 4, 5}", "s64[6] {7, 9, 7, 8, 9, 7}"}),
            (Strings{"u8[6] {1, 4, 3, 0, 2, 5}", "s64[6] {9, 9, 8, 7, 7, 7}"}));
}

TEST(Sort, AComparatorThatIsNoOrderGivesSomePermutation) {
  const std::string hlo = R"(HloModule m
always {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = pred[] constant(true)
}
ENTRY e {
  a = s32[100] parameter(0)
  ROOT r = s32[100] sort(a), dimensions={0}, to_apply=always
})";
  IntegerArray argument({100});
  std::iota(argument.values.begin(), argument.values.end(), 0);
  std::vector<IntegerArray> results = run_integers(hlo, {argument});
  ASSERT_EQ(results.size(), 1U);
  std::ranges::sort(results[0].values);
  EXPECT_EQ(results[0], argument);
}

// ---- topk ----

TEST(TopK, OfEachRowTheLargestByTheTotalOrderTheFirstOfEqualOnes) {
  EXPECT_EQ(
      results_of("HloModule m\nENTRY e { a = f32[2,5] parameter(0) ROOT r = (f32[2,3], "
                 "s32[2,3]) topk(a), k=3, largest=true }",
                 {"f32[2,5] {{1, nan, -nan, inf, 1}, {-0, 0, -1, 0, -0}}"}),
      (Strings{"f32[2,3] { {nan, inf, 1}, {0, 0, -0} }", "s32[2,3] { {1, 3, 0}, {1, 3, 0} }"}));
}

TEST(TopK, OfTheSmallest) {
  EXPECT_EQ(results_of("HloModule m\nENTRY e { a = s8[5] parameter(0) ROOT r = (s8[3], s32[3]) "
                       "topk(a), k=3, largest=false }",
                       {"s8[5] {5, -128, 127, -1, -128}"}),
            (Strings{"s8[3] {-128, -128, -1}", "s32[3] {1, 4, 3}"}));
}

TEST(TopK, OrdersEveryKindOfType) {
  const auto largest = [](const std::string& type, const std::string& values) {
    return results_of("HloModule m\nENTRY e { a = " + type + "[3] parameter(0) ROOT r = (" + type +
                          "[2], s32[2]) topk(a), k=2, largest=true }",
                      {type + "[3] " + values});
  };
  EXPECT_EQ(largest("u64", "{1, 18446744073709551615, 9223372036854775807}")[1], "s32[2] {1, 2}");
  EXPECT_EQ(largest("s4", "{-8, 7, -1}")[1], "s32[2] {1, 2}");
  EXPECT_EQ(largest("pred", "{0, 1, 1}")[1], "s32[2] {1, 2}");
  EXPECT_EQ(largest("bf16", "{-2, -1, -3}")[1], "s32[2] {1, 0}");
  EXPECT_EQ(largest("f64", "{-1e300, 1e-300, 1e300}")[1], "s32[2] {2, 1}");
  EXPECT_EQ(largest("f4e2m1fn", "{-6, 0.5, -1}")[1], "s32[2] {1, 2}");
  EXPECT_EQ(largest("f8e8m0fnu", "{0.5, 2, 4}")[1], "s32[2] {2, 1}");
}

// Not even for the order of a row, which would be as long as the largest array.
TEST(Sort, OfNothingTakesNoMemory) {
  EXPECT_EQ(results_of(R"(HloModule m
less {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT l = pred[] compare(x, y), direction=LT
}
ENTRY e {
  a = f32[0,200000000000000000] iota(), iota_dimension=0
  s = f32[0,200000000000000000] sort(a), dimensions={1}, to_apply=less
  ROOT r = f32[0,1] slice(s), slice={[0:0], [0:1]}
})"),
            std::vector<std::string>{"f32[0,1] {}"});
}

TEST(TopK, OfNothingTakesNoMemory) {
  RunContext context;
  context.pool = MemoryPool(1 << 20);
  const Result<std::vector<Tensor>> results = run_program(R"(HloModule m
ENTRY e {
  a = f32[0,2147483647] iota(), iota_dimension=0
  ROOT t = (f32[0,2147483647], s32[0,2147483647]) topk(a), k=2147483647, largest=true
})",
                                                          {}, context);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(type_text((*results)[0]), "f32[0,2147483647]");
}

}  // namespace
}  // namespace mercator::runtime
