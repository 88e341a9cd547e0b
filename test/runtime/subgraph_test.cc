#include "mercator/runtime/subgraph.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_testing.h"
#include "mercator/runtime/partition.h"
#include "random_graphs.h"
#include "test/support/random_factor.h"

namespace mercator::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The canonical modules of the subgraphs of a module.
std::vector<SubgraphModule> canonical(const hlo::Module& module,
                                      const std::vector<const Engine*>& engines) {
  const Effects effects(module);
  std::vector<SubgraphModule> modules;
  const std::vector<Subgraph> subgraphs = partition(module, engines, effects).value();
  for (const Subgraph& subgraph : subgraphs) {
    Result<SubgraphModule> own = module_of(subgraph, effects);
    if (!own) {
      ADD_FAILURE() << own.error().message;
      continue;
    }
    const Result<void> valid = hlo::verify(*own->module);
    EXPECT_TRUE(valid) << valid.error().message << "\n" << own->module->text();
    modules.push_back(*std::move(own));
  }
  return modules;
}

std::string canonical_text(const std::shared_ptr<const hlo::Module>& module) {
  const TestEngine all("all");
  const auto modules = canonical(*module, {&all});
  EXPECT_EQ(modules.size(), 1U);
  return modules.empty() ? "" : std::string(modules[0].module->text());
}

TEST(Subgraph, NamesAreNumbersAndMetadataGo) {
  const auto module = verified_module(R"(HloModule some_name, is_scheduled=true

%reducer (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  %dead = f32[] multiply(%a, %b)
  ROOT %s = f32[] add(%a, %b), metadata={op_name="x"}
}

ENTRY %main (x: f32[2,3]) -> f32[2] {
  %x = f32[2,3]{1,0} parameter(0)
  %zero = f32[] constant(0)
  ROOT %r = f32[2]{0} reduce(%x, %zero), dimensions={1}, to_apply=%reducer, metadata={op_name="y"}
})");
  EXPECT_EQ(canonical_text(module), R"(HloModule subgraph

%c0 (v0: f32[], v1: f32[]) -> f32[] {
  %v0 = f32[] parameter(0)
  %v1 = f32[] parameter(1)
  ROOT %v2 = f32[] add(%v0, %v1)
}

ENTRY %entry (v0: f32[2,3]) -> (f32[2]) {
  %v0 = f32[2,3]{1,0} parameter(0)
  %v1 = f32[] constant(0)
  %v2 = f32[2]{0} reduce(%v0, %v1), dimensions={1}, to_apply=%c0
  ROOT %v3 = (f32[2]{0}) tuple(%v2)
}

)");
}

