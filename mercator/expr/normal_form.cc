#include "mercator/expr/normal_form.h"

#include <algorithm>
#include <cassert>

#include "mercator/expr/node_places.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
void NormalForm::set_bounds(const VariableBounds& bounds) {
  const std::span<const Interval> kinds[] = {bounds.dimensions, bounds.ranges, bounds.runtimes};
  for (int kind = 0; kind < 3; ++kind) {
    bounds_[kind].clear();
    for (const Interval one : kinds[kind]) bounds_[kind].push_back(one);
  }
  facts_.clear();
  find_constants();
  start_epoch();
}

void NormalForm::start_epoch() {
  remainders_in_use_ = 0;
  quotients_.clear();
  records_.clear();
}

void NormalForm::find_constants() {
  bits_of_constants_ = 0;
  for (std::uint32_t kind = 0; kind < 3; ++kind) {
    std::uint32_t index = 0;
    for (const Interval bounds : bounds_[kind]) {
      if (bounds.lo == bounds.hi && bounds.is_bounded()) {
        bits_of_constants_ |= variable_bit({static_cast<VariableKind>(kind), index});
      }
      ++index;
    }
  }
}

// ---- facts ----

void NormalForm::assume_on_grid(Expr expr, std::int64_t modulus, std::int64_t residue) {
  assert(residue >= 0 && residue < modulus);
  const Expr normal = normalize(expr);
  std::optional<ResidueFact> fact = residue_fact(SumView(normal), modulus, residue);
  if (!fact) return;
  // Before the fact is known, which would only turn the quotient into itself.
  fact->quotient = quotient(fact->base, fact->modulus);
  facts_.residues.push_back(*fact);
  start_epoch();
}

void NormalForm::assume(Expr expr, Interval range) {
  if (expr.is(ExprKind::kMod) && expr.divisor().is(ExprKind::kConstant) && range.is_point()) {
    const std::int64_t m = expr.divisor().value();
    if (range.lo >= 0 && range.lo < m) assume_on_grid(expr.dividend(), m, range.lo);
    return;
  }
  const Expr normal = normalize(expr);
  const SumView view(normal);
  if (view.size() == 0) return;
  const Interval shifted = range + -Interval::point(view.constant);
  const Expr bare = view.constant == 0 ? normal : normal - context().constant(view.constant);
  facts_.ranges.push_back({bare, shifted});
  // What the sum leaves for each variable in it.
  for (std::size_t i = 0; i < view.size(); ++i) {
    if (!view.operands[i].is(ExprKind::kVariable)) continue;
    LinearRange rest(0);
    for (std::size_t j = 0; j < view.size(); ++j) {
      if (j != i) rest.add(this->range(view.operands[j]), view.coefficients[j]);
    }
    const Interval others = rest.range();
    const VariableId id = view.operands[i].variable();
    InlineVector<Interval, 6>& bounds = bounds_[static_cast<int>(id.kind)];
    while (bounds.size() <= id.index) bounds.push_back(Interval::all());
    bounds[id.index] =
        intersect(bounds[id.index], divide_exactly_within(shifted + -others, view.coefficients[i]));
  }
  find_constants();
  start_epoch();
}

// ---- ranges ----

bool NormalForm::has_more_than_one_value(Expr expr) const {
  if (has_facts()) return false;
  const auto has_more = [this](Expr term) {
    // Else the rule for one bucket would have solved it.
    if (is_constant_quotient(term)) return !is_exhausted();
    return term.is(ExprKind::kVariable) &&
           variable_range(term.variable()).lo < variable_range(term.variable()).hi;
  };
  if (!expr.is(ExprKind::kSum)) return has_more(expr);
  // A term of which no other term has a variable.
  std::uint64_t seen = 0;
  std::uint64_t repeated = 0;
  for (const Expr term : expr.operands()) {
    repeated |= seen & variable_bits(term);
    seen |= variable_bits(term);
  }
  return std::ranges::any_of(expr.operands(), [&](Expr term) {
    return (variable_bits(term) & repeated) == 0 && has_more(term);
  });
}

Interval NormalForm::new_range(Expr expr) {
  Interval range = compute_range(expr);
  for (const RangeFact& fact : facts_.ranges) {
    if (fact.base == expr) range = intersect(range, fact.range);
  }
  ExprRecord& known = record(expr);
  known.has_range = true;
  known.range = range;
  return range;
}

