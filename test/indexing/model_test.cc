// The model itself, on programs small enough to compute by hand; and that maps which are wrong are
// found.

#include "test/indexing/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "mercator/map/index_map.h"
#include "test/indexing/map_relation.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Pairs = std::vector<ElementPair>;

// A module and what its root reads when unknown values are as given, by the name of the
// instruction.
struct Example {
  explicit Example(std::string text, std::map<std::string, std::vector<std::int64_t>> values = {}) {
    auto read = hlo::parse_module(std::move(text));
    EXPECT_TRUE(read.has_value()) << read.error().message;
    module = *std::move(read);
    const auto verified = hlo::verify(*module);
    EXPECT_TRUE(verified.has_value()) << verified.error().message;
    model.emplace(
        *module, [values](const hlo::Instruction& instruction, const std::vector<std::int64_t>&,
                          std::int64_t element, std::size_t) {
          return values.at(std::string(instruction.name)).at(static_cast<std::size_t>(element));
        });
    auto sets = model->reads(*module->entry->root);
    EXPECT_TRUE(sets.has_value()) << sets.error().message;
    reads = *std::move(sets);
  }

  // What an array result reads of an array operand.
  [[nodiscard]] Pairs pairs(std::int64_t operand) const {
    for (const ReadSet& set : reads) {
      if (set.operand == operand) return set.pairs;
    }
    return {};
  }

  std::unique_ptr<hlo::Module> module;
  std::optional<Model> model;
  std::vector<ReadSet> reads;
};

TEST(Model, PadReadsTheValueWhereNothingLands) {
  // -1 cuts x0; x1 and x2 stand at 1 and 3.
  const Example example(R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  v = f32[] parameter(1)
  ROOT r = f32[5] pad(x, v), padding=-1_1_1
})");
  EXPECT_THAT(example.pairs(0), ElementsAre(ElementPair(1, 1), ElementPair(3, 2)));
  EXPECT_THAT(example.pairs(1),
              ElementsAre(ElementPair(0, 0), ElementPair(2, 0), ElementPair(4, 0)));
}

TEST(Model, DynamicUpdateSliceClampsItsStart) {
  const Example example(R"(HloModule m
ENTRY e {
  x = f32[5] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] parameter(2)
  ROOT r = f32[5] dynamic-update-slice(x, u, i)
})",
                        {{"i", {7}}});
  EXPECT_THAT(example.pairs(0),
              ElementsAre(ElementPair(0, 0), ElementPair(1, 1), ElementPair(2, 2)));
  EXPECT_THAT(example.pairs(1), ElementsAre(ElementPair(3, 0), ElementPair(4, 1)));
  EXPECT_EQ(example.pairs(2).size(), 5U);
  EXPECT_THAT(example.model->clamp_limits(), ElementsAre(3));
}

TEST(Model, GatherTakesSlicesAtClampedStarts) {
  const Example example(R"(HloModule m
ENTRY e {
  x = f32[4,3] parameter(0)
  i = s32[2,1] parameter(1)
  ROOT r = f32[2,1,3] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
})",
                        {{"i", {-5, 2}}});
  EXPECT_THAT(example.pairs(0),
              ElementsAre(ElementPair(0, 0), ElementPair(1, 1), ElementPair(2, 2),
                          ElementPair(3, 6), ElementPair(4, 7), ElementPair(5, 8)));
  EXPECT_THAT(example.pairs(1),
              ElementsAre(ElementPair(0, 0), ElementPair(1, 0), ElementPair(2, 0),
                          ElementPair(3, 1), ElementPair(4, 1), ElementPair(5, 1)));
}

TEST(Model, ScatterSkipsWindowsThatDoNotFit) {
  // Windows of two at 1, 3 and -1 in an array of four: the first one lands.
  const Example example(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY e {
  x = f32[4] parameter(0)
  i = s32[3] parameter(1)
  u = f32[3,2] parameter(2)
  ROOT r = f32[4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
})",
                        {{"i", {1, 3, -1}}});
  EXPECT_THAT(example.pairs(0), ElementsAre(ElementPair(0, 0), ElementPair(1, 1), ElementPair(2, 2),
                                            ElementPair(3, 3)));
  EXPECT_THAT(example.pairs(1).size(), 12U);
  EXPECT_THAT(example.pairs(2), ElementsAre(ElementPair(1, 0), ElementPair(2, 1)));
}

