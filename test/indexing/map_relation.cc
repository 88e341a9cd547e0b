#include "test/indexing/map_relation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "test/indexing/model_instructions.h"

namespace mercator::testing {
namespace {

using Index = std::vector<std::int64_t>;

std::unexpected<Error> fault(std::string message) {
  return fail(ErrorKind::kInvalidInput, std::move(message));
}

// Whether `bounds` hold every value of an integer type, as far as int64 goes.
bool contains_all(Interval bounds, hlo::ElementType type) {
  const std::int64_t bits = std::min<std::int64_t>(hlo::bit_width(type), 64);
  const std::int64_t value_bits = bits - (hlo::is_signed(type) ? 1 : 0);
  const std::int64_t largest = value_bits >= 63 ? std::numeric_limits<std::int64_t>::max()
                                                : (std::int64_t{1} << value_bits) - 1;
  return bounds.lo <= (hlo::is_signed(type) ? -largest - 1 : 0) && bounds.hi >= largest;
}

// Collects pairs and sees that they lie inside the arrays.
class PairCollector {
 public:
  PairCollector(Sizes from_sizes, Sizes to_sizes) : from_sizes_(from_sizes), to_sizes_(to_sizes) {}

  void add(Sizes from, Sizes to) {
    if (!is_inside(from, from_sizes_) || !is_inside(to, to_sizes_)) {
      if (!fault_) {
        fault_ = fmt::format("the map relates ({}) to ({}), outside of the arrays",
                             fmt::join(from, ", "), fmt::join(to, ", "));
      }
      return;
    }
    pairs_.emplace_back(position_of(from, from_sizes_), position_of(to, to_sizes_));
  }

  Result<std::vector<ElementPair>> finish() {
    if (fault_) return fault(*fault_);
    std::ranges::sort(pairs_);
    const auto rest = std::ranges::unique(pairs_);
    pairs_.erase(rest.begin(), rest.end());
    return std::move(pairs_);
  }

 private:
  Sizes from_sizes_;
  Sizes to_sizes_;
  std::vector<ElementPair> pairs_;
  std::optional<std::string> fault_;
};

// A map whose runtime variables get their values from a model, point by point.
class RuntimeMap {
 public:
  RuntimeMap(const IndexMap& map, const hlo::Module& module, Model& model, bool across_devices)
      : map_(map),
        module_(module),
        model_(model),
        across_devices_(across_devices),
        values_(map.runtimes().size(), 0) {
    for (const RuntimeVariable& variable : map.runtimes()) index_.emplace_back(variable.index);
  }

  // Puts the runtime variables in an order in which each is known before it is needed.
  Result<void> prepare() {
    const auto& runtimes = map_.runtimes();
    for (std::size_t k = 0; k < runtimes.size(); ++k) {
      if (!runtimes[k].tensor || *runtimes[k].tensor >= module_.instructions.size()) {
        return fault(fmt::format("rt{} does not say which tensor holds it", k));
      }
      const hlo::Shape& shape = module_.instructions[*runtimes[k].tensor]->shape;
      if (!shape.is_array() || runtimes[k].index.size() != tensor_sizes(shape).size()) {
        return fault(fmt::format("the index of rt{} does not fit its tensor", k));
      }
    }
    std::vector<int> state(runtimes.size(), 0);
    for (std::size_t k = 0; k < runtimes.size(); ++k) MERCATOR_TRY_VOID(visit(k, state));
    return {};
  }

  // The results at this point, if it lies in the domain.
  Result<std::optional<Index>> operator()(Sizes dimensions, Sizes ranges) {
    const VariableValues point{.dimensions = dimensions, .ranges = ranges, .runtimes = values_};
    bool has_all = true;
    std::size_t outside = 0;
    for (const std::size_t k : order_) {
      const std::optional<std::int64_t> element = element_of(k, point);
      if (!element) {
        has_all = false;
        outside = k;
        values_[k] = map_.runtimes()[k].bounds.lo;
        continue;
      }
      const std::optional<std::int64_t> value = MERCATOR_TRY(value_of(k, *element));
      if (!value) return std::optional<Index>();
      values_[k] = *value;
    }
    if (!has_all) {
      if (!in_domain(point)) return std::optional<Index>();
      return fault(fmt::format("rt{} is outside of its tensor at ({})[{}]", outside,
                               fmt::join(dimensions, ", "), fmt::join(ranges, ", ")));
    }
    return evaluate(map_, point);
  }

 private:
  Result<void> visit(std::size_t k, std::vector<int>& state) {
    if (state[k] == 2) return {};
    if (state[k] == 1) return fault(fmt::format("rt{} needs itself", k));
    state[k] = 1;
    const UsedVariables used = used_variables(map_.runtimes()[k].index);
    for (std::size_t other = 0; other < used.runtimes.size(); ++other) {
      if (used.runtimes[other]) MERCATOR_TRY_VOID(visit(other, state));
    }
    state[k] = 2;
    order_.push_back(k);
    return {};
  }

