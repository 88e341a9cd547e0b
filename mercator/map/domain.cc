#include "mercator/map/domain.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "mercator/expr/traversal.h"
#include "mercator/map/bound_search.h"
#include "mercator/map/congruence.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {

namespace {

bool has_variable_divisor_itself(Expr expr) {
  return (expr.is(ExprKind::kFloorDiv) || expr.is(ExprKind::kMod)) &&
         !expr.divisor().is(ExprKind::kConstant);
}

// a * x + b.
bool is_linear_in_one_variable(Expr expr) {
  if (expr.is(ExprKind::kSum) && expr.operands().size() == 1) expr = expr.operands()[0];
  return expr.is(ExprKind::kVariable);
}

// The only variable of `expr`; none if it has several or none.
std::optional<VariableId> only_variable(Expr expr) {
  if (std::popcount(variable_bits(expr)) != 1) return std::nullopt;
  // One path down leads to it, unless several share a bit.
  Expr node = expr;
  while (!node.is(ExprKind::kVariable)) {
    const auto has_variable = [](Expr operand) { return variable_bits(operand) != 0; };
    node = *std::ranges::find_if(node.operands(), has_variable);
  }
  const VariableId id = node.variable();
  if (id.index < kOwnVariableBits) return id;
  const UsedVariables used = used_variables(std::span(&expr, 1));
  const auto count = [](const std::vector<bool>& of_kind) {
    return std::ranges::count(of_kind, true);
  };
  if (count(used.dimensions) + count(used.ranges) + count(used.runtimes) != 1) return std::nullopt;
  return id;
}

}  // namespace

Domain::Domain(const IndexMap& map, std::span<Expr> results, std::span<Expr> others,
               Simplifier& simplifier, ConstraintLog& log)
    : map_(map), results_(results), others_(others), simplifier_(simplifier), log_(log) {
  log_.set_domain(this);
  for (const Constraint& constraint : map.constraints()) {
    restrictions_.push_back(restriction_of(constraint));
  }
  for (const Variable& variable : map.dimensions()) dimensions_.push_back(variable.bounds);
  for (const Variable& variable : map.ranges()) ranges_.push_back(variable.bounds);
  for (const RuntimeVariable& variable : map.runtimes()) runtimes_.push_back(variable.bounds);
}

bool Domain::simplify() {
  // Bounds only shrink and restrictions only get simpler, so that this ends by itself, after one or
  // two rounds for the maps of real programs. The limit guards against endless work, not against
  // wrong results: the domain means the same after every round.
  constexpr int kMaxRounds = 100;
  if (has_empty_bounds()) return false;
  const auto may_lack_value = [](Expr result) { return result.has_variable_divisor(); };
  if (restrictions_.empty() && std::ranges::none_of(results_, may_lack_value)) {
    start_from_bounds();
    return true;
  }
  bounds_changed_ = true;
  for (int round = 0; round < kMaxRounds; ++round) {
    for (std::size_t i = restrictions_.size(); i-- > 0;) pending_.push_back(restrictions_[i]);
    restrictions_.clear();
    restrictions_changed_ = false;
    if (!settle_variables() || !exclude_zero_divisors() || !place_pending() || !join_equal() ||
        !compare() || !search_bounds()) {
      return false;
    }
    if (!bounds_changed_ && !restrictions_changed_) break;
  }
  restore_runtime_conditions();
  return true;
}

void Domain::start_from_bounds() {
  is_assumed_.clear();
  simplifier_.set_bounds({.dimensions = dimensions_, .ranges = ranges_, .runtimes = runtimes_});
}

// What a sum of variables says of one of them, the others being bounded, may say something of any
// expression in it; what another expression says concerns what contains that expression.
bool Domain::concerns(Expr fact, Expr expr) {
  return fact.is_affine() ? (variable_bits(fact) & variable_bits(expr)) != 0
                          : (variable_bits(fact) & ~variable_bits(expr)) == 0 &&
                                simplifier_.is_within(fact, expr);
}

bool Domain::concerns_any(const Restriction& restriction, std::span<const Expr> exprs,
                          bool only_ranges) {
  if (restriction.is_grid() && only_ranges) return false;
  return std::ranges::any_of(exprs, [&](Expr expr) { return concerns(restriction.base(), expr); });
}

