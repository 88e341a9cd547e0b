// The relation of an index map when its runtime variables have the values that a model gives them.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercator/map/index_map.h"
#include "mercator/support/error.h"
#include "test/indexing/model.h"

namespace mercator::testing {

// The pairs (from, to) of row-major positions in arrays of these sizes, sorted and distinct. An
// error, in words, if the map names an index outside of the arrays, if a runtime variable does not
// say where its value is, or (kUnsupported) if its bounds allow more than `max_points` points. Of a
// map across devices the sizes start with the number of devices, as if all of them held one array.
[[nodiscard]] Result<std::vector<ElementPair>> relation_of(const IndexMap& map,
                                                           std::span<const std::int64_t> from_sizes,
                                                           std::span<const std::int64_t> to_sizes,
                                                           const hlo::Module& module, Model& model,
                                                           std::int64_t max_points,
                                                           bool across_devices = false);

}  // namespace mercator::testing
