// HLO in, maps out: instructions that stand for a whole algorithm.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// ---- sort, topk ----

TEST(Sort, KeysAndWhatGoesWithThem) {
  AnalyzedModule m(R"(
    HloModule m
    less {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      c = s32[] parameter(2)
      d = s32[] parameter(3)
      ROOT r = pred[] compare(a, b), direction=LT
    }
    ENTRY e {
      p0 = f32[4, 8] parameter(0)
      p1 = s32[4, 8] parameter(1)
      ROOT r = (f32[4, 8], s32[4, 8]) sort(p0, p1), dimensions={1}, to_apply=less
    })");
  const std::string line =
      "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 7]";
  for (const std::int64_t output : {0, 1}) {
    EXPECT_THAT(m.o2i(0, {output}), ElementsAre(line));
    EXPECT_THAT(m.i2o(0, {output}), ElementsAre(line));
  }
  EXPECT_THAT(m.o2i(1, {0}), IsEmpty());
  EXPECT_THAT(m.o2i(1, {1}), ElementsAre(line + " ~"));
  EXPECT_THAT(m.i2o(1, {1}), ElementsAre(line + " ~"));
}

TEST(Sort, OfOneElementComparesNothing) {
  AnalyzedModule m(R"(
    HloModule m
    less {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      c = s32[] parameter(2)
      d = s32[] parameter(3)
      ROOT r = pred[] compare(a, b), direction=LT
    }
    ENTRY e {
      p0 = f32[1, 8] parameter(0)
      p1 = s32[1, 8] parameter(1)
      ROOT r = (f32[1, 8], s32[1, 8]) sort(p0, p1), dimensions={0}, to_apply=less
    })");
  EXPECT_THAT(m.o2i(0, {1}), IsEmpty());
  EXPECT_THAT(m.o2i(1, {1}), ElementsAre("(d0, d1) -> (0, d1), domain: d0 in [0, 0], "
                                         "d1 in [0, 7]"));
}

TEST(TopK, LooksAtTheWholeLine) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 8] parameter(0)
      ROOT r = (f32[4, 3], s32[4, 3]) topk(p0), k=3, largest=true
    })");
  for (const std::int64_t output : {0, 1}) {
    EXPECT_THAT(m.o2i(0, {output}), ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], "
                                                "d1 in [0, 2], s0 in [0, 7]"));
    EXPECT_THAT(m.i2o(0, {output}), ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], "
                                                "d1 in [0, 7], s0 in [0, 2]"));
  }
}

// ---- linear algebra ----

TEST(Cholesky, Lower) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 4] parameter(0)
      ROOT r = f32[4, 4] cholesky(p0), lower=true
    })");
  // Row d0 up to column d1, and the triangle up to row d1; nothing above the diagonal.
  EXPECT_THAT(m.o2i(0), UnorderedElementsAre(
                            "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 3], "
                            "s0 in [0, 3], d0 - d1 in [0, 3], d1 - s0 in [0, 3]",
                            "(d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], d1 in [0, 3], "
                            "s0 in [0, 3], s1 in [0, 3], d0 - d1 in [0, 3], d1 - s0 in [0, 3], "
                            "s0 - s1 in [0, 3]"));
  EXPECT_THAT(m.i2o(0), UnorderedElementsAre(
                            "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 3], "
                            "s0 in [0, 3], d0 - s0 in [0, 3], d1 - s0 in [-3, 0]",
                            "(d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], d1 in [0, 3], "
                            "s0 in [0, 3], s1 in [0, 3], d0 - d1 in [0, 3], d0 - s1 in [-3, 0], "
                            "s0 - s1 in [0, 3]"));
}

TEST(Cholesky, Upper) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 4] parameter(0)
      ROOT r = f32[4, 4] cholesky(p0)
    })");
  EXPECT_THAT(m.o2i(0), UnorderedElementsAre(
                            "(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 3], d1 in [0, 3], "
                            "s0 in [0, 3], d0 - d1 in [-3, 0], d0 - s0 in [0, 3]",
                            "(d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], d1 in [0, 3], "
                            "s0 in [0, 3], s1 in [0, 3], d0 - d1 in [-3, 0], d0 - s1 in [0, 3], "
                            "s0 - s1 in [-3, 0]"));
}

TEST(TriangularSolve, LowerOnTheLeft) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 4] parameter(0)
      p1 = f32[4, 2] parameter(1)
      ROOT r = f32[4, 2] triangular-solve(p0, p1), left_side=true, lower=true,
        transpose_a=NO_TRANSPOSE
    })");
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], d1 in [0, 1], "
                          "s0 in [0, 3], s1 in [0, 3], d0 - s0 in [0, 3], s0 - s1 in [0, 3]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 3], "
                                    "d1 in [0, 1], s0 in [0, 3], d0 - s0 in [0, 3]"));
  EXPECT_THAT(m.i2o(1), ElementsAre("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 3], "
                                    "d1 in [0, 1], s0 in [0, 3], d0 - s0 in [-3, 0]"));
}

