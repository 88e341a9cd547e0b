#include "mercator/analysis/tile_separation.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "mercator/analysis/progression.h"
#include "mercator/analysis/tile_uses.h"
#include "mercator/expr/traversal.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

// More have too many cases.
constexpr std::size_t kMaxTerms = 3;

// (of floordiv step) mod count, where no count is no remainder.
struct Digit {
  Expr of;
  std::int64_t step = 1;
  std::optional<std::int64_t> count;
};

bool divides_by_number(Expr node, ExprKind kind) {
  return node.is(kind) && node.divisor().is(ExprKind::kConstant) && node.divisor().value() >= 1;
}

std::optional<Digit> as_digit(Expr node) {
  Digit digit = {.of = node, .step = 1, .count = std::nullopt};
  if (divides_by_number(node, ExprKind::kMod)) {
    digit.count = node.divisor().value();
    digit.of = node.dividend();
  }
  if (divides_by_number(digit.of, ExprKind::kFloorDiv)) {
    digit.step = digit.of.divisor().value();
    digit.of = digit.of.dividend();
  }
  if (digit.of == node) return std::nullopt;
  return digit;
}

// For which c the sum is c * part + other terms, c > 0.
std::optional<std::int64_t> times(Expr part, Expr sum) {
  const bool is_sum = part.is(ExprKind::kSum);
  const Expr term = is_sum ? part.operands().front() : part;
  const std::int64_t one = is_sum ? part.coefficients().front() : 1;
  const std::int64_t all = coefficient_of(term, sum);
  if (all == Interval::kMinusInfinity || all == 0 || all % one != 0 || all / one < 1) {
    return std::nullopt;
  }
  return all / one;
}

// Whether sum = c * digit.of + upper + lower, where the upper terms are multiples of what the digit
// is taken modulo, times c, and the lower ones together less than c.
bool is_digit_of(Expr sum, const Digit& digit, std::int64_t c, Assumptions& assumptions) {
  Expr lower = sum - digit.of * c;
  if (digit.count && lower.is(ExprKind::kSum)) {
    std::int64_t period = 0;
    if (!checked_mul(c, digit.step, &period) || !checked_mul(period, *digit.count, &period)) {
      return false;
    }
    std::vector<Term> kept;
    for (std::size_t i = 0; i < lower.operands().size(); ++i) {
      const std::int64_t coefficient = lower.coefficients()[i];
      if (coefficient % period != 0) kept.push_back({lower.operands()[i], coefficient});
    }
    lower = sum.context().sum(kept, floor_mod(lower.constant(), period));
  }
  return assumptions.always(lower, Interval::indices(c));
}

// A digit of part of a sum as a digit of the sum; null if it is none.
Expr as_digit_of(Expr sum, Expr node, Assumptions& assumptions) {
  const std::optional<Digit> digit = as_digit(node);
  if (!digit || digit->of == sum || !has_ranges(digit->of)) return Expr();
  for (const std::int64_t c : {std::int64_t{1}, times(digit->of, sum).value_or(1)}) {
    std::int64_t step = 0;
    if (!checked_mul(c, digit->step, &step) || !is_digit_of(sum, *digit, c, assumptions)) continue;
    const Expr quotient = floor_div(sum, step);
    return digit->count ? mod(quotient, *digit->count) : quotient;
  }
  return Expr();
}

// `roots` with all digits of parts of `sum` as digits of that; none if its variables occur in
// another way as well, or there are no such digits.
std::optional<std::vector<Expr>> with_digits_of(Expr sum, std::span<const Expr> roots,
                                                Assumptions& assumptions) {
  bool is_changed = false;
  std::vector<Expr> lifted(roots.begin(), roots.end());
  rewrite(lifted, [&](Expr old, std::span<const Expr>) {
    const Expr digit = as_digit_of(sum, old, assumptions);
    is_changed = is_changed || digit;
    return digit;
  });
  if (!is_changed) return std::nullopt;
  std::vector<Expr> others = lifted;
  rewrite(others, [&](Expr old, std::span<const Expr>) {
    return old == sum ? sum.context().constant(0) : Expr();
  });
  const std::vector<std::uint32_t> variables = ranges_in(sum);
  const bool occur_elsewhere = std::ranges::any_of(others, [&](Expr root) {
    return std::ranges::any_of(
        ranges_in(root), [&](std::uint32_t i) { return std::ranges::binary_search(variables, i); });
  });
  return occur_elsewhere ? std::nullopt : std::optional(std::move(lifted));
}

struct SumDigit {
  Expr node;
  bool is_quotient = false;
  std::int64_t divisor = 1;
};