TEST(Model, ScatterThatOverwritesKeepsTheLastUpdate) {
  const Example example(R"(HloModule m
set {
  a = f32[] parameter(0)
  ROOT b = f32[] parameter(1)
}
ENTRY e {
  x = f32[3] parameter(0)
  i = s32[3] parameter(1)
  u = f32[3] parameter(2)
  ROOT r = f32[3] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=set
})",
                        {{"i", {1, 2, 1}}});
  EXPECT_THAT(example.pairs(0), ElementsAre(ElementPair(0, 0)));
  EXPECT_THAT(example.pairs(2), ElementsAre(ElementPair(1, 2), ElementPair(2, 1)));
}

TEST(Model, TriangularSolveGoesRowByRow) {
  // Row 1 needs row 0; the element above the diagonal is not read.
  const Example example(R"(HloModule m
ENTRY e {
  a = f32[2,2] parameter(0)
  b = f32[2,1] parameter(1)
  ROOT r = f32[2,1] triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
})");
  EXPECT_THAT(example.pairs(0), ElementsAre(ElementPair(0, 0), ElementPair(1, 0), ElementPair(1, 2),
                                            ElementPair(1, 3)));
  EXPECT_THAT(example.pairs(1),
              ElementsAre(ElementPair(0, 0), ElementPair(1, 0), ElementPair(1, 1)));
}

TEST(Model, SelectAndScatterSendsToTheLargest) {
  const Example example(R"(HloModule m
ge {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GE
}
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b)
}
ENTRY e {
  x = s32[4] parameter(0)
  s = s32[2] parameter(1)
  v = s32[] parameter(2)
  ROOT r = s32[4] select-and-scatter(x, s, v), window={size=2 stride=2}, select=ge, scatter=add
})",
                        {{"x", {5, 7, 9, 1}}});
  EXPECT_THAT(example.pairs(0), ElementsAre(ElementPair(0, 0), ElementPair(0, 1), ElementPair(1, 0),
                                            ElementPair(1, 1), ElementPair(2, 2), ElementPair(2, 3),
                                            ElementPair(3, 2), ElementPair(3, 3)));
  EXPECT_THAT(example.pairs(1), ElementsAre(ElementPair(1, 0), ElementPair(2, 1)));
  EXPECT_EQ(example.pairs(2).size(), 4U);
}

// Elements of device 1 come behind the two of device 0.
TEST(Model, AllGatherReadsOtherDevices) {
  const Example example(R"(HloModule m, replica_count=2
ENTRY e {
  x = f32[2] parameter(0)
  ROOT r = f32[4] all-gather(x), replica_groups={{1,0}}, dimensions={0}
})");
  EXPECT_THAT(example.pairs(0), ElementsAre(ElementPair(0, 2), ElementPair(1, 3), ElementPair(2, 0),
                                            ElementPair(3, 1), ElementPair(4, 2), ElementPair(5, 3),
                                            ElementPair(6, 0), ElementPair(7, 1)));
}

// Device 0 takes the first branch, device 1 the last, since 7 names none.
TEST(Model, ConditionalReadsWhatIsTaken) {
  const Example example(R"(HloModule m, replica_count=2
same {
  x = f32[2] parameter(0)
  ROOT r = f32[2] negate(x)
}
turned {
  x = f32[2] parameter(0)
  ROOT r = f32[2] reverse(x), dimensions={0}
}
ENTRY e {
  i = s32[] parameter(0)
  x = f32[2] parameter(1)
  ROOT r = f32[2] conditional(i, x, x), branch_computations={same, turned}
})",
                        {{"i", {0, 7}}});
  EXPECT_THAT(example.pairs(0), ElementsAre(ElementPair(0, 0), ElementPair(1, 0), ElementPair(2, 1),
                                            ElementPair(3, 1)));
  EXPECT_THAT(example.pairs(1), ElementsAre(ElementPair(0, 0), ElementPair(1, 1)));
  EXPECT_THAT(example.pairs(2), ElementsAre(ElementPair(2, 3), ElementPair(3, 2)));
}

