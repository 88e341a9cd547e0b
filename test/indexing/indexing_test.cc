// HLO in, maps out: the instructions one by one. Fusions and calls: fusion_test.cc. Layouts:
// layout_test.cc.

#include "mercator/indexing/indexing.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// ---- elementwise ----

TEST(Elementwise, Add) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[10, 20] parameter(0)
      p1 = f32[10, 20] parameter(1)
      ROOT output = f32[10, 20] add(p0, p1)
    })");
  const auto identity = ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]");
  EXPECT_THAT(m.o2i(0), identity);
  EXPECT_THAT(m.o2i(1), identity);
  EXPECT_THAT(m.i2o(0), identity);
  EXPECT_THAT(m.i2o(1), identity);
}

TEST(Elementwise, SameOperandTwiceIsTwoOperands) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4] parameter(0)
      ROOT output = f32[4] multiply(p0, p0)
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
}

TEST(Elementwise, ClampByScalars) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      lo = f32[] parameter(0)
      x = f32[10, 20] parameter(1)
      hi = f32[] parameter(2)
      ROOT output = f32[10, 20] clamp(lo, x, hi)
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 19]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]"));
  EXPECT_THAT(m.o2i(2), ElementsAre("(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 19]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("()[s0, s1] -> (s0, s1), domain: s0 in [0, 9], s1 in [0, 19]"));
}

TEST(Elementwise, ScalarsHaveNoDimensions) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = pred[] parameter(0)
      p1 = s32[] parameter(1)
      p2 = s32[] parameter(2)
      ROOT output = s32[] select(p0, p1, p2)
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("() -> ()"));
  EXPECT_THAT(m.i2o(2), ElementsAre("() -> ()"));
}

TEST(Elementwise, NoElementsNoMaps) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 0] parameter(0)
      ROOT output = f32[4, 0] negate(p0)
    })");
  EXPECT_THAT(m.analysis().indexing(m.root(), Direction::kOutputToInput).pairs, IsEmpty());
  EXPECT_THAT(m.analysis().indexing(m.root(), Direction::kInputToOutput).pairs, IsEmpty());
}

TEST(BitcastConvert, EqualNarrowerWider) {
  AnalyzedModule equal(R"(
    HloModule m
    ENTRY e {
      p0 = f32[10] parameter(0)
      ROOT output = s32[10] bitcast-convert(p0)
    })");
  EXPECT_THAT(equal.o2i(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 9]"));
  AnalyzedModule narrower(R"(
    HloModule m
    ENTRY e {
      p0 = f32[10] parameter(0)
      ROOT output = s16[10, 2] bitcast-convert(p0)
    })");
  EXPECT_THAT(narrower.o2i(0), ElementsAre("(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 1]"));
  EXPECT_THAT(narrower.i2o(0),
              ElementsAre("(d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 1]"));
  AnalyzedModule wider(R"(
    HloModule m
    ENTRY e {
      p0 = u8[10, 4] parameter(0)
      ROOT output = f32[10] bitcast-convert(p0)
    })");
  EXPECT_THAT(wider.o2i(0),
              ElementsAre("(d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 3]"));
  EXPECT_THAT(wider.i2o(0), ElementsAre("(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 3]"));
}

// ---- nothing to read, and not yet ----

TEST(NoOperands, NoPairs) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      ROOT iota = f32[2, 4] iota(), iota_dimension=1
    })");
  const InstructionIndexing indexing = m.analysis().indexing(m.root(), Direction::kOutputToInput);
  EXPECT_EQ(indexing.unknown, "");
  EXPECT_THAT(indexing.pairs, IsEmpty());
}

TEST(NotYet, NamesTheOpcode) {
  AnalyzedModule m(R"(
    HloModule m
    lt {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = pred[] compare(a, b), direction=LT
    }
    ENTRY e {
      p0 = f32[10] parameter(0)
      ROOT output = f32[10] sort(p0), dimensions={0}, to_apply=lt
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("unknown: not yet: sort"));
  EXPECT_THAT(m.i2o(0), ElementsAre("unknown: not yet: sort"));
}

// ---- movement ----

TEST(Broadcast, OneDimension) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[20] parameter(0)
      ROOT bc0 = f32[10, 20, 30] broadcast(p0), dimensions={1}
    })");
  EXPECT_THAT(
      m.o2i(0),
      ElementsAre("(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], "
                                    "s0 in [0, 9], s1 in [0, 29]"));
}

