#include "mercator/analysis/tile_combinations.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "mercator/analysis/tile.h"
#include "mercator/analysis/tile_uses.h"
#include "mercator/expr/traversal.h"
#include "mercator/map/index_map.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

// Of numbers, and of expressions that are written out.
constexpr std::int64_t kMaxPoints = 2'000;
constexpr std::int64_t kMaxCombinations = 64;
constexpr std::int64_t kMaxTerms = 256;

bool is_number(Expr expr) { return expr.is(ExprKind::kConstant); }

// With these values of its range variables.
Expr at(Expr expr, std::span<const Expr> values) {
  return substitute(expr, [&](VariableId id) {
    return id.kind == VariableKind::kRange ? values[id.index] : Expr();
  });
}

std::vector<std::uint32_t> variables_in(const TileState& state) {
  std::vector<std::uint32_t> found;
  for (const Expr root : state.roots()) {
    for (const std::uint32_t i : ranges_in(root)) found.push_back(i);
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

bool has_parameters(Expr expr) {
  return any_node(std::span(&expr, 1), [](Expr node) {
    return node.is(ExprKind::kVariable) && node.variable().kind != VariableKind::kRange;
  });
}

// A state as a map from places in the values of its variables; none if it has anything that is not
// a number.
std::optional<IndexMap> as_map(const TileState& state) {
  if (std::ranges::any_of(state.roots(), has_parameters)) return std::nullopt;
  ExprContext& context = state.assumptions().context();
  std::vector<Variable> places(state.variable_count(), {Interval::point(0)});
  std::vector<Expr> values(state.variable_count());
  for (const std::uint32_t i : variables_in(state)) {
    const auto& [offset, size, stride] = state.values(i);
    if (!is_number(offset) || !is_number(size) || !is_number(stride)) return std::nullopt;
    places[i].bounds = Interval::indices(size.value());
    values[i] = offset + stride * context.range(i);
  }
  std::vector<Expr> results;
  for (const std::size_t root : state.results()) results.push_back(at(state.roots()[root], values));
  std::vector<Constraint> constraints;
  for (const std::size_t root : state.constraints()) {
    const auto& [lo, hi] = state.range(root);
    if ((lo && !is_number(lo)) || (hi && !is_number(hi))) return std::nullopt;
    constraints.push_back(
        {at(state.roots()[root], values),
         {lo ? lo.value() : Interval::kMinusInfinity, hi ? hi.value() : Interval::kPlusInfinity}});
  }
  return IndexMap(context, {}, places, {}, results, constraints);
}

// By how much the constraints are missed where their variables have these values: at most 0 where
// all are met.
Expr excess(const TileState& state, std::span<const Expr> values) {
  std::vector<Expr> misses;
  for (const std::size_t root : state.constraints()) {
    const Expr expr = at(state.roots()[root], values);
    const auto& [lo, hi] = state.range(root);
    if (lo) misses.push_back(lo - expr);
    if (hi) misses.push_back(expr - hi);
  }
  Assumptions& assumptions = state.assumptions();
  return assumptions.simplify(assumptions.context().max(misses));
}

// Some combination meets the constraints where the least of their excesses is at most 0. Values
// after the last one stand for that again: so the numbers of values may be parameters.
std::optional<std::vector<Constraint>> written_out(const TileState& state) {
  Assumptions& assumptions = state.assumptions();
  const std::vector<std::uint32_t> variables = variables_in(state);
  std::vector<std::int64_t> counts;
  std::int64_t combinations = 1;
  for (const std::uint32_t i : variables) {
    counts.push_back(assumptions.range(state.values(i).size).hi);
    if (counts.back() < 1 || !checked_mul(combinations, counts.back(), &combinations) ||
        combinations > kMaxCombinations) {
      return std::nullopt;
    }
  }
  if (combinations * std::ssize(state.constraints()) > kMaxTerms) return std::nullopt;
  std::vector<Expr> values(state.variable_count());
  std::vector<Expr> excesses;
  for (std::int64_t n = 0; n < combinations; ++n) {
    std::int64_t rest = n;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const auto& [offset, size, stride] = state.values(variables[i]);
      const Expr place = assumptions.constant(rest % counts[i]);
      rest /= counts[i];
      values[variables[i]] = offset + stride * min(place, size - 1);
    }
    const Expr one = excess(state, values);
    if (assumptions.always(one, at_most(0))) return std::vector<Constraint>{};
    if (!assumptions.never(one, at_most(0))) excesses.push_back(one);
  }
  if (excesses.empty()) return std::vector{never(assumptions.context())};
  const Expr least = assumptions.simplify(assumptions.context().min(excesses));
  return std::vector<Constraint>{{least, at_most(0)}};
}

// Groups of the roots from `begin` to `end` that are connected by their variables.
std::vector<std::vector<std::size_t>> connected(const TileState& state, std::size_t begin,
                                                std::size_t end) {
  // What is connected leads to the same representative.
  std::vector<std::size_t> parents(state.variable_count());
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (parents[i] != i) i = parents[i] = parents[parents[i]];
    return i;
  };
  std::vector<std::vector<std::uint32_t>> used(end);
  for (std::size_t root = begin; root < end; ++root) {
    used[root] = ranges_in(state.roots()[root]);
    for (const std::uint32_t i : used[root]) parents[find(i)] = find(used[root].front());
  }
  std::vector<std::vector<std::size_t>> groups(state.variable_count());
  for (std::size_t root = begin; root < end; ++root) {
    if (!used[root].empty()) groups[find(used[root].front())].push_back(root);
  }
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

// Whether a root is what the values of one variable are, up to a factor and a constant.
bool is_progression(const TileState& state, std::size_t root) {
  const Expr expr = state.roots()[root];
  const std::vector<std::uint32_t> used = ranges_in(expr);
  return used.size() == 1 &&
         !uses_of(std::span(&expr, 1), state.variable_count())[used.front()].roots.empty();
}

}  // namespace

