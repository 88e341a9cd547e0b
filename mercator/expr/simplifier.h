// The simplifier: the cheapest expression that it can find with the same value everywhere in a
// domain.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"

namespace mercator {

// Bounds of the variables, by kind and index. Variables beyond the end are unbounded.
struct VariableBounds {
  std::span<const Interval> dimensions;
  std::span<const Interval> ranges = {};
  std::span<const Interval> runtimes = {};
};

// A rule of the simplifier, for people, for tests and for proofs. Its algebra is `BEFORE -> AFTER`,
// both expressions in the text of text.h, where x, y, z stand for expressions, a, b, c, k for
// integers, f, m, n for positive integers and d for an expression that is not zero. Its guard is a
// list of `E in [E, E]`, `E = E` and `E >= E`, separated by commas; empty: none.
struct SimplifierRule {
  std::string_view name;     // "quotient-one-bucket"
  std::string_view algebra;  // "x floordiv n -> k"
  std::string_view guard;    // "x in [k*n, k*n + n - 1]"
  bool by_construction;      // follows from the normal form; no code of its own
};
// Every rule, in the order in which they are tried.
[[nodiscard]] std::span<const SimplifierRule> simplifier_rules();

// What is known of an expression: it lies in `range` everywhere in the domain.
struct KnownRange {
  Expr expr;
  Interval range;
};

// One use of a rule: `before` became `after`, which it could since the parts of `before` lie in
// these ranges. What it refers to is valid during the call only.
struct SimplifierStep {
  const SimplifierRule* rule;
  Expr before;
  Expr after;
  std::span<const KnownRange> ranges;
};
using StepListener = std::function<void(const SimplifierStep&)>;

// Simplifies expressions over one domain at a time, all of one context; the next domain may be of
// another. Keeps the memory of its tables, so one simplifier for many domains is faster than many.
class Simplifier {
 public:
  Simplifier();
  ~Simplifier();
  Simplifier(Simplifier&&) noexcept;
  Simplifier& operator=(Simplifier&&) noexcept;

  // Starts a domain: at first there are no bounds. Forgets what it knew of the last one. What
  // `bounds` refers to is copied.
  void set_bounds(const VariableBounds& bounds);
  // Restricts the domain to the points where `expr` has a value in `range`.
  void assume(Expr expr, Interval range);
  // Restricts it to those where `expr mod modulus` is `residue`. Requires 0 <= residue < modulus.
  void assume_on_grid(Expr expr, std::int64_t modulus, std::int64_t residue);

  // Whether knowing the range of `fact`, which is not affine, may help with `expr`: whether its
  // terms are, in normal form, among those of `expr` or of a sum within it.
  bool is_within(Expr fact, Expr expr);

  // An expression with the same value as `expr` at every point of the domain where `expr` has a
  // value, of no greater cost. Simplifying the result again gives the same result. Values are
  // integers of any size: `evaluate` may find that a value of the result leaves int64 on the way
  // where no value of `expr` does, or the other way round.
  Expr simplify(Expr expr);

  // An interval that contains every value that `expr` takes in the domain; the least such interval
  // for sums of distinct variables, quotients and remainders of them.
  Interval range(Expr expr);

  // The expressions together, as the results of one map are: a remainder is written with the
  // dividend of a quotient among them where it may be, so that it is computed once.
  void simplify(std::span<Expr> exprs);

  // How often each of simplifier_rules() has been used, since the simplifier was made.
  [[nodiscard]] std::span<const std::uint64_t> rule_counts() const;
  // Calls `listener` at each step from now on; null: no more. It must outlive its use.
  void set_listener(const StepListener* listener);
  // Whether the last expression took more work than the simplifier spends on one (about ten
  // milliseconds): it then came back as it was.
  [[nodiscard]] bool was_budget_exhausted() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mercator
