// Proofs of the rules of the simplifier: of what a rule says, of what its code does, and of the
// steps that the simplifier takes.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "mercator/expr/normal_form.h"
#include "mercator/expr/simplifier.h"
#include "test/expr/z3_proof.h"

namespace mercator::test {

// How the statements of a rule were proved: for all values of their integers, or for each of some
// values.
struct StatementProof {
  Proof proof;
  std::string method;  // "symbolic", "for every n in [1, 32]: 32 instances"
};

// Proves that the rule says nothing wrong; every integer that is not taken value by value is an
// unknown. Those that are take every value: positive ones up to 32, others within 32 of zero. The
// fewest integers with which Z3 manages are taken so; a combination that the guard excludes, or
// with a divisor above 32, is left out. kUnknown also for a text that cannot be read; `method` then
// says why.
[[nodiscard]] StatementProof prove_statement(const SimplifierRule& rule, Z3Prover& prover);

// A problem for the rules of quotients: what to divide by what, over which domain.
struct QuotientInstance {
  std::vector<Interval> bounds;   // of d0, d1, …
  std::vector<KnownRange> facts;  // given to NormalForm::assume
  Expr numerator;                 // in any form
  std::int64_t divisor = 1;
};

// What the proofs of a function found.
struct CodeProof {
  std::int64_t fired = 0;   // instances that it changed
  std::int64_t proved = 0;  // distinct claims of those
  std::vector<std::string> failures = {};
};

// Applies a function for quotients to each instance once, twice over: as it is, and when no work is
// left, so that whatever it asks of the normal form comes back plain. Z3 proves that the value
// stays, of at most `limit` distinct changes.
class CodeProver {
 public:
  using Apply = std::function<bool(internal::QuotientProblem&)>;

  CodeProver(Z3Prover& prover, std::int64_t limit) : prover_(prover), limit_(limit) {}

  // `results[i]` is about `functions[i]`. The instance belongs to `context`.
  void add(const QuotientInstance& instance, ExprContext& context, std::span<const Apply> functions,
           std::span<CodeProof> results);

 private:
  void check(const Claim& claim, CodeProof& result);

  Z3Prover& prover_;
  std::int64_t limit_;
  std::map<CodeProof*, std::set<std::string>> claims_;
};

// What was claimed, as text.
[[nodiscard]] std::string describe(const Claim& claim);
[[nodiscard]] std::string describe(const Conditions& conditions);

}  // namespace mercator::test
