// From the normal form to the cheapest form. For the files of this folder only.

#pragma once

#include "mercator/expr/normal_form.h"

namespace mercator::internal {

// Writes expressions that are in normal form with as few operations as it finds: remainders where
// they save terms, and terms and constants inside a quotient where that makes them vanish outside.
class Presentation {
 public:
  explicit Presentation(NormalForm& normal_form) : normal_form_(normal_form) {}

  // As the whole of what is wanted: a constant that is added last is free there.
  Expr present(Expr expr);
  // Whether the normal form of what `present` returned last is what it was given, for certain: all
  // that it did was to write remainders as they stood there, or to move multiples that come back.
  [[nodiscard]] bool was_exact() const { return is_exact_; }

  // `dividend mod divisor`, of a dividend in normal form, a remainder whatever becomes of it.
  Expr present_remainder(const Remainder& remainder);

 private:
  // As a part of something else.
  Expr present_part(Expr expr);
  Expr compute(Expr expr);
  Expr present_sum(Expr sum, bool is_part);
  using Terms = InlineVector<Term, 12>;
  struct Reduced {
    Terms terms;
    std::size_t more = 0;  // how many of them, the last, come from what was given beside the sum
    std::int64_t constant = 0;
  };
  Reduced reduced(const SumView& sum, std::span<const Term> more, std::int64_t m);
  Expr present_reduced(const Reduced& reduced);
  [[nodiscard]] static bool is_same(const Reduced& reduced, const SumView& sum);
  Expr cheaper(Expr dividend, Expr x, std::int64_t m);
  void add_presented(const SumView& sum, Terms& terms);
  Expr present_numerator(Expr numerator, Expr before);
  // Moves what it can from `outside` into the numerator of one of its quotients; null if nothing
  // can.
  Expr absorb(Expr outside, Term& quotient, bool is_part);
  bool loses_multiples_first(Expr dividend, std::int64_t n);
  ExprContext& context() { return normal_form_.context(); }

  NormalForm& normal_form_;
  bool is_exact_ = true;
};

}  // namespace mercator::internal
