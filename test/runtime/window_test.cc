#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mercator/runtime/sliding_window.h"
#include "test/runtime/integer_array.h"
#include "test/runtime/interpreter_testing.h"
#include "test/runtime/window_definition.h"

namespace mercator::runtime {
namespace {

// ---- which elements a window meets ----

TEST(SlidingWindow, MeetsTheElementsOfTheDefinition) {
  const test::Draw draw = test::seeded_draw(3);
  for (int round = 0; round < 2000; ++round) {
    const hlo::WindowDimension window = random_window(draw);
    const std::int64_t size = draw(0, 6);
    const WindowAxis axis = WindowAxis::make(window, size).value();
    ASSERT_EQ(axis.places(), window_places(window, size));
    for (std::int64_t place = 0; place < axis.places(); ++place) {
      std::vector<std::pair<std::int64_t, std::int64_t>> expected;
      for (std::int64_t tap = 0; tap < window.size; ++tap) {
        const std::int64_t element = element_under(window, size, place, tap);
        if (element >= 0) expected.emplace_back(tap, element);
      }
      const WindowOverlap overlap = axis.overlap(place);
      std::vector<std::pair<std::int64_t, std::int64_t>> met;
      for (std::int64_t i = 0; i < overlap.count; ++i) {
        met.emplace_back(overlap.first_tap + i * overlap.tap_step,
                         overlap.first_element + i * overlap.element_step);
      }
      ASSERT_EQ(met, expected);
    }
  }
}

TEST(SlidingWindow, SizesMayBeAsLargeAsNumbersAre) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 62;
  const hlo::WindowDimension window{.size = kLarge, .padding_low = kLarge - 1};
  const WindowAxis axis = WindowAxis::make(window, 3).value();
  ASSERT_EQ(axis.places(), 3);
  const WindowOverlap overlap = axis.overlap(1);
  EXPECT_EQ(overlap.count, 2);
  EXPECT_EQ(overlap.first_tap, kLarge - 2);
  EXPECT_EQ(overlap.first_element, 0);
  EXPECT_EQ(WindowAxis::make({.size = 3, .window_dilation = kLarge}, 3).error().kind,
            ErrorKind::kExhausted);
}

// An array, and a window over each of its dimensions.
struct WindowedArray {
  std::vector<hlo::WindowDimension> window;
  Index sizes;
  Index places;
  Index taps;

  // The element under a tap at a place; none if there is padding.
  [[nodiscard]] std::optional<Index> element(const Index& place, const Index& tap) const {
    Index element;
    for (std::size_t d = 0; d < tap.size(); ++d) {
      element.push_back(element_under(window[d], sizes[d], place[d], tap[d]));
      if (element.back() < 0) return std::nullopt;
    }
    return element;
  }
};

// Of dimensions of between `smallest` and `largest` elements.
WindowedArray random_windowed_array(const test::Draw& draw, std::int64_t rank,
                                    std::int64_t smallest, std::int64_t largest) {
  WindowedArray w;
  for (std::int64_t d = 0; d < rank; ++d) {
    w.window.push_back(random_window(draw));
    w.sizes.push_back(draw(smallest, largest));
    w.places.push_back(window_places(w.window.back(), w.sizes.back()));
    w.taps.push_back(w.window.back().size);
  }
  return w;
}

// ---- reduce-window ----

std::string reduce_window(const IntegerArray& array, const IntegerArray& result,
                          const std::vector<hlo::WindowDimension>& window) {
  return fmt::format(
      "HloModule m\n{}\nENTRY e {{\n  a = {} parameter(0)\n  i = s32[] parameter(1)\n  ROOT r = {} "
      "reduce-window(a, i){}, to_apply=ordered_sum\n}}\n",
      kOrderedSum, array.type(), result.type(), window_attribute(window, /*reversal=*/false));
}

TEST(ReduceWindow, TheInitialValueCountsOnceForEachWindow) {
  EXPECT_EQ(results_of(R"(HloModule m
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] add(a, b)
}
ENTRY e {
  a = s32[3] parameter(0)
  i = s32[] parameter(1)
  ROOT r = s32[4] reduce-window(a, i), window={size=4 pad=3_1}, to_apply=add
})",
                       {"s32[3] {1, 2, 3}", "s32[] 100"}),
            (std::vector<std::string>{"s32[4] {101, 103, 106, 106}"}));
}

