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

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/facts.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/records.h"
#include "mercator/expr/rules.h"
#include "mercator/expr/simplifier.h"
#include "mercator/expr/sum_view.h"
#include "mercator/support/inline_vector.h"

namespace mercator::internal {

// Beyond this many quotients within one another the simplifier leaves expressions as they are.
inline constexpr int kMaxRecursion = 200;
// In sums of more terms than this, what compares each term with each is not tried.
inline constexpr std::size_t kManyTerms = 48;

// `coefficient * (dividend mod divisor)` within a sum, where it stands as
// `coefficient * dividend - coefficient * divisor * (dividend floordiv divisor)`. The divisor is
// positive, a constant or not.
struct Remainder {
  std::int64_t coefficient;
  Expr dividend;
  Expr divisor;
};

// A sum, taken apart: the remainders in it, and the rest, a constant and terms in any order.
struct Remainders {
  InlineVector<Remainder, 3> remainders;
  std::int64_t constant = 0;
  InlineVector<Term, 8> terms;

  // The rest as one expression.
  [[nodiscard]] Expr rest(ExprContext& context) const { return context.sum(terms, constant); }
  // Whether there are other terms than variables in the rest.
  [[nodiscard]] bool has_other_terms() const {
    for (const Term& term : terms) {
      if (!term.expr.is(ExprKind::kVariable)) return true;
    }
    return false;
  }
};

class NormalForm {
 public:
  // Of the expressions.
  ExprContext& context() { return *context_; }

  // Starts a domain. What `bounds` refers to is copied.
  void set_bounds(const VariableBounds& bounds);
  // Adds to what is known of the points of the domain.
  void assume(Expr expr, Interval range);
  void assume_on_grid(Expr expr, std::int64_t modulus, std::int64_t residue);
  [[nodiscard]] bool has_facts() const { return !facts_.empty(); }

  // To be called before anything is asked about expressions. Work is measured in terms of sums that
  // are looked at. Once more than `steps` of them have been spent, nothing new is found any more:
  // what is asked for comes back right, but as it is.
  void start_work(ExprContext& context, std::int64_t steps) {
    context_ = &context;
    // What was found without looking is not to be remembered.
    if (is_exhausted()) start_epoch();
    steps_left_ = steps;
  }
  void spend(std::int64_t steps) { steps_left_ -= steps; }
  [[nodiscard]] bool is_exhausted() const { return steps_left_ < 0; }

  // `expr` in normal form.
  Expr normalize(Expr expr) {
    const bool is_normal = expr.is_affine() && (variable_bits(expr) & bits_of_constants_) == 0;
    return is_normal ? expr : normalize_others(expr);
  }
  // The normal form of `numerator floordiv divisor`, for a numerator in normal form and divisor >
  // 0.
  Expr quotient(Expr numerator, std::int64_t divisor);
  // An interval that contains every value of `expr`, in normal form or not.
  Interval range(Expr expr) {
    if (expr.is(ExprKind::kConstant)) return Interval::point(expr.value());
    if (expr.is(ExprKind::kVariable)) return variable_range(expr.variable());
    // A short sum is added up sooner than looked up.
    if (expr.is_affine() && expr.operands().size() <= kShortSum && facts_.ranges.empty()) {
      return affine_range(expr);
    }
    if (const ExprRecord& known = record(expr); known.has_range) return known.range;
    return new_range(expr);
  }
  // Whether it is certain that the range of `expr`, in normal form, is not a single value: as far
  // as can be told quickly.
  [[nodiscard]] bool has_more_than_one_value(Expr expr) const;
  // What the facts alone say of a sum.
  Interval range_by_facts(const SumView& sum);
  // The remainders that make `expr` a sum of fewer terms, those first that save most; null if there
  // are none. Valid until a domain is started or something assumed.
  const Remainders* remainders(Expr expr) {
    return expr.is(ExprKind::kSum) && !expr.is_affine() ? find_remainders(expr) : nullptr;
  }
  // The quotient of a remainder: `dividend floordiv divisor`.
  Expr quotient_of(const Remainder& remainder);
  // `dividend mod divisor`, in normal form.
  Expr expr_of(const Remainder& remainder);

  // The record of `expr`; valid until the next call of anything here.
  ExprRecord& record(Expr expr) { return records_.of(expr); }

  // What it costs to compute the expressions together, an offset added last being free.
  std::int64_t weight(std::span<const Expr> exprs);
  std::int64_t weight(Expr expr) {
    if (!expr.is_tree()) return weight_of_shared({&expr, 1});
    const bool has_offset = expr.is(ExprKind::kSum) && expr.constant() != 0;
    return expr.tree_weight() - static_cast<std::int64_t>(has_offset);
  }

  // What knows of congruences; see facts.h.
  [[nodiscard]] const Facts& facts() const { return facts_; }

  // Counts and, if somebody listens, reports a step.
  RuleLog& log() { return log_; }

