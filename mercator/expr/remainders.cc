// Finding remainders in sums: `k * x - k * m * (x floordiv m)` is `k * (x mod m)`.

#include <algorithm>
#include <limits>
#include <vector>

#include "mercator/expr/normal_form.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

bool is_flat(const SumView& view) {
  return std::ranges::none_of(
      view.operands, [](Expr e) { return e.is(ExprKind::kSum) || e.is(ExprKind::kConstant); });
}

// sum - k * x - c * q, or null if a coefficient overflows (the context then keeps a sum
// unflattened, of which nothing here could make use).
Expr without(Expr sum, std::int64_t k, Expr x, std::int64_t c, Expr q) {
  std::int64_t minus_k = 0;
  std::int64_t minus_c = 0;
  if (!checked_sub(0, k, &minus_k) || !checked_sub(0, c, &minus_c)) return {};
  const Term terms[] = {{sum, 1}, {x, minus_k}, {q, minus_c}};
  const Expr rest = sum.context().sum(terms);
  return is_flat(SumView(rest)) ? rest : Expr();
}

// (sum without its constant and its term number `left_out`) / k; null if k does not divide it.
Expr others_divided_by(Expr sum, std::size_t left_out, std::int64_t k) {
  InlineVector<Term, 12> terms;
  for (std::size_t i = 0; i < sum.operands().size(); ++i) {
    const std::int64_t c = sum.coefficients()[i];
    if (i == left_out) continue;
    if (c == std::numeric_limits<std::int64_t>::min() || c % k != 0) return {};
    terms.push_back({sum.operands()[i], c / k});
  }
  return sum.context().sum(terms);
}

// A term that may come from a remainder: `multiple * (dividend floordiv divisor)`, where for a
// constant divisor the multiple is the coefficient, and for another it is `coefficient * divisor`.
struct Candidate {
  std::size_t place;  // among the terms
  Expr quotient;
  std::int64_t coefficient;
};

// d * (x floordiv d), a product for a d that is not a constant: its quotient. Null for others.
Expr quotient_of_product(Expr product) {
  for (const Expr factor : product.operands()) {
    if (!factor.is(ExprKind::kFloorDiv) || factor.divisor().is(ExprKind::kConstant)) continue;
    InlineVector<Expr, 4> others;
    bool is_taken = false;
    for (const Expr other : product.operands()) {
      if (other == factor && !is_taken) {
        is_taken = true;
      } else {
        others.push_back(other);
      }
    }
    if (product.context().product(others) == factor.divisor()) return factor;
  }
  return {};
}

// A remainder, as it is found.
struct Found {
  Remainder remainder;
  std::int64_t quotient_coefficient;
  Expr term;  // that the quotient, with that coefficient, is in the sum
};

// Looks for a remainder in a sum. A quotient Q with coefficient c is that of k * (X mod m), where
// c = -k * m and Q is the quotient of X by m. It may be taken out if that leaves fewer terms than
// there were.
class RemainderSearch {
 public:
  RemainderSearch(NormalForm& normal_form, Expr sum)
      : normal_form_(normal_form), sum_(sum), fewest_(sum.operands().size()) {
    for (std::size_t i = 0; i < sum.operands().size(); ++i) {
      const Expr term = sum.operands()[i];
      const std::int64_t c = sum.coefficients()[i];
      if (c == std::numeric_limits<std::int64_t>::min()) continue;
      if (is_constant_quotient(term)) {
        candidates_.push_back({i, term, c});
      } else if (term.is(ExprKind::kProduct)) {
        if (const Expr quotient = quotient_of_product(term)) products_.push_back({i, quotient, c});
      }
    }
  }

  // The remainder that leaves the fewest terms, of those where X is a part of the sum; if there is
  // none, one where X is all of it.
  std::optional<Found> best() {
    for (const Candidate& q : products_) {
      // x mod d is less than a product less, however many terms x has.
      consider(q, -q.coefficient, q.quotient.dividend(), q.quotient.divisor(), 1);
    }
    for (const Candidate& q : candidates_) {
      const std::int64_t divisor = q.quotient.divisor().value();
      if (q.coefficient % divisor == 0) {
        consider(q, -(q.coefficient / divisor), q.quotient.dividend(), q.quotient.divisor());
      }
    }
    // Nothing is left beside it.
    if (best_ && fewest_ == 1) return best_;
    for_each_pair([&](const Candidate& q, std::size_t i, std::int64_t k, std::int64_t m) {
      // Q = N floordiv M is (N floordiv (M/m)) floordiv m.
      const std::int64_t whole = q.quotient.divisor().value();
      if (m < whole && whole % m == 0) {
        consider(q, k, m, normal_form_.quotient(q.quotient.dividend(), whole / m));
      }
      if (is_constant_quotient(sum_.operands()[i])) consider(q, k, m, sum_.operands()[i]);
    });
    if (best_) return best_;
    for_each_pair([&](const Candidate& q, std::size_t, std::int64_t k, std::int64_t m) {
      if (const Expr x = others_divided_by(sum_, q.place, k)) consider(q, k, m, x);
    });
    return best_;
  }

