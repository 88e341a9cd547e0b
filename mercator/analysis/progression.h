// Progressions of integers with symbolic ends, and what sums, quotients and remainders make of
// them: the arithmetic of tiles, which are products of progressions.
//
// Every rule gives *cases*. A case says under which conditions the values are a progression, and
// which. Together the conditions of a rule hold exactly where they are one, unless the rule says
// that they are only sufficient. For the files of this folder only.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/simplifier.h"
#include "mercator/map/index_map.h"

namespace mercator::internal {

// offset, offset + stride, …, offset + (size - 1) * stride. Size and stride are positive; of a
// single value, the stride does not matter.
struct Progression {
  Expr offset;
  Expr size;
  Expr stride;
};

// What is known of the parameters of a tile: dimension and runtime variables.
class Assumptions {
 public:
  Assumptions(ExprContext& context, std::vector<Interval> parameters,
              std::vector<Interval> runtimes);
  // Everything from now on is said of the parameters where `fact` holds.
  void assume(const Constraint& fact);
  // Ranges are variables with these bounds.
  void set_ranges(std::vector<Interval> ranges);

  [[nodiscard]] ExprContext& context() const { return context_; }
  [[nodiscard]] Expr constant(std::int64_t value) const { return context_.constant(value); }
  [[nodiscard]] Interval range(Expr expr);
  [[nodiscard]] Expr simplify(Expr expr);
  // All together: a remainder keeps the dividend that a quotient among them has.
  void simplify(std::span<Expr> exprs) { simplifier_.simplify(exprs); }
  [[nodiscard]] bool always(Expr expr, Interval range) { return range.contains(this->range(expr)); }
  [[nodiscard]] bool never(Expr expr, Interval range) {
    return intersect(range, this->range(expr)).is_empty();
  }

 private:
  void restart();

  ExprContext& context_;
  Simplifier simplifier_;
  std::vector<Interval> parameters_;
  std::vector<Interval> runtimes_;
  std::vector<Interval> ranges_;
  std::vector<Constraint> facts_;
};

// A conjunction that is being built.
class Conditions {
 public:
  explicit Conditions(Assumptions& assumptions) : assumptions_(&assumptions) {}

  // False if it can not hold, together with what is there already.
  bool require(Expr expr, Interval range);
  bool require(std::span<const Constraint> constraints);
  [[nodiscard]] const std::vector<Constraint>& list() const { return list_; }

 private:
  Assumptions* assumptions_;
  std::vector<Constraint> list_;
};

inline constexpr Interval at_least(std::int64_t lo) { return {lo, Interval::kPlusInfinity}; }
inline constexpr Interval at_most(std::int64_t hi) { return {Interval::kMinusInfinity, hi}; }

// What a rule yields: where `conditions` hold, the values are these progressions (one for most
// rules), unless some of `nonempty` does not hold: then there are none.
struct ProgressionCase {
  std::vector<Progression> values;
  std::vector<Constraint> conditions = {};
  std::vector<Constraint> nonempty = {};
};
using ProgressionCases = std::vector<ProgressionCase>;

// Whether some case has no conditions.
[[nodiscard]] bool is_complete(const ProgressionCases& rule);

// Nothing meets it.
[[nodiscard]] Constraint never(ExprContext& context);

[[nodiscard]] Progression point(Expr value);
[[nodiscard]] Expr last(const Progression& x);
// The values k * x + c, for k != 0. Always a progression.
[[nodiscard]] Progression scaled(const Progression& x, std::int64_t k, Expr c);
[[nodiscard]] Progression simplified(Assumptions& assumptions, const Progression& x);

// x floordiv n.
[[nodiscard]] ProgressionCases quotient(Assumptions& assumptions, const Progression& x,
                                        std::int64_t n);
// x mod n.
[[nodiscard]] ProgressionCases remainder(Assumptions& assumptions, const Progression& x,
                                         std::int64_t n);
// The sums of one value each. Exact for so many; of more, some orders of strides are not tried.
inline constexpr std::size_t kMaxExactTerms = 6;
[[nodiscard]] ProgressionCases sum(Assumptions& assumptions, std::span<const Progression> xs);
// The digits of x: x mod n0, (x floordiv n0) mod (n1 / n0), …, x floordiv nk, each a progression
// and all combinations of them there. `divisors` are n0 … nk, each a multiple of the one before;
// `is_used` says which digits matter. Exact where all of them do.
[[nodiscard]] ProgressionCases digits(Assumptions& assumptions, const Progression& x,
                                      std::span<const std::int64_t> divisors,
                                      const std::vector<bool>& is_used);
// Those values that lie in [lo, hi]; a null bound is none.
[[nodiscard]] ProgressionCases clipped(Assumptions& assumptions, const Progression& x, Expr lo,
                                       Expr hi);
// Those of the sums of one value each of `upper` and `lower` that lie in [lo, hi], where the sums
// are not evenly spaced; null bounds are none. Exact if the stride of `lower` is 1: then the sums
// are rows with gaps between them, of which the bounds leave part of one row, or the last of one
// and the first of the next.
[[nodiscard]] ProgressionCases clipped_rows(Assumptions& assumptions, const Progression& upper,
                                            const Progression& lower, Expr lo, Expr hi);
// Those with x mod n = residue. None if the stride modulo n is not a number and may be one of many.
[[nodiscard]] std::optional<ProgressionCases> with_residue(Assumptions& assumptions,
                                                           const Progression& x, std::int64_t n,
                                                           Expr residue);

}  // namespace mercator::internal
