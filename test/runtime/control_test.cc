#include "test/runtime/interpreter_testing.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kConditional = R"(HloModule m
a { p = s32[] parameter(0) ROOT r = s32[1] constant({10}) }
b { p = s32[] parameter(0) ROOT r = s32[1] reshape(p) }
c { p = s32[] parameter(0) ROOT r = s32[1] constant({30}) }
ENTRY main {
  i = s32[] parameter(0)
  x = s32[] parameter(1)
  ROOT r = s32[1] conditional(i, x, x, x), branch_computations={a, b, c}
}
)";

TEST(Control, ConditionalByIndexTakesTheLastBranchOutOfRange) {
  EXPECT_THAT(results_of(kConditional, {"s32[] 0", "s32[] 5"}), ElementsAre("s32[1] {10}"));
  EXPECT_THAT(results_of(kConditional, {"s32[] 1", "s32[] 5"}), ElementsAre("s32[1] {5}"));
  EXPECT_THAT(results_of(kConditional, {"s32[] 3", "s32[] 5"}), ElementsAre("s32[1] {30}"));
  EXPECT_THAT(results_of(kConditional, {"s32[] -1", "s32[] 5"}), ElementsAre("s32[1] {30}"));
}

TEST(Control, ConditionalByPredicate) {
  constexpr const char* kProgram = R"(HloModule m
yes { ROOT p = s32[] parameter(0) }
no { ROOT p = s32[] parameter(0) }
ENTRY main {
  i = pred[] parameter(0)
  x = s32[] parameter(1)
  y = s32[] parameter(2)
  ROOT r = s32[] conditional(i, x, y), true_computation=yes, false_computation=no
}
)";
  EXPECT_THAT(results_of(kProgram, {"pred[] true", "s32[] 1", "s32[] 2"}), ElementsAre("s32[] 1"));
  EXPECT_THAT(results_of(kProgram, {"pred[] false", "s32[] 1", "s32[] 2"}), ElementsAre("s32[] 2"));
}

// Shifts `1 2 3 4` left by one, three times, and writes a counter at its end.
constexpr const char* kLoop = R"(HloModule m
condition {
  s = (s32[], s32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT less = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], s32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = s32[4] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  tail = s32[3] slice(x), slice={[1:4]}
  end = s32[1] reshape(next)
  y = s32[4] concatenate(tail, end), dimensions={0}
  ROOT t = (s32[], s32[4]) tuple(next, y)
}
ENTRY main {
  p = s32[4] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], s32[4]) tuple(zero, p)
  ROOT w = (s32[], s32[4]) while(t), condition=condition, body=body
}
)";

TEST(Control, WhileRunsUntilItsConditionFails) {
  EXPECT_THAT(results_of(kLoop, {"s32[4] {5, 6, 7, 8}"}),
              ElementsAre("s32[] 3", "s32[4] {8, 1, 2, 3}"));
}

TEST(Control, ElementsOfASharedTupleStay) {
  constexpr const char* kProgram = R"(HloModule m
ENTRY main {
  p = s32[2] parameter(0)
  z = s32[] constant(0)
  c = s32[1] constant({9})
  t = (s32[2], s32[2]) tuple(p, p)
  a = s32[2] get-tuple-element(t), index=0
  u = s32[2] dynamic-update-slice(a, c, z)
  b = s32[2] get-tuple-element(t), index=1
  ROOT r = (s32[2], s32[2], s32[2]) tuple(u, b, p)
}
)";
  EXPECT_THAT(results_of(kProgram, {"s32[2] {1, 2}"}),
              ElementsAre("s32[2] {9, 2}", "s32[2] {1, 2}", "s32[2] {1, 2}"));
}

TEST(Control, AsyncPairsDoTheirWork) {
  constexpr const char* kProgram = R"(HloModule m
f { p = s32[2] parameter(0) ROOT r = s32[2] reverse(p), dimensions={0} }
ENTRY main {
  p = s32[2] parameter(0)
  s = ((s32[2]), s32[2], u32[]) async-start(p), calls=f
  u = ((s32[2]), s32[2], u32[]) async-update(s)
  d = s32[2] async-done(u)
  cs = (s32[2], s32[2], u32[]) copy-start(d)
  ROOT r = s32[2] copy-done(cs)
}
)";
  EXPECT_THAT(results_of(kProgram, {"s32[2] {1, 2}"}), ElementsAre("s32[2] {2, 1}"));
}

