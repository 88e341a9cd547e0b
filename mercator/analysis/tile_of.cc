// The tile that a map makes of another: as the problem that tile_reduction solves, whose solutions
// become cases over the parameters of the root.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "mercator/analysis/progression.h"
#include "mercator/analysis/tile.h"
#include "mercator/analysis/tile_reduction.h"
#include "mercator/expr/traversal.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

using internal::Assumptions;
using internal::Progression;
using internal::TileProblem;
using internal::TileSolution;
using internal::TileSolutions;

// The variables of `map` become range variables of the problem: dimensions, then ranges.
TileProblem problem_of(const IndexMap& map, const RootTile& root) {
  ExprContext& context = map.context();
  const auto dimensions = static_cast<std::uint32_t>(map.dimensions().size());
  const auto translated = [&](Expr expr) {
    return substitute(expr, [&](VariableId id) {
      if (id.kind == VariableKind::kDimension) return context.range(id.index);
      return id.kind == VariableKind::kRange ? context.range(dimensions + id.index) : Expr();
    });
  };
  TileProblem problem;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const TileDimension d = root.dimension(i);
    problem.variables.push_back(
        {.values = {d.offset, d.size, d.stride}, .name = map.name({VariableKind::kDimension, i})});
    const Interval bounds = map.dimensions()[i].bounds;
    if (!bounds.contains(Interval::indices(root.array()[i]))) {
      problem.constraints.push_back({context.range(i), bounds});
    }
  }
  for (std::uint32_t i = 0; i < map.ranges().size(); ++i) {
    const Interval bounds = map.ranges()[i].bounds;
    problem.variables.push_back({.values = {context.constant(bounds.lo),
                                            context.constant(bounds.size()), context.constant(1)},
                                 .name = map.name({VariableKind::kRange, i})});
  }
  for (const Expr result : map.results()) problem.results.push_back(translated(result));
  for (const auto& [expr, range] : map.constraints()) {
    problem.constraints.push_back({translated(expr), range});
  }
  for (const RuntimeVariable& runtime : map.runtimes()) {
    for (const Expr index : runtime.index) problem.uniform.push_back(translated(index));
  }
  return problem;
}

// Simplifies the cases: each is a map from the parameters to the numbers of its tile, and its
// conditions are the constraints of that map.
class CaseSimplifier {
 public:
  CaseSimplifier(const IndexMap& map, const RootTile& root) : map_(map), root_(root) {}

  // None if the conditions contradict each other.
  std::optional<TileCase> operator()(const TileSolution& solution) {
    std::vector<Variable> variables = root_.variables();
    for (const RuntimeVariable& runtime : map_.runtimes()) variables.push_back({runtime.bounds});
    std::vector<Expr> results;
    for (const Progression& values : solution.results) {
      const Expr one = values.size.context().constant(1);
      results.insert(results.end(), {values.offset, values.size,
                                     values.size.is_constant(1) ? one : values.stride});
    }
    std::vector<Constraint> constraints = solution.conditions;
    for (Expr& result : results) result = with_runtimes_as_dimensions(result);
    for (Constraint& constraint : constraints) {
      constraint.expr = with_runtimes_as_dimensions(constraint.expr);
    }
    const IndexMap simple =
        simplify_(IndexMap(root_.context(), variables, {}, {}, results, constraints));
    if (simple.is_known_empty()) return std::nullopt;
    TileCase result{.conditions = {}, .nonempty = solution.nonempty, .dimensions = {}};
    for (std::uint32_t i = 0; i < variables.size(); ++i) {
      const Interval bounds = simple.dimensions()[i].bounds;
      if (bounds == on_grid(variables[i].bounds, i, simple.constraints())) continue;
      result.conditions.push_back({from_dimensions(root_.context().dimension(i)), bounds});
    }
    for (const Constraint& constraint : simple.constraints()) {
      result.conditions.push_back({from_dimensions(constraint.expr), constraint.range});
    }
    for (std::size_t i = 0; i < simple.results().size(); i += RootTile::kParameters) {
      result.dimensions.push_back({.offset = from_dimensions(simple.results()[i]),
                                   .size = from_dimensions(simple.results()[i + 1]),
                                   .stride = from_dimensions(simple.results()[i + 2])});
    }
    return result;
  }

