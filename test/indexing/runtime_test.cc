// Runtime variables: which element holds the value, through moves, fusions and calls.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RuntimeVariables, ParametersOfFusionsAreWhatIsPassed) {
  AnalyzedModule m(R"(
    HloModule m
    inner {
      x = f32[100] parameter(0)
      i = s32[] parameter(1)
      ROOT ds = f32[10] dynamic-slice(x, i), dynamic_slice_sizes={10}
    }
    outer {
      x = f32[100] parameter(0)
      v = s32[3] parameter(1)
      v1 = s32[1] slice(v), slice={[1:2]}
      i = s32[] reshape(v1)
      ROOT c = f32[10] fusion(x, i), kind=kLoop, calls=inner
    }
    ENTRY e {
      data = f32[100] parameter(0)
      offsets = s32[3] parameter(1)
      ROOT r = f32[10] call(data, offsets), to_apply=outer
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], "
                                    "rt0 in [0, 90] | rt0: offsets[1]"));
  EXPECT_THAT(m.i2o(0),
              ElementsAre("(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 99], rt0 in [0, 90], "
                          "d0 - rt0 in [0, 9] | rt0: offsets[1]"));
}

TEST(RuntimeVariables, ConstantsThatArePassedAreClamped) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      x = f32[100, 100] parameter(0)
      i = s32[] parameter(1)
      j = s32[] parameter(2)
      ROOT ds = f32[10, 10] dynamic-slice(x, i, i), dynamic_slice_sizes={10, 10}
    }
    ENTRY e {
      data = f32[100, 100] parameter(0)
      c = s32[2, 2] constant({{1, 2}, {3, 200}})
      s = s32[1, 1] slice(c), slice={[1:2], [1:2]}
      i = s32[] reshape(s)
      j = s32[] constant(0)
      ROOT r = f32[10, 10] fusion(data, i, j), kind=kLoop, calls=f
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1) -> (d0 + 90, d1 + 90), domain: d0 in [0, 9], "
                                    "d1 in [0, 9]"));
}

TEST(RuntimeVariables, WhatIsComputedInsideIsNamedInside) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      x = f32[100] parameter(0)
      i = s32[] parameter(1)
      two = s32[] constant(2)
      twice = s32[] multiply(i, two)
      ROOT ds = f32[10] dynamic-slice(x, twice), dynamic_slice_sizes={10}
    }
    ENTRY e {
      data = f32[100] parameter(0)
      i = s32[] parameter(1)
      ROOT r = f32[10] fusion(data, i), kind=kLoop, calls=f
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], "
                                    "rt0 in [0, 90] | rt0: twice[]"));
}

TEST(RuntimeVariables, ConversionsThatKeepTheNumber) {
  const auto holder = [](std::string_view from, std::string_view to) {
    AnalyzedModule m(fmt::format(R"(
      HloModule m
      ENTRY e {{
        x = f32[100] parameter(0)
        i = {}[] parameter(1)
        c = {}[] convert(i)
        ROOT ds = f32[10] dynamic-slice(x, c), dynamic_slice_sizes={{10}}
      }})",
                                 from, to));
    const std::string map = m.o2i(0).at(0);
    return map.substr(map.find("| rt0: ") + 7);
  };
  EXPECT_EQ(holder("s8", "s32"), "i[]");
  EXPECT_EQ(holder("u8", "s32"), "i[]");
  EXPECT_EQ(holder("u8", "u16"), "i[]");
  EXPECT_EQ(holder("pred", "u8"), "i[]");
  EXPECT_EQ(holder("s64", "s32"), "c[]");  // may wrap around
  EXPECT_EQ(holder("s32", "u32"), "c[]");  // -1 would become large
  EXPECT_EQ(holder("u32", "s32"), "c[]");  // large would become negative
  EXPECT_EQ(holder("f32", "s32"), "c[]");
}

