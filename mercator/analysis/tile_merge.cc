#include "mercator/analysis/tile_merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mercator/analysis/tile_constraints.h"
#include "mercator/analysis/tile_cuts.h"
#include "mercator/analysis/tile_digits.h"
#include "mercator/analysis/tile_separation.h"

namespace mercator::internal {
namespace {

// In which sums, and how often for each time in the first.
using Signature = std::vector<std::pair<std::uint32_t, std::int64_t>>;

// The sum of some variables of one signature, each times its factor.
class VariableSum {
 public:
  VariableSum(const TileState& state, const std::vector<std::size_t>& group,
              const std::vector<std::int64_t>& factors)
      : state_(state), group_(group) {
    // Their common factor is kept apart: it may cancel.
    std::int64_t common = 0;
    for (const std::size_t i : group) common = std::gcd(common, factors[i]);
    Expr sum = state.assumptions().constant(0);
    std::vector<std::string> names;
    for (const std::size_t i : group) {
      const std::int64_t factor = factors[i] / common;
      terms_.push_back(scaled(state.values(i), factor, state.assumptions().constant(0)));
      sum = sum + state.variable(i) * factor;
      names.push_back(state.name(i));
    }
    first_factor_ = factors[group.front()] / common;
    within_ = state.assumptions().range(sum);
    name_ = fmt::format("{}", fmt::join(names, " and "));
  }

  [[nodiscard]] const std::vector<Progression>& terms() const { return terms_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  // A new variable takes the place of the sum. The first of the group stands for all, with its
  // coefficient divided by its factor.
  void put(TileState& after, const std::vector<Progression>& values) const {
    const Expr whole = after.add_variable(values.front(), name_, within_);
    const Expr first = state_.variable(group_.front());
    after.rewrite_roots([&](Expr old, std::span<const Expr> operands) {
      if (!old.is(ExprKind::kSum)) return Expr();
      std::vector<Term> kept;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::int64_t coefficient = old.coefficients()[i];
        const bool is_member = std::ranges::any_of(
            group_, [&](std::size_t j) { return old.operands()[i] == state_.variable(j); });
        if (!is_member) {
          kept.push_back({operands[i], coefficient});
        } else if (old.operands()[i] == first) {
          kept.push_back({whole, coefficient / first_factor_});
        }
      }
      return whole.context().sum(kept, old.constant());
    });
  }

 private:
  const TileState& state_;
  const std::vector<std::size_t>& group_;
  std::vector<Progression> terms_;
  std::int64_t first_factor_ = 1;
  Interval within_;
  std::string name_;
};

// The sums of the terms of each stride.
std::vector<Progression> by_stride(Assumptions& assumptions, std::span<const Progression> terms) {
  std::vector<Progression> sums;
  for (const Progression& term : terms) {
    const Expr stride = assumptions.simplify(term.stride);
    const auto same = std::ranges::find(sums, stride, &Progression::stride);
    if (same == sums.end()) {
      sums.push_back({term.offset, term.size, stride});
    } else {
      same->offset = same->offset + term.offset;
      same->size = same->size + term.size - 1;
    }
  }
  return sums;
}

// What the constraints on a variable leave of it, if they are all there is of it but for one
// result.
std::optional<SymbolicRange> range_of_result(const TileState& state, std::size_t index) {
  const VariableUses uses = uses_of(state.roots(), state.variable_count())[index];
  if (uses.count() != uses.roots.size()) return std::nullopt;
  SymbolicRange all;
  std::size_t results = 0;
  for (const RootUse& use : uses.roots) {
    if (state.is_result(use.root)) ++results;
    if (!state.is_constraint(use.root)) continue;
    const auto [lo, hi] = range_left(use, state.range(use.root));
    if (lo) all.lo = all.lo ? max(all.lo, lo) : lo;
    if (hi) all.hi = all.hi ? min(all.hi, hi) : hi;
  }
  return results == 1 && (all.lo || all.hi) ? std::optional(all) : std::nullopt;
}

// Adds what the constraints leave of a sum that is not evenly spaced; whether these are all cases.
// `whole` has the sum as its last variable.
template <class Put>
bool add_rows(const TileState& state, std::span<const Progression> terms, const TileState& whole,
              const Put& put, TileBranches& next) {
  Assumptions& assumptions = state.assumptions();
  const std::vector<Progression> sums = by_stride(assumptions, terms);
  const std::optional<SymbolicRange> left = range_of_result(whole, state.variable_count());
  if (sums.size() != 2 || !left) return false;
  const bool is_first_lower = assumptions.always(sums[0].stride, Interval::point(1));
  const Progression& lower = is_first_lower ? sums[0] : sums[1];
  const Progression& upper = is_first_lower ? sums[1] : sums[0];
  if (!assumptions.always(lower.stride, Interval::point(1))) return false;
  const ProgressionCases rows = clipped_rows(assumptions, upper, lower, left->lo, left->hi);
  for (TileState& after : branch(state, rows, put).states) next.add(std::move(after));
  return true;
}

// Adds what a constraint on these variables only leaves of them.
void add_cuts_of_group(const TileState& state, const std::vector<std::size_t>& group,
                       TileBranches& next) {
  for (const std::size_t root : state.constraints()) {
    const std::vector<std::uint32_t> used = ranges_in(state.roots()[root]);
    const bool is_of_group = std::ranges::all_of(
        used, [&](std::uint32_t i) { return std::ranges::find(group, i) != group.end(); });
    if (is_of_group) add_cuts(state, root, next);
  }
}

StepResult merge(const TileState& state, const std::vector<std::size_t>& group,
                 const std::vector<std::int64_t>& factors) {
  const VariableSum variable_sum(state, group, factors);
  const std::vector<Progression>& terms = variable_sum.terms();
  const auto put = [&](TileState& after, const std::vector<Progression>& values) {
    variable_sum.put(after, values);
  };
  const ProgressionCases rule = sum(state.assumptions(), terms);
  TileBranches next = branch(state, rule, put);
  if (is_complete(rule)) return next;
  next.reason = fmt::format("the sums of {} are not evenly spaced", variable_sum.name());
  const TileState whole = with_any_values(state, 1, put);
  next.is_complete = terms.size() <= kMaxExactTerms && whole.are_results(state.variable_count());
  // What constraints leave of them may be, and digits.
  if (add_rows(state, terms, whole, put, next)) next.is_complete = true;
  if (add_separations(state, group, next)) {
    next.is_complete = digits_must_be_product(whole, state.variable_count());
  }
  add_cuts_of_group(state, group, next);
  return next;
}

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

}  // namespace mercator::internal
