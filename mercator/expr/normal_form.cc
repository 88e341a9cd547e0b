#include "mercator/expr/normal_form.h"

#include <algorithm>
#include <cassert>

#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

// Beyond this many quotients within one another the simplifier leaves expressions as they are.
constexpr int kMaxRecursion = 200;

bool is_constant_quotient(Expr expr) {
  return expr.is(ExprKind::kFloorDiv) && expr.divisor().is(ExprKind::kConstant) &&
         expr.divisor().value() > 0;
}

std::size_t term_count(Expr expr) { return SumView(expr).operands.size(); }

// sum - k * x - c * q, or null if a coefficient overflows (the context then keeps a sum
// unflattened, of which nothing here could make use).
Expr without(Expr sum, std::int64_t k, Expr x, std::int64_t c, Expr q) {
  std::int64_t minus_k = 0;
  std::int64_t minus_c = 0;
  if (!checked_sub(0, k, &minus_k) || !checked_sub(0, c, &minus_c)) return {};
  const Term terms[] = {{sum, 1}, {x, minus_k}, {q, minus_c}};
  const Expr rest = sum.context().sum(terms);
  const SumView view(rest);
  const bool is_flat = std::ranges::none_of(
      view.operands, [](Expr e) { return e.is(ExprKind::kSum) || e.is(ExprKind::kConstant); });
  return is_flat ? rest : Expr();
}

// (sum without its constant and its term number `left_out`) / k; null if k does not divide it.
Expr others_divided_by(Expr sum, std::size_t left_out, std::int64_t k) {
  std::vector<Term> terms;
  for (std::size_t i = 0; i < sum.operands().size(); ++i) {
    const std::int64_t c = sum.coefficients()[i];
    if (i == left_out) continue;
    if (c == std::numeric_limits<std::int64_t>::min() || c % k != 0) return {};
    terms.push_back({sum.operands()[i], c / k});
  }
  return sum.context().sum(terms);
}

}  // namespace

SumView::SumView(Expr expr) : one(expr) {
  if (expr.is(ExprKind::kSum)) {
    constant = expr.constant();
    operands = expr.operands();
    coefficients = expr.coefficients();
  } else if (expr.is(ExprKind::kConstant)) {
    constant = expr.value();
  } else {
    operands = std::span(&one, 1);
    coefficients = std::span(&one_coefficient, 1);
  }
}

void NormalForm::set_bounds(const VariableBounds& bounds) {
  bounds_[0].assign(bounds.dimensions.begin(), bounds.dimensions.end());
  bounds_[1].assign(bounds.ranges.begin(), bounds.ranges.end());
  bounds_[2].assign(bounds.runtimes.begin(), bounds.runtimes.end());
  ranges_.clear();
  normal_.clear();
  quotients_.clear();
  remainders_.clear();
}

// ---- ranges ----

Interval NormalForm::variable_range(VariableId id) const {
  const std::vector<Interval>& bounds = bounds_[static_cast<int>(id.kind)];
  return id.index < bounds.size() ? bounds[id.index] : Interval::all();
}

Interval NormalForm::range(Expr expr) {
  if (const Interval* known = ranges_.find(expr)) return *known;
  const Interval range = compute_range(expr);
  ranges_.set(expr, range);
  return range;
}

Interval NormalForm::compute_range(Expr expr) {
  const std::span<const Expr> operands = expr.operands();
  switch (expr.kind()) {
    case ExprKind::kConstant:
      return Interval::point(expr.value());
    case ExprKind::kVariable:
      return variable_range(expr.variable());
    case ExprKind::kSum:
      return sum_range(expr);
    case ExprKind::kProduct: {
      Interval product = Interval::point(1);
      for (const Expr factor : operands) product = product * range(factor);
      return product;
    }
    case ExprKind::kFloorDiv:
      return floor_div(range(operands[0]), range(operands[1]));
    case ExprKind::kMod:
      return floor_mod(range(operands[0]), range(operands[1]));
    case ExprKind::kMin:
    case ExprKind::kMax: {
      Interval extremum = range(operands[0]);
      for (const Expr operand : operands.subspan(1)) {
        extremum =
            expr.is(ExprKind::kMin) ? min(extremum, range(operand)) : max(extremum, range(operand));
      }
      return extremum;
    }
  }
  __builtin_unreachable();
}

