#include "mercator/analysis/tile_cuts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercator/analysis/tile_uses.h"

namespace mercator::internal {
namespace {

// One term of E, that grows by `step` with each value after the first.
struct CutTerm {
  std::uint32_t variable = 0;
  bool grows = true;  // from the first value to the last; otherwise from the last to the first
  Expr least;         // the value at which E is least
  Expr step;
  Expr size;
};

// One end of a constraint, as E <= b.
class Cut {
 public:
  Cut(const TileState& state, std::size_t root, bool is_low)
      : state_(state), root_(root), is_low_(is_low) {
    const Expr expr = is_low_ ? -state.roots()[root_] : state.roots()[root_];
    const Expr bound = is_low_ ? -state.range(root_).lo : state.range(root_).hi;
    const std::vector<VariableUses> uses = uses_of(std::span(&expr, 1), state.variable_count());
    std::vector<Expr> corner(state.variable_count());
    for (const std::uint32_t i : ranges_in(expr)) {
      const Progression& values = state.values(i);
      const std::int64_t coefficient = uses[i].sums.front().coefficient;
      const bool grows = coefficient > 0;
      corner[i] = grows ? values.offset : last(values);
      terms_.push_back({.variable = i,
                        .grows = grows,
                        .least = corner[i],
                        .step = values.stride * (grows ? coefficient : -coefficient),
                        .size = values.size});
    }
    const Expr least = substitute(expr, [&](VariableId id) {
      return id.kind == VariableKind::kRange ? corner[id.index] : Expr();
    });
    room_ = state.assumptions().simplify(bound - least);
  }

  [[nodiscard]] std::string reason() const {
    std::vector<std::string> names;
    for (const CutTerm& term : terms_) names.push_back(state_.name(term.variable));
    return fmt::format("a constraint cuts {} together", fmt::join(names, " and "));
  }
  // Whether what it leaves is a tile only as `leave_everything` and `leave_less` say. If two are
  // both cut, and neither to its least value only, then the sum of one step of each, which is
  // within the room, is at least that of two steps of one of them, which is not.
  [[nodiscard]] bool is_complete() const {
    const SymbolicRange& range = state_.range(root_);
    const std::vector<VariableUses> uses = uses_of(state_.roots(), state_.variable_count());
    return (!range.lo || !range.hi) && terms_.size() == 2 &&
           state_.only_root(state_.roots()[root_]) &&
           std::ranges::all_of(terms_, [&](const CutTerm& term) {
             const VariableUses& use = uses[term.variable];
             return use.count() == 2 && use.sums.size() == 1 && use.roots.size() == 1 &&
                    state_.is_result(use.roots.front().root);
           });
  }
  // Of any combination that meets it.
  [[nodiscard]] Constraint is_reached() const { return {room_, at_least(0)}; }
  void leave_everything(TileBranches& next) const {
    TileState whole = state_;
    if (whole.require(room_ - reach(terms_), at_least(0))) add_without(std::move(whole), next);
  }
  // Nothing, or less than everything.
  void leave_less(TileBranches& next) const {
    leave_nothing(next);
    if (terms_.size() > 4) return;
    for (const CutTerm& term : terms_) cut(term, next);
  }

 private:
  // The other end of the constraint, if it has one, stays.
  void add_without(TileState after, TileBranches& next) const {
    SymbolicRange range = after.range(root_);
    (is_low_ ? range.lo : range.hi) = Expr();
    after.set_constraint(root_, after.roots()[root_], range);
    next.add(std::move(after));
  }
  // How much E grows from the least values of these to the largest.
  [[nodiscard]] Expr reach(std::span<const CutTerm> terms) const {
    Expr sum = state_.assumptions().constant(0);
    for (const CutTerm& term : terms) sum = sum + term.step * (term.size - 1);
    return sum;
  }

  void leave_nothing(TileBranches& next) const {
    TileState empty = state_;
    if (!empty.require(room_, at_most(-1))) return;
    empty.add_never();
    for (std::size_t i = 0; i < empty.variable_count(); ++i) {
      empty.replace_variable(i, empty.values(i).offset);
    }
    next.add(std::move(empty));
  }

  void cut(const CutTerm& kept, TileBranches& next) const {
    Assumptions& assumptions = state_.assumptions();
    const Progression& values = state_.values(kept.variable);
    const Expr steps = min(kept.size - 1, floor_div(room_, kept.step));
    const Progression left = {
        assumptions.simplify(kept.grows ? values.offset : last(values) - values.stride * steps),
        assumptions.simplify(steps + 1), values.stride};
    std::vector<CutTerm> others = terms_;
    std::erase_if(others, [&](const CutTerm& term) { return term.variable == kept.variable; });

    TileState possible = state_;
    if (!possible.require(room_, at_least(0))) return;
    possible.set_values(kept.variable, left);
    if (TileState cornered = possible; leave_least(cornered, others)) {
      add_without(std::move(cornered), next);
    }
    if (possible.require(room_ - reach(others) - kept.step * steps, at_least(0))) {
      add_without(std::move(possible), next);
    }
  }

  // Each of these has its least value only. False if it can not be so.
  [[nodiscard]] bool leave_least(TileState& state, std::span<const CutTerm> terms) const {
    for (const CutTerm& term : terms) {
      if (!state.require(term.step - room_, at_least(1))) return false;
      state.set_values(term.variable, point(term.least));
    }
    return true;
  }

  const TileState& state_;
  std::size_t root_;
  bool is_low_;  // a <= F, where E is -F
  std::vector<CutTerm> terms_;
  Expr room_;
};

}  // namespace

StepResult keep_whole(const TileState& state) {
  if (state.constraints().empty()) return std::nullopt;
  const std::size_t constraint = state.constraints().front();
  const Cut cut(state, constraint, static_cast<bool>(state.range(constraint).lo));
  TileBranches next{.reason = cut.reason()};
  cut.leave_everything(next);
  cut.leave_less(next);
  next.is_complete = cut.is_complete();
  return next;
}

bool can_cut(const TileState& state, std::size_t constraint) {
  const Expr expr = state.roots()[constraint];
  if (!expr.is(ExprKind::kSum)) return false;
  return std::ranges::all_of(expr.operands(),
                             [](Expr term) {
                               return !has_ranges(term) ||
                                      (term.is(ExprKind::kVariable) &&
                                       term.variable().kind == VariableKind::kRange);
                             }) &&
         ranges_in(expr).size() > 1;
}

void add_reached(TileState& state, std::size_t constraint) {
  Conditions reached(state.assumptions());
  for (const bool is_low : {true, false}) {
    if (!(is_low ? state.range(constraint).lo : state.range(constraint).hi)) continue;
    const auto& [room, range] = Cut(state, constraint, is_low).is_reached();
    if (!reached.require(room, range)) return state.add_never();
  }
  state.add_nonempty(reached.list());
}

void add_cuts(const TileState& state, std::size_t constraint, TileBranches& next) {
  if (!can_cut(state, constraint)) return;
  const auto& [lo, hi] = state.range(constraint);
  if (lo) {
    const Cut cut(state, constraint, true);
    if (hi) cut.leave_everything(next);
    cut.leave_less(next);
  } else {
    Cut(state, constraint, false).leave_less(next);
  }
}

}  // namespace mercator::internal
