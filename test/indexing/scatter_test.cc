// HLO in, maps out: scatter.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Windows of two rows, at these indices.
std::string row_scatter(std::string_view indices, std::string_view combiner,
                        std::string_view attributes = "") {
  return fmt::format(R"(
    HloModule m
    combine {{
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] {}
    }}
    ENTRY e {{
      p0 = f32[10, 4] parameter(0)
      p2 = f32[3, 2, 4] parameter(1)
      p1 = {}
      ROOT r = f32[10, 4] scatter(p0, p1, p2), update_window_dims={{1, 2}},
        inserted_window_dims={{}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1,
        to_apply=combine{}
    }})",
                     combiner, indices, attributes);
}

TEST(Scatter, ThatAdds) {
  AnalyzedModule m(row_scatter("s32[3, 1] parameter(2)", "add(a, b)"));
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 3]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1)[s0] -> (s0, 0), domain: d0 in [0, 9], d1 in [0, 3], "
                                    "s0 in [0, 2]"));
  // The index is not clamped: only a window that fits lands.
  EXPECT_THAT(m.o2i(2),
              ElementsAre("(d0, d1)[s0]{rt0} -> (s0, d0 - rt0, d1), domain: d0 in [0, 9], "
                          "d1 in [0, 3], s0 in [0, 2], rt0 in [-2147483648, 2147483647], "
                          "rt0 in [0, 8], d0 - rt0 in [0, 1] | rt0: p1[s0, 0]"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 3]"));
  EXPECT_THAT(m.i2o(1), ElementsAre("(d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 2], "
                                    "d1 in [0, 0], s0 in [0, 9], s1 in [0, 3]"));
  EXPECT_THAT(m.i2o(2), ElementsAre("(d0, d1, d2){rt0} -> (d1 + rt0, d2), domain: d0 in [0, 2], "
                                    "d1 in [0, 1], d2 in [0, 3], rt0 in [-2147483648, 2147483647], "
                                    "rt0 in [0, 8] | rt0: p1[d0, 0]"));
}

TEST(Scatter, ThatOverwritesIsOverApproximate) {
  AnalyzedModule m(row_scatter("u8[3, 1] parameter(2)", "copy(b)"));
  // Where an update lands the operand is not read, and of several updates one alone is.
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 3] ~"));
  EXPECT_THAT(m.o2i(2),
              ElementsAre("(d0, d1)[s0]{rt0} -> (s0, d0 - rt0, d1), domain: d0 in [0, 9], "
                          "d1 in [0, 3], s0 in [0, 2], rt0 in [0, 255], rt0 in [0, 8], "
                          "d0 - rt0 in [0, 1] | rt0: p1[s0, 0] ~"));
}

TEST(Scatter, ThatOverwritesOnceIsExactInItsUpdates) {
  AnalyzedModule m(row_scatter("u8[3, 1] parameter(2)", "copy(b)", ", unique_indices=true"));
  EXPECT_THAT(m.i2o(0), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 3] ~"));
  EXPECT_THAT(m.i2o(2), ElementsAre("(d0, d1, d2){rt0} -> (d1 + rt0, d2), domain: d0 in [0, 2], "
                                    "d1 in [0, 1], d2 in [0, 3], rt0 in [0, 255], rt0 in [0, 8] | "
                                    "rt0: p1[d0, 0]"));
}

TEST(Scatter, ThatKeepsTheOperandReadsNoUpdate) {
  AnalyzedModule m(row_scatter("s32[3, 1] parameter(2)", "copy(a)"));
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 3]"));
  EXPECT_THAT(m.o2i(2), IsEmpty());
}

TEST(Scatter, CombinerThatCallsIsNotLookedInto) {
  AnalyzedModule m(R"(
    HloModule m
    second {
      a = f32[] parameter(0)
      ROOT b = f32[] parameter(1)
    }
    combine {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] call(a, b), to_apply=second
    }
    ENTRY e {
      p0 = f32[10] parameter(0)
      p1 = u8[1] parameter(1)
      p2 = f32[] parameter(2)
      ROOT r = f32[10] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=combine
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 9] ~"));
  EXPECT_THAT(m.i2o(2), ElementsAre("(){rt0} -> (rt0), domain: rt0 in [0, 255], rt0 in [0, 9] | "
                                    "rt0: p1[0] ~"));
}

TEST(Scatter, AtKnownIndices) {
  // Vector s0 says s0: windows at 0, 1 and 2.
  AnalyzedModule inside(row_scatter("s32[3, 1] iota(), iota_dimension=0", "add(a, b)"));
  EXPECT_THAT(inside.i2o(2), ElementsAre("(d0, d1, d2) -> (d0 + d1, d2), domain: d0 in [0, 2], "
                                         "d1 in [0, 1], d2 in [0, 3]"));
  // A window at 9 does not fit.
  AnalyzedModule outside(R"(
    HloModule m
    combine {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] add(a, b)
    }
    ENTRY e {
      p0 = f32[10] parameter(0)
      p1 = s32[1] constant({9})
      p2 = f32[2] parameter(1)
      ROOT r = f32[10] scatter(p0, p1, p2), update_window_dims={0}, inserted_window_dims={},
        scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=combine
    })");
  EXPECT_THAT(outside.o2i(2), IsEmpty());
  EXPECT_THAT(outside.i2o(2), IsEmpty());
}