std::vector<std::vector<std::size_t>> connected_constraints(const TileState& state) {
  const std::size_t begin = state.results().size();
  return connected(state, begin, begin + state.constraints().size());
}

std::vector<std::vector<std::size_t>> connected_roots(const TileState& state) {
  return connected(state, 0, state.roots().size());
}

std::optional<std::vector<Constraint>> existence(const TileState& state) {
  if (state.constraints().empty()) return std::vector<Constraint>{};
  if (const std::optional<IndexMap> map = as_map(state)) {
    bool is_met = false;
    const auto done =
        enumerate(*map, kMaxPoints,
                  [&](const VariableValues&, std::span<const std::int64_t>) { is_met = true; });
    if (done) {
      return is_met ? std::vector<Constraint>{} : std::vector{never(state.assumptions().context())};
    }
  }
  return written_out(state);
}

StepResult enumerate_numbers(const TileState& state) {
  for (const std::vector<std::size_t>& group : connected_roots(state)) {
    const auto results =
        std::ranges::count_if(group, [&](std::size_t root) { return state.is_result(root); });
    const auto constraints =
        std::ranges::count_if(group, [&](std::size_t root) { return state.is_constraint(root); });
    if (results == 0 || results + constraints != std::ssize(group)) continue;
    if (group.size() == 1 && is_progression(state, group.front())) continue;
    const std::optional<IndexMap> map = as_map(state.only(group));
    if (!map) continue;
    const auto elements = image(*map, kMaxPoints);
    if (!elements) continue;
    TileState after = state;
    std::vector<Progression> values(static_cast<std::size_t>(results),
                                    point(state.assumptions().constant(0)));
    if (elements->empty()) {
      after.add_never();
    } else {
      const std::optional<NumericTile> tile = tile_with(*elements);
      if (!tile) return TileBranches{};
      for (std::size_t i = 0; i < tile->size(); ++i) {
        const auto& [offset, size, stride] = (*tile)[i];
        const auto number = [&](std::int64_t value) { return state.assumptions().constant(value); };
        values[i] = {number(offset), number(size), number(stride)};
      }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::vector<std::uint32_t> used = ranges_in(state.roots()[group[i]]);
      after.set_root(group[i], after.add_variable(values[i], state.name(used.front())));
    }
    for (std::size_t i = group.size(); i-- > values.size();) after.drop_constraint(group[i]);
    return TileBranches{.states = {std::move(after)}};
  }
  return std::nullopt;
}

}  // namespace mercator::internal
