// Quotients by a constant of sums of variables of which nothing is known but their bounds: what
// most quotients are.

#include "mercator/expr/normal_form.h"
#include "mercator/expr/plain_rules.h"

namespace mercator::internal {
namespace {

// What plain_rules.h asks for, and no more.
class PlainProblem {
 public:
  PlainProblem(std::int64_t constant, std::int64_t divisor)
      : divisor(divisor), constant(constant) {}

  std::int64_t divisor;
  std::int64_t constant;
  InlineVector<Part, 8> parts;
  Interval range;

  void update() {
    LinearRange by_parts(constant);
    for (const Part& part : parts) by_parts.add(part.range, part.coefficient);
    range = by_parts.range();
  }
  void take_out(Expr expr, std::int64_t coefficient) {
    if (coefficient != 0) outside_.push_back({expr, coefficient});
  }
  void take_out(std::int64_t value) {
    if (value != 0) constants_outside_.push_back(value);
  }
  // Whether it is of the form `(variable + constant) floordiv divisor`, reduced, with a divisor
  // above 2: of the rules, only those for one bucket and two values may then apply.
  [[nodiscard]] bool is_of_one_variable() const {
    return parts.size() == 1 && parts[0].coefficient == 1 && divisor > 2 && constant >= 0 &&
           constant < divisor;
  }
  void solve() { is_solved_ = true; }
  [[nodiscard]] bool is_solved() const { return is_solved_; }

  [[nodiscard]] Expr numerator(ExprContext& context) const {
    InlineVector<Term, 8> terms;
    for (const Part& part : parts) terms.push_back({part.expr, part.coefficient});
    return context.sum(terms, constant);
  }
  // What is outside and, unless it is null, `quotient`.
  [[nodiscard]] Expr expr(ExprContext& context, Expr quotient) {
    if (quotient) {
      if (outside_.empty() && constants_outside_.empty()) return quotient;
      outside_.push_back({quotient, 1});
    }
    if (constants_outside_.empty()) return context.sum(outside_);
    const std::int64_t first = constants_outside_[0];
    for (std::size_t i = 1; i < constants_outside_.size(); ++i) {
      outside_.push_back({context.constant(constants_outside_[i]), 1});
    }
    return context.sum(outside_, first);
  }

 private:
  InlineVector<Term, 12> outside_;
  InlineVector<std::int64_t, 4> constants_outside_;
  bool is_solved_ = false;
};

// In the order of `quotient_rules`; none if none applies.
std::optional<Rule> apply_rule(PlainProblem& p) {
  if (one_bucket(p)) return Rule::kOneBucket;
  if (p.is_of_one_variable()) {
    return two_values(p) ? std::optional(Rule::kTwoValues) : std::nullopt;
  }
  if (whole_multiples(p)) return Rule::kWholeMultiples;
  if (one_bucket_of_residues(p)) return Rule::kOneBucketOfResidues;
  if (two_values(p)) return Rule::kTwoValues;
  if (by_factor(p)) return Rule::kByFactor;
  return std::nullopt;
}

}  // namespace

Expr NormalForm::compute_plain_quotient(Expr numerator, std::int64_t divisor) {
  const SumView sum(numerator);
  PlainProblem problem(sum.constant, divisor);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const Expr variable = sum.operands[i];
    problem.parts.push_back({variable, sum.coefficients[i], variable_range(variable.variable())});
  }
  problem.update();
  bool is_changed = false;
  while (!problem.is_solved() && !is_exhausted()) {
    spend(static_cast<std::int64_t>(1 + problem.parts.size()));
    const std::optional<Rule> rule = apply_rule(problem);
    if (!rule) break;
    log_.count(*rule);
    is_changed = true;
  }
  if (problem.is_solved()) return problem.expr(context(), Expr());
  const Expr last = is_changed ? problem.numerator(context()) : numerator;
  const Expr quotient = context().floor_div(last, context().constant(problem.divisor));
  // What no rule applies to need not be asked for again.
  if (!is_exhausted() && is_changed && !last.is(ExprKind::kVariable)) {
    quotients_.set(last, problem.divisor, quotient);
  }
  return problem.expr(context(), quotient);
}

}  // namespace mercator::internal
