// HLO in, maps out: instructions that sum over elements.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ---- dot ----

TEST(Dot, Batched) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 128, 256] parameter(0)
      p1 = f32[4, 256, 64] parameter(1)
      ROOT output = f32[4, 128, 64] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={0},
        lhs_contracting_dims={2}, rhs_contracting_dims={1}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], "
                                    "d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], "
                                    "d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], "
                                    "d1 in [0, 127], d2 in [0, 255], s0 in [0, 63]"));
  EXPECT_THAT(m.i2o(1), ElementsAre("(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], "
                                    "d1 in [0, 255], d2 in [0, 63], s0 in [0, 127]"));
}

TEST(Dot, BatchAndContractingDimensionsAnywhere) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[5, 2, 3, 7] parameter(0)
      p1 = f32[3, 11, 7, 2] parameter(1)
      ROOT output = f32[2, 7, 5, 11] dot(p0, p1), lhs_batch_dims={1, 3}, rhs_batch_dims={3, 2},
        lhs_contracting_dims={2}, rhs_contracting_dims={0}
    })");
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(d0, d1, d2, d3)[s0] -> (d2, d0, s0, d1), domain: d0 in [0, 1], "
                          "d1 in [0, 6], d2 in [0, 4], d3 in [0, 10], s0 in [0, 2]"));
  EXPECT_THAT(m.o2i(1),
              ElementsAre("(d0, d1, d2, d3)[s0] -> (s0, d3, d1, d0), domain: d0 in [0, 1], "
                          "d1 in [0, 6], d2 in [0, 4], d3 in [0, 10], s0 in [0, 2]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0, d1, d2, d3)[s0] -> (d1, d3, d0, s0), domain: d0 in [0, 4], "
                          "d1 in [0, 1], d2 in [0, 2], d3 in [0, 6], s0 in [0, 10]"));
  EXPECT_THAT(m.i2o(1),
              ElementsAre("(d0, d1, d2, d3)[s0] -> (d3, d2, s0, d1), domain: d0 in [0, 2], "
                          "d1 in [0, 10], d2 in [0, 6], d3 in [0, 1], s0 in [0, 4]"));
}

// ---- reductions ----

// Of each four elements of a column of the right side two are there; which ones, and with that what
// is read of the left side, is known only when the program runs.
TEST(Dot, Sparse) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = bf16[3, 5, 32] parameter(0)
      p1 = bf16[3, 16, 7] parameter(1)
      p2 = u16[3, 2, 7] parameter(2)
      ROOT r = f32[3, 5, 7] dot(p0, p1, p2), lhs_batch_dims={0}, lhs_contracting_dims={2},
        rhs_batch_dims={0}, rhs_contracting_dims={1}, sparsity=R.1@2:4
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 2], "
                                    "d1 in [0, 4], d2 in [0, 6], s0 in [0, 31] ~"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 2], "
                                    "d1 in [0, 4], d2 in [0, 6], s0 in [0, 15]"));
  EXPECT_THAT(m.o2i(2), ElementsAre("(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 2], "
                                    "d1 in [0, 4], d2 in [0, 6], s0 in [0, 1]"));
  EXPECT_THAT(m.i2o(2), ElementsAre("(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 2], "
                                    "d1 in [0, 1], d2 in [0, 6], s0 in [0, 4]"));
}

TEST(Reduce, Variadic) {
  AnalyzedModule m(R"(
    HloModule m
    max {
      p0 = f32[] parameter(0)
      p1 = s32[] parameter(1)
      p2 = f32[] parameter(2)
      p3 = s32[] parameter(3)
      m0 = f32[] maximum(p0, p2)
      m1 = s32[] maximum(p1, p3)
      ROOT r = (f32[], s32[]) tuple(m0, m1)
    }
    ENTRY e {
      p0 = f32[256, 10] parameter(0)
      p0_init = f32[] constant(-inf)
      p1 = s32[256, 10] parameter(1)
      p1_init = s32[] constant(0)
      ROOT out = (f32[10], s32[10]) reduce(p0, p1, p0_init, p1_init), dimensions={0}, to_apply=max
    })");
  for (const std::int64_t output : {0, 1}) {
    for (const std::int64_t k : {0, 1}) {
      EXPECT_THAT(m.o2i(k, {output}),
                  ElementsAre("(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]"));
      EXPECT_THAT(m.i2o(k, {output}),
                  ElementsAre("(d0, d1) -> (d1), domain: d0 in [0, 255], d1 in [0, 9]"));
      EXPECT_THAT(m.o2i(2 + k, {output}), ElementsAre("(d0) -> (), domain: d0 in [0, 9]"));
      EXPECT_THAT(m.i2o(2 + k, {output}), ElementsAre("()[s0] -> (s0), domain: s0 in [0, 9]"));
    }
  }
}

