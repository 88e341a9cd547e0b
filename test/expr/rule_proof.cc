#include "test/expr/rule_proof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "mercator/expr/text.h"
#include "test/expr/rule_statement.h"

namespace mercator::test {
namespace {

constexpr std::int64_t kLargestInteger = 32;
constexpr std::size_t kMaxNumbered = 3;
// More than any instance here takes.
constexpr std::int64_t kMuchWork = 1'000'000;

using Numbers = Z3Prover::Numbers;
using Statement = std::variant<Claim, Equivalence>;

std::vector<std::int64_t> values_of(VariableId id) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i <= kLargestInteger; ++i) {
    if (i > 0 || !is_positive_integer(id)) values.push_back(i);
    if (i > 0 && !is_positive_integer(id)) values.push_back(-i);
  }
  return values;
}

Expr with_numbers(Expr expr, const Numbers& numbers) {
  return substitute(expr, [&](VariableId id) {
    const auto found = numbers.find(id);
    return found == numbers.end() ? Expr() : expr.context().constant(found->second);
  });
}

// Whether a condition that speaks of these numbers alone is broken.
bool is_excluded(const Statement& statement, const Numbers& numbers) {
  const Conditions& given =
      std::visit([](const auto& claim) -> const Conditions& { return claim.given; }, statement);
  return std::ranges::any_of(given, [&](const Condition& condition) {
    if (condition.kind != Condition::Kind::kZero) return false;
    const Expr value = with_numbers(condition.expr, numbers);
    return value.is(ExprKind::kConstant) && value.value() != 0;
  });
}

// What the rule divides by before it is applied.
std::vector<Expr> divisors_before(const Statement& statement) {
  if (const Claim* claim = std::get_if<Claim>(&statement)) return divisors_of(claim->before);
  std::vector<Expr> divisors;
  for (const Condition& condition : std::get<Equivalence>(statement).before) {
    const std::vector<Expr> more = divisors_of(condition.expr);
    divisors.insert(divisors.end(), more.begin(), more.end());
  }
  return divisors;
}

bool is_large(Expr divisor, const Numbers& numbers) {
  const Expr value = with_numbers(divisor, numbers);
  return value.is(ExprKind::kConstant) && value.value() > kLargestInteger;
}

// Sets of integers to take value by value: those of divisors alone first, then small sets.
std::vector<std::vector<VariableId>> subsets_of(const RuleStatement& statement) {
  const std::vector<VariableId>& integers = statement.integers;
  const UsedVariables in_divisors = used_variables(divisors_before(statement.claim));
  const auto order = [&](const std::vector<VariableId>& subset) {
    std::int64_t instances = 1;
    bool has_others = false;
    for (const VariableId id : subset) {
      instances *= std::ssize(values_of(id));
      has_others = has_others || !in_divisors.contains(id);
    }
    return std::pair(has_others, instances);
  };
  std::vector<std::vector<VariableId>> subsets;
  for (std::uint32_t mask = 0; mask < (1U << integers.size()); ++mask) {
    std::vector<VariableId> subset;
    for (std::size_t i = 0; i < integers.size(); ++i) {
      if ((mask >> i & 1) != 0) subset.push_back(integers[i]);
    }
    if (subset.size() <= kMaxNumbered) subsets.push_back(subset);
  }
  std::ranges::stable_sort(subsets, {}, order);
  return subsets;
}

std::string method_of(std::span<const VariableId> numbered, bool is_limited,
                      std::int64_t instances) {
  if (numbered.empty()) return "symbolic";
  std::string text;
  for (const VariableId id : numbered) {
    text += fmt::format("{}{} in [{}, {}]", text.empty() ? "" : ", ", letter_of(id),
                        values_of(id).front() == 0 ? -kLargestInteger : 1, kLargestInteger);
  }
  return fmt::format("for every {}{}: {} instances", text,
                     is_limited ? fmt::format(", divisors up to {}", kLargestInteger) : "",
                     instances);
}

// All values of the integers in `numbered`, until one of them is not proved.
StatementProof prove_instances(const Statement& statement, std::span<const VariableId> numbered,
                               Z3Prover& prover) {
  const std::vector<Expr> divisors = divisors_before(statement);
  std::vector<std::vector<std::int64_t>> values;
  for (const VariableId id : numbered) values.push_back(values_of(id));
  std::vector<std::size_t> places(numbered.size(), 0);
  std::int64_t instances = 0;
  bool is_limited = false;
  while (true) {
    Numbers numbers;
    for (std::size_t i = 0; i < numbered.size(); ++i) numbers[numbered[i]] = values[i][places[i]];
    const auto is_too_large = [&](Expr divisor) { return is_large(divisor, numbers); };
    if (std::ranges::any_of(divisors, is_too_large)) {
      is_limited = true;
    } else if (!is_excluded(statement, numbers)) {
      ++instances;
      const Proof proof =
          std::visit([&](const auto& claim) { return prover.prove(claim, numbers); }, statement);
      if (proof.verdict != Verdict::kProved) {
        return {proof, method_of(numbered, is_limited, instances)};
      }
    }
    std::size_t i = 0;
    while (i < places.size() && ++places[i] == values[i].size()) places[i++] = 0;
    if (i == places.size()) break;
  }
  return {{.verdict = Verdict::kProved}, method_of(numbered, is_limited, instances)};
}