TEST(Broadcast, UnsortedDimensionsTranspose) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[2, 3] parameter(0)
      ROOT output = f32[3, 5, 2] broadcast(p0), dimensions={2, 0}
    })");
  EXPECT_THAT(
      m.o2i(0),
      ElementsAre("(d0, d1, d2) -> (d2, d0), domain: d0 in [0, 2], d1 in [0, 4], d2 in [0, 1]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1)[s0] -> (d1, s0, d0), domain: d0 in [0, 1], "
                                    "d1 in [0, 2], s0 in [0, 4]"));
}

TEST(Transpose, FourDimensions) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[3, 12288, 6, 128] parameter(0)
      ROOT transpose = f32[3, 6, 128, 12288] transpose(p0), dimensions={0, 2, 3, 1}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2, d3) -> (d0, d3, d1, d2), domain: d0 in [0, 2], "
                                    "d1 in [0, 5], d2 in [0, 127], d3 in [0, 12287]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1, d2, d3) -> (d0, d2, d3, d1), domain: d0 in [0, 2], "
                                    "d1 in [0, 12287], d2 in [0, 5], d3 in [0, 127]"));
}

TEST(Reverse, TwoDimensions) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[2, 17, 9, 9] parameter(0)
      ROOT reverse = f32[2, 17, 9, 9] reverse(p0), dimensions={1, 2}
    })");
  const auto expected = ElementsAre(
      "(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 1], "
      "d1 in [0, 16], d2 in [0, 8], d3 in [0, 8]");
  EXPECT_THAT(m.o2i(0), expected);
  EXPECT_THAT(m.i2o(0), expected);
}

TEST(Slice, Strides) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[10, 20, 50] parameter(0)
      ROOT slice = f32[5, 3, 25] slice(p0), slice={[5:10:1], [3:20:7], [0:50:2]}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: "
                                    "d0 in [0, 4], d1 in [0, 2], d2 in [0, 24]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2), domain: "
                          "d0 in [5, 9], d1 in [3, 17], d2 in [0, 48], (d1 - 3) mod 7 in [0, 0], "
                          "d2 mod 2 in [0, 0]"));
}

TEST(Concatenate, ThreeOperands) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[2, 5, 7] parameter(0)
      p1 = f32[2, 11, 7] parameter(1)
      p2 = f32[2, 17, 7] parameter(2)
      ROOT output = f32[2, 33, 7] concatenate(p0, p1, p2), dimensions={1}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], "
                                    "d1 in [0, 4], d2 in [0, 6]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2) -> (d0, d1 - 5, d2), domain: d0 in [0, 1], "
                                    "d1 in [5, 15], d2 in [0, 6]"));
  EXPECT_THAT(m.o2i(2), ElementsAre("(d0, d1, d2) -> (d0, d1 - 16, d2), domain: d0 in [0, 1], "
                                    "d1 in [16, 32], d2 in [0, 6]"));
  EXPECT_THAT(m.i2o(1), ElementsAre("(d0, d1, d2) -> (d0, d1 + 5, d2), domain: d0 in [0, 1], "
                                    "d1 in [0, 10], d2 in [0, 6]"));
  EXPECT_THAT(m.i2o(2), ElementsAre("(d0, d1, d2) -> (d0, d1 + 16, d2), domain: d0 in [0, 1], "
                                    "d1 in [0, 16], d2 in [0, 6]"));
}

TEST(Concatenate, EmptyOperandIsNotRead) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[0] parameter(0)
      p1 = f32[3] parameter(1)
      ROOT output = f32[3] concatenate(p0, p1), dimensions={0}
    })");
  EXPECT_THAT(m.o2i(0), IsEmpty());
  EXPECT_THAT(m.i2o(0), IsEmpty());
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0) -> (d0), domain: d0 in [0, 2]"));
}

