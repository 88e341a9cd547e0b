// Programs whose results are known by hand. The elements of data are all different, so each says
// where it comes from; that is then what the maps must say.

#include "test/indexing/value_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "test/indexing/value_check.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using Elements = std::vector<std::int64_t>;

// The elements of the result on these inputs. The maps of all instructions are compared with where
// the elements come from on these and on other inputs.
Elements run(std::string_view text, const std::vector<Elements>& inputs) {
  const auto module = hlo::parse_module("HloModule m\n" + std::string(text));
  if (!module) {
    ADD_FAILURE() << module.error().message;
    return {};
  }
  if (const auto verified = hlo::verify(**module); !verified) {
    ADD_FAILURE() << verified.error().message;
    return {};
  }
  std::vector<Value> values;
  for (const Elements& input : inputs) values.push_back({.elements = input});
  std::vector<const Value*> arguments;
  for (const Value& value : values) arguments.push_back(&value);
  const Result<Value> result = ValueEvaluator().evaluate(*(*module)->entry, arguments);
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  ValueCounts counts;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    EXPECT_EQ(check_values(**module, seed, counts), std::nullopt);
  }
  EXPECT_GT(counts.instructions, 0);
  EXPECT_EQ(counts.unknown, 0);
  EXPECT_EQ(counts.skipped, 0);
  return result->elements;
}

TEST(ValueEvaluator, DynamicSlicesStartWhereTheyFit) {
  constexpr std::string_view kText = R"(
    ENTRY e {
      x = u64[5] parameter(0)
      i = s32[] parameter(1)
      ROOT r = u64[2] dynamic-slice(x, i), dynamic_slice_sizes={2}
    })";
  const Elements x = {10, 11, 12, 13, 14};
  EXPECT_THAT(run(kText, {x, {1}}), ElementsAre(11, 12));
  EXPECT_THAT(run(kText, {x, {-7}}), ElementsAre(10, 11));
  EXPECT_THAT(run(kText, {x, {4}}), ElementsAre(13, 14));
}

TEST(ValueEvaluator, StartsBeyondInt64AreLarge) {
  constexpr std::string_view kText = R"(
    ENTRY e {
      x = u64[5] parameter(0)
      i = u64[] parameter(1)
      ROOT r = u64[2] dynamic-slice(x, i), dynamic_slice_sizes={2}
    })";
  EXPECT_THAT(run(kText, {{10, 11, 12, 13, 14}, {std::numeric_limits<std::int64_t>::min()}}),
              ElementsAre(13, 14));
}

TEST(ValueEvaluator, DynamicUpdateSliceOverwrites) {
  EXPECT_THAT(run(R"(
    ENTRY e {
      x = u64[2,3] parameter(0)
      u = u64[1,2] parameter(1)
      i = s32[] parameter(2)
      j = s32[] parameter(3)
      ROOT r = u64[2,3] dynamic-update-slice(x, u, i, j)
    })",
                  {{10, 11, 12, 13, 14, 15}, {20, 21}, {0}, {9}}),
              ElementsAre(10, 20, 21, 13, 14, 15));
}

// Start 2 is clamped to 1 in the outer slice, then 2 to 1 in the inner one: 1 + 1.
TEST(ValueEvaluator, SlicesOfSlicesClampOneByOne) {
  EXPECT_THAT(run(R"(
    f {
      x = u64[4] parameter(0)
      i = s32[] parameter(1)
      a = u64[3] dynamic-slice(x, i), dynamic_slice_sizes={3}
      ROOT b = u64[2] dynamic-slice(a, i), dynamic_slice_sizes={2}
    }
    ENTRY e {
      x = u64[4] parameter(0)
      i = s32[] parameter(1)
      ROOT r = u64[2] fusion(x, i), kind=kLoop, calls=f
    })",
                  {{10, 11, 12, 13}, {2}}),
              ElementsAre(12, 13));
}

TEST(ValueEvaluator, GatherTakesRows) {
  EXPECT_THAT(run(R"(
    ENTRY e {
      x = u64[3,2] parameter(0)
      i = s32[4] parameter(1)
      ROOT r = u64[4,2] gather(x, i), offset_dims={1}, collapsed_slice_dims={0},
        start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}
    })",
                  {{10, 11, 12, 13, 14, 15}, {2, 0, -1, 7}}),
              ElementsAre(14, 15, 10, 11, 10, 11, 14, 15));
}

