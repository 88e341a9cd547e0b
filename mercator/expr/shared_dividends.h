// Results computed together may share more than each has by itself. For the files of this folder
// only.

#pragma once

#include <span>

#include "mercator/expr/expr.h"
#include "mercator/support/inline_vector.h"

namespace mercator::internal {

// Remainders of sums of variables that may as well be remainders of the dividend of a quotient, so
// that the dividend is computed once: among some expressions and down to two levels below them.
class SharedDividends {
 public:
  // `mod(before.dividend(), n)` may become `mod(after, n)`.
  struct Replacement {
    Expr before;
    Expr after;
  };

  explicit SharedDividends(std::span<const Expr> exprs);

  [[nodiscard]] std::span<const Replacement> replacements() const { return replacements_; }
  // One of the expressions, with all replacements in it.
  [[nodiscard]] Expr rebuilt(Expr expr) const { return rebuilt(expr, kLevels); }

 private:
  static constexpr int kLevels = 2;

  void look(Expr expr, int levels);
  void add_replacement(Expr remainder);
  [[nodiscard]] Expr rebuilt(Expr expr, int levels) const;

  InlineVector<Expr, 8> dividends_;  // of quotients
  InlineVector<Expr, 8> remainders_;
  InlineVector<Replacement, 4> replacements_;
};

}  // namespace mercator::internal