TEST(ReduceWindow, RandomOnesByTheDefinition) {
  const test::Draw draw = test::seeded_draw(4);
  for (int round = 0; round < 400; ++round) {
    const WindowedArray w = random_windowed_array(draw, draw(0, 3), 0, 4);
    IntegerArray array = random_array(draw, w.sizes);
    const IntegerArray initial_value = random_array(draw, {});
    IntegerArray expected(w.places);
    for_each_index(w.places, [&](const Index& place) {
      std::int32_t sum = initial_value.values[0];
      for_each_index(w.taps, [&](const Index& tap) {
        const std::optional<Index> element = w.element(place, tap);
        if (element) sum = ordered_sum(sum, array[*element]);
      });
      expected[place] = sum;
    });
    const std::string hlo = reduce_window(array, expected, w.window);
    EXPECT_EQ(run_integers(hlo, {array, initial_value}), std::vector{expected}) << hlo;
  }
}

TEST(ReduceWindow, SeveralArrays) {
  // The largest value of a window and its place.
  EXPECT_EQ(results_of(R"(HloModule m
argmax {
  v = f32[] parameter(0)
  p = s32[] parameter(1)
  w = f32[] parameter(2)
  q = s32[] parameter(3)
  later = pred[] compare(w, v), direction=GT
  value = f32[] select(later, w, v)
  place = s32[] select(later, q, p)
  ROOT r = (f32[], s32[]) tuple(value, place)
}
ENTRY e {
  a = f32[4] parameter(0)
  p = s32[4] iota(), iota_dimension=0
  v = f32[] constant(-inf)
  i = s32[] constant(-1)
  ROOT r = (f32[3], s32[3]) reduce-window(a, p, v, i), window={size=2}, to_apply=argmax
})",
                       {"f32[4] {5, 7, 7, 6}"}),
            (std::vector<std::string>{"f32[3] {7, 7, 7}", "s32[3] {1, 1, 2}"}));
}

// ---- select-and-scatter ----

std::string select_and_scatter(std::string_view direction, const IntegerArray& array,
                               const IntegerArray& source,
                               const std::vector<hlo::WindowDimension>& window) {
  return fmt::format(R"(HloModule m
{}
select {{
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction={}
}}
ENTRY e {{
  a = {} parameter(0)
  s = {} parameter(1)
  i = s32[] parameter(2)
  ROOT r = {} select-and-scatter(a, s, i){}, select=select, scatter=ordered_sum
}}
)",
                     kOrderedSum, direction, array.type(), source.type(), array.type(),
                     window_attribute(window, /*reversal=*/false));
}

TEST(SelectAndScatter, RandomOnesByTheDefinition) {
  const test::Draw draw = test::seeded_draw(5);
  for (int round = 0; round < 300; ++round) {
    const bool first_of_equal = draw(0, 1) == 0;
    const WindowedArray w = random_windowed_array(draw, draw(1, 2), 1, 6);
    IntegerArray array = random_array(draw, w.sizes);
    IntegerArray source = random_array(draw, w.places);
    const IntegerArray initial_value = random_array(draw, {});
    IntegerArray expected(w.sizes, initial_value.values[0]);
    for_each_index(w.places, [&](const Index& place) {
      Index selected;
      for_each_index(w.taps, [&](const Index& tap) {
        const std::optional<Index> element = w.element(place, tap);
        if (!element) return;
        const bool keeps =
            !selected.empty() && (first_of_equal ? array[selected] >= array[*element]
                                                 : array[selected] > array[*element]);
        if (!keeps) selected = *element;
      });
      if (!selected.empty()) {
        expected[selected] = ordered_sum(expected[selected], source[place]);
      }
    });
    const std::string hlo =
        select_and_scatter(first_of_equal ? "GE" : "GT", array, source, w.window);
    EXPECT_EQ(run_integers(hlo, {array, source, initial_value}), std::vector{expected}) << hlo;
  }
}

}  // namespace
}  // namespace mercator::runtime