TEST(Pad, InteriorPadding) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 4] parameter(0)
      p1 = f32[] parameter(1)
      ROOT pad = f32[12, 16] pad(p0, p1), padding=1_4_1x4_8_0
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4), domain: "
                                    "d0 in [1, 7], d1 in [4, 7], (d0 - 1) mod 2 in [0, 0]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0, d1) -> (d0 * 2 + 1, d1 + 4), domain: d0 in [0, 3], d1 in [0, 3]"));
  // Before, behind and between the elements along d0; then before and behind along d1.
  EXPECT_THAT(m.o2i(1),
              UnorderedElementsAre(
                  "(d0, d1) -> (), domain: d0 in [0, 0], d1 in [0, 15]",
                  "(d0, d1) -> (), domain: d0 in [8, 11], d1 in [0, 15]",
                  "(d0, d1) -> (), domain: d0 in [2, 6], d1 in [0, 15], d0 mod 2 in [0, 0]",
                  "(d0, d1) -> (), domain: d0 in [1, 7], d1 in [0, 3], (d0 - 1) mod 2 in [0, 0]",
                  "(d0, d1) -> (), domain: d0 in [1, 7], d1 in [8, 15], (d0 - 1) mod 2 in [0, 0]"));
}

TEST(Pad, NegativePaddingCutsOff) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[10] parameter(0)
      p1 = f32[] parameter(1)
      ROOT pad = f32[8] pad(p0, p1), padding=-3_1
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (d0 + 3), domain: d0 in [0, 6]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0) -> (d0 - 3), domain: d0 in [3, 9]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0) -> (), domain: d0 in [7, 7]"));
  EXPECT_THAT(m.i2o(1), ElementsAre("() -> (7)"));
}

TEST(Pad, NoPaddingValueIsNotRead) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[10] parameter(0)
      p1 = f32[] parameter(1)
      ROOT pad = f32[7] pad(p0, p1), padding=-1_-2
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (d0 + 1), domain: d0 in [0, 6]"));
  EXPECT_THAT(m.o2i(1), IsEmpty());
}

TEST(Pad, NothingToPad) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[0, 2] parameter(0)
      p1 = f32[] parameter(1)
      ROOT pad = f32[3, 2] pad(p0, p1), padding=1_2x0_0
    })");
  EXPECT_THAT(m.o2i(0), IsEmpty());
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1) -> (), domain: d0 in [0, 2], d1 in [0, 1]"));
}

// One map for each of 2 * 40 ways to lie outside would be too many.
TEST(Pad, OfManyDimensionsIsOverApproximate) {
  std::string from;
  std::string to;
  std::string padding;
  std::string index;
  std::string domain;
  for (int i = 0; i < 40; ++i) {
    from += i == 0 ? "1" : ",1";
    to += i == 0 ? "2" : ",2";
    padding += i == 0 ? "0_1" : "x0_1";
    index += fmt::format("{}d{}", i == 0 ? "" : ", ", i);
    domain += fmt::format("{}d{} in [0, 1]", i == 0 ? "" : ", ", i);
  }
  AnalyzedModule m(fmt::format(R"(
    HloModule m
    ENTRY e {{
      p0 = f32[{}] parameter(0)
      p1 = f32[] parameter(1)
      ROOT pad = f32[{}] pad(p0, p1), padding={}
    }})",
                               from, to, padding));
  EXPECT_THAT(m.o2i(1), ElementsAre(fmt::format("({}) -> (), domain: {} ~", index, domain)));
}

// ---- reshape ----

TEST(Reshape, Collapse) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 8] parameter(0)
      ROOT reshape = f32[32] reshape(p0)
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"));
}

TEST(Reshape, LineariseThenDelinearise) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 8] parameter(0)
      ROOT reshape = f32[2, 4, 4] reshape(p0)
    })");
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4), domain: "
                          "d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0, d1) -> (d0 floordiv 2, d1 floordiv 4 + (d0 mod 2) * 2, d1 mod 4), "
                          "domain: d0 in [0, 3], d1 in [0, 7]"));
}

