// Composition: the dimensions of the second map give way to the results of the first.

#include <cassert>
#include <vector>

#include "mercator/expr/traversal.h"
#include "mercator/map/index_map.h"

namespace mercator {
namespace {

Interval bounds_of(const IndexMap& map, VariableId id) {
  switch (id.kind) {
    case VariableKind::kDimension:
      return map.dimensions()[id.index].bounds;
    case VariableKind::kRange:
      return map.ranges()[id.index].bounds;
    case VariableKind::kRuntime:
      return map.runtimes()[id.index].bounds;
  }
  __builtin_unreachable();
}

// Whether a result of `map` obviously has a value, and one within `range`.
bool lies_within(const IndexMap& map, Expr result, Interval range) {
  if (result.is(ExprKind::kConstant)) return range.contains(result.value());
  return result.is(ExprKind::kVariable) && range.contains(bounds_of(map, result.variable()));
}

// What the expressions of the second map become.
class Substitution {
 public:
  Substitution(const IndexMap& first, const IndexMap& second)
      : first_(first),
        ranges_(static_cast<std::uint32_t>(first.ranges().size())),
        runtimes_(static_cast<std::uint32_t>(first.runtimes().size())) {
    for (const Expr result : second.results()) exprs_.push_back(result);
    for (const Constraint& constraint : second.constraints()) exprs_.push_back(constraint.expr);
    domain_size_ = exprs_.size();
    for (const RuntimeVariable& runtime : second.runtimes()) {
      exprs_.insert(exprs_.end(), runtime.index.begin(), runtime.index.end());
    }
    find_zero_divisors();
    substitute(exprs_, [this](VariableId id) { return replacement(id); });
  }

  // Whether a result or a constraint has a value nowhere, since a divisor has become 0.
  [[nodiscard]] bool leaves_nothing() const {
    return std::any_of(has_no_value_.begin(),
                       has_no_value_.begin() + static_cast<std::ptrdiff_t>(domain_size_),
                       [](bool none) { return none; });
  }

  // The next of: results, expressions of constraints, indices of runtime variables.
  [[nodiscard]] Expr next() { return exprs_[next_++]; }
  // Whether the next one has a value nowhere.
  [[nodiscard]] bool next_has_no_value() const { return has_no_value_[next_]; }

 private:
  [[nodiscard]] Expr replacement(VariableId id) const {
    switch (id.kind) {
      case VariableKind::kDimension:
        return first_.results()[id.index];
      case VariableKind::kRange:
        return first_.context().range(ranges_ + id.index);
      case VariableKind::kRuntime:
        return first_.context().runtime(runtimes_ + id.index);
    }
    __builtin_unreachable();
  }

  // `substitute` leaves a quotient alone whose divisor would become the constant 0; its variables
  // would then be taken for those of the composition.
  void find_zero_divisors() {
    has_no_value_.assign(exprs_.size(), false);
    const Traversal traversal(exprs_);
    const std::span<const Expr> nodes = traversal.nodes();
    std::vector<bool> none(nodes.size(), false);
    bool found = false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const std::uint32_t operand : traversal.operands(i)) none[i] = none[i] || none[operand];
      const bool divides = nodes[i].is(ExprKind::kFloorDiv) || nodes[i].is(ExprKind::kMod);
      if (none[i] || !divides || nodes[i].divisor().is(ExprKind::kConstant)) continue;
      const Expr divisor =
          substitute(nodes[i].divisor(), [this](VariableId id) { return replacement(id); });
      none[i] = divisor.is_constant(0);
      found = found || none[i];
    }
    if (!found) return;
    for (std::size_t i = 0; i < exprs_.size(); ++i) has_no_value_[i] = none[traversal.roots()[i]];
  }

  const IndexMap& first_;
  std::uint32_t ranges_;
  std::uint32_t runtimes_;
  std::vector<Expr> exprs_;
  std::vector<bool> has_no_value_;
  std::size_t domain_size_ = 0;
  std::size_t next_ = 0;
};

}  // namespace

IndexMap compose(const IndexMap& first, const IndexMap& second) {
  assert(&first.context() == &second.context());
  assert(first.results().size() == second.dimensions().size());
  ExprContext& context = first.context();
  Substitution substituted(first, second);
  if (substituted.leaves_nothing()) {
    return IndexMap::empty(context, first.dimensions().size(), second.results().size());
  }

  std::vector<Expr> results;
  results.reserve(second.results().size());
  for (std::size_t i = 0; i < second.results().size(); ++i) results.push_back(substituted.next());

  std::vector<Constraint> constraints = first.constraints();
  for (std::size_t i = 0; i < second.dimensions().size(); ++i) {
    const Interval range = second.dimensions()[i].bounds;
    const Expr result = first.results()[i];
    if (!lies_within(first, result, range)) constraints.push_back({result, range});
  }
  for (const Constraint& constraint : second.constraints()) {
    constraints.push_back({substituted.next(), constraint.range});
  }

  std::vector<Variable> ranges = first.ranges();
  ranges.insert(ranges.end(), second.ranges().begin(), second.ranges().end());

  std::vector<RuntimeVariable> runtimes = first.runtimes();
  for (RuntimeVariable runtime : second.runtimes()) {
    bool names_an_element = true;
    for (Expr& index : runtime.index) {
      names_an_element = names_an_element && !substituted.next_has_no_value();
      index = substituted.next();
    }
    if (!names_an_element) {
      runtime.tensor.reset();
      runtime.index.clear();
    }
    runtimes.push_back(std::move(runtime));
  }
  return IndexMap(context, first.dimensions(), std::move(ranges), std::move(runtimes),
                  std::move(results), std::move(constraints));
}

}  // namespace mercator