// The quotients and remainders of a sum; none if it occurs in another way as well.
std::optional<std::vector<SumDigit>> digits_of(std::span<const Expr> roots, Expr sum) {
  std::vector<SumDigit> digits;
  bool has_others = std::ranges::find(roots, sum) != roots.end();
  for_each_node(roots, [&](Expr node) {
    if (std::ranges::find(node.operands(), sum) == node.operands().end()) return;
    const bool is_quotient = divides_by_number(node, ExprKind::kFloorDiv);
    if (is_quotient || divides_by_number(node, ExprKind::kMod)) {
      digits.push_back({node, is_quotient, node.divisor().value()});
    } else {
      has_others = true;
    }
  });
  if (has_others) return std::nullopt;
  return digits;
}

// One term, as what it adds to its least value: steps of `stride` times `factor`.
struct SumTerm {
  std::uint32_t variable = 0;
  std::int64_t factor = 1;
  Expr size;
  Expr stride;
  std::int64_t reach = 0;  // at least that of all its steps
};

class Separations {
 public:
  Separations(const TileState& state, Expr sum, const std::vector<SumDigit>& digits)
      : state_(state),
        sum_(sum),
        digits_(digits),
        least_(state.assumptions().constant(sum.constant())) {
    for (std::size_t i = 0; i < sum.operands().size(); ++i) {
      const Expr operand = sum.operands()[i];
      const std::int64_t coefficient = sum.coefficients()[i];
      if (!has_ranges(operand)) {
        least_ = least_ + operand * coefficient;
        continue;
      }
      const std::uint32_t variable = operand.variable().index;
      const Progression& values = state.values(variable);
      least_ = least_ + scaled(values, coefficient, constant(0)).offset;
      terms_.push_back({.variable = variable,
                        .factor = magnitude(coefficient),
                        .size = values.size,
                        .stride = values.stride,
                        .reach = state.reach(variable)});
    }
    std::ranges::stable_sort(terms_, std::ranges::greater(), &SumTerm::factor);
  }

  // Whether each term is larger than all lower ones together.
  [[nodiscard]] bool is_ordered() const {
    std::int64_t below = 0;
    for (auto term = terms_.rbegin(); term != terms_.rend(); ++term) {
      std::int64_t step = 0;
      std::int64_t reach = 0;
      const std::int64_t stride =
          std::max<std::int64_t>(1, state_.assumptions().range(term->stride).lo);
      if (!checked_mul(term->factor, stride, &step) || step <= below ||
          !checked_mul(term->factor, term->reach, &reach) || !checked_add(below, reach, &below)) {
        return false;
      }
    }
    return true;
  }

  // All quotients by n between the least and the greatest, where no step of the sum is larger.
  void pass_all(std::int64_t n, TileBranches& next) const {
    TileState after = state_;
    Expr below = constant(0);
    for (auto term = terms_.rbegin(); term != terms_.rend(); ++term) {
      const Expr step = term->stride * term->factor;
      if (!after.require(step - below, at_most(n))) return;
      below = below + (term->size - 1) * step;
    }
    const Expr first = floor_div(least_, n);
    const Expr all = after.add_variable(
        {first, floor_div(least_ + below, n) - first + 1, constant(1)},
        state_.name(terms_.back().variable), state_.assumptions().range(floor_div(sum_, n)));
    after.rewrite_roots([&](Expr old, std::span<const Expr>) {
      const auto digit = std::ranges::find(digits_, old, &SumDigit::node);
      return digit == digits_.end() ? Expr() : floor_div(all, digit->divisor / n);
    });
    next.add(std::move(after));
  }
  // The first `upper` terms above the others, at a multiple of n.
  void separate(std::size_t upper, std::int64_t n, TileBranches& next) const {
    Assumptions& assumptions = state_.assumptions();
    TileState after = state_;
    std::vector<SumTerm> upper_terms(terms_.begin(), terms_.begin() + upper);
    for (SumTerm& term : upper_terms) {
      if (term.factor % n == 0) {
        term.factor /= n;
        continue;
      }
      const Expr steps = term.stride * term.factor;
      if (!after.require(mod(steps, n), Interval::point(0))) return;
      term.stride = floor_div(steps, n);
      if (!checked_mul(term.reach, term.factor, &term.reach)) term.reach = Interval::kPlusInfinity;
      term.reach /= n;
      term.factor = 1;
    }
    const std::span<const SumTerm> lower_terms = std::span(terms_).subspan(upper);
    Expr most_below = mod(least_, n);
    for (const SumTerm& term : lower_terms) {
      most_below = most_below + (term.size - 1) * term.stride * term.factor;
    }
    if (!after.require(most_below, at_most(n - 1))) return;
    const Expr above = put(after, assumptions.simplify(floor_div(least_, n)), upper_terms,
                           assumptions.range(floor_div(sum_, n)));
    const Expr below =
        put(after, assumptions.simplify(mod(least_, n)), lower_terms, Interval::indices(n));
    after.rewrite_roots([&](Expr old, std::span<const Expr>) {
      // The highest digit of what is below n needs no remainder, which its terms alone do not tell.
      if (const std::optional<Digit> digit = as_digit(old);
          digit && digit->of == sum_ && n % digit->step == 0 && digit->count == n / digit->step) {
        return floor_div(below, digit->step);
      }
      const auto digit = std::ranges::find(digits_, old, &SumDigit::node);
      return digit == digits_.end() ? Expr() : separated(*digit, above, below, n);
    });
    next.add(std::move(after));
  }

