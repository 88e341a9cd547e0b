// A TileProblem on the way to a case of its solution, and what a step makes of one. For the files
// of this folder only.

#pragma once

#include <cstddef>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercator/analysis/progression.h"
#include "mercator/analysis/tile_reduction.h"
#include "mercator/analysis/tile_uses.h"
#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator::internal {

// Of what is constrained, over the parameters; a null end is none.
struct SymbolicRange {
  Expr lo;
  Expr hi;

  [[nodiscard]] bool is_point() const { return lo && lo == hi; }
};

// Its expressions are the *roots*: results, what is constrained, what must be uniform. Steps
// rewrite them all together; a root is known by its place.
class TileState {
 public:
  TileState(Assumptions& assumptions, const TileProblem& problem);

  [[nodiscard]] Assumptions& assumptions() const { return *assumptions_; }
  // Simplifies, and takes out what has one value only.
  void settle();
  // From now on, the assumptions are about the variables of this state.
  void set_ranges() const { assumptions_->set_ranges(bounds_); }

  // ---- variables ----

  [[nodiscard]] std::size_t variable_count() const { return variables_.size(); }
  [[nodiscard]] Expr variable(std::size_t index) const;
  [[nodiscard]] const std::string& name(std::size_t index) const { return variables_[index].name; }
  [[nodiscard]] const Progression& values(std::size_t index) const {
    return variables_[index].values;
  }
  // Those of what is linear in this variable.
  [[nodiscard]] Progression values(std::size_t index, const LinearArgument& argument) const {
    return scaled(values(index), argument.factor, argument.rest);
  }
  // Its values are `within` as well, and the last is at most `reach` away from the first, where
  // that is not clear from them.
  Expr add_variable(const Progression& values, std::string name, Interval within = {},
                    std::int64_t reach = Interval::kPlusInfinity);
  // At most how far the last of its values is from the first.
  [[nodiscard]] std::int64_t reach(std::size_t index) const { return reaches_[index]; }
  void set_values(std::size_t index, const Progression& values);
  // From now on, all that is known of its values is what they were said to be within.
  void forget_values(std::size_t index);

  // ---- roots ----

  [[nodiscard]] const std::vector<Expr>& roots() const { return roots_; }
  [[nodiscard]] auto results() const { return std::views::iota(std::size_t{0}, results_); }
  [[nodiscard]] auto constraints() const { return std::views::iota(results_, uniform_begin()); }
  [[nodiscard]] auto uniform() const { return std::views::iota(uniform_begin(), roots_.size()); }
  [[nodiscard]] bool is_result(std::size_t root) const { return root < results_; }
  [[nodiscard]] bool is_constraint(std::size_t root) const {
    return root >= results_ && root < uniform_begin();
  }
  [[nodiscard]] const SymbolicRange& range(std::size_t constraint) const {
    return ranges_[constraint - results_];
  }
  // Whether `part` is within a root that is not `root` itself.
  [[nodiscard]] bool is_within_other(Expr part, Expr root) const;
  // The root that this is, if it is one and occurs nowhere else.
  [[nodiscard]] std::optional<std::size_t> only_root(Expr expr) const;

  void set_root(std::size_t root, Expr expr) { roots_[root] = expr; }
  void add_constraint(Expr expr, const SymbolicRange& range);
  void set_constraint(std::size_t constraint, Expr expr, const SymbolicRange& range);
  void drop_constraint(std::size_t constraint);
  void drop_constraints(std::span<const std::size_t> ascending);
  void replace_variable(std::size_t index, Expr by);
  // Whether each term of the sum, of integers, is larger than all lower ones together: then it
  // tells them all.
  [[nodiscard]] bool tells_terms(Expr sum) const;
  // Whether the elements are a tile only if the variables from this one on are a product: each
  // occurs once, in a result that varies with nothing else but what other results say, or that
  // tells its terms. So many as `in_sums` may occur in other sums instead.
  [[nodiscard]] bool are_results(std::size_t from, std::size_t in_sums = 0) const;
  // As `rewrite` of tile_uses.h does.
  template <class Replace>
  void rewrite_roots(const Replace& replace) {
    rewrite(roots_, replace);
  }

