// Steps of warps are counted by kinds. The variables of a step are the number of the warp in its
// block, the block, and the range variables, over a box of values. A constraint that holds for some
// first or last values of a variable, whatever the others are, cuts the box in two: in one part it
// is gone. What is left moves with a variable in steps of a period, after which all lanes are the
// same number of sectors further: one step for each rest is looked at, and counts as often as the
// rest occurs. Where these are too many, the box is cut where a
// quotient of the position changes.

#include "mercator/analysis/warp_sectors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercator/analysis/shift.h"
#include "mercator/analysis/step_sectors.h"
#include "mercator/expr/simplifier.h"
#include "mercator/expr/traversal.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace analysis {
namespace {

// More parts than this are not cut further.
constexpr int kMaxCuts = 512;

// (lane, warp, bl_x, bl_y, bl_z)[…]{…}: the same map, by lane and warp instead of thread.
IndexMap by_warp(const IndexMap& map, const Launch& launch, std::int64_t warp_size) {
  ExprContext& context = map.context();
  const std::int64_t threads = launch.threads_per_block();
  const Expr thread = context.dimension(0) + context.dimension(1) * warp_size;
  std::array<Expr, 3> th;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    th[i] = floor_div(thread, stride);
    stride *= launch.threads[i];
    // The last axis needs no remainder.
    if (stride != threads) th[i] = mod(th[i], launch.threads[i]);
    if (launch.threads[i] == 1) th[i] = context.constant(0);
  }
  const auto replacement = [&](VariableId id) {
    if (id.kind != VariableKind::kDimension) return Expr();
    return id.index < 3 ? th[id.index] : context.dimension(id.index - 1);
  };
  const auto replaced = [&](std::vector<Expr> exprs) {
    substitute(exprs, replacement);
    return exprs;
  };
  std::vector<Variable> dimensions = {{.bounds = Interval::indices(std::min(warp_size, threads))},
                                      {.bounds = Interval::indices(ceil_div(threads, warp_size))}};
  for (std::size_t i = 3; i < 6; ++i) dimensions.push_back({.bounds = map.dimensions()[i].bounds});
  std::vector<Constraint> constraints = {{thread, Interval::indices(threads)}};
  for (std::size_t i = 0; i < 3; ++i) constraints.push_back({th[i], map.dimensions()[i].bounds});
  for (const Constraint& constraint : map.constraints()) {
    constraints.push_back({substitute(constraint.expr, replacement), constraint.range});
  }
  std::vector<RuntimeVariable> runtimes = map.runtimes();
  for (RuntimeVariable& runtime : runtimes) runtime.index = replaced(std::move(runtime.index));
  return simplify(IndexMap(context, std::move(dimensions), map.ranges(), std::move(runtimes),
                           replaced(map.results()), std::move(constraints)));
}

using Box = std::vector<Interval>;

class WarpCounter {
 public:
  WarpCounter(IndexMap map, const StepSectors& step, std::int64_t budget)
      : map_(std::move(map)), step_(step), steps_left_(budget), totals_(step.element_bits()) {
    for (std::uint32_t i = 1; i < map_.dimensions().size(); ++i) {
      variables_.push_back({VariableKind::kDimension, i});
    }
    for (std::uint32_t i = 0; i < map_.ranges().size(); ++i) {
      variables_.push_back({VariableKind::kRange, i});
    }
    for (const RuntimeVariable& runtime : map_.runtimes()) runtimes_.push_back(runtime.bounds);
  }

  void count() {
    Box box;
    for (const VariableId id : variables_) {
      box.push_back(id.kind == VariableKind::kDimension ? map_.dimensions()[id.index].bounds
                                                        : map_.ranges()[id.index].bounds);
    }
    std::vector<std::pair<Box, std::vector<Constraint>>> pending = {
        {std::move(box), map_.constraints()}};
    while (!pending.empty() && !has_given_up()) {
      auto [part, constraints] = std::move(pending.back());
      pending.pop_back();
      if (!settle(part, constraints)) continue;
      std::optional<Cut> cut = find_cut(part, constraints);
      if (!cut && !count_kinds(part, constraints)) {
        // Too many kinds: perhaps since the position starts anew, after many steps.
        cut = find_cut(part, wraps(part));
        if (!cut) {
          steps_left_ = -1;
          return;
        }
      }
      if (cut) {
        Box rest = part;
        part[cut->variable].hi = cut->last;
        rest[cut->variable].lo = cut->last + 1;
        pending.emplace_back(std::move(rest), constraints);
        pending.emplace_back(std::move(part), std::move(constraints));
      }
    }
  }

  [[nodiscard]] bool has_given_up() const { return steps_left_ < 0; }
  [[nodiscard]] const StepTotals& totals() const { return totals_; }

 private:
  // The values up to `last`, and those behind.
  struct Cut {
    std::size_t variable;
    std::int64_t last;
  };

