// Which tile sizes suit: all tiles of the grid that they cut an array into lead to tiles in turn,
// and these fit into a memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercator/analysis/tile.h"

namespace mercator {

// What is held in memory: for each tile of the root, the tiles of one array.
struct TileUse {
  // One for each map to the array, of a root with strides 1 and whose other parameters are free.
  std::vector<Tile> tiles;
  std::int64_t element_bits = 0;
};

struct TileSearch {
  std::span<const std::int64_t> array;  // the sizes of the root's array
  std::int64_t element_bits = 0;        // of its elements, which are held as well
  std::vector<TileUse> uses;
  std::int64_t memory_bytes = 0;
  // Whether a size may be tried in a dimension; empty: all may. Tried are powers of two, divisors
  // of the dimension's size, and that size.
  std::function<bool(std::size_t dimension, std::int64_t size)> may_try = {};
  std::size_t max_tried = 100'000;
};

struct TileChoice {
  std::vector<std::int64_t> sizes;
  // The tile of the root and the tiles that it leads to, each at its largest; those of one array
  // that overlap count twice.
  std::int64_t bytes = 0;
};

struct TileChoices {
  std::vector<TileChoice> choices;  // the largest tiles of the root first
  std::size_t tried = 0;
  // How many were left out since it took too much to decide on them, or conditions that are not
  // complete say nothing of them.
  std::size_t undecided = 0;
  // Whether all sizes were tried. If not, the rest begins with smaller sizes.
  bool is_complete = true;
};

[[nodiscard]] TileChoices find_tile_sizes(const TileSearch& search);

}  // namespace mercator