TEST(Subgraph, TheOrderOfTheTextDoesNotCount) {
  const std::string one = canonical_text(module_of_lines(R"(
    x = s32[4] parameter(0)
    y = s32[4] parameter(1)
    n = s32[4] negate(y)
    m = s32[4] multiply(x, x)
    ROOT s = s32[4] subtract(m, n))"));
  const std::string other = canonical_text(module_of_lines(R"(
    unused = s32[] constant(3)
    second = s32[4] parameter(1)
    first = s32[4] parameter(0)
    square = s32[4] multiply(first, first)
    minus = s32[4] negate(second)
    ROOT result = s32[4] subtract(square, minus))"));
  EXPECT_EQ(one, other);
}

TEST(Subgraph, AttributesTypesShapesAndOrderOfOperandsCount) {
  const auto text = [](std::string_view type, std::string_view operation) {
    return canonical_text(
        module_of_lines(fmt::format("x = {0} parameter(0)\n y = {0} parameter(1)\n"
                                    "ROOT r = {1}",
                                    type, operation)));
  };
  const std::string base = text("s32[4]", "s32[4] subtract(x, y)");
  EXPECT_NE(base, text("s32[5]", "s32[5] subtract(x, y)"));
  EXPECT_NE(base, text("u32[4]", "u32[4] subtract(x, y)"));
  EXPECT_NE(base, text("s32[4]", "s32[4] subtract(x, x)"));
  EXPECT_NE(text("s32[4]", "pred[4] compare(x, y), direction=LT"),
            text("s32[4]", "pred[4] compare(x, y), direction=GT"));
  // Parameters are numbered as they are read, so that these are the same.
  EXPECT_EQ(base, text("s32[4]", "s32[4] subtract(y, x)"));
}

TEST(Subgraph, EachInstructionKnowsWhatItStandsFor) {
  const auto module = verified_module(R"(HloModule m

inner { p = s32[4] parameter(0)  ROOT twice = s32[4] add(p, p) }
ENTRY main {
  x = s32[4] parameter(0)
  ROOT called = s32[4] call(x), to_apply=inner
})");
  const TestEngine all("all");
  const auto modules = canonical(*module, {&all});
  ASSERT_EQ(modules.size(), 1U);
  std::vector<std::string> names;
  for (const hlo::Instruction* instruction : modules[0].module->instructions) {
    const hlo::Instruction* origin = modules[0].origins.at(instruction->id).instruction;
    EXPECT_EQ(modules[0].origins.at(instruction->id).span, instruction->span);
    names.emplace_back(origin == nullptr ? "none" : origin->name);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("p", "twice", "x", "called", "none"));
}

TEST(Subgraph, EffectsStayInTheirOrderAndControlPredecessorsGo) {
  const auto module = module_of_lines(R"(
    x = s32[] parameter(0)
    last = s32[] custom-call(x), custom_call_target="b", custom_call_has_side_effect=true, control-predecessors={first}
    first = s32[] custom-call(x), custom_call_target="a", custom_call_has_side_effect=true
    ROOT n = s32[] negate(last))");
  const std::string text = canonical_text(module);
  EXPECT_LT(text.find("\"a\""), text.find("\"b\""));
  EXPECT_THAT(text, Not(HasSubstr("control-predecessors")));
}

TEST(Subgraph, ReplicaCountsStay) {
  EXPECT_THAT(canonical_text(verified_module("HloModule m, replica_count=4, num_partitions=2\n\n"
                                             "ENTRY e {\n  ROOT r = u32[] replica-id()\n}\n")),
              HasSubstr("HloModule subgraph, replica_count=4, num_partitions=2\n"));
}

// Calls 20,000 deep must not take as deep a stack.
TEST(Subgraph, DeepCallsTakeNoStack) {
  std::string text = "HloModule m\n\nf0 { p = s32[] parameter(0)  ROOT n = s32[] negate(p) }\n";
  constexpr int kDepth = 20000;
  for (int i = 1; i <= kDepth; ++i) {
    text += fmt::format("f{} {{ p = s32[] parameter(0)  ROOT c = s32[] call(p), to_apply=f{} }}\n",
                        i, i - 1);
  }
  text += fmt::format(
      "ENTRY e {{ p = s32[] parameter(0)  ROOT c = s32[] call(p), to_apply=f{} }}\n", kDepth);
  EXPECT_THAT(canonical_text(verified_module(text)), HasSubstr("to_apply=%c20000"));
}

TEST(Subgraph, SubgraphsOfRandomModulesAreValid) {
  const std::int64_t modules = 300 * test::random_factor();
  for (std::int64_t seed = 0; seed < modules; ++seed) {
    const test::Draw draw = test::seeded_draw(static_cast<std::uint64_t>(seed));
    const auto module = verified_module(random_module(draw(1, 40), draw));
    const auto engines = random_engines(draw);
    canonical(*module, pointers(engines));
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

// Real programs, for engines that take whatever opcode has their number.
TEST(Subgraph, SubgraphsOfTheCorpusAreValid) {
  const std::filesystem::path corpus = std::filesystem::path(MERCATOR_SHARED_DIR) / "corpus/hlo";
  if (!std::filesystem::exists(corpus)) GTEST_SKIP() << corpus << " is missing";
  const auto every_third = [](int number) {
    return [number](const hlo::Instruction& i) { return static_cast<int>(i.opcode) % 3 == number; };
  };
  const TestEngine first("first", every_third(0));
  const TestEngine second("second", every_third(1));
  const TestEngine rest("rest");
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    const auto module = hlo::parse_module(std::move(text));
    ASSERT_TRUE(module) << entry.path();
    count += canonical(**module, {&first, &second, &rest}).size();
    ASSERT_FALSE(::testing::Test::HasFailure()) << entry.path();
  }
  EXPECT_GT(count, 1000U);
}

}  // namespace
}  // namespace mercator::runtime
