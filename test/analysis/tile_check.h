// Compares tiles with what the elements of the root's tile are related to, by enumeration.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mercator/analysis/tile.h"
#include "mercator/map/index_map.h"
#include "test/indexing/random_program.h"

namespace mercator::testing {

struct TileCounts {
  std::int64_t maps = 0;
  std::int64_t held = 0;         // tiles whose conditions held: equal
  std::int64_t empty = 0;        // of these, without elements
  std::int64_t not_held = 0;     // tiles whose conditions did not
  std::int64_t certain = 0;      // of these, those of complete cases: they are not tiles
  std::int64_t strict = 0;       // of these, those of which some case has the elements all the same
  std::int64_t boxes = 0;        // those that are another tile, or empty
  std::int64_t never = 0;        // maps that have no case
  std::int64_t conditional = 0;  // maps that have conditions, without those with what differs
  std::int64_t complete = 0;     // of these, those whose cases are complete
  std::int64_t cases = 0;

  TileCounts& operator+=(const TileCounts& other);
};

// The tiles of `map`, which starts from an array of these sizes, at the numbers of random tiles:
// with free parameters, counted in `free`, and with those strides, counted in `strided`. Besides,
// that what is said of numbers is exact. What is wrong, in words.
[[nodiscard]] std::optional<std::string> check_tiles(const IndexMap& map,
                                                     const std::vector<std::int64_t>& array,
                                                     int draws, Random& random, TileCounts& free,
                                                     TileCounts& strided);

}  // namespace mercator::testing
