#include "mercator/expr/simplifier.h"

#include <algorithm>

#include "mercator/expr/normal_form.h"
#include "mercator/expr/presentation.h"
#include "mercator/expr/rebuild.h"
#include "mercator/expr/shared_dividends.h"
#include "mercator/expr/traversal.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

// Deeper expressions are left as they are, since the simplifier calls itself for subexpressions.
// Those that are read from text are not as deep.
constexpr std::uint32_t kMaxDepth = 1000;
// Every pass is cheaper than the last or the end of it; no expression is known that needs a third.
constexpr std::size_t kMaxPasses = 8;
// Real index expressions take a few hundred steps; those that would take more than this many (about
// ten milliseconds) are left as they are, so that no expression takes long.
constexpr std::int64_t kMaxSteps = 100'000;
// Long sums take more: so many steps for each operand that is written.
constexpr double kStepsPerOperand = 64;
constexpr double kMaxOperands = 1e6;

std::int64_t step_limit(Expr expr) {
  return kMaxSteps +
         static_cast<std::int64_t>(kStepsPerOperand * std::min(expr.written_size(), kMaxOperands));
}

// Of a division in ExprCost::weight.
constexpr std::int64_t kDivisionWeight = 20;

// No result may be written much longer than what it stands for.
double largest_written_size(Expr expr) { return 2 * expr.written_size() + 16; }

}  // namespace

std::span<const SimplifierRule> simplifier_rules() { return internal::rule_descriptions(); }

struct Simplifier::Impl {
  internal::NormalForm normal_form;
  internal::Presentation presentation{normal_form};
  bool was_exhausted = false;
  bool needs_another_look = false;  // at what `compute` returned

  Expr simplify(Expr expr);
  void simplify_together(std::span<Expr> exprs);
  // The same as a part of an expression that is being simplified, within its budget.
  Expr simplify_part(Expr expr);
  Expr compute(Expr expr);
  Expr cheapest_form(Expr expr);
  Expr with_simple_operands(Expr expr);
  Expr best_of_circle(std::span<const Expr> circle);
};

Simplifier::Simplifier() : impl_(std::make_unique<Impl>()) {}
Simplifier::~Simplifier() = default;
Simplifier::Simplifier(Simplifier&&) noexcept = default;
Simplifier& Simplifier::operator=(Simplifier&&) noexcept = default;

void Simplifier::set_bounds(const VariableBounds& bounds) { impl_->normal_form.set_bounds(bounds); }

void Simplifier::assume(Expr expr, Interval range) {
  if (expr.depth() > kMaxDepth) return;
  impl_->normal_form.start_work(expr.context(), kMaxSteps);
  impl_->normal_form.assume(expr, range);
}

void Simplifier::assume_on_grid(Expr expr, std::int64_t modulus, std::int64_t residue) {
  if (expr.depth() > kMaxDepth) return;
  impl_->normal_form.start_work(expr.context(), kMaxSteps);
  impl_->normal_form.assume_on_grid(expr, modulus, residue);
}

bool Simplifier::is_within(Expr fact, Expr expr) {
  if (std::max(fact.depth(), expr.depth()) > kMaxDepth) return false;
  internal::NormalForm& normal_form = impl_->normal_form;
  normal_form.start_work(expr.context(), kMaxSteps);
  const Expr normal_fact = normal_form.normalize(fact);
  const internal::SumView terms(normal_fact);
  const Expr normal = normal_form.normalize(expr);
  return any_node({&normal, 1}, [&](Expr node) {
    const internal::SumView sum(node);
    return std::ranges::all_of(terms.operands,
                               [&](Expr term) { return sum.coefficient_of(term) != 0; });
  });
}

Interval Simplifier::range(Expr expr) {
  if (expr.depth() > kMaxDepth) return Interval::all();
  internal::NormalForm& normal_form = impl_->normal_form;
  normal_form.start_work(expr.context(), kMaxSteps);
  const Expr normal = normal_form.normalize(expr);
  const Interval range = normal_form.range(normal);
  // The normal form may have lost what the expression shows.
  return normal == expr ? range : intersect(range, normal_form.range(expr));
}

