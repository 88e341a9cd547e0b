#include "mercator/runtime/strided_copy.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "integer_array.h"
#include "interpreter_testing.h"

namespace mercator::runtime {
namespace {

TEST(StridedCopy, RandomOnesByTheDefinition) {
  const test::Draw draw = test::seeded_draw(1);
  for (int round = 0; round < 500; ++round) {
    const Index sizes = random_sizes(draw, draw(0, 3), 4);
    // Places are at most 3 * 3 * 6 from the middle.
    const auto random_places = [&] {
      StridedPlaces places{.first = 60, .strides = {}};
      for (std::size_t d = 0; d < sizes.size(); ++d) places.strides.push_back(draw(-6, 6));
      return places;
    };
    const IntegerArray source = random_array(draw, {121});
    const StridedPlaces from = random_places();
    const StridedPlaces to = random_places();
    std::vector<std::int32_t> expected(121, 7);
    for_each_index(sizes, [&](const Index& index) {
      std::int64_t read = from.first;
      std::int64_t written = to.first;
      for (std::size_t d = 0; d < index.size(); ++d) {
        read += index[d] * from.strides[d];
        written += index[d] * to.strides[d];
      }
      expected[static_cast<std::size_t>(written)] = source.values[static_cast<std::size_t>(read)];
    });
    Tensor target = to_tensor(IntegerArray({121}, 7));
    ASSERT_TRUE(copy_elements(sizes, to_tensor(source), from, target, to, {}));
    EXPECT_EQ(from_tensor(target).values, expected);
  }
}

// From one element to itself so often that it would take days.
TEST(StridedCopy, LongOnesEndWhenAsked) {
  constexpr std::int64_t kOften = std::int64_t{1} << 40;
  const Tensor source = tensor_from_text("u8[1] {3}");
  Tensor target = tensor_from_text("u8[1] {0}");
  for (const std::vector<std::int64_t>& sizes :
       {std::vector{kOften}, std::vector{kOften, std::int64_t{1}}, std::vector{kOften, kOften}}) {
    const StridedPlaces same{.strides = std::vector<std::int64_t>(sizes.size(), 0)};
    std::stop_source stop;
    const std::jthread request([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      stop.request_stop();
    });
    const Result<void> copied = copy_elements(sizes, source, same, target, same, stop.get_token());
    ASSERT_FALSE(copied);
    EXPECT_EQ(copied.error().kind, ErrorKind::kInterrupted);
  }
}

TEST(StridedCopy, AllThatCopiesIsInterrupted) {
  std::stop_source stop;
  stop.request_stop();
  RunContext context;
  context.stop = stop.get_token();
  const auto large = [](hlo::ElementType type) {
    Tensor tensor = Tensor::allocate(type, {300, 300}, {}).value();
    std::ranges::fill(tensor.mutable_bytes(), std::byte{1});
    return tensor;
  };
  const Tensor bytes = large(hlo::ElementType::kU8);
  const Tensor nibbles = large(hlo::ElementType::kS4);
  const Tensor packed = with_storage(nibbles, {.packed = true}, {}).value();
  const auto expect_interrupted = [](const auto& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::kInterrupted);
  };
  Tensor target = large(hlo::ElementType::kU8);
  expect_interrupted(fill_elements(tensor_from_text("u8[] 1"), target, context.stop));
  expect_interrupted(writable(bytes, context));
  expect_interrupted(with_storage(bytes, {.minor_to_major = {0, 1}}, context.pool, context.stop));
  expect_interrupted(with_storage(nibbles, {.packed = true}, context.pool, context.stop));
  expect_interrupted(dense(Value::tuple({packed}), context));
}

TEST(StridedCopy, WhatNobodyElseHoldsIsWrittenTo) {
  Tensor tensor = tensor_from_text("u8[2] {1, 2}");
  const std::byte* const memory = tensor.bytes().data();
  Tensor same = writable(std::move(tensor), {}).value();
  EXPECT_EQ(same.bytes().data(), memory);
  const Tensor copy = writable(same, {}).value();
  EXPECT_NE(copy.bytes().data(), memory);
  EXPECT_EQ(text_of(copy), "u8[2] {1, 2}");
}

}  // namespace
}  // namespace mercator::runtime
