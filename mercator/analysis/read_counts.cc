// Counts for one set of maps.

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mercator/analysis/image_count.h"
#include "mercator/analysis/runtime_cases.h"
#include "mercator/analysis/utilisation.h"
#include "mercator/analysis/value_set.h"

namespace mercator {

namespace {

constexpr const char* kOverApproximate = "a map is over-approximate";
constexpr const char* kValues = "it depends on values that the program computes";
constexpr const char* kTooMuch = "the maps have no closed form, and enumerating them is too much";
constexpr const char* kDevices = "devices differ, or are too many to count apart";

bool is_all_fixed(const IndexMap& map) {
  for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
    if (!is_fixed(map, i)) return false;
  }
  return true;
}

std::int64_t elements_of(std::span<const std::int64_t> sizes) {
  std::int64_t elements = 1;
  for (const std::int64_t size : sizes) elements = saturating_mul(elements, size);
  return elements;
}

// The map with all values that its runtime variables may have: it leads to more, never to fewer.
IndexMap for_all_values(const IndexMap& map) {
  if (map.runtimes().empty()) return map;
  ExprContext& context = map.context();
  std::vector<Variable> ranges = map.ranges();
  const auto first = static_cast<std::uint32_t>(ranges.size());
  for (const RuntimeVariable& runtime : map.runtimes()) ranges.push_back({runtime.bounds});
  const auto renumber = [&](VariableId id) {
    return id.kind == VariableKind::kRuntime ? context.range(first + id.index) : Expr();
  };
  std::vector<Expr> results = map.results();
  substitute(results, renumber);
  std::vector<Constraint> constraints = map.constraints();
  for (Constraint& constraint : constraints) {
    constraint.expr = substitute(constraint.expr, renumber);
  }
  return simplify(IndexMap(context, map.dimensions(), std::move(ranges), {}, std::move(results),
                           std::move(constraints)));
}

// The map with some dimensions at one value; they stay as dimensions.
IndexMap with_dimensions(const IndexMap& map, const std::vector<std::optional<std::int64_t>>& at) {
  std::vector<Variable> dimensions = map.dimensions();
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (at[i]) dimensions[i].bounds = intersect(dimensions[i].bounds, Interval::point(*at[i]));
  }
  return simplify(IndexMap(map.context(), std::move(dimensions), map.ranges(), map.runtimes(),
                           map.results(), map.constraints()));
}

// Over the cases that runtime variables give: the least and the largest count. None if one of them
// is not known.
std::optional<Count> over_cases(
    std::span<const IndexMap> maps, Counting counting,
    const std::function<std::optional<std::int64_t>(const std::vector<IndexMap>&)>& count) {
  const auto cases = runtime_cases(maps, counting);
  if (!cases) return std::nullopt;
  Count result{.lo = INT64_MAX, .hi = 0, .reason = kValues};
  for (const std::vector<IndexMap>& maps_of_case : *cases) {
    const auto found = count(maps_of_case);
    if (!found) return std::nullopt;
    result.lo = std::min(result.lo, *found);
    result.hi = std::max(result.hi, *found);
  }
  return Count::between(result.lo, result.hi, result.reason);
}

class SetCounter {
 public:
  SetCounter(std::span<const std::int64_t> sizes, std::int64_t budget)
      : sizes_(sizes), elements_(elements_of(sizes)), budget_{budget} {}

  // Of maps that say nothing of devices, or what holds of all of them together.
  Count elements(const std::vector<const OperandMap*>& maps) {
    std::vector<IndexMap> known;
    std::vector<IndexMap> unsure;
    std::string reason;
    std::int64_t lo = 0;
    for (const OperandMap* map : maps) {
      // Across devices, a runtime variable may have one value on each.
      const bool is_of_devices = map->across_devices && !map->map.runtimes().empty();
      if (map->exact && !is_of_devices && is_all_fixed(map->map)) {
        if (std::ranges::find(known, map->map) == known.end()) known.push_back(map->map);
        continue;
      }
      if (reason.empty()) reason = map->exact ? kValues : kOverApproximate;
      if (map->exact && !is_of_devices) lo = std::max(lo, least_elements(map->map));
      unsure.push_back(for_all_values(map->map));
    }
    Count count = union_of(known);
    if (unsure.empty() || count.lo == elements_) return count;
    for (const IndexMap& map : known) unsure.push_back(for_all_values(map));
    const std::int64_t hi = count_union(unsure, sizes_, budget_).value_or(elements_);
    return Count::between(std::max(count.lo, lo), std::max({count.lo, lo, hi}), reason);
  }

