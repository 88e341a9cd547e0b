// Tensors of other libraries, and tensors for them, by DLPack.

#pragma once

#include <optional>

#include "mercator/dlpack_abi.h"
#include "mercator/runtime/memory.h"
#include "mercator/runtime/tensor.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// A tensor for others, who call its deleter when they are done. It shares the memory, which they
// may only read. Elements narrower than a byte share bytes in DLPack, the first in the lowest bits:
// where the tensor does not store them so, they are copied to memory of `pool` (an error of kind
// kExhausted if there is none).
[[nodiscard]] Result<DLManagedTensor*> to_dlpack(const Tensor& tensor, const MemoryPool& pool);

// A tensor of others, whose deleter is called when the last copy of the result is gone; if there is
// an error, the tensor remains the caller's, and no deleter is called. Nobody may write to its
// memory from now on.
//
// It shares the memory where it is without gaps in some order of the dimensions, and aligned.
// Otherwise the elements are copied, densely, to memory of `pool`, and its deleter is called at
// once.
//
// Errors: kUnsupported for other devices than the CPU, and for types that HLO does not have; kUsage
// for structures that make no sense; kExhausted.
[[nodiscard]] Result<Tensor> from_dlpack(DLManagedTensor* managed, const MemoryPool& pool);

// An error of kind kInvalidInput if the tensor is of pred and a byte of it is neither 0 nor 1: the
// instructions rely on that.
[[nodiscard]] Result<void> check_bools(const Tensor& tensor);

// The type of HLO that DLPack calls so; none if HLO does not have it.
[[nodiscard]] std::optional<hlo::ElementType> element_type_of(DLDataType type);
[[nodiscard]] DLDataType dlpack_type(hlo::ElementType type);

}  // namespace mercator::runtime