 private:
  [[nodiscard]] std::uint32_t parameters() const {
    return static_cast<std::uint32_t>(RootTile::kParameters * root_.rank());
  }
  // The bounds of a dimension, as a constraint on its remainder alone makes them.
  [[nodiscard]] static Interval on_grid(Interval bounds, std::uint32_t dimension,
                                        std::span<const Constraint> constraints) {
    for (const auto& [expr, range] : constraints) {
      if (!expr.is(ExprKind::kMod) || !range.is_point() ||
          expr.dividend() != expr.context().dimension(dimension) ||
          !expr.divisor().is(ExprKind::kConstant)) {
        continue;
      }
      const std::int64_t n = expr.divisor().value();
      return {bounds.lo + floor_mod(range.lo - bounds.lo, n),
              bounds.hi - floor_mod(bounds.hi - range.lo, n)};
    }
    return bounds;
  }
  // A map drops runtime variables that it does not use, and all cases must have the same ones.
  [[nodiscard]] Expr with_runtimes_as_dimensions(Expr expr) const {
    return substitute(expr, [&](VariableId id) {
      return id.kind == VariableKind::kRuntime ? expr.context().dimension(parameters() + id.index)
                                               : Expr();
    });
  }
  [[nodiscard]] Expr from_dimensions(Expr expr) const {
    return substitute(expr, [&](VariableId id) {
      return id.kind == VariableKind::kDimension && id.index >= parameters()
                 ? expr.context().runtime(id.index - parameters())
                 : Expr();
    });
  }

  const IndexMap& map_;
  const RootTile& root_;
  MapSimplifier simplify_;
};

Tile tile_without_elements(const IndexMap& map) {
  const Expr zero = map.context().constant(0);
  const Expr one = map.context().constant(1);
  Tile tile;
  tile.is_complete = true;
  tile.nonempty = {internal::never(map.context())};
  tile.cases.push_back(
      {.conditions = {},
       .nonempty = {},
       .dimensions = std::vector<TileDimension>(map.results().size(), {zero, zero, one})});
  return tile;
}

constexpr std::int64_t kMaxPoints = 200'000;

// What no rule recognises, of a tile that is numbers, from its elements; false if that says
// nothing.
bool decide_by_enumeration(const IndexMap& map, const RootTile& root, Tile& tile) {
  const auto is_number = [](Interval bounds) { return bounds.is_point(); };
  if (!std::ranges::all_of(root.bounds(), is_number) || !map.runtimes().empty()) return false;
  NumericTile numbers;
  for (std::size_t i = 0; i < root.rank(); ++i) {
    const auto [offset, size, stride] = root.dimension(i);
    numbers.push_back({offset.value(), size.value(), stride.value()});
  }
  const std::optional<EvaluatedTile> found = enumerate_tile(map, numbers, {}, kMaxPoints);
  if (!found) return false;
  tile.is_complete = true;
  if (!found->is_tile) return false;
  if (found->is_empty) {
    tile = tile_without_elements(map);
    return true;
  }
  ExprContext& context = map.context();
  TileCase one{.conditions = {}, .nonempty = {}, .dimensions = {}};
  for (const auto& [offset, size, stride] : found->tile) {
    one.dimensions.push_back(
        {context.constant(offset), context.constant(size), context.constant(stride)});
  }
  tile.cases = {one};
  tile.otherwise.clear();
  return true;
}

// Whether it has numbers with which steps could leave int64.
bool has_large_numbers(const IndexMap& map) {
  constexpr std::int64_t kMax = std::int64_t{1} << 62;
  const auto is_large = [](std::int64_t value) { return value > kMax || value < -kMax; };
  const auto has_large = [&](Expr node) {
    if (node.is(ExprKind::kConstant)) return is_large(node.value());
    return node.is(ExprKind::kSum) &&
           (is_large(node.constant()) || std::ranges::any_of(node.coefficients(), is_large));
  };
  std::vector<Expr> exprs(map.results().begin(), map.results().end());
  for (const Constraint& constraint : map.constraints()) exprs.push_back(constraint.expr);
  for (const RuntimeVariable& runtime : map.runtimes()) {
    exprs.insert(exprs.end(), runtime.index.begin(), runtime.index.end());
  }
  return any_node(exprs, has_large);
}

// Whether another element of the array may need another value of it.
bool varies(const RuntimeVariable& runtime) {
  const UsedVariables used = used_variables(runtime.index);
  const auto is_used = [](bool one) { return one; };
  return std::ranges::any_of(used.dimensions, is_used) || std::ranges::any_of(used.ranges, is_used);
}

