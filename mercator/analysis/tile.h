// Tiles: what a tile of one array is made from, in others.
//
// A tile of an array is, per dimension, an offset, a size and a stride: the elements offset,
// offset + stride, … of which there are `size`. Its size and stride are positive, and all of it
// lies inside the array: what reaches over the edge is the smaller tile that is left.
//
// An index map takes a tile of the array that it starts from to a set of elements of another. Where
// that set is a tile again, `tile_of` gives it: symbolic, over the parameters of the first, with
// the conditions under which it is one.
//
//   f32[96] reshape(f32[8,12]), (d0) -> (d0 floordiv 12, d0 mod 12)
//   [offset0 floordiv 12 +: 1, offset0 mod 12 +: size0]        if offset0 mod 12 + size0 in [1, 12]
//   [offset0 floordiv 12 +: size0 floordiv 12, 0 +: 12]        if both are multiples of 12

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"
#include "mercator/support/error.h"

namespace mercator {

struct TileDimension {
  Expr offset;
  Expr size;
  Expr stride;

  friend bool operator==(const TileDimension&, const TileDimension&) = default;
};

// The tile that others are made from. Its parameters are the dimension variables offset_i, size_i
// and stride_i, in this order for each dimension of the array; those that are numbers have bounds
// of one value.
class RootTile {
 public:
  using Numbers = std::vector<std::optional<std::int64_t>>;
  static constexpr std::size_t kParameters = 3;  // of each dimension

  // Of an array of these sizes, which are positive; all parameters are free.
  RootTile(ExprContext& context, std::span<const std::int64_t> array);
  // The same with some numbers; an empty list leaves all free. kUsage if a list has another length
  // than `array`, or if no such tile lies inside the array.
  static Result<RootTile> make(ExprContext& context, std::span<const std::int64_t> array,
                               const Numbers& offsets, const Numbers& sizes,
                               const Numbers& strides);

  [[nodiscard]] ExprContext& context() const { return *context_; }
  [[nodiscard]] std::size_t rank() const { return array_.size(); }
  [[nodiscard]] std::span<const std::int64_t> array() const { return array_; }
  // The variables, or the numbers that they are.
  [[nodiscard]] TileDimension dimension(std::size_t i) const;
  // Of all parameters: the least bounds.
  [[nodiscard]] std::span<const Interval> bounds() const { return bounds_; }
  // The same with names, as the dimensions of a map from parameters.
  [[nodiscard]] std::vector<Variable> variables() const;
  // That it lies inside the array, where the bounds do not say that.
  [[nodiscard]] std::vector<Constraint> facts() const;

 private:
  ExprContext* context_;
  std::vector<std::int64_t> array_;
  std::vector<Interval> bounds_;
};

// "offset0", "size0", "stride0", "offset1", …; runtime variables have their default names.
[[nodiscard]] std::string tile_variable_name(VariableId id);

// One way in which the elements are a tile: where all `conditions` hold, they are exactly those of
// `dimensions`, or none at all where some of `nonempty` does not hold.
struct TileCase {
  std::vector<Constraint> conditions;
  std::vector<Constraint> nonempty;
  std::vector<TileDimension> dimensions;

  friend bool operator==(const TileCase&, const TileCase&) = default;
};

// What one map makes of the tile.
struct Tile {
  // Where one of these does not hold, the map leads nowhere: no element, whatever the cases say.
  std::vector<Constraint> nonempty;
  // Where the conditions of several hold, each of them is right.
  std::vector<TileCase> cases;
  // Where the conditions of no case hold, the elements are not a tile, for this reason; or, if the
  // cases are not complete, they are not known to be one. Empty if some case has no conditions.
  std::string otherwise;
  bool is_complete = false;
  // Over the parameters. Those variables that the index of which would differ from element to
  // element of the tile have been made one by conditions.
  std::vector<RuntimeVariable> runtimes;

  friend bool operator==(const Tile&, const Tile&) = default;
  [[nodiscard]] bool is_unconditional() const {
    return !cases.empty() && cases.front().conditions.empty();
  }
};

// What `map`, simplified, from indices of the root's array, makes of the tile. The tile is exactly
// what the map names: if the map is over-approximate, so is the tile. For a root whose parameters
// are all numbers, and a map without runtime variables, there is one case wherever the elements are
// a tile, as long as they can be enumerated.
[[nodiscard]] Tile tile_of(const IndexMap& map, const RootTile& root);

// ---- numbers ----

// offset, size, stride.
struct NumericDimension {
  std::int64_t offset = 0;
  std::int64_t size = 1;
  std::int64_t stride = 1;

  friend bool operator==(const NumericDimension&, const NumericDimension&) = default;
};
using NumericTile = std::vector<NumericDimension>;

// The parameters of a root tile as values of its variables.
[[nodiscard]] std::vector<std::int64_t> parameters_of(const NumericTile& root);
// Whether all hold; false where one has no value.
[[nodiscard]] bool hold(std::span<const Constraint> constraints, const VariableValues& values);
// The dimensions of a case at given parameters, whether or not its conditions hold; none where one
// has no value.
[[nodiscard]] std::optional<NumericTile> evaluate(const TileCase& tile,
                                                  const VariableValues& values);

struct EvaluatedTile {
  bool is_tile = false;   // whether the conditions of some case hold
  bool is_empty = false;  // a tile without elements
  NumericTile tile = {};  // unless it is empty
};
[[nodiscard]] EvaluatedTile evaluate(const Tile& tile, const VariableValues& values);

// The same from the elements that `map` names, one by one: exact where the conditions of `tile_of`
// may be too strict. `runtimes` are the values of the map's runtime variables. None if there are
// more than `max_points` to look at, or the index of a runtime variable differs within the tile.
[[nodiscard]] std::optional<EvaluatedTile> enumerate_tile(const IndexMap& map,
                                                          const NumericTile& root,
                                                          std::span<const std::int64_t> runtimes,
                                                          std::int64_t max_points);

// The tile that has just these elements, of which there is at least one; none if there is not.
[[nodiscard]] std::optional<NumericTile> tile_with(
    const std::set<std::vector<std::int64_t>>& elements);

// ---- text ----

// "[offset0 +: 16, 0 +: 64, offset1 * 2 +: size1 by 2]"; "[]" for scalars.
[[nodiscard]] std::string to_string(std::span<const TileDimension> dimensions);
[[nodiscard]] std::string to_string(const Constraint& constraint);

}  // namespace mercator
