// Simplification of a map: first its domain, to a fixed point (domain.h), then, under the bounds
// that remain, its results; at last the variables that nothing needs any more go.

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "mercator/expr/simplifier.h"
#include "mercator/expr/traversal.h"
#include "mercator/map/domain.h"
#include "mercator/map/index_map.h"

namespace mercator {

namespace {

using internal::Domain;

IndexMap empty_like(const IndexMap& map) {
  IndexMap empty = IndexMap::empty(map.context(), map.dimensions().size(), map.results().size());
  std::vector<Variable> dimensions = empty.dimensions();
  for (std::size_t i = 0; i < dimensions.size(); ++i) dimensions[i].name = map.dimensions()[i].name;
  return IndexMap(map.context(), std::move(dimensions), {}, {}, empty.results(),
                  empty.constraints());
}

// Whether there is nothing to simplify, as in most maps of real programs: unconstrained, sums of
// variables, each of which has several values and occurs.
bool is_simple(const IndexMap& map) {
  if (!map.constraints().empty() || !map.runtimes().empty()) return false;
  std::uint64_t used = 0;
  for (const Expr result : map.results()) {
    if (!result.is_affine()) return false;
    used |= variable_bits(result);
  }
  // Whether it occurs, for certain or perhaps.
  const auto occurs = [used](VariableId id) { return (used & variable_bit(id)) != 0; };
  for (std::uint32_t i = 0; i < map.dimensions().size(); ++i) {
    const Interval bounds = map.dimensions()[i].bounds;
    const bool has_several_values = bounds.lo < bounds.hi;
    const bool may_stay = bounds.lo == bounds.hi && !occurs({VariableKind::kDimension, i});
    if (!has_several_values && !may_stay) return false;
  }
  for (std::uint32_t i = 0; i < map.ranges().size(); ++i) {
    const Interval bounds = map.ranges()[i].bounds;
    if (bounds.lo >= bounds.hi || i >= kOwnVariableBits || !occurs({VariableKind::kRange, i})) {
      return false;
    }
  }
  return true;
}

void set_bounds(std::vector<Variable>& variables, std::span<const Interval> bounds) {
  for (std::size_t i = 0; i < variables.size(); ++i) variables[i].bounds = bounds[i];
}

// Drops the range and runtime variables that do not occur and renumbers the others.
class UnusedVariables {
 public:
  UnusedVariables(std::vector<Variable>& ranges, std::vector<RuntimeVariable>& runtimes,
                  std::vector<Expr>& results, std::vector<Constraint>& constraints)
      : ranges_(ranges), runtimes_(runtimes), results_(results), constraints_(constraints) {}

  // False if all of them occur.
  bool drop() {
    if (are_all_used()) return false;
    find_used();
    if (std::ranges::find(range_is_used_, false) == range_is_used_.end() &&
        std::ranges::find(runtime_is_used_, false) == runtime_is_used_.end()) {
      return false;
    }
    std::vector<std::uint32_t> range_numbers;
    std::vector<std::uint32_t> runtime_numbers;
    const bool ranges_change = keep_used(ranges_, range_is_used_, range_numbers);
    const bool runtimes_change = keep_used(runtimes_, runtime_is_used_, runtime_numbers);
    if (ranges_change || runtimes_change) renumber(range_numbers, runtime_numbers);
    return true;
  }

 private:
  // Whether that can be told quickly: every variable has a bit of its own, which is set.
  [[nodiscard]] bool are_all_used() const {
    std::uint64_t used = 0;
    for (const Expr result : results_) used |= variable_bits(result);
    for (const Constraint& constraint : constraints_) used |= variable_bits(constraint.expr);
    const auto are_used = [used](VariableKind kind, std::size_t count) {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (i == kOwnVariableBits || (used & variable_bit({kind, i})) == 0) return false;
      }
      return true;
    };
    return are_used(VariableKind::kRange, ranges_.size()) &&
           are_used(VariableKind::kRuntime, runtimes_.size());
  }