// Whether one of the others says the same, under no more conditions.
bool is_covered(const TileCase& one, std::span<const TileCase> others) {
  return std::ranges::any_of(others, [&](const TileCase& other) {
    return other.dimensions == one.dimensions && other.nonempty == one.nonempty &&
           std::ranges::all_of(other.conditions, [&](const Constraint& condition) {
             return std::ranges::find(one.conditions, condition) != one.conditions.end();
           });
  });
}

}  // namespace

std::optional<EvaluatedTile> enumerate_tile(const IndexMap& map, const NumericTile& root,
                                            std::span<const std::int64_t> runtimes,
                                            std::int64_t max_points) {
  if (std::ranges::any_of(map.runtimes(), varies)) return std::nullopt;
  // The map from places in the tile.
  ExprContext& context = map.context();
  const auto moved = [&](Expr expr) {
    return substitute(expr, [&](VariableId id) {
      if (id.kind == VariableKind::kRuntime) return context.constant(runtimes[id.index]);
      if (id.kind != VariableKind::kDimension) return Expr();
      return context.dimension(id.index) * root[id.index].stride + root[id.index].offset;
    });
  };
  std::vector<Variable> places;
  std::vector<Expr> results;
  std::vector<Constraint> constraints;
  for (std::uint32_t i = 0; i < root.size(); ++i) {
    places.push_back({Interval::indices(root[i].size)});
    constraints.push_back({moved(context.dimension(i)), map.dimensions()[i].bounds});
  }
  for (const Expr result : map.results()) results.push_back(moved(result));
  for (const auto& [expr, range] : map.constraints()) constraints.push_back({moved(expr), range});
  const auto elements =
      image(IndexMap(context, places, map.ranges(), {}, results, constraints), max_points);
  if (!elements) return std::nullopt;
  if (elements->empty()) return EvaluatedTile{.is_tile = true, .is_empty = true};
  std::optional<NumericTile> tile = tile_with(*elements);
  if (!tile) return EvaluatedTile{};
  return EvaluatedTile{.is_tile = true, .is_empty = false, .tile = *std::move(tile)};
}

Tile tile_of(const IndexMap& map, const RootTile& root) {
  if (map.is_known_empty()) return tile_without_elements(map);
  Tile tile;
  for (const Variable& range : map.ranges()) {
    if (range.bounds.is_bounded()) continue;
    tile.otherwise = "a range variable is unbounded";
    return tile;
  }
  if (has_large_numbers(map)) {
    tile.otherwise = "numbers are too large";
    return tile;
  }
  std::vector<Interval> runtimes;
  for (const RuntimeVariable& runtime : map.runtimes()) runtimes.push_back(runtime.bounds);
  Assumptions assumptions(map.context(), std::vector(root.bounds().begin(), root.bounds().end()),
                          runtimes);
  for (const Constraint& fact : root.facts()) assumptions.assume(fact);
  const TileSolutions solutions = internal::solve(assumptions, problem_of(map, root));
  tile.nonempty = solutions.nonempty;
  tile.otherwise = solutions.otherwise;
  tile.is_complete = solutions.is_complete;
  CaseSimplifier simplified(map, root);
  std::vector<Expr> indices;
  for (const TileSolution& solution : solutions.cases) {
    std::optional<TileCase> one = simplified(solution);
    if (!one) continue;
    if (indices.empty()) indices = solution.uniform;
    if (is_covered(*one, tile.cases)) continue;
    tile.cases.push_back(*std::move(one));
    // It is always right: what is behind it is not needed.
    if (!tile.cases.back().conditions.empty()) continue;
    tile.cases = {tile.cases.back()};
    tile.otherwise.clear();
    tile.is_complete = true;
    break;
  }
  if (tile.cases.empty() && decide_by_enumeration(map, root, tile)) return tile;
  if (tile.cases.empty() && tile.otherwise.empty()) tile.otherwise = "no case is possible";
  tile.runtimes = map.runtimes();
  std::size_t next = 0;
  for (RuntimeVariable& runtime : tile.runtimes) {
    for (Expr& index : runtime.index) index = next < indices.size() ? indices[next++] : Expr();
  }
  return tile;
}

}  // namespace mercator
