#include "test/expr/z3_proof.h"

#include <fmt/format.h>
#include <z3++.h>

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include "mercator/expr/text.h"
#include "test/expr/z3_translation.h"

namespace mercator::test {
namespace {

// In Z3's steps; a second is up to three million of them, but far less for many products.
constexpr unsigned kLinearEffort = 1'000'000;
constexpr unsigned kLawsEffort = 100'000;  // linear, with products as unknowns
constexpr unsigned kProductEffort = 100'000;

// The divisors by which an expression divides.
void collect_divisors(Expr expr, std::set<std::uint32_t>& seen, std::vector<Expr>& divisors) {
  if (!seen.insert(expr.id()).second) return;
  if (expr.is(ExprKind::kFloorDiv) || expr.is(ExprKind::kMod)) divisors.push_back(expr.divisor());
  for (const Expr operand : expr.operands()) collect_divisors(operand, seen, divisors);
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
    case Condition::Kind::kHasValue:
      return true;
  }
  __builtin_unreachable();
}

bool holds(const Conditions& conditions, const VariableValues& values) {
  return std::ranges::all_of(conditions, [&](const Condition& c) { return holds(c, values); });
}

bool holds(const Implication& implication, const VariableValues& values) {
  return !holds(implication.premises, values) || holds(implication.conclusions, values);
}

// What Z3 is asked: whether the conditions and implications can hold together with what would be
// wrong.
struct Question {
  const Conditions& given;
  std::span<const Implication> implications;
  z3::expr is_wrong;
  // Of what should be equal, or what should not be negative: what laws about products may be about.
  z3::expr difference;
  // Whether it is wrong where conditions and implications hold.
  std::function<bool(const VariableValues&)> is_counterexample;
};

}  // namespace

std::vector<Expr> divisors_of(Expr expr) {
  std::set<std::uint32_t> seen;
  std::vector<Expr> divisors;
  collect_divisors(expr, seen, divisors);
  return divisors;
}

void require_in(Conditions& conditions, Expr expr, Interval range) {
  ExprContext& context = expr.context();
  if (range.lo != Interval::kMinusInfinity) {
    const Term terms[] = {{expr, 1}, {context.constant(range.lo), -1}};
    conditions.push_back({context.sum(terms)});
  }
  if (range.hi != Interval::kPlusInfinity) {
    const Term terms[] = {{expr, -1}, {context.constant(range.hi), 1}};
    conditions.push_back({context.sum(terms)});
  }
  if (range == Interval::all() && expr.has_variable_divisor()) {
    conditions.push_back({expr, Condition::Kind::kHasValue});
  }
}

struct Z3Prover::Impl {
  z3::context z3;
  z3::solver linear{z3};    // no products
  z3::solver laws{z3};      // products are unknowns
  z3::solver products{z3};  // Z3's own means for products

  Impl() {
    limit(linear, kLinearEffort, /*knows_products=*/false);
    limit(laws, kLawsEffort, /*knows_products=*/false);
    limit(products, kProductEffort, /*knows_products=*/true);
  }

  void limit(z3::solver& solver, unsigned effort, bool knows_products) {
    z3::params parameters(z3);
    parameters.set("rlimit", effort);
    if (!knows_products) parameters.set("smt.arith.nl", false);
    solver.set(parameters);
  }

  Proof answer(const Question& question, Translation& translation, const Numbers& numbers);
  std::vector<z3::expr> cofactors_of_zeros(const Question& question, Translation& translation);
  void add_laws(const Question& question, Translation& translation, z3::expr_vector& assertions);
  Proof refutation(const Question& question, const Numbers& numbers, const Translation& translation,
                   const z3::model& model);
  Proof prove_one(const Conditions& given, std::span<const Implication> implications,
                  const Condition& conclusion, const Numbers& numbers);
};

Z3Prover::Z3Prover() : impl_(std::make_unique<Impl>()) {}
Z3Prover::~Z3Prover() = default;

// What is zero if it is given that some products are: what is left of a condition that something is
// zero without the factors that all of it has in common, and of the difference of two.
std::vector<z3::expr> Z3Prover::Impl::cofactors_of_zeros(const Question& question,
                                                         Translation& translation) {
  std::vector<z3::expr> cofactors;
  std::vector<z3::expr> zeros = {question.difference};
  const auto add_cofactor = [&](const z3::expr& zero) {
    const z3::expr cofactor = without_common_factors(zero);
    if (cofactor.is_numeral() || z3::eq(cofactor, expanded(zero))) return false;
    cofactors.push_back(cofactor);
    return true;
  };
  for (const Condition& condition : question.given) {
    if (condition.kind != Condition::Kind::kZero) continue;
    zeros.push_back(translation.value(condition.expr));
    if (add_cofactor(zeros.back())) zeros.push_back(cofactors.back());
  }
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) add_cofactor(zeros[i] - zeros[j]);
  }
  return cofactors;
}