TEST(RuntimeVariables, NestedSlicesClampOneByOne) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      x = f32[100] parameter(0)
      i = s32[] parameter(1)
      a = f32[40] dynamic-slice(x, i), dynamic_slice_sizes={40}
      ROOT b = f32[10] dynamic-slice(a, i), dynamic_slice_sizes={10}
    }
    ENTRY e {
      data = f32[100] parameter(0)
      i = s32[] parameter(1)
      ROOT r = f32[10] fusion(data, i), kind=kLoop, calls=f
    })");
  // The same element, clamped in two ways.
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0){rt0, rt1} -> (d0 + rt0 + rt1), domain: d0 in [0, 9], "
                                    "rt0 in [0, 30], rt1 in [0, 60] | rt0: i[] | rt1: i[]"));
}

TEST(RuntimeVariables, SameElementTwiceIsOneVariable) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      x = f32[100] parameter(0)
      i = s32[1] parameter(1)
      j = s32[] reshape(i)
      a = f32[10] dynamic-slice(x, j), dynamic_slice_sizes={10}
      y = f32[100] parameter(2)
      k = s32[] bitcast(i)
      b = f32[100] dynamic-update-slice(y, a, k)
      ROOT c = f32[10] dynamic-slice(b, j), dynamic_slice_sizes={10}
    }
    ENTRY e {
      data = f32[100] parameter(0)
      i = s32[1] parameter(1)
      y = f32[100] parameter(2)
      ROOT r = f32[10] fusion(data, i, y), kind=kLoop, calls=f
    })");
  // What was written is read again, and nothing else.
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], "
                                    "rt0 in [0, 90] | rt0: i[0]"));
  EXPECT_THAT(m.o2i(2), IsEmpty());
}

TEST(RuntimeVariables, GatherThroughMovedIndices) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      table = f32[50, 8] parameter(0)
      ids = s32[6] parameter(1)
      column = s32[6, 1] reshape(ids)
      ROOT g = f32[6, 8] gather(table, column), offset_dims={1}, collapsed_slice_dims={0},
        start_index_map={0}, index_vector_dim=1, slice_sizes={1, 8}
    }
    ENTRY e {
      table = f32[50, 8] parameter(0)
      ids = s32[2, 3] parameter(1)
      flat = s32[6] reshape(ids)
      ROOT r = f32[6, 8] fusion(table, flat), kind=kLoop, calls=f
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1){rt0} -> (rt0, d1), domain: d0 in [0, 5], "
                                    "d1 in [0, 7], rt0 in [0, 49] "
                                    "| rt0: ids[d0 floordiv 3, d0 mod 3]"));
}

TEST(RuntimeVariables, IndicesThatCount) {
  AnalyzedModule m(R"(
    HloModule m
    ENTRY e {
      table = f32[50, 8] parameter(0)
      rows = s32[6, 1] iota(), iota_dimension=0
      column = s32[] parameter(1)
      columns = s32[6, 1] broadcast(column), dimensions={}
      indices = s32[6, 2] concatenate(rows, columns), dimensions={1}
      ROOT g = f32[6] gather(table, indices), offset_dims={}, collapsed_slice_dims={0, 1},
        start_index_map={0, 1}, index_vector_dim=1, slice_sizes={1, 1}
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0){rt0} -> (d0, rt0), domain: d0 in [0, 5], "
                                    "rt0 in [0, 7] | rt0: column[]"));
}

TEST(RuntimeVariables, IndexOfARuntimeVariableMayNeedAnother) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      table = f32[50] parameter(0)
      ids = s32[20] parameter(1)
      i = s32[] parameter(2)
      g = f32[20] gather(table, ids), offset_dims={}, collapsed_slice_dims={0},
        start_index_map={0}, index_vector_dim=1, slice_sizes={1}
      ROOT ds = f32[5] dynamic-slice(g, i), dynamic_slice_sizes={5}
    }
    ENTRY e {
      table = f32[50] parameter(0)
      ids = s32[20] parameter(1)
      i = s32[] parameter(2)
      ROOT r = f32[5] fusion(table, ids, i), kind=kLoop, calls=f
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0){rt0, rt1} -> (rt0), domain: d0 in [0, 4], "
                                    "rt0 in [0, 49], rt1 in [0, 15] "
                                    "| rt0: ids[d0 + rt1] | rt1: i[]"));
}

