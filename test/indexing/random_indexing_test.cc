// Random programs: the maps of every instruction against the model of what it reads.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "mercator/indexing/indexing.h"
#include "test/indexing/model_check.h"
#include "test/indexing/model_instructions.h"
#include "test/indexing/random_program.h"

namespace mercator::testing {
namespace {

using CountsByOpcode = std::map<std::string, CheckCounts>;
using Fault = std::optional<std::string>;

// Reducers are scalar functions that are not asked for maps.
bool is_reducer(const hlo::Computation& computation) {
  return computation.name.starts_with("reducer");
}

// Expressions that change the ids and places of all that come after.
void fill(ExprContext& context) {
  for (std::uint32_t i = 0; i < 50; ++i) {
    static_cast<void>(floor_div(context.dimension(i % 7) * (i + 1) + context.range(i % 3), 1 + i));
  }
}

// The maps of all instructions, asked for in the reverse order and in a context that holds other
// things.
std::map<std::string, std::string> texts_made_otherwise(const std::string& program) {
  const auto module = hlo::parse_module(program);
  ExprContext context;
  fill(context);
  IndexingAnalysis analysis(**module, context);
  std::map<std::string, std::string> texts;
  const auto& all = (*module)->instructions;
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (is_reducer(*(*it)->parent)) continue;
    static_cast<void>(analysis.indexing(**it, Direction::kInputToOutput));
    texts[std::string((*it)->name)] = maps_text(**it, analysis);
  }
  return texts;
}

// The linear positions of an array's elements against their place in memory.
Fault check_positions(const hlo::Shape& shape, IndexingAnalysis& analysis) {
  const Result<IndexMap> map = analysis.physical_position(shape);
  if (!map) return fmt::format("no positions of {}: {}", to_string(shape), map.error().message);
  Fault fault;
  for_each_index(shape.dimensions, [&](Sizes index) {
    const auto position = evaluate(*map, {.dimensions = index});
    if (fault || (position && *position == std::vector{place_in_memory(index, shape)})) return;
    fault = fmt::format("wrong positions of {}: {}", to_string(shape),
                        to_string(*map, MapStyle::kOneLine));
  });
  return fault;
}

Fault check_module(const hlo::Module& module, const std::string& program, std::uint64_t seed,
                   CountsByOpcode& counts) {
  ExprContext context;
  IndexingAnalysis analysis(module, context);
  const std::map<std::string, std::string> other_texts = texts_made_otherwise(program);
  for (const hlo::Instruction* instruction : module.instructions) {
    if (is_reducer(*instruction->parent)) continue;
    CheckCounts found;
    const CheckOptions options{.seed = seed};
    if (Fault fault = check_with_model(module, *instruction, analysis, options, found)) {
      return fault;
    }
    if (found.unknown > 0) {
      return fmt::format("'{}' is unknown\n{}", instruction->name,
                         maps_text(*instruction, analysis));
    }
    if (instruction->shape.is_array()) {
      if (Fault fault = check_positions(instruction->shape, analysis)) return fault;
    }
    const std::string text = maps_text(*instruction, analysis);
    const std::string& other = other_texts.at(std::string(instruction->name));
    if (text != other) {
      return fmt::format("'{}' has other maps in another context:\n{}\n{}", instruction->name, text,
                         other);
    }
    counts[std::string(hlo::name(instruction->opcode))] += found;
  }
  return std::nullopt;
}

Fault check_program(const std::string& program, std::uint64_t seed, CountsByOpcode& counts) {
  const auto module = hlo::parse_module(program);
  if (!module) return "does not read: " + module.error().message;
  const auto verified = hlo::verify(**module);
  if (!verified) return "does not verify: " + verified.error().message;
  CountsByOpcode found;
  if (Fault fault = check_module(**module, program, seed, found)) return fault;
  for (const auto& [opcode, of_program] : found) counts[opcode] += of_program;
  return std::nullopt;
}

// The program of a generator for a seed; "fusion of many" makes whole fusions.
std::optional<std::string> make_program(std::string_view generator, std::uint64_t seed,
                                        const ProgramOptions& options) {
  if (generator == "many" || generator == "many on devices") return random_fusion(seed, options);
  return random_program(generator, seed, options);
}

// The shortest failing program among many that are smaller still, with what is wrong with it.
std::string smaller_failure(std::string_view generator, const std::string& program,
                            const std::string& fault) {
  std::string best = program;
  std::string best_fault = fault;
  CountsByOpcode counts;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const ProgramOptions small{.max_elements = 4 + static_cast<std::int64_t>(seed) / 30,
                               .max_rank = 1 + static_cast<std::int64_t>(seed % 3),
                               .max_size = 3,
                               .max_operations = 1 + static_cast<std::int64_t>(seed % 3)};
    const auto candidate = make_program(generator, seed, small);
    if (!candidate || candidate->size() >= best.size()) continue;
    if (const Fault candidate_fault = check_program(*candidate, seed, counts)) {
      best = *candidate;
      best_fault = *candidate_fault;
    }
  }
  return fmt::format("{}\n{}", best, best_fault);
}

