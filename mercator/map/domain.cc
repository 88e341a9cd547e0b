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

// factor * end + offset for one end of a range, where `infinite` is what stands for no bound at
// that end and stays. None if the result leaves int64 or would read as infinite.
std::optional<std::int64_t> moved_end(std::int64_t end, std::int64_t infinite, std::int64_t factor,
                                      std::int64_t offset) {
  if (end == infinite) return end;
  std::int64_t moved = 0;
  if (!checked_mul(end, factor, &moved) || !checked_add(moved, offset, &moved) ||
      moved == infinite) {
    return std::nullopt;
  }
  return moved;
}

std::optional<std::int64_t> moved_lower(std::int64_t end, std::int64_t factor,
                                        std::int64_t offset) {
  return moved_end(end, Interval::kMinusInfinity, factor, offset);
}

std::optional<std::int64_t> moved_upper(std::int64_t end, std::int64_t factor,
                                        std::int64_t offset) {
  return moved_end(end, Interval::kPlusInfinity, factor, offset);
}

// The common factor of the coefficients, with the sign of the first one; 1 if it does not fit.
std::int64_t signed_factor(Expr sum) {
  std::int64_t factor = 0;
  for (const std::int64_t coefficient : sum.coefficients()) {
    if (coefficient == Interval::kMinusInfinity) return 1;
    factor = factor == 1 || coefficient == 1 || coefficient == -1 ? 1 : gcd(factor, coefficient);
  }
  return sum.coefficients()[0] < 0 ? -factor : factor;
}

// c + k * x in [lo, hi] -> x in [ceil((lo - c) / k), floor((hi - c) / k)]
bool rewrite_sum(Constraint& constraint) {
  const Expr sum = constraint.expr;
  const std::int64_t factor = signed_factor(sum);
  if (sum.constant() == 0 && factor == 1) return false;
  if (sum.constant() == Interval::kMinusInfinity) return false;
  const auto lo = moved_lower(constraint.range.lo, 1, -sum.constant());
  const auto hi = moved_upper(constraint.range.hi, 1, -sum.constant());
  if (!lo || !hi) return false;
  // The negation of the least lower end would read as infinite, that of the least upper end does
  // not fit.
  if (factor < 0 && (*lo == Interval::kMinusInfinity + 1 || *hi == Interval::kMinusInfinity)) {
    return false;
  }

  InlineVector<Term, 8> terms;
  for (std::size_t i = 0; i < sum.operands().size(); ++i) {
    terms.push_back({sum.operands()[i], sum.coefficients()[i] / factor});
  }
  constraint.expr = sum.context().sum(terms);
  constraint.range = divide_exactly_within({*lo, *hi}, factor);
  return true;
}

// x floordiv n in [lo, hi] -> x in [lo * n, hi * n + n - 1]
bool rewrite_quotient(Constraint& constraint) {
  const Expr divisor = constraint.expr.divisor();
  if (!divisor.is(ExprKind::kConstant) || divisor.value() <= 0) return false;
  const std::int64_t n = divisor.value();
  const auto lo = moved_lower(constraint.range.lo, n, 0);
  const auto hi = moved_upper(constraint.range.hi, n, n - 1);
  if (!lo || !hi) return false;
  constraint = {constraint.expr.dividend(), {*lo, *hi}};
  return true;
}

}  // namespace

Domain::Domain(const IndexMap& map, std::span<Expr> results, std::span<Expr> others,
               Simplifier& simplifier, ConstraintLog& log)
    : map_(map), results_(results), others_(others), simplifier_(simplifier), log_(log) {
  constraints_.append(std::span<const Constraint>(map.constraints()));
  for (const Variable& variable : map.dimensions()) dimensions_.push_back(variable.bounds);
  for (const Variable& variable : map.ranges()) ranges_.push_back(variable.bounds);
  for (const RuntimeVariable& variable : map.runtimes()) runtimes_.push_back(variable.bounds);
}

