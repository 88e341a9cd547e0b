// Conditionals, loops and custom calls.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "mercator/indexing/analysis.h"
#include "mercator/indexing/loop.h"
#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string conditional_module(std::string_view chooser) {
  return fmt::format(R"(HloModule m
t {{
  p = f32[4] parameter(0)
  ROOT r = f32[4] reverse(p), dimensions={{0}}
}}
f {{
  p = f32[] parameter(0)
  ROOT r = f32[4] broadcast(p), dimensions={{}}
}}
ENTRY e {{
  i = s32[] {}
  x = f32[4] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[4] conditional(i, x, y), branch_computations={{t, f}}
}})",
                     chooser);
}

TEST(Conditional, EitherBranchMayBeTaken) {
  AnalyzedModule m(conditional_module("parameter(2)"));
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0) -> (-d0 + 3), domain: d0 in [0, 3] ~"));
  EXPECT_THAT(m.o2i(2), ElementsAre("(d0) -> (), domain: d0 in [0, 3] ~"));
  EXPECT_THAT(m.i2o(0), ElementsAre("()[s0] -> (s0), domain: s0 in [0, 3]"));
  EXPECT_THAT(m.i2o(2), ElementsAre("()[s0] -> (s0), domain: s0 in [0, 3] ~"));
}

TEST(Conditional, AKnownIndexChooses) {
  AnalyzedModule first(conditional_module("constant(0)"));
  EXPECT_THAT(first.o2i(1), ElementsAre("(d0) -> (-d0 + 3), domain: d0 in [0, 3]"));
  EXPECT_THAT(first.o2i(2), IsEmpty());
  // One that names no branch takes the last.
  AnalyzedModule last(conditional_module("constant(-1)"));
  EXPECT_THAT(last.o2i(1), IsEmpty());
  EXPECT_THAT(last.o2i(2), ElementsAre("(d0) -> (), domain: d0 in [0, 3]"));
}

