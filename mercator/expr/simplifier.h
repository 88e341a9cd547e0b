// The simplifier: the cheapest expression that it can find with the same value everywhere in a
// domain.

#pragma once

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

// A rule of the simplifier, for people and for tests.
struct SimplifierRule {
  std::string_view name;     // "quotient-in-one-bucket"
  std::string_view algebra;  // "x floordiv n -> k"
  std::string_view guard;    // "k*n <= x < (k+1)*n everywhere"; empty: none
  bool by_construction;      // follows from the normal form; no code of its own
};
// Every rule, in the order in which they are tried.
[[nodiscard]] std::span<const SimplifierRule> simplifier_rules();

// Simplifies expressions over one domain at a time; keeps its tables between domains, so one
// simplifier for many maps is faster than many.
class Simplifier {
 public:
  explicit Simplifier(ExprContext& context);
  ~Simplifier();
  Simplifier(Simplifier&&) noexcept;
  Simplifier& operator=(Simplifier&&) noexcept;

  // Starts a domain. Forgets what it knew of the last one.
  void set_bounds(const VariableBounds& bounds);

  // An expression with the same value as `expr` at every point of the domain where `expr` has a
  // value, of no greater cost. Simplifying the result again gives the same result.
  Expr simplify(Expr expr);

  // An interval that contains every value that `expr` takes in the domain; the least such interval
  // for sums of distinct variables, quotients and remainders of them.
  Interval range(Expr expr);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mercator
