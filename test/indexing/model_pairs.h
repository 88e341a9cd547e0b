// Sets of pairs of elements; see model.h.

#pragma once

#include <cstdint>
#include <vector>

#include "test/indexing/model.h"

namespace mercator::testing {

using Pairs = std::vector<ElementPair>;

void sort_unique(Pairs& pairs);
// (a, c) with (a, b) in `first` and (b, c) in `second`, which is sorted.
[[nodiscard]] Pairs join(const Pairs& first, const Pairs& second);
// (0, 0), (1, 1), …
[[nodiscard]] Pairs identity(std::int64_t elements);
// One set for each place, sorted, none of them empty.
[[nodiscard]] std::vector<ReadSet> joined(std::vector<ReadSet> sets);

}  // namespace mercator::testing
