// What is known of the points of a domain beyond the bounds of its variables. For the files of this
// folder only.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/sum_view.h"
#include "mercator/support/inline_vector.h"

namespace mercator::internal {

// `base in range`; base has no constant.
struct RangeFact {
  Expr base;
  Interval range;
};

// `base mod modulus = residue`, in [0, modulus - 1]. The base has no constant, its coefficients are
// in [1, modulus - 1] and have no common factor with the modulus, the first one is 1 if it can be.
struct ResidueFact {
  Expr base;
  std::int64_t modulus;
  std::int64_t residue;
  Expr quotient;  // base floordiv modulus, in normal form
};

// The fact that `sum mod modulus = residue`, without a quotient; none if it says nothing of a
// variable.
[[nodiscard]] std::optional<ResidueFact> residue_fact(const SumView& sum, std::int64_t modulus,
                                                      std::int64_t residue);

struct Facts {
  InlineVector<RangeFact, 4> ranges;
  InlineVector<ResidueFact, 2> residues;

  [[nodiscard]] bool empty() const { return ranges.empty() && residues.empty(); }
  void clear() {
    ranges.clear();
    residues.clear();
  }
};

// The k for which `sum` has k times the first term of `base`; none if it has no whole multiple of
// it.
[[nodiscard]] std::optional<std::int64_t> times_within(const SumView& sum, Expr base);

}  // namespace mercator::internal