// Vectors stand in columns, the second component starts the first dimension.
TEST(ValueEvaluator, GatherWithComponentsInAnotherOrder) {
  EXPECT_THAT(run(R"(
    ENTRY e {
      x = u64[3,2] parameter(0)
      i = s32[2,3] parameter(1)
      ROOT r = u64[2,3] gather(x, i), offset_dims={0}, collapsed_slice_dims={1},
        start_index_map={1,0}, index_vector_dim=0, slice_sizes={2,1}
    })",
                  {{10, 11, 12, 13, 14, 15}, {0, 1, 1, 0, 1, 2}}),
              ElementsAre(10, 13, 13, 12, 15, 15));
}

TEST(ValueEvaluator, GatherOfEachBatch) {
  EXPECT_THAT(run(R"(
    ENTRY e {
      x = u64[2,3] parameter(0)
      i = s32[2,2] parameter(1)
      ROOT r = u64[2,2] gather(x, i), offset_dims={}, collapsed_slice_dims={1},
        start_index_map={1}, index_vector_dim=2, slice_sizes={1,1}, operand_batching_dims={0},
        start_indices_batching_dims={0}
    })",
                  {{10, 11, 12, 13, 14, 15}, {2, 0, 1, 9}}),
              ElementsAre(12, 10, 14, 15));
}

// ids = {1, 3}; what starts at ids[1] = 3 is clamped to 2.
TEST(ValueEvaluator, AnIndexThatWasGathered) {
  EXPECT_THAT(run(R"(
    f {
      x = u64[4] parameter(0)
      table = s32[3] parameter(1)
      rows = s32[2] parameter(2)
      ids = s32[2] gather(table, rows), offset_dims={}, collapsed_slice_dims={0},
        start_index_map={0}, index_vector_dim=1, slice_sizes={1}
      last = s32[1] slice(ids), slice={[1:2]}
      i = s32[] reshape(last)
      ROOT r = u64[2] dynamic-slice(x, i), dynamic_slice_sizes={2}
    }
    ENTRY e {
      x = u64[4] parameter(0)
      table = s32[3] parameter(1)
      rows = s32[2] parameter(2)
      ROOT r = u64[2] fusion(x, table, rows), kind=kLoop, calls=f
    })",
                  {{10, 11, 12, 13}, {1, 3, 0}, {0, 1}}),
              ElementsAre(12, 13));
}

TEST(ValueEvaluator, ScatterReplacesWhereItFits) {
  EXPECT_THAT(run(R"(
    replace {
      a = u64[] parameter(0)
      ROOT b = u64[] parameter(1)
    }
    ENTRY e {
      x = u64[4] parameter(0)
      i = s32[4,1] parameter(1)
      u = u64[4] parameter(2)
      ROOT r = u64[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=replace
    })",
                  {{10, 11, 12, 13}, {3, -1, 4, 0}, {20, 21, 22, 23}}),
              ElementsAre(23, 11, 12, 20));
}

// The window of three at 2 does not fit four.
TEST(ValueEvaluator, ScatterAddsWholeWindows) {
  EXPECT_THAT(run(R"(
    add {
      a = u64[] parameter(0)
      b = u64[] parameter(1)
      ROOT c = u64[] add(a, b)
    }
    ENTRY e {
      x = u64[4] parameter(0)
      i = s32[3,1] parameter(1)
      u = u64[3,3] parameter(2)
      ROOT r = u64[4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    })",
                  {{1, 2, 4, 8}, {0, 2, 1}, {10, 20, 30, 100, 200, 300, 1000, 2000, 3000}}),
              ElementsAre(11, 1022, 2034, 3008));
}

