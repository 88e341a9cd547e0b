// HLO in, maps out: elementwise instructions, those that move elements, and tuples. Sums:
// sums_test.cc. Dynamic offsets: dynamic_test.cc. Layouts: layout_test.cc. Fusions and calls:
// fusion_test.cc.

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

// ---- select by index ----

TEST(Select, WherePredicateIsKnownByIndex) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      i = s32[8, 4] iota(), iota_dimension=0
      three = s32[] constant(3)
      b = s32[8, 4] broadcast(three), dimensions={}
      p = pred[8, 4] compare(i, b), direction=LT
      p1 = f32[8, 4] parameter(0)
      p2 = f32[8, 4] parameter(1)
      ROOT r = f32[8, 4] select(p, p1, p2)
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]"));
  for (const auto& direction : {m.o2i(1), m.i2o(1)}) {
    EXPECT_THAT(direction, ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 3]"));
  }
  EXPECT_THAT(m.o2i(2), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [3, 7], d1 in [0, 3]"));
}

TEST(Select, TriangleWithinAFusion) {
  // The lower triangle and the diagonal above it are kept.
  AnalyzedModule m(R"(
    HloModule m
    f {
      p0 = f32[4, 4] parameter(0)
      row = s32[4, 4] iota(), iota_dimension=0
      one = s32[] constant(1)
      ones = s32[4, 4] broadcast(one), dimensions={}
      next = s32[4, 4] add(row, ones)
      column = s32[4, 4] iota(), iota_dimension=1
      p = pred[4, 4] compare(next, column), direction=GE
      zero = f32[] constant(0)
      zeros = f32[4, 4] broadcast(zero), dimensions={}
      t = f32[4, 4] transpose(p0), dimensions={1, 0}
      ROOT r = f32[4, 4] select(p, t, zeros)
    }
    ENTRY e {
      p0 = f32[4, 4] parameter(0)
      ROOT r = f32[4, 4] fusion(p0), kind=kLoop, calls=f
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 3], "
                                    "d0 - d1 in [-1, 3]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 3], "
                                    "d0 - d1 in [-3, 1]"));
}

TEST(Select, EqualityLeavesTwoParts) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      i = s32[8] iota(), iota_dimension=0
      three = s32[] constant(3)
      b = s32[8] broadcast(three), dimensions={}
      p = pred[8] compare(i, b), direction=EQ
      p1 = f32[8] parameter(0)
      p2 = f32[8] parameter(1)
      ROOT r = f32[8] select(p, p1, p2)
    })");
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0) -> (3), domain: d0 in [3, 3]"));
  EXPECT_THAT(m.o2i(2), UnorderedElementsAre("(d0) -> (d0), domain: d0 in [0, 2]",
                                             "(d0) -> (d0), domain: d0 in [4, 7]"));
}

TEST(Select, KnownButNotFollowedIsOverApproximate) {
  // 100 + 100 is -56.
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      i = s8[101] iota(), iota_dimension=0
      sum = s8[101] add(i, i)
      p = pred[101] compare(sum, i), direction=LT
      p1 = f32[101] parameter(0)
      p2 = f32[101] parameter(1)
      ROOT r = f32[101] select(p, p1, p2)
    })");
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0) -> (d0), domain: d0 in [0, 100] ~"));
}

TEST(Select, DataDecide) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p = pred[] parameter(0)
      p1 = f32[8] parameter(1)
      ROOT r = f32[8] select(p, p1, p1)
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (), domain: d0 in [0, 7]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0) -> (d0), domain: d0 in [0, 7]"));
}

// ---- nothing to read, and unknown ----

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

TEST(Unknown, SaysWhy) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[3, 4] parameter(0)
      ROOT output = f32[5] custom-call(p0), custom_call_target="mine"
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("unknown: what the custom call 'mine' reads is not known"));
  EXPECT_THAT(m.i2o(0), ElementsAre("unknown: what the custom call 'mine' reads is not known"));
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
              ElementsAre("(d0, d1, d2) -> (d0 - 5, d1 floordiv 7, d2 floordiv 2), domain: "
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
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> (d0 floordiv 2, d1 - 4), domain: "
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