// A loop whose state is a counter, a bound, x that stays, and a sum of rows of x.
std::string loop_module(std::string_view first, std::string_view next, std::string_view goes_on,
                        std::string_view bound = "parameter(2)") {
  return fmt::format(R"(HloModule m
body {{
  s = (s32[], s32[], f32[80,4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  x = f32[80,4] get-tuple-element(s), index=2
  sum = f32[4] get-tuple-element(s), index=3
  zero = s32[] constant(0)
  row = f32[1,4] dynamic-slice(x, i, zero), dynamic_slice_sizes={{1,4}}
  r = f32[4] reshape(row)
  sum2 = f32[4] add(sum, r)
  step = s32[] constant(2)
  i2 = s32[] {}
  ROOT t = (s32[], s32[], f32[80,4], f32[4]) tuple(i2, n, x, sum2)
}}
condition {{
  s = (s32[], s32[], f32[80,4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ten = s32[] constant(10)
  ROOT c = pred[] {}
}}
ENTRY e {{
  x = f32[80,4] parameter(0)
  sum = f32[4] parameter(1)
  i = s32[] {}
  n = s32[] {}
  s = (s32[], s32[], f32[80,4], f32[4]) tuple(i, n, x, sum)
  ROOT w = (s32[], s32[], f32[80,4], f32[4]) while(s), condition=condition, body=body
}})",
                     next, goes_on, first, bound);
}

TEST(While, CountsRounds) {
  AnalyzedModule m(loop_module("constant(3)", "add(i, step)", "compare(i, ten), direction=LT"));
  const std::string exact = "(d0)[s0] -> (s0 * 2 + 3, d0), domain: d0 in [0, 3], s0 in [0, 3]";
  EXPECT_THAT(m.o2i(0, {3}, {2}), ElementsAre(exact));
  EXPECT_THAT(m.o2i(0, {3}, {3}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(m.o2i(0, {2}, {2}),
              ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 79], d1 in [0, 3]"));
  // The bound of the loop is known.
  EXPECT_THAT(m.o2i(0, {3}, {1}), IsEmpty());
}

TEST(While, RoundsThatAreNotCountedMayReadEveryRow) {
  AnalyzedModule m(loop_module("constant(3)", "add(i, step)", "compare(i, n), direction=LT"));
  EXPECT_THAT(m.o2i(0, {3}, {2}),
              ElementsAre("(d0)[s0] -> (s0, d0), domain: d0 in [0, 3], s0 in [0, 79] ~"));
  EXPECT_THAT(m.o2i(0, {3}, {3}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  // How many they are depends on the bound.
  EXPECT_THAT(m.o2i(0, {3}, {1}), ElementsAre("(d0) -> (), domain: d0 in [0, 3] ~"));
  EXPECT_THAT(m.i2o(0, {3}, {1}), ElementsAre("()[s0] -> (s0), domain: s0 in [0, 3] ~"));
  EXPECT_THAT(m.o2i(0, {2}, {1}), IsEmpty());
}

TEST(While, WithoutRoundsTheStateIsTheOperand) {
  AnalyzedModule m(loop_module("constant(10)", "add(i, step)", "compare(i, ten), direction=LT"));
  EXPECT_THAT(m.o2i(0, {3}, {2}), IsEmpty());
  EXPECT_THAT(m.o2i(0, {3}, {3}), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
}

// A scan over the rows of x: `first` and `last` stack what the body makes of them before and after
// the sum of the rows so far is added.
std::string scan_module(std::string_view place) {
  return fmt::format(R"(HloModule m
update {{
  ys = f32[5,4] parameter(0)
  row = f32[1,4] parameter(1)
  i = s32[] parameter(2)
  zero = s32[] constant(0)
  ROOT u = f32[5,4] dynamic-update-slice(ys, row, i, zero)
}}
body {{
  s = (s32[], f32[5,4], f32[4], f32[5,4], f32[5,4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[5,4] get-tuple-element(s), index=1
  sum = f32[4] get-tuple-element(s), index=2
  first = f32[5,4] get-tuple-element(s), index=3
  last = f32[5,4] get-tuple-element(s), index=4
  zero = s32[] constant(0)
  row = f32[1,4] dynamic-slice(x, i, zero), dynamic_slice_sizes={{1,4}}
  two = s32[] constant(2)
  j = s32[] {}
  first2 = f32[5,4] fusion(first, row, j), kind=kLoop, calls=update
  sum2 = f32[4] add(sum, r)
  r = f32[4] reshape(row)
  sum3 = f32[1,4] reshape(sum2)
  last2 = f32[5,4] dynamic-update-slice(last, sum3, j, zero)
  one = s32[] constant(1)
  i2 = s32[] add(i, one)
  ROOT t = (s32[], f32[5,4], f32[4], f32[5,4], f32[5,4]) tuple(i2, x, sum2, first2, last2)
}}
condition {{
  s = (s32[], f32[5,4], f32[4], f32[5,4], f32[5,4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}}
ENTRY e {{
  x = f32[5,4] parameter(0)
  sum = f32[4] parameter(1)
  ys = f32[5,4] parameter(2)
  i = s32[] constant(0)
  s = (s32[], f32[5,4], f32[4], f32[5,4], f32[5,4]) tuple(i, x, sum, ys, ys)
  ROOT w = (s32[], f32[5,4], f32[4], f32[5,4], f32[5,4]) while(s), condition=condition, body=body
}})",
                     place);
}

TEST(While, AScanStacksWhatEachRoundMakes) {
  AnalyzedModule m(scan_module("add(i, zero)"));
  const std::string same = "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 3]";
  EXPECT_THAT(m.o2i(0, {3}, {1}), ElementsAre(same));
  EXPECT_THAT(m.i2o(0, {3}, {1}), ElementsAre(same));
  EXPECT_THAT(m.o2i(0, {3}, {3}), IsEmpty());
  EXPECT_THAT(m.i2o(0, {4}, {4}), IsEmpty());
  // The rows before it count too, but here that is not known.
  EXPECT_THAT(m.o2i(0, {4}, {1}),
              ElementsAre(same,
                          "(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 4], d1 in [0, 3], "
                          "s0 in [0, 4] ~"));
  AnalyzedModule backwards(scan_module("subtract(four, i)\n  four = s32[] constant(4)"));
  EXPECT_THAT(backwards.o2i(0, {3}, {1}),
              ElementsAre("(d0, d1) -> (-d0 + 4, d1), domain: d0 in [0, 4], d1 in [0, 3]"));
}

TEST(While, RowsThatLaterRoundsMayWriteAreNotCertain) {
  // Clamped, the rows 2, 3 and 4, and 4 again.
  AnalyzedModule clamped(scan_module("add(i, two)"));
  const std::vector<std::string> maps = clamped.o2i(0, {3}, {1});
  EXPECT_FALSE(maps.empty());
  for (const std::string& map : maps) EXPECT_THAT(map, HasSubstr(" ~"));
  AnalyzedModule same(scan_module("multiply(zero, i)"));
  EXPECT_THAT(same.o2i(0, {3}, {1}), ElementsAre(HasSubstr(" ~")));
}

struct CountCase {
  std::string_view first;
  std::string_view next;
  std::string_view goes_on;
  std::string_view bound;
  std::optional<std::int64_t> count;
};

TEST(CountedLoop, KnowsHowOftenALoopGoesRound) {
  const CountCase cases[] = {
      {"constant(0)", "add(i, step)", "compare(i, ten), direction=LT", "parameter(2)", 5},
      {"constant(0)", "add(step, i)", "compare(i, ten), direction=LE", "parameter(2)", 6},
      {"constant(1)", "add(i, step)", "compare(i, ten), direction=LE", "parameter(2)", 5},
      {"constant(0)", "add(i, step)", "compare(i, ten), direction=NE", "parameter(2)", 5},
      {"constant(0)", "add(i, step)", "compare(ten, i), direction=GT", "parameter(2)", 5},
      {"constant(0)", "add(i, step)", "compare(i, n), direction=LT", "constant(7)", 4},
      {"constant(20)", "subtract(i, step)", "compare(i, ten), direction=GT", "parameter(2)", 5},
      {"constant(20)", "subtract(i, step)", "compare(i, ten), direction=GE", "parameter(2)", 6},
      {"constant(11)", "add(i, step)", "compare(i, ten), direction=LT", "parameter(2)", 0},
      // It runs past the bound, away from it, or in a way that is not known.
      {"constant(1)", "add(i, step)", "compare(i, ten), direction=NE", "parameter(2)", {}},
      {"constant(0)", "subtract(i, step)", "compare(i, ten), direction=LT", "parameter(2)", {}},
      {"constant(0)", "multiply(i, step)", "compare(i, ten), direction=LT", "parameter(2)", {}},
      {"constant(0)", "add(i, n)", "compare(i, ten), direction=LT", "parameter(2)", {}},
      {"constant(0)", "add(i, step)", "compare(i, n), direction=LT", "parameter(2)", {}},
      {"parameter(3)", "add(i, step)", "compare(i, ten), direction=LT", "parameter(2)", {}},
      // The last step leaves s32.
      {"constant(2147483646)",
       "add(i, step)",
       "compare(i, n), direction=LE",
       "constant(2147483647)",
       {}},
  };
  for (const CountCase& c : cases) {
    AnalyzedModule m(loop_module(c.first, c.next, c.goes_on, c.bound));
    indexing::Analysis analysis(m.module(), m.context());
    const auto counted = indexing::counted_loop(analysis, m.root());
    ASSERT_EQ(counted.has_value(), c.count.has_value()) << c.next << " " << c.goes_on;
    if (counted.has_value()) {
      EXPECT_EQ(counted->count, *c.count) << c.next << " " << c.goes_on;
    }
  }
}

TEST(CountedLoop, InvariantsArePassedOn) {
  AnalyzedModule m(loop_module("constant(0)", "add(i, step)", "compare(i, ten), direction=LT"));
  EXPECT_THAT(indexing::loop_invariants(m.root()), ElementsAre(ShapeIndex{1}, ShapeIndex{2}));
}

std::string custom_call_module(std::string_view target) {
  return fmt::format(R"(HloModule m
ENTRY e {{
  p = f32[4,6] parameter(0)
  q = f32[6] parameter(1)
  ROOT r = f32[4,6] custom-call(p, q), custom_call_target="{}"
}})",
                     target);
}

TEST(CustomCall, IsNotKnownWithoutAMeaning) {
  AnalyzedModule m(custom_call_module("mine"));
  EXPECT_THAT(m.o2i(0), ElementsAre("unknown: what the custom call 'mine' reads is not known"));
}

TEST(CustomCall, ShardingKeepsItsOperand) {
  AnalyzedModule m(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] custom-call(p), custom_call_target="Sharding", sharding={replicated}
})");
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
}

TEST(CustomCall, AShardIsAPartThatIsNotKnown) {
  AnalyzedModule m(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[2] custom-call(p), custom_call_target="SPMDFullToShardShape", sharding={manual}
})");
  EXPECT_THAT(m.o2i(0), ElementsAre(HasSubstr("unknown: the result of 'SPMDFullToShardShape' has "
                                              "another shape")));
}

TEST(CustomCall, TopKReadsTheRow) {
  AnalyzedModule m(R"(HloModule m
ENTRY e {
  p = f32[4,9] parameter(0)
  ROOT r = (f32[4,3], s32[4,3]) custom-call(p), custom_call_target="TopK"
})");
  EXPECT_THAT(
      m.o2i(0, {1}),
      ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 8]"));
  EXPECT_THAT(
      m.i2o(0, {1}),
      ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 8], s0 in [0, 2]"));
}

TEST(CustomCall, AGivenMapFitsTheShapes) {
  AnalyzedModule m(custom_call_module("mine"));
  const auto given = [&](std::int64_t operand, std::string_view text) {
    CustomCalls calls;
    CustomCallMeaning& meaning = calls["mine"];
    meaning.kind = CustomCallMeaning::Kind::kMaps;
    meaning.maps.push_back({.operand = operand, .map = *parse_index_map(text, m.context())});
    IndexingAnalysis analysis(m.module(), m.context(), calls);
    std::string lines;
    for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      const InstructionIndexing indexing = analysis.indexing(m.root(), direction);
      if (!indexing.unknown.empty()) return "unknown: " + indexing.unknown;
      for (const OperandMap& map : indexing.find({}, operand)->maps) {
        lines += to_string(map.map, MapStyle::kOneLine) + "\n";
      }
    }
    return lines;
  };
  EXPECT_EQ(given(0, "(d0, d1)[s0] -> (d0, s0)"),
            "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 5], s0 in [0, 5]\n"
            "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 5], s0 in [0, 5]\n");
  EXPECT_EQ(
      given(1, "(d0, d1) -> (d1 - 1)"),
      "(d0, d1) -> (d1 - 1), domain: d0 in [0, 3], d1 in [1, 5]\n"
      "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 5], s0 in [0, 3], s1 in [1, 5], d0 - s1 in "
      "[-1, -1]\n");
  EXPECT_THAT(given(1, "(d0) -> (d0)"), HasSubstr("does not fit: it is from 1 to 1 dimensions"));
  EXPECT_THAT(given(2, "(d0, d1) -> (d0)"), HasSubstr("there is no operand 2"));
  EXPECT_THAT(given(1, "(d0, d1)[s0] -> (s0 mod 3)"), HasSubstr("a range variable has no bounds"));
}

}  // namespace
}  // namespace mercator::testing
