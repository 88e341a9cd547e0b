#include "mercator/analysis/tile_cuts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercator/analysis/tile_uses.h"
#include "mercator/expr/traversal.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

constexpr std::int64_t kMaxPoints = 2'000;

bool is_number(Expr expr) { return expr.is(ExprKind::kConstant); }

// Whether another root has the variable.
bool is_needed_elsewhere(const TileState& state, std::size_t index, std::size_t root) {
  for (std::size_t other = 0; other < state.roots().size(); ++other) {
    if (other != root && is_within(state.variable(index), state.roots()[other])) return true;
  }
  return false;
}

// The constraint as a map of its own from its variables; none if it needs anything else, or if
// these are needed elsewhere, or are too many.
std::optional<IndexMap> separate(const TileState& state, std::size_t root) {
  const Expr expr = state.roots()[root];
  const auto& [lo, hi] = state.range(root);
  if ((lo && !is_number(lo)) || (hi && !is_number(hi))) return std::nullopt;
  const bool has_parameters = any_node(std::span(&expr, 1), [](Expr node) {
    return node.is(ExprKind::kVariable) && node.variable().kind != VariableKind::kRange;
  });
  if (has_parameters) return std::nullopt;
  std::vector<Variable> variables(state.variable_count(), {Interval::point(0)});
  std::int64_t points = 1;
  for (const std::uint32_t i : ranges_in(expr)) {
    const auto& [offset, size, stride] = state.values(i);
    if (!is_number(offset) || !is_number(size) || !stride.is_constant(1)) return std::nullopt;
    if (!checked_mul(points, size.value(), &points) || points > kMaxPoints) return std::nullopt;
    if (is_needed_elsewhere(state, i, root)) return std::nullopt;
    variables[i].bounds = {offset.value(), offset.value() + size.value() - 1};
  }
  const Interval wanted = {lo ? lo.value() : Interval::kMinusInfinity,
                           hi ? hi.value() : Interval::kPlusInfinity};
  return IndexMap(state.assumptions().context(), {}, variables, {}, {}, {{expr, wanted}});
}

// One term of E, that grows by `step` with each value after the first.
struct CutTerm {
  std::uint32_t variable = 0;
  bool grows = true;  // from the first value to the last; otherwise from the last to the first
  Expr least;         // the value at which E is least
  Expr step;
  Expr size;
};

// The first constraint of a state, as E <= b.
class Cut {
 public:
  explicit Cut(const TileState& state)
      : state_(state),
        root_(state.constraints().front()),
        is_low_(static_cast<bool>(state.range(root_).lo)) {
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

  TileBranches branches() {
    std::vector<std::string> names;
    for (const CutTerm& term : terms_) names.push_back(state_.name(term.variable));
    next_.reason = fmt::format("a constraint cuts {} together", fmt::join(names, " and "));
    leave_everything();
    leave_nothing();
    if (terms_.size() <= 4) {
      for (const CutTerm& term : terms_) cut(term);
    }
    return std::move(next_);
  }

 private:
  // The other end of the constraint, if it has one, stays.
  void add_without(TileState after) {
    SymbolicRange range = after.range(root_);
    (is_low_ ? range.lo : range.hi) = Expr();
    after.set_constraint(root_, after.roots()[root_], range);
    next_.add(std::move(after));
  }
  // How much E grows from the least values of these to the largest.
  [[nodiscard]] Expr reach(std::span<const CutTerm> terms) const {
    Expr sum = state_.assumptions().constant(0);
    for (const CutTerm& term : terms) sum = sum + term.step * (term.size - 1);
    return sum;
  }

  void leave_everything() {
    TileState whole = state_;
    if (whole.require(room_ - reach(terms_), at_least(0))) add_without(std::move(whole));
  }

  void leave_nothing() {
    TileState empty = state_;
    if (!empty.require(room_, at_most(-1))) return;
    empty.add_never();
    for (std::size_t i = 0; i < empty.variable_count(); ++i) {
      empty.replace_variable(i, empty.values(i).offset);
    }
    next_.add(std::move(empty));
  }

  void cut(const CutTerm& kept) {
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
      add_without(std::move(cornered));
    }
    if (possible.require(room_ - reach(others) - kept.step * steps, at_least(0))) {
      add_without(std::move(possible));
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
  TileBranches next_;
};

}  // namespace

StepResult decide(const TileState& state) {
  for (const std::size_t root : state.constraints()) {
    const std::optional<IndexMap> map = separate(state, root);
    if (!map) continue;
    bool is_met = false;
    const auto done =
        enumerate(*map, kMaxPoints,
                  [&](const VariableValues&, std::span<const std::int64_t>) { is_met = true; });
    if (!done) continue;
    TileState after = state;
    after.drop_constraint(root);
    if (!is_met) after.add_never();
    return TileBranches{.states = {std::move(after)}};
  }
  return std::nullopt;
}

StepResult keep_whole(const TileState& state) {
  if (state.constraints().empty()) return std::nullopt;
  return Cut(state).branches();
}

}  // namespace mercator::internal
