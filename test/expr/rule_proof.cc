#include "test/expr/rule_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "mercator/expr/text.h"
#include "test/expr/rule_statement.h"

namespace mercator::test {
namespace {

constexpr std::int64_t kLargestInteger = 32;
constexpr std::int64_t kMaxInstances = 100'000;
// More than any instance here takes.
constexpr std::int64_t kMuchWork = 1'000'000;

using Numbers = std::map<VariableId, std::int64_t>;

std::vector<std::int64_t> values_of(VariableId id) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i <= kLargestInteger; ++i) {
    if (i > 0 || !is_positive_integer(id)) values.push_back(i);
    if (i > 0 && !is_positive_integer(id)) values.push_back(-i);
  }
  return values;
}

// Whether a condition that speaks of these numbers alone is broken.
bool is_excluded(const Claim& claim, const Numbers& numbers) {
  return std::ranges::any_of(claim.given, [&](const Condition& condition) {
    if (condition.kind != Condition::Kind::kZero) return false;
    const Expr value = substitute(condition.expr, [&](VariableId id) {
      const auto found = numbers.find(id);
      return found == numbers.end() ? Expr() : condition.expr.context().constant(found->second);
    });
    return value.is(ExprKind::kConstant) && value.value() != 0;
  });
}

// The subsets of the integers, smallest first.
std::vector<std::vector<VariableId>> subsets_of(std::span<const VariableId> integers) {
  std::vector<std::vector<VariableId>> subsets;
  for (std::uint32_t mask = 0; mask < (1U << integers.size()); ++mask) {
    std::vector<VariableId>& subset = subsets.emplace_back();
    for (std::size_t i = 0; i < integers.size(); ++i) {
      if ((mask >> i & 1) != 0) subset.push_back(integers[i]);
    }
  }
  const auto instances = [](const std::vector<VariableId>& subset) {
    double count = 1;
    for (const VariableId id : subset) count *= static_cast<double>(values_of(id).size());
    return count;
  };
  std::ranges::stable_sort(subsets, {}, instances);
  std::erase_if(subsets, [&](const auto& subset) {
    return instances(subset) > static_cast<double>(kMaxInstances);
  });
  return subsets;
}

std::string method_of(std::span<const VariableId> numbered, std::int64_t instances) {
  if (numbered.empty()) return "symbolic";
  std::string text;
  for (const VariableId id : numbered) {
    text += fmt::format("{}{} in [{}, {}]", text.empty() ? "" : ", ", letter_of(id),
                        values_of(id).front() == 0 ? -kLargestInteger : 1, kLargestInteger);
  }
  return fmt::format("for every {}: {} instances", text, instances);
}

// All values of the integers in `numbered`, until one of them is not proved.
StatementProof prove_instances(const Claim& claim, std::span<const VariableId> numbered,
                               Z3Prover& prover) {
  std::vector<std::vector<std::int64_t>> values;
  for (const VariableId id : numbered) values.push_back(values_of(id));
  std::vector<std::size_t> places(numbered.size(), 0);
  std::int64_t instances = 0;
  while (true) {
    Numbers numbers;
    for (std::size_t i = 0; i < numbered.size(); ++i) numbers[numbered[i]] = values[i][places[i]];
    if (!is_excluded(claim, numbers)) {
      ++instances;
      const Proof proof = prover.prove(claim, numbers);
      if (proof.verdict != Verdict::kProved) return {proof, method_of(numbered, instances)};
    }
    std::size_t i = 0;
    while (i < places.size() && ++places[i] == values[i].size()) places[i++] = 0;
    if (i == places.size()) break;
  }
  return {{.verdict = Verdict::kProved}, method_of(numbered, instances)};
}

StatementProof prove_one(const RuleStatement& statement, Z3Prover& prover) {
  StatementProof last;
  for (const std::vector<VariableId>& numbered : subsets_of(statement.integers)) {
    last = prove_instances(statement.claim, numbered, prover);
    if (last.proof.verdict != Verdict::kUnknown) break;
  }
  return last;
}

}  // namespace

StatementProof prove_statement(const SimplifierRule& rule, Z3Prover& prover) {
  ExprContext context;
  const Result<std::vector<RuleStatement>> statements = read_statements(rule, context);
  if (!statements) return {.proof = {}, .method = statements.error().message};
  StatementProof result;
  for (const RuleStatement& statement : *statements) {
    result = prove_one(statement, prover);
    if (result.proof.verdict != Verdict::kProved) return result;
  }
  if (statements->size() > 1) result.method += ", for min and for max";
  return result;
}

std::string describe(const Claim& claim) {
  std::string text = fmt::format("{} -> {}", to_string(claim.before), to_string(claim.after));
  static constexpr const char* kSigns[] = {">= 0", "= 0", "!= 0"};
  for (const Condition& condition : claim.given) {
    text +=
        fmt::format("; {} {}", to_string(condition.expr), kSigns[static_cast<int>(condition.kind)]);
  }
  return text;
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
  internal::NormalForm normal_form(context);
  normal_form.limit_work(kMuchWork);
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
      normal_form.limit_work(work);
      internal::QuotientProblem changed = problem;
      if (!functions[i](changed)) continue;
      claim.after = changed.expr();
      check(claim, results[i]);
    }
  }
}

}  // namespace mercator::test