// `numbered` is what to try first, and becomes what it took.
StatementProof prove_one(const RuleStatement& statement, std::vector<VariableId>& numbered,
                         Z3Prover& prover) {
  const auto occurs = [&](VariableId id) {
    return std::ranges::find(statement.integers, id) != statement.integers.end();
  };
  std::erase_if(numbered, std::not_fn(occurs));
  const std::vector<VariableId> first = numbered;
  StatementProof last = prove_instances(statement.claim, first, prover);
  for (const std::vector<VariableId>& subset : subsets_of(statement)) {
    if (last.proof.verdict != Verdict::kUnknown) break;
    if (subset == first) continue;
    numbered = subset;
    last = prove_instances(statement.claim, numbered, prover);
  }
  return last;
}

std::string describe(const Condition& condition) {
  static constexpr const char* kSigns[] = {">= 0", "= 0", "!= 0", "has a value"};
  return fmt::format("{} {}", to_string(condition.expr), kSigns[static_cast<int>(condition.kind)]);
}

}  // namespace

StatementProof prove_statement(const SimplifierRule& rule, Z3Prover& prover) {
  ExprContext context;
  const Result<std::vector<RuleStatement>> statements = read_statements(rule, context);
  if (!statements) return {.proof = {}, .method = statements.error().message};
  StatementProof result = {.proof = {.verdict = Verdict::kProved}, .method = {}};
  std::vector<std::string> methods;
  std::vector<VariableId> numbered;  // what one takes, the next may take as well
  for (const RuleStatement& statement : *statements) {
    StatementProof one = prove_one(statement, numbered, prover);
    if (one.proof.verdict != Verdict::kProved) {
      one.method += statement.name.empty() ? "" : ", " + statement.name;
      return one;
    }
    if (std::ranges::find(methods, one.method) == methods.end()) methods.push_back(one.method);
  }
  result.method = fmt::format("{}", fmt::join(methods, "; "));
  const bool is_about_values = std::holds_alternative<Claim>(statements->front().claim);
  if (is_about_values && statements->size() > 1) result.method += ", for min and for max";
  return result;
}

std::string describe(const Conditions& conditions) {
  std::string text;
  for (const Condition& condition : conditions) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", describe(condition));
  }
  return text;
}

std::string describe(const Claim& claim) {
  return fmt::format("{} -> {} if {}", to_string(claim.before), to_string(claim.after),
                     describe(claim.given));
}

void CodeProver::check(const Claim& claim, CodeProof& result) {
  ++result.fired;
  std::set<std::string>& seen = claims_[&result];
  if (claim.before == claim.after || static_cast<std::int64_t>(seen.size()) >= limit_) return;
  if (!seen.insert(describe(claim)).second) return;
  const Proof proof = prover_.prove(claim);
  if (proof.verdict == Verdict::kProved) {
    ++result.proved;
    return;
  }
  result.failures.push_back(fmt::format("{}: {}", describe(claim),
                                        proof.verdict == Verdict::kRefuted
                                            ? "wrong at " + proof.counterexample
                                            : "cannot be proved"));
}

void CodeProver::add(const QuotientInstance& instance, ExprContext& context,
                     std::span<const Apply> functions, std::span<CodeProof> results) {
  internal::NormalForm normal_form;
  normal_form.start_work(context, kMuchWork);
  normal_form.set_bounds({.dimensions = instance.bounds});
  Claim claim;
  for (std::uint32_t i = 0; i < instance.bounds.size(); ++i) {
    require_in(claim.given, context.dimension(i), instance.bounds[i]);
  }
  for (const KnownRange& fact : instance.facts) {
    normal_form.assume(fact.expr, fact.range);
    require_in(claim.given, fact.expr, fact.range);
  }
  const Expr numerator = normal_form.normalize(instance.numerator);
  const internal::QuotientProblem problem(normal_form, numerator, instance.divisor);
  claim.before = problem.expr();
  for (const std::int64_t work : {kMuchWork, std::int64_t{-1}}) {
    for (std::size_t i = 0; i < functions.size(); ++i) {
      normal_form.start_work(context, work);
      internal::QuotientProblem changed = problem;
      if (!functions[i](changed)) continue;
      claim.after = changed.expr();
      check(claim, results[i]);
    }
  }
}

}  // namespace mercator::test
