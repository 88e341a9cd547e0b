// How many pairs a map relates. The dimensions are known of each pair; so what depends on them
// alone tells nothing more, and the question is how many different results the ranges make.

#include <algorithm>
#include <utility>
#include <vector>

#include "mercator/analysis/image_count.h"
#include "mercator/expr/simplifier.h"
#include "mercator/map/independent_groups.h"

namespace mercator {

namespace {

// Dimensions and ranges that depend on one another, through results or constraints.
class PairGroup {
 public:
  PairGroup(const IndexMap& map, IndependentGroup group) : map_(map), group_(std::move(group)) {
    for (const VariableId id : group_.variables) {
      (id.kind == VariableKind::kDimension ? dimensions_ : ranges_).push_back(id);
    }
    for (Expr& part : group_.parts) part = without_dimensions(part);
    std::erase_if(group_.parts, [](Expr part) { return part.is(ExprKind::kConstant); });
  }

  [[nodiscard]] const std::vector<VariableId>& dimensions() const { return dimensions_; }

  [[nodiscard]] std::optional<std::int64_t> count(StepBudget& budget) {
    if (ranges_.empty() || tell_ranges()) return count_points(map_of(map_, group_), budget);
    if (const auto closed = count_apart()) return closed;
    return enumerate(budget);
  }

 private:
  [[nodiscard]] bool has_range(Expr expr) const {
    return std::ranges::any_of(ranges_, [&](VariableId id) { return contains(expr, id); });
  }
  [[nodiscard]] bool has_dimension(Expr expr) const {
    return std::ranges::any_of(dimensions_, [&](VariableId id) { return contains(expr, id); });
  }
  static bool contains(Expr expr, VariableId id) {
    return (variable_bits(expr) & variable_bit(id)) != 0 &&
           used_variables(std::span(&expr, 1)).contains(id);
  }

  // Without the terms that depend on dimensions only.
  [[nodiscard]] Expr without_dimensions(Expr part) const {
    if (!has_range(part)) return map_.context().constant(0);
    if (!part.is(ExprKind::kSum)) return part;
    std::vector<Term> terms;
    for (std::size_t i = 0; i < part.operands().size(); ++i) {
      if (!has_range(part.operands()[i])) continue;
      terms.push_back({.expr = part.operands()[i], .coefficient = part.coefficients()[i]});
    }
    return map_.context().sum(terms);
  }

  // Whether the dimensions and parts tell the values of all ranges, evidently: then there is one
  // pair for each point.
  [[nodiscard]] bool tell_ranges() const {
    std::vector<VariableId> open = ranges_;
    for (bool has_changed = true; has_changed && !open.empty();) {
      has_changed = false;
      for (const Expr part : group_.parts) {
        for (const VariableId told : ranges_told_by(part, open)) {
          std::erase(open, told);
          has_changed = true;
        }
      }
    }
    return open.empty();
  }

  // The open ranges in a sum of which each weighs more than all that the lighter ones amount to.
  [[nodiscard]] std::vector<VariableId> ranges_told_by(Expr part,
                                                       const std::vector<VariableId>& open) const {
    struct Digit {
      __int128 weight;
      VariableId id;
    };
    std::vector<Digit> digits;
    const auto add = [&](Expr term, std::int64_t coefficient) {
      if (term.is(ExprKind::kVariable) && std::ranges::find(open, term.variable()) != open.end()) {
        const __int128 weight = coefficient;
        digits.push_back({weight < 0 ? -weight : weight, term.variable()});
        return true;
      }
      return std::ranges::none_of(open, [&](VariableId id) { return contains(term, id); });
    };
    if (part.is(ExprKind::kSum)) {
      for (std::size_t i = 0; i < part.operands().size(); ++i) {
        if (!add(part.operands()[i], part.coefficients()[i])) return {};
      }
    } else if (!add(part, 1)) {
      return {};
    }
    std::ranges::sort(digits, {}, &Digit::weight);
    std::vector<VariableId> told;
    __int128 reach = 0;
    for (const Digit& digit : digits) {
      const Interval bounds = bounds_of(map_, digit.id);
      if (digit.weight <= reach || !bounds.is_bounded()) return {};
      reach += digit.weight * (static_cast<__int128>(bounds.hi) - bounds.lo);
      if (reach > INT64_MAX) return {};
      told.push_back(digit.id);
    }
    return told;
  }

  // Where no part depends on dimensions any more: every element has as many.
  [[nodiscard]] std::optional<std::int64_t> count_apart() const {
    if (!group_.constraints.empty() ||
        std::ranges::any_of(group_.parts, [&](Expr part) { return has_dimension(part); })) {
      return std::nullopt;
    }
    IndependentGroup of_ranges = group_;
    of_ranges.variables = ranges_;
    const auto count = count_image(map_of(map_, of_ranges), 0);
    if (!count) return std::nullopt;
    std::int64_t product = *count;
    for (const VariableId id : dimensions_) {
      product = saturating_mul(product, bounds_of(map_, id).size());
    }
    return product;
  }

  // Dimensions and parts as one number.
  [[nodiscard]] std::optional<std::int64_t> enumerate(StepBudget& budget) {
    IndependentGroup dimensions_too = group_;
    for (const VariableId id : dimensions_) {
      dimensions_too.parts.push_back(map_.context().variable(id));
    }
    const IndexMap map = map_of(map_, dimensions_too);
    std::vector<Interval> bounds;
    for (const Variable& variable : map.dimensions()) bounds.push_back(variable.bounds);
    Simplifier simplifier;
    simplifier.set_bounds({.dimensions = bounds, .ranges = {}, .runtimes = {}});
    std::int64_t size = 1;
    Expr number = map_.context().constant(0);
    for (const Expr result : map.results()) {
      const Interval range = simplifier.range(result);
      if (!range.is_bounded()) return std::nullopt;
      number = number + (result - range.lo) * size;
      if (!checked_mul(size, range.size(), &size)) return std::nullopt;
    }
    return count_values(map, number, size, budget);
  }

  const IndexMap& map_;
  IndependentGroup group_;
  std::vector<VariableId> dimensions_;
  std::vector<VariableId> ranges_;
};

}  // namespace

std::optional<std::int64_t> count_pairs(const IndexMap& map, StepBudget& budget) {
  if (map.is_known_empty()) return 0;
  std::int64_t product = 1;
  std::vector<bool> is_counted(map.dimensions().size());
  for (IndependentGroup& independent : independent_groups(map, map.results())) {
    PairGroup group(map, std::move(independent));
    const auto count = group.count(budget);
    if (!count) return std::nullopt;
    product = saturating_mul(product, *count);
    for (const VariableId id : group.dimensions()) is_counted[id.index] = true;
  }
  for (std::size_t i = 0; i < is_counted.size(); ++i) {
    if (!is_counted[i]) product = saturating_mul(product, map.dimensions()[i].bounds.size());
  }
  return product;
}

}  // namespace mercator
