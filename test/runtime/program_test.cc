#include "mercator/runtime/program.h"

#include <atomic>
#include <chrono>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_testing.h"
#include "mercator/runtime/function_table.h"
#include "mercator/runtime/packed_function.h"
#include "mercator/support/stop_check.h"
#include "random_graphs.h"
#include "test/support/random_factor.h"

namespace mercator::runtime {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Results = TestEngine::Results;

TEST(Program, OneEngineTakesAllAsOneSubgraph) {
  const TestEngine all("all");
  const auto program = compiled(module_of_lines(R"(
    x = s32[2] parameter(0)
    y = s32[2] parameter(1)
    sum = s32[2] add(x, y)
    product = s32[2] multiply(sum, sum)
    ROOT pair = (s32[2], s32[2]) tuple(sum, product))"),
                                {&all});
  EXPECT_THAT(run_texts(*program, {"s32[2] {1, 2}", "s32[2] {3, 4}"}),
              ElementsAre("s32[2] {4, 6}", "s32[2] {16, 36}"));
  ASSERT_EQ(program->statistics().engines.size(), 1U);
  EXPECT_EQ(program->statistics().engines[0].subgraphs, 1);
  EXPECT_EQ(program->statistics().engines[0].instructions, 3);
  EXPECT_EQ(program->statistics().compiled, 1);
}

// x, then a sum and a product in turn, as often as there are rounds.
std::shared_ptr<const hlo::Module> alternating(int rounds, std::string_view type = "s32[2]") {
  std::string lines = fmt::format("x = {} parameter(0)\n", type);
  std::string last = "x";
  for (int i = 0; i < rounds; ++i) {
    lines +=
        fmt::format("a{0} = {1} add({2}, {2})\nm{0} = {1} multiply(a{0}, a{0})\n", i, type, last);
    last = fmt::format("m{}", i);
  }
  return module_of_lines(lines + fmt::format("ROOT n = {} negate({})", type, last));
}

TestEngine::Predicate additions() { return takes({hlo::Opcode::kAdd}); }

TEST(Program, EnginesHandValuesToEachOther) {
  const TestEngine adds("adds", additions());
  const TestEngine rest("rest");
  const auto program = compiled(alternating(2), {&adds, &rest});
  // 1: 2, 4, 8, 64. 2: 4, 16, 32, 1024.
  EXPECT_THAT(run_texts(*program, {"s32[2] {1, 2}"}), ElementsAre("s32[2] {-64, -1024}"));
  EXPECT_EQ(adds.runs, 2);
  EXPECT_EQ(rest.runs, 2);
}

TEST(Program, EqualSubgraphsAreCompiledOnce) {
  const TestEngine adds("adds", additions());
  const TestEngine rest("rest");
  CompileCache cache;
  const auto program = compiled(alternating(5), {&adds, &rest}, {.cache = &cache});
  EXPECT_EQ(adds.compilations, 1);
  EXPECT_EQ(rest.compilations, 2);  // the last negates too
  EXPECT_EQ(program->statistics().compiled, 3);
  EXPECT_EQ(program->statistics().memory_hits, 7);
  const auto again = compiled(alternating(3), {&adds, &rest}, {.cache = &cache});
  EXPECT_EQ(again->statistics().compiled, 0);
  EXPECT_EQ(again->statistics().memory_hits, 6);
}

TEST(Program, ARootThatIsAParameterIsReturned) {
  const TestEngine all("all");
  const auto program = compiled(module_of_lines("ROOT x = s32[2] parameter(0)"), {&all});
  EXPECT_THAT(run_texts(*program, {"s32[2] {1, 2}"}), ElementsAre("s32[2] {1, 2}"));
}

TEST(Program, RandomModulesGiveTheSameHoweverTheyAreSplit) {
  const std::int64_t modules = 500 * test::random_factor();
  const std::vector<std::string> arguments = {"s32[4] {1, -2, 3, 100000}",
                                              "s32[4] {7, 0, -9, 65536}"};
  for (std::int64_t seed = 0; seed < modules; ++seed) {
    const test::Draw draw = test::seeded_draw(static_cast<std::uint64_t>(seed));
    const auto module = verified_module(random_module(draw(1, 60), draw));
    const auto some_engines = random_engines(draw);
    const auto program = compiled(module, pointers(some_engines));
    std::vector<Value> values;
    for (const std::string& argument : arguments) values.emplace_back(tensor_from_text(argument));
    std::vector<std::string> expected;
    for (const Tensor& leaf : leaves(SmallEvaluator::run(*module, values, MemoryPool()))) {
      expected.push_back(text_of(leaf));
    }
    for (const int threads : {1, 4}) {
      RunContext context;
      context.threads = threads;
      ASSERT_EQ(run_texts(*program, arguments, context), expected)
          << "seed " << seed << ", " << threads << " threads";
      EXPECT_EQ(context.pool.bytes_in_use(), 0);
    }
    const auto interpreted = compiled(module, {engines().find("interpreter")});
    ASSERT_EQ(run_texts(*interpreted, arguments), expected) << "seed " << seed;
  }
}

TEST(Program, SeveralThreadsMayRunItAtOnce) {
  const TestEngine adds("adds", additions());
  const TestEngine rest("rest");
  const auto program = compiled(alternating(20), {&adds, &rest});
  const std::vector<std::string> expected = run_texts(*program, {"s32[2] {3, 4}"});
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      RunContext context;
      context.threads = 2;
      for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(run_texts(*program, {"s32[2] {3, 4}"}, context), expected);
      }
    });
  }
}