  Count pairs(const std::vector<const OperandMap*>& maps) {
    Count sum;
    std::vector<IndexMap> known;
    for (const OperandMap* map : maps) {
      if (!map->exact) {
        add(sum, Count::between(0, most_pairs(map->map), kOverApproximate));
      } else if (is_all_fixed(map->map)) {
        known.push_back(map->map);
      } else {
        add(sum, pairs_by_values(map->map));
      }
    }
    if (known.empty()) return sum;
    const auto all = over_cases(known, Counting::kApart, [&](const std::vector<IndexMap>& of_case) {
      std::optional<std::int64_t> pairs = 0;
      for (const IndexMap& map : of_case) {
        const auto more = pairs ? count_pairs(map, budget_) : std::nullopt;
        pairs = more ? std::optional(saturating_add(*pairs, *more)) : std::nullopt;
      }
      return pairs;
    });
    if (all) {
      add(sum, *all);
      return sum;
    }
    for (const IndexMap& map : known) add(sum, pairs_of(map));
    return sum;
  }

  // Of maps from and to devices.
  Count elements_across(const std::vector<IndexMap>& across, const Count& together,
                        std::int64_t devices) {
    std::vector<std::int64_t> sizes = {devices};
    sizes.insert(sizes.end(), sizes_.begin(), sizes_.end());
    const auto of_all = count_union(across, sizes, budget_);
    if (!of_all) return Count::between(0, together.hi, kTooMuch);
    // No device has more than all together: if they have as many in all, each has these.
    const std::int64_t others = saturating_mul(together.hi, devices - 1);
    return Count::between(std::max<std::int64_t>(0, *of_all - others), together.hi, kDevices);
  }

  Count pairs_across(const std::vector<IndexMap>& across, std::int64_t devices) {
    constexpr std::int64_t kMaxDevices = 256;
    Count count{.lo = INT64_MAX, .hi = 0, .reason = kDevices};
    for (std::int64_t device = 0; device < devices && devices <= kMaxDevices; ++device) {
      std::optional<std::int64_t> of_device = 0;
      for (const IndexMap& map : across) {
        std::vector<std::optional<std::int64_t>> at(map.dimensions().size());
        at[0] = device;
        const auto more = count_pairs(with_dimensions(map, at), budget_);
        if (!more) return Count::between(0, most_pairs(across), kTooMuch);
        of_device = saturating_add(*of_device, *more);
      }
      count.lo = std::min(count.lo, *of_device);
      count.hi = std::max(count.hi, *of_device);
    }
    if (devices > kMaxDevices) return Count::between(0, most_pairs(across), kDevices);
    return Count::between(count.lo, count.hi, count.reason);
  }

  std::int64_t most_pairs(const std::vector<IndexMap>& maps) const {
    std::int64_t most = 0;
    for (const IndexMap& map : maps) most = saturating_add(most, most_pairs(map));
    return most;
  }

  [[nodiscard]] std::int64_t array_elements() const { return elements_; }

 private:
  static void add(Count& sum, const Count& more) {
    sum.lo = saturating_add(sum.lo, more.lo);
    sum.hi = saturating_add(sum.hi, more.hi);
    // One that is there at all, even if both sums have become the largest int64.
    if (sum.reason.empty()) sum.reason = more.reason;
  }

  Count union_of(const std::vector<IndexMap>& maps) {
    const auto count_of = [&](const std::vector<IndexMap>& of_case) {
      return count_union(of_case, sizes_, budget_);
    };
    if (maps.empty()) return {};
    if (auto count = over_cases(maps, Counting::kTogether, count_of)) return *count;
    // What is known of each map alone.
    std::int64_t lo = 0;
    std::int64_t hi = 0;
    std::string reason = kTooMuch;
    for (const IndexMap& map : maps) {
      auto count = over_cases(std::span(&map, 1), Counting::kTogether, count_of);
      if (!map.runtimes().empty()) reason = kValues;
      if (!count) {
        count = Count::between(
            0, count_union(std::vector{for_all_values(map)}, sizes_, budget_).value_or(elements_),
            reason);
      }
      lo = std::max(lo, count->lo);
      hi = saturating_add(hi, count->hi);
    }
    return Count::between(lo, std::min(hi, elements_), reason);
  }

