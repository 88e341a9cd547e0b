// Operands of dots that hold only some of the elements along a dimension.

#pragma once

#include <cstdint>

#include "mercator/hlo/attribute.h"
#include "mercator/runtime/product_sum.h"
#include "mercator/runtime/tensor.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// The whole that a sparse operand is a part of.
struct WholeOperand {
  Tensor factors;  // 0 where there is no element
  Tensor present;  // s64: 1 where there is an element
};

// Along the dimension of `sparse` each `kept` elements of the operand are some of a group of
// `group` elements of the whole. `metadata` says for each its place in the group, in as many bits
// as that takes; each of its numbers holds several places, the first in the lowest bits.
//
// Errors of kind kInvalidInput if a place lies outside its group or the whole, or if there are too
// few metadata; kExhausted if there is not so much memory; kInterrupted.
[[nodiscard]] Result<WholeOperand> expand_sparse(const Tensor& operand, const Tensor& metadata,
                                                 const hlo::SparseOperand& sparse, SumKind kind,
                                                 const RunContext& context);

}  // namespace mercator::runtime
