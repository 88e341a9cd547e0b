#include "mercator/analysis/tile_state.h"

#include <algorithm>
#include <cstdint>

#include "mercator/analysis/tile_congruence.h"
#include "mercator/analysis/tile_separation.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {

namespace {

// a <= k * (E floordiv n) + c <= b, where c has no range variables, says of E itself between which
// multiples of n it is.
void constrain_dividend(Expr& expr, SymbolicRange& range) {
  while (true) {
    Expr quotient = expr;
    std::int64_t factor = 1;
    if (expr.is(ExprKind::kSum)) {
      std::size_t varying = 0;
      for (std::size_t i = 0; i < expr.operands().size(); ++i) {
        if (!has_ranges(expr.operands()[i])) continue;
        ++varying;
        quotient = expr.operands()[i];
        factor = expr.coefficients()[i];
      }
      if (varying != 1) return;
    }
    if (!quotient.is(ExprKind::kFloorDiv) || !quotient.divisor().is(ExprKind::kConstant) ||
        has_ranges(quotient.divisor())) {
      return;
    }
    const Expr rest = expr - quotient * factor;
    auto [lo, hi] = range;
    if (factor < 0) std::swap(lo, hi);
    const std::int64_t size = factor < 0 ? -factor : factor;
    const auto from_sign = [&](Expr end) { return factor < 0 ? rest - end : end - rest; };
    const Expr n = quotient.divisor();
    if (lo) lo = ceil_div(from_sign(lo), size) * n;
    if (hi) hi = floor_div(from_sign(hi), size) * n + n - 1;
    expr = quotient.dividend();
    range = {lo, hi};
  }
}

// From the least to the greatest.
std::int64_t extent(Interval bounds) {
  std::int64_t reach = 0;
  const bool is_known = bounds.is_bounded() && checked_sub(bounds.hi, bounds.lo, &reach);
  return is_known ? reach : Interval::kPlusInfinity;
}

}  // namespace

TileState::TileState(Assumptions& assumptions, const TileProblem& problem)
    : assumptions_(&assumptions),
      roots_(problem.results),
      results_(problem.results.size()),
      conditions_(assumptions) {
  for (const auto& [expr, range] : problem.constraints) {
    roots_.push_back(expr);
    const auto [lo, hi] = range;
    ranges_.push_back({lo == Interval::kMinusInfinity ? Expr() : assumptions.constant(lo),
                       hi == Interval::kPlusInfinity ? Expr() : assumptions.constant(hi)});
  }
  roots_.insert(roots_.end(), problem.uniform.begin(), problem.uniform.end());
  for (const TileVariable& variable : problem.variables) {
    add_variable(variable.values, variable.name);
  }
}

void TileState::settle() {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (assumptions_->always(values(i).size, Interval::point(1))) {
      replace_variable(i, values(i).offset);
    }
  }
  set_ranges();
  assumptions_->simplify(roots_);
  join_quotients(roots_);
  lift_digits(roots_, *assumptions_);
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    constrain_dividend(roots_[results_ + i], ranges_[i]);
  // Backwards: it may drop the constraint.
  for (std::size_t root = uniform_begin(); root-- > results_;) settle_constraint(root);
  align_remainders(roots_, results_, ranges_);
}

void TileState::settle_constraint(std::size_t constraint) {
  SymbolicRange& range = ranges_[constraint - results_];
  const Expr expr = roots_[constraint];
  const bool varies = has_ranges(expr);
  // What has no variables says whether there is any combination.
  const auto is_settled = [&](Expr room, Interval wanted) {
    if (assumptions_->always(room, wanted)) return true;
    if (!varies) nonempty_.push_back({assumptions_->simplify(room), wanted});
    return !varies;
  };
  if (!range.is_point()) {
    if (range.lo && is_settled(expr - range.lo, at_least(0))) range.lo = Expr();
    if (range.hi && is_settled(range.hi - expr, at_least(0))) range.hi = Expr();
  } else if (!varies && is_settled(expr - range.lo, Interval::point(0))) {
    // As long as it varies, an equation stays one.
    range = {};
  }
  if (!range.lo && !range.hi) drop_constraint(constraint);
}

Expr TileState::variable(std::size_t index) const {
  return assumptions_->context().range(static_cast<std::uint32_t>(index));
}

Expr TileState::add_variable(const Progression& values, std::string name, Interval within,
                             std::int64_t reach) {
  const std::size_t index = variables_.size();
  variables_.push_back({values, std::move(name)});
  bounds_.emplace_back();
  reaches_.emplace_back();
  within_.push_back(within);
  set_values(index, values);
  reaches_.back() = std::min(reaches_.back(), reach);
  return variable(index);
}

