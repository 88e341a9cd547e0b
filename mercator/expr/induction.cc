#include "mercator/expr/induction.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "mercator/expr/loop_changes.h"
#include "mercator/expr/rebuild.h"
#include "mercator/expr/strength_reduction.h"
#include "mercator/expr/traversal.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

using internal::Change;
using internal::Counter;
using internal::LoopChanges;

// A value that is carried.
struct Carried {
  Expr expr;    // what it is, in terms of the loop's variable
  Expr amount;  // that it changes by, if it is no counter
  std::optional<std::size_t> counter;
  Expr variable;
  Expr next;  // in terms of the variables of all that is carried
};

// The first number of a runtime variable that nothing uses.
std::uint32_t first_free(const IndexComputation& computation, std::span<const Expr> exprs) {
  return static_cast<std::uint32_t>(
      std::max(computation.bounds.runtimes.size(), used_variables(exprs).runtimes.size()));
}

std::vector<Expr> exprs_of(const IndexComputation& computation) {
  std::vector<Expr> exprs(computation.results.begin(), computation.results.end());
  for (const IndexCondition& condition : computation.conditions) exprs.push_back(condition.expr);
  return exprs;
}

// The bounds of a computation, to be changed.
struct OwnedBounds {
  explicit OwnedBounds(const VariableBounds& bounds)
      : dimensions(bounds.dimensions.begin(), bounds.dimensions.end()),
        ranges(bounds.ranges.begin(), bounds.ranges.end()),
        runtimes(bounds.runtimes.begin(), bounds.runtimes.end()) {}

  void set(VariableId id, Interval bounds) {
    std::vector<Interval>& of_kind = id.kind == VariableKind::kDimension ? dimensions
                                     : id.kind == VariableKind::kRange   ? ranges
                                                                         : runtimes;
    if (of_kind.size() <= id.index) of_kind.resize(id.index + 1);
    of_kind[id.index] = bounds;
  }
  [[nodiscard]] VariableBounds view() const {
    return {.dimensions = dimensions, .ranges = ranges, .runtimes = runtimes};
  }

  std::vector<Interval> dimensions;
  std::vector<Interval> ranges;
  std::vector<Interval> runtimes;
};

class Induction {
 public:
  Induction(const Loop& loop, Interval values, const IndexComputation& computation,
            Simplifier& simplifier)
      : loop_(loop),
        computation_(computation),
        simplifier_(simplifier),
        exprs_(exprs_of(computation)),
        traversal_(exprs_),
        bounds_(computation.bounds),
        first_carried_(first_free(computation, exprs_)),
        changes_(loop, traversal_, first_carried_),
        is_counter_needed_(changes_.counters().size(), false) {
    bounds_.set(loop.variable, values);
  }

  Result<LoopPrograms> run();

 private:
  [[nodiscard]] bool is_carried(std::size_t place) const;
  void choose_carried();
  void add_carried(Expr expr, Expr amount);
  void need_counters(Expr amount);
  void add_counters();
  void sort_carried();
  [[nodiscard]] std::vector<Expr> body_exprs() const;
  [[nodiscard]] Expr at_start(Expr expr) const;
  [[nodiscard]] Expr constant(std::int64_t value) const {
    return exprs_[0].context().constant(value);
  }
  [[nodiscard]] Expr carried_variable(std::size_t number) const {
    return exprs_[0].context().runtime(first_carried_ + static_cast<std::uint32_t>(number));
  }

  Result<IndexProgram> lower_reduced(std::span<const Expr> results,
                                     std::span<const Interval> result_ranges,
                                     std::span<const IndexCondition> conditions = {});
  Result<IndexProgram> lower_body();

  const Loop& loop_;
  const IndexComputation& computation_;
  Simplifier& simplifier_;
  std::vector<Expr> exprs_;  // results, then conditions
  Traversal traversal_;
  OwnedBounds bounds_;
  std::uint32_t first_carried_;
  LoopChanges changes_;
  std::vector<bool> is_counter_needed_;
  std::vector<Carried> carried_;
};

// ---- what is carried ----

bool Induction::is_carried(std::size_t place) const {
  const Change& change = changes_.change(place);
  return change.kind == Change::Kind::kStepped && (!change.has_counter || change.has_dear_counter);
}