TEST(Reduce, OfNothingReadsTheInitialValue) {
  AnalyzedModule m(R"(
    HloModule m
    add_f {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] add(a, b)
    }
    ENTRY e {
      p0 = f32[0, 3] parameter(0)
      p1 = f32[] parameter(1)
      ROOT out = f32[3] reduce(p0, p1), dimensions={0}, to_apply=add_f
    })");
  EXPECT_THAT(m.o2i(0), IsEmpty());
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0) -> (), domain: d0 in [0, 2]"));
}

// Every result is made from every input: a million pairs and more are not listed.
TEST(Reduce, OfAThousandInputs) {
  constexpr int kInputs = 1000;
  std::string text = "HloModule m\nfirst {\n";
  std::string entry;
  std::string inputs;
  std::string initial;
  std::string scalars;
  std::string vectors;
  std::string results;
  for (int i = 0; i < kInputs; ++i) {
    const std::string_view comma = i == 0 ? "" : ", ";
    text += fmt::format("  a{0} = f32[] parameter({0})\n  b{0} = f32[] parameter({1})\n", i,
                        i + kInputs);
    entry += fmt::format("  x{} = f32[2,3] parameter({})\n", i, i + 1);
    inputs += fmt::format("{}x{}", comma, i);
    initial += ", zero";
    results += fmt::format("{}a{}", comma, i);
    scalars += fmt::format("{}f32[]", comma);
    vectors += fmt::format("{}f32[3]", comma);
  }
  text += fmt::format("  ROOT r = ({}) tuple({})\n}}\nENTRY e {{\n", scalars, results) + entry;
  text += "  zero = f32[] parameter(0)\n";
  text += fmt::format("  ROOT r = ({}) reduce({}{}), dimensions={{0}}, to_apply=first\n}}\n",
                      vectors, inputs, initial);
  AnalyzedModule m(text);
  EXPECT_THAT(m.o2i(0, {0}),
              ElementsAre("unknown: not supported: a reduction of that many inputs"));
}

constexpr std::string_view kMax = R"(
    max {
      p0 = f32[] parameter(0)
      p1 = f32[] parameter(1)
      ROOT r = f32[] maximum(p0, p1)
    })";

AnalyzedModule reduce_window(std::string_view from, std::string_view to, std::string_view window) {
  return AnalyzedModule("HloModule m" + std::string(kMax) + "ENTRY e { p0 = " + std::string(from) +
                        " parameter(0)\n p1 = f32[] parameter(1)\n ROOT r = " + std::string(to) +
                        " reduce-window(p0, p1), window={" + std::string(window) +
                        "}, to_apply=max }");
}

TEST(ReduceWindow, AlongOneDimension) {
  auto m = reduce_window("f32[1024, 514]", "f32[1024, 3]", "size=1x512 pad=0_0x0_0");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 1023], "
                                    "d1 in [0, 2], s0 in [0, 511]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1) -> (), domain: d0 in [0, 1023], d1 in [0, 2]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1)[s0] -> (d0, d1 - s0), domain: d0 in [0, 1023], "
                                    "d1 in [0, 513], s0 in [0, 511], d1 - s0 in [0, 2]"));
  EXPECT_THAT(m.i2o(1),
              ElementsAre("()[s0, s1] -> (s0, s1), domain: s0 in [0, 1023], s1 in [0, 2]"));
}

TEST(ReduceWindow, StridesAndPadding) {
  auto m = reduce_window("f32[7]", "f32[4]", "size=3 stride=2 pad=1_1");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0)[s0] -> (d0 * 2 + s0 - 1), domain: d0 in [0, 3], "
                                    "s0 in [0, 2], d0 * 2 + s0 in [1, 7]"));
}

