// How many sectors of memory the warps of a kernel touch.

#pragma once

#include <cstdint>
#include <optional>

#include "mercator/analysis/count.h"
#include "mercator/indexing/thread_map.h"
#include "mercator/map/index_map.h"

namespace mercator {

struct MemoryGeometry {
  std::int64_t warp_size = 32;  // threads
  std::int64_t sector_bytes = 32;
};

// Over all warps of a launch, and all steps that a warp takes: one for each value of the range
// variables with which one of its threads accesses something. A thread accesses one element in a
// step.
struct WarpSectors {
  Count steps;
  // The sectors with a part of an element that some thread of the warp accesses, of all steps.
  Count sectors;
  // As few as could hold what the warp accesses, each element once.
  Count ideal_sectors;
  // The bits of these elements.
  Count useful_bits;
  // How much further the thread with the next number is, in elements, where that is the same for
  // all of a warp that has been looked at and has more than one thread at work.
  std::optional<std::int64_t> stride;
  // Whether several threads of a warp access something in the same step, if only in one; true where
  // that is not known.
  bool has_neighbours = true;
};

// `positions` leads from (th_x, th_y, th_z, bl_x, bl_y, bl_z)[…]{…} to the position of an element
// in an array that starts with a sector, in elements of so many bits. Exact, whatever the number of
// threads, where few of the warps differ in how they lie to the sectors; a count that would take
// more than about `budget` different steps of a warp is an interval. So is one that depends on the
// values of runtime variables.
[[nodiscard]] WarpSectors count_warp_sectors(const IndexMap& positions, std::int64_t element_bits,
                                             const Launch& launch, const MemoryGeometry& geometry,
                                             std::int64_t budget);

}  // namespace mercator
