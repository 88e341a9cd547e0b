#include "mercator/analysis/tile_search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <utility>

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

// The parameters that expressions depend on, by their indices.
std::vector<std::uint32_t> parameters_in(std::span<const Expr> exprs) {
  const UsedVariables used = used_variables(exprs);
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < used.dimensions.size(); ++i) {
    if (used.dimensions[i]) found.push_back(i);
  }
  return found;
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

// What a tile says of some dimensions of the root: a tile of its own, of sizes only. The tile has
// the product of the elements of its factors, and is one where all of them are.
struct TileFactor {
  Tile tile;
  std::vector<std::size_t> dimensions;
  std::vector<bool> uses_offset;  // of each dimension of the root
  // By the sizes of the dimensions: the most elements that a tile of the grid leads to; none if one
  // leads to what is not a tile.
  std::map<std::vector<std::int64_t>, std::optional<std::int64_t>> known = {};
};

// The factors of a tile. What decides which of several cases holds stays together.
class TileFactors {
 public:
  TileFactors(const Tile& tile, std::size_t rank) : tile_(tile), parents_(rank + 1) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    const bool has_one_case = tile.cases.size() == 1;
    for (const Constraint& one : tile.nonempty) join(one.expr, false);
    for (const TileCase& one : tile.cases) {
      for (const Constraint& c : one.conditions) join(c.expr, !has_one_case);
      for (const Constraint& c : one.nonempty) join(c.expr, !has_one_case);
      for (std::size_t i = 0; i < one.dimensions.size(); ++i) {
        join(one.dimensions[i].size, !is_same_in_all(i));
      }
    }
  }

  [[nodiscard]] std::vector<TileFactor> take() {
    std::vector<TileFactor> factors;
    for (std::size_t group = 0; group < parents_.size(); ++group) {
      if (find(group) == group) factors.push_back(factor(group));
    }
    return factors;
  }

 private:
  [[nodiscard]] std::size_t rank() const { return parents_.size() - 1; }
  // What is the same for all tiles, or stays together: it has a place after all dimensions.
  [[nodiscard]] std::size_t together() const { return rank(); }
  std::size_t find(std::size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }
  std::size_t group_of(Expr expr) {
    const std::vector<std::uint32_t> used = parameters_in(std::span(&expr, 1));
    return find(used.empty() ? together() : used.front() / RootTile::kParameters);
  }
  void join(Expr expr, bool to_others) {
    const std::size_t group = to_others ? find(together()) : group_of(expr);
    for (const std::uint32_t i : parameters_in(std::span(&expr, 1))) {
      parents_[find(i / RootTile::kParameters)] = find(group);
    }
  }
  [[nodiscard]] bool is_same_in_all(std::size_t i) const {
    return std::ranges::all_of(tile_.cases, [&](const TileCase& one) {
      return one.dimensions[i].size == tile_.cases.front().dimensions[i].size;
    });
  }

  TileFactor factor(std::size_t group) {
    TileFactor factor{.tile = {}, .dimensions = {}, .uses_offset = std::vector<bool>(rank())};
    factor.tile.is_complete = tile_.is_complete;
    for (std::size_t i = 0; i < rank(); ++i) {
      if (find(i) == group) factor.dimensions.push_back(i);
    }
    std::vector<Expr> used;
    const auto part = [&](const std::vector<Constraint>& constraints) {
      std::vector<Constraint> kept;
      for (const Constraint& one : constraints) {
        if (group_of(one.expr) != group) continue;
        kept.push_back(one);
        used.push_back(one.expr);
      }
      return kept;
    };
    factor.tile.nonempty = part(tile_.nonempty);
    for (const TileCase& one : tile_.cases) {
      TileCase kept{part(one.conditions), part(one.nonempty), {}};
      for (const TileDimension& d : one.dimensions) {
        if (group_of(d.size) != group) continue;
        ExprContext& context = d.size.context();
        kept.dimensions.push_back({context.constant(0), d.size, context.constant(1)});
        used.push_back(d.size);
      }
      factor.tile.cases.push_back(std::move(kept));
    }
    for (const std::uint32_t i : parameters_in(used)) {
      if (i % RootTile::kParameters == 0) factor.uses_offset[i / RootTile::kParameters] = true;
    }
    return factor;
  }

  const Tile& tile_;
  std::vector<std::size_t> parents_;
};