  void find_used() {
    range_is_used_.assign(ranges_.size(), false);
    runtime_is_used_.assign(runtimes_.size(), false);
    InlineVector<Expr, 16> exprs{std::span<const Expr>(results_)};
    for (const Constraint& constraint : constraints_) exprs.push_back(constraint.expr);
    while (!exprs.empty()) {
      const InlineVector<Expr, 16> roots = std::exchange(exprs, {});
      for_each_node(roots, [&](Expr node) {
        if (!node.is(ExprKind::kVariable)) return;
        const VariableId id = node.variable();
        if (id.kind == VariableKind::kRange) range_is_used_[id.index] = true;
        if (id.kind != VariableKind::kRuntime || runtime_is_used_[id.index]) return;
        // A runtime variable needs the variables that say where its value lies.
        runtime_is_used_[id.index] = true;
        exprs.append(std::span<const Expr>(runtimes_[id.index].index));
      });
    }
  }

  // The new numbers of the variables that stay. False if all of those keep theirs.
  template <class AnyVariable>
  static bool keep_used(std::vector<AnyVariable>& variables, const std::vector<bool>& is_used,
                        std::vector<std::uint32_t>& numbers) {
    bool changes = false;
    numbers.resize(variables.size());
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      numbers[i] = kept;
      if (!is_used[i]) continue;
      if (kept != i) {
        variables[kept] = std::move(variables[i]);
        changes = true;
      }
      ++kept;
    }
    variables.erase(variables.begin() + kept, variables.end());
    return changes;
  }

  void renumber(const std::vector<std::uint32_t>& range_numbers,
                const std::vector<std::uint32_t>& runtime_numbers) {
    std::uint64_t moved = 0;
    const auto collect = [&moved](VariableKind kind, const std::vector<std::uint32_t>& numbers) {
      for (std::uint32_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] != i) moved |= variable_bit({kind, i});
      }
    };
    collect(VariableKind::kRange, range_numbers);
    collect(VariableKind::kRuntime, runtime_numbers);
    InlineVector<Expr*, 16> places;
    const auto add = [&](Expr& expr) {
      if ((variable_bits(expr) & moved) != 0) places.push_back(&expr);
    };
    std::ranges::for_each(results_, add);
    for (Constraint& constraint : constraints_) add(constraint.expr);
    for (RuntimeVariable& runtime : runtimes_) std::ranges::for_each(runtime.index, add);
    if (places.empty()) return;
    InlineVector<Expr, 16> exprs;
    for (const Expr* place : places) exprs.push_back(*place);
    ExprContext& context = exprs[0].context();
    substitute(std::span<Expr>(exprs.begin(), exprs.end()), [&](VariableId id) {
      if (id.kind == VariableKind::kRange) return context.range(range_numbers[id.index]);
      if (id.kind == VariableKind::kRuntime) return context.runtime(runtime_numbers[id.index]);
      return Expr();
    });
    for (std::size_t i = 0; i < places.size(); ++i) *places[i] = exprs[i];
  }

  std::vector<Variable>& ranges_;
  std::vector<RuntimeVariable>& runtimes_;
  std::vector<Expr>& results_;
  std::vector<Constraint>& constraints_;
  std::vector<bool> range_is_used_;
  std::vector<bool> runtime_is_used_;
};

}  // namespace

struct MapSimplifier::Impl {
  IndexMap simplify(const IndexMap& map) {
    IndexMap simplified = map;
    if (is_box(map)) {
      if (map.is_known_empty()) return empty_like(map);
      simplify_over_box(simplified.results_, map);
    } else if (!simplify_over_domain(simplified, map)) {
      return empty_like(map);
    }
    if (UnusedVariables(simplified.ranges_, simplified.runtimes_, simplified.results_,
                        simplified.constraints_)
            .drop()) {
      simplified.settle_names_after_drop();
    }
    return simplified;
  }

  // Whether the domain is what the bounds say, and nothing else depends on the variables.
  static bool is_box(const IndexMap& map) {
    return map.constraints().empty() && map.runtimes().empty() &&
           !has_variable_divisors(map.results());
  }

  void simplify_over_box(std::span<Expr> results, const IndexMap& map) {
    InlineVector<Interval, 8> dimensions;
    InlineVector<Interval, 8> ranges;
    for (const Variable& variable : map.dimensions()) dimensions.push_back(variable.bounds);
    for (const Variable& variable : map.ranges()) ranges.push_back(variable.bounds);
    simplifier.set_bounds({.dimensions = dimensions, .ranges = ranges});
    simplifier.simplify(results);
  }

