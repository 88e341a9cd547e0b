#include "mercator/analysis/tile_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mercator/analysis/tile_cuts.h"

namespace mercator::internal {
namespace {

// More sums would leave too many pairs of bounds.
constexpr std::size_t kMaxProjected = 4;

std::string gaps_left_by(const TileState& state, std::size_t index) {
  return fmt::format("{} leaves gaps in what a constraint allows", state.name(index));
}

// All there is of a variable: a term of one constraint.
struct ConstraintTerm {
  std::size_t constraint;
  Expr others;  // what it is added to
  Progression values;
  // By how much what two neighbouring values allow overlaps; there is a gap if it is negative.
  Expr overlap;
};

std::optional<ConstraintTerm> only_term(const TileState& state, std::size_t index,
                                        const VariableUses& uses) {
  if (!uses.is_in_one_sum()) return std::nullopt;
  const auto& [sum, coefficient] = uses.sums.front();
  const std::optional<std::size_t> constraint = state.only_root(sum);
  if (!constraint || !state.is_constraint(*constraint)) return std::nullopt;
  const Expr zero = state.assumptions().constant(0);
  const Progression values = scaled(state.values(index), coefficient, zero);
  const auto& [lo, hi] = state.range(*constraint);
  return ConstraintTerm{.constraint = *constraint,
                        .others = sum - state.variable(index) * coefficient,
                        .values = values,
                        .overlap = lo && hi ? hi - lo + 1 - values.stride : zero};
}

void eliminate(TileState& state, const ConstraintTerm& term) {
  Assumptions& assumptions = state.assumptions();
  auto [lo, hi] = state.range(term.constraint);
  if (lo) lo = assumptions.simplify(lo - last(term.values));
  if (hi) hi = assumptions.simplify(hi - term.values.offset);
  state.set_constraint(term.constraint, term.others, {lo, hi});
}

// `coefficient` * variable is a term of an equation, for 1 or -1.
struct EquationTerm {
  std::size_t variable = 0;
  std::int64_t coefficient = 1;
};

bool has_number_as_stride(const TileState& state, std::size_t index) {
  return state.values(index).stride.is(ExprKind::kConstant);
}

// The term that is best to solve the equation for: with a number as stride, if there is one.
std::optional<EquationTerm> solvable_term(const TileState& state, Expr equation,
                                          std::span<const VariableUses> uses) {
  std::optional<EquationTerm> best;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Expr x = state.variable(i);
    for (const auto& [sum, coefficient] : uses[i].sums) {
      if (sum != equation || !is_unit(coefficient)) continue;
      if (is_within(x, sum - x * coefficient)) continue;
      if (has_number_as_stride(state, i)) return EquationTerm{i, coefficient};
      if (!best) best = EquationTerm{i, coefficient};
    }
  }
  return best;
}

StepResult solve_equation(const TileState& state, std::size_t root, const EquationTerm& term) {
  const auto [index, coefficient] = term;
  const Progression values = state.values(index);
  const Expr rest = state.roots()[root] - state.variable(index) * coefficient;
  const Expr value = (state.range(root).lo - rest) * coefficient;
  TileState after = state;
  TileBranches next;
  std::int64_t stride = 1;
  if (has_number_as_stride(state, index)) {
    stride = values.stride.value();
  } else {
    // Only for the stride that nearly all tiles have.
    if (!after.require(values.stride, Interval::point(1))) return std::nullopt;
    next.reason = "two strides meet in an equation";
  }
  after.drop_constraint(root);
  after.add_constraint(value, {values.offset, last(values)});
  if (stride != 1) {
    const Expr zero = state.assumptions().constant(0);
    after.add_constraint(mod(value - values.offset, stride), {zero, zero});
  }
  after.replace_variable(index, value);
  next.add(std::move(after));
  if (has_number_as_stride(state, index)) return next;
  next.add_single(state, index);
  add_cuts(state, root, next);
  return next;
}

// x + E, where these sums are all x + E or -x - E, up to numbers.
std::optional<Expr> common_form(const std::vector<SumUse>& sums) {
  const auto form_of = [](const SumUse& use) {
    const Expr form = use.sum * use.coefficient;
    return form - form.constant();
  };
  for (const SumUse& use : sums) {
    if (!is_unit(use.coefficient) || form_of(use) != form_of(sums.front())) return std::nullopt;
  }
  return form_of(sums.front());
}

// Whether a constraint says what the sum is modulo something, and the sum occurs elsewhere as well.
bool has_known_residue(const TileState& state, Expr sum) {
  return std::ranges::any_of(state.constraints(), [&](std::size_t root) {
    const Expr node = state.roots()[root];
    return node.is(ExprKind::kMod) && node.dividend() == sum && state.range(root).is_point() &&
           state.is_within_other(sum, node);
  });
}

}  // namespace

