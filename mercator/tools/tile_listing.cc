#include "mercator/tools/tile_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "mercator/tools/map_listing.h"

namespace mercator::tools {
namespace {

RootTile::Numbers numbers_of(const std::vector<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

struct Root {
  const hlo::Instruction* instruction = nullptr;  // that was asked for
  const hlo::Instruction* array = nullptr;        // the same, or its operand
  hlo::ShapeLeaf leaf;
};

Result<Root> find_root(const hlo::Module& module, const TileRequest& request) {
  if (request.operand.value_or(0) < 0) {
    return fail(ErrorKind::kUsage, fmt::format("no operand {}", *request.operand));
  }
  MapRequest wanted;
  wanted.instructions = {request.instruction};
  wanted.operand = request.operand;
  Root root;
  root.instruction = MERCATOR_TRY(select_instructions(module, wanted)).front();
  root.array = request.operand
                   ? &root.instruction->operand(static_cast<std::size_t>(*request.operand))
                   : root.instruction;
  const std::vector<hlo::ShapeLeaf> leaves = hlo::leaves(root.array->shape);
  if (request.output < 0 || request.output >= std::ssize(leaves)) {
    return fail(ErrorKind::kUsage, fmt::format("no output {}: '{}' has {}", request.output,
                                               root.array->name, leaves.size()));
  }
  root.leaf = leaves[static_cast<std::size_t>(request.output)];
  const hlo::Shape& shape = root.leaf.shape;
  if (!shape.is_array()) {
    return fail(ErrorKind::kUnsupported, fmt::format("'{}' is not an array", root.array->name));
  }
  if (std::ranges::any_of(shape.dimensions, [](std::int64_t size) { return size == 0; })) {
    return fail(ErrorKind::kUnsupported, fmt::format("'{}' has no elements", root.array->name));
  }
  return root;
}

// What reaches over the edge of the array is the smaller tile that is left; without offsets, of the
// tile at the first one.
std::vector<std::int64_t> sizes_inside(const TileRequest& request,
                                       std::span<const std::int64_t> array) {
  std::vector<std::int64_t> sizes = request.sizes;
  if (sizes.size() != array.size()) return sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t stride = request.strides.size() == array.size() ? request.strides[i] : 1;
    const std::int64_t offset = request.offsets.size() == array.size() ? request.offsets[i] : 0;
    if (stride < 1 || offset < 0 || offset >= array[i]) continue;
    sizes[i] = std::min(sizes[i], (array[i] - 1 - offset) / stride + 1);
  }
  return sizes;
}

void add_groups(std::string_view where, const GroupedIndexing& groups, const Root& root,
                bool skip_itself, TileListing& listing) {
  if (!groups.unknown.empty()) listing.unknown = groups.unknown;
  for (const GroupedIndexing::Group& group : groups.groups) {
    if (skip_itself && group.instruction == root.instruction) continue;
    if (!leaf_shape(group.instruction->shape, group.leaf).is_array()) continue;
    listing.arrays.push_back({.where = std::string(where),
                              .instruction = group.instruction,
                              .leaf = group.leaf,
                              .maps = group.maps,
                              .tiles = {}});
  }
}

}  // namespace

Result<TileListing> list_tiles(const hlo::Module& module, ExprContext& context,
                               const TileRequest& request) {
  const Root root = MERCATOR_TRY(find_root(module, request));
  const std::span<const std::int64_t> array = root.leaf.shape.dimensions;
  RootTile::Numbers strides = numbers_of(request.strides);
  if (strides.empty()) strides.assign(array.size(), 1);
  TileListing listing{
      .root = root.array,
      .leaf = root.leaf.index,
      .tile = MERCATOR_TRY(RootTile::make(context, array, numbers_of(request.offsets),
                                          numbers_of(sizes_inside(request, array)), strides))};
  IndexingAnalysis analysis(module, context);
  if (request.operand) {
    const InstructionIndexing up = analysis.indexing(*root.instruction, Direction::kInputToOutput);
    listing.unknown = up.unknown;
    for (const InstructionIndexing::Pair& pair : up.pairs) {
      if (pair.operand != *request.operand || pair.operand_leaf != root.leaf.index) continue;
      listing.arrays.push_back({.where = "result",
                                .instruction = root.instruction,
                                .leaf = pair.output,
                                .maps = pair.maps,
                                .tiles = {}});
    }
  } else {
    const hlo::Opcode opcode = root.instruction->opcode;
    if (opcode == hlo::Opcode::kFusion || opcode == hlo::Opcode::kCall) {
      add_groups("inside", analysis.grouped(*root.instruction, root.leaf.index), root, false,
                 listing);
    }
    add_groups("below", analysis.below(*root.instruction, root.leaf.index), root, true, listing);
  }
  // Sizes are found for the operands of the instruction, or for the results.
  if (request.fit) {
    std::erase_if(listing.arrays, [&](const ArrayTiles& one) {
      return one.where == "inside" ||
             (one.where == "below" &&
              std::ranges::find(root.instruction->operands, one.instruction) ==
                  root.instruction->operands.end());
    });
  }
  // Many arrays have the same maps.
  std::map<IndexMap, Tile> known;
  for (ArrayTiles& one : listing.arrays) {
    for (const OperandMap& map : one.maps.maps) {
      auto found = known.find(map.map);
      if (found == known.end()) {
        found = known.emplace(map.map, tile_of(map.map, listing.tile)).first;
      }
      const Tile& tile = found->second;
      const bool is_there = std::ranges::any_of(one.tiles, [&](const ArrayTiles::OfMap& other) {
        return other.exact == map.exact && other.tile == tile;
      });
      if (!is_there) one.tiles.push_back({tile, map.exact});
    }
  }
  if (!request.fit) return listing;
  TileSearch search{.array = array,
                    .element_bits = hlo::bit_width(root.leaf.shape.element_type),
                    .uses = {},
                    .memory_bytes = *request.fit};
  for (const ArrayTiles& one : listing.arrays) {
    if (!one.maps.unknown.empty()) {
      return fail(ErrorKind::kUnsupported, fmt::format("what is read of '{}' is not known: {}",
                                                       one.instruction->name, one.maps.unknown));
    }
    TileUse use{
        .tiles = {},
        .element_bits = hlo::bit_width(leaf_shape(one.instruction->shape, one.leaf).element_type)};
    for (const ArrayTiles::OfMap& of_map : one.tiles) use.tiles.push_back(of_map.tile);
    search.uses.push_back(std::move(use));
  }
  listing.choices = find_tile_sizes(search);
  return listing;
}

}  // namespace mercator::tools