  // False if the domain is empty. `simplified` is a copy of `map`.
  bool simplify_over_domain(IndexMap& simplified, const IndexMap& map) {
    InlineVector<Expr, 8> indices;  // of the elements that the runtime variables are
    for (const RuntimeVariable& runtime : map.runtimes()) {
      indices.append(std::span<const Expr>(runtime.index));
    }
    const std::span<Expr> all_results(simplified.results_);
    const std::span<Expr> all_indices(indices.begin(), indices.end());
    Domain domain(map, all_results, all_indices, simplifier, log);
    // A result without a value takes its point out of the domain, which may show only when the
    // result is simple. The domain may be simplified again: conditions on runtime variables, which
    // it leaves as constraints, go back into their bounds at first.
    constexpr int kMaxRounds = 4;
    for (int round = 0; round < kMaxRounds; ++round) {
      if (!domain.simplify()) return false;
      // What an index is where it has no value does not matter: the point of the map is there
      // either way. But the runtime variable has its value whether or not the constraints hold.
      if (!all_indices.empty()) simplifier.simplify(all_indices);
      if (!simplify_results(all_results, domain)) break;
      if (!has_variable_divisors(all_results)) break;
    }

    set_bounds(simplified.dimensions_, domain.dimensions());
    set_bounds(simplified.ranges_, domain.ranges());
    const Expr* next_index = indices.begin();
    for (RuntimeVariable& runtime : simplified.runtimes_) {
      for (Expr& index : runtime.index) index = *next_index++;
    }
    simplified.constraints_.clear();
    for (const internal::Restriction& restriction : domain.restrictions()) {
      simplified.constraints_.push_back(constraint_of(restriction));
    }
    return true;
  }

  static bool has_variable_divisors(std::span<const Expr> exprs) {
    return std::ranges::any_of(exprs, [](Expr expr) { return expr.has_variable_divisor(); });
  }

  // False if they stay as they are. The constraints count where they say something of what is not
  // simple yet. Which of them do depends on what the results look like; so the end is reached when
  // the simplified ones, looked at afresh, stay.
  bool simplify_results(std::span<Expr> results, Domain& domain) {
    constexpr int kMaxRounds = 6;
    for (int round = 0; round < kMaxRounds; ++round) {
      domain.assume_for(results);
      const InlineVector<Expr, 8> before{std::span<const Expr>(results)};
      simplify_where_total(results, domain);
      if (std::ranges::equal(before, results)) return round > 0;
      if (domain.would_assume_the_same(results)) return true;
      domain.forget_assumptions();
    }
    return true;
  }

  void simplify_where_total(std::span<Expr> results, Domain& domain) {
    if (!has_variable_divisors(results) ||
        std::ranges::all_of(results, [&](Expr result) { return domain.is_total(result); })) {
      simplifier.simplify(results);
      return;
    }
    for (Expr& result : results) {
      if (domain.is_total(result)) result = simplifier.simplify(result);
    }
  }

  internal::ConstraintLog log;
  Simplifier simplifier;
};

MapSimplifier::MapSimplifier() : impl_(std::make_unique<Impl>()) {}
MapSimplifier::~MapSimplifier() = default;
MapSimplifier::MapSimplifier(MapSimplifier&&) noexcept = default;
MapSimplifier& MapSimplifier::operator=(MapSimplifier&&) noexcept = default;

IndexMap MapSimplifier::operator()(const IndexMap& map) {
  return is_simple(map) ? map : impl_->simplify(map);
}

void MapSimplifier::set_listener(const MapStepListener* listener) {
  impl_->simplifier.set_listener(listener == nullptr ? nullptr : &listener->on_expression);
  impl_->log.set_listener(listener == nullptr ? nullptr : &listener->on_constraint);
}

std::span<const std::uint64_t> MapSimplifier::expression_rule_counts() const {
  return impl_->simplifier.rule_counts();
}

std::span<const std::uint64_t> MapSimplifier::constraint_rule_counts() const {
  return impl_->log.counts();
}

IndexMap simplify(const IndexMap& map) { return is_simple(map) ? map : MapSimplifier()(map); }

}  // namespace mercator