class Search {
 public:
  explicit Search(const TileSearch& search) : search_(search) {
    for (std::size_t i = 0; i < search.array.size(); ++i) {
      candidates_.push_back(candidates(search, i));
    }
    for (const TileUse& use : search.uses) {
      for (const Tile& tile : use.tiles) {
        maps_.push_back({use.element_bits, needs_runtimes(tile), tile.runtimes,
                         TileFactors(tile, search.array.size()).take()});
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
    std::int64_t element_bits;
    bool needs_runtimes;
    std::vector<RuntimeVariable> runtimes;
    std::vector<TileFactor> factors;
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
    for (MapTile& map : maps_) {
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
  std::optional<std::int64_t> largest(MapTile& map, bool& is_decided) {
    if (map.needs_runtimes) {
      is_decided = false;
      return std::nullopt;
    }
    std::int64_t most = 1;
    for (TileFactor& factor : map.factors) {
      std::vector<std::int64_t> sizes;
      for (const std::size_t i : factor.dimensions) sizes.push_back(sizes_[i]);
      auto found = factor.known.find(sizes);
      if (found == factor.known.end()) {
        const auto one = largest(factor, map.runtimes, is_decided);
        if (!is_decided) return std::nullopt;
        found = factor.known.emplace(std::move(sizes), one).first;
      }
      if (!found->second || !checked_mul(most, *found->second, &most)) return std::nullopt;
    }
    return most;
  }

  std::optional<std::int64_t> largest(const TileFactor& factor,
                                      std::span<const RuntimeVariable> runtimes, bool& is_decided) {
    // Where only sizes matter, all tiles are like the first one, but perhaps the last one.
    std::vector<std::vector<std::int64_t>> offsets;
    std::int64_t positions = 1;
    for (const std::size_t i : factor.dimensions) {
      const std::int64_t count = ceil_div(search_.array[i], sizes_[i]);
      const std::int64_t looked_at =
          factor.uses_offset[i] ? count : std::min<std::int64_t>(count, 2);
      if (!checked_mul(positions, looked_at, &positions) || positions > kMaxPositions) {
        is_decided = false;
        return std::nullopt;
      }
      std::vector<std::int64_t>& all = offsets.emplace_back();
      for (std::int64_t n = 1; n < looked_at; ++n) all.push_back((n - 1) * sizes_[i]);
      all.push_back((count - 1) * sizes_[i]);
    }
    positions_ += positions;
    // Dimensions that do not matter have a tile of one element.
    NumericTile root(sizes_.size());
    std::vector<std::size_t> position(offsets.size(), 0);
    std::int64_t most = 0;
    for (std::int64_t n = 0; n < positions; ++n) {
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::size_t d = factor.dimensions[i];
        const std::int64_t offset = offsets[i][position[i]];
        root[d] = {offset, std::min(sizes_[d], search_.array[d] - offset), 1};
      }
      const std::optional<std::int64_t> elements = count_at(factor.tile, root, runtimes);
      if (!elements) {
        is_decided = factor.tile.is_complete;
        return std::nullopt;
      }
      most = std::max(most, *elements);
      for (std::size_t i = offsets.size(); i-- > 0 && ++position[i] == offsets[i].size();) {
        position[i] = 0;
      }
    }
    return most;
  }

  static std::optional<std::int64_t> count_at(const Tile& tile, const NumericTile& root,
                                              std::span<const RuntimeVariable> variables) {
    const std::vector<std::int64_t> parameters = parameters_of(root);
    // Any values do: they may stand in offsets, and decide whether there is anything at all.
    std::vector<std::int64_t> runtimes;
    for (const RuntimeVariable& runtime : variables) {
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