// The largest subexpressions that can be, and the counters that they need.
void Induction::choose_carried() {
  const std::span<const Expr> nodes = traversal_.nodes();
  std::vector<bool> is_needed(nodes.size(), false);
  for (const std::uint32_t root : traversal_.roots()) is_needed[root] = true;
  for (std::size_t place = nodes.size(); place-- > 0;) {
    if (!is_needed[place] || changes_.change(place).kind == Change::Kind::kNone) continue;
    if (is_carried(place)) {
      add_carried(nodes[place], changes_.change(place).amount);
      need_counters(changes_.change(place).amount);
    } else {
      for (const std::uint32_t operand : traversal_.operands(place)) is_needed[operand] = true;
    }
  }
  add_counters();
  sort_carried();
}

void Induction::add_carried(Expr expr, Expr amount) {
  carried_.push_back({.expr = expr, .amount = amount, .counter = {}, .variable = {}, .next = {}});
}

void Induction::need_counters(Expr amount) {
  const UsedVariables used = used_variables(std::span(&amount, 1));
  for (std::size_t i = 0; i < is_counter_needed_.size(); ++i) {
    const VariableId variable = changes_.counters()[i].variable.variable();
    if (used.contains(variable)) is_counter_needed_[i] = true;
  }
}

// A counter depends on those before it only.
void Induction::add_counters() {
  for (std::size_t i = is_counter_needed_.size(); i-- > 0;) {
    if (!is_counter_needed_[i]) continue;
    const Counter& counter = changes_.counters()[i];
    need_counters(counter.amount);
    const Expr remainder = mod(counter.dividend, counter.n);
    const auto is_same = [&](const Carried& carried) { return carried.expr == remainder; };
    auto carried = std::ranges::find_if(carried_, is_same);
    if (carried == carried_.end()) {
      add_carried(remainder, {});
      carried = carried_.end() - 1;
    }
    carried->counter = i;
  }
}

// Numbers the carried values by structure, and puts those numbers into the amounts.
void Induction::sort_carried() {
  std::ranges::sort(carried_, sorts_before, &Carried::expr);
  std::vector<Expr> of_counter(changes_.counters().size());
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    carried_[i].variable = carried_variable(i);
    if (carried_[i].counter) of_counter[*carried_[i].counter] = carried_[i].variable;
  }
  const auto settle = [&](Expr amount) {
    return substitute(amount, [&](VariableId id) {
      const bool is_counter = id.kind == VariableKind::kRuntime && id.index >= first_carried_;
      return is_counter ? of_counter[id.index - first_carried_] : Expr{};
    });
  };
  for (Carried& carried : carried_) {
    if (carried.counter) {
      const Counter& counter = changes_.counters()[*carried.counter];
      carried.next = mod(carried.variable + settle(counter.amount), counter.n);
    } else {
      carried.next = carried.variable + settle(carried.amount);
    }
  }
}

// ---- the three programs ----

Expr Induction::at_start(Expr expr) const {
  return substitute(
      expr, [&](VariableId id) { return id == loop_.variable ? constant(loop_.start) : Expr{}; });
}

// The expressions, with carried values in the place of what is carried.
std::vector<Expr> Induction::body_exprs() const {
  std::unordered_map<std::uint32_t, Expr> variables;  // by ids
  for (const Carried& carried : carried_) variables.insert({carried.expr.id(), carried.variable});
  // No expression divides by the constant 0; one that turns out to, has no value in the loop.
  const Expr zero = carried_variable(carried_.size());
  std::vector<Expr> rewritten;
  for (std::size_t place = 0; place < traversal_.nodes().size(); ++place) {
    const Expr expr = traversal_.nodes()[place];
    const auto carried = variables.find(expr.id());
    if (carried != variables.end()) {
      rewritten.push_back(carried->second);
    } else if (changes_.change(place).kind == Change::Kind::kNone) {
      rewritten.push_back(changes_.start(place));
    } else {
      std::vector<Expr> operands;
      for (const std::uint32_t operand : traversal_.operands(place)) {
        operands.push_back(rewritten[operand]);
      }
      const bool is_division = expr.is(ExprKind::kFloorDiv) || expr.is(ExprKind::kMod);
      if (is_division && operands[1].is_constant(0)) operands[1] = zero;
      rewritten.push_back(internal::with_operands(expr, operands));
    }
  }
  std::vector<Expr> exprs;
  for (const std::uint32_t root : traversal_.roots()) exprs.push_back(rewritten[root]);
  return exprs;
}

