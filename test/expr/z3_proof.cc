#include "test/expr/z3_proof.h"

#include <fmt/format.h>
#include <z3++.h>

#include <algorithm>
#include <set>
#include <utility>

#include "mercator/expr/text.h"

namespace mercator::test {
namespace {

// In Z3's steps; a second is one to three million.
constexpr unsigned kLinearEffort = 1'000'000;
constexpr unsigned kProductEffort = 100'000;

// Expressions in the language of Z3, and what must hold of the unknowns that stand for their parts.
class Translation {
 public:
  Translation(z3::context& z3, const std::map<VariableId, std::int64_t>& numbers)
      : z3_(z3), numbers_(numbers), facts_(z3) {}

  z3::expr value(Expr expr) {
    if (const auto known = values_.find(expr.id()); known != values_.end()) return known->second;
    const z3::expr value = compute(expr);
    values_.insert({expr.id(), value});
    return value;
  }

  // What is true of the unknowns, provided that no divisor is zero.
  const z3::expr_vector& facts() const { return facts_; }
  // Of all quotients and remainders so far.
  const std::vector<z3::expr>& divisors() const { return divisors_; }
  // That are known to be not negative, each if its sign condition holds: n*q <= x and the like.
  struct Implied {
    z3::expr condition;
    z3::expr not_negative;
  };
  const std::vector<Implied>& bounds_of_quotients() const { return bounds_; }
  const std::vector<z3::expr>& factors() const { return factors_; }
  const std::vector<z3::expr>& quotients() const { return unknown_quotients_; }
  const std::vector<std::pair<VariableId, z3::expr>>& variables() const { return variables_; }
  bool has_products() const { return has_products_; }

 private:
  z3::expr number(std::int64_t value) { return z3_.int_val(value); }
  z3::expr unknown(const char* kind) {
    return z3_.int_const(fmt::format("{}!{}", kind, ++unknowns_).c_str());
  }

  z3::expr compute(Expr expr) {
    switch (expr.kind()) {
      case ExprKind::kConstant:
        return number(expr.value());
      case ExprKind::kVariable:
        return variable(expr.variable());
      case ExprKind::kSum: {
        z3::expr sum = number(expr.constant());
        for (std::size_t i = 0; i < expr.operands().size(); ++i) {
          sum = sum + number(expr.coefficients()[i]) * value(expr.operands()[i]);
        }
        return sum;
      }
      case ExprKind::kProduct:
        return product(expr);
      case ExprKind::kFloorDiv:
        return quotient(expr.dividend(), expr.divisor());
      case ExprKind::kMod: {
        const z3::expr q = quotient(expr.dividend(), expr.divisor());
        return value(expr.dividend()) - multiply(value(expr.divisor()), q);
      }
      case ExprKind::kMin:
      case ExprKind::kMax:
        return extremum(expr);
    }
    __builtin_unreachable();
  }

  z3::expr variable(VariableId id) {
    if (const auto set = numbers_.find(id); set != numbers_.end()) return number(set->second);
    const z3::expr result = z3_.int_const(default_variable_name(id).c_str());
    variables_.emplace_back(id, result);
    return result;
  }

  z3::expr multiply(const z3::expr& a, const z3::expr& b) {
    has_products_ = has_products_ || (!a.is_numeral() && !b.is_numeral());
    return a * b;
  }

  z3::expr product(Expr expr) {
    z3::expr result = value(expr.operands()[0]);
    factors_.push_back(result);
    for (const Expr operand : expr.operands().subspan(1)) {
      const z3::expr factor = value(operand).simplify();
      factors_.push_back(factor);
      const z3::expr next = multiply(result, factor);
      facts_.push_back(z3::implies(result == 0 || factor == 0, next == 0));
      result = next.simplify();
    }
    return result;
  }

