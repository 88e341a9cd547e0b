#include "mercator/runtime/compare.h"

#include <cstddef>
#include <limits>
#include <stop_token>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;

Comparison compare_texts(std::string_view actual, std::string_view expected, double tolerance = 0) {
  return compare(tensor_from_text(actual), tensor_from_text(expected), tolerance).value();
}

std::int64_t differing(std::string_view actual, std::string_view expected, double tolerance = 0) {
  return compare_texts(actual, expected, tolerance).differing;
}

TEST(Compare, IntegersMustBeEqualWhateverIsTolerated) {
  EXPECT_EQ(differing("s32[3] {1,2,3}", "s32[3] {1,2,3}"), 0);
  const Comparison wrong =
      compare_texts("s8[2,2] {{1,2},{-128,127}}", "s8[2,2] {{1,3},{127,127}}", 0.5);
  EXPECT_EQ(wrong.elements, 4);
  EXPECT_EQ(wrong.differing, 2);
  ASSERT_EQ(wrong.worst.size(), 2U);
  EXPECT_THAT(wrong.worst[0].index, ElementsAre(1, 0));
  EXPECT_EQ(wrong.worst[0].actual, "-128");
  EXPECT_EQ(wrong.worst[0].expected, "127");
  EXPECT_EQ(wrong.worst[0].steps, 255U);
  EXPECT_THAT(wrong.worst[1].index, ElementsAre(0, 1));
  EXPECT_EQ(wrong.worst[1].steps, 1U);
  EXPECT_EQ(wrong.worst[1].relative, 1.0 / 3);
}

TEST(Compare, LargeIntegersAreToldApart) {
  const Comparison wrong =
      compare_texts("u64[1] {18446744073709551615}", "u64[1] {18446744073709551614}");
  EXPECT_EQ(wrong.differing, 1);
  EXPECT_EQ(wrong.worst[0].steps, 1U);
  EXPECT_EQ(
      compare_texts("s64[1] {9223372036854775807}", "s64[1] {-9223372036854775808}").worst[0].steps,
      std::numeric_limits<std::uint64_t>::max());
}

TEST(Compare, ZerosAreEqualAndNansAre) {
  EXPECT_EQ(differing("f32[2] {-0, nan}", "f32[2] {0, -nan}"), 0);
  EXPECT_EQ(differing("pred[2] {0, 1}", "pred[2] {0, 0}"), 1);
  EXPECT_EQ(differing("c64[1] {(nan, -0)}", "c64[1] {(nan, 0)}"), 0);
  EXPECT_EQ(differing("f8e4m3fn[2] {nan, -0}", "f8e4m3fn[2] {-nan, 0}"), 0);
}

TEST(Compare, WithoutToleranceEveryBitCounts) {
  const Comparison wrong = compare_texts("f32[2] {1, 1.0000001}", "f32[2] {1, 1}");
  EXPECT_EQ(wrong.differing, 1);
  EXPECT_EQ(wrong.worst[0].steps, 1U);
  EXPECT_EQ(compare_texts("f32[1] {-1e-45}", "f32[1] {1e-45}").worst[0].steps, 2U);
  EXPECT_EQ(compare_texts("bf16[1] {1.0078125}", "bf16[1] {1}").worst[0].steps, 1U);
  EXPECT_EQ(compare_texts("f8e8m0fnu[1] {8}", "f8e8m0fnu[1] {2}").worst[0].steps, 2U);
}

TEST(Compare, ToleranceIsRelativeToTheElement) {
  EXPECT_EQ(differing("f64[1] {1.01}", "f64[1] {1}", 0.02), 0);
  EXPECT_EQ(differing("f64[1] {1.03}", "f64[1] {1}", 0.02), 1);
  EXPECT_EQ(differing("f64[1] {-101}", "f64[1] {-100}", 0.02), 0);
  EXPECT_EQ(compare_texts("f64[1] {1.5}", "f64[1] {2}", 0.5).largest_error, 0.25);
}

TEST(Compare, SmallElementsAreMeasuredByTheMedian) {
  // The median of |expected| is 100, of which 1% is 1.
  EXPECT_EQ(differing("f64[3] {0.9, -100, 300}", "f64[3] {0, -100, 300}", 0.01), 0);
  EXPECT_EQ(differing("f64[3] {1.1, -100, 300}", "f64[3] {0, -100, 300}", 0.01), 1);
  // What is not finite, or zero, has no part in it.
  EXPECT_EQ(differing("f64[4] {1.1, 100, inf, 0}", "f64[4] {0, 100, inf, 0}", 0.01), 1);
}

TEST(Compare, ALargeElementHidesNothing) {
  EXPECT_EQ(differing("f64[4] {1, 2, 4, 1e20}", "f64[4] {1, 2, 3, 1e20}", 0.01), 1);
}