Interval NormalForm::sum_range(Expr expr) {
  const SumView view(expr);
  Interval term_by_term = Interval::point(view.constant);
  bool has_quotient = false;
  for (std::size_t i = 0; i < view.operands.size(); ++i) {
    term_by_term = term_by_term + range(view.operands[i]) * Interval::point(view.coefficients[i]);
    has_quotient = has_quotient || is_constant_quotient(view.operands[i]);
  }
  if (!has_quotient || depth_ >= kMaxRecursion) return term_by_term;
  const Remainders& found = remainders(expr);
  if (found.remainders.empty()) return term_by_term;
  // `found` may move when ranges are asked for.
  const Remainders parts = found;
  Interval by_remainders = range(parts.rest);
  for (const Remainder& part : parts.remainders) {
    by_remainders = by_remainders + floor_mod(range(part.dividend), Interval::point(part.divisor)) *
                                        Interval::point(part.coefficient);
  }
  return intersect(term_by_term, by_remainders);
}

// ---- remainders ----

const Remainders& NormalForm::remainders(Expr expr) {
  if (const auto known = remainders_.find(expr.id()); known != remainders_.end()) {
    return known->second;
  }
  Remainders computed = compute_remainders(expr);
  return remainders_.insert({expr.id(), std::move(computed)}).first->second;
}

Remainders NormalForm::compute_remainders(Expr expr) {
  Remainders result = {.remainders = {}, .rest = expr};
  while (const std::optional<Remainder> found = best_remainder(result.rest)) {
    const Expr quotient = this->quotient(found->dividend, found->divisor);
    result.remainders.push_back(*found);
    result.rest = without(result.rest, found->coefficient, found->dividend,
                          -found->coefficient * found->divisor, quotient);
  }
  return result;
}

namespace {

// Looks for a remainder in a sum. A quotient Q with coefficient c is that of k * (X mod m), where
// c = -k * m and Q is the quotient of X by m. It may be taken out if that leaves fewer terms than
// there were.
class RemainderSearch {
 public:
  RemainderSearch(NormalForm& normal_form, Expr sum)
      : normal_form_(normal_form), sum_(sum), fewest_(sum.operands().size()) {}

  // The remainder that leaves the fewest terms, of those where X is a part of the sum; if there is
  // none, one where X is all of it.
  std::optional<Remainder> best() {
    for_each_candidate([&](std::size_t q, std::size_t i, std::int64_t k, std::int64_t m) {
      // Q = N floordiv M is (N floordiv (M/m)) floordiv m.
      const std::int64_t whole = divisor(q);
      if (m < whole && whole % m == 0) {
        consider(q, k, m, normal_form_.quotient(sum_.operands()[q].dividend(), whole / m));
      }
      if (is_constant_quotient(sum_.operands()[i])) consider(q, k, m, sum_.operands()[i]);
    });
    for (std::size_t q = 0; q < sum_.operands().size(); ++q) {
      if (!is_candidate(q) || sum_.coefficients()[q] % divisor(q) != 0) continue;
      consider(q, -(sum_.coefficients()[q] / divisor(q)), divisor(q),
               sum_.operands()[q].dividend());
    }
    if (best_) return best_;
    for_each_candidate([&](std::size_t q, std::size_t, std::int64_t k, std::int64_t m) {
      if (const Expr x = others_divided_by(sum_, q, k)) consider(q, k, m, x);
    });
    return best_;
  }

 private:
  [[nodiscard]] bool is_candidate(std::size_t q) const {
    return is_constant_quotient(sum_.operands()[q]) &&
           sum_.coefficients()[q] != std::numeric_limits<std::int64_t>::min();
  }
  [[nodiscard]] std::int64_t divisor(std::size_t q) const {
    return sum_.operands()[q].divisor().value();
  }