  void set_bounds(const Box& box) {
    std::vector<Interval> dimensions = {map_.dimensions()[0].bounds};
    dimensions.insert(dimensions.end(), box.begin(), box.begin() + 4);
    simplifier_.set_bounds(
        {.dimensions = dimensions, .ranges = std::span(box).subspan(4), .runtimes = runtimes_});
  }

  // Drops the constraints that hold everywhere in the box; false if one holds nowhere.
  bool settle(const Box& box, std::vector<Constraint>& constraints) {
    set_bounds(box);
    std::vector<Constraint> open;
    for (const Constraint& constraint : constraints) {
      const Interval range = simplifier_.range(constraint.expr);
      if (intersect(range, constraint.range).is_empty()) return false;
      if (!constraint.range.contains(range)) open.push_back(constraint);
    }
    constraints = std::move(open);
    return true;
  }

  // Where a constraint is decided on one side.
  std::optional<Cut> find_cut(const Box& box, const std::vector<Constraint>& constraints) {
    if (cuts_ == kMaxCuts) return std::nullopt;
    for (const Constraint& constraint : constraints) {
      for (std::size_t v = 0; v < box.size(); ++v) {
        if (box[v].size() == 1) continue;
        const std::optional<Shift> shift = shift_of(constraint.expr, variables_[v]);
        if (shift && shift->delta == 0) continue;
        if (const auto last = find_cut(box, v, constraint)) {
          ++cuts_;
          return Cut{.variable = v, .last = *last};
        }
      }
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> find_cut(const Box& box, std::size_t variable,
                                       const Constraint& constraint) {
    const auto is_decided = [&](Interval values) {
      Box part = box;
      part[variable] = values;
      set_bounds(part);
      const Interval range = simplifier_.range(constraint.expr);
      return constraint.range.contains(range) || intersect(range, constraint.range).is_empty();
    };
    const Interval all = box[variable];
    // The most first values for which it is decided, if it is for the first.
    if (is_decided(Interval::point(all.lo))) {
      std::int64_t decided = all.lo;
      std::int64_t open = all.hi;
      while (open - decided > 1) {
        const std::int64_t middle = decided + (open - decided) / 2;
        (is_decided({all.lo, middle}) ? decided : open) = middle;
      }
      return decided;
    }
    if (is_decided(Interval::point(all.hi))) {
      std::int64_t decided = all.hi;
      std::int64_t open = all.lo;
      while (decided - open > 1) {
        const std::int64_t middle = open + (decided - open) / 2;
        (is_decided({middle, all.hi}) ? decided : open) = middle;
      }
      return decided - 1;
    }
    return std::nullopt;
  }

  // How many values of a variable there are, and after how many all is the same.
  struct Rests {
    Interval values;
    std::int64_t period;

    [[nodiscard]] std::int64_t count() const { return std::min(period, values.size()); }
    // How often the rest of lo + i occurs.
    [[nodiscard]] std::int64_t occurrences(std::int64_t i) const {
      return (values.size() - 1 - i) / period + 1;
    }
  };

  std::int64_t period(Expr position, std::size_t variable,
                      const std::vector<Constraint>& constraints) const {
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    const auto shift = shift_modulo(position, variables_[variable], step_.elements_per_alignment());
    if (!shift) return kNone;
    std::int64_t period = shift->period;
    const auto join = [&](const std::optional<Shift>& other) {
      if (!other || other->delta != 0) return false;
      return checked_mul(period / gcd(period, other->period), other->period, &period);
    };
    for (const Constraint& constraint : constraints) {
      if (!join(shift_of(constraint.expr, variables_[variable]))) return kNone;
    }
    // Whether lanes have the same runtime variable must not change either; the values may.
    for (const RuntimeVariable& runtime : map_.runtimes()) {
      for (const Expr index : runtime.index) {
        std::optional<Shift> moved = shift_of(index, variables_[variable]);
        if (moved) moved->delta = 0;
        if (!join(moved)) return kNone;
      }
    }
    return period;
  }

  // For each quotient and remainder of the position that starts anew a few times within the box:
  // whether it is before the first time.
  std::vector<Constraint> wraps(const Box& box) {
    constexpr std::int64_t kMostTimes = 64;
    std::vector<Expr> divisions;
    for_each_node(std::span(&map_.results()[0], 1), [&](Expr node) {
      if (node.is(ExprKind::kFloorDiv) || node.is(ExprKind::kMod)) divisions.push_back(node);
    });
    std::ranges::sort(divisions, sorts_before);
    set_bounds(box);
    std::vector<Constraint> result;
    for (const Expr division : divisions) {
      const std::int64_t n = division.divisor().value();
      const Interval quotients = floor_div(simplifier_.range(division.dividend()), n);
      if (quotients.size() == 1 || quotients.size() > kMostTimes) continue;
      result.push_back(
          {division.dividend(), {Interval::kMinusInfinity, quotients.lo * n + (n - 1)}});
    }
    return result;
  }

  // False, having counted nothing, if there are too many.
  bool count_kinds(const Box& box, const std::vector<Constraint>& constraints) {
    set_bounds(box);
    const Expr position = simplifier_.simplify(map_.results()[0]);
    std::vector<Rests> rests;
    std::int64_t kinds = 1;
    for (std::size_t v = 0; v < box.size(); ++v) {
      rests.push_back({.values = box[v], .period = period(position, v, constraints)});
      if (!checked_mul(kinds, rests.back().count(), &kinds) || kinds > steps_left_) return false;
    }
    steps_left_ -= kinds;

    StepProgram program = step_.program(
        IndexMap(map_.context(), map_.dimensions(), map_.ranges(), map_.runtimes(), {position}),
        constraints);
    std::vector<std::int64_t> values(box.size() + 1);
    std::vector<std::int64_t> place(box.size(), 0);
    for (std::int64_t kind = 0; kind < kinds; ++kind) {
      std::int64_t occurrences = 1;
      for (std::size_t v = 0; v < box.size(); ++v) {
        values[v + 1] = box[v].lo + place[v];
        occurrences = saturating_mul(occurrences, rests[v].occurrences(place[v]));
      }
      const std::span<const std::int64_t> all = values;
      totals_.add(program.run(all.first(5), all.subspan(5)), occurrences);
      for (std::size_t v = 0; v < box.size(); ++v) {
        if (++place[v] < rests[v].count()) break;
        place[v] = 0;
      }
    }
    return true;
  }

  IndexMap map_;
  const StepSectors& step_;
  std::int64_t steps_left_;
  int cuts_ = 0;
  std::vector<VariableId> variables_;  // of a box: warp, bl_x, bl_y, bl_z, the ranges
  std::vector<Interval> runtimes_;
  Simplifier simplifier_;
  StepTotals totals_;
};

// The constraints that say the same whatever the runtime variables are, and the others.
std::pair<std::vector<Constraint>, std::vector<Constraint>> split_constraints(const IndexMap& map) {
  std::pair<std::vector<Constraint>, std::vector<Constraint>> result;
  for (const Constraint& constraint : map.constraints()) {
    const UsedVariables used = used_variables(std::span(&constraint.expr, 1));
    const bool is_runtime = std::ranges::find(used.runtimes, true) != used.runtimes.end();
    (is_runtime ? result.second : result.first).push_back(constraint);
  }
  return result;
}

// What holds of any accesses from these bounds.
WarpSectors not_counted(const IndexMap& map, const StepSectors& step, const std::string& reason) {
  std::int64_t steps = 1;
  for (std::size_t i = 1; i < map.dimensions().size(); ++i) {
    steps = saturating_mul(steps, map.dimensions()[i].bounds.size());
  }
  for (const Variable& range : map.ranges()) steps = saturating_mul(steps, range.bounds.size());
  const auto at_most = [&](std::int64_t each) {
    return Count::between(0, saturating_mul(steps, each), reason);
  };
  const std::int64_t lanes = map.dimensions()[0].bounds.size();
  return {.steps = at_most(1),
          .sectors = at_most(lanes * step.most_sectors_per_element()),
          .ideal_sectors = at_most(step.ideal_sectors(lanes)),
          .useful_bits = at_most(lanes * step.element_bits()),
          .stride = std::nullopt};
}

}  // namespace
}  // namespace analysis

