#include "mercator/analysis/tile_terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "mercator/analysis/tile_cuts.h"

namespace mercator::internal {
namespace {

// In which sums, and how often for each time in the first.
using Signature = std::vector<std::pair<std::uint32_t, std::int64_t>>;

// Variables of one signature become one: the sum of them, each times its factor.
StepResult merge(const TileState& state, const std::vector<std::size_t>& group,
                 const std::vector<std::int64_t>& factors) {
  Assumptions& assumptions = state.assumptions();
  std::vector<Progression> terms;
  std::vector<std::string> names;
  // Their common factor is kept apart: it may cancel.
  std::int64_t common = 0;
  for (const std::size_t i : group) common = std::gcd(common, factors[i]);
  for (const std::size_t i : group) {
    terms.push_back(scaled(state.values(i), factors[i] / common, assumptions.constant(0)));
    names.push_back(state.name(i));
  }
  const ProgressionCases rule = sum(assumptions, terms);
  const std::string name = fmt::format("{}", fmt::join(names, " and "));
  const Expr first = state.variable(group.front());
  const std::int64_t factor = factors[group.front()] / common;
  TileBranches next =
      branch(state, rule, [&](TileState& after, const std::vector<Progression>& values) {
        const Expr whole = after.add_variable(values.front(), name);
        // The first one takes the place of all, with its coefficient divided by its factor.
        after.rewrite_roots([&](Expr old, std::span<const Expr> operands) {
          if (!old.is(ExprKind::kSum)) return Expr();
          std::vector<Term> kept;
          for (std::size_t i = 0; i < operands.size(); ++i) {
            const std::int64_t coefficient = old.coefficients()[i];
            const bool is_member = std::ranges::any_of(
                group, [&](std::size_t j) { return old.operands()[i] == state.variable(j); });
            if (!is_member) {
              kept.push_back({operands[i], coefficient});
            } else if (old.operands()[i] == first) {
              kept.push_back({whole, coefficient / factor});
            }
          }
          return assumptions.context().sum(kept, old.constant());
        });
      });
  if (is_complete(rule)) return next;
  next.reason = fmt::format("the sums of {} are not evenly spaced", name);
  // Those that a constraint leaves may be.
  for (const std::size_t root : state.constraints()) {
    if (!can_cut(state, root)) continue;
    const std::vector<std::uint32_t> used = ranges_in(state.roots()[root]);
    const bool is_of_group = std::ranges::all_of(
        used, [&](std::uint32_t i) { return std::ranges::find(group, i) != group.end(); });
    if (is_of_group) add_cuts(state, root, next);
  }
  return next;
}

// The quotient by n, or the remainder, becomes a variable, of which all uses can be made.
StepResult shorten(const TileState& state, std::size_t index, const VariableUses& uses,
                   std::int64_t n, bool to_quotient) {
  const Progression whole = state.values(index, uses.digits.front().argument);
  const ProgressionCases rule = to_quotient ? quotient(state.assumptions(), whole, n)
                                            : remainder(state.assumptions(), whole, n);
  const std::string& name = state.name(index);
  TileBranches next =
      branch(state, rule, [&](TileState& after, const std::vector<Progression>& values) {
        const Expr rest = after.add_variable(values.front(), name);
        after.rewrite_roots([&](Expr old, std::span<const Expr>) {
          for (const DigitUse& use : uses.digits) {
            if (use.node != old) continue;
            if (to_quotient) return floor_div(rest, use.divisor / n);
            if (use.divisor == n) return rest;
            return use.is_quotient ? floor_div(rest, use.divisor) : mod(rest, use.divisor);
          }
          return Expr();
        });
      });
  if (!is_complete(rule)) {
    next.reason = fmt::format("the {} of {} by {} are not evenly spaced",
                              to_quotient ? "quotients" : "remainders", name, n);
  }
  return next;
}

// The divisors of the uses, ascending.
std::vector<std::int64_t> divisors_of(const VariableUses& uses) {
  std::vector<std::int64_t> divisors;
  for (const DigitUse& use : uses.digits) divisors.push_back(use.divisor);
  std::ranges::sort(divisors);
  const auto repeated = std::ranges::unique(divisors);
  divisors.erase(repeated.begin(), repeated.end());
  return divisors;
}

// Variables for the digits between `divisors`, and what the uses are in terms of these.
class Digits {
 public:
  Digits(TileState& state, std::span<const std::int64_t> divisors,
         const std::vector<Progression>& values, const std::string& name)
      : divisors_(divisors), zero_(state.assumptions().constant(0)) {
    for (const Progression& value : values) digits_.push_back(state.add_variable(value, name));
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

}  // namespace

StepResult merge(const TileState& state, std::span<const VariableUses> uses) {
  std::vector<Signature> signatures(uses.size());
  std::vector<std::int64_t> factors(uses.size(), 1);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const VariableUses& use = uses[i];
    if (use.sums.empty() || !use.is_in_sums_only()) continue;
    std::int64_t common = 0;
    for (const SumUse& sum : use.sums) common = std::gcd(common, sum.coefficient);
    if (use.sums.front().coefficient < 0) common = -common;
    factors[i] = common;
    for (const SumUse& sum : use.sums) {
      signatures[i].emplace_back(sum.sum.id(), sum.coefficient / common);
    }
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (signatures[i].empty()) continue;
    std::vector<std::size_t> group;
    for (std::size_t j = i; j < uses.size(); ++j) {
      if (signatures[j] == signatures[i]) group.push_back(j);
    }
    if (group.size() > 1) return merge(state, group, factors);
  }
  return std::nullopt;
}

StepResult divide(const TileState& state, std::size_t index, const VariableUses& uses) {
  if (uses.is_opaque || uses.is_plain() || uses.digits.size() != 1) return std::nullopt;
  const DigitUse& use = uses.digits.front();
  return shorten(state, index, uses, use.divisor, use.is_quotient);
}

StepResult split(const TileState& state, std::size_t index, const VariableUses& uses) {
  if (uses.is_opaque || uses.digits.empty()) return std::nullopt;
  const LinearArgument& argument = uses.digits.front().argument;
  if (uses.is_plain() && !is_unit(argument.factor)) return std::nullopt;
  for (const DigitUse& use : uses.digits) {
    if (use.argument.expr != argument.expr) return std::nullopt;
  }
  const std::vector<std::int64_t> divisors = divisors_of(uses);
  for (std::size_t i = 1; i < divisors.size(); ++i) {
    if (divisors[i] % divisors[i - 1] != 0) return std::nullopt;
  }
  // What no use has is not there: digits below all quotients, or above all remainders.
  std::vector<bool> is_used(divisors.size() + 1, uses.is_plain());
  for (const DigitUse& use : uses.digits) {
    for (std::size_t i = 0; i < is_used.size(); ++i) {
      const bool is_above = i > 0 && divisors[i - 1] >= use.divisor;
      if (is_above == use.is_quotient) is_used[i] = true;
    }
  }
  if (!is_used.back()) return shorten(state, index, uses, divisors.back(), false);
  if (!is_used.front()) return shorten(state, index, uses, divisors.front(), true);
  const ProgressionCases rule =
      digits(state.assumptions(), state.values(index, argument), divisors, is_used);
  TileBranches next =
      branch(state, rule, [&](TileState& after, const std::vector<Progression>& values) {
        const Digits in_digits(after, divisors, values, state.name(index));
        after.rewrite_roots([&](Expr old, std::span<const Expr>) {
          const auto use = std::ranges::find(uses.digits, old, &DigitUse::node);
          return use == uses.digits.end() ? Expr() : in_digits(*use);
        });
        after.replace_variable(index, (in_digits.all() - argument.rest) * argument.factor);
      });
  if (!is_complete(rule)) {
    next.reason = fmt::format("{} is split by {} within the tile", state.name(index),
                              fmt::join(divisors, ", "));
  }
  return next;
}

}  // namespace mercator::internal