  z3::expr quotient(Expr dividend, Expr divisor) {
    const auto key = std::pair(dividend.id(), divisor.id());
    if (const auto known = quotients_.find(key); known != quotients_.end()) return known->second;
    const z3::expr x = value(dividend);
    const z3::expr n = value(divisor).simplify();
    const z3::expr q = unknown("q");
    quotients_.insert({key, q});
    divisors_.push_back(n);
    unknown_quotients_.push_back(q);
    const z3::expr whole = multiply(n, q);
    bounds_.push_back({n > 0, x - whole});
    bounds_.push_back({n > 0, whole + n - 1 - x});
    bounds_.push_back({n < 0, whole - x});
    bounds_.push_back({n < 0, x - whole - n - 1});
    for (std::size_t i = bounds_.size() - 4; i < bounds_.size(); ++i) {
      facts_.push_back(z3::implies(bounds_[i].condition, bounds_[i].not_negative >= 0).simplify());
    }
    return q;
  }

  z3::expr extremum(Expr expr) {
    const z3::expr result = unknown("m");
    z3::expr is_one = z3_.bool_val(false);
    for (const Expr operand : expr.operands()) {
      const z3::expr one = value(operand);
      facts_.push_back(expr.is(ExprKind::kMin) ? result <= one : result >= one);
      is_one = is_one || result == one;
    }
    facts_.push_back(is_one);
    return result;
  }

  z3::context& z3_;
  const std::map<VariableId, std::int64_t>& numbers_;
  z3::expr_vector facts_;
  std::map<std::uint32_t, z3::expr> values_;  // by the id of the expression
  std::map<std::pair<std::uint32_t, std::uint32_t>, z3::expr> quotients_;
  std::vector<z3::expr> divisors_;
  std::vector<z3::expr> unknown_quotients_;
  std::vector<z3::expr> factors_;
  std::vector<Implied> bounds_;
  std::vector<std::pair<VariableId, z3::expr>> variables_;
  int unknowns_ = 0;
  bool has_products_ = false;
};

// The divisors by which an expression divides.
void collect_divisors(Expr expr, std::set<std::uint32_t>& seen, std::vector<Expr>& divisors) {
  if (!seen.insert(expr.id()).second) return;
  if (expr.is(ExprKind::kFloorDiv) || expr.is(ExprKind::kMod)) divisors.push_back(expr.divisor());
  for (const Expr operand : expr.operands()) collect_divisors(operand, seen, divisors);
}

std::vector<Expr> divisors_of(Expr expr) {
  std::set<std::uint32_t> seen;
  std::vector<Expr> divisors;
  collect_divisors(expr, seen, divisors);
  return divisors;
}

// `p >= 0 and e >= 0 imply p*e >= 0`.
z3::expr law_of_products(const z3::expr& p, const z3::expr& condition, const z3::expr& e) {
  return z3::implies(p >= 0 && condition && e >= 0, p * e >= 0);
}

// As sums of products, so that equal products are equal unknowns.
z3::expr expanded(const z3::expr& e) {
  z3::params parameters(e.ctx());
  parameters.set("som", true);
  return e.simplify(parameters);
}

bool is_operation(const z3::expr& e, Z3_decl_kind kind) {
  return e.is_app() && e.decl().decl_kind() == kind;
}

// The operands of `e` if it is that operation, those within its operands included; else itself.
std::vector<z3::expr> operands_of(const z3::expr& e, Z3_decl_kind kind) {
  if (!is_operation(e, kind)) return {e};
  std::vector<z3::expr> operands;
  for (unsigned i = 0; i < e.num_args(); ++i) {
    for (const z3::expr& operand : operands_of(e.arg(i), kind)) operands.push_back(operand);
  }
  return operands;
}

// The sum of products `e` divided by what is a factor of every product, numbers aside: it is zero
// only if one of the factors or the result is.
z3::expr without_common_factors(const z3::expr& e) {
  z3::expr result = expanded(e);
  const auto factors_of = [](const z3::expr& term) { return operands_of(term, Z3_OP_MUL); };
  const auto place = [](const std::vector<z3::expr>& factors, const z3::expr& factor) {
    return std::ranges::find_if(factors, [&](const z3::expr& f) { return z3::eq(f, factor); });
  };
  const std::vector<z3::expr> first = factors_of(operands_of(result, Z3_OP_ADD)[0]);
  for (const z3::expr& factor : first) {
    if (factor.is_numeral()) continue;
    z3::expr sum = e.ctx().int_val(0);
    bool is_common = true;
    for (const z3::expr& term : operands_of(result, Z3_OP_ADD)) {
      std::vector<z3::expr> factors = factors_of(term);
      const auto found = place(factors, factor);
      is_common = is_common && found != factors.end();
      if (!is_common) break;
      factors.erase(found);
      z3::expr product = e.ctx().int_val(1);
      for (const z3::expr& other : factors) product = product * other;
      sum = sum + product;
    }
    if (is_common) result = expanded(sum);
  }
  return result;
}

bool holds(const Condition& condition, const VariableValues& values) {
  const std::optional<std::int64_t> value = evaluate(condition.expr, values);
  if (!value) return false;
  switch (condition.kind) {
    case Condition::Kind::kNotNegative:
      return *value >= 0;
    case Condition::Kind::kZero:
      return *value == 0;
    case Condition::Kind::kNotZero:
      return *value != 0;
  }
  __builtin_unreachable();
}

}  // namespace

void require_in(std::vector<Condition>& conditions, Expr expr, Interval range) {
  ExprContext& context = expr.context();
  if (range.lo != Interval::kMinusInfinity) {
    const Term terms[] = {{expr, 1}, {context.constant(range.lo), -1}};
    conditions.push_back({context.sum(terms)});
  }
  if (range.hi != Interval::kPlusInfinity) {
    const Term terms[] = {{expr, -1}, {context.constant(range.hi), 1}};
    conditions.push_back({context.sum(terms)});
  }
}

struct Z3Prover::Impl {
  z3::context z3;
  z3::solver linear{z3};    // products are unknowns
  z3::solver products{z3};  // Z3's own means for products

