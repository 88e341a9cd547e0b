#include "mercator/analysis/tile_reduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "mercator/analysis/tile_combinations.h"
#include "mercator/analysis/tile_constraints.h"
#include "mercator/analysis/tile_cuts.h"
#include "mercator/analysis/tile_digits.h"
#include "mercator/analysis/tile_merge.h"
#include "mercator/analysis/tile_state.h"
#include "mercator/analysis/tile_uses.h"

namespace mercator::internal {
namespace {

// More cases than people can read, and so much work for a map.
constexpr std::size_t kMaxCases = 256;
constexpr std::size_t kMaxSteps = 1'000;
constexpr std::size_t kMaxReasons = 2;

// ---- what no rule takes apart: a variable must have a single value ----

TileBranches fix(const TileState& state, std::size_t index, std::string reason) {
  TileBranches next{.reason = std::move(reason)};
  next.add_single(state, index);
  return next;
}

// A single value for each variable that something must not depend on.
StepResult make_uniform(const TileState& state) {
  for (const std::size_t root : state.uniform()) {
    const std::vector<std::uint32_t> used = ranges_in(state.roots()[root]);
    if (used.empty()) continue;
    return fix(state, used.front(),
               fmt::format("a value known at run time differs along {}", state.name(used.front())));
  }
  return std::nullopt;
}

// Whether the variable is part of what is not linear: of a sum, too, that is not itself a root.
bool is_twisted(const TileState& state, const VariableUses& uses) {
  if (uses.is_opaque || !uses.digits.empty()) return true;
  return std::ranges::any_of(uses.sums, [&](const SumUse& use) {
    return std::ranges::find(state.roots(), use.sum) == state.roots().end() ||
           state.is_within_other(use.sum, use.sum);
  });
}

// Of what stands in the way, the variable that occurs most among those that may have a single
// value, or among the others if there are none; with `only_twisted`, of what is not linear.
std::optional<std::size_t> hardest(const TileState& state, std::span<const VariableUses> uses,
                                   bool only_twisted) {
  std::optional<std::size_t> found;
  std::pair<bool, std::size_t> most;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::size_t places = uses[i].count();
    const bool is_free = places == 1 && !uses[i].roots.empty();
    if (places == 0 || is_free || (only_twisted && !is_twisted(state, uses[i]))) continue;
    const bool may_be_single = !state.assumptions().never(state.values(i).size, Interval::point(1));
    const std::pair one(may_be_single, places);
    if (one <= most) continue;
    most = one;
    found = i;
  }
  return found;
}

// What is left of the variable may be less than all.
void add_cuts_of(const TileState& state, std::size_t index, TileBranches& next) {
  for (const std::size_t root : state.constraints()) {
    if (is_within(state.variable(index), state.roots()[root])) add_cuts(state, root, next);
  }
}

StepResult fix_twisted(const TileState& state, std::span<const VariableUses> uses) {
  const std::optional<std::size_t> index = hardest(state, uses, true);
  if (!index) return std::nullopt;
  TileBranches next =
      fix(state, *index, fmt::format("{} is part of what is not linear", state.name(*index)));
  add_cuts_of(state, *index, next);
  return next;
}

StepResult fix_shared(const TileState& state, std::span<const VariableUses> uses) {
  const std::optional<std::size_t> index = hardest(state, uses, false);
  if (!index) return std::nullopt;
  TileBranches next =
      fix(state, *index, fmt::format("more than one index depends on {}", state.name(*index)));
  // All results are linear here: the hull of their elements is a box only if each of its edges,
  // which are the steps of the variables, is along one result.
  next.is_complete = true;
  return next;
}

// ---- all steps ----

// The first rule that applies: what asks for no conditions, or for few, comes before what asks for
// more.
StepResult rule(const TileState& state) {
  const std::vector<VariableUses> uses = uses_of(state.roots(), state.variable_count());
  using VariableStep = StepResult(const TileState&, std::size_t, const VariableUses&);
  const auto for_one = [&](VariableStep& on_variable) {
    StepResult next;
    for (std::size_t i = 0; i < uses.size() && !next; ++i) next = on_variable(state, i, uses[i]);
    return next;
  };
  if (StepResult next = for_one(clip)) return next;
  if (StepResult next = make_uniform(state)) return next;
  if (StepResult next = for_one(choose_residue)) return next;
  if (StepResult next = for_one(eliminate_freely)) return next;
  if (StepResult next = merge(state, uses)) return next;
  if (StepResult next = solve_equation(state, uses)) return next;
  if (StepResult next = for_one(eliminate)) return next;
  if (StepResult next = for_one(shift)) return next;
  if (StepResult next = for_one(cover)) return next;
  if (StepResult next = for_one(divide)) return next;
  if (StepResult next = for_one(split)) return next;
  if (StepResult next = for_one(project)) return next;
  if (StepResult next = fix_twisted(state, uses)) return next;
  if (StepResult next = keep_whole(state)) return next;
  return fix_shared(state, uses);
}

// Whether the step asks for nothing.
bool is_free(const TileState& state, const TileBranches& next) {
  return next.states.size() == 1 && next.reason.empty() &&
         next.states.front().conditions() == state.conditions();
}

// No step applies: each result has a variable of its own, or none.
TileSolution solution_of(const TileState& state) {
  TileSolution solution{.conditions = state.conditions(), .nonempty = state.nonempty()};
  for (const std::size_t root : state.results()) {
    const Expr& result = state.roots()[root];
    const std::vector<std::uint32_t> used = ranges_in(result);
    if (used.empty()) {
      solution.results.push_back(point(result));
      continue;
    }
    const std::uint32_t index = used.front();
    const VariableUses uses = uses_of(std::span(&result, 1), state.variable_count())[index];
    solution.results.push_back(state.values(index, uses.roots.front().argument));
  }
  for (const std::size_t root : state.uniform()) solution.uniform.push_back(state.roots()[root]);
  return solution;
}

// All that holds whatever the conditions are: as many steps as ask for none.
template <class Step>
TileState without_conditions(TileState state, const Step& step) {
  state.settle();
  while (true) {
    StepResult next = step(state);
    if (!next || !is_free(state, *next)) return state;
    state = std::move(next->states.front());
    state.settle();
  }
}

// Where some combination meets these constraints; none if that can not be said. Rules say so in few
// words, and all combinations written out in many.
std::optional<std::vector<Constraint>> where_met(const TileState& state,
                                                 std::span<const std::size_t> constraints) {
  const TileState part = state.only(constraints);
  const TileState reduced = without_conditions(part, rule);
  auto where = existence(reduced);
  if (!where) return existence(part);
  where->insert(where->end(), reduced.nonempty().begin(), reduced.nonempty().end());
  return where;
}

// Constraints on what nothing else needs ask for no conditions.
StepResult decide_existence(const TileState& state) {
  TileState after = state;
  std::vector<std::size_t> decided;
  for (const std::vector<std::size_t>& group : connected_roots(state)) {
    const bool is_needed =
        std::ranges::any_of(group, [&](std::size_t root) { return !state.is_constraint(root); });
    if (is_needed) continue;
    const auto where = where_met(state, group);
    if (!where) continue;
    after.add_nonempty(*where);
    decided.insert(decided.end(), group.begin(), group.end());
  }
  if (decided.empty()) return std::nullopt;
  std::ranges::sort(decided);
  after.drop_constraints(decided);
  return TileBranches{.states = {std::move(after)}};
}

StepResult step(const TileState& state) {
  StepResult next = rule(state);
  if (next && !is_free(state, *next)) {
    if (StepResult decided = decide_existence(state)) return decided;
    if (StepResult enumerated = enumerate_numbers(state)) {
      // The rule knows in which way they are none.
      if (enumerated->states.empty()) {
        enumerated->reason = next->reason;
        enumerated->is_complete = true;
      }
      return enumerated;
    }
  }
  return next;
}

// What any combination needs, whatever the conditions are that say more. Whether this says all
// about that: there is a combination wherever it holds.
bool add_what_all_need(TileState& state) {
  bool is_all = true;
  for (const std::vector<std::size_t>& group : connected_constraints(state)) {
    const auto [lo, hi] = state.range(group.front());
    const bool has_one_end = !lo || !hi;
    const bool is_in_few_words = group.size() == 1 && has_one_end && can_cut(state, group.front());
    const auto where = is_in_few_words ? std::nullopt : where_met(state, group);
    if (where) {
      state.add_nonempty(*where);
      continue;
    }
    is_all = is_all && is_in_few_words;
    for (const std::size_t constraint : group) {
      if (can_cut(state, constraint)) add_reached(state, constraint);
    }
  }
  return is_all;
}

// The case that all that tiles can differ in has one value, which needs the fewest rules.
std::optional<TileState> single_element(TileState state) {
  for (std::size_t i = 0; i < state.variable_count(); ++i) {
    const bool is_number = state.values(i).size.is(ExprKind::kConstant);
    if (!is_number && !state.require_single(i)) return std::nullopt;
  }
  return state;
}

}  // namespace

