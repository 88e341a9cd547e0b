// From a product of progressions through expressions to a product of progressions: the work of
// `tile_of`. For the files of this folder only.

#pragma once

#include <string>
#include <vector>

#include "mercator/analysis/progression.h"
#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator::internal {

// Independent of each other: together, the variables take all combinations of their values.
struct TileVariable {
  Progression values;
  std::string name;  // for people
};

// All combinations of the variables that satisfy the constraints, taken to `results`. In
// expressions, range variable i is variables[i].
struct TileProblem {
  std::vector<TileVariable> variables;
  std::vector<Expr> results;
  std::vector<Constraint> constraints;
  // Expressions that must be the same for all combinations.
  std::vector<Expr> uniform;
};

struct TileSolution {
  std::vector<Constraint> conditions = {};
  std::vector<Constraint> nonempty = {};
  std::vector<Progression> results = {};
  std::vector<Expr> uniform = {};
};

struct TileSolutions {
  // Where one does not hold, there is no combination, whatever the conditions of the cases.
  std::vector<Constraint> nonempty;
  std::vector<TileSolution> cases;
  std::string otherwise;     // why there are no more; of several reasons, the first ones
  bool is_complete = false;  // whether there is no tile where there is none of the cases
};

// Rewrites the problem until each result is a progression of its own, with a case for each way in
// which that may go on:
//   - a constraint on one variable makes its progression smaller, and a variable that occurs in
//     one constraint only is eliminated (tile_constraints);
//   - variables that occur in one linear combination only become one variable, their sum; one that
//     occurs in one quotient or remainder only gives way to that, and one that occurs in several to
//     its digits (tile_merge, tile_digits);
//   - what is still shared must be a single value, and what is still constrained must not be cut,
//     or along one variable only (tile_cuts).
[[nodiscard]] TileSolutions solve(Assumptions& assumptions, const TileProblem& problem);

}  // namespace mercator::internal