bool Domain::simplify() {
  // Bounds only shrink and constraints only get simpler, so that this ends by itself, after two or
  // three rounds for the maps of real programs. The limit guards against endless work, not against
  // wrong results: the domain means the same after every round.
  constexpr int kMaxRounds = 100;
  if (constraints_.empty() && std::ranges::none_of(results_, &Expr::has_variable_divisor)) {
    start_from_bounds();
    return !has_empty_bounds();
  }
  bounds_changed_ = true;
  for (int round = 0; round < kMaxRounds; ++round) {
    if (bounds_changed_) {
      if (has_empty_bounds()) return false;
      start_from_bounds();
      bounds_changed_ = false;
      compared_.clear();
    }
    const Constraints before = constraints_;
    for (std::size_t i = before.size(); i-- > 0;) pending_.push_back(before[i]);
    constraints_.clear();
    if (!exclude_zero_divisors() || !place_pending() || !join() || !compare() || !search_bounds()) {
      return false;
    }
    rescale();
    if (!bounds_changed_ && std::ranges::equal(constraints_, before)) break;
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

bool Domain::concerns_any(const Constraint& constraint, std::span<const Expr> exprs,
                          bool only_ranges) {
  // A grid is about its base.
  const std::optional<Congruence> grid = as_congruence(constraint);
  if (grid && only_ranges) return false;
  const Expr fact = grid ? grid->base : constraint.expr;
  return std::ranges::any_of(exprs, [&](Expr expr) { return concerns(fact, expr); });
}

bool Domain::assume_for(std::span<const Expr> exprs, const Constraint* left_out, bool only_ranges) {
  InlineVector<const Constraint*, 8> relevant;
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const Constraint& constraint = constraints_[i];
    const bool is_known = i < is_assumed_.size() && is_assumed_[i];
    if (!is_known && &constraint != left_out && concerns_any(constraint, exprs, only_ranges)) {
      relevant.push_back(&constraint);
    }
  }
  // What is simpler may tell something of the others.
  std::stable_sort(relevant.begin(), relevant.end(), [](const Constraint* a, const Constraint* b) {
    return a->expr.depth() < b->expr.depth();
  });
  while (is_assumed_.size() < constraints_.size()) is_assumed_.push_back(false);
  for (const Constraint* constraint : relevant) {
    simplifier_.assume(constraint->expr, constraint->range);
    is_assumed_[static_cast<std::size_t>(constraint - constraints_.begin())] = true;
  }
  return !relevant.empty();
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
  if (constraints_.empty() || std::ranges::all_of(results, &Expr::is_affine)) return;
  assume_for(operands_of_others(results), nullptr, /*only_ranges=*/false);
}

bool Domain::would_assume_the_same(std::span<const Expr> results) {
  if (constraints_.empty()) return true;
  const InlineVector<Expr, 16> operands = operands_of_others(results);
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const bool is_assumed = i < is_assumed_.size() && is_assumed_[i];
    if (is_assumed != concerns_any(constraints_[i], operands, /*only_ranges=*/false)) return false;
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
  const std::size_t constraint_count = pending_.size();
  for (std::size_t i = 0; i < constraint_count; ++i) {
    if (!exclude_zero(pending_[i].expr)) return false;
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

// ---- constraints one by one ----

bool Domain::place_pending() {
  while (!pending_.empty()) {
    const Constraint constraint = pending_.back();
    pending_.pop_back();
    if (!place(constraint)) return false;
  }
  return true;
}

bool Domain::place(Constraint constraint) {
  if (constraint.range.is_empty()) return false;
  const bool is_total = this->is_total(constraint.expr);
  if (is_total && constraint.range.contains(simplifier_.range(constraint.expr))) {
    log_.report(ConstraintRule::kAlwaysHolds, constraint);
    return true;
  }
  if (is_total) {
    const Expr expr = std::exchange(constraint.expr, simplifier_.simplify(constraint.expr));
    log_.report_change(ConstraintRule::kSimpler, {expr, constraint.range}, constraint);
  }
  Outcome outcome = Outcome::kChanged;
  while (outcome == Outcome::kChanged) outcome = rewrite(constraint);
  if (outcome != Outcome::kSettled) return outcome == Outcome::kPlaced;

  const Interval values = simplifier_.range(constraint.expr);
  if (is_total && constraint.range.contains(values)) {
    log_.report(ConstraintRule::kAlwaysHolds, constraint);
    return true;
  }
  constraint.range = intersect(constraint.range, values);
  if (constraint.range.is_empty()) return false;
  constraints_.push_back(constraint);
  return true;
}

Domain::Outcome Domain::rewrite(Constraint& constraint) {
  const Expr expr = constraint.expr;
  const Constraint before = constraint;
  const auto changed = [&](ConstraintRule rule) {
    log_.report(rule, before, constraint);
    return Outcome::kChanged;
  };
  switch (expr.kind()) {
    case ExprKind::kConstant:
      return constraint.range.contains(expr.value()) ? Outcome::kPlaced : Outcome::kEmpty;
    case ExprKind::kVariable:
      log_.report(ConstraintRule::kIntoBounds, before);
      return restrict(expr.variable(), constraint.range) ? Outcome::kPlaced : Outcome::kEmpty;
    case ExprKind::kSum:
      return rewrite_sum(constraint) ? changed(ConstraintRule::kSumMoved) : Outcome::kSettled;
    case ExprKind::kFloorDiv:
      return rewrite_quotient(constraint) ? changed(ConstraintRule::kQuotientMoved)
                                          : Outcome::kSettled;
    case ExprKind::kMin:
    case ExprKind::kMax:
      return split_extremum(constraint);
    case ExprKind::kProduct:
    case ExprKind::kMod:
      return Outcome::kSettled;
  }
  __builtin_unreachable();
}

// max(a, b) <= hi -> a <= hi and b <= hi; min(a, b) >= lo -> a >= lo and b >= lo
// The other end stays: one of the operands reaches it, but which one is open.
Domain::Outcome Domain::split_extremum(Constraint& constraint) {
  const Expr expr = constraint.expr;
  const Interval values = simplifier_.range(expr);
  Interval each = Interval::all();
  if (expr.is(ExprKind::kMax)) {
    if (constraint.range.hi >= values.hi) return Outcome::kSettled;
    each.hi = std::exchange(constraint.range.hi, Interval::kPlusInfinity);
  } else {
    if (constraint.range.lo <= values.lo) return Outcome::kSettled;
    each.lo = std::exchange(constraint.range.lo, Interval::kMinusInfinity);
  }
  for (const Expr operand : expr.operands()) {
    pending_.push_back({operand, each});
    log_.report(ConstraintRule::kExtremumSplit, constraint, pending_.back());
  }
  return Outcome::kSettled;
}

// ---- constraints together ----

namespace {

// A constraint as it sorts: by what is constrained, be it to a grid or to a range.
struct Entry {
  Expr base;
  std::optional<Congruence> congruence;
  Interval range;
};

using Entries = InlineVector<Entry, 6>;

Entry entry_of(const Constraint& constraint) {
  if (std::optional<Congruence> congruence = as_congruence(constraint)) {
    return {.base = congruence->base, .congruence = congruence, .range = Interval::all()};
  }
  return {.base = constraint.expr, .congruence = {}, .range = constraint.range};
}

Constraint constraint_of(const Entry& entry) {
  return entry.congruence ? as_constraint(*entry.congruence) : Constraint{entry.base, entry.range};
}

bool sorts_before(const Entry& a, const Entry& b) {
  if (const auto order = compare(a.base, b.base); order != 0) return order < 0;
  if (a.congruence.has_value() != b.congruence.has_value()) return a.congruence.has_value();
  if (!a.congruence) return false;
  return a.congruence->modulus != b.congruence->modulus
             ? a.congruence->modulus < b.congruence->modulus
             : a.congruence->residue < b.congruence->residue;
}

// Joins `other` into `entry` where they constrain the same in the same way. None if they stay
// apart.
std::optional<Truth> join_entries(Entry& entry, const Entry& other) {
  if (entry.base != other.base || entry.congruence.has_value() != other.congruence.has_value()) {
    return std::nullopt;
  }
  if (entry.congruence) return conjoin(*entry.congruence, *other.congruence);
  entry.range = intersect(entry.range, other.range);
  return entry.range.is_empty() ? Truth::kNever : Truth::kSometimes;
}

// Sorts the entries and joins those that constrain the same. False if two contradict each other.
bool join_equal(Entries& entries, ConstraintLog& log) {
  std::sort(entries.begin(), entries.end(), sorts_before);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry entry = entries[i];
    const std::optional<Truth> joined =
        kept == 0 ? std::nullopt : join_entries(entries[kept - 1], entry);
    if (joined == Truth::kNever) return false;
    if (joined)
      log.report(ConstraintRule::kJoined, constraint_of(entry), constraint_of(entries[kept - 1]));
    if (!joined) entries[kept++] = entry;
  }
  entries.truncate(kept);
  return true;
}

// Moves the ranges of sums inwards to the grids that they lie on. False if one becomes empty.
bool tighten_ranges(Entries& entries, const Congruence& congruence, ConstraintLog& log) {
  for (Entry& entry : entries) {
    if (entry.congruence) continue;
    const auto implied = implied_congruence(entry.base, congruence);
    const Constraint before = constraint_of(entry);
    if (implied) entry.range = tightened(entry.range, *implied);
    log.report_change(ConstraintRule::kRangeOnGrid, before, constraint_of(entry));
    if (entry.range.is_empty()) return false;
  }
  return true;
}

}  // namespace

bool Domain::join() {
  if (constraints_.empty()) return true;
  Entries entries;
  for (const Constraint& constraint : constraints_) {
    Entry entry = entry_of(constraint);
    if (entry.congruence && is_total(entry.base)) {
      const Truth truth = normalize(*entry.congruence);
      if (truth == Truth::kNever) return false;
      if (truth == Truth::kAlways) {
        log_.report(ConstraintRule::kAlwaysHolds, constraint);
        continue;
      }
      entry.base = entry.congruence->base;
      log_.report_change(ConstraintRule::kGridForm, constraint, as_constraint(*entry.congruence));
    }
    entries.push_back(entry);
  }
  if (!join_equal(entries, log_)) return false;

  constraints_.clear();
  for (const Entry& entry : entries) {
    if (!entry.congruence) continue;
    if (!tighten_ranges(entries, *entry.congruence, log_) || !tighten_to_grid(*entry.congruence)) {
      return false;
    }
  }
  for (const Entry& entry : entries) {
    Constraint constraint = constraint_of(entry);
    if (entry.congruence) {
      // A grid of which the base meets one point only says what its value is.
      const Interval met = tightened(simplifier_.range(entry.base), *entry.congruence);
      if (met.is_point()) {
        const Constraint grid = std::exchange(constraint, {entry.base, met});
        log_.report(ConstraintRule::kGridOfOnePoint, grid, constraint);
      }
    }
    constraints_.push_back(constraint);
  }
  return true;
}

bool Domain::tighten_to_grid(const Congruence& congruence) {
  if (!congruence.base.is(ExprKind::kVariable)) {
    return !tightened(simplifier_.range(congruence.base), congruence).is_empty();
  }
  const VariableId id = congruence.base.variable();
  return restrict(id, tightened(bounds(id), congruence));
}

// What the others say may settle a constraint, or make it simpler. Each is looked at given all the
// others as they are at that moment, so that the whole means the same after each step.
bool Domain::compare() {
  // Each with each.
  constexpr std::size_t kMaxCompared = 32;
  if (constraints_.size() < 2 || constraints_.size() > kMaxCompared) return true;
  if (!bounds_changed_ && std::ranges::equal(constraints_, compared_)) return true;
  bool has_assumed = false;
  bool changes = false;
  for (std::size_t i = 0; i < constraints_.size();) {
    Constraint& constraint = constraints_[i];
    if (has_assumed) start_from_bounds();
    const std::optional<Congruence> grid = as_congruence(constraint);
    const Expr expr = grid ? grid->base : constraint.expr;
    // `join` has seen to what grids say of sums, and ranges of sums say nothing of grids.
    has_assumed = !(grid && expr.is_affine()) &&
                  assume_for(std::span(&expr, 1), &constraint, /*only_ranges=*/expr.is_affine());
    if (!has_assumed || !is_total(expr)) {
      ++i;
      continue;
    }
    Constraint simpler = {simplifier_.simplify(expr), constraint.range};
    if (grid) {
      simpler = simpler.expr == expr ? constraint
                                     : as_constraint({simpler.expr, grid->modulus, grid->residue});
    }
    const Interval values = simplifier_.range(simpler.expr);
    if (intersect(simpler.range, values).is_empty()) return false;
    if (simpler.range.contains(values)) {
      log_.report(ConstraintRule::kImplied, constraint);
      constraints_.erase_at(i);
      changes = true;
      continue;
    }
    changes = changes || !(constraint.expr == simpler.expr);
    log_.report_change(ConstraintRule::kSimplerGivenOthers, constraint, simpler);
    constraint = simpler;
    ++i;
  }
  if (has_assumed) start_from_bounds();
  if (!changes) compared_ = constraints_;
  return true;
}

// ---- range variables on a grid ----

// s mod m = r: s becomes m * s + r. Not for dimensions and runtime variables, whose values have a
// meaning outside the map.
void Domain::rescale() {
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const std::optional<Congruence> congruence = as_congruence(constraints_[i]);
    if (!congruence || !congruence->base.is(ExprKind::kVariable)) continue;
    const VariableId id = congruence->base.variable();
    if (id.kind != VariableKind::kRange) continue;
    const std::int64_t m = congruence->modulus;
    const std::int64_t r = congruence->residue;
    // Nothing that the map can mean may leave int64.
    if (!ranges_[id.index].is_bounded()) continue;
    const Interval shifted = ranges_[id.index] + Interval::point(-r);
    log_.report(ConstraintRule::kRescaled, constraints_[i]);
    constraints_.erase_at(i);
    ranges_[id.index] = divide_exactly_within(shifted, m);
    bounds_changed_ = true;
    substitute_range(id.index, congruence->base * m + r);
    return;
  }
}

void Domain::substitute_range(std::uint32_t index, Expr replacement) {
  const auto replace = [&](VariableId id) {
    return id == VariableId{VariableKind::kRange, index} ? replacement : Expr();
  };
  InlineVector<Expr, 16> exprs;
  exprs.append(results_);
  exprs.append(others_);
  for (const Constraint& constraint : constraints_) exprs.push_back(constraint.expr);
  substitute(std::span<Expr>(exprs.begin(), exprs.end()), replace);
  const Expr* next = exprs.begin();
  for (Expr& expr : results_) expr = *next++;
  for (Expr& expr : others_) expr = *next++;
  for (Constraint& constraint : constraints_) constraint.expr = *next++;
}

// ---- runtime variables ----

void Domain::restore_runtime_conditions() {
  const std::size_t others = constraints_.size();
  for (std::uint32_t i = 0; i < runtimes_.size(); ++i) {
    if (runtimes_[i] == map_.runtimes()[i].bounds) continue;
    constraints_.push_back({map_.context().runtime(i), runtimes_[i]});
  }
  if (constraints_.size() == others) return;
  std::ranges::sort(constraints_, [](const Constraint& a, const Constraint& b) {
    return sorts_before(entry_of(a), entry_of(b));
  });
}

// ---- constraints on one variable ----

namespace {

Condition& condition_of(std::vector<Condition>& conditions, VariableId id) {
  const auto known = std::ranges::find(conditions, id, &Condition::variable);
  if (known != conditions.end()) return *known;
  return conditions.emplace_back(Condition{.variable = id});
}

}  // namespace

bool Domain::search_bounds() {
  if (constraints_.empty()) return true;
  std::vector<Condition> conditions;
  for (const Constraint& constraint : constraints_) {
    const std::optional<VariableId> variable = only_variable(constraint.expr);
    if (!variable) continue;
    Condition& condition = condition_of(conditions, *variable);
    const std::optional<Congruence> congruence = as_congruence(constraint);
    // A grid that has only just been found has not moved the bounds yet.
    if (congruence && congruence->base.is(ExprKind::kVariable) &&
        tightened(bounds(*variable), *congruence) == bounds(*variable)) {
      // Several, if their common modulus did not fit: the bounds lie on the grid of the last.
      condition.step = congruence->modulus;
    } else {
      condition.constraints.push_back(constraint);
    }
  }
  for (const Condition& condition : conditions) {
    if (condition.constraints.empty()) continue;
    const std::optional<SearchResult> found = search(condition, bounds(condition.variable));
    if (!found || !restrict(condition.variable, found->bounds)) return false;
    for (std::size_t i = 0; i < condition.constraints.size(); ++i) {
      if (!found->always_holds[i]) continue;
      log_.report(ConstraintRule::kTriedValues, condition.constraints[i]);
      Constraint* const place = std::ranges::find(constraints_, condition.constraints[i]);
      if (place != constraints_.end()) {
        constraints_.erase_at(static_cast<std::size_t>(place - constraints_.begin()));
      }
    }
  }
  return true;
}

}  // namespace mercator::internal