Interval NormalForm::compute_range(Expr expr) {
  const std::span<const Expr> operands = expr.operands();
  switch (expr.kind()) {
    case ExprKind::kConstant:
    case ExprKind::kVariable:
      return range(expr);
    case ExprKind::kSum:
      return sum_range(expr);
    case ExprKind::kProduct: {
      Interval product = Interval::point(1);
      for (const Expr factor : operands) product = product * range(factor);
      return product;
    }
    case ExprKind::kFloorDiv:
    case ExprKind::kMod: {
      const bool is_quotient = expr.is(ExprKind::kFloorDiv);
      const Interval dividend = range(operands[0]);
      if (operands[1].is(ExprKind::kConstant) && operands[1].value() > 0) {
        const std::int64_t n = operands[1].value();
        return is_quotient ? floor_div(dividend, n) : floor_mod(dividend, n);
      }
      const Interval divisor = range(operands[1]);
      return is_quotient ? floor_div(dividend, divisor) : floor_mod(dividend, divisor);
    }
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

namespace {

// The range of `sum`, given that `fact` holds, from the ranges of the terms that remain when the
// fact's sum is taken out of it as often as its first term is in it.
Interval range_by_fact(NormalForm& normal_form, const SumView& sum, const RangeFact& fact) {
  const std::optional<std::int64_t> times = times_within(sum, fact.base);
  if (!times) return Interval::all();
  const SumView inner(fact.base);
  Interval range = fact.range * *times + Interval::point(sum.constant);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    std::int64_t taken = 0;
    std::int64_t left = 0;
    if (!checked_mul(*times, inner.coefficient_of(sum.operands[i]), &taken) ||
        !checked_sub(sum.coefficients[i], taken, &left)) {
      return Interval::all();
    }
    if (left != 0) range = range + normal_form.range(sum.operands[i]) * left;
  }
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (sum.coefficient_of(inner.operands[i]) != 0) continue;
    // Ranges are found from smaller expressions; only a variable is smaller than any other.
    std::int64_t added = 0;
    if (!inner.operands[i].is(ExprKind::kVariable)) return Interval::all();
    if (!checked_mul(-*times, inner.coefficients[i], &added)) return Interval::all();
    range = range + normal_form.range(inner.operands[i]) * added;
  }
  return range;
}

// The values of x mod m for the x in `range` with `x = constant + sum of terms`: they lie on a grid
// if the terms have a common factor with m.
Interval remainder_range(Interval range, const SumView& x, std::int64_t m) {
  const Interval values = floor_mod(range, m);
  if (values.size() <= 1) return values;
  std::int64_t step = m;
  for (const std::int64_t c : x.coefficients) {
    if (c == Interval::kMinusInfinity || step == 1) return values;
    step = gcd(step, c);
  }
  if (step == 1) return values;
  const std::int64_t offset = floor_mod(x.constant, step);
  const std::int64_t lo = values.lo + floor_mod(offset - values.lo, step);
  const std::int64_t hi = values.hi - floor_mod(values.hi - offset, step);
  return {lo, hi};
}

}  // namespace

Interval NormalForm::range_by_facts(const SumView& sum) {
  Interval range = Interval::all();
  for (const RangeFact& fact : facts_.ranges) {
    range = intersect(range, range_by_fact(*this, sum, fact));
  }
  return range;
}

Interval NormalForm::sum_range(Expr expr) {
  const SumView view(expr);
  if (expr.is_affine()) {
    const Interval range = affine_range(expr);
    return facts_.ranges.empty() ? range : intersect(range, range_by_facts(view));
  }
  LinearRange by_terms(view.constant);
  bool has_quotient = false;
  bool has_extremum = false;
  for (std::size_t i = 0; i < view.size(); ++i) {
    const ExprKind kind = view.operands[i].kind();
    by_terms.add(range(view.operands[i]), view.coefficients[i]);
    has_quotient = has_quotient || kind == ExprKind::kFloorDiv || kind == ExprKind::kProduct;
    has_extremum = has_extremum || kind == ExprKind::kMin || kind == ExprKind::kMax;
  }
  Interval result = by_terms.range();
  if (!facts_.ranges.empty()) result = intersect(result, range_by_facts(view));
  if (has_extremum) result = extremum_sum_range(expr, result);
  if (!has_quotient || depth_ >= kMaxRecursion) return result;
  const Remainders* const parts = remainders(expr);
  if (parts == nullptr) return result;
  Interval by_remainders = range(parts->rest(context()));
  for (const Remainder& part : parts->remainders) {
    const Interval dividend = range(part.dividend);
    const Interval remainder =
        part.divisor.is(ExprKind::kConstant)
            ? remainder_range(dividend, SumView(part.dividend), part.divisor.value())
            : floor_mod(dividend, range(part.divisor));
    by_remainders = by_remainders + remainder * part.coefficient;
  }
  return intersect(result, by_remainders);
}

