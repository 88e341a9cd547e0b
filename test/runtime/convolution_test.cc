#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/runtime/integer_array.h"
#include "test/runtime/interpreter_testing.h"
#include "test/runtime/window_definition.h"

namespace mercator::runtime {
namespace {

TEST(Convolution, SlidesTheKernelOverTheInput) {
  EXPECT_EQ(result_of("a = s32[1,5,1] parameter(0) k = s32[2,1,1] parameter(1) ROOT r = s32[1,4,1] "
                      "convolution(a, k), window={size=2}, dim_labels=b0f_0io->b0f",
                      {"s32[1,5,1] {{{1}, {2}, {3}, {4}, {5}}}", "s32[2,1,1] {{{10}}, {{1}}}"}),
            "s32[1,4,1] { { {12}, {23}, {34}, {45} } }");
}

TEST(Convolution, ReversalTurnsTheKernelAround) {
  EXPECT_EQ(result_of("a = s32[1,3,1] parameter(0) k = s32[2,1,1] parameter(1) ROOT r = s32[1,2,1] "
                      "convolution(a, k), window={size=2 rhs_reversal=1}, dim_labels=b0f_0io->b0f",
                      {"s32[1,3,1] {{{1}, {2}, {3}}}", "s32[2,1,1] {{{10}}, {{1}}}"}),
            "s32[1,2,1] { { {21}, {32} } }");
}

TEST(Convolution, WithoutSpatialDimensionsIsADot) {
  EXPECT_EQ(result_of("a = f64[2,2] parameter(0) k = f64[2,1] parameter(1) ROOT r = f64[2,1] "
                      "convolution(a, k), dim_labels=bf_io->bf",
                      {"f64[2,2] {{1, 2}, {3, 4}}", "f64[2,1] {{10}, {1}}"}),
            "f64[2,1] { {12}, {34} }");
}

TEST(Convolution, ComplexNumbers) {
  EXPECT_EQ(result_of("a = c64[1,2] parameter(0) k = c64[2,1] parameter(1) ROOT r = c64[1,1] "
                      "convolution(a, k), dim_labels=bf_io->bf",
                      {"c64[1,2] {{(0, 1), (2, 0)}}", "c64[2,1] {{(0, 1)}, {(1, 1)}}"}),
            "c64[1,1] { {(1, 2)} }");
}

TEST(Convolution, AddsUpMorePreciselyThanItsType) {
  EXPECT_EQ(result_of("a = f16[1,3] parameter(0) k = f16[3,1] parameter(1) ROOT r = f16[1,1] "
                      "convolution(a, k), dim_labels=bf_io->bf",
                      {"f16[1,3] {{60000, 60000, -60000}}", "f16[3,1] {{1}, {1}, {1}}"}),
            "f16[1,1] { {6e+04} }");
}

TEST(Convolution, OfAnEmptyInputIsZero) {
  EXPECT_EQ(result_of("a = s32[1,0,1] parameter(0) k = s32[1,1,1] parameter(1) ROOT r = s32[1,2,1] "
                      "convolution(a, k), window={size=1 pad=1_1}, dim_labels=b0f_0io->b0f",
                      {"s32[1,0,1] {{}}", "s32[1,1,1] {{{7}}}"}),
            "s32[1,2,1] { { {0}, {0} } }");
}

struct RandomConvolution {
  std::int64_t batch_groups = 1;
  std::int64_t feature_groups = 1;
  std::vector<hlo::WindowDimension> window;
  // By role: batch, feature, then spatial dimensions (kernel: output feature, input feature, …).
  Index input;
  Index kernel;
  Index output;
  // Where each role stands.
  Index input_places;
  Index kernel_places;
  Index output_places;
};

RandomConvolution random_convolution(const test::Draw& draw) {
  RandomConvolution c;
  const std::int64_t groups = draw(1, 3);
  (draw(0, 1) == 0 ? c.batch_groups : c.feature_groups) = groups;
  const std::int64_t features = draw(1, 3);
  const std::int64_t output_features = groups * draw(1, 2);
  c.input = {draw(1, 2) * c.batch_groups, features * c.feature_groups};
  c.kernel = {output_features, features};
  c.output = {c.input[0] / c.batch_groups, output_features};
  const std::int64_t spatial = draw(0, 2);
  for (std::int64_t d = 0; d < spatial; ++d) {
    const std::int64_t size = draw(0, 5);
    c.window.push_back(random_window(draw));
    c.input.push_back(size);
    c.kernel.push_back(c.window.back().size);
    c.output.push_back(window_places(c.window.back(), size));
  }
  c.input_places = random_permutation(draw, spatial + 2);
  c.kernel_places = random_permutation(draw, spatial + 2);
  c.output_places = random_permutation(draw, spatial + 2);
  return c;
}

Index placed(const Index& by_role, const Index& places) {
  Index result(by_role.size());
  for (std::size_t i = 0; i < by_role.size(); ++i) {
    result[static_cast<std::size_t>(places[i])] = by_role[i];
  }
  return result;
}

std::string labels(const Index& places, std::string roles) {
  for (std::size_t d = 2; d < places.size(); ++d) roles += static_cast<char>('0' + d - 2);
  std::string result(places.size(), ' ');
  for (std::size_t i = 0; i < places.size(); ++i) {
    result[static_cast<std::size_t>(places[i])] = roles[i];
  }
  return result;
}

IntegerArray convolve_by_definition(const RandomConvolution& c, IntegerArray& input,
                                    IntegerArray& kernel) {
  IntegerArray output(placed(c.output, c.output_places));
  for_each_index(c.output, [&](const Index& o) {
    for_each_index(c.kernel, [&](const Index& k) {
      if (k[0] != o[1]) return;
      const std::int64_t group = o[1] / (c.kernel[0] / c.feature_groups);
      const std::int64_t batch_group = o[1] / (c.kernel[0] / c.batch_groups);
      Index i = {batch_group * c.output[0] + o[0], group * c.kernel[1] + k[1]};
      for (std::size_t d = 0; d < c.window.size(); ++d) {
        const std::int64_t tap = c.window[d].reversal ? c.window[d].size - 1 - k[d + 2] : k[d + 2];
        i.push_back(element_under(c.window[d], c.input[d + 2], o[d + 2], tap));
        if (i.back() < 0) return;
      }
      output[placed(o, c.output_places)] +=
          input[placed(i, c.input_places)] * kernel[placed(k, c.kernel_places)];
    });
  });
  return output;
}

TEST(Convolution, RandomOnesByTheDefinition) {
  const test::Draw draw = test::seeded_draw(2);
  for (int round = 0; round < 400; ++round) {
    const RandomConvolution c = random_convolution(draw);
    IntegerArray input = random_array(draw, placed(c.input, c.input_places));
    IntegerArray kernel = random_array(draw, placed(c.kernel, c.kernel_places));
    const IntegerArray expected = convolve_by_definition(c, input, kernel);
    const std::string hlo = fmt::format(
        "HloModule m\nENTRY e {{\n  a = {} parameter(0)\n  k = {} parameter(1)\n  ROOT r = {} "
        "convolution(a, k){}, dim_labels={}_{}->{}, feature_group_count={}, "
        "batch_group_count={}\n}}\n",
        input.type(), kernel.type(), expected.type(), window_attribute(c.window),
        labels(c.input_places, "bf"), labels(c.kernel_places, "oi"), labels(c.output_places, "bf"),
        c.feature_groups, c.batch_groups);
    EXPECT_EQ(run_integers(hlo, {input, kernel}), std::vector{expected}) << hlo;
  }
}

TEST(Convolution, WithoutFeaturesIsZeroHoweverLargeTheWindow) {
  EXPECT_EQ(result_of("z = f32[] constant(1) "
                      "a = f32[1,1000000000000,0] broadcast(z), dimensions={} "
                      "k = f32[1000000000000,0,1] broadcast(z), dimensions={} "
                      "ROOT r = f32[1,1,1] convolution(a, k), window={size=1000000000000}, "
                      "dim_labels=b0f_0io->b0f"),
            "f32[1,1,1] { { {0} } }");
}

TEST(Convolution, WithoutResultsEndsHoweverManyPlacesItHas) {
  EXPECT_EQ(result_of("z = f32[] constant(1) "
                      "a = f32[0,200000000000000000,1] broadcast(z), dimensions={} "
                      "k = f32[1,1,1] broadcast(z), dimensions={} "
                      "d = f32[0,200000000000000000,1] convolution(a, k), window={size=1}, "
                      "dim_labels=b0f_0io->b0f "
                      "ROOT r = s32[] get-dimension-size(d), dimensions={0}"),
            "s32[] 0");
}

TEST(Convolution, WhatAWindowMeetsLiesInThePool) {
  const auto run = [](std::int64_t bytes) {
    RunContext context;
    context.pool = MemoryPool(bytes);
    const auto zeros = [](std::vector<std::int64_t> sizes) {
      Tensor tensor = Tensor::allocate(hlo::ElementType::kF64, sizes, MemoryPool()).value();
      std::ranges::fill(tensor.mutable_bytes(), std::byte{0});
      return tensor;
    };
    return run_program(
        "HloModule m\nENTRY e {\n a = f64[1,1000,1] parameter(0)\n k = f64[1000,1,1] parameter(1)\n"
        " ROOT r = f64[1,1,1] convolution(a, k), window={size=1000}, dim_labels=b0f_0io->b0f\n}\n",
        {zeros({1, 1000, 1}), zeros({1000, 1, 1})}, context);
  };
  // Two numbers of 8 bytes for each tap, and 8000 bytes for each operand as factors.
  const auto refused = run(20000);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::kExhausted);
  EXPECT_TRUE(run(40000).has_value());
}

}  // namespace
}  // namespace mercator::runtime
