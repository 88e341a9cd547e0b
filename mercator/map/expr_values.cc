#include "mercator/map/expr_values.h"

#include <algorithm>
#include <vector>

#include "mercator/map/independent_groups.h"

namespace mercator {

namespace {

using Wide = __int128;

Wide magnitude(std::int64_t value) { return value < 0 ? -Wide{value} : Wide{value}; }

constexpr Wide kMaxWide = Wide{1} << 120;

// Finds the values of expressions in which no variable occurs twice, so that operands take their
// values independently, over a box of bounded variables.
class ValueCounter {
 public:
  explicit ValueCounter(const IndexMap& map) : map_(map) {}

  // None if their structure is not evident.
  std::optional<ExprValues> values(Expr expr) {
    constexpr std::uint32_t kMaxDepth = 200;
    if (expr.depth() > kMaxDepth) return std::nullopt;
    seen_.clear();
    return visit(expr);
  }

 private:
  std::optional<ExprValues> visit(Expr expr) {
    switch (expr.kind()) {
      case ExprKind::kConstant:
        return ExprValues{.lo = expr.value()};
      case ExprKind::kVariable:
        return visit_variable(expr.variable());
      case ExprKind::kSum:
        return visit_sum(expr);
      case ExprKind::kFloorDiv:
        return visit_quotient(expr);
      case ExprKind::kMod:
        return visit_remainder(expr);
      case ExprKind::kProduct:
      case ExprKind::kMin:
      case ExprKind::kMax:
        return std::nullopt;
    }
    __builtin_unreachable();
  }

  std::optional<ExprValues> visit_variable(VariableId id) {
    if (std::ranges::find(seen_, id) != seen_.end()) return std::nullopt;
    seen_.push_back(id);
    const Interval bounds = bounds_of(map_, id);
    if (!bounds.is_bounded() || bounds.is_empty()) return std::nullopt;
    const Wide span = Wide{bounds.hi} - bounds.lo;
    return ExprValues{.lo = bounds.lo, .span = span, .count = span + 1};
  }

  std::optional<ExprValues> visit_sum(Expr sum) {
    std::vector<ExprValues> terms;
    Wide lo = sum.constant();
    for (std::size_t i = 0; i < sum.operands().size(); ++i) {
      std::optional<ExprValues> term = visit(sum.operands()[i]);
      if (!term || !term->is_evenly_spaced || term->span > kMaxWide >> 64) return std::nullopt;
      const Wide coefficient = sum.coefficients()[i];
      lo += coefficient * (coefficient < 0 ? term->lo + term->span : term->lo);
      term->step *= magnitude(sum.coefficients()[i]);
      term->span *= magnitude(sum.coefficients()[i]);
      if (term->count > 1) terms.push_back(*term);
    }
    std::ranges::sort(terms, {}, &ExprValues::step);
    ExprValues values;
    for (const ExprValues& term : terms) {
      if (!add(values, term)) return std::nullopt;
    }
    values.lo = lo;
    return values;
  }

  // The values of x + y for x among `values` and y among `term`, up to their start. False if
  // unknown.
  static bool add(ExprValues& values, const ExprValues& term) {
    if (values.count == 1) {
      values = term;
    } else if (values.is_evenly_spaced && term.step % values.step == 0 &&
               term.step <= values.span + values.step) {
      // One copy of the values for each y, none of which starts beyond the next step after the end
      // of the one before: together they leave no gap.
      values.count += (term.count - 1) * (term.step / values.step);
      values.span += term.span;
    } else if (term.step > values.span) {
      // The copies do not touch.
      if (values.count > kMaxWide / term.count) return false;
      values.count *= term.count;
      values.span += term.span;
      values.is_evenly_spaced = false;
    } else {
      return false;
    }
    return values.span <= kMaxWide;
  }

  std::optional<ExprValues> visit_quotient(Expr expr) {
    const std::optional<Wide> divisor = positive_divisor(expr);
    std::optional<ExprValues> x = divisor ? visit(expr.dividend()) : std::nullopt;
    if (!x || !x->is_evenly_spaced) return std::nullopt;
    const Wide n = *divisor;
    const Wide lo = floor_quotient(x->lo, n);
    if (x->step % n == 0) {
      // (lo + i * step) floordiv n = lo floordiv n + i * (step / n)
      return ExprValues{.lo = lo, .span = x->span / n, .count = x->count, .step = x->step / n};
    }
    if (x->step > n) return std::nullopt;
    // Steps of at most n take the quotient up by at most 1, so that it leaves out nothing.
    const Wide span = floor_quotient(x->lo + x->span, n) - lo;
    return ExprValues{.lo = lo, .span = span, .count = span + 1};
  }

  std::optional<ExprValues> visit_remainder(Expr expr) {
    const std::optional<Wide> divisor = positive_divisor(expr);
    std::optional<ExprValues> x = divisor ? visit(expr.dividend()) : std::nullopt;
    if (!x) return std::nullopt;
    const Wide n = *divisor;
    const Wide bucket = floor_quotient(x->lo, n);
    if (bucket == floor_quotient(x->lo + x->span, n)) {
      x->lo -= bucket * n;
      return x;
    }
    if (!x->is_evenly_spaced || n % x->step != 0 || x->count < n / x->step) return std::nullopt;
    // Enough values in a row for every remainder that is congruent to lo modulo the step.
    const Wide lo = x->lo - floor_quotient(x->lo, x->step) * x->step;
    return ExprValues{.lo = lo, .span = n - x->step, .count = n / x->step, .step = x->step};
  }

  static std::optional<Wide> positive_divisor(Expr expr) {
    const Expr divisor = expr.divisor();
    if (!divisor.is(ExprKind::kConstant) || divisor.value() <= 0) return std::nullopt;
    return divisor.value();
  }

  static Wide floor_quotient(Wide a, Wide n) {
    const Wide q = a / n;
    return a % n < 0 ? q - 1 : q;
  }

  const IndexMap& map_;
  std::vector<VariableId> seen_;
};

}  // namespace

std::optional<ExprValues> values_of(const IndexMap& map, Expr expr) {
  return ValueCounter(map).values(expr);
}

}  // namespace mercator