 private:
  [[nodiscard]] Expr constant(std::int64_t value) const {
    return state_.assumptions().constant(value);
  }
  // What starts at `least` and has these terms. The lowest takes `least` in, so that the sum has no
  // constant that other expressions could take apart.
  Expr put(TileState& after, Expr least, std::span<const SumTerm> terms, Interval within) const {
    const auto& [variable, factor, size, stride, reach] = terms.back();
    std::int64_t steps = 0;
    if (!checked_mul(reach, factor, &steps)) steps = Interval::kPlusInfinity;
    Expr sum =
        after.add_variable({least, size, stride * factor}, state_.name(variable), within, steps);
    for (const SumTerm& term : terms.first(terms.size() - 1)) {
      const Progression values = {constant(0), term.size, term.stride};
      sum = sum +
            after.add_variable(values, state_.name(term.variable), {0, term.reach}) * term.factor;
    }
    return sum;
  }
  // A digit of above * n + below, where `below` is less than n.
  static Expr separated(const SumDigit& digit, Expr above, Expr below, std::int64_t n) {
    const std::int64_t d = digit.divisor;
    if (digit.is_quotient) {
      return d < n ? above * (n / d) + floor_div(below, d) : floor_div(above, d / n);
    }
    return d < n ? mod(below, d) : mod(above, d / n) * n + below;
  }

  const TileState& state_;
  Expr sum_;
  const std::vector<SumDigit>& digits_;
  Expr least_;
  std::vector<SumTerm> terms_;  // the largest factor first
};

}  // namespace

void lift_digits(std::vector<Expr>& roots, Assumptions& assumptions) {
  std::vector<Expr> sums;
  for_each_node(roots, [&](Expr node) {
    if (node.is(ExprKind::kFloorDiv) && node.dividend().is(ExprKind::kSum) &&
        std::ranges::find(sums, node.dividend()) == sums.end()) {
      sums.push_back(node.dividend());
    }
  });
  for (const Expr sum : sums) {
    if (!has_ranges(sum)) continue;
    if (auto lifted = with_digits_of(sum, roots, assumptions)) roots = *std::move(lifted);
  }
}

bool add_separations(const TileState& state, const std::vector<std::size_t>& group,
                     TileBranches& next) {
  if (group.size() > kMaxTerms) return false;
  const Expr first = state.variable(group.front());
  std::vector<Expr> sums;
  for_each_node(state.roots(), [&](Expr node) {
    const auto operands = node.operands();
    const bool is_sum = node.is(ExprKind::kSum);
    if (is_sum && std::ranges::find(operands, first) != operands.end()) sums.push_back(node);
  });
  if (sums.size() != 1 || ranges_in(sums.front()).size() != group.size()) return false;
  const Expr sum = sums.front();
  const auto digits = digits_of(state.roots(), sum);
  if (!digits) return false;
  std::vector<std::int64_t> divisors;
  for (const SumDigit& digit : *digits) divisors.push_back(digit.divisor);
  divisors = sorted_divisors(std::move(divisors));
  if (!is_chain(divisors)) return false;
  const Separations separations(state, sum, *digits);
  const auto is_quotient = [](const SumDigit& digit) { return digit.is_quotient; };
  if (std::ranges::all_of(*digits, is_quotient)) separations.pass_all(divisors.front(), next);
  for (std::size_t upper = 1; upper < group.size(); ++upper) {
    for (const std::int64_t n : divisors) separations.separate(upper, n, next);
  }
  // A single term may be on either side.
  if (group.size() > 2) {
    for (const std::size_t i : group) next.add_single(state, i);
  }
  return separations.is_ordered();
}

}  // namespace mercator::internal