TEST(Reshape, GroupsOfDimensions) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 8, 12] parameter(0)
      ROOT reshape = f32[32, 3, 4] reshape(p0)
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2), "
                                    "domain: d0 in [0, 31], d1 in [0, 2], d2 in [0, 3]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4), "
                                    "domain: d0 in [0, 3], d1 in [0, 7], d2 in [0, 11]"));
}

TEST(Reshape, SizeOneComesAndGoes) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[1, 5, 1, 7] parameter(0)
      ROOT reshape = f32[5, 1, 1, 1, 7] reshape(p0)
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2, d3, d4) -> (0, d0, 0, d4), domain: d0 in [0, 4], "
                                    "d1 in [0, 0], d2 in [0, 0], d3 in [0, 0], d4 in [0, 6]"));
}

TEST(Reshape, DynamicDimensionsThatStayApart) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[<=8, 6] parameter(0)
      ROOT reshape = f32[<=8, 2, 3] reshape(p0)
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2) -> (d0, d1 * 3 + d2), domain: d0 in [0, 7], "
                                    "d1 in [0, 1], d2 in [0, 2]"));
  AnalyzedModule joined(R"(
    HloModule m
    ENTRY e {
      p0 = f32[6, <=8] parameter(0)
      ROOT reshape = f32[<=48] reshape(p0)
    })");
  EXPECT_THAT(joined.o2i(0), ElementsAre("unknown: a dimension of dynamic size is reshaped"));
}

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

// ---- dynamic ----

TEST(DynamicSlice, RuntimeVariables) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      src = s32[2, 2, 258] parameter(0)
      of1 = s32[] parameter(1)
      of2 = s32[] parameter(2)
      of3 = s32[] parameter(3)
      ROOT ds = s32[1, 2, 32] dynamic-slice(src, of1, of2, of3), dynamic_slice_sizes={1, 2, 32}
    })");
  // The slice fills dimension 1, so that of2 does not matter.
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2){rt0, rt1} -> (rt0, d1, d2 + rt1), domain: "
                                    "d0 in [0, 0], d1 in [0, 1], d2 in [0, 31], rt0 in [0, 1], "
                                    "rt1 in [0, 226] | rt0: of1[] | rt1: of3[]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2) -> (), domain: d0 in [0, 0], d1 in [0, 1], "
                                    "d2 in [0, 31]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0, d1, d2){rt0, rt1} -> (0, d1, d2 - rt1), domain: d0 in [0, 1], "
                          "d1 in [0, 1], d2 in [0, 257], rt0 in [0, 1], rt1 in [0, 226], "
                          "d0 - rt0 in [0, 0], d2 - rt1 in [0, 31] | rt0: of1[] | rt1: of3[]"));
  EXPECT_THAT(m.i2o(1), ElementsAre("()[s0, s1] -> (0, s0, s1), domain: s0 in [0, 1], "
                                    "s1 in [0, 31]"));
}

TEST(DynamicSlice, ConstantOffsetsAreClamped) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      src = s32[10, 10, 10] parameter(0)
      low = s32[] constant(-7)
      mid = s32[] constant(3)
      high = s32[] constant(200)
      ROOT ds = s32[2, 2, 2] dynamic-slice(src, low, mid, high), dynamic_slice_sizes={2, 2, 2}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2) -> (d0, d1 + 3, d2 + 8), domain: d0 in [0, 1], "
                                    "d1 in [0, 1], d2 in [0, 1]"));
}

TEST(DynamicSlice, OneOffsetForTwoDimensions) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      src = f32[9, 9, 5] parameter(0)
      i = s32[] parameter(1)
      ROOT ds = f32[2, 2, 2] dynamic-slice(src, i, i, i), dynamic_slice_sizes={2, 2, 2}
    })");
  // Clamped in the same way it is the same variable.
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2){rt0, rt1} -> (d0 + rt1, d1 + rt1, d2 + rt0), "
                                    "domain: d0 in [0, 1], d1 in [0, 1], d2 in [0, 1], "
                                    "rt0 in [0, 3], rt1 in [0, 7] | rt0: i[] | rt1: i[]"));
}

