// What random instructions and fusions read, counted, against the model of what they read and the
// enumeration of their maps.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/analysis/utilisation.h"
#include "mercator/expr/expr.h"
#include "mercator/hlo/verifier.h"
#include "test/indexing/map_relation.h"
#include "test/indexing/model.h"
#include "test/indexing/random_program.h"
#include "test/support/random_factor.h"

namespace mercator::testing {
namespace {

struct Tally {
  std::int64_t arrays = 0;
  std::int64_t exact_elements = 0;
  std::int64_t exact_reads = 0;
  // Of maps that are exact, without runtime variables, and do not lead to other devices.
  std::int64_t arrays_of_exact_maps = 0;
  std::int64_t exact_among_those = 0;
  std::int64_t largest = 0;
};

UnknownValues values_of_draw(std::uint64_t seed) {
  return [=](const hlo::Instruction& instruction, const ShapeIndex& leaf, std::int64_t element,
             std::size_t scope) {
    Random random(seed * 7919 + instruction.id * 131 + static_cast<std::uint64_t>(element) * 31 +
                  scope * 17 + leaf.size());
    return random.in(-4, 9);
  };
}

class Comparison {
 public:
  Comparison(const hlo::Module& module, Tally& tally) : module_(module), tally_(tally) {}

  // What is wrong, in words; nothing if nothing is.
  std::string check(const hlo::Instruction& instruction, IndexingAnalysis& analysis,
                    ReadCounter& counter, std::uint64_t seed) {
    const InstructionIndexing indexing = analysis.indexing(instruction, Direction::kOutputToInput);
    Model model(module_, values_of_draw(seed));
    const auto reads = model.reads(instruction);
    if (!reads) return {};
    for (const ArrayReads& array : counter(instruction, indexing)) {
      const std::string place = fmt::format("{}: operand {}", instruction.name, array.operand);
      std::string fault = check_elements(array, *reads, model.device_count());
      if (fault.empty()) fault = check_reads(instruction, array, indexing, model);
      if (!fault.empty()) return place + ": " + fault;
      ++tally_.arrays;
      tally_.largest = std::max(tally_.largest, array.elements);
      tally_.exact_elements += array.elements_read.is_exact() ? 1 : 0;
      tally_.exact_reads += array.reads.is_exact() ? 1 : 0;
      if (is_plain(array, indexing)) {
        ++tally_.arrays_of_exact_maps;
        tally_.exact_among_those += array.elements_read.is_exact() && array.reads.is_exact();
      }
    }
    return {};
  }

 private:
  static std::string check_count(const Count& count, std::int64_t right, std::string_view what) {
    if (count.is_exact() != count.reason.empty()) return fmt::format("{}: reason", what);
    if (count.lo <= right && right <= count.hi) return {};
    return fmt::format("{} are {}, not [{}, {}] {}", what, right, count.lo, count.hi, count.reason);
  }

  // What is read of the array on each device.
  static std::string check_elements(const ArrayReads& array, const std::vector<ReadSet>& reads,
                                    std::int64_t devices) {
    std::vector<std::set<std::int64_t>> elements(static_cast<std::size_t>(devices));
    for (const ReadSet& set : reads) {
      if (set.operand != array.operand || set.operand_leaf != array.leaf) continue;
      for (const auto& [from, to] : set.pairs) {
        elements[static_cast<std::size_t>(to / array.elements)].insert(to);
      }
    }
    std::string fault;
    for (const auto& of_device : elements) {
      if (!fault.empty()) break;
      fault = check_count(array.elements_read, std::ssize(of_device), "elements");
    }
    return fault;
  }

  // The pairs of each map, added up, as enumeration has them; on each device of the result.
  std::string check_reads(const hlo::Instruction& instruction, const ArrayReads& array,
                          const InstructionIndexing& indexing, Model& model) {
    const std::int64_t devices = model.device_count();
    std::vector<std::int64_t> most(static_cast<std::size_t>(devices));
    std::vector<std::int64_t> least = most;
    for (const InstructionIndexing::Pair& pair : indexing.pairs) {
      if (pair.operand != array.operand || pair.operand_leaf != array.leaf) continue;
      auto from = sizes_at(instruction.shape, pair.output);
      auto to =
          sizes_at(instruction.operand(static_cast<std::size_t>(array.operand)).shape, array.leaf);
      if (std::ranges::find(to, 0) != to.end() || std::ranges::find(from, 0) != from.end())
        continue;
      const std::int64_t results = product(from);
      if (devices > 1) {
        from.insert(from.begin(), devices);
        to.insert(to.begin(), devices);
      }
      for (const OperandMap& map : pair.maps.maps) {
        const auto pairs = relation_of(
            devices == 1 ? map.map : map.across_devices.value_or(on_each_device(map.map, devices)),
            from, to, module_, model, 4'000'000, devices > 1);
        if (!pairs)
          return pairs.error().kind == ErrorKind::kUnsupported ? "" : pairs.error().message;
        for (const auto& [a, b] : *pairs) {
          const auto device = static_cast<std::size_t>(a / results);
          ++most[device];
          least[device] += map.exact ? 1 : 0;
        }
      }
    }
    std::string fault;
    for (const auto* reads : {&most, &least}) {
      for (const std::int64_t of_device : *reads) {
        if (fault.empty()) fault = check_count(array.reads, of_device, "reads");
      }
    }
    return fault;
  }

