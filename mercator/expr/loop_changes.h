// How expressions change along a loop. For the files of this folder.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/induction.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/traversal.h"

namespace mercator::internal {

// How an expression changes from one iteration to the next.
struct Change {
  enum class Kind : std::uint8_t {
    kNone,     // not at all
    kStepped,  // by `amount`
    kAny,      // unpredictably
  };
  Kind kind = Kind::kNone;
  // Over the variables that do not change and the counters.
  Expr amount = {};
  Interval range = Interval::point(0);  // of the amount; infinite where that is not constant
  // Whether the amount depends on counters, and on one that is no power of two.
  bool has_counter = false;
  bool has_dear_counter = false;
};

// x mod n, for a stepped x. With `amount` = (change of x) - k*n in [0, n], the counter becomes
// (counter + amount) mod n, and x floordiv n becomes x floordiv n + k + carry where
// carry = (counter + amount) floordiv n is 0 or 1.
struct Counter {
  Expr dividend;
  std::int64_t n;
  Expr variable;  // stands for the counter in amounts
  Expr amount;
};

// The changes of all subexpressions.
class LoopChanges {
 public:
  // The counters stand in amounts as the runtime variables of numbers from `first_counter`, which
  // the expressions do not use. Keeps references to what it is given.
  LoopChanges(const Loop& loop, const Traversal& traversal, std::uint32_t first_counter);

  // Of the nodes of the traversal.
  [[nodiscard]] const Change& change(std::size_t place) const { return changes_[place]; }
  // A node in the first iteration; null if the change is kAny.
  [[nodiscard]] Expr start(std::size_t place) const { return starts_[place]; }
  // Each depends on those before it only.
  [[nodiscard]] std::span<const Counter> counters() const { return counters_; }

 private:
  using Kind = Change::Kind;

  [[nodiscard]] Change change_of(std::size_t place);
  [[nodiscard]] Change change_of_sum(std::size_t place) const;
  [[nodiscard]] Change change_of_product(std::size_t place) const;
  [[nodiscard]] Change change_of_division(std::size_t place);
  [[nodiscard]] const Counter& counter(Expr division, const Change& dividend, std::int64_t whole);
  [[nodiscard]] Expr start_of(std::size_t place) const;
  [[nodiscard]] const Change& operand_change(std::size_t place, std::size_t operand) const {
    return changes_[traversal_.operands(place)[operand]];
  }

  const Loop& loop_;
  const Traversal& traversal_;
  std::uint32_t first_counter_;
  std::vector<Change> changes_;
  std::vector<Expr> starts_;
  std::vector<Counter> counters_;
};

}  // namespace mercator::internal