 private:
  // Calls `visit(q, i, k, m)` for a quotient q and another term i with coefficients -k * m and k.
  template <class Visit>
  void for_each_pair(Visit visit) {
    for (const Candidate& q : candidates_) {
      for (std::size_t i = 0; i < sum_.operands().size(); ++i) {
        const std::int64_t c = q.coefficient;
        const std::int64_t k = sum_.coefficients()[i];
        if (i == q.place || (k > 0) == (c > 0)) continue;
        if (normal_form_.is_exhausted()) return;
        normal_form_.spend(1);
        if (c % k == 0 && -(c / k) >= 2) visit(q, i, k, -(c / k));
      }
    }
  }

  // How many terms the sum without one term and k * x has, as long as nothing overflows.
  std::size_t terms_left(std::int64_t k, Expr x) {
    const SumView inner(x);
    const SumView outer(sum_);
    std::size_t left = outer.size() - 1;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const std::int64_t there = outer.coefficient_of(inner.operands[i]);
      std::int64_t taken = 0;
      if (there == 0) {
        ++left;
      } else if (checked_mul(k, inner.coefficients[i], &taken) && there == taken) {
        --left;
      }
    }
    normal_form_.spend(static_cast<std::int64_t>(inner.size() + outer.size()));
    return left;
  }

  void consider(const Candidate& q, std::int64_t k, std::int64_t m, Expr x) {
    if (terms_left(k, x) + 1 >= fewest_ || !(normal_form_.quotient(x, m) == q.quotient)) return;
    consider(q, k, x, normal_form_.context().constant(m));
  }

  // Where Q is known to be the quotient of x by the divisor. The remainder may make the sum
  // `growth` terms larger than it had to be.
  void consider(const Candidate& q, std::int64_t k, Expr x, Expr divisor, std::size_t growth = 0) {
    if (terms_left(k, x) + 1 >= fewest_ + growth) return;
    const Expr term = sum_.operands()[q.place];
    const Expr rest = without(sum_, k, x, q.coefficient, term);
    if (!rest || SumView(rest).size() + 1 >= fewest_ + growth) return;
    fewest_ = SumView(rest).size() + 1;
    best_ = Found{{.coefficient = k, .dividend = x, .divisor = divisor}, q.coefficient, term};
  }

  NormalForm& normal_form_;
  Expr sum_;
  std::size_t fewest_;
  InlineVector<Candidate, 8> candidates_;
  InlineVector<Candidate, 2> products_;
  std::optional<Found> best_;
};

// Takes remainders out of a sum of many terms, in the order of their quotients and looking at each
// quotient once: the search above compares each with each.
class LongSum {
 public:
  explicit LongSum(Expr sum)
      : sum_(sum), left_(sum.coefficients().begin(), sum.coefficients().end()) {}