  static std::int64_t product(const std::vector<std::int64_t>& sizes) {
    std::int64_t result = 1;
    for (const std::int64_t size : sizes) result *= size;
    return result;
  }

  static std::vector<std::int64_t> sizes_at(const hlo::Shape& shape, const ShapeIndex& leaf) {
    const hlo::Shape* at = &shape;
    for (const std::int64_t i : leaf) at = &at->elements[static_cast<std::size_t>(i)];
    return {at->dimensions.begin(), at->dimensions.end()};
  }

  static bool is_plain(const ArrayReads& array, const InstructionIndexing& indexing) {
    return std::ranges::all_of(indexing.pairs, [&](const InstructionIndexing::Pair& pair) {
      if (pair.operand != array.operand || pair.operand_leaf != array.leaf) return true;
      return std::ranges::all_of(pair.maps.maps, [](const OperandMap& map) {
        return map.exact && map.map.runtimes().empty() && !map.across_devices;
      });
    });
  }

  const hlo::Module& module_;
  Tally& tally_;
};

void check_program(const std::string& program, std::uint64_t seed, Tally& tally) {
  const auto module = hlo::parse_module(program);
  ASSERT_TRUE(module.has_value()) << module.error().message;
  ASSERT_TRUE(hlo::verify(**module).has_value());
  ExprContext context;
  IndexingAnalysis analysis(**module, context);
  ReadCounter counter(analysis);
  Comparison comparison(**module, tally);
  for (const hlo::Instruction* instruction : (*module)->instructions) {
    if (instruction->parent->name.starts_with("reducer")) continue;
    for (std::uint64_t draw = 0; draw < 3; ++draw) {
      const std::string fault = comparison.check(*instruction, analysis, counter, seed * 3 + draw);
      ASSERT_TRUE(fault.empty()) << fault << "\n" << program;
    }
  }
}

double percent(std::int64_t part, std::int64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void print(std::string_view what, const Tally& tally) {
  fmt::print(
      "{}: {} arrays of up to {} elements; elements exact for {:.1f} %, reads for {:.1f} %; both "
      "for {:.2f} % of those {} whose maps are exact and fixed\n",
      what, tally.arrays, tally.largest, percent(tally.exact_elements, tally.arrays),
      percent(tally.exact_reads, tally.arrays),
      percent(tally.exact_among_those, tally.arrays_of_exact_maps), tally.arrays_of_exact_maps);
}

TEST(RandomUtilisation, OfInstructions) {
  Tally tally;
  for (const std::string_view name : generator_names()) {
    const std::int64_t wanted = 60 * test::random_factor();
    std::int64_t programs = 0;
    for (std::uint64_t seed = 1; programs < wanted && seed < 40 * 60; ++seed) {
      const auto program = random_program(name, seed * 1'000'003, {});
      if (!program) continue;
      ++programs;
      check_program(*program, seed, tally);
      if (HasFatalFailure()) return;
    }
  }
  print("instructions", tally);
  EXPECT_EQ(tally.exact_among_those, tally.arrays_of_exact_maps);
  EXPECT_GE(tally.exact_elements * 100, tally.arrays * 93);
}

TEST(RandomUtilisation, OfFusions) {
  Tally tally;
  const std::int64_t programs = 1200 * test::random_factor();
  for (std::int64_t i = 0; i < programs; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    check_program(
        random_fusion(seed * 1'000'003 + 17, {.max_elements = 60, .max_rank = 4, .max_size = 5}),
        seed, tally);
    if (HasFatalFailure()) return;
  }
  print("fusions", tally);
  EXPECT_EQ(tally.exact_among_those, tally.arrays_of_exact_maps);
  EXPECT_GE(tally.exact_elements * 100, tally.arrays * 93);
}

TEST(RandomUtilisation, OfFusionsOnDevices) {
  Tally tally;
  const std::int64_t programs = 200 * test::random_factor();
  for (std::int64_t i = 0; i < programs; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    check_program(
        random_fusion(seed * 1'000'003 + 29,
                      {.max_elements = 12, .max_rank = 3, .max_size = 4, .devices = true}),
        seed, tally);
    if (HasFatalFailure()) return;
  }
  print("fusions on devices", tally);
  EXPECT_GE(tally.exact_elements * 100, tally.arrays * 90);
}

TEST(RandomUtilisation, OfLargeFusions) {
  Tally tally;
  const std::int64_t programs = 60 * test::random_factor();
  for (std::int64_t i = 0; i < programs; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    check_program(
        random_fusion(
            seed * 1'000'003 + 5,
            {.max_elements = 100'000, .max_rank = 4, .max_size = 40, .max_operations = 4}),
        seed, tally);
    if (HasFatalFailure()) return;
  }
  print("large fusions", tally);
  EXPECT_GE(tally.largest, 20'000);
  EXPECT_GE(tally.exact_among_those * 100, tally.arrays_of_exact_maps * 98);
}

}  // namespace
}  // namespace mercator::testing
