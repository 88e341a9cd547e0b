// The domain of a map while it is being simplified. For the files of this folder only.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/simplifier.h"
#include "mercator/map/constraint_rules.h"
#include "mercator/map/index_map.h"
#include "mercator/map/restriction.h"
#include "mercator/support/inline_vector.h"

namespace mercator::internal {

// Bounds and constraints, with the rules that simplify them together.
//
// Every rule keeps the set of points as it is. An expression that may lack a value somewhere (a
// divisor that may be zero) takes its points out of the domain; so it is neither rewritten nor
// dropped.
class Domain {
 public:
  // Of `map`, which must outlive the domain. `results` are its results, which restrict the domain
  // where they have no value, `others` whatever else depends on its variables: both follow when a
  // variable becomes another one.
  Domain(const IndexMap& map, std::span<Expr> results, std::span<Expr> others,
         Simplifier& simplifier, ConstraintLog& log);
  ~Domain() { log_.set_domain(nullptr); }
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  // Simplifies to a fixed point. False if the domain is found empty; it is then left in any state.
  // Afterwards the simplifier is set to the bounds.
  [[nodiscard]] bool simplify();

  // Whether `expr` has a value everywhere in the domain, as far as the simplifier is told of it.
  [[nodiscard]] bool is_total(Expr expr);

  // Tells the simplifier of the constraints that may help it with `results`, once `simplify` is
  // done.
  void assume_for(std::span<const Expr> results);
  // Whether what `assume_for` would tell the simplifier, had it been told nothing, is what it has
  // been told.
  [[nodiscard]] bool would_assume_the_same(std::span<const Expr> results);
  void forget_assumptions() { start_from_bounds(); }

  [[nodiscard]] std::span<const Interval> dimensions() const { return dimensions_; }
  [[nodiscard]] std::span<const Interval> ranges() const { return ranges_; }
  // Sorted by what they restrict, once `simplify` is done.
  [[nodiscard]] std::span<const Restriction> restrictions() const { return restrictions_; }
  // In the middle of `simplify`: the bounds of all variables, and what is yet to be looked at.
  [[nodiscard]] VariableBounds variable_bounds() const {
    return {.dimensions = dimensions_, .ranges = ranges_, .runtimes = runtimes_};
  }
  [[nodiscard]] std::span<const Restriction> pending() const { return pending_; }

 private:
  using Restrictions = InlineVector<Restriction, 6>;
  using Bounds = InlineVector<Interval, 8>;

  // What became of a range that was looked at.
  enum class Outcome : std::uint8_t {
    kEmpty,    // no point satisfies it
    kPlaced,   // it is in the bounds, split into others or dropped
    kChanged,  // another form, to be looked at again
    kSettled,  // as simple as it gets
  };

  Interval& bounds(VariableId id);
  [[nodiscard]] bool has_empty_bounds() const;
  [[nodiscard]] bool restrict(VariableId id, Interval range);
  void start_from_bounds();
  // Whether it may help with `expr` to know the range of `fact`.
  [[nodiscard]] bool concerns(Expr fact, Expr expr);
  // Tells the simplifier of the restrictions that may help with `exprs`, except for one, and except
  // for grids if `only_ranges`. False if there is none.
  bool assume_for(std::span<const Expr> exprs, const Restriction* left_out, bool only_ranges);
  [[nodiscard]] bool concerns_any(const Restriction& restriction, std::span<const Expr> exprs,
                                  bool only_ranges);
  void restore_runtime_conditions();

  // Each is a stage of a round, and says false if it finds the domain empty.
  [[nodiscard]] bool settle_variables();
  [[nodiscard]] bool exclude_zero_divisors();
  [[nodiscard]] bool place_pending();
  [[nodiscard]] bool join_equal();
  [[nodiscard]] bool compare();
  [[nodiscard]] bool search_bounds();

  [[nodiscard]] bool exclude_zero(Expr expr);
  [[nodiscard]] bool settle_ranges();
  [[nodiscard]] bool settle_grids();
  [[nodiscard]] std::optional<Truth> join_with_pending(const Restriction& restriction);
  [[nodiscard]] bool tighten_bounds(const Restriction& grid);
  [[nodiscard]] bool is_met_by_bounds(const Restriction& restriction);
  [[nodiscard]] bool may_rescale(const Restriction& grid);
  void rescale(std::span<const Restriction> grids);
  [[nodiscard]] bool place(const Restriction& restriction);
  // Whether the grid is new: `settle_variables` has not seen it.
  [[nodiscard]] bool place_grid(Restriction restriction, bool is_new);
  [[nodiscard]] bool place_range(Restriction restriction);
  [[nodiscard]] std::optional<Constraint> simpler_grid(const Restriction& restriction);
  Outcome move(Restriction& restriction);
  Outcome split_extremum(Restriction& restriction);
  [[nodiscard]] bool tighten_ranges(const Congruence& grid);

  const IndexMap& map_;
  std::span<Expr> results_;
  std::span<Expr> others_;
  Simplifier& simplifier_;
  ConstraintLog& log_;
  Bounds dimensions_;
  Bounds ranges_;
  Bounds runtimes_;
  Restrictions restrictions_;
  Restrictions pending_;   // still to be placed
  Restrictions compared_;  // those that `compare` has left
  // By place among the restrictions: that the simplifier knows of.
  InlineVector<bool, 8> is_assumed_;
  bool bounds_changed_ = false;
  // Whether, in this round, a restriction has changed since it was placed.
  bool restrictions_changed_ = false;
};

}  // namespace mercator::internal