SymbolicRange range_left(const RootUse& use, const SymbolicRange& range) {
  const auto& [expr, factor, rest] = use.argument;
  Expr lo;
  Expr hi;
  if (range.lo) {
    lo = factor > 0 ? ceil_div(range.lo - rest, factor) : floor_div(rest - range.lo, -factor);
  }
  if (range.hi) {
    hi = factor > 0 ? floor_div(range.hi - rest, factor) : ceil_div(rest - range.hi, -factor);
  }
  if (factor < 0) std::swap(lo, hi);
  return {lo, hi};
}

StepResult clip(const TileState& state, std::size_t index, const VariableUses& uses) {
  for (const RootUse& use : uses.roots) {
    if (!state.is_constraint(use.root)) continue;
    const auto [lo, hi] = range_left(use, state.range(use.root));
    return branch(state, clipped(state.assumptions(), state.values(index), lo, hi),
                  [&](TileState& after, const std::vector<Progression>& values) {
                    after.set_values(index, values.front());
                    after.drop_constraint(use.root);
                  });
  }
  return std::nullopt;
}

StepResult choose_residue(const TileState& state, std::size_t index, const VariableUses& uses) {
  Assumptions& assumptions = state.assumptions();
  for (const DigitUse& use : uses.digits) {
    const std::int64_t factor = use.argument.factor;
    const std::int64_t n = use.divisor;
    if (use.is_quotient || !is_unit(factor)) continue;
    for (const std::size_t root : state.constraints()) {
      const SymbolicRange range = state.range(root);
      if (state.roots()[root] != use.node || !range.is_point()) continue;
      const Expr residue = range.lo;
      const auto chosen = with_residue(assumptions, state.values(index, use.argument), n, residue);
      if (!chosen) continue;
      return branch(state, *chosen, [&](TileState& after, const std::vector<Progression>& values) {
        // A new variable for the argument: what is known of its remainder simplifies.
        const auto& [offset, size, stride] = values.front();
        const Expr rows = after.add_variable(
            {floor_div(offset - residue, n), size, assumptions.simplify(floor_div(stride, n))},
            state.name(index));
        after.replace_variable(index, (rows * n + residue - use.argument.rest) * factor);
        after.drop_constraint(root);
      });
    }
  }
  return std::nullopt;
}

StepResult eliminate_freely(const TileState& state, std::size_t index, const VariableUses& uses) {
  const std::optional<ConstraintTerm> term = only_term(state, index, uses);
  if (!term || !state.assumptions().always(term->overlap, at_least(0))) return std::nullopt;
  TileState after = state;
  eliminate(after, *term);
  return TileBranches{.states = {std::move(after)}};
}

StepResult eliminate(const TileState& state, std::size_t index, const VariableUses& uses) {
  const std::optional<ConstraintTerm> term = only_term(state, index, uses);
  if (!term) return std::nullopt;
  TileBranches next{.reason = gaps_left_by(state, index)};
  if (TileState after = state; after.require(term->overlap, at_least(0))) {
    eliminate(after, *term);
    next.add(std::move(after));
  }
  next.add_single(state, index);
  return next;
}

StepResult solve_equation(const TileState& state, std::span<const VariableUses> uses) {
  for (const std::size_t root : state.constraints()) {
    if (!state.range(root).is_point()) continue;
    const auto term = solvable_term(state, state.roots()[root], uses);
    if (term) return solve_equation(state, root, *term);
  }
  return std::nullopt;
}

