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
      "{:<32} {:>6} maps ({:>5} with conditions, {:>5} complete, {:>4} never tiles, {:>6} cases) "
      "{:>7} tiles as said ({:>6} empty), {:>6} are not, {:>6} of them certainly; of the others, "
      "{:>4} are as said and {:>4} other tiles\n",
      name, c.maps, c.conditional, c.complete, c.never, c.cases, c.held, c.empty, c.not_held,
      c.certain, c.strict, c.boxes);
}

// What is asked of tiles, in thousandths.
struct Shares {
  std::int64_t complete;  // at least, of the maps that have conditions
  // Of the tiles whose conditions do not hold:
  std::int64_t certain;     // at least: of complete cases, so that they are not tiles
  std::int64_t too_strict;  // at most: the elements are those of a case all the same
  std::int64_t tiles;       // at most: these, or another tile
};

void expect(const TileCounts& counts, const Shares& shares) {
  EXPECT_GE(counts.complete * 1'000, counts.conditional * shares.complete);
  EXPECT_GE(counts.certain * 1'000, counts.not_held * shares.certain);
  EXPECT_LE(counts.strict * 1'000, counts.not_held * shares.too_strict);
  EXPECT_LE((counts.strict + counts.boxes) * 1'000, counts.not_held * shares.tiles);
}

class RandomTiles : public ::testing::TestWithParam<std::string_view> {
 protected:
  // Each instruction alone has few tiles whose conditions do not hold: all of them together.
  static void TearDownTestSuite() {
    if (programs_ < 60 * std::ssize(generator_names())) return;
    print("all free", free_);
    print("all strided", strided_);
    expect(free_, {.complete = 700, .certain = 700, .too_strict = 20, .tiles = 50});
    expect(strided_, {.complete = 800, .certain = 800, .too_strict = 12, .tiles = 45});
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
  expect(free, {.complete = 700, .certain = 700, .too_strict = 25, .tiles = 60});
  expect(strided, {.complete = 800, .certain = 800, .too_strict = 15, .tiles = 50});
  EXPECT_GT(free.held, 60 * programs);
  EXPECT_GT(free.not_held, programs);
}

// Maps of what reshapes make: sums of dimensions, each larger than the lower ones together for
// most, and digits of them; a constraint for some.
class RandomSums {
 public:
  RandomSums(ExprContext& context, Random& random) : context_(context), random_(random) {}

  IndexMap map() {
    const std::int64_t dimensions = random_.in(1, 3);
    const std::int64_t ranges = random_.in(0, 3) / 3;
    std::vector<Variable> dimension_variables;
    std::vector<Variable> range_variables;
    variables_.clear();
    sizes_.clear();
    for (std::int64_t i = 0; i < dimensions + ranges; ++i) {
      const bool is_dimension = i < dimensions;
      sizes_.push_back(random_.in(1, dimensions + ranges > 2 ? 6 : 10));
      const auto index = static_cast<std::uint32_t>(is_dimension ? i : i - dimensions);
      variables_.push_back(is_dimension ? context_.dimension(index) : context_.range(index));
      (is_dimension ? dimension_variables : range_variables)
          .push_back({Interval::indices(sizes_.back())});
    }
    std::vector<Expr> results;
    const Expr sum = this->sum();
    for (std::int64_t i = random_.in(1, 2); i > 0; --i) add_results(sum, results);
    std::vector<Constraint> constraints;
    if (random_.percent(30)) {
      const Expr expr = random_.percent(50) ? results.front() : this->sum();
      const std::int64_t lo = random_.in(-2, 8);
      constraints.push_back({expr, {lo, lo + random_.in(0, 12)}});
    }
    return simplify(
        IndexMap(context_, dimension_variables, range_variables, {}, results, constraints));
  }

 private:
  Expr variable() {
    return variables_[static_cast<std::size_t>(random_.in(0, std::ssize(variables_) - 1))];
  }
  Expr sum() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      order.insert(order.begin() + random_.in(0, std::ssize(order)), i);
    }
    Expr sum = context_.constant(random_.percent(20) ? random_.in(-5, 5) : 0);
    std::int64_t weight = 1;
    for (const std::size_t i : order) {
      if (random_.percent(15)) continue;
      sum = sum + variables_[i] * (random_.percent(10) ? -weight : weight);
      weight *= random_.percent(85) ? sizes_[i] : random_.in(1, 8);
    }
    return sum;
  }
  void add_results(Expr sum, std::vector<Expr>& results) {
    const std::int64_t n = random_.in(2, 6);
    const std::int64_t m = random_.in(2, 4);
    const Expr other = random_.percent(25) ? variable() * random_.in(1, 12) : context_.constant(0);
    switch (random_.in(0, 5)) {
      case 0:
        results.push_back(sum);
        break;
      case 1:
        results.push_back(floor_div(sum, n) + other);
        break;
      case 2:
        results.push_back(mod(sum, n) + other);
        break;
      case 3:
        results.push_back(variable() + other);
        break;
      case 4:
        results.push_back(floor_div(sum, n) + other);
        results.push_back(mod(sum, n));
        break;
      default:
        results.push_back(floor_div(sum, n * m));
        results.push_back(mod(floor_div(sum, n), m) + other);
        results.push_back(mod(sum, n));
    }
  }

  ExprContext& context_;
  Random& random_;
  std::vector<Expr> variables_;
  std::vector<std::int64_t> sizes_;
};

TEST(RandomTilesOfSums, AreWhatIsRead) {
  const std::int64_t maps = 3'000 * factor();
  TileCounts free;
  TileCounts strided;
  Random random(7);
  for (std::int64_t n = 0; n < maps; ++n) {
    ExprContext context;
    const IndexMap map = RandomSums(context, random).map();
    if (map.is_known_empty()) continue;
    std::vector<std::int64_t> array;
    for (const Variable& d : map.dimensions()) array.push_back(d.bounds.hi + 1);
    const Fault fault = check_tiles(map, array, 4, random, free, strided);
    ASSERT_FALSE(fault.has_value()) << "map " << n << "\n" << *fault;
  }
  print("sums free", free);
  print("sums strided", strided);
  expect(free, {.complete = 300, .certain = 250, .too_strict = 25, .tiles = 60});
  expect(strided, {.complete = 400, .certain = 400, .too_strict = 15, .tiles = 45});
}

}  // namespace
}  // namespace mercator::testing
