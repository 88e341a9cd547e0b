// The domain of a map while it is being simplified. For the files of this folder only.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/simplifier.h"
#include "mercator/map/index_map.h"

namespace mercator::internal {

// Tells which expressions may lack a value: those that divide by something that is not a constant.
// Remembers its answers, so that each expression of a context is looked at once.
class DivisorTable {
 public:
  // Whether a divisor in `expr` is not a constant.
  [[nodiscard]] bool has_variable_divisor(Expr expr);

 private:
  enum class Answer : std::uint8_t { kUnknown, kNo, kYes };
  std::vector<Answer> answers_;  // by Expr::id
  std::vector<Expr> stack_;
};

// Bounds and constraints, with the rules that simplify them together.
//
// Every rule keeps the set of points as it is. An expression that may lack a value somewhere (a
// divisor that may be zero) takes its points out of the domain; so it is neither rewritten nor
// dropped.
class Domain {
 public:
  // The map must outlive the domain.
  Domain(const IndexMap& map, Simplifier& simplifier, DivisorTable& divisors);

  // Simplifies to a fixed point. `results` are those of the map, which restrict the domain where
  // they have no value. False if the domain is found empty; it is then left in any state.
  // Afterwards the simplifier is set to the bounds.
  [[nodiscard]] bool simplify();

  // Whether `expr` has a value everywhere in the bounds.
  [[nodiscard]] bool is_total(Expr expr);

  [[nodiscard]] const std::vector<Interval>& dimensions() const { return dimensions_; }
  [[nodiscard]] const std::vector<Interval>& ranges() const { return ranges_; }
  // Sorted by what they constrain.
  [[nodiscard]] const std::vector<Constraint>& constraints() const { return constraints_; }

 private:
  // What became of a constraint that was looked at.
  enum class Outcome : std::uint8_t {
    kEmpty,    // no point satisfies it
    kPlaced,   // it is in the bounds, split into others or dropped
    kChanged,  // another form, to be looked at again
    kSettled,  // as simple as it gets
  };

  Interval& bounds(VariableId id);
  [[nodiscard]] bool has_empty_bounds() const;
  [[nodiscard]] bool restrict(VariableId id, Interval range);
  void restore_runtime_conditions();

  // Each is a stage of a round, and says false if it finds the domain empty.
  [[nodiscard]] bool exclude_zero_divisors();
  [[nodiscard]] bool place_pending();
  [[nodiscard]] bool join();
  [[nodiscard]] bool search_bounds();

  [[nodiscard]] bool exclude_zero(Expr expr);
  [[nodiscard]] bool place(Constraint constraint);
  Outcome rewrite(Constraint& constraint);
  Outcome split_extremum(Constraint& constraint);
  [[nodiscard]] bool tighten_to_grid(const struct Congruence& congruence);

  const IndexMap& map_;
  Simplifier& simplifier_;
  DivisorTable& divisors_;
  std::vector<Interval> dimensions_;
  std::vector<Interval> ranges_;
  std::vector<Interval> runtimes_;
  std::vector<Constraint> constraints_;
  std::vector<Constraint> pending_;  // still to be placed
  bool bounds_changed_ = false;
};

}  // namespace mercator::internal
