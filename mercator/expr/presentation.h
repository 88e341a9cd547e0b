// From the normal form to the cheapest form. For the files of this folder only.

#pragma once

#include "mercator/expr/normal_form.h"

namespace mercator::internal {

// Writes expressions that are in normal form with as few operations as it finds: remainders where
// they save terms, and terms and constants inside a quotient where that makes them vanish outside.
class Presentation {
 public:
  explicit Presentation(NormalForm& normal_form)
      : normal_form_(normal_form), context_(normal_form.context()) {}

  void clear() { presented_.clear(); }
  Expr present(Expr expr);

 private:
  Expr compute(Expr expr);
  Expr present_sum(Expr sum);
  // x mod m; x need only be congruent to what is meant.
  Expr present_remainder(Expr x, std::int64_t m);
  // Moves what it can from `outside` into the numerator of one of its quotients; none if nothing
  // can.
  std::optional<Expr> absorb(Expr outside, Term& quotient);

  NormalForm& normal_form_;
  ExprContext& context_;
  ExprMemo<Expr> presented_;
};

}  // namespace mercator::internal
