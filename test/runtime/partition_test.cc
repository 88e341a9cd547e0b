#include "mercator/runtime/partition.h"

#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_testing.h"
#include "random_graphs.h"
#include "test/support/random_factor.h"

namespace mercator::runtime {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "adds: a, b; rest: c [copies d] -> e", one for each subgraph.
std::vector<std::string> split(const hlo::Module& module,
                               const std::vector<const Engine*>& engines) {
  const Effects effects(module);
  const auto subgraphs = partition(module, engines, effects);
  if (!subgraphs) return {subgraphs.error().message};
  EXPECT_TRUE(check_partition(module, *subgraphs, effects));
  std::vector<std::string> texts;
  for (const Subgraph& subgraph : *subgraphs) {
    std::string& text = texts.emplace_back(std::string(engines[subgraph.engine]->name()) + ":");
    for (const hlo::Instruction* i : subgraph.instructions) {
      const bool is_copy = std::ranges::count(subgraph.copies, i) > 0;
      text += (is_copy ? " +" : " ") + std::string(i->name);
    }
    text += " ->";
    for (const hlo::Instruction* i : subgraph.outputs) text += " " + std::string(i->name);
  }
  return texts;
}

const TestEngine& adds() {
  static const TestEngine engine("adds", takes({hlo::Opcode::kAdd}));
  return engine;
}
const TestEngine& rest() {
  static const TestEngine engine("rest");
  return engine;
}

TEST(Partition, TheFirstEngineThatTakesAnInstructionGetsIt) {
  const auto module = module_of_lines(R"(
    x = s32[4] parameter(0)
    a = s32[4] add(x, x)
    b = s32[4] add(a, x)
    ROOT m = s32[4] multiply(b, a))");
  EXPECT_THAT(split(*module, {&adds(), &rest()}), ElementsAre("adds: a b -> a b", "rest: m -> m"));
  EXPECT_THAT(split(*module, {&rest(), &adds()}), ElementsAre("rest: a b m -> m"));
}

TEST(Partition, APathThroughAnotherEngineKeepsSubgraphsApart) {
  const auto module = module_of_lines(R"(
    x = s32[4] parameter(0)
    a = s32[4] add(x, x)
    m = s32[4] multiply(a, a)
    ROOT b = s32[4] add(m, a))");
  EXPECT_THAT(split(*module, {&adds(), &rest()}),
              ElementsAre("adds: a -> a", "rest: m -> m", "adds: b -> b"));
}

TEST(Partition, UnusedInstructionsAreLeftOut) {
  const auto module = module_of_lines(R"(
    x = s32[4] parameter(0)
    unused = s32[4] multiply(x, x)
    ROOT a = s32[4] add(x, x))");
  EXPECT_THAT(split(*module, {&adds()}), ElementsAre("adds: a -> a"));
}

TEST(Partition, ARootThatIsAParameterNeedsNoEngine) {
  EXPECT_THAT(split(*module_of_lines("ROOT x = s32[4] parameter(0)"), {&adds()}), IsEmpty());
}

TEST(Partition, WhatIsCheapIsCopiedToItsReaders) {
  const TestEngine both(
      "both", takes({hlo::Opcode::kAdd, hlo::Opcode::kConstant, hlo::Opcode::kBroadcast}));
  const auto module = module_of_lines(R"(
    x = s32[4] parameter(0)
    one = s32[] constant(1)
    ones = s32[4] broadcast(one), dimensions={}
    a = s32[4] add(x, ones)
    ROOT m = s32[4] multiply(a, ones))");
  EXPECT_THAT(split(*module, {&both, &rest()}),
              ElementsAre("both: +one +ones a -> a", "rest: +one +ones m -> m"));
  // An engine that cannot copy them gets them from one that can.
  EXPECT_THAT(split(*module, {&adds(), &rest()}),
              ElementsAre("rest: +one ones -> ones", "adds: a -> a", "rest: +one +ones m -> m"));
}

TEST(Partition, WhatIsCheapAndReturnedIsComputedOnce) {
  EXPECT_THAT(split(*module_of_lines("ROOT one = s32[] constant(1)"), {&rest()}),
              ElementsAre("rest: one -> one"));
}

TEST(Partition, LargeArraysAreNotCheap) {
  const auto module = module_of_lines(R"(
    one = s32[] constant(1)
    ones = s32[1000] broadcast(one), dimensions={}
    twos = s32[1000] add(ones, ones)
    m = s32[1000] multiply(twos, ones)
    ROOT b = s32[1000] add(m, twos))");
  EXPECT_THAT(split(*module, {&adds(), &rest()}),
              ElementsAre("rest: +one ones -> ones", "adds: twos -> twos",
                          "rest: +one +ones m -> m", "adds: b -> b"));
}

TEST(Partition, AnInstructionThatNoEngineTakesIsNamedWithAllReasons) {
  const TestEngine negates("negates", takes({hlo::Opcode::kNegate}));
  const auto module = module_of_lines(R"(
    x = s32[4] parameter(0)
    a = s32[4] add(x, x)
    m = s32[4] multiply(a, a)
    ROOT n = s32[4] subtract(m, x))");
  const std::vector<const Engine*> engines = {&adds(), &negates};
  const auto subgraphs = partition(*module, engines, Effects(*module));
  ASSERT_FALSE(subgraphs);
  EXPECT_EQ(subgraphs.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(subgraphs.error().message,
            "'m': no engine takes it (adds: not of the kind that adds takes; negates: not of the "
            "kind that negates takes)");
  EXPECT_EQ(subgraphs.error().span, module->entry->find("m")->span);
}

TEST(Partition, WhatCallsComputationsIsNotTakenApart) {
  const auto module = verified_module(R"(HloModule m

inner { p = s32[4] parameter(0)  ROOT m = s32[4] multiply(p, p) }
outer { q = s32[4] parameter(0)  ROOT c = s32[4] call(q), to_apply=inner }
ENTRY main {
  x = s32[4] parameter(0)
  ROOT f = s32[4] fusion(x), kind=kLoop, calls=outer
})");
  const TestEngine calls("calls", takes({hlo::Opcode::kFusion, hlo::Opcode::kCall}));
  EXPECT_THAT(split(*module, {&calls, &rest()}), ElementsAre("rest: f -> f"));
  EXPECT_THAT(
      split(*module, {&calls}),
      ElementsAre("'f': no engine takes it (calls: it calls 'm': not of the kind that calls "
                  "takes)"));
}

TEST(Partition, PairsStayTogether) {
  const auto module = verified_module(R"(HloModule m

inner { p = s32[4] parameter(0)  ROOT m = s32[4] multiply(p, p) }
ENTRY main {
  x = s32[4] parameter(0)
  start = ((s32[4]), s32[4]) async-start(x), calls=inner
  a = s32[4] add(x, x)
  done = s32[4] async-done(start)
  ROOT b = s32[4] add(a, done)
})");
  const TestEngine starts("starts", takes({hlo::Opcode::kAsyncStart, hlo::Opcode::kMultiply}));
  const TestEngine all("all");
  EXPECT_THAT(split(*module, {&adds(), &starts, &all}),
              ElementsAre("all: start done -> done", "adds: a b -> b"));
}

// A start, updates and a done, which only together have an engine.
std::shared_ptr<const hlo::Module> chain_of_updates(int count) {
  std::string text =
      "HloModule m\n\ninner { p = s32[4] parameter(0)  ROOT m = s32[4] multiply(p, p) }\n"
      "ENTRY main {\n  x = s32[4] parameter(0)\n"
      "  u0 = ((s32[4]), s32[4]) async-start(x), calls=inner\n";
  for (int i = 1; i <= count; ++i) {
    text += fmt::format("  u{} = ((s32[4]), s32[4]) async-update(u{})\n", i, i - 1);
  }
  return verified_module(text + fmt::format("  ROOT d = s32[4] async-done(u{})\n}}\n", count));
}

TEST(Partition, ALongChainIsAskedForOnce) {
  constexpr int kUpdates = 100'000;
  const auto module = chain_of_updates(kUpdates);
  std::int64_t asked = 0;
  const TestEngine most("most", [&](const hlo::Instruction& instruction) {
    ++asked;
    return instruction.opcode != hlo::Opcode::kAsyncDone;
  });
  const std::vector<const Engine*> engines = {&most, &rest()};
  const Effects effects(*module);
  const auto subgraphs = partition(*module, engines, effects);
  ASSERT_TRUE(subgraphs) << subgraphs.error().message;
  ASSERT_EQ(subgraphs->size(), 1U);
  EXPECT_EQ(subgraphs->at(0).engine, 1U);
  EXPECT_EQ(subgraphs->at(0).instructions.size(), kUpdates + 2U);
  EXPECT_TRUE(check_partition(*module, *subgraphs, effects));
  EXPECT_EQ(asked, kUpdates + 3);  // with the one that is called

  const std::vector<const Engine*> only = {&most};
  const auto refused = partition(*module, only, effects);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "'d': no engine takes it (most: not of the kind that most takes)");
}

TEST(Partition, StopsWhenAsked) {
  std::string lines = "x = s32[4] parameter(0)\n a0 = s32[4] negate(x)\n";
  for (int i = 1; i < 1000; ++i) lines += fmt::format(" a{} = s32[4] negate(a{})\n", i, i - 1);
  const auto module = module_of_lines(lines + " ROOT r = s32[4] negate(a999)");
  std::stop_source stop;
  int asked = 0;
  const TestEngine engine("engine", [&](const hlo::Instruction&) {
    if (++asked == 10) stop.request_stop();
    return true;
  });
  const std::vector<const Engine*> engines = {&engine};
  const auto subgraphs = partition(*module, engines, Effects(*module), stop.get_token());
  ASSERT_FALSE(subgraphs);
  EXPECT_EQ(subgraphs.error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(asked, 10);
}

TEST(Partition, EffectsKeepTheirOrder) {
  const auto module = module_of_lines(R"(
    x = s32[4] parameter(0)
    c1 = s32[4] custom-call(x), custom_call_target="one", custom_call_has_side_effect=true
    pure = s32[4] custom-call(x), custom_call_target="pure"
    a = s32[4] add(x, x)
    c2 = s32[4] custom-call(a), custom_call_target="two", custom_call_has_side_effect=true
    ROOT b = s32[4] add(x, x))");
  EXPECT_THAT(split(*module, {&adds(), &rest()}),
              ElementsAre("adds: a -> a", "rest: c1 c2 ->", "adds: b -> b"));
}

TEST(Partition, NoEnginesAndTooManyAreRefused) {
  const auto module = module_of_lines("ROOT one = s32[] constant(1)");
  EXPECT_THAT(split(*module, {}), ElementsAre(HasSubstr("0 engines")));
  EXPECT_THAT(split(*module, std::vector<const Engine*>(65, &rest())),
              ElementsAre(HasSubstr("65 engines")));
}

// ---- random modules ----

using Set = std::set<const hlo::Instruction*>;

void collect_live(const hlo::Instruction& instruction, Set& live) {
  if (instruction.opcode == hlo::Opcode::kParameter || !live.insert(&instruction).second) return;
  for (const hlo::Instruction* operand : instruction.operands) collect_live(*operand, live);
}

bool may_be_copied(const hlo::Instruction& i) {
  return i.opcode == hlo::Opcode::kConstant || i.opcode == hlo::Opcode::kIota ||
         ((i.opcode == hlo::Opcode::kBroadcast || i.shape.element_count() <= kSmallElements) &&
          std::ranges::all_of(i.operands,
                              [](const hlo::Instruction* o) { return may_be_copied(*o); }));
}

// What is wrong with a partition, by brute force; "" if nothing is.
std::string fault(const hlo::Module& module, const std::vector<const Engine*>& engines,
                  const std::vector<Subgraph>& subgraphs) {
  Set live;
  collect_live(*module.entry->root, live);
  std::map<const hlo::Instruction*, std::size_t> home;
  const std::size_t count = subgraphs.size();
  for (std::size_t s = 0; s < count; ++s) {
    const Subgraph& subgraph = subgraphs[s];
    const Set copies(subgraph.copies.begin(), subgraph.copies.end());
    Set inside;
    for (const hlo::Instruction* i : subgraph.instructions) {
      const std::string name(i->name);
      if (!live.contains(i)) return name + " is not used";
      if (!inside.insert(i).second) return name + " is there twice";
      if (!engines[subgraph.engine]->supports(*i)) return name + " has the wrong engine";
      if (copies.contains(i)) {
        if (!may_be_copied(*i)) return name + " is copied";
        continue;
      }
      if (!home.emplace(i, s).second) return name + " is in two subgraphs";
      for (std::size_t e = 0; e < subgraph.engine; ++e) {
        if (engines[e]->supports(*i)) return name + " should go to an earlier engine";
      }
    }
    const Set inputs(subgraph.inputs.begin(), subgraph.inputs.end());
    for (const hlo::Instruction* i : subgraph.instructions) {
      for (const hlo::Instruction* operand : i->operands) {
        if (inside.contains(operand) == inputs.contains(operand)) {
          return std::string(operand->name) + " is neither inside nor an input, or both";
        }
      }
    }
    for (const hlo::Instruction* input : inputs) {
      if (input->opcode == hlo::Opcode::kParameter) continue;
      if (!home.contains(input)) return "a cycle at " + std::string(input->name);
      if (std::ranges::count(subgraphs[home.at(input)].outputs, input) != 1) {
        return std::string(input->name) + " is not a result";
      }
    }
  }
  for (const hlo::Instruction* i : live) {
    if (!home.contains(i) && !may_be_copied(*i)) return std::string(i->name) + " is in none";
  }

  std::vector<std::set<std::size_t>> readers(count);
  for (std::size_t s = 0; s < count; ++s) {
    for (const hlo::Instruction* input : subgraphs[s].inputs) {
      if (home.contains(input)) readers[home.at(input)].insert(s);
    }
  }
  // The longest path between any two, in edges.
  for (std::size_t from = 0; from < count; ++from) {
    std::vector<int> longest(count, -1);
    longest[from] = 0;
    for (std::size_t s = from; s < count; ++s) {
      if (longest[s] < 0) continue;
      for (const std::size_t to : readers[s]) longest[to] = std::max(longest[to], longest[s] + 1);
    }
    for (const std::size_t to : readers[from]) {
      if (subgraphs[from].engine == subgraphs[to].engine && longest[to] == 1) {
        return fmt::format("subgraphs {} and {} could be one", from, to);
      }
    }
  }
  return "";
}

TEST(Partition, RandomModulesForRandomEngines) {
  const std::int64_t modules = 2000 * test::random_factor();
  std::size_t most = 0;
  for (std::int64_t seed = 0; seed < modules; ++seed) {
    const test::Draw draw = test::seeded_draw(static_cast<std::uint64_t>(seed));
    const auto module = verified_module(random_module(draw(1, 60), draw));
    const auto engines = random_engines(draw);
    const Effects effects(*module);
    const auto subgraphs = partition(*module, pointers(engines), effects);
    ASSERT_TRUE(subgraphs) << subgraphs.error().message;
    ASSERT_EQ(fault(*module, pointers(engines), *subgraphs), "") << "seed " << seed;
    ASSERT_TRUE(check_partition(*module, *subgraphs, effects)) << "seed " << seed;
    most = std::max(most, subgraphs->size());
  }
  EXPECT_GT(most, 20U);  // otherwise this tests little
}

}  // namespace
}  // namespace mercator::runtime