// Three rounds, i = 0, 2, 4, of which the last is clamped to 3; the state is read back to the
// start.
TEST(Model, WhileReadsRoundByRound) {
  const Example example(R"(HloModule m
body {
  s = (s32[], f32[4], f32[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[4] get-tuple-element(s), index=1
  sum = f32[1] get-tuple-element(s), index=2
  y = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}
  next = f32[1] add(sum, y)
  two = s32[] constant(2)
  j = s32[] add(i, two)
  ROOT t = (s32[], f32[4], f32[1]) tuple(j, x, next)
}
condition {
  s = (s32[], f32[4], f32[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  five = s32[] constant(5)
  ROOT c = pred[] compare(i, five), direction=LT
}
ENTRY e {
  i = s32[] constant(0)
  x = f32[4] parameter(0)
  sum = f32[1] parameter(1)
  s = (s32[], f32[4], f32[1]) tuple(i, x, sum)
  ROOT w = (s32[], f32[4], f32[1]) while(s), condition=condition, body=body
})");
  std::map<std::pair<std::int64_t, std::int64_t>, Pairs> reads;
  for (const ReadSet& set : example.reads) reads[{set.output[0], set.operand_leaf[0]}] = set.pairs;
  EXPECT_THAT((reads[{2, 1}]),
              ElementsAre(ElementPair(0, 0), ElementPair(0, 2), ElementPair(0, 3)));
  EXPECT_THAT((reads[{2, 2}]), ElementsAre(ElementPair(0, 0)));
  EXPECT_THAT((reads[{2, 0}]), ElementsAre(ElementPair(0, 0)));
  EXPECT_FALSE(reads.contains({1, 2}));
}

TEST(Model, ReduceWindowSkipsPaddingAndGaps) {
  // x0 . x1 . x2 after base dilation, one place of padding before it; windows at 0 and 3 of two
  // places.
  const Example example(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY e {
  x = f32[3] parameter(0)
  v = f32[] parameter(1)
  ROOT r = f32[2] reduce-window(x, v), window={size=2 stride=3 pad=1_0 lhs_dilate=2}, to_apply=add
})");
  EXPECT_THAT(example.pairs(0), ElementsAre(ElementPair(0, 0), ElementPair(1, 1)));
  EXPECT_THAT(example.pairs(1), ElementsAre(ElementPair(0, 0), ElementPair(1, 0)));
}

TEST(Model, ConvolutionWithReversedKernelAndFeatureGroups) {
  // Two features, a group each; the kernel [1, 2, 2] has a place for each feature's two weights.
  const Example example(R"(HloModule m
ENTRY e {
  x = f32[1,2,2] parameter(0)
  k = f32[1,2,2] parameter(1)
  ROOT r = f32[1,2,2] convolution(x, k), window={size=2 pad=1_0 rhs_reversal=1}, dim_labels=bf0_io0->bf0, feature_group_count=2
})");
  // Place 0 sees only x[0] under window place 1, which is weight 0 when reversed.
  EXPECT_THAT(example.pairs(0),
              ElementsAre(ElementPair(0, 0), ElementPair(1, 0), ElementPair(1, 1),
                          ElementPair(2, 2), ElementPair(3, 2), ElementPair(3, 3)));
  EXPECT_THAT(example.pairs(1),
              ElementsAre(ElementPair(0, 0), ElementPair(1, 0), ElementPair(1, 1),
                          ElementPair(2, 2), ElementPair(3, 2), ElementPair(3, 3)));
}

TEST(Model, ConvolutionWithBatchGroups) {
  // Two batches and two output features, a group each; no spatial dimensions.
  const Example example(R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  k = f32[3,2] parameter(1)
  ROOT r = f32[1,2] convolution(x, k), dim_labels=bf_io->bf, batch_group_count=2
})");
  EXPECT_THAT(example.pairs(0),
              ElementsAre(ElementPair(0, 0), ElementPair(0, 1), ElementPair(0, 2),
                          ElementPair(1, 3), ElementPair(1, 4), ElementPair(1, 5)));
  EXPECT_THAT(example.pairs(1),
              ElementsAre(ElementPair(0, 0), ElementPair(0, 2), ElementPair(0, 4),
                          ElementPair(1, 1), ElementPair(1, 3), ElementPair(1, 5)));
}

TEST(Model, BitcastFollowsMemory) {
  const Example transposing(R"(HloModule m
ENTRY e {
  x = f32[2,3]{0,1} parameter(0)
  ROOT r = f32[3,2]{1,0} bitcast(x)
})");
  EXPECT_THAT(transposing.pairs(0),
              ElementsAre(ElementPair(0, 0), ElementPair(1, 3), ElementPair(2, 1),
                          ElementPair(3, 4), ElementPair(4, 2), ElementPair(5, 5)));
  const Example widening(R"(HloModule m
ENTRY e {
  x = f16[4] parameter(0)
  ROOT r = f32[2] bitcast(x)
})");
  EXPECT_THAT(widening.pairs(0), ElementsAre(ElementPair(0, 0), ElementPair(0, 1),
                                             ElementPair(1, 2), ElementPair(1, 3)));
}

TEST(Model, FusionsJoinWhatIsInside) {
  // The start index is computed outside, scaled inside: 2 * 1 = 2.
  const Example example(R"(HloModule m
f {
  p = f32[4] parameter(0)
  i = s32[] parameter(1)
  two = s32[] constant(2)
  j = s32[] multiply(i, two)
  s = f32[2] dynamic-slice(p, j), dynamic_slice_sizes={2}
  b = f32[2] reverse(s), dimensions={0}
  ROOT r = f32[2] add(s, b)
}
ENTRY e {
  x = f32[4] parameter(0)
  k = s32[] parameter(1)
  ROOT r = f32[2] fusion(x, k), kind=kLoop, calls=f
})",
                        {{"k", {1}}});
  EXPECT_THAT(example.pairs(0), ElementsAre(ElementPair(0, 2), ElementPair(0, 3), ElementPair(1, 2),
                                            ElementPair(1, 3)));
  EXPECT_THAT(example.pairs(1), ElementsAre(ElementPair(0, 0), ElementPair(1, 0)));
}

// ---- maps against the model ----

class RelationOf : public ::testing::Test {
 protected:
  // f32[6] sliced at `i`, whose value is 9: clamped to 4.
  RelationOf()
      : example_(R"(HloModule m
ENTRY e {
  x = f32[6] parameter(0)
  i = s32[] parameter(1)
  ROOT r = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}
})",
                 {{"i", {9}}}) {}

  Result<Pairs> relation(std::string_view text, std::string_view holder = "i") {
    auto parsed = parse_index_map(text, context_);
    EXPECT_TRUE(parsed.has_value()) << text;
    std::vector<RuntimeVariable> runtimes = parsed->runtimes();
    for (RuntimeVariable& runtime : runtimes) {
      runtime.tensor = example_.module->entry->find(holder)->id;
      runtime.index.assign(holder == "x" ? 1 : 0, context_.constant(7));
    }
    const IndexMap map(context_, parsed->dimensions(), parsed->ranges(), std::move(runtimes),
                       parsed->results(), parsed->constraints());
    constexpr std::int64_t kFrom[] = {2};
    constexpr std::int64_t kTo[] = {6};
    return relation_of(map, kFrom, kTo, *example_.module, *example_.model, 1000);
  }

  std::string fault(std::string_view text, std::string_view holder = "i") {
    const auto pairs = relation(text, holder);
    return pairs ? "none" : pairs.error().message;
  }

  ExprContext context_;
  Example example_;
};