TileSolutions solve(Assumptions& assumptions, const TileProblem& problem) {
  TileSolutions solutions;
  TileState start = without_conditions(TileState(assumptions, problem), step);
  solutions.is_complete = add_what_all_need(start);
  solutions.nonempty = start.take_nonempty();
  std::vector<std::string> reasons;
  // False if there are too many cases.
  const auto add_cases = [&](const TileState& of) {
    // The last of the pending states comes next.
    std::vector<TileState> pending = {of};
    const std::size_t most = solutions.cases.size() + kMaxCases;
    for (std::size_t steps = 0; !pending.empty(); ++steps) {
      if (steps == kMaxSteps || solutions.cases.size() == most) return false;
      TileState state = std::move(pending.back());
      pending.pop_back();
      state.settle();
      StepResult next = step(state);
      if (!next) {
        solutions.cases.push_back(solution_of(state));
        continue;
      }
      if (!next->reason.empty() && !next->is_complete) solutions.is_complete = false;
      if (!next->reason.empty() && reasons.size() < kMaxReasons &&
          std::ranges::find(reasons, next->reason) == reasons.end()) {
        reasons.push_back(std::move(next->reason));
      }
      for (auto it = next->states.rbegin(); it != next->states.rend(); ++it) {
        pending.push_back(std::move(*it));
      }
    }
    return true;
  };
  const bool has_all = add_cases(start);
  if (!has_all) {
    solutions.is_complete = false;
    reasons = {"there are too many cases"};
    if (const auto single = single_element(start)) add_cases(*single);
  }
  solutions.otherwise = fmt::format("{}", fmt::join(reasons, "; "));
  return solutions;
}

}  // namespace mercator::internal