Expr Simplifier::simplify(Expr expr) { return impl_->simplify(expr); }

void Simplifier::simplify(std::span<Expr> exprs) { impl_->simplify_together(exprs); }

std::span<const std::uint64_t> Simplifier::rule_counts() const {
  return impl_->normal_form.log().counts();
}

void Simplifier::set_listener(const StepListener* listener) {
  impl_->normal_form.log().set_listener(listener);
}

bool Simplifier::was_budget_exhausted() const { return impl_->was_exhausted; }

Expr Simplifier::Impl::simplify(Expr expr) {
  normal_form.start_work(expr.context(), step_limit(expr));
  was_exhausted = expr.depth() > kMaxDepth;
  if (was_exhausted) return expr;
  const Expr result = simplify_part(expr);
  was_exhausted = normal_form.is_exhausted();
  return result;
}

namespace {

// Whether `exprs` cost together, for certain, no more than `before`: whether that can be told
// quickly.
bool cost_no_more(std::span<const Expr> exprs, std::span<const Expr> before) {
  std::int64_t most = 0;
  for (const Expr expr : exprs) {
    if (!expr.is_tree()) return false;
    most += expr.tree_weight();
  }
  // Each is compared with each.
  constexpr std::size_t kFew = 16;
  if (before.size() > kFew) return false;
  // At least one of `before` alone; and the last operations of the deepest, none of which is within
  // another, with one of their operands. An offset that is added last costs nothing.
  std::uint32_t depth = 0;
  for (const Expr expr : before) {
    if (expr.is_tree() && most < expr.tree_weight()) return true;
    depth = std::max(depth, expr.depth());
  }
  std::int64_t last_operations = 0;
  std::int64_t largest_operand = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Expr expr = before[i];
    if (expr.is(ExprKind::kSum) && expr.constant() != 0) --last_operations;
    const std::span<const Expr> seen = before.first(i);
    if (expr.depth() != depth || std::ranges::find(seen, expr) != seen.end()) continue;
    last_operations += expr.operation_weight();
    for (const Expr operand : expr.operands()) {
      if (operand.is_tree()) largest_operand = std::max(largest_operand, operand.tree_weight());
    }
  }
  return most <= last_operations + largest_operand;
}

}  // namespace

void Simplifier::Impl::simplify_together(std::span<Expr> exprs) {
  const InlineVector<Expr, 8> before{std::span<const Expr>(exprs)};
  std::size_t others = 0;  // that are not affine
  for (Expr& expr : exprs) {
    expr = simplify(expr);
    if (!expr.is_affine()) ++others;
  }
  if (others == 0 || exprs.size() < 2) return;
  const internal::SharedDividends sharing(exprs);
  const bool may_share = !sharing.replacements().empty();
  if (!may_share && cost_no_more(exprs, before)) return;
  std::int64_t best = normal_form.weight(exprs);
  if (may_share) {
    InlineVector<Expr, 8> shared;
    for (const Expr expr : exprs) shared.push_back(sharing.rebuilt(expr));
    const std::int64_t weight = normal_form.weight(shared);
    if (weight < best) {
      for (const auto& [remainder, after] : sharing.replacements()) {
        normal_form.log().count(internal::Rule::kSharedDividend);
        normal_form.log().report(internal::Rule::kSharedDividend, remainder, after, {});
      }
      std::ranges::copy(shared, exprs.begin());
      best = weight;
    }
  }
  // What had parts in common may be worth more than what is simplest alone.
  const std::int64_t weight_before = normal_form.weight(before);
  if (best <= weight_before) return;
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    const Expr simplified = std::exchange(exprs[i], before[i]);
    const std::int64_t weight = normal_form.weight(exprs);
    if (weight < best) {
      best = weight;
    } else {
      exprs[i] = simplified;
    }
  }
  if (best > weight_before) std::ranges::copy(before, exprs.begin());
}