bool Domain::assume_for(std::span<const Expr> exprs, const Restriction* left_out,
                        bool only_ranges) {
  InlineVector<const Restriction*, 8> relevant;
  for (std::size_t i = 0; i < restrictions_.size(); ++i) {
    const Restriction& restriction = restrictions_[i];
    const bool is_known = i < is_assumed_.size() && is_assumed_[i];
    if (!is_known && &restriction != left_out && concerns_any(restriction, exprs, only_ranges)) {
      relevant.push_back(&restriction);
    }
  }
  if (relevant.empty()) return false;
  // What is simpler may tell something of the others. A grid is one operation deeper than its base.
  const auto depth = [](const Restriction* one) {
    return one->base().depth() + (one->is_grid() ? 1 : 0);
  };
  if (relevant.size() > 1) {
    std::stable_sort(relevant.begin(), relevant.end(),
                     [&](const auto* a, const auto* b) { return depth(a) < depth(b); });
  }
  while (is_assumed_.size() < restrictions_.size()) is_assumed_.push_back(false);
  for (const Restriction* restriction : relevant) {
    if (restriction->is_grid()) {
      const Congruence& grid = restriction->grid;
      simplifier_.assume_on_grid(grid.base, grid.modulus, grid.residue);
    } else {
      simplifier_.assume(restriction->base(), restriction->range);
    }
    is_assumed_[static_cast<std::size_t>(restriction - restrictions_.begin())] = true;
  }
  return true;
}

namespace {

// Of what is not a sum, the operands: only they can gain from knowing their range.
InlineVector<Expr, 16> operands_of_others(std::span<const Expr> results) {
  InlineVector<Expr, 16> operands;
  InlineVector<Expr, 8> roots;
  for (const Expr result : results) {
    if (!result.is_affine()) roots.push_back(result);
  }
  for_each_node(roots, [&](Expr node) {
    if (node.is(ExprKind::kSum)) return;
    for (const Expr operand : node.operands()) {
      if (variable_bits(operand) != 0) operands.push_back(operand);
    }
  });
  return operands;
}

}  // namespace

void Domain::assume_for(std::span<const Expr> results) {
  const auto is_affine = [](Expr result) { return result.is_affine(); };
  if (restrictions_.empty() || std::ranges::all_of(results, is_affine)) return;
  assume_for(operands_of_others(results), nullptr, /*only_ranges=*/false);
}

bool Domain::would_assume_the_same(std::span<const Expr> results) {
  if (restrictions_.empty()) return true;
  const InlineVector<Expr, 16> operands = operands_of_others(results);
  for (std::size_t i = 0; i < restrictions_.size(); ++i) {
    const bool is_assumed = i < is_assumed_.size() && is_assumed_[i];
    if (is_assumed != concerns_any(restrictions_[i], operands, /*only_ranges=*/false)) return false;
  }
  return true;
}

bool Domain::is_total(Expr expr) {
  if (!expr.has_variable_divisor()) return true;
  const Traversal traversal(std::span(&expr, 1));
  return std::ranges::none_of(traversal.nodes(), [&](Expr node) {
    return has_variable_divisor_itself(node) && simplifier_.range(node.divisor()).contains(0);
  });
}

// ---- bounds ----

Interval& Domain::bounds(VariableId id) {
  switch (id.kind) {
    case VariableKind::kDimension:
      return dimensions_[id.index];
    case VariableKind::kRange:
      return ranges_[id.index];
    case VariableKind::kRuntime:
      return runtimes_[id.index];
  }
  __builtin_unreachable();
}

bool Domain::has_empty_bounds() const {
  const auto is_empty = [](Interval bounds) { return bounds.is_empty(); };
  return std::ranges::any_of(dimensions_, is_empty) || std::ranges::any_of(ranges_, is_empty) ||
         std::ranges::any_of(runtimes_, is_empty);
}

bool Domain::restrict(VariableId id, Interval range) {
  Interval& current = bounds(id);
  const Interval narrowed = intersect(current, range);
  bounds_changed_ = bounds_changed_ || narrowed != current;
  current = narrowed;
  return !narrowed.is_empty();
}

// ---- zero divisors ----

