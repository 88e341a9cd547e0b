#include "mercator/analysis/image_count.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "mercator/analysis/value_set.h"
#include "mercator/map/expr_values.h"
#include "mercator/map/independent_groups.h"

namespace mercator {

namespace {

// Whether every index of the array is a result, evidently.
bool is_onto(const IndexMap& map, std::span<const std::int64_t> sizes) {
  if (!map.constraints().empty()) return false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Expr result = map.results()[i];
    if (result.is(ExprKind::kConstant) && sizes[i] == 1) continue;
    if (!result.is(ExprKind::kVariable)) return false;
    if (bounds_of(map, result.variable()) != Interval::indices(sizes[i])) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (map.results()[j] == result) return false;
    }
  }
  return true;
}

// Some dimensions of the array, and the strides of their positions.
struct Factor {
  std::vector<std::size_t> dimensions;
  std::vector<std::int64_t> strides;
  std::int64_t size = 1;
};

// One map, taken apart by the dimensions of the array.
class TakenApart {
 public:
  explicit TakenApart(const IndexMap& map)
      : map_(&map), groups_(independent_groups(map, map.results())) {
    for (const Expr result : map.results()) {
      const auto group = std::ranges::find_if(groups_, [&](const IndependentGroup& candidate) {
        return std::ranges::find(candidate.parts, result) != candidate.parts.end();
      });
      group_of_.push_back(static_cast<std::size_t>(group - groups_.begin()));
    }
  }

  [[nodiscard]] bool are_connected(std::size_t i, std::size_t j) const {
    return group_of_[i] == group_of_[j] && group_of_[i] < groups_.size();
  }

  // Whether conditions that no result depends on can be met. None if that is too much work.
  [[nodiscard]] std::optional<bool> has_points(StepBudget& budget) const {
    for (const IndependentGroup& group : groups_) {
      if (!group.parts.empty()) continue;
      const auto points = count_points(map_of(*map_, group), budget);
      if (!points || *points == 0) return points.has_value() ? std::optional(false) : std::nullopt;
    }
    return true;
  }

  // The positions within a factor.
  [[nodiscard]] std::optional<ValueSet> positions(const Factor& factor, StepBudget& budget) const {
    const IndexMap part = part_of(factor);
    if (part.is_known_empty()) return ValueSet{};
    if (const auto run = evident_run(part)) return ValueSet{*run};
    return enumerate_values(part, part.results()[0], factor.size, budget);
  }

  // How many they are.
  [[nodiscard]] std::optional<std::int64_t> count(const Factor& factor, StepBudget& budget) const {
    const IndexMap part = part_of(factor);
    if (part.is_known_empty()) return 0;
    if (const auto run = evident_run(part)) return run->size();
    if (const auto closed = count_image(part, 0)) return *closed;
    return count_values(part, part.results()[0], factor.size, budget);
  }

 private:
  // What the position within a factor depends on, as a map to the position.
  [[nodiscard]] IndexMap part_of(const Factor& factor) const {
    IndependentGroup part;
    std::vector<Term> terms;
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < factor.dimensions.size(); ++i) {
      const std::size_t dimension = factor.dimensions[i];
      terms.push_back({.expr = map_->results()[dimension], .coefficient = factor.strides[i]});
      const std::size_t group = group_of_[dimension];
      if (group == groups_.size() || std::ranges::find(seen, group) != seen.end()) continue;
      seen.push_back(group);
      const IndependentGroup& found = groups_[group];
      part.variables.insert(part.variables.end(), found.variables.begin(), found.variables.end());
      part.constraints.insert(part.constraints.end(), found.constraints.begin(),
                              found.constraints.end());
    }
    part.parts.push_back(map_->context().sum(terms));
    const IndexMap result = map_of(*map_, part);
    return factor.dimensions.size() == 1 ? result : simplify(result);
  }

  // The values of the result, where they are one run for all to see.
  static std::optional<ValueRun> evident_run(const IndexMap& part) {
    const Expr result = part.results()[0];
    const auto values = values_of(part, result);
    if (!values || !values->is_evenly_spaced) return std::nullopt;
    const __int128 end = values->lo + values->span;
    if (values->lo < 0 || end >= INT64_MAX) return std::nullopt;
    ValueRun run{.lo = static_cast<std::int64_t>(values->lo), .hi = static_cast<std::int64_t>(end)};
    if (values->count > 1) run.step = static_cast<std::int64_t>(values->step);
    if (part.constraints().empty()) return run;
    // result = expr + offset, and nothing else is said of expr: that cuts off the ends.
    if (part.constraints().size() != 1 || run.step != 1) return std::nullopt;
    const Constraint& constraint = part.constraints()[0];
    for (const std::int64_t sign : {1, -1}) {
      const Expr offset = result - constraint.expr * sign;
      if (!offset.is(ExprKind::kConstant)) continue;
      const Interval kept =
          intersect({run.lo, run.hi}, constraint.range * sign + Interval::point(offset.value()));
      if (kept.is_empty()) return std::nullopt;
      return ValueRun{.lo = kept.lo, .hi = kept.hi};
    }
    return std::nullopt;
  }

  const IndexMap* map_;
  std::vector<IndependentGroup> groups_;
  std::vector<std::size_t> group_of_;  // of each result; as many as there are groups for constants
};

