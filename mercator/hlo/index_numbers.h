// The dimension numbers of gather and scatter, which mean the same under different names.

#pragma once

#include <cstdint>
#include <span>

#include "mercator/hlo/attribute.h"
#include "mercator/hlo/module.h"

namespace mercator::hlo {

// The *windows* are the array with one window for each index: the result of gather, the updates of
// scatter.
struct IndexNumberNames {
  AttributeName window;         // dimensions of the windows that are those of one window
  AttributeName absent;         // of the operand, that windows do not have
  AttributeName indexed;        // of the operand, by component of an index
  AttributeName operand_batch;  // of the operand, that go along with
  AttributeName indices_batch;  // these of the indices
};

// Requires gather or scatter.
[[nodiscard]] constexpr IndexNumberNames index_number_names(Opcode opcode) {
  using enum AttributeName;
  if (opcode == Opcode::kGather) {
    return {.window = kOffsetDims,
            .absent = kCollapsedSliceDims,
            .indexed = kStartIndexMap,
            .operand_batch = kOperandBatchingDims,
            .indices_batch = kStartIndicesBatchingDims};
  }
  return {.window = kUpdateWindowDims,
          .absent = kInsertedWindowDims,
          .indexed = kScatterDimsToOperandDims,
          .operand_batch = kInputBatchingDims,
          .indices_batch = kScatterIndicesBatchingDims};
}

struct IndexNumbers {
  std::span<const std::int64_t> window;
  std::span<const std::int64_t> absent;
  std::span<const std::int64_t> indexed;
  std::span<const std::int64_t> operand_batch;
  std::span<const std::int64_t> indices_batch;
  // The dimension of the indices along which the components of an index lie; their rank if indices
  // have one component and no dimension for it.
  std::int64_t vector_dim = 0;

  // Of a gather or scatter.
  explicit IndexNumbers(const Instruction& instruction) {
    const IndexNumberNames names = index_number_names(instruction.opcode);
    window = instruction.integers(names.window);
    absent = instruction.integers(names.absent);
    indexed = instruction.integers(names.indexed);
    operand_batch = instruction.integers(names.operand_batch);
    indices_batch = instruction.integers(names.indices_batch);
    vector_dim = instruction.integer(AttributeName::kIndexVectorDim, 0);
  }
};

}  // namespace mercator::hlo