TEST(Control, ALoopThatDoesNotEndIsInterrupted) {
  constexpr const char* kProgram = R"(HloModule m
condition { s = s32[] parameter(0) ROOT t = pred[] constant(true) }
body { ROOT s = s32[] parameter(0) }
ENTRY main { p = s32[] parameter(0) ROOT w = s32[] while(p), condition=condition, body=body }
)";
  std::stop_source stop;
  RunContext context;
  context.stop = stop.get_token();
  std::jthread stopper([&stop] { stop.request_stop(); });
  const auto result = run_program(kProgram, {tensor_from_text("s32[] 1")}, context);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kInterrupted);
}

TEST(Control, ValuesBeyondTheMemoryAreAnError) {
  RunContext context;
  context.pool = MemoryPool(1 << 20);
  const auto result = run_program(
      "HloModule m\nENTRY e { p = u8[] parameter(0) "
      "ROOT big = u8[1048577] broadcast(p), dimensions={} }",
      {tensor_from_text("u8[] 1")}, context);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kExhausted);
  EXPECT_THAT(result.error().message, HasSubstr("'big': 1048577 bytes do not fit in memory"));
}

TEST(Control, ValuesAreFreedAfterTheirLastReader) {
  RunContext context;
  Value argument = tensor_from_text("u8[4] {1, 2, 3, 4}");
  std::vector<Value> arguments;
  arguments.push_back(std::move(argument));
  // Each of five arrays of 1000 bytes is read by the next only.
  const auto result = run_program(R"(HloModule m
ENTRY e {
  p = u8[4] parameter(0)
  a = u8[4,250] broadcast(p), dimensions={0}
  b = u8[250,4] transpose(a), dimensions={1,0}
  c = u8[4,250] transpose(b), dimensions={1,0}
  d = u8[250,4] transpose(c), dimensions={1,0}
  ROOT e = u8[4,250] transpose(d), dimensions={1,0}
})",
                                  std::move(arguments), context);
  ASSERT_TRUE(result.has_value());
  EXPECT_LE(context.pool.peak_bytes(), 2000);
}

TEST(Control, ArgumentsThatDoNotMatchAreErrors) {
  constexpr const char* kProgram = "HloModule m\nENTRY e { ROOT p = s32[2] parameter(0) }";
  EXPECT_EQ(run_program(kProgram, {}).error().message, "0 arguments, where 1 are wanted");
  EXPECT_EQ(run_program(kProgram, {tensor_from_text("s32[3] {1, 2, 3}")}).error().message,
            "argument 0 is s32[3], where s32[2] is wanted");
}

TEST(Control, WhatNobodyReadsIsNotRun) {
  // Neither in the entry computation nor in another.
  const auto program = [](const std::string& attributes) {
    return "HloModule m\ncallee { x = s32[] parameter(0) y = s32[] parameter(1)\n"
           "  lost = s32[] custom-call(x), custom_call_target=\"nobody\"" +
           attributes +
           "\n  doubt = s32[] negate(lost) ROOT n = s32[] negate(x) }\n"
           "ENTRY main { p = s32[] parameter(0)\n"
           "  unread = s32[] custom-call(p), custom_call_target=\"nobody\"\n"
           "  ROOT c = s32[] call(p, p), to_apply=callee }";
  };
  EXPECT_THAT(results_of(program(""), {"s32[] 3"}), ElementsAre("s32[] -3"));
  EXPECT_THAT(results_of(program(", custom_call_has_side_effect=true"), {"s32[] 3"}),
              ElementsAre(HasSubstr("'lost': ")));
}

TEST(Control, RandomNumbersThatNobodyReadsAreDrawn) {
  const auto second = [](std::string_view root) {
    return result_of(
        "zero = s32[] constant(0)\n all = s32[] constant(2147483647)\n"
        "a = s32[2] rng(zero, all), distribution=rng_uniform\n"
        "b = s32[2] rng(zero, all), distribution=rng_uniform\n" +
        std::string(root));
  };
  const std::string both = second("ROOT r = s32[4] concatenate(a, b), dimensions={0}");
  const std::string last = second("ROOT r = s32[2] copy(b)");
  // s32[4] {w, x, y, z} and s32[2] {y, z}
  EXPECT_TRUE(both.ends_with(last.substr(last.find('{') + 1))) << both << last;
}

TEST(Control, InstructionsThatNeedAHostProgramAreNotSupported) {
  const auto result = run_program(
      "HloModule m\nENTRY e { t = token[] after-all() ROOT i = (s32[2], token[]) infeed(t) }", {});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(result.error().message, HasSubstr("'i': infeed needs"));
}

}  // namespace
}  // namespace mercator::runtime
