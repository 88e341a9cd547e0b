#include "mercator/indexing/physical_layout.h"

#include <algorithm>
#include <utility>

#include "mercator/indexing/reshape.h"
#include "mercator/indexing/sizes.h"
#include "mercator/support/arithmetic.h"

namespace mercator::indexing {
Result<PhysicalLayout> PhysicalLayout::of(const hlo::Shape& array) {
  if (array.layout != nullptr && !array.layout->other.empty()) {
    return fail(ErrorKind::kUnsupported,
                "a layout with more than an order of dimensions, tiles and a memory space");
  }
  PhysicalLayout result;
  result.major_to_minor_ = hlo::minor_to_major(array);
  std::ranges::reverse(result.major_to_minor_);
  for (const std::int64_t dimension : result.major_to_minor_) {
    result.sizes_.push_back(array.dimensions[static_cast<std::size_t>(dimension)]);
  }
  result.element_bits_ = hlo::bits_in_memory(array);
  if (array.layout != nullptr) {
    for (const hlo::LayoutTile& tile : array.layout->tiles) {
      MERCATOR_TRY_VOID(result.add_tiling(tile.dimensions));
    }
  }
  if (!product(result.sizes_).has_value()) {
    return fail(ErrorKind::kUnsupported, "an array of more than 2^63 elements in memory");
  }
  return result;
}

Result<void> PhysicalLayout::add_tiling(std::span<const std::int64_t> tile) {
  const bool fits =
      tile.size() <= sizes_.size() && (tile.empty() || tile.back() != hlo::LayoutTile::kCombine) &&
      std::ranges::all_of(
          tile, [](std::int64_t size) { return size > 0 || size == hlo::LayoutTile::kCombine; });
  if (!fits) return fail(ErrorKind::kUnsupported, "a tile that does not fit its array");

  Tiling tiling = {.before = sizes_, .joined = {}, .tile = {}};
  const std::size_t untiled = sizes_.size() - tile.size();
  tiling.joined.assign(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(untiled));
  std::int64_t joined = 1;
  for (std::size_t i = 0; i < tile.size(); ++i) {
    if (!checked_mul(joined, sizes_[untiled + i], &joined)) {
      return fail(ErrorKind::kUnsupported, "an array of more than 2^63 elements in memory");
    }
    if (tile[i] == hlo::LayoutTile::kCombine) continue;
    tiling.joined.push_back(std::exchange(joined, 1));
    tiling.tile.push_back(tile[i]);
  }

  sizes_ = tiling.joined;
  for (std::size_t i = 0; i < tiling.tile.size(); ++i) {
    std::int64_t& size = sizes_[sizes_.size() - tiling.tile.size() + i];
    size = ceil_div(size, tiling.tile[i]);
  }
  sizes_.insert(sizes_.end(), tiling.tile.begin(), tiling.tile.end());
  tilings_.push_back(std::move(tiling));
  return {};
}

std::vector<Expr> PhysicalLayout::to_physical(std::span<const Expr> index) const {
  std::vector<Expr> result;
  for (const std::int64_t dimension : major_to_minor_) {
    result.push_back(index[static_cast<std::size_t>(dimension)]);
  }
  for (const Tiling& tiling : tilings_) {
    if (!result.empty()) {
      result = reshape_index(result.front().context(), result, tiling.before, tiling.joined);
    }
    const std::size_t untiled = result.size() - tiling.tile.size();
    for (std::size_t i = 0; i < tiling.tile.size(); ++i) {
      const Expr whole = result[untiled + i];
      result[untiled + i] = floor_div(whole, tiling.tile[i]);
      result.push_back(mod(whole, tiling.tile[i]));
    }
  }
  return result;
}

std::vector<Expr> PhysicalLayout::from_physical(std::span<const Expr> physical,
                                                std::vector<Constraint>& constraints) const {
  std::vector<Expr> index(physical.begin(), physical.end());
  for (auto tiling = tilings_.rbegin(); tiling != tilings_.rend(); ++tiling) {
    const std::size_t tiled = tiling->tile.size();
    const std::size_t untiled = tiling->joined.size() - tiled;
    for (std::size_t i = 0; i < tiled; ++i) {
      Expr& whole = index[untiled + i];
      whole = whole * tiling->tile[i] + index[untiled + tiled + i];
      constraints.push_back({whole, Interval::indices(tiling->joined[untiled + i])});
    }
    index.resize(untiled + tiled);
    if (!index.empty()) {
      index = reshape_index(index.front().context(), index, tiling->joined, tiling->before);
    }
  }
  std::vector<Expr> result(index.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    result[static_cast<std::size_t>(major_to_minor_[i])] = index[i];
  }
  return result;
}

}  // namespace mercator::indexing