TEST(TriangularSolve, TransposedWithUnitDiagonal) {
  // The transpose of the lower triangle is an upper one, which is solved from its last row. The
  // diagonal is not read.
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 4] parameter(0)
      p1 = f32[4, 2] parameter(1)
      ROOT r = f32[4, 2] triangular-solve(p0, p1), left_side=true, lower=true, unit_diagonal=true,
        transpose_a=TRANSPOSE
    })");
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], d1 in [0, 1], "
                          "s0 in [0, 3], s1 in [0, 3], d0 - s1 in [-3, 0], s0 - s1 in [1, 3]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 3], "
                                    "d1 in [0, 1], s0 in [0, 3], d0 - s0 in [-3, 0]"));
}

TEST(TriangularSolve, UpperOnTheRight) {
  // x p0 = p1: column d1 is made from the columns before it.
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 4] parameter(0)
      p1 = f32[2, 4] parameter(1)
      ROOT r = f32[2, 4] triangular-solve(p0, p1), transpose_a=NO_TRANSPOSE
    })");
  EXPECT_THAT(m.o2i(0),
              ElementsAre("(d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 1], d1 in [0, 3], "
                          "s0 in [0, 3], s1 in [0, 3], d1 - s1 in [0, 3], s0 - s1 in [-3, 0]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 1], "
                                    "d1 in [0, 3], s0 in [0, 3], d1 - s0 in [0, 3]"));
}

TEST(Fft, RealToComplex) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[4, 3, 8] parameter(0)
      ROOT r = c64[4, 3, 5] fft(p0), fft_type=RFFT, fft_length={3, 8}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 3], "
                                    "d1 in [0, 2], d2 in [0, 4], s0 in [0, 2], s1 in [0, 7]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1, d2)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 3], "
                                    "d1 in [0, 2], d2 in [0, 7], s0 in [0, 2], s1 in [0, 4]"));
}

// ---- statistics and random numbers ----

TEST(BatchNorm, Training) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[2, 3] parameter(0)
      p1 = f32[3] parameter(1)
      p2 = f32[3] parameter(2)
      ROOT r = (f32[2, 3], f32[3], f32[3]) batch-norm-training(p0, p1, p2), epsilon=0.001,
        feature_index=1
    })");
  EXPECT_THAT(m.o2i(0, {0}), ElementsAre("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 1], "
                                         "d1 in [0, 2], s0 in [0, 1]"));
  EXPECT_THAT(m.o2i(2, {0}), ElementsAre("(d0, d1) -> (d1), domain: d0 in [0, 1], d1 in [0, 2]"));
  EXPECT_THAT(m.o2i(0, {1}), ElementsAre("(d0)[s0] -> (s0, d0), domain: d0 in [0, 2], "
                                         "s0 in [0, 1]"));
  EXPECT_THAT(m.o2i(1, {1}), IsEmpty());
  EXPECT_THAT(m.i2o(1, {0}), ElementsAre("(d0)[s0] -> (s0, d0), domain: d0 in [0, 2], "
                                         "s0 in [0, 1]"));
}

TEST(BatchNorm, InferenceAndGrad) {
  AnalyzedModule inference(R"(
    HloModule m
    ENTRY e {
      p0 = f32[2, 3] parameter(0)
      p1 = f32[2] parameter(1)
      ROOT r = f32[2, 3] batch-norm-inference(p0, p1, p1, p1, p1), epsilon=0.001, feature_index=0
    })");
  EXPECT_THAT(inference.o2i(0),
              ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 2]"));
  EXPECT_THAT(inference.o2i(4),
              ElementsAre("(d0, d1) -> (d0), domain: d0 in [0, 1], d1 in [0, 2]"));
  AnalyzedModule grad(R"(
    HloModule m
    ENTRY e {
      p0 = f32[2, 3] parameter(0)
      p1 = f32[3] parameter(1)
      p4 = f32[2, 3] parameter(2)
      ROOT r = (f32[2, 3], f32[3], f32[3]) batch-norm-grad(p0, p1, p1, p1, p4), epsilon=0.001,
        feature_index=1
    })");
  EXPECT_THAT(grad.o2i(4, {2}), ElementsAre("(d0)[s0] -> (s0, d0), domain: d0 in [0, 2], "
                                            "s0 in [0, 1]"));
  EXPECT_THAT(grad.o2i(0, {2}), IsEmpty());
  EXPECT_THAT(grad.o2i(1, {1}), IsEmpty());
  EXPECT_THAT(grad.o2i(3, {1}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 2]"));
}

TEST(Rng, BoundsAndState) {
  AnalyzedModule rng(R"(
    HloModule m
    ENTRY e {
      p0 = f32[] parameter(0)
      p1 = f32[] parameter(1)
      ROOT r = f32[4] rng(p0, p1), distribution=rng_uniform
    })");
  EXPECT_THAT(rng.o2i(1), ElementsAre("(d0) -> (), domain: d0 in [0, 3]"));
  EXPECT_THAT(rng.i2o(1), ElementsAre("()[s0] -> (s0), domain: s0 in [0, 3]"));
  AnalyzedModule bits(R"(
    HloModule m
    ENTRY e {
      p0 = u64[3] parameter(0)
      ROOT r = (u64[3], u32[8]) rng-bit-generator(p0), algorithm=rng_default
    })");
  EXPECT_THAT(bits.o2i(0, {0}), ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 2], "
                                            "s0 in [0, 2] ~"));
  EXPECT_THAT(bits.o2i(0, {1}), ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 7], "
                                            "s0 in [0, 2]"));
}