TEST(Scatter, Batches) {
  AnalyzedModule m(R"(
    HloModule m
    combine {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] add(a, b)
    }
    ENTRY e {
      p0 = f32[2, 7, 3] parameter(0)
      p1 = s32[5, 2] parameter(1)
      p2 = f32[5, 2, 3] parameter(2)
      ROOT r = f32[2, 7, 3] scatter(p0, p1, p2), update_window_dims={2}, inserted_window_dims={1},
        scatter_dims_to_operand_dims={1}, index_vector_dim=2, input_batching_dims={0},
        scatter_indices_batching_dims={1}, to_apply=combine
    })");
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2)[s0] -> (s0, d0), domain: d0 in [0, 1], "
                                    "d1 in [0, 6], d2 in [0, 2], s0 in [0, 4]"));
  EXPECT_THAT(m.i2o(1), ElementsAre("(d0, d1)[s0, s1] -> (d1, s0, s1), domain: d0 in [0, 4], "
                                    "d1 in [0, 1], s0 in [0, 6], s1 in [0, 2]"));
  EXPECT_THAT(m.i2o(2), ElementsAre("(d0, d1, d2){rt0} -> (d1, rt0, d2), domain: d0 in [0, 4], "
                                    "d1 in [0, 1], d2 in [0, 2], rt0 in [-2147483648, 2147483647], "
                                    "rt0 in [0, 6] | rt0: p1[d0, d1]"));
}

TEST(Scatter, ResultsThatLookAtEachOther) {
  // r0 adds its update and keeps what it has; r1 is what r0 was.
  AnalyzedModule m(R"(
    HloModule m
    combine {
      a0 = f32[] parameter(0)
      a1 = f32[] parameter(1)
      b0 = f32[] parameter(2)
      b1 = f32[] parameter(3)
      s = f32[] add(a0, b0)
      ROOT r = (f32[], f32[]) tuple(s, a0)
    }
    ENTRY e {
      p0 = f32[4] parameter(0)
      p1 = f32[4] parameter(1)
      i = s8[3] parameter(2)
      u0 = f32[3] parameter(3)
      u1 = f32[3] parameter(4)
      ROOT r = (f32[4], f32[4]) scatter(p0, p1, i, u0, u1), update_window_dims={},
        inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1,
        to_apply=combine
    })");
  const std::string landing =
      "s0 in [0, 2], rt0 in [-128, 127], rt0 in [0, 3], d0 - rt0 in [0, 0] | rt0: i[s0]";
  EXPECT_THAT(m.o2i(0, {0}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.o2i(1, {0}), IsEmpty());
  EXPECT_THAT(m.o2i(3, {0}),
              ElementsAre("(d0)[s0]{rt0} -> (s0), domain: d0 in [0, 3], " + landing));
  EXPECT_THAT(m.o2i(4, {0}), IsEmpty());
  // r1 is made from p1 where nothing lands, from p0 where something does, and from updates that
  // another one follows.
  EXPECT_THAT(m.o2i(1, {1}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3] ~"));
  EXPECT_THAT(m.o2i(0, {1}),
              ElementsAre("(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 3], " + landing + " ~"));
  EXPECT_THAT(m.o2i(3, {1}),
              ElementsAre("(d0)[s0]{rt0} -> (s0), domain: d0 in [0, 3], " + landing + " ~"));
  EXPECT_THAT(m.o2i(4, {1}), IsEmpty());
  EXPECT_THAT(m.o2i(2, {1}), ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 2]"));
}

TEST(Scatter, WithoutUpdatesIsItsOperand) {
  AnalyzedModule m(R"(
    HloModule m
    combine {
      a = f32[] parameter(0)
      ROOT b = f32[] parameter(1)
    }
    ENTRY e {
      p0 = f32[10] parameter(0)
      p1 = s32[0] parameter(1)
      p2 = f32[0] parameter(2)
      ROOT r = f32[10] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=combine
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 9]"));
  EXPECT_THAT(m.o2i(1), IsEmpty());
  EXPECT_THAT(m.o2i(2), IsEmpty());
}

TEST(Scatter, WindowOfOneDoesNotFitNothing) {
  AnalyzedModule m(R"(
    HloModule m
    combine {
      a = f32[] parameter(0)
      ROOT b = f32[] parameter(1)
    }
    ENTRY e {
      p0 = f32[3, 0] parameter(0)
      p1 = s32[1] parameter(1)
      p2 = f32[] parameter(2)
      ROOT r = f32[3, 0] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0, 1},
        scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=combine
    })");
  EXPECT_THAT(m.o2i(2), IsEmpty());
  EXPECT_THAT(m.i2o(2), IsEmpty());
}

}  // namespace
}  // namespace mercator::testing