// The instances of the law of products that proofs about quotients take: divisors and their factors
// times whatever is not negative.
void Z3Prover::Impl::add_laws(const Question& question, Translation& translation,
                              z3::expr_vector& assertions) {
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
  const z3::expr factor_free = without_common_factors(question.difference);
  assertions.push_back(z3::implies(factor_free == 0, question.difference == 0));
  candidates.push_back({always, factor_free - 1});
  candidates.push_back({always, -factor_free - 1});
  for (const z3::expr& multiplier : multipliers) candidates.push_back({always, multiplier - 1});
  for (const z3::expr& e : cofactors_of_zeros(question, translation)) {
    candidates.push_back({always, e - 1});
    candidates.push_back({always, -e - 1});
  }
  for (const Condition& condition : question.given) {
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
Proof Z3Prover::Impl::refutation(const Question& question, const Numbers& numbers,
                                 const Translation& translation, const z3::model& model) {
  Numbers values = numbers;
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
  const auto is_true = [&](const Implication& implication) { return holds(implication, point); };
  if (!holds(question.given, point) || !std::ranges::all_of(question.implications, is_true) ||
      !question.is_counterexample(point)) {
    return {};
  }
  return {.verdict = Verdict::kRefuted, .counterexample = text};
}

Proof Z3Prover::Impl::answer(const Question& question, Translation& translation,
                             const Numbers& numbers) {
  z3::expr_vector assertions(z3);
  assertions.push_back(translation.statement(question.given));
  for (const Implication& implication : question.implications) {
    assertions.push_back(z3::implies(translation.statement(implication.premises),
                                     translation.statement(implication.conclusions)));
  }
  assertions.push_back(question.is_wrong);
  const bool has_products = translation.has_products();
  if (has_products) add_laws(question, translation, assertions);
  for (const z3::expr& fact : translation.facts()) assertions.push_back(fact);

  Proof proof;
  std::vector<z3::solver*> solvers = {has_products ? &laws : &linear};
  if (has_products) solvers.push_back(&products);
  for (z3::solver* solver : solvers) {
    solver->push();
    for (const z3::expr& assertion : assertions) solver->add(expanded(assertion));
    const z3::check_result result = solver->check();
    if (result == z3::unsat) {
      proof.verdict = Verdict::kProved;
    } else if (result == z3::sat) {
      proof = refutation(question, numbers, translation, solver->get_model());
    }
    solver->pop();
    if (proof.verdict != Verdict::kUnknown) break;
  }
  return proof;
}

Proof Z3Prover::prove(const Claim& claim, const Numbers& numbers) {
  Translation translation(impl_->z3, numbers);
  Conditions given = claim.given;
  given.push_back({claim.before, Condition::Kind::kHasValue});
  const z3::expr difference = translation.value(claim.before) - translation.value(claim.after);
  const Question question = {
      .given = given,
      .implications = {},
      .is_wrong = difference != 0 || !translation.has_value(claim.after),
      .difference = difference,
      .is_counterexample =
          [&](const VariableValues& point) {
            return evaluate(claim.after, point) != evaluate(claim.before, point);
          },
  };
  return impl_->answer(question, translation, numbers);
}

// Proves that `conclusion` holds where all that is given does.
Proof Z3Prover::Impl::prove_one(const Conditions& given, std::span<const Implication> implications,
                                const Condition& conclusion, const Numbers& numbers) {
  if (std::ranges::find(given, conclusion) != given.end()) return {.verdict = Verdict::kProved};
  Translation translation(z3, numbers);
  const z3::expr value = translation.value(conclusion.expr);
  const Question question = {
      .given = given,
      .implications = implications,
      .is_wrong = !translation.statement(conclusion),
      .difference = value,
      .is_counterexample = [&](const VariableValues& point) { return !holds(conclusion, point); },
  };
  return answer(question, translation, numbers);
}

Proof Z3Prover::prove(const Equivalence& equivalence, const Numbers& numbers) {
  for (const bool forward : {true, false}) {
    Conditions given = equivalence.given;
    const Conditions& more = forward ? equivalence.before : equivalence.after;
    given.insert(given.end(), more.begin(), more.end());
    for (const Condition& conclusion : forward ? equivalence.after : equivalence.before) {
      Proof proof = impl_->prove_one(given, equivalence.implications, conclusion, numbers);
      if (proof.verdict != Verdict::kProved) return proof;
    }
  }
  return {.verdict = Verdict::kProved};
}

bool Z3Prover::law_of_products_holds() {
  z3::solver solver(impl_->z3);
  const z3::expr p = impl_->z3.int_const("p");
  const z3::expr e = impl_->z3.int_const("e");
  solver.add(!law_of_products(p, impl_->z3.bool_val(true), e));
  return solver.check() == z3::unsat;
}

}  // namespace mercator::test