  // With the devices, where they count.
  [[nodiscard]] Index tensor_sizes(const hlo::Shape& shape) const {
    Index sizes(shape.dimensions.begin(), shape.dimensions.end());
    if (across_devices_) sizes.insert(sizes.begin(), model_.device_count());
    return sizes;
  }

  // Which element of its tensor holds the variable; none if there is no such element.
  std::optional<std::int64_t> element_of(std::size_t k, const VariableValues& point) {
    const Index sizes = tensor_sizes(module_.instructions[*map_.runtimes()[k].tensor]->shape);
    Index index(sizes.size());
    if (!index_[k](point, index) || !is_inside(index, sizes)) return std::nullopt;
    return position_of(index, sizes);
  }

  // The value of the variable: the element, clamped as the instruction that uses it does. None if
  // that lies outside the bounds of the variable, so that the point is not in the domain.
  Result<std::optional<std::int64_t>> value_of(std::size_t k, std::int64_t element) {
    const RuntimeVariable& variable = map_.runtimes()[k];
    const std::set<std::int64_t> raw = model_.values(*variable.tensor, element);
    if (raw.size() != 1) {
      return fault(fmt::format("rt{} is held by '{}', which has {} values", k,
                               module_.instructions[*variable.tensor]->name, raw.size()));
    }
    const auto clamped = [&](std::int64_t limit) {
      return std::min(std::max<std::int64_t>(*raw.begin(), 0), limit);
    };
    const Interval bounds = variable.bounds;
    // Of an index that is not clamped.
    if (contains_all(bounds, module_.instructions[*variable.tensor]->shape.element_type)) {
      if (!bounds.contains(*raw.begin())) return std::optional<std::int64_t>();
      return *raw.begin();
    }
    const std::set<std::int64_t>& limits = model_.clamp_limits();
    if (bounds.lo == 0 && limits.contains(bounds.hi)) return clamped(bounds.hi);
    // The bounds are narrower than what the instruction clamps to, or wider than it need be.
    std::set<std::int64_t> values;
    for (const std::int64_t limit : limits) {
      if (limit >= bounds.hi) values.insert(clamped(limit));
    }
    if (values.empty()) {
      return fault(
          fmt::format("the bounds {} of rt{} are those of no start index", to_string(bounds), k));
    }
    if (values.size() > 1) {
      return fault(fmt::format("the bounds {} of rt{} do not tell what it is clamped to",
                               to_string(bounds), k));
    }
    if (!bounds.contains(*values.begin())) return std::optional<std::int64_t>();
    return *values.begin();
  }

  [[nodiscard]] bool in_domain(const VariableValues& point) const { return contains(map_, point); }

  const IndexMap& map_;
  const hlo::Module& module_;
  Model& model_;
  bool across_devices_;
  Index values_;
  std::vector<Evaluator> index_;  // of each runtime variable
  std::vector<std::size_t> order_;
};

Result<void> relate_with_runtimes(const IndexMap& map, const hlo::Module& module, Model& model,
                                  std::int64_t max_points, bool across_devices,
                                  PairCollector& pairs) {
  RuntimeMap runtime_map(map, module, model, across_devices);
  MERCATOR_TRY_VOID(runtime_map.prepare());
  Index lows;
  Index extents;
  std::int64_t points = 1;
  const auto add_variable = [&](const Variable& variable) {
    lows.push_back(variable.bounds.lo);
    extents.push_back(variable.bounds.size());
    if (__builtin_mul_overflow(points, extents.back(), &points)) points = max_points + 1;
  };
  for (const Variable& variable : map.dimensions()) add_variable(variable);
  for (const Variable& variable : map.ranges()) add_variable(variable);
  if (points > max_points) return fail(ErrorKind::kUnsupported, "the map has too many points");
  const std::size_t rank = map.dimensions().size();
  Index at(lows.size());
  std::optional<Error> error;
  for_each_index(extents, [&](Sizes offset) {
    if (error) return;
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = lows[i] + offset[i];
    const Sizes dimensions = Sizes(at).first(rank);
    const auto results = runtime_map(dimensions, Sizes(at).subspan(rank));
    if (!results) {
      error = results.error();
    } else if (*results) {
      pairs.add(dimensions, **results);
    }
  });
  if (error) return std::unexpected(*error);
  return {};
}

}  // namespace

Result<std::vector<ElementPair>> relation_of(const IndexMap& map, Sizes from_sizes, Sizes to_sizes,
                                             const hlo::Module& module, Model& model,
                                             std::int64_t max_points, bool across_devices) {
  if (map.dimensions().size() != from_sizes.size() || map.results().size() != to_sizes.size()) {
    return fault("the map does not have the dimensions or results of its arrays");
  }
  PairCollector pairs(from_sizes, to_sizes);
  if (map.runtimes().empty()) {
    const Result<void> done = enumerate(
        map, max_points, [&](const VariableValues& values, std::span<const std::int64_t> results) {
          pairs.add(values.dimensions, results);
        });
    if (!done) return fail(ErrorKind::kUnsupported, done.error().message);
  } else {
    MERCATOR_TRY_VOID(relate_with_runtimes(map, module, model, max_points, across_devices, pairs));
  }
  return pairs.finish();
}

}  // namespace mercator::testing
