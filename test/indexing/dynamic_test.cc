// HLO in, maps out: instructions whose offsets the program computes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

}  // namespace
}  // namespace mercator::testing