Expr Simplifier::Impl::simplify_part(Expr expr) {
  if (expr.is_affine()) return normal_form.normalize(expr);
  if (const Expr known = normal_form.record(expr).simplified) return known;
  Expr result = compute(expr);
  // What was left together may give way once more; each time it costs less.
  for (Expr last = expr; !(result == last) && needs_another_look;) {
    last = result;
    result = compute(last);
  }
  normal_form.record(expr).simplified = result;
  if (!result.is_affine()) normal_form.record(result).simplified = result;
  return result;
}

Expr Simplifier::Impl::compute(Expr expr) {
  needs_another_look = false;
  const Expr best = cheapest_form(expr);
  if (normal_form.is_exhausted()) return expr;
  if (best == expr || best.is_affine()) return best;
  const std::int64_t weight = normal_form.weight(expr);
  const std::int64_t best_weight = normal_form.weight(best);
  const auto is_short = [&](Expr candidate) {
    return candidate.written_size() <= largest_written_size(expr);
  };
  // The normal form takes expressions apart further than may be good for them.
  if (best_weight >= 2 * kDivisionWeight || !is_short(best)) {
    const Expr other = with_simple_operands(expr);
    const std::int64_t other_weight = normal_form.weight(other);
    if (normal_form.is_exhausted()) return expr;
    if (is_short(other) && (other_weight < best_weight || !is_short(best)) &&
        (other == expr || other_weight < weight)) {
      needs_another_look = true;
      return other;
    }
  }
  needs_another_look = false;
  return is_short(best) && best_weight <= weight ? best : expr;
}

Expr Simplifier::Impl::with_simple_operands(Expr expr) {
  InlineVector<Expr, 8> operands;
  for (const Expr operand : expr.operands()) operands.push_back(simplify_part(operand));
  const Expr result = internal::with_operands(expr, operands);
  if (!expr.is(ExprKind::kMod) || !internal::is_constant_remainder(result)) return result;
  // Of the dividend only the remainder matters.
  const Expr other =
      presentation.present_remainder({.coefficient = 1,
                                      .dividend = normal_form.normalize(result.dividend()),
                                      .divisor = result.divisor()});
  return normal_form.weight(other) < normal_form.weight(result) ? other : result;
}

// Passes until nothing changes.
Expr Simplifier::Impl::cheapest_form(Expr expr) {
  InlineVector<Expr, kMaxPasses + 1> passes = {expr};
  Expr last_normal;
  while (true) {
    const Expr normal = normal_form.normalize(passes.back());
    const Interval range =
        normal_form.has_more_than_one_value(normal) ? Interval::all() : normal_form.range(normal);
    if (range.is_point()) {
      normal_form.log().count(internal::Rule::kOneValue);
      const Expr value = normal_form.context().constant(range.lo);
      const KnownRange known = {normal, range};
      normal_form.log().report(internal::Rule::kOneValue, normal, value, {&known, 1});
      return value;
    }
    // The same normal form again: nothing can change.
    if (normal == last_normal) return passes.back();
    const Expr next = presentation.present(normal);
    if (normal_form.is_exhausted()) return expr;
    const Expr* const seen = std::ranges::find(passes, next);
    if (seen != passes.end()) return best_of_circle({seen, passes.end()});
    // It would come back to the same normal form, unless residues are known, which say more of some
    // forms than of others.
    const bool is_stable = next == normal || presentation.was_exact();
    if (is_stable && normal_form.facts().residues.empty()) return next;
    if (passes.size() == kMaxPasses) return best_of_circle(passes);
    passes.push_back(next);
    last_normal = normal;
  }
}

// Should the passes go round in a circle, the cheapest of the circle (the first by structure among
// equals) stands for it, wherever the circle was entered.
Expr Simplifier::Impl::best_of_circle(std::span<const Expr> circle) {
  if (circle.size() == 1) return circle[0];
  return *std::ranges::min_element(circle, [this](Expr a, Expr b) {
    const std::int64_t wa = normal_form.weight(a);
    const std::int64_t wb = normal_form.weight(b);
    return wa != wb ? wa < wb : compare(a, b) < 0;
  });
}

}  // namespace mercator