void TileState::set_values(std::size_t index, const Progression& values) {
  // Without steps, all values are one.
  const bool is_single = assumptions_->simplify(values.stride).is_constant(0);
  variables_[index].values = is_single ? point(values.offset) : values;
  bounds_[index] = hull(assumptions_->range(values.offset), assumptions_->range(last(values)));
  const Interval known = intersect(bounds_[index], within_[index]);
  if (!known.is_empty()) bounds_[index] = known;
  reaches_[index] = extent(bounds_[index]);
}

void TileState::forget_values(std::size_t index) {
  bounds_[index] = within_[index];
  reaches_[index] = extent(within_[index]);
}

bool TileState::is_within_other(Expr part, Expr root) const {
  return std::ranges::any_of(roots_,
                             [&](Expr other) { return other != root && is_within(part, other); });
}

std::optional<std::size_t> TileState::only_root(Expr expr) const {
  const auto place = std::ranges::find(roots_, expr);
  if (place == roots_.end() || std::find(place + 1, roots_.end(), expr) != roots_.end() ||
      is_within_other(expr, expr)) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(place - roots_.begin());
}

bool TileState::tells_terms(Expr sum) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sum.operands().size(); ++i) {
    if (has_ranges(sum.operands()[i])) order.push_back(i);
  }
  const auto factor = [&](std::size_t i) { return magnitude(sum.coefficients()[i]); };
  std::ranges::sort(order, {}, factor);
  std::int64_t below = 0;
  for (const std::size_t i : order) {
    const Expr operand = sum.operands()[i];
    std::int64_t most =
        is_range(operand) ? reach(operand.variable().index) : extent(assumptions_->range(operand));
    if (factor(i) <= below || !checked_mul(most, factor(i), &most) ||
        !checked_add(below, most, &below)) {
      return false;
    }
  }
  return true;
}

bool TileState::are_results(std::size_t from, std::size_t in_sums) const {
  std::size_t in_other_sums = 0;
  const std::vector<VariableUses> uses = uses_of(roots_, variables_.size());
  const auto is_result_itself = [&](std::uint32_t i) {
    return std::ranges::any_of(uses[i].roots,
                               [&](const RootUse& use) { return is_result(use.root); });
  };
  for (auto i = static_cast<std::uint32_t>(from); i < uses.size(); ++i) {
    if (uses[i].count() != 1) return false;
    if (is_result_itself(i)) continue;
    if (uses[i].sums.empty()) return false;
    const Expr sum = uses[i].sums.front().sum;
    const std::optional<std::size_t> root = only_root(sum);
    if (!root || !is_result(*root)) return false;
    std::vector<std::uint32_t> others = ranges_in(sum);
    std::erase(others, i);
    if (std::ranges::any_of(others, [&](std::uint32_t j) { return j >= from; })) return false;
    if (!std::ranges::all_of(others, is_result_itself) && !tells_terms(sum)) ++in_other_sums;
  }
  return in_other_sums <= in_sums;
}

void TileState::add_constraint(Expr expr, const SymbolicRange& range) {
  roots_.insert(roots_.begin() + static_cast<std::ptrdiff_t>(uniform_begin()), expr);
  ranges_.push_back(range);
}

void TileState::set_constraint(std::size_t constraint, Expr expr, const SymbolicRange& range) {
  roots_[constraint] = expr;
  ranges_[constraint - results_] = range;
}

void TileState::drop_constraint(std::size_t constraint) {
  roots_.erase(roots_.begin() + static_cast<std::ptrdiff_t>(constraint));
  ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(constraint - results_));
}

void TileState::drop_constraints(std::span<const std::size_t> ascending) {
  for (std::size_t i = ascending.size(); i-- > 0;) drop_constraint(ascending[i]);
}

TileState TileState::only(std::span<const std::size_t> roots) const {
  TileState part = *this;
  part.roots_.clear();
  part.ranges_.clear();
  part.results_ = 0;
  part.conditions_ = Conditions(*assumptions_);
  part.nonempty_.clear();
  for (const std::size_t root : roots) {
    if (is_constraint(root)) {
      part.add_constraint(roots_[root], range(root));
    } else {
      part.roots_.push_back(roots_[root]);
      ++part.results_;
    }
  }
  return part;
}

void TileState::replace_variable(std::size_t index, Expr by) {
  if (roots_.empty()) return;
  substitute(roots_, [&](VariableId id) {
    return id.kind == VariableKind::kRange && id.index == index ? by : Expr();
  });
}

bool TileState::require_single(std::size_t index) {
  const Progression& all = values(index);
  if (!require(all.size, Interval::point(1))) return false;
  set_values(index, point(all.offset));
  return true;
}

}  // namespace mercator::internal