TEST(ValueEvaluator, ScatterIntoASlice) {
  EXPECT_THAT(run(R"(
    replace {
      a = u64[] parameter(0)
      ROOT b = u64[] parameter(1)
    }
    f {
      x = u64[5] parameter(0)
      i = s32[] parameter(1)
      j = s32[1] parameter(2)
      u = u64[] parameter(3)
      one = s32[] constant(1)
      next = s32[] add(i, one)
      s = u64[3] dynamic-slice(x, next), dynamic_slice_sizes={3}
      ROOT r = u64[3] scatter(s, j, u), update_window_dims={}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=replace
    }
    ENTRY e {
      x = u64[5] parameter(0)
      i = s32[] parameter(1)
      j = s32[1] parameter(2)
      u = u64[] parameter(3)
      ROOT r = u64[3] fusion(x, i, j, u), kind=kLoop, calls=f
    })",
                  {{10, 11, 12, 13, 14}, {0}, {2}, {20}}),
              ElementsAre(11, 12, 20));
}

TEST(ValueEvaluator, MovesWithoutIndices) {
  EXPECT_THAT(run(R"(
    ENTRY e {
      x = u64[2,2] parameter(0)
      p = u64[] parameter(1)
      t = u64[2,2] transpose(x), dimensions={1,0}
      v = u64[2,2] reverse(t), dimensions={1}
      c = u64[4,2] concatenate(x, v), dimensions={0}
      s = u64[2,2] slice(c), slice={[1:4:2], [0:2]}
      d = u64[2,3] pad(s, p), padding=0_0x-1_1_1
      ROOT r = u64[2,2,3] broadcast(d), dimensions={0,2}
    })",
                  {{10, 11, 12, 13}, {20}}),
              ElementsAre(20, 13, 20, 20, 13, 20, 20, 11, 20, 20, 11, 20));
}

// Rounds 0, 1, 2 write x[0], x[1], x[1] to places 0, 1, 2.
TEST(ValueEvaluator, LoopsCountTheirRounds) {
  EXPECT_THAT(run(R"(
    body {
      s = (s32[], u64[2], u64[3]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      x = u64[2] get-tuple-element(s), index=1
      y = u64[3] get-tuple-element(s), index=2
      row = u64[1] dynamic-slice(x, i), dynamic_slice_sizes={1}
      z = u64[3] dynamic-update-slice(y, row, i)
      one = s32[] constant(1)
      next = s32[] add(i, one)
      ROOT t = (s32[], u64[2], u64[3]) tuple(next, x, z)
    }
    condition {
      s = (s32[], u64[2], u64[3]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(3)
      ROOT p = pred[] compare(i, n), direction=LT
    }
    ENTRY e {
      x = u64[2] parameter(0)
      y = u64[3] parameter(1)
      zero = s32[] constant(0)
      s = (s32[], u64[2], u64[3]) tuple(zero, x, y)
      w = (s32[], u64[2], u64[3]) while(s), condition=condition, body=body
      ROOT r = u64[3] get-tuple-element(w), index=2
    })",
                  {{10, 11}, {20, 21, 22}}),
              ElementsAre(10, 11, 11));
}

TEST(ValueEvaluator, ConditionalsTakeTheLastBranchForWhatIsNone) {
  constexpr std::string_view kText = R"(
    first {
      ROOT x = u64[2] parameter(0)
    }
    second {
      x = u64[2] parameter(0)
      ROOT y = u64[2] reverse(x), dimensions={0}
    }
    ENTRY e {
      i = s32[] parameter(0)
      x = u64[2] parameter(1)
      y = u64[2] parameter(2)
      ROOT r = u64[2] conditional(i, x, y), branch_computations={first, second}
    })";
  EXPECT_THAT(run(kText, {{0}, {10, 11}, {20, 21}}), ElementsAre(10, 11));
  EXPECT_THAT(run(kText, {{-1}, {10, 11}, {20, 21}}), ElementsAre(21, 20));
}

// 3 * 100 is 44 in u8, which is clamped to 3.
TEST(ValueEvaluator, ArithmeticOfIndicesWrapsAround) {
  EXPECT_THAT(run(R"(
    ENTRY e {
      x = u64[5] parameter(0)
      i = u8[] parameter(1)
      hundred = u8[] constant(100)
      j = u8[] multiply(i, hundred)
      ROOT r = u64[2] dynamic-slice(x, j), dynamic_slice_sizes={2}
    })",
                  {{10, 11, 12, 13, 14}, {3}}),
              ElementsAre(13, 14));
}

}  // namespace
}  // namespace mercator::testing