// Two sums that do not need each other, and a product of both.
std::shared_ptr<const hlo::Module> diamond() {
  return module_of_lines(R"(
    x = s32[2] parameter(0)
    left = s32[2] add(x, x)
    right = s32[2] subtract(x, x)
    ROOT both = s32[2] multiply(left, right))");
}

Results small(const hlo::Module& module, const std::vector<Value>& arguments,
              const RunContext& context) {
  const Value root = SmallEvaluator::run(module, arguments, context.pool);
  return std::vector<Value>(root.elements().begin(), root.elements().end());
}

template <class Condition>
bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(Program, IndependentSubgraphsRunAtOnce) {
  std::atomic<int> started = 0;
  const auto wait_for_the_other = [&](const hlo::Module& module,
                                      const std::vector<Value>& arguments,
                                      const RunContext& context) -> Results {
    ++started;
    EXPECT_TRUE(comes_true([&] { return started >= 2; }));
    return small(module, arguments, context);
  };
  TestEngine left("left", additions());
  TestEngine right("right", takes({hlo::Opcode::kSubtract}));
  const TestEngine rest("rest");
  left.on_run = right.on_run = wait_for_the_other;
  const auto program = compiled(diamond(), {&left, &right, &rest});
  RunContext context;
  context.threads = 2;
  EXPECT_THAT(run_texts(*program, {"s32[2] {3, 4}"}, context), ElementsAre("s32[2] {0, 0}"));
}

TEST(Program, OneThreadRunsOneSubgraphAtATime) {
  std::atomic<int> running = 0;
  const auto alone = [&](const hlo::Module& module, const std::vector<Value>& arguments,
                         const RunContext& context) -> Results {
    EXPECT_EQ(++running, 1);
    Results results = small(module, arguments, context);
    --running;
    return results;
  };
  TestEngine left("left", additions());
  TestEngine right("right", takes({hlo::Opcode::kSubtract}));
  TestEngine rest("rest");
  left.on_run = right.on_run = rest.on_run = alone;
  EXPECT_THAT(run_texts(*compiled(diamond(), {&left, &right, &rest}), {"s32[2] {3, 4}"}),
              ElementsAre("s32[2] {0, 0}"));
}

TEST(Program, ValuesAreFreedAfterTheirLastReader) {
  const TestEngine adds("adds", additions());
  const TestEngine rest("rest");
  const auto program = compiled(alternating(10, "s32[1000]"), {&adds, &rest});
  RunContext context;
  std::vector<Value> arguments;
  arguments.emplace_back(Tensor::allocate(hlo::ElementType::kS32, {1000}, context.pool).value());
  std::ranges::fill(arguments[0].tensor().mutable_bytes(), std::byte{1});
  RunStatistics statistics;
  ASSERT_TRUE(program->run(std::move(arguments), context, statistics));
  // The arguments of a subgraph, and its two results at the end, where it negates.
  EXPECT_LE(statistics.peak_bytes, 3 * 4000);
  EXPECT_EQ(context.pool.bytes_in_use(), 0);
  EXPECT_EQ(statistics.engine_seconds.size(), 2U);
  EXPECT_GT(statistics.seconds, 0);
}

