// Small questions about shapes and sizes. For the files of this folder only.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mercator/hlo/shape.h"
#include "mercator/support/arithmetic.h"

namespace mercator::indexing {

// The shape at a leaf of `shape`, which must have it.
[[nodiscard]] inline const hlo::Shape& shape_at(const hlo::Shape& shape,
                                                std::span<const std::int64_t> leaf) {
  const hlo::Shape* at = &shape;
  for (const std::int64_t i : leaf) at = &at->elements[static_cast<std::size_t>(i)];
  return *at;
}

// The product of the sizes; none if it leaves int64 on the way.
[[nodiscard]] inline std::optional<std::int64_t> product(std::span<const std::int64_t> sizes) {
  std::int64_t result = 1;
  for (const std::int64_t size : sizes) {
    if (!checked_mul(result, size, &result)) return std::nullopt;
  }
  return result;
}

}  // namespace mercator::indexing