// max(x, y) + z is max(x + z, y + z), in whose operands terms of z may vanish; for a sum with one
// minimum or maximum, as a clamp less what it clamps.
Interval NormalForm::extremum_sum_range(Expr expr, Interval known) {
  const SumView view(expr);
  constexpr std::size_t kMaxOperands = 4;
  if (depth_ >= kMaxRecursion || is_exhausted()) return known;
  ++depth_;
  Interval result = known;
  for (std::size_t i = 0; i < view.size(); ++i) {
    const Expr extremum = view.operands[i];
    if (!extremum.is(ExprKind::kMin) && !extremum.is(ExprKind::kMax)) continue;
    const std::int64_t c = view.coefficients[i];
    if (extremum.operands().size() > kMaxOperands || c == Interval::kMinusInfinity) continue;
    // Only where something vanishes is there anything to gain.
    const bool cancels = std::ranges::any_of(extremum.operands(), [&](Expr operand) {
      const SumView inner(operand);
      return std::ranges::any_of(inner.operands, [&](Expr term) {
        return std::ranges::find(view.operands, term) != view.operands.end();
      });
    });
    if (!cancels) continue;
    const bool is_min = extremum.is(ExprKind::kMin) == (c > 0);
    std::optional<Interval> all;
    for (const Expr operand : extremum.operands()) {
      spend(1);
      const Term terms[] = {{expr, 1}, {extremum, -c}, {operand, c}};
      const Interval one = range(context().sum(terms));
      all = !all ? one : is_min ? min(*all, one) : max(*all, one);
    }
    result = intersect(result, *all);
    break;
  }
  --depth_;
  return result;
}

// ---- normal form ----

Expr NormalForm::normalize_others(Expr expr) {
  if (expr.is(ExprKind::kConstant)) return expr;
  if (expr.is(ExprKind::kVariable)) {
    const Interval bounds = variable_range(expr.variable());
    if (!bounds.is_point()) return expr;
    log_.count(Rule::kOneValue);
    const Expr value = context().constant(bounds.lo);
    if (log_.has_listener()) {
      const KnownRange known = {expr, bounds};
      log_.report(Rule::kOneValue, expr, value, std::span(&known, 1));
    }
    return value;
  }
  if (const Expr known = record(expr).normal) return known;
  const Expr normal = compute_normal(expr);
  record(expr).normal = normal;
  return normal;
}

Expr NormalForm::compute_normal(Expr expr) {
  switch (expr.kind()) {
    case ExprKind::kConstant:
    case ExprKind::kVariable:
      return expr;
    case ExprKind::kSum:
      return normalize_sum(expr);
    case ExprKind::kProduct:
      return normalize_product(expr);
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
      return normalize_division(expr);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return normalize_extremum(expr);
  }
  __builtin_unreachable();
}

Expr NormalForm::normalize_sum(Expr expr) {
  const std::span<const Expr> operands = expr.operands();
  std::size_t same = 0;
  Expr normal;
  for (; same < operands.size(); ++same) {
    normal = normalize(operands[same]);
    if (!(normal == operands[same])) break;
  }
  if (same == operands.size()) return without_known_quotients(expr);
  InlineVector<Term, 12> terms;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > same) normal = normalize(operands[i]);
    terms.push_back({i < same ? operands[i] : normal, expr.coefficients()[i]});
  }
  return without_known_quotients(context().sum(terms, expr.constant()));
}