 private:
  std::int64_t weight_of_shared(std::span<const Expr> exprs);
  // Forgets what was found from bounds and facts.
  void start_epoch();
  void find_constants();
  Expr normalize_others(Expr expr);
  Interval new_range(Expr expr);
  Interval compute_range(Expr expr);
  static constexpr std::size_t kShortSum = 4;
  // From the bounds of its variables, of a sum of them.
  Interval affine_range(Expr expr) const {
    LinearRange range(expr.constant());
    for (std::size_t i = 0; i < expr.operands().size(); ++i) {
      range.add(variable_range(expr.operands()[i].variable()), expr.coefficients()[i]);
    }
    return range.range();
  }
  Interval sum_range(Expr expr);
  Interval extremum_sum_range(Expr expr, Interval known);
  [[nodiscard]] Interval variable_range(VariableId id) const {
    const InlineVector<Interval, 6>& bounds = bounds_[static_cast<int>(id.kind)];
    return id.index < bounds.size() ? bounds[id.index] : Interval::all();
  }
  Expr compute_normal(Expr expr);
  Expr normalize_sum(Expr expr);
  Expr without_known_quotients(Expr sum);
  Expr normalize_product(Expr expr);
  Expr normalize_division(Expr expr);
  Expr normalize_variable_division(bool is_quotient, Expr dividend, Expr divisor);
  Expr normalize_extremum(Expr expr);
  Expr compute_quotient(Expr numerator, std::int64_t divisor);
  // The same, for a sum of variables of which the bounds are all that is known.
  Expr compute_plain_quotient(Expr numerator, std::int64_t divisor);
  const Remainders* find_remainders(Expr expr);
  // That the remainder is all of `expr`.
  void note_remainder(Expr expr, const Remainder& remainder);
  Remainders& next_remainders();
  void compute_remainders(Expr expr, Remainders& result);

  ExprContext* context_ = nullptr;
  InlineVector<Interval, 6> bounds_[3];  // by VariableKind
  std::uint64_t bits_of_constants_ =
      ~std::uint64_t{0};  // of the variables that have one value, if not more
  Facts facts_;
  RuleLog log_;
  Records records_;
  // The first so many are in use; the others wait for the next domain.
  std::vector<std::unique_ptr<Remainders>> remainders_found_;
  std::uint32_t remainders_in_use_ = 0;
  QuotientMemo quotients_;
  int depth_ = 0;
  std::int64_t steps_left_ = 0;
};

// A part of a numerator that the rules for quotients treat as one: a term, or a whole remainder.
struct Part {
  Expr expr;
  std::int64_t coefficient;
  Interval range;  // of expr
};

// What there must be for a rule to apply: bits.
enum Feature : std::uint8_t { kNothing = 0, kRemainders = 1, kQuotients = 2, kResidueFacts = 4 };
inline constexpr std::uint8_t kAllFeatures = kRemainders | kQuotients | kResidueFacts;

// A quotient on its way to its normal form: `outside + (constant + sum of parts) floordiv divisor`.
// A rule changes the form and keeps the value.
class QuotientProblem {
 public:
  QuotientProblem(NormalForm& normal_form, Expr numerator, std::int64_t divisor);

  QuotientProblem(const QuotientProblem&) = default;
  QuotientProblem& operator=(const QuotientProblem& other) {
    divisor = other.divisor;
    constant = other.constant;
    parts = other.parts;
    remainders = other.remainders;
    range = other.range;
    features = other.features;
    numerator_ = other.numerator_;
    outside_ = other.outside_;
    is_solved_ = other.is_solved_;
    return *this;
  }
  ~QuotientProblem() = default;

  NormalForm& normal_form;  // the same for all problems that are assigned to one another
  std::int64_t divisor;
  std::int64_t constant = 0;
  InlineVector<Part, 8> parts;
  // That the first parts are, in the same order; by constants.
  InlineVector<Remainder, 3> remainders;
  Interval range;  // of the numerator

  // What rules may need of it.
  std::uint8_t features = kNothing;

  // The numerator as one expression, its constant included.
  [[nodiscard]] Expr numerator() const;
  // Starts again with another numerator over another divisor; what is outside stays.
  void set_numerator(Expr numerator, std::int64_t new_divisor);
  // To be called when `parts` or `constant` has changed.
  void update();

  // Adds `coefficient * expr` or a constant outside.
  void take_out(Expr expr, std::int64_t coefficient);
  void take_out(std::int64_t value);
  // Nothing is left to divide.
  void solve();
  [[nodiscard]] bool is_solved() const { return is_solved_; }

  // The whole expression, as it stands.
  [[nodiscard]] Expr expr() const;
  // The same, where `quotient` is what is left to divide, in some form.
  [[nodiscard]] Expr expr(Expr quotient) const;

 private:
  void add_terms(Expr sum);
  [[nodiscard]] std::uint8_t features_of_facts() const;

  mutable Expr numerator_;  // null: `parts` or `constant` has changed
  InlineVector<Term, 12> outside_;
  bool is_solved_ = false;
};

// A rule for quotients by a constant; false if it does not apply.
struct QuotientRule {
  Rule rule;
  Feature needs;
  bool (*apply)(QuotientProblem& problem);
};
// Those that need no more than `features`, in the order in which they are tried.
std::span<const QuotientRule> quotient_rules(std::uint8_t features);

}  // namespace mercator::internal
