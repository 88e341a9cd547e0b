// How many elements a thread could access at once.

#pragma once

#include <cstdint>

#include "mercator/map/index_map.h"

namespace mercator::analysis {

// If each thread of the launch, whose blocks have `threads` threads along x, did the work of
// `width` neighbouring ones: the largest power of two, of at most `most`, for which it would access
// neighbouring elements, starting with a multiple of the width, or none of them. `positions` leads
// from (th_x, …) to positions in elements. 1 if there is none.
[[nodiscard]] std::int64_t vector_width(const IndexMap& positions, std::int64_t threads,
                                        std::int64_t most);

}  // namespace mercator::analysis