// x floordiv m is (x - b) / m where x is known to leave the residue b.
Expr NormalForm::without_known_quotients(Expr sum) {
  if (facts_.residues.empty() || !sum.is(ExprKind::kSum)) return sum;
  for (std::size_t i = 0; i < facts_.residues.size(); ++i) {
    const ResidueFact fact = facts_.residues[i];
    const Expr known = fact.quotient;
    const std::int64_t c = SumView(sum).coefficient_of(known);
    if (c == 0 || c == Interval::kMinusInfinity || c % fact.modulus != 0) continue;
    const std::int64_t times = c / fact.modulus;
    std::int64_t shift = 0;
    if (!checked_mul(times, fact.residue, &shift) || shift == Interval::kMinusInfinity) continue;
    const Term terms[] = {{sum, 1}, {known, -c}, {fact.base, times}};
    const Expr result = context().sum(terms, -shift);
    log_.count(Rule::kKnownQuotient);
    log_.report(Rule::kKnownQuotient, sum, result, {});
    sum = result;
  }
  return sum;
}

namespace {

// The common factor of the terms and the constant of a sum, with the sign of the first coefficient;
// 1 if there is none, or for what is not a sum.
std::int64_t content_of(Expr expr) {
  if (!expr.is(ExprKind::kSum) || expr.constant() == Interval::kMinusInfinity) return 1;
  std::int64_t content = expr.constant();
  for (const std::int64_t c : expr.coefficients()) {
    if (c == Interval::kMinusInfinity) return 1;
    content = gcd(content, c);
  }
  return expr.coefficients()[0] < 0 ? -content : content;
}

}  // namespace

// Constants leave the factors, so that they meet what divides the product.
Expr NormalForm::normalize_product(Expr expr) {
  InlineVector<Expr, 8> factors;
  std::int64_t content = 1;
  // A constant among the factors is there because their product would not fit.
  const bool may_move = !expr.operands().back().is(ExprKind::kConstant);
  for (const Expr operand : expr.operands()) {
    const Expr factor = normalize(operand);
    const std::int64_t own = may_move ? content_of(factor) : 1;
    std::int64_t product = 0;
    if (own == 1 || !checked_mul(content, own, &product)) {
      factors.push_back(factor);
      continue;
    }
    content = product;
    const SumView view(factor);
    InlineVector<Term, 8> terms;
    for (std::size_t i = 0; i < view.size(); ++i) {
      terms.push_back({view.operands[i], view.coefficients[i] / own});
    }
    factors.push_back(context().sum(terms, view.constant / own));
  }
  if (content != 1) factors.push_back(context().constant(content));
  return context().product(factors);
}

namespace {

// The terms that stand in all of the operands with the same coefficient, and the constant that they
// can share: that of the first.
InlineVector<Term, 8> common_terms(std::span<const Expr> operands, std::int64_t& constant) {
  InlineVector<Term, 8> common;
  const SumView first(operands[0]);
  constant = first.constant;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool is_common = std::ranges::all_of(operands.subspan(1), [&](Expr other) {
      return SumView(other).coefficient_of(first.operands[i]) == first.coefficients[i];
    });
    if (is_common) common.push_back({first.operands[i], first.coefficients[i]});
  }
  const bool has_same_constant = std::ranges::all_of(
      operands, [&](Expr other) { return SumView(other).constant == constant; });
  // A constant goes out only with something else, or when all have it: min(x + 3, y) stays.
  if (!has_same_constant && common.empty()) {
    const bool all_have_one = std::ranges::all_of(
        operands, [&](Expr other) { return other.is(ExprKind::kSum) && other.constant() != 0; });
    if (!all_have_one) constant = 0;
  } else if (!has_same_constant) {
    constant = 0;
  }
  return common;
}

}  // namespace

