// Indices of arrays whose elements are the same in row-major order.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"

namespace mercator::indexing {

// The index, in an array of sizes `to`, of the element that has index `index` in an array of sizes
// `from`. Sizes that multiply to the same number are taken group by group, so that a dimension that
// the reshape does not touch stays as it is. Requires that both have the same number of elements,
// at least one.
[[nodiscard]] std::vector<Expr> reshape_index(ExprContext& context, std::span<const Expr> index,
                                              std::span<const std::int64_t> from,
                                              std::span<const std::int64_t> to);

}  // namespace mercator::indexing
