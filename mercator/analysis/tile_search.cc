#include "mercator/analysis/tile_search.h"

#include <algorithm>
#include <optional>
#include <ranges>

#include "mercator/expr/expr.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

// Tiles of the grid that are looked at for one map, each.
constexpr std::int64_t kMaxPositions = 4'096;
// The same for all maps and all sizes together.
constexpr std::int64_t kMaxAllPositions = 400'000;

std::vector<std::int64_t> candidates(const TileSearch& search, std::size_t dimension) {
  const std::int64_t size = search.array[dimension];
  std::vector<std::int64_t> sizes;
  for (std::int64_t power = 1; power < size; power *= 2) sizes.push_back(power);
  for (std::int64_t d = 1; d <= size / d; ++d) {
    if (size % d == 0) sizes.insert(sizes.end(), {d, size / d});
  }
  std::ranges::sort(sizes);
  const auto repeated = std::ranges::unique(sizes);
  sizes.erase(repeated.begin(), repeated.end());
  if (search.may_try) std::erase_if(sizes, [&](auto s) { return !search.may_try(dimension, s); });
  return sizes;
}

// The dimensions of the root that something of the tile depends on.
std::vector<bool> dimensions_of(const Tile& tile, std::size_t rank) {
  std::vector<Expr> exprs;
  const auto add = [&](const std::vector<Constraint>& constraints) {
    for (const Constraint& constraint : constraints) exprs.push_back(constraint.expr);
  };
  add(tile.nonempty);
  for (const TileCase& one : tile.cases) {
    add(one.conditions);
    add(one.nonempty);
    for (const TileDimension& d : one.dimensions) exprs.push_back(d.size);
  }
  const UsedVariables used = used_variables(exprs);
  std::vector<bool> result(rank);
  for (std::size_t i = 0; i < used.dimensions.size(); ++i) {
    if (used.dimensions[i]) result[i / RootTile::kParameters] = true;
  }
  return result;
}

// Whether it takes a value that is known at run time only to say what the tile is, offsets aside.
bool needs_runtimes(const Tile& tile) {
  std::vector<Expr> exprs;
  for (const TileCase& one : tile.cases) {
    for (const Constraint& constraint : one.conditions) exprs.push_back(constraint.expr);
    for (const TileDimension& d : one.dimensions) exprs.push_back(d.size);
  }
  return !used_variables(exprs).runtimes.empty();
}

class Search {
 public:
  explicit Search(const TileSearch& search) : search_(search) {
    for (std::size_t i = 0; i < search.array.size(); ++i) {
      candidates_.push_back(candidates(search, i));
    }
    for (const TileUse& use : search.uses) {
      for (const Tile& tile : use.tiles) {
        maps_.push_back({&tile, use.element_bits, dimensions_of(tile, search.array.size()),
                         needs_runtimes(tile)});
      }
    }
  }

  TileChoices run() {
    choose(search_.element_bits);
    std::ranges::stable_sort(result_.choices, [](const TileChoice& a, const TileChoice& b) {
      return product(a.sizes) > product(b.sizes);
    });
    return std::move(result_);
  }

 private:
  struct MapTile {
    const Tile* tile;
    std::int64_t element_bits;
    std::vector<bool> dimensions;
    bool needs_runtimes;
  };

  static std::int64_t product(std::span<const std::int64_t> sizes) {
    std::int64_t result = 1;
    for (const std::int64_t size : sizes) {
      if (!checked_mul(result, size, &result)) return Interval::kPlusInfinity;
    }
    return result;
  }
  static std::int64_t bytes_of(std::int64_t bits) { return bits / 8 + (bits % 8 == 0 ? 0 : 1); }