WarpSectors count_warp_sectors(const IndexMap& positions, std::int64_t element_bits,
                               const Launch& launch, const MemoryGeometry& geometry,
                               std::int64_t budget) {
  using namespace analysis;
  if (positions.is_known_empty()) return {};
  IndexMap map = by_warp(positions, launch, geometry.warp_size);
  if (map.is_known_empty()) return {};
  const StepSectors step(element_bits, geometry);
  const auto [always, if_known_at_run_time] = split_constraints(map);
  if (!if_known_at_run_time.empty()) {
    // At most what is accessed if all of these hold, and perhaps nothing.
    map = simplify(IndexMap(map.context(), map.dimensions(), map.ranges(), map.runtimes(),
                            map.results(), always));
  }
  if (const std::string reason = step.why_not(map); !reason.empty()) {
    return not_counted(map, step, reason);
  }
  WarpCounter counter(map, step, budget);
  counter.count();
  if (counter.has_given_up()) return not_counted(map, step, "too many different warps to count");
  WarpSectors sectors = counter.totals().result(step.runtime_reason(map));
  if (if_known_at_run_time.empty()) return sectors;
  for (Count* count :
       {&sectors.steps, &sectors.sectors, &sectors.ideal_sectors, &sectors.useful_bits}) {
    *count =
        Count::between(0, count->hi, "whether an element is accessed is known at run time only");
  }
  return sectors;
}

}  // namespace mercator