bool Domain::exclude_zero_divisors() {
  const std::size_t count = pending_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!exclude_zero(pending_[i].base())) return false;
  }
  return std::ranges::all_of(results_, [this](Expr expr) { return exclude_zero(expr); });
}

// x mod d with d in [0, n] has no value for d = 0: d in [1, n].
bool Domain::exclude_zero(Expr expr) {
  if (!expr.has_variable_divisor()) return true;
  const Traversal traversal(std::span(&expr, 1));
  for (const Expr node : traversal.nodes()) {
    if (!has_variable_divisor_itself(node)) continue;
    const Expr divisor = node.divisor();
    const Interval values = simplifier_.range(divisor);
    if (values.is_empty() || values == Interval::point(0)) return false;
    if (!is_linear_in_one_variable(divisor)) continue;
    if (values.lo == 0) pending_.push_back({divisor, {1, Interval::kPlusInfinity}});
    if (values.hi == 0) pending_.push_back({divisor, {Interval::kMinusInfinity, -1}});
  }
  return true;
}

// ---- one variable ----

// What is said of one variable goes into its bounds first, so that all others are looked at but
// once. A range variable on a grid becomes another one.
bool Domain::settle_variables() {
  const auto is_of_one_variable = [](const Restriction& restriction) {
    return is_linear_in_one_variable(restriction.base());
  };
  if (std::ranges::any_of(pending_, is_of_one_variable)) {
    if (!settle_ranges() || !settle_grids()) return false;
  }
  if (bounds_changed_) {
    start_from_bounds();
    bounds_changed_ = false;
    compared_.clear();
  }
  return true;
}

bool Domain::settle_ranges() {
  for (Restriction restriction : std::exchange(pending_, {})) {
    Outcome outcome = Outcome::kSettled;
    if (!restriction.is_grid() && is_linear_in_one_variable(restriction.base())) {
      do {
        outcome = move(restriction);
      } while (outcome == Outcome::kChanged);
    }
    if (outcome == Outcome::kEmpty) return false;
    // A limit of int64 may keep the variable from standing alone.
    if (outcome == Outcome::kSettled) pending_.push_back(restriction);
  }
  return true;
}

// Joins `restriction` into one of those that are pending; none if none of them restricts the same.
std::optional<Truth> Domain::join_with_pending(const Restriction& restriction) {
  for (Restriction& other : pending_) {
    Restriction both = other;
    const std::optional<Truth> joined = join(both, restriction);
    if (!joined) continue;
    if (joined != Truth::kNever) log_.report(ConstraintRule::kJoined, restriction, both);
    other = both;
    return joined;
  }
  return std::nullopt;
}

bool Domain::settle_grids() {
  for (Restriction restriction : std::exchange(pending_, {})) {
    if (restriction.is_grid() && is_linear_in_one_variable(restriction.base())) {
      const Restriction before = restriction;
      const Truth truth = normalize(restriction.grid);
      if (truth == Truth::kNever) return false;
      if (truth == Truth::kAlways) {
        log_.report(ConstraintRule::kAlwaysHolds, before);
        continue;
      }
      log_.report_change(ConstraintRule::kGridForm, before, restriction);
      const std::optional<Truth> joined = join_with_pending(restriction);
      if (joined == Truth::kNever) return false;
      if (joined) continue;
    }
    pending_.push_back(restriction);
  }
  // Of several grids of a variable, which could not be joined, only the first counts: the bounds
  // would go from one to the other for long.
  InlineVector<Expr, 8> variables;
  Restrictions rescaled;
  for (std::size_t i = 0; i < pending_.size();) {
    const Restriction grid = pending_[i];
    const Expr variable = grid.base();
    const bool is_first = grid.is_grid() && variable.is(ExprKind::kVariable) &&
                          std::ranges::find(variables, variable) == variables.end();
    if (is_first) {
      variables.push_back(variable);
      if (!tighten_bounds(grid)) return false;
    }
    if (is_first && may_rescale(grid)) {
      rescaled.push_back(grid);
      pending_.erase_at(i);
    } else {
      ++i;
    }
  }
  if (!rescaled.empty()) rescale(rescaled);
  return true;
}

