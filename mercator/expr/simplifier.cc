#include "mercator/expr/simplifier.h"

#include <algorithm>
#include <array>

#include "mercator/expr/normal_form.h"
#include "mercator/expr/presentation.h"
#include "mercator/expr/traversal.h"

namespace mercator {
namespace {

// Deeper expressions are left as they are, since the simplifier calls itself for subexpressions.
// Those that are read from text are not as deep.
constexpr std::uint32_t kMaxDepth = 1000;
// Every pass is cheaper than the last or the end of it; no expression is known that needs a third.
constexpr int kMaxPasses = 8;
// Real index expressions take a few hundred steps; those that would take more than this many (about
// ten milliseconds) are left as they are, so that no expression takes long.
constexpr std::int64_t kMaxSteps = 100'000;

// Whether all there is to do is to put constants for variables that have one value.
bool is_affine(Expr expr) {
  const auto is_leaf = [](Expr e) {
    return e.is(ExprKind::kVariable) || e.is(ExprKind::kConstant);
  };
  return is_leaf(expr) ||
         (expr.is(ExprKind::kSum) && std::ranges::all_of(expr.operands(), is_leaf));
}

// A constant added last is free: it ends up as the offset of an address.
std::int64_t weight(Expr expr) {
  const std::int64_t weight = cost(std::span(&expr, 1)).weight();
  return expr.is(ExprKind::kSum) && expr.constant() != 0 ? weight - 1 : weight;
}

// How many operands there are when the expression is written out, shared subexpressions as often as
// they occur: may be exponential in the number of distinct ones, hence in floating point.
double written_size(Expr expr) {
  const Traversal traversal(std::span(&expr, 1));
  std::vector<double> sizes;
  for (std::size_t i = 0; i < traversal.nodes().size(); ++i) {
    double size = 1;
    for (const std::uint32_t operand : traversal.operands(i)) size += sizes[operand];
    sizes.push_back(size);
  }
  return sizes[traversal.roots()[0]];
}

// No result may be written much longer than what it stands for.
double largest_written_size(Expr expr) { return 2 * written_size(expr) + 16; }

// What needs no rule, since construction or the normal form sees to it.
constexpr std::array kByConstruction = {
    SimplifierRule{"like-terms", "a*x + b*x -> (a + b)*x", "a + b fits int64", true},
    SimplifierRule{"quotient-plus-remainder", "x mod n + n*(x floordiv n) -> x", "", true},
    SimplifierRule{"composed-quotient-plus-remainder",
                   "(x floordiv a) mod c + c*(x floordiv (a*c)) -> x floordiv a", "a > 0, c > 0",
                   true},
    SimplifierRule{"scaled-quotient-plus-remainder", "k*(x mod n) + k*n*(x floordiv n) -> k*x", "",
                   true},
    SimplifierRule{"remainder-of-remainder", "(k*(x mod m) + y) mod n -> (k*x + y) mod n",
                   "n divides k*m", true},
    SimplifierRule{"remainder-in-range", "x mod n -> x - k*n", "[x] within [k*n, k*n + n - 1]",
                   true},
    SimplifierRule{"negative-divisor",
                   "x floordiv -n -> (-x) floordiv n; x mod -n -> -((-x) mod n)", "", true},
    SimplifierRule{"quotient-rounded-up", "x ceildiv n -> (x + n - 1) floordiv n", "", true},
};

// Those that are not about quotients by a constant; their code is in normal_form.cc.
constexpr std::array kOtherRules = {
    SimplifierRule{"one-value", "x -> k", "x a variable with bounds [k, k]", false},
    SimplifierRule{"minimum-of-ordered", "min(x, y) -> x; max(x, y) -> y", "[y - x] >= 0", false},
    SimplifierRule{"variable-divisor-multiples", "(x*d + y) floordiv d -> x + y floordiv d", "",
                   false},
    SimplifierRule{"variable-divisor-one-bucket", "x floordiv d -> k; x mod d -> x - k*d",
                   "[x] floordiv [d] = [k, k]", false},
};

}  // namespace

std::span<const SimplifierRule> simplifier_rules() {
  static const std::vector<SimplifierRule> kRules = [] {
    std::vector<SimplifierRule> rules(kOtherRules.begin(), kOtherRules.end());
    for (const internal::QuotientRule& rule : internal::quotient_rules()) {
      rules.push_back(rule.description);
    }
    rules.insert(rules.end(), kByConstruction.begin(), kByConstruction.end());
    return rules;
  }();
  return kRules;
}

struct Simplifier::Impl {
  explicit Impl(ExprContext& context) : normal_form(context), presentation(normal_form) {}

  internal::NormalForm normal_form;
  internal::Presentation presentation;
  internal::ExprMemo<Expr> simplified;

  Expr compute(Expr expr);
};

Simplifier::Simplifier(ExprContext& context) : impl_(std::make_unique<Impl>(context)) {}
Simplifier::~Simplifier() = default;
Simplifier::Simplifier(Simplifier&&) noexcept = default;
Simplifier& Simplifier::operator=(Simplifier&&) noexcept = default;

void Simplifier::set_bounds(const VariableBounds& bounds) {
  impl_->normal_form.set_bounds(bounds);
  impl_->presentation.clear();
  impl_->simplified.clear();
}

Interval Simplifier::range(Expr expr) {
  if (expr.depth() > kMaxDepth) return Interval::all();
  impl_->normal_form.limit_work(kMaxSteps);
  return impl_->normal_form.range(impl_->normal_form.normalize(expr));
}

Expr Simplifier::simplify(Expr expr) {
  if (const Expr* known = impl_->simplified.find(expr)) return *known;
  const Expr result = impl_->compute(expr);
  impl_->simplified.set(expr, result);
  impl_->simplified.set(result, result);
  return result;
}

// Passes until nothing changes. Should they go round in a circle, the cheapest of the circle (the
// first by structure among equals) stands for it, wherever the circle was entered.
Expr Simplifier::Impl::compute(Expr expr) {
  if (expr.depth() > kMaxDepth) return expr;
  normal_form.limit_work(kMaxSteps);
  if (is_affine(expr)) return normal_form.normalize(expr);
  std::vector<Expr> passes = {expr};
  while (passes.size() <= kMaxPasses) {
    const Expr next = presentation.present(normal_form.normalize(passes.back()));
    if (normal_form.is_exhausted()) return expr;
    const auto seen = std::ranges::find(passes, next);
    if (seen != passes.end()) {
      passes.erase(passes.begin(), seen);
      break;
    }
    passes.push_back(next);
  }
  const auto is_better = [](Expr a, Expr b) {
    const std::int64_t wa = weight(a);
    const std::int64_t wb = weight(b);
    return wa != wb ? wa < wb : compare(a, b) < 0;
  };
  const Expr best = *std::ranges::min_element(passes, is_better);
  const bool is_gain =
      weight(best) <= weight(expr) && written_size(best) <= largest_written_size(expr);
  return is_gain ? best : expr;
}

}  // namespace mercator