  // Calls `visit(q, i, k, m)` for a quotient q and another term i with coefficients -k * m and k.
  template <class Visit>
  void for_each_candidate(Visit visit) {
    for (std::size_t q = 0; q < sum_.operands().size(); ++q) {
      if (!is_candidate(q)) continue;
      for (std::size_t i = 0; i < sum_.operands().size(); ++i) {
        if (normal_form_.is_exhausted()) return;
        normal_form_.spend(1);
        const std::int64_t c = sum_.coefficients()[q];
        const std::int64_t k = sum_.coefficients()[i];
        if (i != q && c % k == 0 && -(c / k) >= 2) visit(q, i, k, -(c / k));
      }
    }
  }

  // How many terms the sum without its term q and k * x has, as long as nothing overflows.
  std::size_t terms_left(std::int64_t k, Expr x) {
    const SumView inner(x);
    const SumView outer(sum_);
    std::size_t left = outer.operands.size() - 1;
    for (std::size_t i = 0; i < inner.operands.size(); ++i) {
      const auto found = std::ranges::find(outer.operands, inner.operands[i]);
      std::int64_t taken = 0;
      if (found == outer.operands.end()) {
        ++left;
      } else if (checked_mul(k, inner.coefficients[i], &taken) &&
                 outer.coefficients[found - outer.operands.begin()] == taken) {
        --left;
      }
    }
    normal_form_.spend(static_cast<std::int64_t>(inner.operands.size() + outer.operands.size()));
    return left;
  }

  void consider(std::size_t q, std::int64_t k, std::int64_t m, Expr x) {
    if (terms_left(k, x) + 1 >= fewest_) return;
    const Expr quotient = sum_.operands()[q];
    const Expr rest = without(sum_, k, x, sum_.coefficients()[q], quotient);
    if (!rest || term_count(rest) + 1 >= fewest_) return;
    if (!(normal_form_.quotient(x, m) == quotient)) return;
    fewest_ = term_count(rest) + 1;
    best_ = Remainder{.coefficient = k, .dividend = x, .divisor = m};
  }

  NormalForm& normal_form_;
  Expr sum_;
  std::size_t fewest_;
  std::optional<Remainder> best_;
};

}  // namespace

std::optional<Remainder> NormalForm::best_remainder(Expr sum) {
  if (!sum.is(ExprKind::kSum) || depth_ >= kMaxRecursion || is_exhausted()) return std::nullopt;
  ++depth_;
  const std::optional<Remainder> best = RemainderSearch(*this, sum).best();
  --depth_;
  return best;
}

// ---- normal form ----

Expr NormalForm::normalize(Expr expr) {
  if (const Expr* known = normal_.find(expr)) return *known;
  const Expr normal = compute_normal(expr);
  normal_.set(expr, normal);
  return normal;
}

Expr NormalForm::compute_normal(Expr expr) {
  const std::span<const Expr> operands = expr.operands();
  switch (expr.kind()) {
    case ExprKind::kConstant:
      return expr;
    case ExprKind::kVariable: {
      const Interval bounds = variable_range(expr.variable());
      return bounds.is_point() ? context_.constant(bounds.lo) : expr;
    }
    case ExprKind::kSum: {
      std::vector<Term> terms(operands.size());
      for (std::size_t i = 0; i < operands.size(); ++i) {
        terms[i] = {normalize(operands[i]), expr.coefficients()[i]};
      }
      return context_.sum(terms, expr.constant());
    }
    case ExprKind::kProduct: {
      std::vector<Expr> factors;
      for (const Expr factor : operands) factors.push_back(normalize(factor));
      return context_.product(factors);
    }
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
      return normalize_division(expr);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return normalize_extremum(expr);
  }
  __builtin_unreachable();
}