Result<IndexProgram> Induction::lower_reduced(std::span<const Expr> results,
                                              std::span<const Interval> result_ranges,
                                              std::span<const IndexCondition> conditions) {
  return reduce_strength(MERCATOR_TRY(lower({.results = results,
                                             .conditions = conditions,
                                             .bounds = bounds_.view(),
                                             .result_ranges = result_ranges,
                                             .names = computation_.names},
                                            simplifier_)));
}

Result<LoopPrograms> Induction::run() {
  choose_carried();

  LoopPrograms programs;
  programs.first_carried = first_carried_;
  std::vector<Expr> starts;
  std::vector<Expr> nexts;
  std::vector<Interval> ranges;
  simplifier_.set_bounds(bounds_.view());
  for (const Carried& carried : carried_) {
    starts.push_back(at_start(carried.expr));
    nexts.push_back(carried.next);
    // The range at the start is within the range along the loop, but need not be found to be.
    ranges.push_back(hull(simplifier_.range(carried.expr), simplifier_.range(starts.back())));
    if (!smallest_type(ranges.back())) {
      return fail(ErrorKind::kUnsupported,
                  fmt::format("the value of '{}' may leave 64 bits",
                              to_string(carried.expr, computation_.names)));
    }
  }
  programs.initial = MERCATOR_TRY(lower_reduced(starts, ranges));
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    bounds_.set(carried_[i].variable.variable(), ranges[i]);
  }
  bounds_.set(carried_variable(carried_.size()).variable(), Interval::point(0));  // see body_exprs
  programs.step = MERCATOR_TRY(lower_reduced(nexts, ranges));
  programs.body = MERCATOR_TRY(lower_body());
  return programs;
}

// Whether it has a value wherever its variables have.
bool is_total(Expr expr) {
  const Traversal traversal(std::span(&expr, 1));
  return std::ranges::all_of(traversal.nodes(), [](Expr node) {
    const bool is_division = node.is(ExprKind::kFloorDiv) || node.is(ExprKind::kMod);
    return !is_division || node.divisor().is(ExprKind::kConstant);
  });
}

// The bounds of the carried values have been set.
Result<IndexProgram> Induction::lower_body() {
  const std::vector<Expr> exprs = body_exprs();
  const std::size_t results = computation_.results.size();
  // What the results are in the loop; the carried values could give more, taken for themselves.
  std::vector<Interval> ranges;
  for (std::size_t i = 0; i < results; ++i) {
    ranges.push_back(is_total(exprs_[i]) ? simplifier_.range(exprs_[i]) : Interval::all());
  }
  std::vector<IndexCondition> conditions;
  for (std::size_t i = 0; i < computation_.conditions.size(); ++i) {
    conditions.push_back({exprs[results + i], computation_.conditions[i].range});
  }
  return lower_reduced(std::span(exprs).first(results), ranges, conditions);
}

// The values of the loop's variable; an error if there are none, or if one leaves int64.
Result<Interval> values_of(const Loop& loop) {
  if (loop.count < 1 || loop.step == 0) {
    return fail(ErrorKind::kUsage, "a loop has at least one iteration and a step that is not 0");
  }
  std::int64_t last = 0;
  if (!checked_mul(loop.count - 1, loop.step, &last) || !checked_add(last, loop.start, &last)) {
    return fail(ErrorKind::kUsage, "the loop's variable leaves int64");
  }
  return Interval{std::min(loop.start, last), std::max(loop.start, last)};
}

}  // namespace

Result<LoopPrograms> along(const Loop& loop, const IndexComputation& computation,
                           Simplifier& simplifier) {
  const Interval values = MERCATOR_TRY(values_of(loop));
  if (computation.results.empty() && computation.conditions.empty()) return LoopPrograms{};
  return Induction(loop, values, computation, simplifier).run();
}

}  // namespace mercator