TEST(DynamicUpdateSlice, DisjointPartsOfTheOperand) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      src = s32[20, 30] parameter(0)
      upd = s32[5, 10] parameter(1)
      of1 = s32[] parameter(2)
      of2 = s32[] parameter(3)
      ROOT dus = s32[20, 30] dynamic-update-slice(src, upd, of1, of2)
    })");
  EXPECT_THAT(m.o2i(1),
              ElementsAre("(d0, d1){rt0, rt1} -> (d0 - rt0, d1 - rt1), domain: d0 in [0, 19], "
                          "d1 in [0, 29], rt0 in [0, 15], rt1 in [0, 20], d0 - rt0 in [0, 4], "
                          "d1 - rt1 in [0, 9] | rt0: of1[] | rt1: of2[]"));
  EXPECT_THAT(m.i2o(1),
              ElementsAre("(d0, d1){rt0, rt1} -> (d0 + rt0, d1 + rt1), domain: d0 in [0, 4], "
                          "d1 in [0, 9], rt0 in [0, 15], rt1 in [0, 20] "
                          "| rt0: of1[] | rt1: of2[]"));
  EXPECT_EQ(m.o2i(0).size(), 4U);
  EXPECT_EQ(m.o2i(0), m.i2o(0));
  EXPECT_THAT(m.o2i(2), ElementsAre("(d0, d1) -> (), domain: d0 in [0, 19], d1 in [0, 29]"));
}

TEST(DynamicUpdateSlice, OverwritesAllOrNothing) {
  AnalyzedModule all(R"(
    HloModule m
    ENTRY e {
      src = f32[4] parameter(0)
      upd = f32[4] parameter(1)
      i = s32[] parameter(2)
      ROOT dus = f32[4] dynamic-update-slice(src, upd, i)
    })");
  EXPECT_THAT(all.o2i(0), IsEmpty());
  EXPECT_THAT(all.o2i(1), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  AnalyzedModule nothing(R"(
    HloModule m
    ENTRY e {
      src = f32[4] parameter(0)
      upd = f32[0] parameter(1)
      i = s32[] parameter(2)
      ROOT dus = f32[4] dynamic-update-slice(src, upd, i)
    })");
  EXPECT_THAT(nothing.o2i(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(nothing.o2i(1), IsEmpty());
}

TEST(Gather, SimplifiedForm) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      operand = f32[33,76,70] parameter(0)
      indices = s32[1806,2] parameter(1)
      ROOT gather = f32[1806,7,8,4] gather(operand, indices), offset_dims={1,2,3},
        collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={7,8,4}
    })");
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(d0, d1, d2, d3){rt0, rt1} -> (d1 + rt0, d2 + rt1, d3), domain: "
                          "d0 in [0, 1805], d1 in [0, 6], d2 in [0, 7], d3 in [0, 3], "
                          "rt0 in [0, 26], rt1 in [0, 68] "
                          "| rt0: indices[d0, 0] | rt1: indices[d0, 1]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2, d3)[s0] -> (d0, s0), domain: d0 in [0, 1805], "
                                    "d1 in [0, 6], d2 in [0, 7], d3 in [0, 3], s0 in [0, 1]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0, d1, d2)[s0]{rt0, rt1} -> (s0, d0 - rt0, d1 - rt1, d2), domain: "
                          "d0 in [0, 32], d1 in [0, 75], d2 in [0, 3], s0 in [0, 1805], "
                          "rt0 in [0, 26], rt1 in [0, 68], d0 - rt0 in [0, 6], "
                          "d1 - rt1 in [0, 7] | rt0: indices[s0, 0] | rt1: indices[s0, 1]"));
  EXPECT_THAT(m.i2o(1),
              ElementsAre("(d0, d1)[s0, s1, s2] -> (d0, s0, s1, s2), domain: d0 in [0, 1805], "
                          "d1 in [0, 1], s0 in [0, 6], s1 in [0, 7], s2 in [0, 3]"));
}

