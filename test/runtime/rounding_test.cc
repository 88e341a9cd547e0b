#include "mercator/runtime/rounding.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

std::vector<Rounding> roundings(const std::string& text) {
  const auto module = hlo::parse_module("HloModule m\n" + text);
  if (!module) {
    ADD_FAILURE() << module.error().message;
    return {{}};
  }
  EXPECT_TRUE(hlo::verify(**module).has_value());
  return result_roundings(*(*module)->entry);
}

void expect_rounding(const std::string& text, double count, double length, double unit) {
  const Rounding rounding = roundings(text)[0];
  EXPECT_EQ(rounding.roundings, count);
  EXPECT_EQ(rounding.reduction_length, length);
  EXPECT_EQ(rounding.unit_roundoff, unit);
}

TEST(Rounding, WhatMovesComparesOrConvertsIsExact) {
  expect_rounding(R"(ENTRY e {
    p = f32[4] parameter(0)
    n = f32[4] negate(p)
    m = f32[4] maximum(p, n)
    c = bf16[4] convert(m)
    ROOT r = bf16[2] slice(c), slice={[0:2]} })",
                  0, 1, 0);
}

TEST(Rounding, CountsTheLongestWay) {
  expect_rounding(R"(ENTRY e {
    p = f32[4] parameter(0)
    x = f32[4] exponential(p)
    s = f32[4] add(x, p)
    ROOT r = f32[4] multiply(s, p) })",
                  6, 1, 0x1p-24);
}

TEST(Rounding, LengthsOfSumsOnAWayMultiply) {
  expect_rounding(R"(add { a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT s = f32[] add(a, b) }
  ENTRY e {
    p = f32[8,32] parameter(0)
    q = f32[32,5] parameter(1)
    d = f32[8,5] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    z = f32[] constant(0)
    ROOT r = f32[5] reduce(d, z), dimensions={0}, to_apply=add })",
                  2, 256, 0x1p-24);
}

TEST(Rounding, AMaximumOfManyIsExact) {
  expect_rounding(R"(max { a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT s = f32[] maximum(a, b) }
  ENTRY e {
    p = f32[8,32] parameter(0)
    z = f32[] constant(0)
    ROOT r = f32[8] reduce(p, z), dimensions={1}, to_apply=max })",
                  0, 1, 0);
}

TEST(Rounding, ConvolutionsAndWindowsSumUpTheirKernels) {
  expect_rounding(R"(ENTRY e {
    p = f32[2,8,8,3] parameter(0)
    k = f32[5,4,3,7] parameter(1)
    ROOT r = f32[2,4,5,7] convolution(p, k), window={size=5x4}, dim_labels=b01f_01io->b01f })",
                  1, 60, 0x1p-24);
  expect_rounding(R"(add { a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT s = f32[] add(a, b) }
  ENTRY e {
    p = f32[8,32] parameter(0)
    z = f32[] constant(0)
    ROOT r = f32[7,28] reduce-window(p, z), window={size=2x5}, to_apply=add })",
                  1, 10, 0x1p-24);
}

TEST(Rounding, ScattersSumUpAsManyUpdatesAsThereAre) {
  expect_rounding(R"(add { a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT s = f32[] add(a, b) }
  ENTRY e {
    p = f32[8,3] parameter(0)
    i = s32[50,1] parameter(1)
    u = f32[50,3] parameter(2)
    ROOT r = f32[8,3] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add })",
                  1, 50, 0x1p-24);
}

TEST(Rounding, TheLeastPreciseTypeThatIsRoundedToCounts) {
  expect_rounding(R"(ENTRY e {
    p = f32[4] parameter(0)
    x = f32[4] exponential(p)
    c = bf16[4] convert(x)
    ROOT r = f32[4] convert(c) })",
                  4, 1, 0x1p-8);
  // What is exact before is not rounded.
  expect_rounding(R"(ENTRY e {
    p = bf16[4] parameter(0)
    c = f32[4] convert(p)
    ROOT x = f32[4] add(c, c) })",
                  1, 1, 0x1p-24);
}

TEST(Rounding, IntegersMustBeEqual) {
  expect_rounding(R"(ENTRY e {
    p = f32[4] parameter(0)
    x = f32[4] exponential(p)
    ROOT r = s32[4] convert(x) })",
                  0, 1, 0);
}

TEST(Rounding, ElementsOfTuplesAreToldApart) {
  const std::vector<Rounding> all = roundings(R"(f {
    p = f32[4] parameter(0)
    x = f32[4] add(p, p)
    ROOT t = (f32[4], f32[4]) tuple(p, x) }
  ENTRY e {
    p = f32[4] parameter(0)
    c = (f32[4], f32[4]) fusion(p), kind=kLoop, calls=f
    a = f32[4] get-tuple-element(c), index=0
    b = f32[4] get-tuple-element(c), index=1
    n = f32[4] multiply(b, b)
    ROOT t = (f32[4], f32[4], token[], f32[4]) tuple(a, b, k, n)
    k = token[] after-all() })");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].roundings, 0);
  EXPECT_EQ(all[1].roundings, 1);
  EXPECT_EQ(all[2].roundings, 2);
}

TEST(Rounding, LoopsCountTheirTurns) {
  expect_rounding(R"(body {
    s = (s32[], f32[4]) parameter(0)
    i = s32[] get-tuple-element(s), index=0
    x = f32[4] get-tuple-element(s), index=1
    one = s32[] constant(1)
    next = s32[] add(i, one)
    y = f32[4] multiply(x, x)
    ROOT t = (s32[], f32[4]) tuple(next, y) }
  cond {
    s = (s32[], f32[4]) parameter(0)
    i = s32[] get-tuple-element(s), index=0
    n = s32[] constant(25)
    ROOT l = pred[] compare(i, n), direction=LT }
  ENTRY e {
    z = s32[] constant(0)
    p = f32[4] parameter(0)
    t = (s32[], f32[4]) tuple(z, p)
    w = (s32[], f32[4]) while(t), condition=cond, body=body
    ROOT r = f32[4] get-tuple-element(w), index=1 })",
                  25, 1, 0x1p-24);
}

TEST(Rounding, CallsThatDoubleAtEachLevelAreFollowedOnce) {
  std::string text = "f0 { p = f32[] parameter(0)\n ROOT r = f32[] add(p, p) }\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string callee = "f" + std::to_string(i - 1);
    text += "f" + std::to_string(i) +
            " { p = f32[] parameter(0)\n a = f32[] call(p), to_apply=" + callee +
            "\n ROOT b = f32[] call(a), to_apply=" + callee + " }\n";
  }
  text += "ENTRY e { p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=f60 }";
  EXPECT_EQ(roundings(text)[0].roundings, 0x1p60);
}

TEST(Tolerance, GrowsAsTheRootOfTheLengthUpToHalfTheDigits) {
  EXPECT_EQ(tolerance({}), 0);
  EXPECT_EQ(tolerance({.roundings = 1, .reduction_length = 1, .unit_roundoff = 0x1p-24}), 0x1p-22);
  EXPECT_EQ(tolerance({.roundings = 2, .reduction_length = 64, .unit_roundoff = 0x1p-24}), 0x1p-18);
  EXPECT_EQ(tolerance({.roundings = 1e9, .reduction_length = 1e9, .unit_roundoff = 0x1p-24}),
            0x1p-12);
}

}  // namespace
}  // namespace mercator::runtime