// The dimensions that no map connects. None if the positions of a factor leave int64.
std::optional<std::vector<Factor>> factors_of(const std::vector<TakenApart>& maps,
                                              std::span<const std::int64_t> sizes) {
  std::vector<std::size_t> leader(sizes.size());
  std::iota(leader.begin(), leader.end(), 0);
  for (const TakenApart& map : maps) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const std::size_t label = leader[i];
        if (map.are_connected(i, j)) std::ranges::replace(leader, label, std::size_t{leader[j]});
      }
    }
  }
  std::vector<Factor> factors;
  for (std::size_t first = 0; first < sizes.size(); ++first) {
    Factor factor;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      if (leader[i] != first) continue;
      factor.dimensions.push_back(i);
      factor.strides.push_back(factor.size);
      if (!checked_mul(factor.size, sizes[i], &factor.size)) return std::nullopt;
    }
    if (!factor.dimensions.empty()) factors.push_back(std::move(factor));
  }
  return factors;
}

// How many elements lie in at least one of several products, the factors of which come one by one.
class UnionCounter {
 public:
  // False if there are too many ways in which the products overlap.
  [[nodiscard]] bool multiply(std::span<const ValueSet> sets) {
    constexpr std::size_t kMaxProducts = std::size_t{1} << 20;
    const auto factor = overlaps_of(sets);
    if (!factor || masks_.size() * factor->size() > kMaxProducts) return false;
    Overlaps result;
    for (const auto& [mask, count] : masks_) {
      for (const auto& [other, other_count] : *factor) {
        if ((mask & other) == 0) continue;
        std::int64_t& sum = result[mask & other];
        sum = saturating_add(sum, saturating_mul(count, other_count));
      }
    }
    masks_ = std::move(result);
    return true;
  }

  [[nodiscard]] std::int64_t count() const {
    std::int64_t sum = 0;
    for (const auto& [mask, count] : masks_) sum = saturating_add(sum, count);
    return sum;
  }

 private:
  Overlaps masks_ = {{~Mask{0}, 1}};
};

std::optional<std::int64_t> count_product(const TakenApart& map, std::span<const Factor> factors,
                                          StepBudget& budget) {
  std::int64_t product = 1;
  for (const Factor& factor : factors) {
    const auto count = map.count(factor, budget);
    if (!count) return std::nullopt;
    product = saturating_mul(product, *count);
  }
  return product;
}

}  // namespace

std::optional<std::int64_t> count_union(std::span<const IndexMap> maps,
                                        std::span<const std::int64_t> sizes, StepBudget& budget) {
  if (std::ranges::find(sizes, 0) != sizes.end()) return 0;
  for (const IndexMap& map : maps) {
    if (map.is_known_empty() || !is_onto(map, sizes)) continue;
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, saturating_mul);
  }
  std::vector<TakenApart> taken_apart;
  for (const IndexMap& map : maps) {
    if (map.is_known_empty()) continue;
    TakenApart parts(map);
    const std::optional<bool> has_points = parts.has_points(budget);
    if (!has_points) return std::nullopt;
    if (*has_points) taken_apart.push_back(std::move(parts));
  }
  if (taken_apart.empty()) return 0;
  const auto factors = factors_of(taken_apart, sizes);
  if (!factors) return std::nullopt;
  if (taken_apart.size() == 1) return count_product(taken_apart[0], *factors, budget);
  if (taken_apart.size() > kMaxSets) return std::nullopt;
  UnionCounter counter;
  for (const Factor& factor : *factors) {
    std::vector<ValueSet> sets;
    for (const TakenApart& map : taken_apart) {
      auto set = map.positions(factor, budget);
      if (!set) return std::nullopt;
      sets.push_back(*std::move(set));
    }
    if (!counter.multiply(sets)) return std::nullopt;
  }
  return counter.count();
}

}  // namespace mercator
