// Proofs about expressions, by Z3: that two expressions have the same value for all integer values
// of their variables that satisfy some conditions.
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

// Something that is said of the value of an expression.
struct Condition {
  enum class Kind : std::uint8_t { kNotNegative, kZero, kNotZero };
  Expr expr;
  Kind kind = Kind::kNotNegative;
};

// Adds `expr in range` to the conditions; an infinite end of the range says nothing.
void require_in(std::vector<Condition>& conditions, Expr expr, Interval range);

// Wherever the conditions hold and `before` has a value, `after` has the same one.
struct Claim {
  std::vector<Condition> given;
  Expr before;
  Expr after;
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

  // Proves the claim with these numbers in place of some variables and all integers for the others.
  // An answer of kRefuted has been checked by evaluation.
  [[nodiscard]] Proof prove(const Claim& claim,
                            const std::map<VariableId, std::int64_t>& numbers = {});

  // Whether the law that proofs with products rest on holds, for all integers.
  [[nodiscard]] bool law_of_products_holds();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mercator::test