TEST(Program, EachSubgraphThatDrawsRandomNumbersHasItsOwnSeed) {
  std::vector<std::uint64_t> seeds;
  TestEngine engine("random", takes({hlo::Opcode::kRng}));
  engine.on_run = [&](const hlo::Module&, const std::vector<Value>&,
                      const RunContext& context) -> Results {
    seeds.push_back(context.seed);
    return std::vector<Value>{tensor_from_text("s32[] 5")};
  };
  const TestEngine rest("rest");
  const auto program = compiled(module_of_lines(R"(
    low = s32[] constant(0)
    high = s32[] constant(9)
    first = s32[] rng(low, high), distribution=rng_uniform
    n = s32[] negate(first)
    second = s32[] rng(n, high), distribution=rng_uniform
    m = s32[] negate(second)
    third = s32[] rng(m, high), distribution=rng_uniform
    ROOT s = s32[] add(third, m))"),
                                {&engine, &rest});
  RunContext context;
  context.seed = 42;
  EXPECT_THAT(run_texts(*program, {}, context), ElementsAre("s32[] 0"));
  ASSERT_EQ(seeds.size(), 3U);
  EXPECT_EQ(seeds[0], 42U);
  const std::set<std::uint64_t> different(seeds.begin(), seeds.end());
  EXPECT_EQ(different.size(), seeds.size());
}

// ---- faults ----

std::string error_of(const Result<std::unique_ptr<Program>>& program) {
  return program ? "" : program.error().message;
}

TEST(Program, AnEngineThatFailsToCompileIsNamed) {
  TestEngine adds("adds", additions());
  const TestEngine rest("rest");
  adds.on_compile = [](const hlo::Module&) -> Result<void> {
    return fail(ErrorKind::kExhausted, "no registers are left");
  };
  const auto program = Program::compile(alternating(2), std::vector<const Engine*>{&adds, &rest});
  EXPECT_EQ(error_of(program), "the engine 'adds': no registers are left");
  EXPECT_EQ(program.error().kind, ErrorKind::kExhausted);
}

TEST(Program, ErrorsNameTheInstructionThatTheUserKnows) {
  TestEngine all("all");
  const auto complain = [](const hlo::Module& module) -> Result<void> {
    const hlo::Instruction& last = *module.entry->root->operands[0];
    return fail(ErrorKind::kUnsupported, fmt::format("'{}': too hard", last.name), last.span);
  };
  all.on_compile = complain;
  const auto module = alternating(1);
  const auto program = Program::compile(module, std::vector<const Engine*>{&all});
  EXPECT_EQ(error_of(program), "'n': too hard");
  EXPECT_EQ(program.error().span, module->entry->find("n")->span);

  all.on_compile = nullptr;
  all.on_run = [&](const hlo::Module& own, const std::vector<Value>&,
                   const RunContext&) -> Results { return std::unexpected(complain(own).error()); };
  EXPECT_THAT(run_texts(*compiled(module, {&all}), {"s32[2] {1, 2}"}),
              ElementsAre("'n': too hard"));
}

TEST(Program, CompilingStopsWhenAsked) {
  const TestEngine all("all");
  std::stop_source stop;
  stop.request_stop();
  const auto program = Program::compile(alternating(1), std::vector<const Engine*>{&all},
                                        {.cache = nullptr, .stop = stop.get_token()});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::kInterrupted);
}

TEST(Program, AnEngineThatFailsInTheMiddleEndsTheRun) {
  TestEngine adds("adds", additions());
  const TestEngine rest("rest");
  adds.on_run = [&](const hlo::Module& module, const std::vector<Value>& arguments,
                    const RunContext& context) -> Results {
    if (adds.runs == 3) return fail(ErrorKind::kExhausted, "the machine is on fire");
    return small(module, arguments, context);
  };
  const auto program = compiled(alternating(6), {&adds, &rest});
  for (const int threads : {1, 4}) {
    adds.runs = 0;
    rest.runs = 0;
    RunContext context;
    context.threads = threads;
    EXPECT_THAT(run_texts(*program, {"s32[2] {1, 2}"}, context),
                ElementsAre("the engine 'adds': the machine is on fire"));
    EXPECT_EQ(adds.runs, 3);
    EXPECT_EQ(rest.runs, 2);
    EXPECT_EQ(context.pool.bytes_in_use(), 0);
  }
}

