// What `mercator tile` lists: the tiles of all arrays that a tile of one is made from.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mercator/analysis/tile.h"
#include "mercator/analysis/tile_search.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"
#include "mercator/support/error.h"

namespace mercator::tools {

// What was asked for.
struct TileRequest {
  std::string instruction;
  std::vector<std::int64_t> sizes;      // empty: free
  std::vector<std::int64_t> offsets;    // empty: free
  std::vector<std::int64_t> strides;    // empty: 1
  std::int64_t output = 0;              // the element of a tuple
  std::optional<std::int64_t> operand;  // the tile is of this operand, and leads to the result
  std::optional<std::int64_t> fit;      // bytes: find sizes instead
};

// The tiles of one array, one for each map that leads there: the elements are those of all of them.
struct ArrayTiles {
  std::string where;  // "inside", "below", "result"
  const hlo::Instruction* instruction = nullptr;
  ShapeIndex leaf;
  OperandMaps maps;
  struct OfMap {
    Tile tile;
    bool exact = true;  // as the map is
  };
  std::vector<OfMap> tiles;  // of each map, equal ones once
};

struct TileListing {
  const hlo::Instruction* root = nullptr;  // what the tile is of
  ShapeIndex leaf;
  RootTile tile;
  std::vector<ArrayTiles> arrays = {};
  std::string unknown = {};  // not empty: nothing more is known, for this reason
  std::optional<TileChoices> choices = std::nullopt;
};

// Errors of kind kUsage for an instruction or numbers that do not suit the module, and of kind
// kUnsupported for a root that is no array or has no elements.
[[nodiscard]] Result<TileListing> list_tiles(const hlo::Module& module, ExprContext& context,
                                             const TileRequest& request);

[[nodiscard]] std::string tile_text(const hlo::Module& module, const TileListing& listing);
[[nodiscard]] std::string tile_json(const hlo::Module& module, const TileListing& listing);

}  // namespace mercator::tools