  Impl() {
    z3::params parameters(z3);
    parameters.set("rlimit", kLinearEffort);
    parameters.set("smt.arith.nl", false);
    linear.set(parameters);
    z3::params more(z3);
    more.set("rlimit", kProductEffort);
    products.set(more);
  }

  z3::expr statement(Translation& translation, const Condition& condition);
  void add_laws(const Claim& claim, Translation& translation, const z3::expr& difference,
                z3::expr_vector& assertions);
  Proof refutation(const Claim& claim, const std::map<VariableId, std::int64_t>& numbers,
                   const Translation& translation, const z3::model& model);
};

Z3Prover::Z3Prover() : impl_(std::make_unique<Impl>()) {}
Z3Prover::~Z3Prover() = default;

z3::expr Z3Prover::Impl::statement(Translation& translation, const Condition& condition) {
  const z3::expr value = translation.value(condition.expr);
  switch (condition.kind) {
    case Condition::Kind::kNotNegative:
      return value >= 0;
    case Condition::Kind::kZero:
      return value == 0;
    case Condition::Kind::kNotZero:
      return value != 0;
  }
  __builtin_unreachable();
}

// The instances of the law of products that proofs about quotients take: divisors and their factors
// times whatever is not negative.
void Z3Prover::Impl::add_laws(const Claim& claim, Translation& translation,
                              const z3::expr& difference, z3::expr_vector& assertions) {
  std::vector<z3::expr> multipliers;
  const auto add_multiplier = [&](const z3::expr& e) {
    const auto is_same = [&](const z3::expr& other) { return z3::eq(other, e); };
    if (!e.is_numeral() && std::ranges::none_of(multipliers, is_same)) multipliers.push_back(e);
  };
  for (const z3::expr& divisor : translation.divisors()) {
    add_multiplier(divisor);
    add_multiplier((-divisor).simplify());
  }
  for (const z3::expr& factor : translation.factors()) {
    add_multiplier(factor.simplify());
    add_multiplier((-factor).simplify());
  }
  const z3::expr always = z3.bool_val(true);
  std::vector<Translation::Implied> candidates = translation.bounds_of_quotients();
  const z3::expr factor_free = without_common_factors(difference);
  assertions.push_back(z3::implies(factor_free == 0, difference == 0));
  candidates.push_back({always, factor_free - 1});
  candidates.push_back({always, -factor_free - 1});
  for (const z3::expr& multiplier : multipliers) candidates.push_back({always, multiplier - 1});
  for (const Condition& condition : claim.given) {
    const z3::expr value = translation.value(condition.expr);
    if (condition.kind == Condition::Kind::kNotNegative) candidates.push_back({always, value});
    if (condition.kind != Condition::Kind::kZero) continue;
    for (const z3::expr& quotient : translation.quotients()) {
      assertions.push_back(z3::implies(value == 0, value * quotient == 0));
    }
    for (const z3::expr& multiplier : multipliers) {
      assertions.push_back(z3::implies(value == 0, value * multiplier == 0));
    }
  }
  for (const z3::expr& multiplier : multipliers) {
    for (const Translation::Implied& candidate : candidates) {
      assertions.push_back(
          law_of_products(multiplier, candidate.condition, candidate.not_negative));
    }
  }
}

// The counterexample that Z3 found, if evaluation confirms it: with products it may be none.
Proof Z3Prover::Impl::refutation(const Claim& claim,
                                 const std::map<VariableId, std::int64_t>& numbers,
                                 const Translation& translation, const z3::model& model) {
  std::map<VariableId, std::int64_t> values = numbers;
  for (const auto& [id, unknown] : translation.variables()) {
    const z3::expr value = model.eval(unknown, /*model_completion=*/true);
    std::int64_t integer = 0;
    if (!value.is_numeral_i64(integer)) return {};
    values[id] = integer;
  }
  std::vector<std::int64_t> by_kind[3];
  std::string text;
  for (const auto& [id, value] : values) {
    std::vector<std::int64_t>& of_kind = by_kind[static_cast<int>(id.kind)];
    if (of_kind.size() <= id.index) of_kind.resize(id.index + 1);
    of_kind[id.index] = value;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", default_variable_name(id), value);
  }
  const VariableValues point = {by_kind[0], by_kind[1], by_kind[2]};
  const auto is_given = [&](const Condition& condition) { return holds(condition, point); };
  const std::optional<std::int64_t> before = evaluate(claim.before, point);
  if (!before || !std::ranges::all_of(claim.given, is_given)) return {};
  if (evaluate(claim.after, point) == before) return {};
  return {.verdict = Verdict::kRefuted, .counterexample = text};
}

Proof Z3Prover::prove(const Claim& claim, const std::map<VariableId, std::int64_t>& numbers) {
  Translation translation(impl_->z3, numbers);
  z3::expr_vector assertions(impl_->z3);
  for (const Condition& condition : claim.given) {
    assertions.push_back(impl_->statement(translation, condition));
  }
  const z3::expr before = translation.value(claim.before);
  const z3::expr after = translation.value(claim.after);
  const z3::expr difference = before - after;
  // Conditions may divide as well; where they have no value, nothing is claimed.
  std::vector<Expr> divisors = divisors_of(claim.before);
  for (const Condition& condition : claim.given) {
    const std::vector<Expr> more = divisors_of(condition.expr);
    divisors.insert(divisors.end(), more.begin(), more.end());
  }
  for (const Expr divisor : divisors) assertions.push_back(translation.value(divisor) != 0);
  z3::expr is_wrong = difference != 0;
  for (const Expr divisor : divisors_of(claim.after)) {
    is_wrong = is_wrong || translation.value(divisor) == 0;
  }
  assertions.push_back(is_wrong);
  if (translation.has_products()) impl_->add_laws(claim, translation, difference, assertions);
  for (const z3::expr& fact : translation.facts()) assertions.push_back(fact);

  Proof proof;
  for (z3::solver* solver : {&impl_->linear, &impl_->products}) {
    solver->push();
    for (const z3::expr& assertion : assertions) solver->add(expanded(assertion));
    const z3::check_result result = solver->check();
    if (result == z3::unsat) {
      proof.verdict = Verdict::kProved;
    } else if (result == z3::sat) {
      proof = impl_->refutation(claim, numbers, translation, solver->get_model());
    }
    solver->pop();
    if (proof.verdict != Verdict::kUnknown || !translation.has_products()) break;
  }
  return proof;
}

bool Z3Prover::law_of_products_holds() {
  z3::solver solver(impl_->z3);
  const z3::expr p = impl_->z3.int_const("p");
  const z3::expr e = impl_->z3.int_const("e");
  solver.add(!law_of_products(p, impl_->z3.bool_val(true), e));
  return solver.check() == z3::unsat;
}

}  // namespace mercator::test