TEST(Program, TheFirstFailureInOrderIsTold) {
  // Of three that run at once, the second fails first. The third, which is stopped then, shows that
  // this is known when the first fails.
  std::atomic<int> running = 0;
  std::atomic<bool> second_has_failed = false;
  const auto all_run = [&] { return running >= 3; };
  TestEngine left("left", additions());
  TestEngine middle("middle", takes({hlo::Opcode::kSubtract}));
  TestEngine right("right", takes({hlo::Opcode::kXor}));
  const TestEngine rest("rest");
  left.on_run = [&](const hlo::Module&, const std::vector<Value>&, const RunContext&) -> Results {
    ++running;
    EXPECT_TRUE(comes_true([&] { return second_has_failed.load(); }));
    return fail(ErrorKind::kUnsupported, "first");
  };
  middle.on_run = [&](const hlo::Module&, const std::vector<Value>&, const RunContext&) -> Results {
    ++running;
    EXPECT_TRUE(comes_true(all_run));
    return fail(ErrorKind::kUnsupported, "second");
  };
  right.on_run = [&](const hlo::Module&, const std::vector<Value>&,
                     const RunContext& context) -> Results {
    ++running;
    EXPECT_TRUE(comes_true([&] { return context.stop.stop_requested(); }));
    second_has_failed = true;
    return std::unexpected(check_stop(context.stop).error());
  };
  const auto program = compiled(module_of_lines(R"(
    x = s32[2] parameter(0)
    a = s32[2] add(x, x)
    b = s32[2] subtract(x, x)
    c = s32[2] xor(x, x)
    ab = s32[2] multiply(a, b)
    ROOT abc = s32[2] multiply(ab, c))"),
                                {&left, &middle, &right, &rest});
  RunContext context;
  context.threads = 3;
  EXPECT_THAT(run_texts(*program, {"s32[2] {1, 2}"}, context),
              ElementsAre("the engine 'left': first"));
  EXPECT_EQ(rest.runs, 0);
}

TEST(Program, WhatRunsBesideAFailureIsStopped) {
  std::atomic<bool> is_running = false;
  TestEngine left("left", additions());
  TestEngine right("right", takes({hlo::Opcode::kSubtract}));
  const TestEngine rest("rest");
  left.on_run = [&](const hlo::Module&, const std::vector<Value>&, const RunContext&) -> Results {
    comes_true([&] { return is_running.load(); });
    return fail(ErrorKind::kUnsupported, "first");
  };
  right.on_run = [&](const hlo::Module&, const std::vector<Value>&,
                     const RunContext& context) -> Results {
    is_running = true;
    EXPECT_TRUE(comes_true([&] { return context.stop.stop_requested(); }));
    return std::unexpected(check_stop(context.stop).error());
  };
  RunContext context;
  context.threads = 2;
  EXPECT_THAT(run_texts(*compiled(diamond(), {&left, &right, &rest}), {"s32[2] {1, 2}"}, context),
              ElementsAre("the engine 'left': first"));
}

TEST(Program, ARunStopsWhenAsked) {
  std::stop_source stop;
  TestEngine all("all");
  all.on_run = [&](const hlo::Module&, const std::vector<Value>&,
                   const RunContext& context) -> Results {
    stop.request_stop();
    return std::unexpected(check_stop(context.stop).error());
  };
  const auto program = compiled(alternating(1), {&all});
  RunContext context;
  context.stop = stop.get_token();
  for (int round = 0; round < 2; ++round) {  // the second is stopped before it begins
    std::vector<Value> arguments;
    arguments.emplace_back(tensor_from_text("s32[2] {1, 2}"));
    const auto results = program->run(std::move(arguments), context);
    ASSERT_FALSE(results);
    EXPECT_EQ(results.error().kind, ErrorKind::kInterrupted);
    EXPECT_EQ(results.error().message, "interrupted");
  }
  EXPECT_EQ(all.runs, 1);
}