TEST(RuntimeVariables, ElementsOfTuples) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      x = f32[100] parameter(0)
      t = (s32[], s32[]) parameter(1)
      i = s32[] get-tuple-element(t), index=1
      ROOT ds = f32[10] dynamic-slice(x, i), dynamic_slice_sizes={10}
    }
    ENTRY e {
      x = f32[100] parameter(0)
      a = s32[] parameter(1)
      b = s32[] parameter(2)
      t = (s32[], s32[]) tuple(a, b)
      ROOT r = f32[10] call(x, t), to_apply=f
    })");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], "
                                    "rt0 in [0, 90] | rt0: b[]"));
}

// Starts at 2 * i in a computation, which is called by what the argument says.
std::string shared_module(std::string_view caller) {
  return fmt::format(R"(
    HloModule m
    shift {{
      x = f32[100] parameter(0)
      i = s32[] parameter(1)
      two = s32[] constant(2)
      t = s32[] multiply(i, two)
      z = f32[] constant(0)
      y = f32[110] pad(x, z), padding=0_10
      ROOT ds = f32[100] dynamic-slice(y, t), dynamic_slice_sizes={{100}}
    }}
    other {{
      x = f32[100] parameter(0)
      i = s32[] parameter(1)
      ROOT s = f32[100] call(x, i), to_apply=shift
    }}
    f {{
      x = f32[100] parameter(0)
      i = s32[] parameter(1)
      j = s32[] parameter(2)
      {}
    }}
    ENTRY e {{
      x = f32[100] parameter(0)
      i = s32[] parameter(1)
      j = s32[] parameter(2)
      ROOT r = f32[100] call(x, i, j), to_apply=f
    }})",
                     caller);
}

// One variable would stand for both calls.
TEST(RuntimeVariables, NoneForAComputationThatIsCalledTwice) {
  AnalyzedModule m(shared_module(R"(
      a = f32[100] call(x, i), to_apply=shift
      b = f32[100] call(x, j), to_apply=shift
      ROOT c = f32[100] add(a, b))"));
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 99], s0 in [0, 10], "
                                    "d0 + s0 in [0, 99] ~"));
  EXPECT_THAT(m.maps(m.instruction("a"), Direction::kOutputToInput, {}, 0, {}),
              ElementsAre("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 99], rt0 in [0, 10], "
                          "d0 + rt0 in [0, 99] | rt0: t[]"));
}

TEST(RuntimeVariables, NoneForAComputationThatIsCalledOneAfterTheOther) {
  AnalyzedModule m(shared_module(R"(
      a = f32[100] call(x, i), to_apply=shift
      ROOT b = f32[100] call(a, j), to_apply=other)"));
  const std::vector<std::string> maps = m.o2i(0);
  ASSERT_THAT(maps, ElementsAre(::testing::EndsWith("~")));
  EXPECT_THAT(maps[0], ::testing::Not(::testing::HasSubstr("rt0")));
}

TEST(RuntimeVariables, OneForAComputationThatIsCalledOnce) {
  AnalyzedModule m(shared_module(R"(
      a = f32[100] reverse(x), dimensions={0}
      b = f32[100] reverse(a), dimensions={0}
      ROOT c = f32[100] call(b, j), to_apply=other)"));
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 99], "
                                    "rt0 in [0, 10], d0 + rt0 in [0, 99] | rt0: t[]"));
}

TEST(RuntimeVariables, ConstraintOnAVariableDoesNotMoveItsClamp) {
  AnalyzedModule m(R"(
    HloModule m
    f {
      x = f32[100] parameter(0)
      u = f32[10] parameter(1)
      i = s32[] parameter(2)
      d = f32[100] dynamic-update-slice(x, u, i)
      ROOT s = f32[1] slice(d), slice={[3:4]}
    }
    ENTRY e {
      x = f32[100] parameter(0)
      u = f32[10] parameter(1)
      i = s32[] constant(20)
      ROOT r = f32[1] fusion(x, u, i), kind=kLoop, calls=f
    })");
  EXPECT_THAT(m.maps(m.instruction("r"), Direction::kOutputToInput, {}, 1, {}), IsEmpty());
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (3), domain: d0 in [0, 0]"));
}

}  // namespace
}  // namespace mercator::testing
