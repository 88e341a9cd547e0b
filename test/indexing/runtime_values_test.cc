// Programs are run, and the elements of their results traced to where the maps say.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "test/indexing/random_program.h"
#include "test/indexing/value_check.h"
#include "test/support/random_factor.h"

namespace mercator::testing {
namespace {

using Fault = std::optional<std::string>;

Fault check_program(const std::string& program, std::uint64_t seed, int runs, ValueCounts& counts) {
  const auto module = hlo::parse_module(program);
  if (!module) return "does not read: " + module.error().message;
  const auto verified = hlo::verify(**module);
  if (!verified) return "does not verify: " + verified.error().message;
  for (int run = 0; run < runs; ++run) {
    const std::uint64_t run_seed = seed * 64 + static_cast<std::uint64_t>(run);
    if (Fault fault = check_values(**module, run_seed, counts)) {
      return fmt::format("run {}: {}", run_seed, *fault);
    }
  }
  return std::nullopt;
}

std::string random_values_program(std::uint64_t seed, const ProgramOptions& options) {
  ProgramOptions with_types = options;
  with_types.data_type = "u64";
  with_types.moves = true;
  return random_fusion(seed, with_types);
}

// Small arrays with little room, deep programs, and large arrays, in turn.
ProgramOptions options_of(std::int64_t program) {
  switch (program % 4) {
    case 0:
      return {.max_elements = 8, .max_rank = 2, .max_size = 3, .max_operations = 4};
    case 1:
      return {.max_elements = 10, .max_rank = 3, .max_size = 3, .max_operations = 12};
    case 2:
      return {.max_elements = 30, .max_rank = 4, .max_size = 5, .max_operations = 6};
    default:
      return {.max_elements = 16, .max_rank = 3, .max_size = 4, .max_operations = 6};
  }
}

// The shortest failing program among many that are smaller still, with what is wrong with it.
std::string smaller_failure(const std::string& program, const std::string& fault) {
  std::string best = program;
  std::string best_fault = fault;
  ValueCounts counts;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const ProgramOptions small{.max_elements = 4 + static_cast<std::int64_t>(seed) / 200,
                               .max_rank = 1 + static_cast<std::int64_t>(seed % 3),
                               .max_size = 3,
                               .max_operations = 1 + static_cast<std::int64_t>(seed % 3)};
    const std::string candidate = random_values_program(seed, small);
    if (candidate.size() >= best.size()) continue;
    if (const Fault candidate_fault = check_program(candidate, seed, 4, counts)) {
      best = candidate;
      best_fault = *candidate_fault;
    }
  }
  return fmt::format("{}\n{}", best, best_fault);
}

void print(std::int64_t programs, const ValueCounts& c) {
  fmt::print(
      "{} programs, {} runs ({} without a defined result): {} instructions ({} skipped, {} "
      "unknown), {} maps ({} with runtime variables, {} over-approximate), {} elements moved, {} "
      "pairs\n",
      programs, c.runs, c.undefined, c.instructions, c.skipped, c.unknown, c.maps, c.runtime_maps,
      c.inexact_maps, c.moved, c.pairs);
}

TEST(RuntimeValues, ElementsComeFromWhereTheMapsSay) {
  const std::int64_t programs = 800 * test::random_factor();
  ValueCounts counts;
  for (std::int64_t i = 1; i <= programs; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) * 1'000'033;
    const std::string program = random_values_program(seed, options_of(i));
    const Fault fault = check_program(program, seed, 2, counts);
    ASSERT_FALSE(fault.has_value()) << "seed " << seed << "\n"
                                    << smaller_failure(program, *fault) << "\nfirst found in\n"
                                    << program << "\n"
                                    << *fault;
  }
  print(programs, counts);
  EXPECT_GT(counts.runs - counts.undefined, programs);
  EXPECT_GT(counts.instructions, 20 * programs);
  EXPECT_GT(counts.runtime_maps, 5 * programs);
  EXPECT_GT(counts.moved, 50 * programs);
  EXPECT_EQ(counts.unknown, 0);
  EXPECT_LT(counts.skipped, programs / 4);
}

}  // namespace
}  // namespace mercator::testing
