// Sizes of tensors, and whether values are tensors. Where dimensions are dynamic, the verifier
// knows their bounds only; that the operands of an instruction fit each other is seen when it is
// evaluated.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mercator/runtime/tensor.h"
#include "mercator/runtime/value.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

[[nodiscard]] std::vector<std::int64_t> sizes_of(const Tensor& tensor);

// An error of kind kUnsupported unless there are operands and all of them are tensors. For custom
// calls, the operands of which nobody else looks at.
[[nodiscard]] Result<void> expect_arrays(std::span<const Value> operands);

// A size of a dimension as a program is told it: s32[]. An error of kind kUnsupported if it does
// not fit.
[[nodiscard]] Result<Tensor> size_scalar(std::int64_t size, const MemoryPool& pool);

// An error of kind kInvalidInput, about `what`, if the sizes differ.
[[nodiscard]] Result<void> expect_same_sizes(std::span<const std::int64_t> a,
                                             std::span<const std::int64_t> b,
                                             std::string_view what);
// Of two operands, all of whose sizes must be the same.
[[nodiscard]] Result<void> expect_same_sizes(const Tensor& a, const Tensor& b);

// Whether dimension `d` is one of these.
[[nodiscard]] bool contains(std::span<const std::int64_t> dimensions, std::int64_t d);

}  // namespace mercator::runtime
