// Random arguments, for when any will do.

#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "mercator/hlo/shape.h"
#include "mercator/runtime/memory.h"
#include "mercator/runtime/tensor.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// A dense tensor whose elements are independent of each other:
//
//   floats, complex   from the standard normal distribution, each part, rounded to the type; of
//                     f8e8m0fnu, which has no sign, the magnitude
//   integers          each of 0 to 9 as likely as the others, or of 0 to the largest of the type
//                     where that is less: small sums, and indices that are mostly in range
//   pred              true as likely as false
//
// The same for the same seed and number on every machine; other numbers give tensors that are
// independent. Errors: kExhausted if there is not so much memory, kInterrupted if a stop is
// requested.
[[nodiscard]] Result<Tensor> random_tensor(hlo::ElementType type,
                                           std::vector<std::int64_t> dimensions, std::uint64_t seed,
                                           std::uint64_t number, const MemoryPool& pool,
                                           const std::stop_token& stop = {});

}  // namespace mercator::runtime