// Moves the bounds of a variable inwards to its grid. False if they become empty.
bool Domain::tighten_bounds(const Restriction& grid) {
  const VariableId id = grid.base().variable();
  const Restriction before(grid.base(), bounds(id));
  const Restriction after(grid.base(), tightened(bounds(id), grid.grid));
  log_.report_change(ConstraintRule::kRangeOnGrid, before, after);
  return restrict(id, after.range);
}

// Not dimensions and runtime variables, whose values have a meaning outside the map; and nothing
// that the map can mean may leave int64.
bool Domain::may_rescale(const Restriction& grid) {
  const VariableId id = grid.base().variable();
  if (id.kind != VariableKind::kRange || !ranges_[id.index].is_bounded()) return false;
  // The lower end would read as infinite, or lose its bound.
  std::int64_t shifted = 0;
  return checked_sub(ranges_[id.index].lo, grid.grid.residue, &shifted) &&
         shifted != Interval::kMinusInfinity;
}

// s mod m = r: s becomes m * s + r.
void Domain::rescale(std::span<const Restriction> grids) {
  std::uint64_t bits = 0;
  const auto rescaled = [this](const Congruence& grid) {
    const Interval bounds = ranges_[grid.base.variable().index];
    return divide_exactly_within(bounds + Interval::point(-grid.residue), grid.modulus);
  };
  for (const Restriction& restriction : grids) {
    const Congruence& grid = restriction.grid;
    const std::array<Restriction, 2> after = {
        {{grid.base * grid.modulus + grid.residue, ranges_[grid.base.variable().index]},
         {grid.base, rescaled(grid)}}};
    log_.report(ConstraintRule::kRescaled, restriction, after);
    bits |= variable_bits(grid.base);
  }
  for (const Restriction& restriction : grids) {
    ranges_[restriction.base().variable().index] = rescaled(restriction.grid);
  }
  bounds_changed_ = true;

  InlineVector<Expr*, 16> places;
  InlineVector<Expr, 16> exprs;
  const auto add = [&](Expr& expr) {
    if ((variable_bits(expr) & bits) == 0) return;
    places.push_back(&expr);
    exprs.push_back(expr);
  };
  std::ranges::for_each(results_, add);
  std::ranges::for_each(others_, add);
  InlineVector<Restriction*, 8> touched;
  InlineVector<Constraint, 8> constraints;
  for (Restriction& restriction : pending_) {
    if ((variable_bits(restriction.base()) & bits) == 0) continue;
    touched.push_back(&restriction);
    constraints.push_back(constraint_of(restriction));
  }
  for (Constraint& constraint : constraints) add(constraint.expr);
  substitute(std::span<Expr>(exprs.begin(), exprs.end()), [&](VariableId id) {
    for (const Restriction& restriction : grids) {
      const Congruence& grid = restriction.grid;
      if (grid.base.variable() == id) return grid.base * grid.modulus + grid.residue;
    }
    return Expr();
  });
  for (std::size_t i = 0; i < places.size(); ++i) *places[i] = exprs[i];
  for (std::size_t i = 0; i < touched.size(); ++i) *touched[i] = restriction_of(constraints[i]);
}

// ---- restrictions one by one ----

bool Domain::place_pending() {
  while (!pending_.empty()) {
    const Restriction restriction = pending_.back();
    pending_.pop_back();
    if (!place(restriction)) return false;
  }
  return true;
}

bool Domain::place(const Restriction& restriction) {
  return restriction.is_grid() ? place_grid(restriction, /*is_new=*/false)
                               : place_range(restriction);
}

// The same grid, simplified; none if it is as simple as it gets.
std::optional<Constraint> Domain::simpler_grid(const Restriction& restriction) {
  const Congruence& grid = restriction.grid;
  if (grid.base.is_affine()) {
    // Of sums of variables the grid says all that there is to say.
    const Expr base = simplifier_.simplify(grid.base);
    if (base == grid.base) return std::nullopt;
    return as_constraint({base, grid.modulus, grid.residue});
  }
  const Constraint constraint = as_constraint(grid);
  const Expr simpler = simplifier_.simplify(constraint.expr);
  if (simpler == constraint.expr) return std::nullopt;
  return Constraint{simpler, constraint.range};
}