Expr NormalForm::normalize_extremum(Expr expr) {
  InlineVector<Expr, 8> operands;
  for (const Expr operand : expr.operands()) operands.push_back(normalize(operand));
  const bool is_min = expr.is(ExprKind::kMin);
  const auto join = [&](std::span<const Expr> of) {
    return is_min ? context().min(of) : context().max(of);
  };
  const Expr joined = join(operands);
  if (!joined.is(expr.kind())) return joined;
  // Of two operands, one of which is never the lesser, a minimum needs the other only.
  InlineVector<Expr, 8> kept(joined.operands());
  for (std::size_t i = 0; i < kept.size();) {
    const bool is_needless = std::ranges::any_of(kept, [&](Expr other) {
      if (other == kept[i]) return false;
      const Expr larger = is_min ? kept[i] : other;
      const Expr smaller = is_min ? other : kept[i];
      const Expr difference = larger - smaller;
      const Interval values = intersect(range(difference), range(larger) + -range(smaller));
      if (values.is_empty() || values.lo < 0) return false;
      log_.count(Rule::kExtremumOfOrdered);
      if (log_.has_listener()) {
        const Expr pair[] = {kept[i], other};
        const KnownRange known = {difference, values};
        log_.report(Rule::kExtremumOfOrdered, join(pair), other, std::span(&known, 1));
      }
      return true;
    });
    if (is_needless) {
      kept.erase_at(i);
    } else {
      ++i;
    }
  }
  const Expr left = join(kept);
  if (!left.is(expr.kind())) return left;

  std::int64_t constant = 0;
  InlineVector<Term, 8> common = common_terms(left.operands(), constant);
  if ((common.empty() && constant == 0) || constant == Interval::kMinusInfinity) return left;
  for (const Term& term : common) {
    if (term.coefficient == Interval::kMinusInfinity) return left;
  }
  operands.clear();
  for (const Expr operand : left.operands()) {
    InlineVector<Term, 8> rest;
    rest.push_back({operand, 1});
    for (const Term& term : common) rest.push_back({term.expr, -term.coefficient});
    operands.push_back(context().sum(rest, -constant));
    if (holds_sum(operands.back())) return left;
  }
  common.push_back({normalize(join(operands)), 1});
  const Expr result = context().sum(common, constant);
  log_.count(Rule::kExtremumCommonPart);
  log_.report(Rule::kExtremumCommonPart, left, result, {});
  return result;
}

Expr NormalForm::normalize_division(Expr expr) {
  const Expr dividend = normalize(expr.dividend());
  const Expr divisor = normalize(expr.divisor());
  const bool is_quotient = expr.is(ExprKind::kFloorDiv);
  if (!divisor.is(ExprKind::kConstant)) {
    return normalize_variable_division(is_quotient, dividend, divisor);
  }
  const std::int64_t n = divisor.value();
  if (n == 0) return expr;  // it has no value: nothing to preserve, nothing to gain
  if (n == std::numeric_limits<std::int64_t>::min()) {
    return is_quotient ? context().floor_div(dividend, divisor) : context().mod(dividend, divisor);
  }
  if (n < 0) {  // x floordiv -n = (-x) floordiv n; x mod -n = -((-x) mod n)
    const Expr negated = quotient(-dividend, -n);
    return is_quotient ? negated : dividend - negated * n;
  }
  const Expr q = quotient(dividend, n);
  if (is_quotient) return q;
  const Term terms[] = {{dividend, 1}, {q, -n}};
  const Expr sum = context().sum(terms);
  const Expr known = without_known_quotients(sum);
  // The search would find what it has just been made of.
  const bool is_whole_remainder = dividend.is_affine() && is_constant_quotient(q) &&
                                  q.dividend() == dividend && q.divisor().value() == n;
  if (known == sum && is_whole_remainder) {
    note_remainder(sum, {.coefficient = 1, .dividend = dividend, .divisor = q.divisor()});
  }
  return known;
}

// ---- quotients by a constant ----

Expr NormalForm::quotient(Expr numerator, std::int64_t divisor) {
  assert(divisor > 0);
  if (divisor == 1) return numerator;
  if (numerator.is(ExprKind::kConstant)) {
    return context().constant(floor_div(numerator.value(), divisor));
  }
  if (depth_ >= kMaxRecursion || is_exhausted()) {
    return context().floor_div(numerator, context().constant(divisor));
  }
  if (const Expr known = quotients_.find(numerator, divisor)) return known;
  ++depth_;
  // Steps are reported with what the plain way does not know.
  const bool is_plain = numerator.is_affine() && !has_facts() && !log_.has_listener();
  const Expr result =
      is_plain ? compute_plain_quotient(numerator, divisor) : compute_quotient(numerator, divisor);
  --depth_;
  quotients_.set(numerator, divisor, result);
  return result;
}

namespace {

// Rules that undo one another would go on for ever: a quotient within the numerator is multiplied
// out and divided by again. Of the forms of such a circle the first by divisor and structure stands
// for all, wherever the circle was entered. Sums of variables know no circles.
class CircleWatch {
 public:
  [[nodiscard]] bool should_stop_at(const QuotientProblem& problem) {
    if ((problem.features & kQuotients) == 0) return false;
    if (!seen_.empty() && holds_sum(problem.numerator())) return true;
    const Form form = {problem.numerator(), problem.divisor};
    if (stop_) return form == *stop_;
    const Form* const known = std::ranges::find(seen_, form);
    if (known == seen_.end()) {
      seen_.push_back(form);
      return false;
    }
    stop_ = *std::min_element(known, static_cast<const Form*>(seen_.end()), comes_first);
    return form == *stop_;
  }