Expr NormalForm::normalize_extremum(Expr expr) {
  std::vector<Expr> operands;
  for (const Expr operand : expr.operands()) operands.push_back(normalize(operand));
  const bool is_min = expr.is(ExprKind::kMin);
  const Expr joined = is_min ? context_.min(operands) : context_.max(operands);
  if (!joined.is(expr.kind())) return joined;
  // Of two operands, one of which is never the lesser, a minimum needs the other only.
  std::vector<Expr> kept(joined.operands().begin(), joined.operands().end());
  for (std::size_t i = 0; i < kept.size();) {
    const bool is_needless = std::ranges::any_of(kept, [&](Expr other) {
      if (other == kept[i]) return false;
      const Interval difference = range(is_min ? kept[i] - other : other - kept[i]);
      return !difference.is_empty() && difference.lo >= 0;
    });
    if (is_needless) {
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return is_min ? context_.min(kept) : context_.max(kept);
}

Expr NormalForm::normalize_division(Expr expr) {
  const Expr dividend = normalize(expr.dividend());
  const Expr divisor = normalize(expr.divisor());
  const bool is_quotient = expr.is(ExprKind::kFloorDiv);
  if (divisor.is(ExprKind::kConstant)) {
    const std::int64_t n = divisor.value();
    if (n == 0) return expr;  // it has no value: nothing to preserve, nothing to gain
    if (n == std::numeric_limits<std::int64_t>::min()) {
      return is_quotient ? context_.floor_div(dividend, divisor) : context_.mod(dividend, divisor);
    }
    if (n < 0) {  // x floordiv -n = (-x) floordiv n; x mod -n = -((-x) mod n)
      const Expr negated = quotient(-dividend, -n);
      return is_quotient ? negated : dividend - negated * n;
    }
    const Expr q = quotient(dividend, n);
    return is_quotient ? q : dividend - q * n;
  }

  // A variable divisor D: what is a multiple of D leaves the quotient and vanishes from the
  // remainder.
  const SumView view(dividend);
  std::vector<Term> multiples;
  std::vector<Term> rest;
  for (std::size_t i = 0; i < view.operands.size(); ++i) {
    const Expr term = view.operands[i];
    std::vector<Expr> factors(term.operands().begin(), term.operands().end());
    const auto found = std::ranges::find(factors, divisor);
    if (term == divisor) {
      multiples.push_back({context_.constant(1), view.coefficients[i]});
    } else if (term.is(ExprKind::kProduct) && found != factors.end()) {
      factors.erase(found);
      multiples.push_back({context_.product(factors), view.coefficients[i]});
    } else {
      rest.push_back({term, view.coefficients[i]});
    }
  }
  const Expr numerator = context_.sum(rest, view.constant);
  const Expr whole = context_.sum(multiples);
  const Interval bucket = floor_div(range(numerator), range(divisor));
  if (bucket.is_point()) {
    return is_quotient ? whole + bucket.lo : numerator - divisor * context_.constant(bucket.lo);
  }
  return is_quotient ? whole + context_.floor_div(numerator, divisor)
                     : context_.mod(numerator, divisor);
}

Expr NormalForm::quotient(Expr numerator, std::int64_t divisor) {
  assert(divisor > 0);
  if (divisor == 1) return numerator;
  const Expr node = context_.floor_div(numerator, context_.constant(divisor));
  if (!node.is(ExprKind::kFloorDiv) || depth_ >= kMaxRecursion || is_exhausted()) return node;
  if (const Expr* known = quotients_.find(node)) return *known;
  ++depth_;
  const Expr result = compute_quotient(numerator, divisor);
  --depth_;
  quotients_.set(node, result);
  return result;
}

Expr NormalForm::compute_quotient(Expr numerator, std::int64_t divisor) {
  QuotientProblem problem = {.normal_form = *this,
                             .numerator = numerator,
                             .divisor = divisor,
                             .range = range(numerator),
                             .constant = 0,
                             .parts = {},
                             .remainders = remainders(numerator).remainders};
  const Expr rest = remainders(numerator).rest;
  for (const Remainder& remainder : problem.remainders) {
    const Expr q = quotient(remainder.dividend, remainder.divisor);
    const Expr expr = remainder.dividend - q * remainder.divisor;
    problem.parts.push_back({expr, remainder.coefficient, range(expr)});
  }
  const SumView view(rest);
  problem.constant = view.constant;
  for (std::size_t i = 0; i < view.operands.size(); ++i) {
    problem.parts.push_back({view.operands[i], view.coefficients[i], range(view.operands[i])});
  }
  spend(static_cast<std::int64_t>(1 + problem.parts.size()));
  for (const QuotientRule& rule : quotient_rules()) {
    if (const std::optional<Expr> result = rule.apply(problem)) return *result;
  }
  return context_.floor_div(numerator, context_.constant(divisor));
}

}  // namespace mercator::internal