// ---- windows and recurrences ----

TEST(SelectAndScatter, WindowsThatCoverAnElement) {
  AnalyzedModule m(R"(
    HloModule m
    ge {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = pred[] compare(a, b), direction=GE
    }
    add {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] add(a, b)
    }
    ENTRY e {
      p0 = f32[6] parameter(0)
      p1 = f32[5] parameter(1)
      p2 = f32[] parameter(2)
      ROOT r = f32[6] select-and-scatter(p0, p1, p2), window={size=2}, select=ge, scatter=add
    })");
  // Windows d0 - s0, and of those the places s1.
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0)[s0, s1] -> (d0 - s0 + s1), domain: d0 in [0, 5], "
                                    "s0 in [0, 1], s1 in [0, 1], d0 - s0 in [0, 4]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0)[s0] -> (d0 - s0), domain: d0 in [0, 5], s0 in [0, 1], "
                                    "d0 - s0 in [0, 4] ~"));
  EXPECT_THAT(m.i2o(1), ElementsAre("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 4], "
                                    "s0 in [0, 1] ~"));
  EXPECT_THAT(m.o2i(2), ElementsAre("(d0) -> (), domain: d0 in [0, 5]"));
}

TEST(Scan, CumulativeSum) {
  AnalyzedModule m(R"(
    HloModule m
    sum {
      x = f32[3] parameter(0)
      c = f32[3] parameter(1)
      s = f32[3] add(x, c)
      ROOT r = (f32[3], f32[3]) tuple(s, s)
    }
    ENTRY e {
      p0 = f32[8, 3] parameter(0)
      p1 = f32[3] parameter(1)
      ROOT r = (f32[8, 3], f32[3]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=sum
    })");
  EXPECT_THAT(m.o2i(0, {0}), ElementsAre("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 7], "
                                         "d1 in [0, 2], s0 in [0, 7], d0 - s0 in [0, 7]"));
  EXPECT_THAT(m.i2o(0, {0}), ElementsAre("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 7], "
                                         "d1 in [0, 2], s0 in [0, 7], d0 - s0 in [-7, 0]"));
  EXPECT_THAT(m.o2i(1, {0}), ElementsAre("(d0, d1) -> (d1), domain: d0 in [0, 7], d1 in [0, 2]"));
  EXPECT_THAT(m.o2i(0, {1}), ElementsAre("(d0)[s0] -> (s0, d0), domain: d0 in [0, 2], "
                                         "s0 in [0, 7]"));
  EXPECT_THAT(m.i2o(1, {1}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 2]"));
}

TEST(Scan, OfTheStepBefore) {
  // Each slice becomes the one behind it in the order of a reverse scan: a shift, in which no step
  // keeps what came before the last one.
  AnalyzedModule m(R"(
    HloModule m
    shift {
      x = f32[] parameter(0)
      c = f32[] parameter(1)
      ROOT r = (f32[], f32[]) tuple(c, x)
    }
    ENTRY e {
      p0 = f32[8] parameter(0)
      p1 = f32[] parameter(1)
      ROOT r = (f32[8], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, is_reverse=true,
        to_apply=shift
    })");
  EXPECT_THAT(m.o2i(0, {0}), ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 7], s0 in [0, 7], "
                                         "d0 - s0 in [-7, -1] ~"));
  EXPECT_THAT(m.o2i(1, {0}), ElementsAre("(d0) -> (), domain: d0 in [0, 7] ~"));
  EXPECT_THAT(m.o2i(0, {1}), ElementsAre("() -> (0)"));
  EXPECT_THAT(m.o2i(1, {1}), IsEmpty());
}

// ---- other products ----

TEST(ScaledDot, OneScaleForEachBlock) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f8e4m3fn[8, 64] parameter(0)
      p1 = f8e4m3fn[4, 64] parameter(1)
      p2 = f8e8m0fnu[8, 2] parameter(2)
      p3 = f8e8m0fnu[] parameter(3)
      ROOT r = f32[8, 4] scaled-dot(p0, p1, p2, p3), lhs_contracting_dims={1},
        rhs_contracting_dims={1}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], "
                                    "d1 in [0, 3], s0 in [0, 63]"));
  EXPECT_THAT(m.o2i(2), ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], "
                                    "d1 in [0, 3], s0 in [0, 1]"));
  EXPECT_THAT(m.i2o(2), ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], "
                                    "d1 in [0, 1], s0 in [0, 3]"));
  EXPECT_THAT(m.o2i(3), ElementsAre("(d0, d1) -> (), domain: d0 in [0, 7], d1 in [0, 3]"));
}

