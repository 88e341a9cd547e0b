#include "mercator/analysis/tile_digits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mercator::internal {
namespace {

// The quotient by n, or the remainder, becomes a variable, of which all uses can be made.
StepResult shorten(const TileState& state, std::size_t index, const VariableUses& uses,
                   std::int64_t n, bool to_quotient) {
  const Progression whole = state.values(index, uses.digits.front().argument);
  const ProgressionCases rule = to_quotient ? quotient(state.assumptions(), whole, n)
                                            : remainder(state.assumptions(), whole, n);
  const std::string& name = state.name(index);
  const Expr argument = uses.digits.front().argument.expr;
  const Interval within =
      to_quotient ? state.assumptions().range(floor_div(argument, n)) : Interval::indices(n);
  const auto put = [&](TileState& after, const std::vector<Progression>& values) {
    const Expr rest = after.add_variable(values.front(), name, within);
    after.rewrite_roots([&](Expr old, std::span<const Expr>) {
      for (const DigitUse& use : uses.digits) {
        if (use.node != old) continue;
        if (to_quotient) return floor_div(rest, use.divisor / n);
        if (use.divisor == n) return rest;
        return use.is_quotient ? floor_div(rest, use.divisor) : mod(rest, use.divisor);
      }
      return Expr();
    });
  };
  TileBranches next = branch(state, rule, put);
  if (!is_complete(rule)) {
    next.reason = fmt::format("the {} of {} by {} are not evenly spaced",
                              to_quotient ? "quotients" : "remainders", name, n);
    // All sets of remainders by 3 are progressions.
    next.is_complete = (!to_quotient && n <= 3) || must_be_product(state, 1, 0, put);
  }
  return next;
}

// Variables for the digits between `divisors`, and what the uses are in terms of these.
class Digits {
 public:
  Digits(TileState& state, std::span<const std::int64_t> divisors,
         const std::vector<Progression>& values, Expr argument, const std::string& name)
      : divisors_(divisors), zero_(state.assumptions().constant(0)) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Interval within = i < divisors.size()
                                  ? Interval::indices(divisors[i] / weight(i))
                                  : state.assumptions().range(floor_div(argument, weight(i)));
      digits_.push_back(state.add_variable(values[i], name, within));
    }
  }

  [[nodiscard]] Expr all() const { return number(0, digits_.size(), 1); }
  [[nodiscard]] Expr operator()(const DigitUse& use) const {
    const auto at = std::ranges::find(divisors_, use.divisor);
    const auto place = static_cast<std::size_t>(at - divisors_.begin()) + 1;
    return use.is_quotient ? number(place, digits_.size(), use.divisor) : number(0, place, 1);
  }

 private:
  [[nodiscard]] std::int64_t weight(std::size_t i) const { return i == 0 ? 1 : divisors_[i - 1]; }
  // The sum of some digits, in units of `unit`.
  [[nodiscard]] Expr number(std::size_t begin, std::size_t end, std::int64_t unit) const {
    Expr sum = zero_;
    for (std::size_t i = begin; i < end; ++i) sum = sum + digits_[i] * (weight(i) / unit);
    return sum;
  }

  std::span<const std::int64_t> divisors_;
  Expr zero_;
  std::vector<Expr> digits_;
};

// How all uses of a variable are digits of one linear argument.
struct DigitPlan {
  LinearArgument argument;
  std::vector<std::int64_t> divisors;
  // Of the digits between the divisors. Those below all quotients, or above all remainders, are
  // not, unless the variable is needed itself.
  std::vector<bool> is_used;
};

std::optional<DigitPlan> digit_plan(const VariableUses& uses) {
  if (uses.is_opaque || uses.digits.empty()) return std::nullopt;
  const LinearArgument& argument = uses.digits.front().argument;
  if (uses.is_plain() && !is_unit(argument.factor)) return std::nullopt;
  for (const DigitUse& use : uses.digits) {
    if (use.argument.expr != argument.expr) return std::nullopt;
  }
  std::vector<std::int64_t> divisors;
  for (const DigitUse& use : uses.digits) divisors.push_back(use.divisor);
  divisors = sorted_divisors(std::move(divisors));
  if (!is_chain(divisors)) return std::nullopt;
  std::vector<bool> is_used(divisors.size() + 1, uses.is_plain());
  for (const DigitUse& use : uses.digits) {
    for (std::size_t i = 0; i < is_used.size(); ++i) {
      const bool is_above = i > 0 && divisors[i - 1] >= use.divisor;
      if (is_above == use.is_quotient) is_used[i] = true;
    }
  }
  return DigitPlan{argument, divisors, is_used};
}

// Digits of these values take the place of the variable.
void put_digits(TileState& state, std::size_t index, const VariableUses& uses,
                const DigitPlan& plan, const std::vector<Progression>& values) {
  // A copy, since variables move as others are added.
  const std::string name = state.name(index);
  const Digits in_digits(state, plan.divisors, values, plan.argument.expr, name);
  state.rewrite_roots([&](Expr old, std::span<const Expr>) {
    const auto use = std::ranges::find(uses.digits, old, &DigitUse::node);
    return use == uses.digits.end() ? Expr() : in_digits(*use);
  });
  const auto& [expr, factor, rest] = plan.argument;
  state.replace_variable(index, (in_digits.all() - rest) * factor);
}

// Whether the elements are a tile only if the digits are a product, where so many of them may occur
// in sums with what no other result says.
bool must_be_product(const TileState& state, std::size_t index, const VariableUses& uses,
                     const DigitPlan& plan, std::size_t in_sums) {
  const auto is_one = [](bool used) { return used; };
  return std::ranges::all_of(plan.is_used, is_one) &&
         must_be_product(state, plan.is_used.size(), in_sums,
                         [&](TileState& after, const std::vector<Progression>& values) {
                           put_digits(after, index, uses, plan, values);
                         });
}

}  // namespace

bool digits_must_be_product(const TileState& state, std::size_t index) {
  const VariableUses uses = uses_of(state.roots(), state.variable_count())[index];
  const std::optional<DigitPlan> plan = digit_plan(uses);
  return plan && must_be_product(state, index, uses, *plan, 0);
}

StepResult divide(const TileState& state, std::size_t index, const VariableUses& uses) {
  if (uses.is_opaque || uses.is_plain() || uses.digits.size() != 1) return std::nullopt;
  const DigitUse& use = uses.digits.front();
  return shorten(state, index, uses, use.divisor, use.is_quotient);
}

StepResult split(const TileState& state, std::size_t index, const VariableUses& uses) {
  const std::optional<DigitPlan> plan = digit_plan(uses);
  if (!plan) return std::nullopt;
  const auto& [argument, divisors, is_used] = *plan;
  // What no use has is not there.
  if (!is_used.back()) return shorten(state, index, uses, divisors.back(), false);
  if (!is_used.front()) return shorten(state, index, uses, divisors.front(), true);
  const ProgressionCases rule =
      digits(state.assumptions(), state.values(index, argument), divisors, is_used);
  TileBranches next =
      branch(state, rule, [&](TileState& after, const std::vector<Progression>& values) {
        put_digits(after, index, uses, *plan, values);
      });
  if (!is_complete(rule)) {
    next.reason = fmt::format("{} is split by {} within the tile", state.name(index),
                              fmt::join(divisors, ", "));
    // In each row of what the other digits say, the values of one are a progression of the same
    // stride, and its sums with anything have the same ends only if these have.
    next.is_complete = must_be_product(state, index, uses, *plan, 1);
  }
  return next;
}

}  // namespace mercator::internal