TEST(Gather, CollapsedDimensionAndIndicesWithoutVectors) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      table = f32[100, 16] parameter(0)
      indices = s32[3, 5] parameter(1)
      ROOT gather = f32[3, 5, 16] gather(table, indices), offset_dims={2},
        collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1, 16}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2){rt0} -> (rt0, d2), domain: d0 in [0, 2], "
                                    "d1 in [0, 4], d2 in [0, 15], rt0 in [0, 99] "
                                    "| rt0: indices[d0, d1]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2) -> (d0, d1), domain: d0 in [0, 2], "
                                    "d1 in [0, 4], d2 in [0, 15]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1)[s0, s1]{rt0} -> (s0, s1, d1), domain: "
                                    "d0 in [0, 99], d1 in [0, 15], s0 in [0, 2], s1 in [0, 4], "
                                    "rt0 in [0, 99], d0 - rt0 in [0, 0] | rt0: indices[s0, s1]"));
}

TEST(Gather, BatchingDimensions) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      table = f32[4, 100, 16] parameter(0)
      indices = s32[7, 4] parameter(1)
      ROOT gather = f32[7, 4, 16] gather(table, indices), offset_dims={2},
        collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0},
        start_indices_batching_dims={1}, index_vector_dim=2, slice_sizes={1, 1, 16}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2){rt0} -> (d1, rt0, d2), domain: d0 in [0, 6], "
                                    "d1 in [0, 3], d2 in [0, 15], rt0 in [0, 99] "
                                    "| rt0: indices[d0, d1]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1, d2)[s0]{rt0} -> (s0, d0, d2), domain: d0 in [0, 3], "
                                    "d1 in [0, 99], d2 in [0, 15], s0 in [0, 6], "
                                    "rt0 in [0, 99], d1 - rt0 in [0, 0] | rt0: indices[s0, d0]"));
}

// ---- structure ----

TEST(Tuple, NestedLeaves) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = (f32[2], s32[3]) parameter(0)
      p1 = f32[4] parameter(1)
      ROOT r = (f32[4], (f32[2], s32[3])) tuple(p1, p0)
    })");
  EXPECT_THAT(m.o2i(1, {1, 1}, {1}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 2]"));
  EXPECT_THAT(m.o2i(0, {0}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.o2i(1, {0}), IsEmpty());
  EXPECT_EQ(m.analysis().indexing(m.root(), Direction::kInputToOutput).pairs.size(), 3U);
}

TEST(GetTupleElement, OfNestedTuple) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = (f32[2], (s32[3], token[], f32[])) parameter(0)
      ROOT r = (s32[3], token[], f32[]) get-tuple-element(p0), index=1
    })");
  EXPECT_THAT(m.o2i(0, {0}, {1, 0}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 2]"));
  EXPECT_THAT(m.o2i(0, {2}, {1, 2}), ElementsAre("() -> ()"));
  EXPECT_EQ(m.analysis().indexing(m.root(), Direction::kOutputToInput).pairs.size(), 2U);
}

TEST(Indexing, PairsAreSortedAndFound) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[2] parameter(0)
      p1 = f32[3] parameter(1)
      ROOT r = (f32[3], f32[2], f32[3]) tuple(p1, p0, p1)
    })");
  const InstructionIndexing indexing = m.analysis().indexing(m.root(), Direction::kOutputToInput);
  ASSERT_EQ(indexing.pairs.size(), 3U);
  EXPECT_THAT(indexing.pairs[0].output, ElementsAre(0));
  EXPECT_THAT(indexing.pairs[2].output, ElementsAre(2));
  EXPECT_NE(indexing.find({1}, 1), nullptr);
  EXPECT_EQ(indexing.find({1}, 0), nullptr);
  EXPECT_EQ(indexing.find({3}, 0), nullptr);
}

}  // namespace
}  // namespace mercator::testing
