// Maps every instruction of whatever reads and verifies as HLO. The maps must have as many results
// as the array that they lead to has dimensions, and as many dimensions as the one they start from.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "mercator/indexing/indexing.h"

namespace mercator {
namespace {

// Instructions are independent of each other but for those that they call, so that many teach no
// more than a few.
constexpr std::size_t kMaxInstructions = 100;

std::size_t rank(const hlo::Shape& shape, const ShapeIndex& leaf) {
  const hlo::Shape* found = &shape;
  for (const std::int64_t i : leaf) found = &found->elements[static_cast<std::size_t>(i)];
  return found->dimensions.size();
}

void check(const hlo::Instruction& instruction, const InstructionIndexing::Pair& pair,
           Direction direction) {
  const auto operand = static_cast<std::size_t>(pair.operand);
  std::size_t from = rank(instruction.shape, pair.output);
  std::size_t to = rank(instruction.operand(operand).shape, pair.operand_leaf);
  if (direction == Direction::kInputToOutput) std::swap(from, to);
  for (const OperandMap& map : pair.maps.maps) {
    if (map.map.dimensions().size() == from && map.map.results().size() == to) continue;
    fmt::print(stderr, "{} operand {}: {}\n", to_string(instruction), pair.operand,
               to_string(map.map, MapStyle::kOneLine));
    std::abort();
  }
}

void run(const hlo::Module& module) {
  ExprContext context;
  IndexingAnalysis analysis(module, context);
  for (const hlo::Instruction* instruction : module.instructions) {
    for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      for (const auto& pair : analysis.indexing(*instruction, direction).pairs) {
        check(*instruction, pair, direction);
      }
    }
  }
}

}  // namespace
}  // namespace mercator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto module =
      mercator::hlo::parse_module(std::string(reinterpret_cast<const char*>(data), size));
  if (!module || !mercator::hlo::verify(**module)) return 0;
  if ((*module)->instructions.size() <= mercator::kMaxInstructions) mercator::run(**module);
  return 0;
}
