// The normal form that the simplifier works in. For the files of this folder only.
//
// In normal form an expression has no remainders by constants: `x mod n` is `x - n * (x floordiv
// n)`. So whatever joins a quotient with its remainder (`x mod 4 + (x floordiv 4) * 4`, at any
// distance, scaled or composed) cancels as like terms of a sum, without a rule. What remains are
// the rules for quotients by a constant; they are data, in `quotient_rules`. A quotient `N floordiv
// n` to which no rule applies has every coefficient of N in [0, n - 1], unless it belongs to a
// remainder in N.
//
// Remainders are found again (`remainders`) for two purposes: to bound a sum (`x - n * (x floordiv
// n)` lies in [0, n - 1]), and to write the cheapest form when an expression leaves the simplifier.

#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/simplifier.h"

namespace mercator::internal {

// `coefficient * (dividend mod divisor)` within a sum, where it stands as
// `coefficient * dividend - coefficient * divisor * (dividend floordiv divisor)`.
struct Remainder {
  std::int64_t coefficient;
  Expr dividend;
  std::int64_t divisor;
};

// A sum, taken apart: the remainders in it, and the rest.
struct Remainders {
  std::vector<Remainder> remainders;
  Expr rest;
};

// `constant + sum of terms`: any expression looked at as a sum.
struct SumView {
  explicit SumView(Expr expr);

  Expr one;  // what `operands` refers to unless the expression is a sum
  std::int64_t one_coefficient = 1;
  std::int64_t constant = 0;
  std::span<const Expr> operands;
  std::span<const std::int64_t> coefficients;

  SumView(const SumView&) = delete;
  SumView& operator=(const SumView&) = delete;
};

// A table from the expressions of a context, emptied in no time.
template <class T>
class ExprMemo {
 public:
  void clear() { ++epoch_; }
  // The value of `expr`; null if there is none.
  const T* find(Expr expr) const {
    const std::uint32_t id = expr.id();
    return id < slots_.size() && slots_[id].epoch == epoch_ ? &slots_[id].value : nullptr;
  }
  void set(Expr expr, T value) {
    if (expr.id() >= slots_.size()) slots_.resize(expr.context().size());
    slots_[expr.id()] = {epoch_, std::move(value)};
  }

 private:
  struct Slot {
    std::uint64_t epoch = 0;
    T value{};
  };
  std::uint64_t epoch_ = 1;
  std::vector<Slot> slots_;
};

class NormalForm {
 public:
  explicit NormalForm(ExprContext& context) : context_(context) {}

  ExprContext& context() { return context_; }

  // Starts a domain.
  void set_bounds(const VariableBounds& bounds);

  // Work is measured in terms of sums that are looked at. Once more than `steps` of them have been
  // spent, nothing new is found any more: what is asked for comes back right, but as it is.
  void limit_work(std::int64_t steps) { steps_left_ = steps; }
  void spend(std::int64_t steps) { steps_left_ -= steps; }
  [[nodiscard]] bool is_exhausted() const { return steps_left_ < 0; }

  // `expr` in normal form.
  Expr normalize(Expr expr);
  // The normal form of `numerator floordiv divisor`, for a numerator in normal form and divisor >
  // 0.
  Expr quotient(Expr numerator, std::int64_t divisor);
  // An interval that contains every value of `expr`, in normal form or not.
  Interval range(Expr expr);
  // The remainders that make `expr` a sum of fewer terms. Those taken first that save most.
  const Remainders& remainders(Expr expr);

 private:
  Interval compute_range(Expr expr);
  Interval sum_range(Expr expr);
  Interval variable_range(VariableId id) const;
  Expr compute_normal(Expr expr);
  Expr normalize_division(Expr expr);
  Expr normalize_extremum(Expr expr);
  Expr compute_quotient(Expr numerator, std::int64_t divisor);
  Remainders compute_remainders(Expr expr);
  std::optional<Remainder> best_remainder(Expr sum);

  ExprContext& context_;
  std::vector<Interval> bounds_[3];  // by VariableKind
  ExprMemo<Interval> ranges_;
  ExprMemo<Expr> normal_;
  ExprMemo<Expr> quotients_;  // by the node `numerator floordiv divisor`
  tsl::robin_map<std::uint32_t, Remainders> remainders_;  // by id
  int depth_ = 0;
  std::int64_t steps_left_ = 0;
};

// A part of a numerator that the rules for quotients treat as one: a term, or a whole remainder.
struct Part {
  Expr expr;
  std::int64_t coefficient;
  Interval range;  // of expr
};

// What a rule sees: `(constant + sum of parts) floordiv divisor`.
struct QuotientProblem {
  NormalForm& normal_form;
  Expr numerator;
  std::int64_t divisor;
  Interval range;  // of the numerator
  std::int64_t constant;
  std::vector<Part> parts;
  std::vector<Remainder> remainders;  // of the first remainders.size() parts, in the same order
};

// A rule for quotients: the quotient in normal form, or none if the rule does not apply.
struct QuotientRule {
  SimplifierRule description;
  std::optional<Expr> (*apply)(const QuotientProblem& problem);
};
// In the order in which they are tried.
std::span<const QuotientRule> quotient_rules();

}  // namespace mercator::internal