TEST(Program, ALoopThatDoesNotEndCanBeStopped) {
  // The outer loop tells that it is under way, and then enters the inner one.
  const auto program = compiled(verified_module(R"(HloModule m

forever { p = s32[] parameter(0)  ROOT t = pred[] constant(true) }
body { p = s32[] parameter(0)  ROOT n = s32[] negate(p) }
outer {
  p = s32[] parameter(0)
  told = s32[] custom-call(p), custom_call_target="tell"
  ROOT w = s32[] while(told), condition=forever, body=body
}
ENTRY main {
  x = s32[] parameter(0)
  ROOT w = s32[] while(x), condition=forever, body=outer
})"),
                                {engines().find("interpreter")});
  std::atomic<bool> is_under_way = false;
  FunctionTable functions;
  ASSERT_TRUE(functions.add("tell", PackedFunction("tell", [&](std::span<const Any> arguments) {
                              is_under_way = true;
                              is_under_way.notify_all();
                              return Result<Any>(arguments[0]);
                            })));
  std::stop_source stop;
  RunContext context;
  context.stop = stop.get_token();
  context.functions = &functions;
  const std::jthread stopper([&] {
    is_under_way.wait(false);
    stop.request_stop();
  });
  std::vector<Value> arguments;
  arguments.emplace_back(tensor_from_text("s32[] 1"));
  const auto results = program->run(std::move(arguments), context);
  EXPECT_TRUE(is_under_way.exchange(true));
  is_under_way.notify_all();  // otherwise the stopper would wait for ever
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().kind, ErrorKind::kInterrupted);
}

TEST(Program, WhatDoesNotFitInMemoryIsNamed) {
  const auto program = compiled(module_of_lines(R"(
    x = s32[] parameter(0)
    large = s32[1000,1000] broadcast(x), dimensions={}
    ROOT n = s32[1000,1000] negate(large))"),
                                {engines().find("interpreter")});
  RunContext context;
  context.pool = MemoryPool(1'000'000);
  EXPECT_THAT(run_texts(*program, {"s32[] 1"}, context),
              ElementsAre(AllOf(HasSubstr("'large': "), HasSubstr("do not fit in memory"))));
  EXPECT_EQ(context.pool.bytes_in_use(), 0);
}

TEST(Program, ResultsThatAreNotWhatTheModuleSaysAreErrors) {
  TestEngine all("all");
  const auto program = compiled(alternating(1), {&all});
  const auto error_for = [&](std::vector<Value> lie) {
    all.on_run = [&](const hlo::Module&, const std::vector<Value>&, const RunContext&) -> Results {
      return lie;
    };
    return run_texts(*program, {"s32[2] {1, 2}"}).at(0);
  };
  EXPECT_EQ(error_for({}), "the engine 'all' has 0 results for 'n', where 1 are wanted");
  EXPECT_EQ(error_for({tensor_from_text("s32[3] {1, 2, 3}")}),
            "'n': the result of the engine 'all' is s32[3], where s32[2] is wanted");
  EXPECT_EQ(error_for({Value()}),
            "'n': the result of the engine 'all' is token[], where s32[2] is wanted");
  const MemoryPool pool;
  EXPECT_EQ(error_for({Tensor(hlo::ElementType::kS32, {2}, pool.allocate(4).value())}),
            "'n': the result of the engine 'all' has too little memory");
  EXPECT_EQ(error_for({Tensor(hlo::ElementType::kS32, {2}, pool.allocate(8).value(),
                              {.minor_to_major = {0}})}),
            "'n': the result of the engine 'all' is not dense");
}

TEST(Program, ArgumentsMustFit) {
  const TestEngine all("all");
  const auto program = compiled(alternating(1), {&all});
  EXPECT_THAT(run_texts(*program, {}), ElementsAre("0 arguments, where 1 are wanted"));
  EXPECT_THAT(run_texts(*program, {"f32[2] {1, 2}"}),
              ElementsAre("argument 0 ('x') is f32[2], where s32[2] is wanted"));
  EXPECT_EQ(all.runs, 0);
}

TEST(EngineTable, NamesAreUniqueAndUnknownOnesAreTold) {
  EngineTable table;
  ASSERT_TRUE(table.add(std::make_unique<TestEngine>("second")));
  ASSERT_TRUE(table.add(std::make_unique<TestEngine>("first")));
  EXPECT_FALSE(table.add(std::make_unique<TestEngine>("first")));
  EXPECT_THAT(table.names(), ElementsAre("first", "second"));
  const auto found = table.find_all(std::vector<std::string>{"second", "first"}).value();
  EXPECT_THAT(found, ElementsAre(table.find("second"), table.find("first")));
  const auto unknown = table.find_all(std::vector<std::string>{"secnd"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(unknown.error().message, "there is no engine 'secnd', only: first, second");
  EXPECT_EQ(unknown.error().hint, "did you mean 'second'?");
  EXPECT_FALSE(table.find_all({}));
}

}  // namespace
}  // namespace mercator::runtime