StepResult shift(const TileState& state, std::size_t index, const VariableUses& uses) {
  if (uses.sums.empty() || !uses.is_in_sums_only()) return std::nullopt;
  // One sum is left to other steps, unless its residue is known: that of a variable can be chosen.
  if (uses.sums.size() == 1 && !has_known_residue(state, uses.sums.front().sum)) {
    return std::nullopt;
  }
  const std::optional<Expr> form = common_form(uses.sums);
  // As a result, a sum would have to be merged.
  const bool has_result = std::ranges::any_of(state.results(), [&](std::size_t root) {
    return std::ranges::find(uses.sums, state.roots()[root], &SumUse::sum) != uses.sums.end();
  });
  if (!form || has_result) return std::nullopt;
  Assumptions& assumptions = state.assumptions();
  const Interval range = assumptions.range(*form);
  if (!range.is_bounded()) return std::nullopt;
  const Progression& values = state.values(index);
  TileBranches next;
  const bool takes_steps = !assumptions.always(values.stride, Interval::point(1));
  if (takes_steps) {
    next.reason = fmt::format("{} takes steps in what a constraint allows", state.name(index));
  }
  // The sum of a single value and others needs less than any sum.
  if (takes_steps || uses.sums.size() == 1) next.add_single(state, index);
  TileState after = state;
  if (!after.require(values.stride, Interval::point(1))) return next;
  const Expr whole = after.add_variable(
      {assumptions.constant(range.lo), assumptions.constant(range.size()), assumptions.constant(1)},
      state.name(index));
  const Expr others = *form - state.variable(index);
  after.add_constraint(whole - others, {values.offset, last(values)});
  after.rewrite_roots([&](Expr old, std::span<const Expr>) {
    const auto use = std::ranges::find(uses.sums, old, &SumUse::sum);
    if (use == uses.sums.end()) return Expr();
    return (whole + (old * use->coefficient).constant()) * use->coefficient;
  });
  next.add(std::move(after));
  return next;
}

StepResult project(const TileState& state, std::size_t index, const VariableUses& uses) {
  if (!uses.is_in_sums_only() || uses.sums.size() < 2 || uses.sums.size() > kMaxProjected) {
    return std::nullopt;
  }
  const Progression& values = state.values(index);
  std::vector<Expr> lower = {values.offset};
  std::vector<Expr> upper = {last(values)};
  std::vector<std::size_t> projected;
  for (const auto& [sum, coefficient] : uses.sums) {
    const std::optional<std::size_t> root = state.only_root(sum);
    if (!root || !state.is_constraint(*root) || !is_unit(coefficient)) return std::nullopt;
    projected.push_back(*root);
    // lo <= x + E <= hi, or lo <= E - x <= hi.
    const Expr others = sum - state.variable(index) * coefficient;
    const auto& [lo, hi] = state.range(*root);
    const Expr from = coefficient > 0 ? lo : hi;
    const Expr to = coefficient > 0 ? hi : lo;
    if (from) lower.push_back((from - others) * coefficient);
    if (to) upper.push_back((to - others) * coefficient);
  }
  TileState after = state;
  TileBranches next;
  if (!state.assumptions().always(values.stride, Interval::point(1))) {
    next.reason = gaps_left_by(state, index);
    next.add_single(state, index);
    for (const std::size_t root : projected) {
      add_cuts(state, root, next);
    }
    if (!after.require(values.stride, Interval::point(1))) return next;
  }
  std::ranges::sort(projected);
  after.drop_constraints(projected);
  const Expr zero = state.assumptions().constant(0);
  for (const Expr from : lower) {
    for (const Expr to : upper) {
      if (from == lower.front() && to == upper.front()) continue;
      after.add_constraint(to - from, {zero, Expr()});
    }
  }
  next.add(std::move(after));
  return next;
}

StepResult cover(const TileState& state, std::size_t index, const VariableUses& uses) {
  if (!uses.is_in_one_sum()) return std::nullopt;
  const auto& [sum, coefficient] = uses.sums.front();
  if (!is_unit(coefficient)) return std::nullopt;
  for (const std::size_t root : state.constraints()) {
    const Expr node = state.roots()[root];
    if (!node.is(ExprKind::kMod) || node.dividend() != sum ||
        !node.divisor().is(ExprKind::kConstant) || !state.range(root).is_point()) {
      continue;
    }
    if (state.is_within_other(sum, node)) return std::nullopt;
    const auto& [offset, size, stride] = state.values(index);
    TileBranches next{.reason = gaps_left_by(state, index)};
    if (TileState covered = state; covered.require(stride, Interval::point(1)) &&
                                   covered.require(size, at_least(node.divisor().value()))) {
      covered.drop_constraint(root);
      next.add(std::move(covered));
    }
    next.add_single(state, index);
    return next;
  }
  return std::nullopt;
}

}  // namespace mercator::internal