void print(std::string_view generator, std::int64_t programs, const CountsByOpcode& counts) {
  fmt::print("{}: {} programs\n", generator, programs);
  for (const auto& [opcode, c] : counts) {
    fmt::print(
        "  {:<24} {:>6} instructions {:>6} maps ({:>4} with runtime variables, {:>4} "
        "over-approximate) {:>9} pairs {:>4} unknown {:>4} skipped\n",
        opcode, c.instructions, c.maps, c.runtime_maps, c.inexact_maps, c.pairs, c.unknown,
        c.skipped);
  }
}

// MERCATOR_RANDOM_FACTOR=20 makes a long run: that many times as many programs.
std::int64_t factor() {
  const char* text = std::getenv("MERCATOR_RANDOM_FACTOR");
  return text == nullptr ? 1 : std::max<std::int64_t>(1, std::strtoll(text, nullptr, 10));
}

// Checks `wanted` programs of a generator. Faults stop the test, so that one cause is shown once.
void check_generator(std::string_view generator, std::int64_t wanted, const ProgramOptions& options,
                     CountsByOpcode& counts) {
  std::int64_t programs = 0;
  for (std::uint64_t seed = 1; programs < wanted; ++seed) {
    ASSERT_LE(seed, static_cast<std::uint64_t>(wanted) * 30) << "too few draws came to something";
    const auto program = make_program(generator, seed * 1'000'003, options);
    if (!program) continue;
    const Fault fault = check_program(*program, seed, counts);
    ASSERT_FALSE(fault.has_value()) << "seed " << seed << "\n"
                                    << smaller_failure(generator, *program, *fault) << "\n"
                                    << "first found in\n"
                                    << *program << "\n"
                                    << *fault;
    ++programs;
  }
  print(generator, programs, counts);
}

// The opcode that a generator is there for.
std::string opcode_of(std::string_view generator) {
  static const std::map<std::string_view, std::string> others = {
      {"async", "async-start"},
      {"library-convolution", "custom-call"},
      {"simple-gather", "gather"},
      {"sparse-dot", "dot"}};
  const auto found = others.find(generator);
  return found == others.end() ? std::string(generator) : found->second;
}

class RandomInstructions : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RandomInstructions, ReadWhatTheModelReads) {
  const std::string_view generator = GetParam();
  const std::int64_t programs = 400 * factor();
  CountsByOpcode counts;
  check_generator(generator, programs, {}, counts);
  if (HasFatalFailure()) return;
  CheckCounts all;
  for (const auto& [opcode, c] : counts) all += c;
  // A size is made from no element.
  if (generator != "get-dimension-size") {
    EXPECT_GT(all.pairs, 5 * programs);
  }
  EXPECT_LE(all.skipped, programs / 10);
  // These draw one of many instructions, none of which is called like the generator.
  if (generator == "unary" || generator == "binary") return;
  const CheckCounts& of_opcode = counts[opcode_of(generator)];
  EXPECT_GE(of_opcode.instructions, programs / 4);
}

INSTANTIATE_TEST_SUITE_P(All, RandomInstructions,
                         ::testing::ValuesIn(generator_names().begin(), generator_names().end()),
                         [](const ::testing::TestParamInfo<std::string_view>& info) {
                           std::string name(info.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(RandomFusions, ReadWhatTheModelReads) {
  const std::int64_t programs = 3000 * factor();
  CountsByOpcode counts;
  check_generator("many", programs, {.max_elements = 36, .max_rank = 4, .max_size = 4}, counts);
  if (HasFatalFailure()) return;
  EXPECT_GE(counts["fusion"].instructions, 3 * programs / 4);
  EXPECT_GE(counts["call"].instructions, programs / 8);
  EXPECT_GT(counts["fusion"].runtime_maps, programs / 4);
  EXPECT_GT(counts["fusion"].pairs, 30 * programs);
  // Nearly all kinds of instructions occur inside.
  EXPECT_GE(counts.size(), 40U);
  EXPECT_LE(counts["fusion"].skipped, programs / 50);
}

TEST(RandomFusions, OnDevicesReadWhatTheModelReads) {
  const std::int64_t programs = 600 * factor();
  CountsByOpcode counts;
  check_generator("many on devices", programs,
                  {.max_elements = 12, .max_rank = 3, .max_size = 4, .devices = true}, counts);
  if (HasFatalFailure()) return;
  for (const char* opcode : {"all-gather", "all-reduce", "reduce-scatter", "all-to-all",
                             "ragged-all-to-all", "collective-broadcast", "collective-permute"}) {
    EXPECT_GE(counts[opcode].instructions, programs / 15) << opcode;
  }
  EXPECT_GT(counts["fusion"].runtime_maps, programs / 8);
  EXPECT_LE(counts["fusion"].skipped, programs / 20);
}

}  // namespace
}  // namespace mercator::testing