bool Domain::place_grid(Restriction restriction, bool is_new) {
  is_new = is_new || !restriction.base().is(ExprKind::kVariable);
  // The normal form of a grid and the simplest form of its base need not agree; so few looks do.
  constexpr int kMaxLooks = 4;
  Restriction last;
  for (int look = 0; look < kMaxLooks && is_total(restriction.base()); ++look) {
    const Restriction before = restriction;
    const Truth truth = normalize(restriction.grid);
    if (truth == Truth::kNever) return false;
    if (truth == Truth::kAlways) {
      log_.report(ConstraintRule::kAlwaysHolds, before);
      return true;
    }
    log_.report_change(ConstraintRule::kGridForm, before, restriction);
    if (restriction == last) break;
    last = restriction;
    const std::optional<Constraint> simpler = simpler_grid(restriction);
    if (!simpler) break;
    const Restriction after = restriction_of(*simpler);
    log_.report(ConstraintRule::kSimpler, restriction, after);
    if (!after.is_grid()) return place_range(after);
    restriction = after;
  }
  // A grid of which the base meets one point only says what its value is.
  const Interval met = tightened(simplifier_.range(restriction.base()), restriction.grid);
  if (met.is_empty()) return false;
  if (met.is_point()) {
    const Restriction point(restriction.base(), met);
    log_.report(ConstraintRule::kGridOfOnePoint, restriction, point);
    return place_range(point);
  }
  // A new one is for `settle_variables`, which has left the others here.
  if (restriction.base().is(ExprKind::kVariable) && is_new) restrictions_changed_ = true;
  restrictions_.push_back(restriction);
  return true;
}

bool Domain::place_range(Restriction restriction) {
  const bool is_total = this->is_total(restriction.base());
  // Of what it has become; false if no point is left.
  Restriction narrowed;
  const auto narrow = [&](bool* always_holds) {
    const Interval values = simplifier_.range(restriction.base());
    *always_holds = is_total && restriction.range.contains(values);
    if (*always_holds) log_.report(ConstraintRule::kAlwaysHolds, restriction);
    restriction.range = intersect(restriction.range, values);
    narrowed = restriction;
    return !restriction.range.is_empty();
  };
  bool always_holds = false;
  if (restriction.range.is_empty() || !narrow(&always_holds)) return false;
  if (always_holds) return true;
  // What has been moved may be simpler without it; so few looks do.
  constexpr int kMaxLooks = 4;
  for (int look = 0; look < kMaxLooks; ++look) {
    if (is_total) {
      const Restriction before = restriction;
      restriction = restriction_of({simplifier_.simplify(restriction.base()), restriction.range});
      log_.report_change(ConstraintRule::kSimpler, before, restriction);
      if (restriction.is_grid()) return place_grid(restriction, /*is_new=*/true);
    }
    const Expr simple = restriction.base();
    Outcome outcome = move(restriction);
    while (outcome == Outcome::kChanged) {
      if (!narrow(&always_holds)) return false;
      if (always_holds) return true;
      outcome = move(restriction);
    }
    if (outcome != Outcome::kSettled) return outcome == Outcome::kPlaced;
    if (restriction.base() == simple || restriction.base().is_affine()) break;
  }
  // As the minima and maxima are whose other end has moved elsewhere.
  if (restriction != narrowed && !narrow(&always_holds)) return false;
  if (always_holds) return true;
  // Of the values of a remainder only one may be left.
  const Restriction settled = restriction_of({restriction.base(), restriction.range});
  if (settled.is_grid()) return place_grid(settled, /*is_new=*/true);
  restrictions_.push_back(restriction);
  return true;
}

