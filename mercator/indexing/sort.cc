#include "mercator/indexing/dense.h"
#include "mercator/indexing/dependence.h"
#include "mercator/indexing/instructions.h"

namespace mercator::indexing {

using hlo::AttributeName;

// (f32[4, 8], s32[4, 8]) sort(f32[4, 8] p0, s32[4, 8] p1), dimensions={1}, to_apply=less
//   o2i: (d0, d1)[s0] -> (d0, s0)
// An operand that the comparator looks at, a key, counts as read wherever it decides, as the
// indices of a gather do: by every element of the line of every result. Result k is one element of
// operand k; where that is no key, which one is not known, and naming them all is an
// over-approximation. A line of one element is not compared.
void sort(InstructionMaps& maps) {
  const hlo::Instruction& instruction = maps.instruction();
  const std::size_t count = instruction.operands.size();
  if (count * count > static_cast<std::size_t>(kMaxPairs)) {
    return maps.unknown("not supported: a sort of that many operands");
  }
  const auto dimensions = instruction.integers(AttributeName::kDimensions);
  const std::int64_t size = maps.operand(0).dimensions[static_cast<std::size_t>(dimensions[0])];
  const FunctionDependence comparator(*instruction.computation(AttributeName::kToApply));
  for (std::size_t k = 0; k < count; ++k) {
    const Dependence first = comparator(0, 2 * k);
    const Dependence second = comparator(0, 2 * k + 1);
    const bool is_key = first != Dependence::kNone || second != Dependence::kNone;
    const bool is_certain = first == Dependence::kElementwise || second == Dependence::kElementwise;
    for (std::size_t j = 0; j < count; ++j) {
      if (j != k && (!is_key || size == 1)) continue;
      ShapeIndex output;
      if (maps.output().is_tuple()) output = {static_cast<std::int64_t>(j)};
      add_along(maps, output, k, dimensions, is_certain || size == 1);
    }
  }
}

// (f32[4, 3], s32[4, 3]) topk(f32[4, 8] p0), k=3, largest=true: all of a line decides
//   o2i: (d0, d1)[s0] -> (d0, s0)
void topk(InstructionMaps& maps) {
  const std::int64_t last = maps.operand(0).rank() - 1;
  for (const std::int64_t output : {0, 1}) add_along(maps, {output}, 0, {{last}});
}

}  // namespace mercator::indexing
