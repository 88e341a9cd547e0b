#include "test/analysis/tile_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "mercator/expr/expr.h"

namespace mercator::testing {
namespace {

using Point = std::vector<std::int64_t>;
using Points = std::set<Point>;
using Fault = std::optional<std::string>;

// The map with numbers in place of its runtime variables.
IndexMap with_runtimes(const IndexMap& map, const Point& values) {
  const auto replace = [&](Expr expr) {
    return substitute(expr, [&](VariableId id) {
      return id.kind == VariableKind::kRuntime ? map.context().constant(values[id.index]) : Expr();
    });
  };
  std::vector<Expr> results;
  for (const Expr result : map.results()) results.push_back(replace(result));
  std::vector<Constraint> constraints;
  for (const auto& [expr, range] : map.constraints()) constraints.push_back({replace(expr), range});
  return {map.context(), map.dimensions(), map.ranges(), {}, results, constraints};
}

// Calls `visit` for each combination of indices below `sizes`.
template <class Visit>
void for_each_combination(const Point& sizes, const Visit& visit) {
  if (std::ranges::any_of(sizes, [](std::int64_t size) { return size <= 0; })) return;
  Point index(sizes.size(), 0);
  while (true) {
    visit(index);
    std::size_t i = sizes.size();
    while (i > 0 && ++index[i - 1] == sizes[i - 1]) index[--i] = 0;
    if (i == 0) return;
  }
}

Points points_of(const NumericTile& tile) {
  Point sizes;
  for (const NumericDimension& d : tile) sizes.push_back(d.size);
  Points points;
  for_each_combination(sizes, [&](const Point& index) {
    Point point;
    for (std::size_t i = 0; i < tile.size(); ++i) {
      point.push_back(tile[i].offset + index[i] * tile[i].stride);
    }
    points.insert(point);
  });
  return points;
}

// The tile that has just these points, if there is one.
std::optional<NumericTile> tile_with(const Points& points) {
  const std::size_t rank = points.begin()->size();
  NumericTile tile;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    std::set<std::int64_t> values;
    for (const Point& point : points) values.insert(point[i]);
    const std::int64_t first = *values.begin();
    const std::int64_t stride = values.size() == 1 ? 1 : *std::next(values.begin()) - first;
    const auto size = static_cast<std::int64_t>(values.size());
    if (*values.rbegin() != first + stride * (size - 1)) return std::nullopt;
    std::int64_t expected = first;
    for (const std::int64_t value : values) {
      if (value != expected) return std::nullopt;
      expected += stride;
    }
    tile.push_back({first, size, stride});
    combinations *= values.size();
  }
  return combinations == points.size() ? std::optional(tile) : std::nullopt;
}

NumericTile random_tile(const Point& array, Random& random) {
  NumericTile tile;
  for (const std::int64_t size : array) {
    NumericDimension d;
    switch (random.in(0, 9)) {
      case 0:
      case 1:  // all of it
        d = {0, size, 1};
        break;
      case 2:  // a part that divides it
        d.size = size;
        while (size % d.size != 0 || (d.size > 1 && random.percent(60))) --d.size;
        d.offset = d.size * random.in(0, size / d.size - 1);
        break;
      case 3:
      case 4:
      case 5:
        d.offset = random.in(0, size - 1);
        d.size = random.in(1, size - d.offset);
        break;
      default:
        d.offset = random.in(0, size - 1);
        d.stride = random.in(1, std::max<std::int64_t>(1, size - 1 - d.offset));
        d.size = random.in(1, (size - 1 - d.offset) / d.stride + 1);
    }
    if (d.size == 1) d.stride = 1;
    tile.push_back(d);
  }
  return tile;
}

std::string text_of(const NumericTile& tile) {
  std::vector<std::string> parts;
  for (const NumericDimension& d : tile) {
    parts.push_back(fmt::format("{} +: {} by {}", d.offset, d.size, d.stride));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string text_of(const Tile& tile) {
  std::string text;
  for (const Constraint& c : tile.nonempty) text += fmt::format("  only if {}\n", to_string(c));
  for (const TileCase& one : tile.cases) {
    text += fmt::format("  {}\n", to_string(one.dimensions));
    for (const Constraint& c : one.conditions) text += fmt::format("    if {}\n", to_string(c));
    for (const Constraint& c : one.nonempty) text += fmt::format("    only if {}\n", to_string(c));
  }
  return text + (tile.is_complete ? "  complete" : "  incomplete") + "\n  otherwise " +
         tile.otherwise + "\n";
}

// One map with given values of its runtime variables.
class Checker {
 public:
  Checker(const IndexMap& map, Point runtimes) : map_(map), runtimes_(std::move(runtimes)) {
    for (const RuntimeVariable& runtime : map.runtimes()) {
      const UsedVariables used = used_variables(runtime.index);
      const auto is_set = [](bool b) { return b; };
      varies_ = varies_ || std::ranges::any_of(used.dimensions, is_set) ||
                std::ranges::any_of(used.ranges, is_set);
    }
  }

  // Whether the elements depend on values known at run time that differ from one to the other.
  [[nodiscard]] bool varies() const { return varies_; }
  // False if the map is too large to be enumerated.
  bool enumerate() {
    const auto done = mercator::enumerate(
        with_runtimes(map_, runtimes_), 400'000,
        [&](const VariableValues& values, std::span<const std::int64_t> results) {
          relation_[Point(values.dimensions.begin(), values.dimensions.end())].insert(
              Point(results.begin(), results.end()));
        });
    return done.has_value();
  }

  Fault check(const Tile& tile, const NumericTile& root, TileCounts& counts) const {
    Points read;
    for (const Point& point : points_of(root)) {
      const auto found = relation_.find(point);
      if (found != relation_.end()) read.insert(found->second.begin(), found->second.end());
    }
    const Point parameters = parameters_of(root);
    const VariableValues values{.dimensions = parameters, .ranges = {}, .runtimes = runtimes_};
    const EvaluatedTile found = evaluate(tile, values);
    const auto fault = [&](std::string_view what) {
      return fmt::format("{}\n  {}\n  of {}\n{}  elements {}", what,
                         to_string(map_, MapStyle::kOneLine), text_of(root), text_of(tile),
                         fmt::join(read, " "));
    };
    if (found.is_tile) {
      ++counts.held;
      counts.empty += found.is_empty ? 1 : 0;
      if (found.is_empty != read.empty()) return fault("empty, or not empty");
      if (!found.is_empty && points_of(found.tile) != read) {
        return fault("other elements: " + text_of(found.tile));
      }
      return std::nullopt;
    }
    if (tile.otherwise.empty()) return fault("no reason");
    // What differs from element to element is one number here.
    if (varies_) return std::nullopt;
    ++counts.not_held;
    const auto enumerated = enumerate_tile(map_, root, runtimes_, 400'000);
    if (!enumerated) return fault("not enumerated");
    const auto expected = read.empty() ? std::nullopt : tile_with(read);
    if (enumerated->is_tile != (read.empty() || expected) || enumerated->is_empty != read.empty() ||
        (expected && enumerated->tile != *expected)) {
      return fault("enumerated in another way");
    }
    const bool is_said = std::ranges::any_of(tile.cases, [&](const TileCase& one) {
      const std::optional<NumericTile> box = evaluate(one, values);
      return box && points_of(*box) == read;
    });
    const bool is_other = read.empty() || tile_with(read);
    if (tile.is_complete) {
      ++counts.certain;
      if (is_said || is_other) return fault("conditions are too strict");
    }
    counts.strict += is_said ? 1 : 0;
    counts.boxes += is_other && !is_said ? 1 : 0;
    if (std::getenv("MERCATOR_SHOW") != nullptr && (is_said || is_other)) {
      fmt::print("{}\n", fault(is_said ? "too strict" : "another tile"));
    }
    return std::nullopt;
  }

 private:
  const IndexMap& map_;
  Point runtimes_;
  bool varies_ = false;
  std::map<Point, Points> relation_;
};

}  // namespace

TileCounts& TileCounts::operator+=(const TileCounts& other) {
  maps += other.maps;
  held += other.held;
  empty += other.empty;
  not_held += other.not_held;
  certain += other.certain;
  strict += other.strict;
  boxes += other.boxes;
  never += other.never;
  conditional += other.conditional;
  complete += other.complete;
  cases += other.cases;
  return *this;
}

Fault check_tiles(const IndexMap& map, const std::vector<std::int64_t>& array, int draws,
                  Random& random, TileCounts& free, TileCounts& strided) {
  if (std::ranges::any_of(array, [](std::int64_t size) { return size == 0; })) return std::nullopt;
  Point runtimes;
  for (const RuntimeVariable& runtime : map.runtimes()) {
    const std::int64_t lo = std::max<std::int64_t>(runtime.bounds.lo, -8);
    runtimes.push_back(random.in(lo, std::max(lo, std::min<std::int64_t>(runtime.bounds.hi, 12))));
  }
  Checker checker(map, runtimes);
  if (!checker.enumerate()) return std::nullopt;
  const auto count_map = [&](const Tile& tile, TileCounts& counts) {
    ++counts.maps;
    counts.cases += static_cast<std::int64_t>(tile.cases.size());
    counts.never += tile.cases.empty() ? 1 : 0;
    if (tile.is_unconditional() || checker.varies()) return;
    ++counts.conditional;
    counts.complete += tile.is_complete ? 1 : 0;
  };
  const auto has_case_twice = [](const Tile& tile) {
    for (std::size_t i = 0; i < tile.cases.size(); ++i) {
      const auto rest = std::span(tile.cases).subspan(i + 1);
      if (std::ranges::find(rest, tile.cases[i]) != rest.end()) return true;
    }
    return false;
  };
  const Tile symbolic = tile_of(map, RootTile(map.context(), array));
  count_map(symbolic, free);
  if (has_case_twice(symbolic)) return "a case twice:\n" + text_of(symbolic);
  for (int i = 0; i < draws; ++i) {
    const NumericTile numbers = random_tile(array, random);
    if (Fault fault = checker.check(symbolic, numbers, free)) return fault;
    // The same with numbers for the strides, and for some of the others.
    RootTile::Numbers offsets;
    RootTile::Numbers sizes;
    RootTile::Numbers strides;
    const std::int64_t chance = i == 0 ? 0 : 50;
    for (const NumericDimension& d : numbers) {
      offsets.push_back(random.percent(chance) ? std::optional(d.offset) : std::nullopt);
      sizes.push_back(random.percent(chance) ? std::optional(d.size) : std::nullopt);
      strides.emplace_back(d.stride);
    }
    const Result<RootTile> given = RootTile::make(map.context(), array, offsets, sizes, strides);
    if (!given) return given.error().message;
    const Tile tile = tile_of(map, *given);
    count_map(tile, strided);
    if (has_case_twice(tile)) return "a case twice:\n" + text_of(tile);
    if (Fault fault = checker.check(tile, numbers, strided)) return "of numbers: " + *fault;
  }
  return std::nullopt;
}

}  // namespace mercator::testing