  Remainders remainders(NormalForm& normal_form) {
    Remainders result = {.remainders = {}, .rest = sum_};
    for (std::size_t q = 0; q < left_.size() && !normal_form.is_exhausted(); ++q) {
      const Expr quotient = sum_.operands()[q];
      if (!is_constant_quotient(quotient) || left_[q] == 0) continue;
      const std::int64_t divisor = quotient.divisor().value();
      const std::int64_t c = left_[q];
      if (c == std::numeric_limits<std::int64_t>::min()) continue;
      if (c % divisor == 0 && take(q, -(c / divisor), quotient.dividend())) {
        result.remainders.push_back({-(c / divisor), quotient.dividend(), quotient.divisor()});
        continue;
      }
      // k * (X mod m) with k = 1 or -1, where Q = N floordiv M is X floordiv m.
      const std::int64_t k = c < 0 ? 1 : -1;
      const std::int64_t m = c < 0 ? -c : c;
      if (m < 2 || m >= divisor || divisor % m != 0) continue;
      const Expr x = normal_form.quotient(quotient.dividend(), divisor / m);
      if (normal_form.quotient(x, m) == quotient && take(q, k, x)) {
        result.remainders.push_back({k, x, normal_form.context().constant(m)});
      }
    }
    if (result.remainders.empty()) return result;
    std::vector<Term> terms;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (left_[i] != 0) terms.push_back({sum_.operands()[i], left_[i]});
    }
    result.rest = sum_.context().sum(terms, constant_);
    return result;
  }

 private:
  // Subtracts k * x and the whole term q, if all terms of x are there.
  bool take(std::size_t q, std::int64_t k, Expr x) {
    const SumView inner(x);
    InlineVector<std::size_t, 12> places;
    InlineVector<std::int64_t, 12> taken;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const auto place =
          std::lower_bound(sum_.operands().begin(), sum_.operands().end(), inner.operands[i],
                           [](Expr a, Expr b) { return compare(a, b) < 0; });
      const auto at = static_cast<std::size_t>(place - sum_.operands().begin());
      std::int64_t product = 0;
      if (place == sum_.operands().end() || !(*place == inner.operands[i]) ||
          !checked_mul(k, inner.coefficients[i], &product) || left_[at] != product) {
        return false;
      }
      places.push_back(at);
      taken.push_back(product);
    }
    std::int64_t constant = 0;
    if (!checked_mul(k, inner.constant, &constant) ||
        !checked_sub(constant_, constant, &constant)) {
      return false;
    }
    constant_ = constant;
    for (const std::size_t at : places) left_[at] = 0;
    left_[q] = 0;
    return true;
  }

  Expr sum_;
  std::vector<std::int64_t> left_;  // of the coefficients
  std::int64_t constant_ = sum_.constant();
};

Remainders remainders_of_long_sum(NormalForm& normal_form, Expr sum) {
  normal_form.spend(static_cast<std::int64_t>(SumView(sum).size()));
  return LongSum(sum).remainders(normal_form);
}

bool may_contain_remainder(Expr expr) {
  return expr.is(ExprKind::kSum) && std::ranges::any_of(expr.operands(), [](Expr term) {
           return is_constant_quotient(term) ||
                  (term.is(ExprKind::kProduct) && term.has_variable_divisor());
         });
}

}  // namespace

Expr NormalForm::quotient_of(const Remainder& remainder) {
  return remainder.divisor.is(ExprKind::kConstant)
             ? quotient(remainder.dividend, remainder.divisor.value())
             : context_.floor_div(remainder.dividend, remainder.divisor);
}

Expr NormalForm::expr_of(const Remainder& remainder) {
  const Expr quotient = quotient_of(remainder);
  if (!remainder.divisor.is(ExprKind::kConstant)) {
    return remainder.dividend - remainder.divisor * quotient;
  }
  const Term terms[] = {{remainder.dividend, 1}, {quotient, -remainder.divisor.value()}};
  return context_.sum(terms);
}

Remainders NormalForm::remainders(Expr expr) {
  if (!may_contain_remainder(expr) || depth_ >= kMaxRecursion)
    return {.remainders = {}, .rest = expr};
  if (const ExprRecord& known = record(expr); known.rest) {
    return {.remainders = InlineVector<Remainder, 3>(
                std::span<const Remainder>(remainder_pool_)
                    .subspan(known.first_remainder, known.remainder_count)),
            .rest = known.rest};
  }
  ++depth_;
  Remainders computed = compute_remainders(expr);
  --depth_;
  ExprRecord& known = record(expr);
  known.rest = computed.rest;
  known.first_remainder = static_cast<std::uint32_t>(remainder_pool_.size());
  known.remainder_count = static_cast<std::uint32_t>(computed.remainders.size());
  remainder_pool_.insert(remainder_pool_.end(), computed.remainders.begin(),
                         computed.remainders.end());
  return computed;
}

Remainders NormalForm::compute_remainders(Expr expr) {
  if (SumView(expr).size() > kManyTerms) return remainders_of_long_sum(*this, expr);
  Remainders result = {.remainders = {}, .rest = expr};
  while (result.rest.is(ExprKind::kSum) && !is_exhausted()) {
    const std::optional<Found> found = RemainderSearch(*this, result.rest).best();
    if (!found) break;
    result.remainders.push_back(found->remainder);
    result.rest = without(result.rest, found->remainder.coefficient, found->remainder.dividend,
                          found->quotient_coefficient, found->term);
  }
  return result;
}

}  // namespace mercator::internal