TEST(Compare, NumbersThatSomeMachinesFlushToZeroAreZero) {
  EXPECT_EQ(differing("f32[1] {0}", "f32[1] {1e-40}", 1e-6), 0);
  EXPECT_EQ(differing("f32[1] {0}", "f32[1] {2e-38}", 1e-6), 1);
  EXPECT_EQ(differing("f32[1] {0}", "f32[1] {1e-40}", 0), 1);
}

TEST(Compare, WhatIsToleratedBesideZeroHasAnErrorAsWell) {
  // 1e-45 is 2^-149, and the smallest normal number 2^-126.
  EXPECT_EQ(compare_texts("f32[2] {1e-45, 0}", "f32[2] {0, 0}", 1e-6).largest_error, 0x1p-23);
  EXPECT_EQ(compare_texts("f32[1] {0}", "f32[1] {1e-45}", 1e-6).largest_error, 0x1p-23);
  EXPECT_EQ(compare_texts("f32[1] {3}", "f32[1] {4}", 0.5).largest_error, 0.25);
}

TEST(Compare, EveryByteButZeroIsATruePred) {
  Tensor actual = tensor_from_text("pred[3] {0, 1, 1}");
  actual.mutable_bytes()[1] = std::byte{2};
  actual.mutable_bytes()[2] = std::byte{255};
  EXPECT_EQ(compare(actual, tensor_from_text("pred[3] {0, 1, 1}"), 0)->differing, 0);
  const Comparison wrong = compare(actual, tensor_from_text("pred[3] {1, 0, 1}"), 0).value();
  EXPECT_EQ(wrong.differing, 2);
  EXPECT_EQ(wrong.worst[1].steps, 1U);
}

TEST(Compare, CanBeInterrupted) {
  std::stop_source stop;
  stop.request_stop();
  for (const char* text : {"s32[] 1", "f32[] 1"}) {
    const Tensor tensor = tensor_from_text(text);
    const Result<Comparison> result = compare(tensor, tensor, 0, stop.get_token());
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, ErrorKind::kInterrupted);
  }
}

TEST(Compare, InfinitiesEqualThemselvesOnly) {
  EXPECT_EQ(differing("f32[2] {inf, -inf}", "f32[2] {inf, -inf}", 0.5), 0);
  EXPECT_EQ(differing("f32[1] {inf}", "f32[1] {-inf}", 0.5), 1);
  EXPECT_EQ(differing("f32[1] {3e38}", "f32[1] {inf}", 0.5), 1);
  const Comparison wrong = compare_texts("f32[2] {1, nan}", "f32[2] {nan, 1}", 0.5);
  EXPECT_EQ(wrong.differing, 2);
  EXPECT_THAT(wrong.worst[0].index, ElementsAre(0));
  EXPECT_EQ(wrong.worst[0].actual, "1");
  EXPECT_EQ(wrong.worst[0].expected, "nan");
  EXPECT_EQ(wrong.worst[0].relative, std::numeric_limits<double>::infinity());
}

TEST(Compare, ComplexNumbersAreMeasuredInThePlane) {
  // 0.01 off the way of a number of magnitude 5.
  EXPECT_EQ(differing("c64[1] {(3, 4.01)}", "c64[1] {(3, 4)}", 0.0021), 0);
  EXPECT_EQ(differing("c64[1] {(3, 4.01)}", "c64[1] {(3, 4)}", 0.0019), 1);
  EXPECT_EQ(differing("c128[1] {(1, 0.001)}", "c128[1] {(1, 0)}", 0.01), 0);
  EXPECT_EQ(differing("c64[1] {(inf, 1)}", "c64[1] {(inf, 1)}", 0.01), 0);
  EXPECT_EQ(differing("c64[1] {(inf, 1)}", "c64[1] {(1, inf)}", 0.01), 1);
  EXPECT_EQ(compare_texts("c64[1] {(1, 2)}", "c64[1] {(1.0000001, 2.0000005)}").worst[0].steps, 2U);
}

TEST(Compare, TheWorstComeFirst) {
  const Comparison wrong =
      compare_texts("f64[5] {1.1, 1.3, 1.2, 1, 1.3}", "f64[5] {1, 1, 1, 1, 1}", 0.01);
  EXPECT_EQ(wrong.differing, 4);
  ASSERT_EQ(wrong.worst.size(), 3U);
  EXPECT_THAT(wrong.worst[0].index, ElementsAre(1));
  EXPECT_THAT(wrong.worst[1].index, ElementsAre(4));
  EXPECT_THAT(wrong.worst[2].index, ElementsAre(2));
}

TEST(Compare, EmptyAndScalarTensors) {
  EXPECT_EQ(differing("f32[0,3] {}", "f32[0,3] {}"), 0);
  const Comparison scalar = compare_texts("f32[] 1", "f32[] 2");
  EXPECT_EQ(scalar.differing, 1);
  EXPECT_THAT(scalar.worst[0].index, ElementsAre());
}

}  // namespace
}  // namespace mercator::runtime