TEST(RaggedDot, AnyGroup) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[8, 5] parameter(0)
      p1 = f32[3, 5, 4] parameter(1)
      p2 = s32[3] parameter(2)
      ROOT r = f32[8, 4] ragged-dot(p0, p1, p2), lhs_contracting_dims={1},
        rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], "
                                    "d1 in [0, 3], s0 in [0, 4] ~"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1)[s0, s1] -> (s0, s1, d1), domain: d0 in [0, 7], "
                                    "d1 in [0, 3], s0 in [0, 2], s1 in [0, 4] ~"));
  EXPECT_THAT(m.i2o(1), ElementsAre("(d0, d1, d2)[s0] -> (s0, d2), domain: d0 in [0, 2], "
                                    "d1 in [0, 4], d2 in [0, 3], s0 in [0, 7] ~"));
  EXPECT_THAT(m.o2i(2), ElementsAre("(d0, d1)[s0] -> (s0), domain: d0 in [0, 7], d1 in [0, 3], "
                                    "s0 in [0, 2]"));
}

TEST(RaggedDot, GroupsOfTheContractedDimension) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      p0 = f32[8, 5] parameter(0)
      p1 = f32[5, 4] parameter(1)
      p2 = s32[3] parameter(2)
      ROOT r = f32[3, 8, 4] ragged-dot(p0, p1, p2), lhs_contracting_dims={1},
        rhs_contracting_dims={0}, lhs_ragged_dims={1}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2)[s0] -> (d1, s0), domain: d0 in [0, 2], "
                                    "d1 in [0, 7], d2 in [0, 3], s0 in [0, 4] ~"));
  EXPECT_THAT(m.i2o(1), ElementsAre("(d0, d1)[s0, s1] -> (s0, s1, d1), domain: d0 in [0, 4], "
                                    "d1 in [0, 3], s0 in [0, 2], s1 in [0, 7] ~"));
}

// ---- sizes that the program computes ----

TEST(DynamicSizes, CountAsRead) {
  AnalyzedModule reshape(R"(
    HloModule m
    ENTRY e {
      p0 = f32[6] parameter(0)
      p1 = s32[] parameter(1)
      ROOT r = f32[2, 3] dynamic-reshape(p0, p1, p1)
    })");
  EXPECT_THAT(reshape.o2i(0),
              ElementsAre("(d0, d1) -> (d0 * 3 + d1), domain: d0 in [0, 1], d1 in [0, 2]"));
  EXPECT_THAT(reshape.o2i(1), ElementsAre("(d0, d1) -> (), domain: d0 in [0, 1], d1 in [0, 2]"));
  AnalyzedModule dynamic(R"(
    HloModule m
    ENTRY e {
      p0 = f32[<=6] parameter(0)
      p1 = s32[] parameter(1)
      ROOT r = f32[<=2, 3] dynamic-reshape(p0, p1, p1)
    })");
  EXPECT_THAT(dynamic.o2i(0), ElementsAre("(d0, d1)[s0] -> (s0), domain: d0 in [0, 1], "
                                          "d1 in [0, 2], s0 in [0, 5] ~"));
  AnalyzedModule set(R"(
    HloModule m
    ENTRY e {
      p0 = f32[6] parameter(0)
      p1 = s32[] parameter(1)
      ROOT r = f32[<=6] set-dimension-size(p0, p1), dimensions={0}
    })");
  EXPECT_THAT(set.o2i(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 5]"));
  EXPECT_THAT(set.i2o(1), ElementsAre("()[s0] -> (s0), domain: s0 in [0, 5]"));
  AnalyzedModule get(R"(
    HloModule m
    ENTRY e {
      p0 = f32[<=6] parameter(0)
      ROOT r = s32[] get-dimension-size(p0), dimensions={0}
    })");
  EXPECT_THAT(get.o2i(0), IsEmpty());
}

}  // namespace
}  // namespace mercator::testing
