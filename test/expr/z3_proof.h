// Proofs about expressions, by Z3: that two expressions have the same value, or that conditions on
// expressions say the same, for all integer values of their variables that satisfy some conditions.
//
// A quotient is handed to Z3 as what it means: a number q with `n*q <= x <= n*q + n - 1` (for a
// negative n the other way round). Products are unknowns of their own, so that Z3 decides linear
// arithmetic; what multiplication must mean for a proof is given as instances of one law, `p >= 0
// and e >= 0 imply p*e >= 0`, for the divisors p and the conditions and quotients e at hand. That
// makes rules with symbolic divisors provable. Effort is limited by Z3's own count of steps, so the
// answers do not depend on the machine.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"

namespace mercator::test {

// Something that is said of the value of an expression. Where that has no value, it does not hold.
struct Condition {
  enum class Kind : std::uint8_t { kNotNegative, kZero, kNotZero, kHasValue };
  Expr expr;
  Kind kind = Kind::kNotNegative;

  friend bool operator==(const Condition&, const Condition&) = default;
};
// All of them hold.
using Conditions = std::vector<Condition>;

// What an expression divides by, each once.
[[nodiscard]] std::vector<Expr> divisors_of(Expr expr);

// Adds `expr in range` to the conditions. An infinite end of the range says nothing, but that the
// expression has a value.
void require_in(Conditions& conditions, Expr expr, Interval range);

// Wherever the conditions hold and `before` has a value, `after` has the same one.
struct Claim {
  Conditions given;
  Expr before;
  Expr after;
};

// Wherever the premises hold, the conclusions do.
struct Implication {
  Conditions premises;
  Conditions conclusions;
};

// Wherever the conditions hold, `before` holds if and only if `after` does, provided that the
// implications are true.
struct Equivalence {
  Conditions given;
  std::vector<Implication> implications;
  Conditions before;
  Conditions after;
};

enum class Verdict : std::uint8_t { kProved, kRefuted, kUnknown };

struct Proof {
  Verdict verdict = Verdict::kUnknown;
  std::string counterexample = {};  // of a refuted claim: values of the variables
};

class Z3Prover {
 public:
  Z3Prover();
  ~Z3Prover();
  Z3Prover(const Z3Prover&) = delete;
  Z3Prover& operator=(const Z3Prover&) = delete;

  // Numbers in place of some variables.
  using Numbers = std::map<VariableId, std::int64_t>;

  // Proves the claim with these numbers and all integers for the other variables. An answer of
  // kRefuted has been checked by evaluation.
  [[nodiscard]] Proof prove(const Claim& claim, const Numbers& numbers = {});
  // The same. The implications are taken to be true of the values of a counterexample, not of all.
  [[nodiscard]] Proof prove(const Equivalence& equivalence, const Numbers& numbers = {});

  // Whether the law that proofs with products rest on holds, for all integers.
  [[nodiscard]] bool law_of_products_holds();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mercator::test
