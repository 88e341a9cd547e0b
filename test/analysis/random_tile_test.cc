// Tiles of random instructions and fusions against enumeration: where conditions hold, the elements
// are those of the tile; where they do not, they are not those of any case.

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

#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"
#include "test/analysis/tile_check.h"
#include "test/indexing/random_program.h"

namespace mercator::testing {
namespace {

using Fault = std::optional<std::string>;

std::int64_t factor() {
  const char* text = std::getenv("MERCATOR_RANDOM_FACTOR");
  return text == nullptr ? 1 : std::max<std::int64_t>(1, std::strtoll(text, nullptr, 10));
}

std::vector<std::int64_t> sizes_at(const hlo::Shape& shape, const ShapeIndex& leaf) {
  for (const hlo::ShapeLeaf& one : hlo::leaves(shape)) {
    if (one.index == leaf) return {one.shape.dimensions.begin(), one.shape.dimensions.end()};
  }
  return {};
}

class ModuleCheck {
 public:
  ModuleCheck(const hlo::Module& module, std::uint64_t seed, TileCounts& free, TileCounts& strided)
      : module_(module),
        analysis_(module, context_),
        random_(seed),
        free_(free),
        strided_(strided) {}

  Fault check() {
    for (const hlo::Instruction* instruction : module_.instructions) {
      if (instruction->parent->name.starts_with("reducer")) continue;
      for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
        const InstructionIndexing indexing = analysis_.indexing(*instruction, direction);
        for (const InstructionIndexing::Pair& pair : indexing.pairs) {
          const hlo::Instruction& operand =
              instruction->operand(static_cast<std::size_t>(pair.operand));
          const auto sizes = direction == Direction::kOutputToInput
                                 ? sizes_at(instruction->shape, pair.output)
                                 : sizes_at(operand.shape, pair.operand_leaf);
          if (Fault fault = check(pair.maps, sizes)) return fault;
        }
      }
      const bool is_call =
          instruction->opcode == hlo::Opcode::kFusion || instruction->opcode == hlo::Opcode::kCall;
      if (!is_call) continue;
      for (const GroupedIndexing::Group& group : analysis_.grouped(*instruction).groups) {
        if (Fault fault = check(group.maps, sizes_at(instruction->shape, group.output))) {
          return fault;
        }
      }
    }
    return std::nullopt;
  }

 private:
  Fault check(const OperandMaps& maps, const std::vector<std::int64_t>& sizes) {
    for (const OperandMap& map : maps.maps) {
      if (Fault fault = check_tiles(map.map, sizes, 3, random_, free_, strided_)) return fault;
    }
    return std::nullopt;
  }

  const hlo::Module& module_;
  ExprContext context_;
  IndexingAnalysis analysis_;
  Random random_;
  TileCounts& free_;
  TileCounts& strided_;
};

Fault check_program(const std::string& program, std::uint64_t seed, TileCounts& free,
                    TileCounts& strided) {
  const auto module = hlo::parse_module(program);
  if (!module) return "does not read: " + module.error().message;
  return ModuleCheck(**module, seed, free, strided).check();
}

void print(std::string_view name, const TileCounts& c) {
  fmt::print(
      "{:<32} {:>6} maps ({:>5} with conditions, {:>4} never tiles, {:>6} cases) {:>7} tiles as "
      "said ({:>6} empty), {:>6} are not, of which {:>4} are as said and {:>4} are others\n",
      name, c.maps, c.conditional, c.never, c.cases, c.held, c.empty, c.not_held, c.strict,
      c.boxes);
}

// Conditions are too strict for few only: where they do not hold, the elements are those of a case
// all the same for so many of a thousand, and of a case or another tile for so many.
void expect_few(const TileCounts& counts, std::int64_t too_strict, std::int64_t tiles) {
  EXPECT_LE(counts.strict * 1'000, counts.not_held * too_strict);
  EXPECT_LE((counts.strict + counts.boxes) * 1'000, counts.not_held * tiles);
}

class RandomTiles : public ::testing::TestWithParam<std::string_view> {
 protected:
  // Each instruction alone has few tiles whose conditions do not hold: all of them together.
  static void TearDownTestSuite() {
    if (programs_ < 60 * std::ssize(generator_names())) return;
    expect_few(free_, 20, 70);
    expect_few(strided_, 12, 60);
  }

  static inline std::int64_t programs_ = 0;
  static inline TileCounts free_;
  static inline TileCounts strided_;
};

TEST_P(RandomTiles, AreWhatIsRead) {
  const std::int64_t wanted = 60 * factor();
  TileCounts free;
  TileCounts strided;
  std::int64_t programs = 0;
  for (std::uint64_t seed = 1; programs < wanted; ++seed) {
    ASSERT_LE(seed, static_cast<std::uint64_t>(wanted) * 30);
    const auto program = random_program(GetParam(), seed * 1'000'003, {.zero_sizes = false});
    if (!program) continue;
    const Fault fault = check_program(*program, seed, free, strided);
    ASSERT_FALSE(fault.has_value()) << "seed " << seed << "\n" << *program << "\n" << *fault;
    ++programs;
  }
  print(std::string(GetParam()) + " free", free);
  print(std::string(GetParam()) + " strided", strided);
  programs_ += programs;
  free_ += free;
  strided_ += strided;
  // A size is made from no element.
  if (GetParam() == "get-dimension-size") return;
  EXPECT_GT(free.held, 3 * programs);
  EXPECT_GT(strided.held, 3 * programs);
}

INSTANTIATE_TEST_SUITE_P(All, RandomTiles,
                         ::testing::ValuesIn(generator_names().begin(), generator_names().end()),
                         [](const ::testing::TestParamInfo<std::string_view>& info) {
                           std::string name(info.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(RandomTilesOfFusions, AreWhatIsRead) {
  const std::int64_t programs = 500 * factor();
  TileCounts free;
  TileCounts strided;
  for (std::int64_t seed = 1; seed <= programs; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const std::string program =
        random_fusion(number * 1'000'003, {.max_elements = 48, .max_rank = 4, .max_size = 6});
    const Fault fault = check_program(program, number, free, strided);
    ASSERT_FALSE(fault.has_value()) << "seed " << seed << "\n" << program << "\n" << *fault;
  }
  print("fusions free", free);
  print("fusions strided", strided);
  expect_few(free, 25, 80);
  expect_few(strided, 15, 65);
  EXPECT_GT(free.held, 60 * programs);
  EXPECT_GT(free.not_held, programs);
}

}  // namespace
}  // namespace mercator::testing