Domain::Outcome Domain::move(Restriction& restriction) {
  const Expr expr = restriction.base();
  const Restriction before = restriction;
  const auto changed = [&](ConstraintRule rule) {
    log_.report(rule, before, restriction);
    return Outcome::kChanged;
  };
  switch (expr.kind()) {
    case ExprKind::kConstant:
      return restriction.range.contains(expr.value()) ? Outcome::kPlaced : Outcome::kEmpty;
    case ExprKind::kVariable:
      log_.report(ConstraintRule::kIntoBounds, before,
                  {expr, intersect(bounds(expr.variable()), restriction.range)});
      return restrict(expr.variable(), restriction.range) ? Outcome::kPlaced : Outcome::kEmpty;
    case ExprKind::kSum:
      return move_sum(restriction) ? changed(ConstraintRule::kSumMoved) : Outcome::kSettled;
    case ExprKind::kFloorDiv:
      return move_quotient(restriction) ? changed(ConstraintRule::kQuotientMoved)
                                        : Outcome::kSettled;
    case ExprKind::kMin:
    case ExprKind::kMax:
      return split_extremum(restriction);
    case ExprKind::kProduct:
    case ExprKind::kMod:
      return Outcome::kSettled;
  }
  __builtin_unreachable();
}

// max(a, b) <= hi -> a <= hi and b <= hi; min(a, b) >= lo -> a >= lo and b >= lo
// The other end stays: one of the operands reaches it, but which one is open.
Domain::Outcome Domain::split_extremum(Restriction& restriction) {
  const Expr expr = restriction.base();
  const Restriction before = restriction;
  const Interval values = simplifier_.range(expr);
  Interval each = Interval::all();
  if (expr.is(ExprKind::kMax)) {
    if (restriction.range.hi >= values.hi) return Outcome::kSettled;
    each.hi = std::exchange(restriction.range.hi, Interval::kPlusInfinity);
  } else {
    if (restriction.range.lo <= values.lo) return Outcome::kSettled;
    each.lo = std::exchange(restriction.range.lo, Interval::kMinusInfinity);
  }
  Restrictions parts = {restriction};
  for (const Expr operand : expr.operands()) parts.push_back({operand, each});
  log_.report(ConstraintRule::kExtremumSplit, before, std::span<const Restriction>(parts));
  pending_.append(std::span<const Restriction>(parts).subspan(1));
  return Outcome::kSettled;
}

// ---- restrictions together ----

// Sorts the restrictions, joins those that restrict the same, and moves the ranges of sums inwards
// to the grids that they lie on.
bool Domain::join_equal() {
  if (restrictions_.size() < 2) return true;
  std::sort(restrictions_.begin(), restrictions_.end(), sorts_before);
  for (std::size_t i = 1; i < restrictions_.size();) {
    const Restriction restriction = restrictions_[i];
    Restriction both = restrictions_[i - 1];
    const std::optional<Truth> joined = join(both, restriction);
    if (joined == Truth::kNever) return false;
    if (!joined) {
      ++i;
      continue;
    }
    restrictions_.erase_at(i);
    log_.report(ConstraintRule::kJoined, restriction, both);
    restrictions_[i - 1] = both;
    restrictions_changed_ = true;
  }
  return std::ranges::all_of(restrictions_, [this](const Restriction& restriction) {
    return !restriction.is_grid() || tighten_ranges(restriction.grid);
  });
}

bool Domain::tighten_ranges(const Congruence& grid) {
  for (Restriction& restriction : restrictions_) {
    if (restriction.is_grid()) continue;
    const std::optional<Congruence> implied = implied_congruence(restriction.base(), grid);
    if (!implied) continue;
    const Restriction moved(restriction.base(), tightened(restriction.range, *implied));
    if (restriction == moved) continue;
    log_.report(ConstraintRule::kRangeOnGrid, restriction, moved);
    restriction = moved;
    restrictions_changed_ = true;
    if (restriction.range.is_empty()) return false;
  }
  return true;
}