 private:
  struct Form {
    Expr numerator;
    std::int64_t divisor = 1;

    friend bool operator==(const Form&, const Form&) = default;
  };
  static bool comes_first(const Form& a, const Form& b) {
    return a.divisor != b.divisor ? a.divisor < b.divisor : compare(a.numerator, b.numerator) < 0;
  }

  InlineVector<Form, 8> seen_;
  std::optional<Form> stop_;
};

}  // namespace

Expr NormalForm::compute_quotient(Expr numerator, std::int64_t divisor) {
  QuotientProblem problem(*this, numerator, divisor);
  const auto apply_rule = [&] {
    spend(static_cast<std::int64_t>(1 + problem.parts.size()));
    const Expr before = log_.has_listener() ? problem.expr() : Expr();
    InlineVector<KnownRange, 8> ranges;
    if (log_.has_listener()) {
      for (const Part& part : problem.parts) ranges.push_back({part.expr, part.range});
      ranges.push_back({problem.numerator(), problem.range});
    }
    for (const QuotientRule& rule : quotient_rules(problem.features)) {
      if (!rule.apply(problem)) continue;
      log_.count(rule.rule);
      if (log_.has_listener()) log_.report(rule.rule, before, problem.expr(), ranges);
      return true;
    }
    return false;
  };
  CircleWatch circles;
  while (!problem.is_solved() && !is_exhausted() && !circles.should_stop_at(problem) &&
         apply_rule()) {
  }
  if (problem.is_solved()) return problem.expr();
  const Expr last = problem.numerator();
  const Expr quotient = context().floor_div(last, context().constant(problem.divisor));
  // What no rule applies to need not be asked for again.
  if (!is_exhausted() && !(last == numerator)) quotients_.set(last, problem.divisor, quotient);
  return problem.expr(quotient);
}

QuotientProblem::QuotientProblem(NormalForm& form, Expr numerator, std::int64_t divisor)
    : normal_form(form), divisor(divisor) {
  set_numerator(numerator, divisor);
}

void QuotientProblem::set_numerator(Expr numerator, std::int64_t new_divisor) {
  numerator_ = numerator;
  divisor = new_divisor;
  constant = 0;
  parts.clear();
  remainders.clear();
  features = features_of_facts();
  if (numerator.is_affine() && !normal_form.has_facts()) {
    add_terms(numerator);
    LinearRange by_parts(constant);
    for (const Part& part : parts) by_parts.add(part.range, part.coefficient);
    range = by_parts.range();
    return;
  }
  range = normal_form.range(numerator);
  const Remainders* const found = normal_form.remainders(numerator);
  std::size_t others = 0;
  if (found != nullptr) {
    for (const Remainder& remainder : found->remainders) {
      if (!remainder.divisor.is(ExprKind::kConstant)) {
        ++others;
        continue;
      }
      const Expr expr = normal_form.expr_of(remainder);
      remainders.push_back(remainder);
      parts.push_back({expr, remainder.coefficient, normal_form.range(expr)});
    }
  }
  if (others == 0) {
    add_terms(found == nullptr ? numerator : found->rest(normal_form.context()));
  } else {
    // Remainders by what is not a constant are none of the rules' business.
    InlineVector<Term, 8> terms;
    terms.push_back({numerator, 1});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      terms.push_back({parts[i].expr, -parts[i].coefficient});
    }
    add_terms(normal_form.context().sum(terms));
  }
  const bool has_quotients =
      std::ranges::any_of(parts, [](const Part& part) { return is_constant_quotient(part.expr); });
  if (!remainders.empty()) {
    features |= kRemainders | kQuotients;
  } else if (has_quotients) {
    features |= kQuotients;
  }
}

std::uint8_t QuotientProblem::features_of_facts() const {
  return normal_form.facts().residues.empty() ? kNothing : kResidueFacts;
}

void QuotientProblem::add_terms(Expr sum) {
  const SumView view(sum);
  constant = view.constant;
  for (std::size_t i = 0; i < view.size(); ++i) {
    parts.push_back({view.operands[i], view.coefficients[i], normal_form.range(view.operands[i])});
  }
}

