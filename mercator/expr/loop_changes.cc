#include "mercator/expr/loop_changes.h"

#include <algorithm>
#include <bit>

#include "mercator/expr/rebuild.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {

LoopChanges::LoopChanges(const Loop& loop, const Traversal& traversal, std::uint32_t first_counter)
    : loop_(loop), traversal_(traversal), first_counter_(first_counter) {
  for (std::size_t place = 0; place < traversal_.nodes().size(); ++place) {
    changes_.push_back(change_of(place));
    starts_.push_back(changes_[place].kind == Kind::kAny ? Expr{} : start_of(place));
  }
}

// No operand changes unpredictably, since the node would then. So no divisor is a variable.
Expr LoopChanges::start_of(std::size_t place) const {
  const Expr expr = traversal_.nodes()[place];
  if (expr.is(ExprKind::kVariable)) {
    return expr.variable() == loop_.variable ? expr.context().constant(loop_.start) : expr;
  }
  std::vector<Expr> operands;
  for (const std::uint32_t operand : traversal_.operands(place)) {
    operands.push_back(starts_[operand]);
  }
  return with_operands(expr, operands);
}

Change LoopChanges::change_of(std::size_t place) {
  const Expr expr = traversal_.nodes()[place];
  switch (expr.kind()) {
    case ExprKind::kConstant:
      return {};
    case ExprKind::kVariable:
      if (expr.variable() != loop_.variable) return {};
      return {.kind = Kind::kStepped,
              .amount = expr.context().constant(loop_.step),
              .range = Interval::point(loop_.step)};
    case ExprKind::kSum:
      return change_of_sum(place);
    case ExprKind::kProduct:
      return change_of_product(place);
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
      return change_of_division(place);
    case ExprKind::kMin:
    case ExprKind::kMax:
      for (std::size_t i = 0; i < expr.operands().size(); ++i) {
        if (operand_change(place, i).kind != Kind::kNone) return {.kind = Kind::kAny};
      }
      return {};
  }
  __builtin_unreachable();
}

Change LoopChanges::change_of_sum(std::size_t place) const {
  const Expr sum = traversal_.nodes()[place];
  Change change;
  std::vector<Term> terms;
  for (std::size_t i = 0; i < sum.operands().size(); ++i) {
    const Change& operand = operand_change(place, i);
    if (operand.kind == Kind::kAny) return {.kind = Kind::kAny};
    if (operand.kind == Kind::kNone) continue;
    const std::int64_t coefficient = sum.coefficients()[i];
    change.kind = Kind::kStepped;
    terms.push_back({operand.amount, coefficient});
    change.range = change.range + operand.range * Interval{coefficient, coefficient};
    change.has_counter = change.has_counter || operand.has_counter;
    change.has_dear_counter = change.has_dear_counter || operand.has_dear_counter;
  }
  if (change.kind == Kind::kStepped) change.amount = sum.context().sum(terms);
  return change;
}

// One factor that changes by the same amount each time.
Change LoopChanges::change_of_product(std::size_t place) const {
  const Expr product = traversal_.nodes()[place];
  std::vector<Expr> factors(product.operands().begin(), product.operands().end());
  bool changes = false;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const Change& factor = operand_change(place, i);
    if (factor.kind == Kind::kNone) {
      factors[i] = starts_[traversal_.operands(place)[i]];
      continue;
    }
    if (changes || factor.kind == Kind::kAny || factor.has_counter) return {.kind = Kind::kAny};
    changes = true;
    factors[i] = factor.amount;
  }
  if (!changes) return {};
  return {.kind = Kind::kStepped,
          .amount = product.context().product(factors),
          .range = Interval::all()};
}

Change LoopChanges::change_of_division(std::size_t place) {
  const Expr division = traversal_.nodes()[place];
  const Change dividend = operand_change(place, 0);
  // A divisor that may be zero is computed where its quotient is.
  if (!division.divisor().is(ExprKind::kConstant)) return {.kind = Kind::kAny};
  if (dividend.kind == Kind::kNone) return {};
  const std::int64_t n = division.divisor().value();
  if (dividend.kind != Kind::kStepped || !dividend.range.is_bounded() || n <= 0) {
    return {.kind = Kind::kAny};
  }
  const std::int64_t k = floor_div(dividend.range.lo, n);
  std::int64_t whole = 0;  // k * n
  if (!checked_mul(k, n, &whole)) return {.kind = Kind::kAny};
  const Interval rest = dividend.range - Interval::point(whole);
  if (rest.hi > n) return {.kind = Kind::kAny};  // it could start again twice
  const bool is_quotient = division.is(ExprKind::kFloorDiv);
  if (rest.hi == 0) {  // the remainder stays as it is
    if (!is_quotient || k == 0) return {};
    return {.kind = Kind::kStepped,
            .amount = division.context().constant(k),
            .range = Interval::point(k)};
  }
  const Counter& counter = this->counter(division, dividend, whole);
  const Expr carry = floor_div(counter.variable + counter.amount, n);
  Change change = {.kind = Kind::kStepped,
                   .amount = carry + k,
                   .range = {k, k + 1},
                   .has_counter = true,
                   .has_dear_counter = dividend.has_dear_counter ||
                                       !std::has_single_bit(static_cast<std::uint64_t>(n))};
  if (!is_quotient) {
    change.amount = counter.amount - carry * n;
    change.range = Interval{rest.lo - n, rest.hi};
  }
  return change;
}

// That of the division's remainder, for a multiple `whole` of the divisor.
const Counter& LoopChanges::counter(Expr division, const Change& dividend, std::int64_t whole) {
  const std::int64_t n = division.divisor().value();
  const auto is_this = [&](const Counter& counter) {
    return counter.n == n && counter.dividend == division.dividend();
  };
  const auto known = std::ranges::find_if(counters_, is_this);
  if (known != counters_.end()) return *known;
  const auto number = first_counter_ + static_cast<std::uint32_t>(counters_.size());
  counters_.push_back({.dividend = division.dividend(),
                       .n = n,
                       .variable = division.context().runtime(number),
                       .amount = dividend.amount - whole});
  return counters_.back();
}

}  // namespace mercator::internal
