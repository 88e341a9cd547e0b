#include "mercator/analysis/tile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

#include "mercator/expr/text.h"
#include "mercator/support/arithmetic.h"

namespace mercator {

RootTile::RootTile(ExprContext& context, std::span<const std::int64_t> array)
    : context_(&context), array_(array.begin(), array.end()) {
  for (const std::int64_t size : array_) {
    bounds_.push_back({0, size - 1});
    bounds_.push_back({1, size});
    bounds_.push_back({1, std::max<std::int64_t>(1, size - 1)});
  }
}

Result<RootTile> RootTile::make(ExprContext& context, std::span<const std::int64_t> array,
                                const Numbers& offsets, const Numbers& sizes,
                                const Numbers& strides) {
  RootTile tile(context, array);
  const auto check = [&](std::string_view what, const Numbers& numbers) -> Result<void> {
    if (numbers.empty() || numbers.size() == array.size()) return {};
    return fail(ErrorKind::kUsage,
                fmt::format("{} {} for an array of {} dimension{}", numbers.size(), what,
                            array.size(), array.size() == 1 ? "" : "s"));
  };
  MERCATOR_TRY_VOID(check("offsets", offsets));
  MERCATOR_TRY_VOID(check("sizes", sizes));
  MERCATOR_TRY_VOID(check("strides", strides));
  for (std::size_t i = 0; i < array.size(); ++i) {
    const auto given = [&](const Numbers& numbers) {
      return numbers.empty() ? std::nullopt : numbers[i];
    };
    const std::int64_t end = array[i] - 1;
    const std::int64_t offset = given(offsets).value_or(0);
    const std::int64_t size = given(sizes).value_or(1);
    const std::int64_t stride = given(strides).value_or(1);
    std::int64_t span = 0;
    const bool fits = offset >= 0 && size >= 1 && stride >= 1 &&
                      checked_mul(stride, size - 1, &span) && offset <= end && span <= end - offset;
    if (!fits) {
      return fail(ErrorKind::kUsage,
                  fmt::format("no tile with offset {}, size {} and stride {} in dimension {}, "
                              "which has {} elements",
                              offset, size, stride, i, array[i]));
    }
    const std::int64_t most = (end - offset) / stride + 1;
    const std::int64_t widest =
        size > 1 ? (end - offset) / (size - 1) : std::max<std::int64_t>(1, end);
    Interval* bounds = &tile.bounds_[kParameters * i];
    bounds[0] = given(offsets) ? Interval::point(offset) : Interval{0, end - span};
    bounds[1] = given(sizes) ? Interval::point(size) : Interval{1, most};
    bounds[2] = given(strides) ? Interval::point(stride) : Interval{1, widest};
  }
  return tile;
}

TileDimension RootTile::dimension(std::size_t i) const {
  const auto parameter = [&](std::size_t which) {
    const auto index = static_cast<std::uint32_t>(kParameters * i + which);
    const Interval bounds = bounds_[index];
    return bounds.is_point() ? context_->constant(bounds.lo) : context_->dimension(index);
  };
  return {.offset = parameter(0), .size = parameter(1), .stride = parameter(2)};
}

std::vector<Variable> RootTile::variables() const {
  std::vector<Variable> variables;
  for (std::uint32_t i = 0; i < bounds_.size(); ++i) {
    variables.push_back({bounds_[i], tile_variable_name({VariableKind::kDimension, i})});
  }
  return variables;
}

std::vector<Constraint> RootTile::facts() const {
  std::vector<Constraint> facts;
  for (std::size_t i = 0; i < rank(); ++i) {
    const TileDimension d = dimension(i);
    const Expr last = d.offset + d.stride * (d.size - 1);
    if (!last.is(ExprKind::kConstant) && !last.is(ExprKind::kVariable)) {
      facts.push_back({last, Interval::indices(array_[i])});
    }
  }
  return facts;
}

std::string tile_variable_name(VariableId id) {
  if (id.kind != VariableKind::kDimension) return default_variable_name(id);
  static constexpr std::string_view kNames[] = {"offset", "size", "stride"};
  return fmt::format("{}{}", kNames[id.index % RootTile::kParameters],
                     id.index / RootTile::kParameters);
}

std::vector<std::int64_t> parameters_of(const NumericTile& root) {
  std::vector<std::int64_t> parameters;
  for (const NumericDimension& d : root) {
    parameters.insert(parameters.end(), {d.offset, d.size, d.stride});
  }
  return parameters;
}

bool hold(std::span<const Constraint> constraints, const VariableValues& values) {
  return std::ranges::all_of(constraints, [&](const Constraint& constraint) {
    const std::optional<std::int64_t> value = evaluate(constraint.expr, values);
    return value && constraint.range.contains(*value);
  });
}

std::optional<NumericTile> evaluate(const TileCase& tile, const VariableValues& values) {
  NumericTile numbers;
  for (const TileDimension& d : tile.dimensions) {
    const auto offset = evaluate(d.offset, values);
    const auto size = evaluate(d.size, values);
    const auto stride = evaluate(d.stride, values);
    if (!offset || !size || !stride) return std::nullopt;
    numbers.push_back({.offset = *offset, .size = *size, .stride = *size == 1 ? 1 : *stride});
  }
  return numbers;
}

EvaluatedTile evaluate(const Tile& tile, const VariableValues& values) {
  if (!hold(tile.nonempty, values)) return {.is_tile = true, .is_empty = true};
  for (const TileCase& one : tile.cases) {
    if (!hold(one.conditions, values)) continue;
    if (!hold(one.nonempty, values)) return {.is_tile = true, .is_empty = true};
    std::optional<NumericTile> numbers = evaluate(one, values);
    if (!numbers) continue;
    return {.is_tile = true, .is_empty = false, .tile = *std::move(numbers)};
  }
  return {};
}

std::optional<NumericTile> tile_with(const std::set<std::vector<std::int64_t>>& elements) {
  NumericTile tile;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < elements.begin()->size(); ++i) {
    std::set<std::int64_t> values;
    for (const std::vector<std::int64_t>& element : elements) values.insert(element[i]);
    const std::int64_t first = *values.begin();
    const std::int64_t stride = values.size() == 1 ? 1 : *std::next(values.begin()) - first;
    std::int64_t expected = first;
    for (const std::int64_t value : values) {
      if (value != expected) return std::nullopt;
      expected += stride;
    }
    combinations *= values.size();
    tile.push_back({first, static_cast<std::int64_t>(values.size()), stride});
  }
  return combinations == elements.size() ? std::optional(tile) : std::nullopt;
}

std::string to_string(std::span<const TileDimension> dimensions) {
  std::vector<std::string> texts;
  for (const TileDimension& d : dimensions) {
    std::string text = fmt::format("{} +: {}", to_string(d.offset, tile_variable_name),
                                   to_string(d.size, tile_variable_name));
    if (!d.stride.is_constant(1)) {
      text += fmt::format(" by {}", to_string(d.stride, tile_variable_name));
    }
    texts.push_back(std::move(text));
  }
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string to_string(const Constraint& constraint) {
  const auto& [expr, range] = constraint;
  const std::string text = to_string(expr, tile_variable_name);
  if (range.is_point()) return fmt::format("{} = {}", text, range.lo);
  if (range.hi == Interval::kPlusInfinity) return fmt::format("{} >= {}", text, range.lo);
  if (range.lo == Interval::kMinusInfinity) return fmt::format("{} <= {}", text, range.hi);
  return fmt::format("{} in [{}, {}]", text, range.lo, range.hi);
}

}  // namespace mercator