Expr QuotientProblem::numerator() const {
  if (!numerator_) {
    InlineVector<Term, 12> terms;
    for (const Part& part : parts) terms.push_back({part.expr, part.coefficient});
    numerator_ = normal_form.context().sum(terms, constant);
  }
  return numerator_;
}

void QuotientProblem::update() {
  numerator_ = Expr();
  const bool has_other_parts = std::ranges::any_of(
      parts, [](const Part& part) { return !part.expr.is(ExprKind::kVariable); });
  if (has_other_parts || parts.size() > SumView::kShort) {
    // There may be other remainders now.
    set_numerator(numerator(), divisor);
    return;
  }
  remainders.clear();
  features = features_of_facts();
  LinearRange by_parts(constant);
  for (const Part& part : parts) by_parts.add(part.range, part.coefficient);
  range = by_parts.range();
  if (!normal_form.has_facts()) return;
  InlineVector<Expr, SumView::kShort> operands;
  InlineVector<std::int64_t, SumView::kShort> coefficients;
  for (const Part& part : parts) {
    operands.push_back(part.expr);
    coefficients.push_back(part.coefficient);
  }
  range = intersect(range, normal_form.range_by_facts(SumView(constant, operands, coefficients)));
}

void QuotientProblem::take_out(Expr expr, std::int64_t coefficient) {
  if (coefficient != 0) outside_.push_back({expr, coefficient});
}

void QuotientProblem::take_out(std::int64_t value) {
  if (value != 0) outside_.push_back({normal_form.context().constant(value), 1});
}

void QuotientProblem::solve() {
  is_solved_ = true;
  numerator_ = Expr();
  parts.clear();
  remainders.clear();
  constant = 0;
  divisor = 1;
}

Expr QuotientProblem::expr() const {
  ExprContext& context = normal_form.context();
  if (!is_solved_) return expr(context.floor_div(numerator(), context.constant(divisor)));
  if (outside_.size() == 1 && outside_[0].coefficient == 1) return outside_[0].expr;
  return context.sum(outside_);
}

Expr QuotientProblem::expr(Expr quotient) const {
  ExprContext& context = normal_form.context();
  if (outside_.empty()) return quotient;
  InlineVector<Term, 12> terms(outside_);
  terms.push_back({quotient, 1});
  return context.sum(terms);
}

// What it costs to compute the expressions, shared parts once. A constant added last is free: it
// ends up as the offset of an address.
std::int64_t NormalForm::weight(std::span<const Expr> exprs) {
  // Each is compared with each.
  constexpr std::size_t kFew = 16;
  if (exprs.size() > kFew) return weight_of_shared(exprs);
  std::int64_t trees = 0;
  // As where a node is made (expr_table.cc).
  std::uint64_t bits_on_leaves = 0;
  std::uint64_t bits_of_others = 0;
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    const Expr expr = exprs[i];
    if (expr.operands().empty()) continue;
    const std::uint64_t bits = variable_bits(expr);
    const bool is_on_leaves = expr.depth() == 2;
    const std::uint64_t others = is_on_leaves ? bits_of_others : bits_of_others | bits_on_leaves;
    const auto is_repeated = [&] {
      const std::span<const Expr> seen = exprs.first(i);
      return (bits & bits_on_leaves) != 0 && std::ranges::find(seen, expr) != seen.end();
    };
    if (!expr.is_tree() || bits == 0 || (bits & others) != 0 || is_repeated()) {
      return weight_of_shared(exprs);
    }
    (is_on_leaves ? bits_on_leaves : bits_of_others) |= bits;
    trees += expr.tree_weight();
    if (expr.is(ExprKind::kSum) && expr.constant() != 0) --trees;
  }
  return trees;
}

std::int64_t NormalForm::weight_of_shared(std::span<const Expr> exprs) {
  std::int64_t sum = 0;
  InlineVector<Expr, 32> pending;
  NodePlaces& places = context().places();
  places.clear();
  // False if it has been seen.
  const auto visit = [&](Expr node) {
    if (node.operands().empty() || !places.try_set(node, 0)) return false;
    sum += node.operation_weight();
    if (!node.is_affine()) pending.push_back(node);
    return true;
  };
  for (const Expr expr : exprs) {
    if (visit(expr) && expr.is(ExprKind::kSum) && expr.constant() != 0) --sum;
  }
  while (!pending.empty()) {
    const Expr node = pending.back();
    pending.pop_back();
    for (const Expr operand : node.operands()) visit(operand);
  }
  return sum;
}

}  // namespace mercator::internal
