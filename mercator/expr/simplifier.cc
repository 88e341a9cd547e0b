#include "mercator/expr/simplifier.h"

#include <algorithm>

#include "mercator/expr/normal_form.h"
#include "mercator/expr/presentation.h"
#include "mercator/expr/rebuild.h"

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

// Of a division in ExprCost::weight.
constexpr std::int64_t kDivisionWeight = 20;

// No result may be written much longer than what it stands for.
double largest_written_size(Expr expr) { return 2 * expr.written_size() + 16; }

}  // namespace

std::span<const SimplifierRule> simplifier_rules() { return internal::rule_descriptions(); }

struct Simplifier::Impl {
  explicit Impl(ExprContext& context) : normal_form(context), presentation(normal_form) {}

  internal::NormalForm normal_form;
  internal::Presentation presentation;
  bool was_exhausted = false;
  bool needs_another_look = false;  // at what `compute` returned

  Expr simplify(Expr expr);
  // The same as a part of an expression that is being simplified, within its budget.
  Expr simplify_part(Expr expr);
  Expr compute(Expr expr);
  Expr cheapest_form(Expr expr);
  Expr with_simple_operands(Expr expr);
  Expr best_of_circle(std::span<const Expr> circle);
  std::int64_t weight(std::span<const Expr> exprs);
};

Simplifier::Simplifier(ExprContext& context) : impl_(std::make_unique<Impl>(context)) {}
Simplifier::~Simplifier() = default;
Simplifier::Simplifier(Simplifier&&) noexcept = default;
Simplifier& Simplifier::operator=(Simplifier&&) noexcept = default;

void Simplifier::set_bounds(const VariableBounds& bounds) {
  impl_->normal_form.set_bounds(bounds);
  impl_->presentation.clear();
}

void Simplifier::assume(Expr expr, Interval range) {
  if (expr.depth() > kMaxDepth) return;
  impl_->normal_form.limit_work(kMaxSteps);
  impl_->normal_form.assume(expr, range);
}

Interval Simplifier::range(Expr expr) {
  if (expr.depth() > kMaxDepth) return Interval::all();
  impl_->normal_form.limit_work(kMaxSteps);
  return impl_->normal_form.range(impl_->normal_form.normalize(expr));
}

Expr Simplifier::simplify(Expr expr) { return impl_->simplify(expr); }

void Simplifier::simplify(std::span<Expr> exprs) {
  for (Expr& expr : exprs) expr = simplify(expr);
}

std::span<const std::uint64_t> Simplifier::rule_counts() const {
  return impl_->normal_form.log().counts();
}

void Simplifier::set_listener(const StepListener* listener) {
  impl_->normal_form.log().set_listener(listener);
}

bool Simplifier::was_budget_exhausted() const { return impl_->was_exhausted; }

Expr Simplifier::Impl::simplify(Expr expr) {
  if (expr.is_affine()) return normal_form.normalize(expr);
  was_exhausted = expr.depth() > kMaxDepth;
  if (was_exhausted) return expr;
  normal_form.limit_work(kMaxSteps);
  const Expr result = simplify_part(expr);
  was_exhausted = normal_form.is_exhausted();
  return result;
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
  normal_form.record(result).simplified = result;
  return result;
}

Expr Simplifier::Impl::compute(Expr expr) {
  needs_another_look = false;
  const Expr best = cheapest_form(expr);
  if (normal_form.is_exhausted()) return expr;
  if (best == expr || best.is_affine()) return best;
  const std::int64_t best_weight = weight({&best, 1});
  const auto is_short = [&](Expr candidate) {
    return candidate.written_size() <= largest_written_size(expr);
  };
  // The normal form takes expressions apart further than may be good for them.
  if (best_weight >= 2 * kDivisionWeight || !is_short(best)) {
    const Expr other = with_simple_operands(expr);
    const std::int64_t other_weight = weight({&other, 1});
    if (normal_form.is_exhausted()) return expr;
    if (is_short(other) && (other_weight < best_weight || !is_short(best)) &&
        (other == expr || other_weight < weight({&expr, 1}))) {
      needs_another_look = true;
      return other;
    }
  }
  needs_another_look = false;
  return is_short(best) && best_weight <= weight({&expr, 1}) ? best : expr;
}

Expr Simplifier::Impl::with_simple_operands(Expr expr) {
  InlineVector<Expr, 8> operands;
  for (const Expr operand : expr.operands()) operands.push_back(simplify_part(operand));
  return internal::with_operands(expr, operands);
}

// Passes until nothing changes.
Expr Simplifier::Impl::cheapest_form(Expr expr) {
  InlineVector<Expr, kMaxPasses + 1> passes = {expr};
  Expr last_normal;
  while (true) {
    const Expr normal = normal_form.normalize(passes.back());
    // The same normal form again: nothing can change.
    const Expr next = normal == last_normal ? passes.back() : presentation.present(normal);
    if (normal_form.is_exhausted()) return expr;
    const Expr* const seen = std::ranges::find(passes, next);
    if (seen != passes.end()) return best_of_circle({seen, passes.end()});
    // One that is the cheapest form as well.
    if (next == normal) return next;
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
    const std::int64_t wa = weight({&a, 1});
    const std::int64_t wb = weight({&b, 1});
    return wa != wb ? wa < wb : compare(a, b) < 0;
  });
}

// What it costs to compute the expressions, shared parts once. A constant added last is free: it
// ends up as the offset of an address.
std::int64_t Simplifier::Impl::weight(std::span<const Expr> exprs) {
  std::int64_t sum = 0;
  InlineVector<Expr, 32> pending;
  const std::uint32_t mark = normal_form.new_mark();
  const auto visit = [&](Expr node) {
    if (node.operands().empty()) return;
    if (std::exchange(normal_form.record(node).mark, mark) == mark) return;
    sum += node.operation_weight();
    pending.push_back(node);
  };
  for (const Expr expr : exprs) {
    visit(expr);
    if (expr.is(ExprKind::kSum) && expr.constant() != 0) --sum;
  }
  while (!pending.empty()) {
    const Expr node = pending.back();
    pending.pop_back();
    for (const Expr operand : node.operands()) visit(operand);
  }
  return sum;
}

}  // namespace mercator
