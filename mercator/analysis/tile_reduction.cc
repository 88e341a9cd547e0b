#include "mercator/analysis/tile_reduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "mercator/analysis/tile_constraints.h"
#include "mercator/analysis/tile_cuts.h"
#include "mercator/analysis/tile_state.h"
#include "mercator/analysis/tile_terms.h"
#include "mercator/analysis/tile_uses.h"

namespace mercator::internal {
namespace {

// More cases than people can read, and so much work for a map.
constexpr std::size_t kMaxCases = 64;
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

// Of what stands in the way, the variable that occurs most; with `only_twisted`, of what is not
// linear.
std::optional<std::size_t> hardest(const TileState& state, std::span<const VariableUses> uses,
                                   bool only_twisted) {
  std::optional<std::size_t> found;
  std::size_t most = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::size_t places = uses[i].count();
    const bool is_free = places == 1 && !uses[i].roots.empty();
    if (is_free || places <= most || (only_twisted && !is_twisted(state, uses[i]))) continue;
    most = places;
    found = i;
  }
  return found;
}

StepResult fix_twisted(const TileState& state, std::span<const VariableUses> uses) {
  const std::optional<std::size_t> index = hardest(state, uses, true);
  if (!index) return std::nullopt;
  return fix(state, *index, fmt::format("{} is part of what is not linear", state.name(*index)));
}

StepResult fix_shared(const TileState& state, std::span<const VariableUses> uses) {
  const std::optional<std::size_t> index = hardest(state, uses, false);
  if (!index) return std::nullopt;
  return fix(state, *index, fmt::format("more than one index depends on {}", state.name(*index)));
}

// ---- all steps ----

// The first that applies: what asks for no conditions, or for few, comes before what asks for more.
StepResult step(const TileState& state) {
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
  if (StepResult next = decide(state)) return next;
  if (StepResult next = fix_twisted(state, uses)) return next;
  if (StepResult next = keep_whole(state)) return next;
  return fix_shared(state, uses);
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
TileState without_conditions(TileState state) {
  state.settle();
  while (true) {
    StepResult next = step(state);
    if (!next || next->states.size() != 1 || !next->states.front().conditions().empty()) {
      return state;
    }
    state = std::move(next->states.front());
    state.settle();
  }
}

}  // namespace

TileSolutions solve(Assumptions& assumptions, const TileProblem& problem) {
  TileSolutions solutions;
  TileState start = without_conditions(TileState(assumptions, problem));
  solutions.nonempty = start.take_nonempty();
  std::vector<std::string> reasons;
  // The last of the pending states comes next.
  std::vector<TileState> pending = {std::move(start)};
  for (std::size_t steps = 0; !pending.empty(); ++steps) {
    if (steps == kMaxSteps || solutions.cases.size() == kMaxCases) {
      reasons = {"there are too many cases"};
      break;
    }
    TileState state = std::move(pending.back());
    pending.pop_back();
    state.settle();
    StepResult next = step(state);
    if (!next) {
      solutions.cases.push_back(solution_of(state));
      continue;
    }
    if (!next->reason.empty() && reasons.size() < kMaxReasons &&
        std::ranges::find(reasons, next->reason) == reasons.end()) {
      reasons.push_back(std::move(next->reason));
    }
    for (auto it = next->states.rbegin(); it != next->states.rend(); ++it) {
      pending.push_back(std::move(*it));
    }
  }
  solutions.otherwise = fmt::format("{}", fmt::join(reasons, "; "));
  return solutions;
}

}  // namespace mercator::internal