  // A lower bound for a map whose runtime variables differ from element to element: what those
  // elements lead to for which they are the same.
  std::int64_t least_elements(const IndexMap& map) {
    std::vector<std::optional<std::int64_t>> at(map.dimensions().size());
    std::vector<std::int64_t> values;
    for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
      const RuntimeVariable& runtime = map.runtimes()[i];
      const UsedVariables used = used_variables(runtime.index);
      if (!runtime.tensor || !is_offset(map, i) || uses_ranges(used)) return 0;
      if (std::ranges::find(used.runtimes, true) != used.runtimes.end()) return 0;
      for (std::size_t k = 0; k < used.dimensions.size(); ++k) {
        if (used.dimensions[k]) at[k] = map.dimensions()[k].bounds.lo;
      }
      values.push_back(any_value(runtime.bounds));
    }
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (at[k] && is_constrained(map, static_cast<std::uint32_t>(k))) return 0;
    }
    const std::vector<IndexMap> still = {with_runtimes(with_dimensions(map, at), values)};
    return count_union(still, sizes_, budget_).value_or(0);
  }

  static bool uses_ranges(const UsedVariables& used) {
    return std::ranges::find(used.ranges, true) != used.ranges.end();
  }
  static bool is_constrained(const IndexMap& map, std::uint32_t dimension) {
    return std::ranges::any_of(map.constraints(), [&](const Constraint& constraint) {
      return used_variables(std::span(&constraint.expr, 1))
          .contains({VariableKind::kDimension, dimension});
    });
  }

  // Where each element of the result has its own value, which moves all that it leads to, the
  // number of pairs does not depend on the values.
  Count pairs_by_values(const IndexMap& map) {
    std::vector<std::int64_t> values;
    for (std::uint32_t i = 0; i < map.runtimes().size(); ++i) {
      const RuntimeVariable& runtime = map.runtimes()[i];
      const UsedVariables used = used_variables(runtime.index);
      const bool is_of_range = uses_ranges(used) || !runtime.tensor ||
                               std::ranges::find(used.runtimes, true) != used.runtimes.end();
      if (is_of_range || !is_offset(map, i)) return Count::between(0, most_pairs(map), kValues);
      values.push_back(any_value(runtime.bounds));
    }
    return pairs_of(with_runtimes(map, values));
  }

  Count pairs_of(const IndexMap& map) {
    const auto count = over_cases(
        std::span(&map, 1), Counting::kApart,
        [&](const std::vector<IndexMap>& of_case) { return count_pairs(of_case[0], budget_); });
    if (count) return *count;
    return Count::between(0, most_pairs(map), map.runtimes().empty() ? kTooMuch : kValues);
  }

  // No more than there are points, and than there are pairs at all.
  [[nodiscard]] std::int64_t most_pairs(const IndexMap& map) const {
    if (map.is_known_empty()) return 0;
    std::int64_t points = 1;
    std::int64_t pairs = elements_;
    for (const Variable& variable : map.dimensions()) {
      points = saturating_mul(points, variable.bounds.size());
      pairs = saturating_mul(pairs, variable.bounds.size());
    }
    for (const Variable& variable : map.ranges()) {
      points = saturating_mul(points, variable.bounds.size());
    }
    return std::min(points, pairs);
  }

  std::span<const std::int64_t> sizes_;
  std::int64_t elements_;
  StepBudget budget_;
};

// Each element that is read is read at least once.
void tighten(ReadCounts& counts) {
  Count& elements = counts.elements;
  Count& reads = counts.reads;
  elements = Count::between(elements.lo, std::min(elements.hi, reads.hi), elements.reason);
  reads = Count::between(std::max(reads.lo, elements.lo), reads.hi, reads.reason);
}

}  // namespace

ReadCounts count_reads(std::span<const OperandMap> maps, std::span<const std::int64_t> sizes,
                       std::int64_t devices, std::int64_t budget) {
  if (std::ranges::find(sizes, 0) != sizes.end()) return {};
  SetCounter counter(sizes, budget);
  std::vector<const OperandMap*> all;
  for (const OperandMap& map : maps) all.push_back(&map);
  ReadCounts counts{.elements = counter.elements(all), .reads = {}};
  const auto is_across = [](const OperandMap& map) { return map.across_devices.has_value(); };
  if (devices <= 1 || std::ranges::none_of(maps, is_across)) {
    counts.reads = counter.pairs(all);
    tighten(counts);
    return counts;
  }
  std::vector<IndexMap> across;
  bool is_known = true;
  for (const OperandMap& map : maps) {
    across.push_back(map.across_devices.value_or(on_each_device(map.map, devices)));
    is_known = is_known && map.exact && across.back().runtimes().empty();
  }
  if (is_known) {
    counts.elements = counter.elements_across(across, counts.elements, devices);
    counts.reads = counter.pairs_across(across, devices);
  } else {
    counts.elements = Count::between(0, counts.elements.hi, "what other devices read is not exact");
    counts.reads = Count::between(0, counter.most_pairs(across), counts.elements.reason);
  }
  // What one device reads may be of others, so that neither count bounds the other.
  return counts;
}

}  // namespace mercator