  // `bits` are those of the root's tile, were the sizes that are still to be chosen 1.
  void choose(std::int64_t bits) {
    if (bytes_of(bits) > search_.memory_bytes) return;
    const std::size_t place = sizes_.size();
    if (place == search_.array.size()) {
      if (result_.tried == search_.max_tried || positions_ > kMaxAllPositions) {
        result_.is_complete = false;
        return;
      }
      ++result_.tried;
      try_sizes(bits);
      return;
    }
    // Large tiles first: a grid has few of them.
    for (const std::int64_t size : candidates_[place] | std::views::reverse) {
      std::int64_t more = 0;
      if (!result_.is_complete) return;
      if (!checked_mul(bits, size, &more)) continue;
      sizes_.push_back(size);
      choose(more);
      sizes_.pop_back();
    }
  }

  void try_sizes(std::int64_t bits) {
    std::int64_t bytes = bytes_of(bits);
    for (const MapTile& map : maps_) {
      bool is_decided = true;
      const std::optional<std::int64_t> elements = largest(map, is_decided);
      if (!is_decided) ++result_.undecided;
      std::int64_t map_bits = 0;
      if (!elements || !checked_mul(*elements, map.element_bits, &map_bits) ||
          !checked_add(bytes, bytes_of(map_bits), &bytes) || bytes > search_.memory_bytes) {
        return;
      }
    }
    result_.choices.push_back({sizes_, bytes});
  }

  // The most elements that a tile of the grid leads to; none if one leads to what is not a tile.
  std::optional<std::int64_t> largest(const MapTile& map, bool& is_decided) {
    if (map.needs_runtimes) {
      is_decided = false;
      return std::nullopt;
    }
    const std::size_t rank = sizes_.size();
    std::vector<std::int64_t> counts(rank, 1);
    std::int64_t positions = 1;
    for (std::size_t i = 0; i < rank; ++i) {
      if (map.dimensions[i]) counts[i] = ceil_div(search_.array[i], sizes_[i]);
      if (!checked_mul(positions, counts[i], &positions) || positions > kMaxPositions) {
        is_decided = false;
        return std::nullopt;
      }
    }
    positions_ += positions;
    std::vector<std::int64_t> position(rank, 0);
    std::int64_t most = 0;
    for (std::int64_t n = 0; n < positions; ++n) {
      const std::optional<std::int64_t> elements = count_at(*map.tile, position);
      if (!elements) return std::nullopt;
      most = std::max(most, *elements);
      for (std::size_t i = rank; i-- > 0 && ++position[i] == counts[i];) position[i] = 0;
    }
    return most;
  }

  std::optional<std::int64_t> count_at(const Tile& tile, std::span<const std::int64_t> position) {
    NumericTile root;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const std::int64_t offset = position[i] * sizes_[i];
      root.push_back({offset, std::min(sizes_[i], search_.array[i] - offset), 1});
    }
    const std::vector<std::int64_t> parameters = parameters_of(root);
    // Any values do: they may stand in offsets, and decide whether there is anything at all.
    std::vector<std::int64_t> runtimes;
    for (const RuntimeVariable& runtime : tile.runtimes) {
      runtimes.push_back(runtime.bounds.contains(0) ? 0 : runtime.bounds.lo);
    }
    const EvaluatedTile found =
        evaluate(tile, {.dimensions = parameters, .ranges = {}, .runtimes = runtimes});
    if (!found.is_tile) return std::nullopt;
    std::int64_t count = found.is_empty ? 0 : 1;
    for (const NumericDimension& d : found.tile) {
      if (!checked_mul(count, std::max<std::int64_t>(d.size, 0), &count)) return std::nullopt;
    }
    return count;
  }

  const TileSearch& search_;
  std::vector<std::vector<std::int64_t>> candidates_;
  std::vector<MapTile> maps_;
  std::vector<std::int64_t> sizes_;
  std::int64_t positions_ = 0;
  TileChoices result_;
};

}  // namespace

TileChoices find_tile_sizes(const TileSearch& search) { return Search(search).run(); }

}  // namespace mercator