// What the others say may settle a restriction, or make it simpler. Each is looked at given all the
// others as they are at that moment, so that the whole means the same after each step.
bool Domain::compare() {
  // Each with each.
  constexpr std::size_t kMaxCompared = 32;
  if (restrictions_.size() < 2 || restrictions_.size() > kMaxCompared) return true;
  if (!bounds_changed_ && std::ranges::equal(restrictions_, compared_)) return true;
  bool has_assumed = false;
  bool changes = false;
  for (std::size_t i = 0; i < restrictions_.size();) {
    Restriction& restriction = restrictions_[i];
    if (has_assumed) start_from_bounds();
    const Expr expr = restriction.base();
    const bool is_grid = restriction.is_grid();
    // `join_equal` has seen to what grids say of sums, and ranges of sums say nothing of grids.
    has_assumed = !(is_grid && expr.is_affine()) &&
                  assume_for(std::span(&expr, 1), &restriction, /*only_ranges=*/expr.is_affine());
    if (!has_assumed || !is_total(expr)) {
      ++i;
      continue;
    }
    Restriction simpler = restriction;
    simpler.grid.base = simplifier_.simplify(expr);
    if (is_grid) simpler = restriction_of(constraint_of(simpler));
    const Constraint wanted = constraint_of(simpler);
    const Interval values = simplifier_.range(wanted.expr);
    if (intersect(wanted.range, values).is_empty()) return false;
    if (wanted.range.contains(values)) {
      log_.report(ConstraintRule::kImplied, restriction);
      restrictions_.erase_at(i);
      changes = true;
      continue;
    }
    changes = changes || simpler != restriction;
    log_.report_change(ConstraintRule::kSimplerGivenOthers, restriction, simpler);
    restriction = simpler;
    ++i;
  }
  if (has_assumed) start_from_bounds();
  restrictions_changed_ = restrictions_changed_ || changes;
  if (!changes) compared_ = restrictions_;
  return true;
}

// ---- runtime variables ----

void Domain::restore_runtime_conditions() {
  const std::size_t others = restrictions_.size();
  for (std::uint32_t i = 0; i < runtimes_.size(); ++i) {
    const Expr variable = map_.context().runtime(i);
    const Interval known = map_.runtimes()[i].bounds;
    const bool is_implied =
        runtimes_[i] == known || std::ranges::any_of(restrictions_, [&](const Restriction& other) {
          return other.is_grid() && other.base() == variable &&
                 tightened(known, other.grid) == runtimes_[i];
        });
    if (!is_implied) restrictions_.push_back({variable, runtimes_[i]});
  }
  if (restrictions_.size() == others) return;
  std::ranges::sort(restrictions_, sorts_before);
}

// ---- constraints on one variable ----

namespace {

Condition& condition_of(std::vector<Condition>& conditions, VariableId id) {
  const auto known = std::ranges::find(conditions, id, &Condition::variable);
  if (known != conditions.end()) return *known;
  return conditions.emplace_back(Condition{.variable = id});
}

}  // namespace

// Whether it is a grid whose points the bounds of a variable end on, which it may not be when it
// has only just been found.
bool Domain::is_met_by_bounds(const Restriction& restriction) {
  if (!restriction.is_grid() || !restriction.base().is(ExprKind::kVariable)) return false;
  const Interval bounds = this->bounds(restriction.base().variable());
  return tightened(bounds, restriction.grid) == bounds;
}

bool Domain::search_bounds() {
  std::vector<Condition> conditions;
  for (const Restriction& restriction : restrictions_) {
    const std::optional<VariableId> variable = only_variable(restriction.base());
    if (!variable || is_met_by_bounds(restriction)) continue;
    condition_of(conditions, *variable).constraints.push_back(constraint_of(restriction));
  }
  if (conditions.empty()) return true;
  for (const Restriction& restriction : restrictions_) {
    if (!is_met_by_bounds(restriction)) continue;
    // Several, if their common modulus did not fit: the bounds lie on the grid of the last.
    condition_of(conditions, restriction.base().variable()).step = restriction.grid.modulus;
  }
  for (const Condition& condition : conditions) {
    if (condition.constraints.empty()) continue;
    const std::optional<SearchResult> found = search(condition, bounds(condition.variable));
    if (!found) return false;
    const Restriction within(map_.context().variable(condition.variable), found->bounds);
    for (std::size_t i = 0; i < condition.constraints.size(); ++i) {
      if (!found->always_holds[i]) continue;
      const Restriction restriction = restriction_of(condition.constraints[i]);
      log_.report(ConstraintRule::kTriedValues, restriction, within);
      if (!restrict(condition.variable, found->bounds)) return false;
      Restriction* const place = std::ranges::find(restrictions_, restriction);
      if (place == restrictions_.end()) continue;
      restrictions_.erase_at(static_cast<std::size_t>(place - restrictions_.begin()));
      restrictions_changed_ = true;
    }
    if (!restrict(condition.variable, found->bounds)) return false;
  }
  return true;
}

}  // namespace mercator::internal