TEST_F(RelationOf, ClampsTheElementThatHoldsTheVariable) {
  const auto pairs = relation("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [0, 4]");
  ASSERT_TRUE(pairs.has_value()) << pairs.error().message;
  EXPECT_EQ(*pairs, example_.pairs(0));
}

TEST_F(RelationOf, DistinguishesWrongMaps) {
  for (const std::string_view text :
       {"(d0){rt0} -> (d0 + rt0 - 1), domain: d0 in [0, 1], rt0 in [0, 4]",
        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 0], rt0 in [0, 4]",
        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [0, 4], d0 + rt0 in [0, 4]",
        "(d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 5]"}) {
    const auto pairs = relation(text);
    ASSERT_TRUE(pairs.has_value()) << text << ": " << pairs.error().message;
    EXPECT_NE(*pairs, example_.pairs(0)) << text;
  }
}

TEST_F(RelationOf, RefusesWhatLiesOutside) {
  EXPECT_THAT(fault("(d0){rt0} -> (d0 + rt0 + 1), domain: d0 in [0, 1], rt0 in [0, 4]"),
              HasSubstr("outside of the arrays"));
  EXPECT_THAT(fault("(d0) -> (d0), domain: d0 in [0, 2]"), HasSubstr("outside of the arrays"));
  EXPECT_THAT(fault("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [0, 5]"),
              HasSubstr("are those of no start index"));
  EXPECT_THAT(fault("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [0, 4]", "x"),
              HasSubstr("outside of its tensor"));
  EXPECT_THAT(fault("(d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1000000]"),
              HasSubstr("points"));
}

}  // namespace
}  // namespace mercator::testing
