// From index expressions to index programs: chooses i32 or i64 for every value from the ranges of
// all of them.

#pragma once

#include <span>

#include "mercator/expr/expr.h"
#include "mercator/expr/index_program.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/simplifier.h"
#include "mercator/expr/text.h"
#include "mercator/support/error.h"

namespace mercator {

// Holds where the value of `expr` lies in `range`: the condition of a load, say.
struct IndexCondition {
  Expr expr;
  Interval range;
};

// What a program is to compute. Does not own what it refers to.
struct IndexComputation {
  std::span<const Expr> results;
  std::span<const IndexCondition> conditions = {};
  // The box: all variables that occur are bounded.
  VariableBounds bounds = {};
  // What is known of each result beyond what follows from the box; empty: nothing. Each result is
  // then of the smallest type that holds its range (or, if that is larger, its value).
  std::span<const Interval> result_ranges = {};
  // For messages.
  VariableNames names = default_variable_name;
};

// The program of a computation, with quotients and remainders as operations. Nothing is simplified
// first.
//
// An operation is i32 if its operands and its result lie in 32 bits everywhere in the box, i64 if
// they lie in 64 bits; so is each partial sum, and sums are added up in an order that avoids i64 if
// there is one. What is needed in another type is converted there. Conditions are no part of the
// results: they become the gate, without those that hold everywhere. Where a divisor is zero, the
// expression has no value; the gate is 0 there, and the program divides by something else.
//
// Fails with kUnsupported, naming the expression, if a value may leave 64 bits or a variable that
// occurs is unbounded. If no point of the box is wanted, the results are 0 and so is the gate.
//
// Requires that the simplifier is for the context of the expressions; starts a domain in it.
[[nodiscard]] Result<IndexProgram> lower(const IndexComputation& computation,
                                         Simplifier& simplifier);

}  // namespace mercator
