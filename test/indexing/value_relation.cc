#include "test/indexing/value_relation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace mercator::testing {
namespace {

using Index = std::vector<std::int64_t>;
using Sizes = std::span<const std::int64_t>;

std::unexpected<Error> fault(std::string message) {
  return fail(ErrorKind::kInvalidInput, std::move(message));
}

// None outside of the array.
std::optional<std::int64_t> position_in(const Index& index, Sizes sizes) {
  if (index.size() != sizes.size()) return std::nullopt;
  std::int64_t position = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (index[d] < 0 || index[d] >= sizes[d]) return std::nullopt;
    position = position * sizes[d] + index[d];
  }
  return position;
}

// One point of a map, whose runtime variables are looked up one after another.
class Point {
 public:
  Point(const IndexMap& map, const hlo::Module& module, const NumberOf& number_of, Sizes dimensions,
        Sizes ranges)
      : map_(map),
        module_(module),
        number_of_(number_of),
        dimensions_(dimensions),
        ranges_(ranges),
        runtimes_(map.runtimes().size(), 0),
        known_(map.runtimes().size(), false) {}

  // The results; none if the point is not in the domain.
  Result<std::optional<Index>> results() {
    std::optional<Error> error;
    for (std::size_t k = 0; k < runtimes_.size(); ++k) {
      if (known_[k]) continue;
      if (const Result<void> found = look_up(k, 0); !found) error = found.error();
    }
    std::optional<Index> results = evaluate(map_, values());
    // Where there is nothing to look up there must be nothing to relate.
    if (error && results) return std::unexpected(*error);
    return results;
  }

 private:
  [[nodiscard]] VariableValues values() const {
    return {.dimensions = dimensions_, .ranges = ranges_, .runtimes = runtimes_};
  }

  Result<void> look_up(std::size_t k, std::size_t depth) {
    const RuntimeVariable& variable = map_.runtimes()[k];
    known_[k] = true;
    runtimes_[k] = variable.bounds.lo;
    if (depth > runtimes_.size()) return fault("runtime variables that need each other");
    if (!variable.tensor || *variable.tensor >= module_.instructions.size()) {
      return fault(fmt::format("rt{} does not say which tensor holds it", k));
    }
    const UsedVariables used = used_variables(variable.index);
    for (std::size_t other = 0; other < used.runtimes.size(); ++other) {
      if (used.runtimes[other] && !known_[other]) MERCATOR_TRY_VOID(look_up(other, depth + 1));
    }
    const hlo::Instruction& tensor = *module_.instructions[*variable.tensor];
    Index index(variable.index.size());
    Evaluator evaluator(variable.index);
    const bool has_index = evaluator(values(), index);
    const std::optional<std::int64_t> position =
        has_index ? position_in(index, tensor.shape.dimensions) : std::nullopt;
    if (!position) {
      return fault(fmt::format("rt{} is ({}) of '{}', which has no such element, at ({})[{}]", k,
                               fmt::join(index, ", "), tensor.name, fmt::join(dimensions_, ", "),
                               fmt::join(ranges_, ", ")));
    }
    const std::int64_t number = MERCATOR_TRY(number_of_(tensor, *position));
    runtimes_[k] = std::clamp(number, variable.bounds.lo, variable.bounds.hi);
    return {};
  }

  const IndexMap& map_;
  const hlo::Module& module_;
  const NumberOf& number_of_;
  Sizes dimensions_;
  Sizes ranges_;
  Index runtimes_;
  std::vector<bool> known_;
};

}  // namespace

Result<Positions> positions_of(const IndexMap& map, Sizes from_sizes, Sizes to_sizes,
                               const hlo::Module& module, const NumberOf& number_of,
                               std::int64_t max_points) {
  if (map.dimensions().size() != from_sizes.size() || map.results().size() != to_sizes.size()) {
    return fault("the map does not have the dimensions or results of its arrays");
  }
  std::vector<Interval> bounds;
  std::int64_t points = 1;
  const auto add = [&](const Variable& variable) {
    bounds.push_back(variable.bounds);
    const std::int64_t size = std::max<std::int64_t>(0, variable.bounds.size());
    if (__builtin_mul_overflow(points, size, &points)) points = max_points + 1;
  };
  for (const Variable& variable : map.dimensions()) add(variable);
  for (const Variable& variable : map.ranges()) add(variable);
  if (points > max_points) return fail(ErrorKind::kUnsupported, "the map has too many points");
  Positions result;
  Index at(bounds.size());
  for (std::int64_t i = 0; i < points; ++i) {
    std::int64_t rest = i;
    for (std::size_t v = 0; v < at.size(); ++v) {
      at[v] = bounds[v].lo + rest % bounds[v].size();
      rest /= bounds[v].size();
    }
    const Sizes dimensions = Sizes(at).first(from_sizes.size());
    const Sizes ranges = Sizes(at).subspan(from_sizes.size());
    const std::optional<Index> to =
        MERCATOR_TRY(Point(map, module, number_of, dimensions, ranges).results());
    if (!to) continue;
    const auto from_position = position_in(Index(dimensions.begin(), dimensions.end()), from_sizes);
    const auto to_position = position_in(*to, to_sizes);
    if (!from_position || !to_position) {
      return fault(fmt::format("the map leads from ({}) to ({}), outside of the arrays",
                               fmt::join(dimensions, ", "), fmt::join(*to, ", ")));
    }
    result.emplace(*from_position, *to_position);
  }
  return result;
}

}  // namespace mercator::testing