  // These constraints on their own: without results, conditions and what says that there is
  // anything.
  [[nodiscard]] TileState only(std::span<const std::size_t> constraints) const;

  // ---- where the case applies ----

  [[nodiscard]] const std::vector<Constraint>& conditions() const { return conditions_.list(); }
  // False if it can not hold, together with what is there already.
  [[nodiscard]] bool require(Expr expr, Interval range) { return conditions_.require(expr, range); }
  [[nodiscard]] bool require(std::span<const Constraint> constraints) {
    return conditions_.require(constraints);
  }
  // The variable has one value, its first.
  [[nodiscard]] bool require_single(std::size_t index);

  // Where some of these do not hold, there is no combination.
  [[nodiscard]] const std::vector<Constraint>& nonempty() const { return nonempty_; }
  [[nodiscard]] std::vector<Constraint> take_nonempty() { return std::exchange(nonempty_, {}); }
  void add_nonempty(std::span<const Constraint> constraints) {
    nonempty_.insert(nonempty_.end(), constraints.begin(), constraints.end());
  }
  void add_never() { nonempty_.push_back(never(assumptions_->context())); }

 private:
  [[nodiscard]] std::size_t uniform_begin() const { return results_ + ranges_.size(); }
  void settle_constraint(std::size_t constraint);

  Assumptions* assumptions_;
  std::vector<TileVariable> variables_;
  std::vector<Interval> bounds_;  // of the variables
  std::vector<Interval> within_;
  std::vector<std::int64_t> reaches_;
  std::vector<Expr> roots_;
  std::size_t results_;
  std::vector<SymbolicRange> ranges_;  // of what is constrained
  Conditions conditions_;
  std::vector<Constraint> nonempty_;
};

// The cases that a step leads to.
struct TileBranches {
  std::vector<TileState> states = {};
  std::string reason = {};  // why there is not always one of these; empty if there is
  // Whether there is no tile where there is none of these, as long as there is any element.
  bool is_complete = false;

  void add(TileState state) { states.push_back(std::move(state)); }
  // The case that the variable has a single value, if it may.
  void add_single(const TileState& state, std::size_t index) {
    if (TileState single = state; single.require_single(index)) add(std::move(single));
  }
};

// None: the step does not apply. No states: no case is left.
using StepResult = std::optional<TileBranches>;

// The cases of `rule`; `go_on(state, values)` puts its values in place.
template <class GoOn>
TileBranches branch(const TileState& state, const ProgressionCases& rule, const GoOn& go_on) {
  TileBranches next;
  for (const ProgressionCase& one : rule) {
    TileState after = state;
    if (!after.require(one.conditions)) continue;
    after.add_nonempty(one.nonempty);
    go_on(after, one.values);
    next.add(std::move(after));
  }
  return next;
}

// What `put` makes of `count` progressions of which nothing is known but what the new variables are
// within.
template <class Put>
TileState with_any_values(const TileState& state, std::size_t count, const Put& put) {
  const auto number = [&](std::int64_t value) { return state.assumptions().constant(value); };
  TileState after = state;
  put(after, std::vector<Progression>(count, {number(0), number(2), number(1)}));
  for (std::size_t i = state.variable_count(); i < after.variable_count(); ++i) {
    after.forget_values(i);
  }
  after.settle();
  state.set_ranges();
  return after;
}

// Whether the elements are a tile only if the `count` variables that `put` adds are a product, as
// `are_results` says.
template <class Put>
bool must_be_product(const TileState& state, std::size_t count, std::size_t in_sums,
                     const Put& put) {
  return with_any_values(state, count, put).are_results(state.variable_count(), in_sums);
}

}  // namespace mercator::internal
