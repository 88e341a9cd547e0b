// How the elements of an array lie in memory.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/hlo/shape.h"
#include "mercator/map/index_map.h"
#include "mercator/support/error.h"

namespace mercator::indexing {

// An array in memory is an array of *physical* dimensions in row-major order. Without tiles these
// are the dimensions from major to minor: f32[4,8]{0,1} has the physical dimensions [8,4]. Each
// tiling replaces the innermost ones by the number of tiles, rounded up, and the sizes of a tile:
// with T(2,3) [8,4] becomes [4,2,2,3]. A `*` in a tile joins a dimension with the next inner one
// before that.
class PhysicalLayout {
 public:
  // kUnsupported for layouts that say more than order, tiles and memory space, for tiles that do
  // not fit the array, and where the size in memory leaves int64. Requires an array with elements.
  static Result<PhysicalLayout> of(const hlo::Shape& array);

  // Of the physical dimensions, outermost first; padding counts.
  [[nodiscard]] std::span<const std::int64_t> sizes() const { return sizes_; }
  // The bits that an element takes in memory.
  [[nodiscard]] std::int64_t element_bits() const { return element_bits_; }

  // The physical index of the element with this index in the array.
  [[nodiscard]] std::vector<Expr> to_physical(std::span<const Expr> index) const;
  // The index in the array of the element with this physical index; adds to `constraints` what it
  // takes to be an element and not padding.
  [[nodiscard]] std::vector<Expr> from_physical(std::span<const Expr> physical,
                                                std::vector<Constraint>& constraints) const;

 private:
  // One tiling: dimensions of sizes `before` are first joined into `joined` …
  struct Tiling {
    std::vector<std::int64_t> before;
    std::vector<std::int64_t> joined;
    // … and the innermost of those are then split into tiles of these sizes.
    std::vector<std::int64_t> tile;
  };

  Result<void> add_tiling(std::span<const std::int64_t> tile);

  std::vector<std::int64_t> major_to_minor_;
  std::vector<Tiling> tilings_;
  std::vector<std::int64_t> sizes_;
  std::int64_t element_bits_ = 0;
};

}  // namespace mercator::indexing
