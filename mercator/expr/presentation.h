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

  // As the whole of what is wanted: a constant that is added last is free there.
  Expr present(Expr expr);

  // Starts a domain.
  void clear() { dividends_.clear(); }
  // From now on remainders may be written with the dividends of the quotients in `expr`, which has
  // been presented. Not to be called while something is being presented.
  void share_dividends(Expr expr);

 private:
  // The dividend of a quotient.
  struct Dividend {
    Expr expr;
    std::int64_t divisor;
  };

  // As a part of something else.
  Expr present_part(Expr expr);
  Expr compute(Expr expr);
  Expr present_sum(Expr sum, bool is_part);
  Expr present_quotient(Expr numerator, std::int64_t n);
  // x mod m; x need only be congruent to what is meant.
  Expr present_remainder(const Remainder& remainder);
  // Moves what it can from `outside` into the numerator of one of its quotients; null if nothing
  // can.
  Expr absorb(Expr outside, Term& quotient, bool is_part);
  // A shared dividend that leaves the same remainder; null if there is none.
  Expr shared_dividend(Expr x, std::int64_t m);

  NormalForm& normal_form_;
  ExprContext& context_;
  InlineVector<Dividend, 8> dividends_;
};

}  // namespace mercator::internal