TEST(ReduceWindow, Dilations) {
  auto m = reduce_window("f32[7]", "f32[5]", "size=3 pad=0_-4 lhs_dilate=2 rhs_dilate=2");
  // Only even places of the dilated array hold elements, and the window keeps the parity.
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0)[s0] -> (s0 + d0 floordiv 2), domain: d0 in [0, 4], "
                                    "s0 in [0, 2], d0 mod 2 in [0, 0]"));
}

// ---- convolution ----

TEST(Convolution, OneSpatialDimension) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[2, 9, 6] parameter(0)
      p1 = f32[3, 6, 4] parameter(1)
      ROOT r = f32[2, 7, 4] convolution(p0, p1), window={size=3}, dim_labels=b0f_0io->b0f
    })");
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(d0, d1, d2)[s0, s1] -> (d0, d1 + s0, s1), domain: d0 in [0, 1], "
                          "d1 in [0, 6], d2 in [0, 3], s0 in [0, 2], s1 in [0, 5]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2)[s0, s1] -> (s0, s1, d2), domain: d0 in [0, 1], "
                                    "d1 in [0, 6], d2 in [0, 3], s0 in [0, 2], s1 in [0, 5]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0, d1, d2)[s0, s1] -> (d0, d1 - s0, s1), domain: d0 in [0, 1], "
                          "d1 in [0, 8], d2 in [0, 5], s0 in [0, 2], s1 in [0, 3], "
                          "d1 - s0 in [0, 6]"));
  EXPECT_THAT(m.i2o(1), ElementsAre("(d0, d1, d2)[s0, s1] -> (s0, s1, d2), domain: d0 in [0, 2], "
                                    "d1 in [0, 5], d2 in [0, 3], s0 in [0, 1], s1 in [0, 6]"));
}

TEST(Convolution, FeatureGroups) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[1, 5, 6] parameter(0)
      p1 = f32[1, 2, 12] parameter(1)
      ROOT r = f32[1, 5, 12] convolution(p0, p1), window={size=1}, dim_labels=b0f_0io->b0f,
        feature_group_count=3
    })");
  // Three groups: two features of the input and four of the result in each.
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(d0, d1, d2)[s0] -> (0, d1, s0 + (d2 floordiv 4) * 2), domain: "
                          "d0 in [0, 0], d1 in [0, 4], d2 in [0, 11], s0 in [0, 1]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2)[s0] -> (0, s0, d2), domain: d0 in [0, 0], "
                                    "d1 in [0, 4], d2 in [0, 11], s0 in [0, 1]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0, d1, d2)[s0] -> (0, d1, s0 + (d2 floordiv 2) * 4), domain: "
                          "d0 in [0, 0], d1 in [0, 4], d2 in [0, 5], s0 in [0, 3]"));
}

TEST(Convolution, BatchGroups) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[6, 5, 2] parameter(0)
      p1 = f32[1, 2, 9] parameter(1)
      ROOT r = f32[2, 5, 9] convolution(p0, p1), window={size=1}, dim_labels=b0f_0io->b0f,
        batch_group_count=3
    })");
  // Three groups: two batches of the input and three features of the result in each.
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(d0, d1, d2)[s0] -> (d0 + (d2 floordiv 3) * 2, d1, s0), domain: "
                          "d0 in [0, 1], d1 in [0, 4], d2 in [0, 8], s0 in [0, 1]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0, d1, d2)[s0] -> (d0 mod 2, d1, s0 + (d0 floordiv 2) * 3), domain: "
                          "d0 in [0, 5], d1 in [0, 4], d2 in [0, 1], s0 in [0, 2]"));
}

TEST(Convolution, PaddingReadsNeitherOperand) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[1, 4, 1] parameter(0)
      p1 = f32[3, 1, 1] parameter(1)
      ROOT r = f32[1, 4, 1] convolution(p0, p1), window={size=3 pad=1_1 rhs_reversal=1},
        dim_labels=b0f_0io->b0f
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2)[s0] -> (0, d1 + s0 - 1, 0), domain: "
                                    "d0 in [0, 0], d1 in [0, 3], d2 in [0, 0], s0 in [0, 2], "
                                    "d1 + s0 in [1, 4]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2)[s0] -> (-s0 + 2, 0, 0), domain: d0 in [0, 0], "
                                    "d1 in [0, 3], d2 in [0, 0], s0 in [0, 2], "
                                    "d1 + s0 in [1, 4]"));
}

}  // namespace
}  // namespace mercator::testing
