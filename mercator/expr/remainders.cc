// Finding remainders in sums: `k * x - k * m * (x floordiv m)` is `k * (x mod m)`.

#include <algorithm>
#include <limits>
#include <vector>

#include "mercator/expr/normal_form.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

// Whether some of the terms may come from remainders.
bool may_contain_remainder(std::span<const Expr> terms) {
  return std::ranges::any_of(terms, [](Expr term) {
    return is_constant_quotient(term) ||
           (term.is(ExprKind::kProduct) && term.has_variable_divisor());
  });
}

// A sum that terms are taken out of, one remainder after another.
class Terms {
 public:
  explicit Terms(Expr sum)
      : constant_(sum.constant()), operands_(sum.operands()), coefficients_(sum.coefficients()) {}

  [[nodiscard]] std::size_t size() const { return operands_.size(); }
  [[nodiscard]] std::span<const Expr> operands() const { return operands_; }
  [[nodiscard]] Expr operand(std::size_t i) const { return operands_[i]; }
  [[nodiscard]] std::int64_t coefficient(std::size_t i) const { return coefficients_[i]; }

  // How many terms there are without the term at `place` and k * x; none if a coefficient would
  // overflow.
  [[nodiscard]] std::optional<std::size_t> size_without(std::size_t place, std::int64_t k,
                                                        Expr x) const {
    const SumView inner(x);
    std::int64_t left = 0;
    if (!subtract(constant_, k, inner.constant, &left)) return std::nullopt;
    std::size_t size = operands_.size() - 1;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const std::size_t at = find(inner.operands[i]);
      const bool is_there = at < operands_.size() && at != place;
      if (!subtract(is_there ? coefficients_[at] : 0, k, inner.coefficients[i], &left)) {
        return std::nullopt;
      }
      if (!is_there) {
        ++size;
      } else if (left == 0) {
        --size;
      }
    }
    return size;
  }

  // Takes that out, where nothing overflows.
  void take_out(std::size_t place, std::int64_t k, Expr x) {
    const SumView inner(x);
    coefficients_[place] = 0;
    constant_ -= k * inner.constant;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const std::size_t at = find(inner.operands[i]);
      if (at == operands_.size()) {
        operands_.push_back(inner.operands[i]);
        coefficients_.push_back(0);
      }
      coefficients_[at] -= k * inner.coefficients[i];
    }
    const std::size_t kept =
        drop_zero_terms(operands_.data(), coefficients_.data(), operands_.size());
    operands_.truncate(kept);
    coefficients_.truncate(kept);
  }

  // (The sum without its constant and the term at `place`) / k; null if k does not divide it.
  [[nodiscard]] Expr others_divided_by(ExprContext& context, std::size_t place,
                                       std::int64_t k) const {
    InlineVector<Term, 12> terms;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const std::int64_t c = coefficients_[i];
      if (i == place) continue;
      if (c == std::numeric_limits<std::int64_t>::min() || c % k != 0) return {};
      terms.push_back({operands_[i], c / k});
    }
    return context.sum(terms);
  }

  void copy_to(Remainders& rest) const {
    rest.constant = constant_;
    rest.terms.clear();
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      rest.terms.push_back({operands_[i], coefficients_[i]});
    }
  }

 private:
  // from - k * c, of which the constant k * c alone must not overflow either: all that is added to
  // a sum is as long as the sum is.
  [[nodiscard]] static bool subtract(std::int64_t from, std::int64_t k, std::int64_t c,
                                     std::int64_t* out) {
    std::int64_t product = 0;
    return checked_mul(k, c, &product) && checked_sub(from, product, out);
  }
  [[nodiscard]] std::size_t find(Expr operand) const {
    std::size_t i = 0;
    while (i < operands_.size() && !(operands_[i] == operand)) ++i;
    return i;
  }

  std::int64_t constant_;
  InlineVector<Expr, 12> operands_;
  InlineVector<std::int64_t, 12> coefficients_;
};

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

// A remainder, as it is found: its quotient is the term at `place`.
struct Found {
  Remainder remainder;
  std::size_t place;
};

// Looks for a remainder in a sum. A quotient Q with coefficient c is that of k * (X mod m), where
// c = -k * m and Q is the quotient of X by m. It may be taken out if that leaves fewer terms than
// there were.
class RemainderSearch {
 public:
  RemainderSearch(NormalForm& normal_form, const Terms& sum)
      : normal_form_(normal_form), sum_(sum), fewest_(sum.size()) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const Expr term = sum.operand(i);
      const std::int64_t c = sum.coefficient(i);
      if (c == std::numeric_limits<std::int64_t>::min()) continue;
      if (is_constant_quotient(term)) {
        candidates_.push_back({i, term, c});
      } else if (term.is(ExprKind::kProduct)) {
        if (const Expr quotient = quotient_of_product(term)) products_.push_back({i, quotient, c});
      }
    }
  }

  // How many terms may come from remainders.
  [[nodiscard]] std::size_t quotient_count() const { return candidates_.size() + products_.size(); }

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
    if (best_ && is_least()) return best_;
    for_each_pair([&](const Candidate& q, std::size_t i, std::int64_t k, std::int64_t m) {
      // Q = N floordiv M is (N floordiv (M/m)) floordiv m.
      const std::int64_t whole = q.quotient.divisor().value();
      if (m < whole && whole % m == 0) {
        consider(q, k, m, normal_form_.quotient(q.quotient.dividend(), whole / m));
      }
      if (is_constant_quotient(sum_.operand(i))) consider(q, k, m, sum_.operand(i));
    });
    if (best_) return best_;
    for_each_pair([&](const Candidate& q, std::size_t, std::int64_t k, std::int64_t m) {
      const Expr x = sum_.others_divided_by(normal_form_.context(), q.place, k);
      if (x) consider(q, k, m, x);
    });
    return best_;
  }

 private:
  // Whether no other remainder can leave fewer terms than the best one: nothing is left beside it;
  // or it has taken all of its variables, and there is no other quotient that it could be made of.
  [[nodiscard]] bool is_least() const {
    if (fewest_ == 1) return true;
    const Expr x = best_->remainder.dividend;
    return candidates_.size() == 1 && products_.empty() && x.is_affine() &&
           fewest_ + SumView(x).size() == sum_.size();
  }

  // Calls `visit(q, i, k, m)` for a quotient q and another term i with coefficients -k * m and k.
  template <class Visit>
  void for_each_pair(Visit visit) {
    for (const Candidate& q : candidates_) {
      for (std::size_t i = 0; i < sum_.size(); ++i) {
        const std::int64_t c = q.coefficient;
        const std::int64_t k = sum_.coefficient(i);
        if (i == q.place || (k > 0) == (c > 0)) continue;
        if (normal_form_.is_exhausted()) return;
        normal_form_.spend(1);
        if (c % k == 0 && -(c / k) >= 2) visit(q, i, k, -(c / k));
      }
    }
  }

  // Whether the sum without q and k * x is shorter than what was best, but for `growth` terms. If
  // so, how many terms it has.
  std::optional<std::size_t> shorter(const Candidate& q, std::int64_t k, Expr x,
                                     std::size_t growth) {
    normal_form_.spend(static_cast<std::int64_t>(SumView(x).size() + sum_.size()));
    // A remainder of coefficient -2^63 could not be taken out.
    if (k == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    const std::optional<std::size_t> left = sum_.size_without(q.place, k, x);
    return left && *left + 1 < fewest_ + growth ? left : std::nullopt;
  }

  void consider(const Candidate& q, std::int64_t k, std::int64_t m, Expr x) {
    const std::optional<std::size_t> left = shorter(q, k, x, 0);
    if (!left || !(normal_form_.quotient(x, m) == q.quotient)) return;
    take(q, k, x, normal_form_.context().constant(m), *left);
  }

  // Where Q is known to be the quotient of x by the divisor. The remainder may make the sum
  // `growth` terms larger than it had to be.
  void consider(const Candidate& q, std::int64_t k, Expr x, Expr divisor, std::size_t growth = 0) {
    if (const auto left = shorter(q, k, x, growth)) take(q, k, x, divisor, *left);
  }

  void take(const Candidate& q, std::int64_t k, Expr x, Expr divisor, std::size_t left) {
    fewest_ = left + 1;
    best_ = Found{{.coefficient = k, .dividend = x, .divisor = divisor}, q.place};
  }

  NormalForm& normal_form_;
  const Terms& sum_;
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
    Remainders result;
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
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (left_[i] != 0) result.terms.push_back({sum_.operands()[i], left_[i]});
    }
    result.constant = constant_;
    return result;
  }

 private:
  // Subtracts k * x and the whole term q, if all terms of x are there.
  bool take(std::size_t q, std::int64_t k, Expr x) {
    const SumView inner(x);
    InlineVector<std::size_t, 12> places;
    InlineVector<std::int64_t, 12> taken;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const auto place = std::lower_bound(sum_.operands().begin(), sum_.operands().end(),
                                          inner.operands[i], sorts_before);
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

}  // namespace

Expr NormalForm::quotient_of(const Remainder& remainder) {
  return remainder.divisor.is(ExprKind::kConstant)
             ? quotient(remainder.dividend, remainder.divisor.value())
             : context().floor_div(remainder.dividend, remainder.divisor);
}

Expr NormalForm::expr_of(const Remainder& remainder) {
  const Expr quotient = quotient_of(remainder);
  if (!remainder.divisor.is(ExprKind::kConstant)) {
    return remainder.dividend - remainder.divisor * quotient;
  }
  const Term terms[] = {{remainder.dividend, 1}, {quotient, -remainder.divisor.value()}};
  return context().sum(terms);
}

namespace {

// In ExprRecord::remainders; kNone + i stands for the i-th of those found, from 1.
constexpr std::uint32_t kNone = 1;

}  // namespace

Remainders& NormalForm::next_remainders() {
  if (remainders_in_use_ == remainders_found_.size()) {
    remainders_found_.push_back(std::make_unique<Remainders>());
  }
  return *remainders_found_[remainders_in_use_++];
}

void NormalForm::note_remainder(Expr expr, const Remainder& remainder) {
  if (record(expr).remainders != 0) return;
  Remainders& known = next_remainders();
  known.remainders.clear();
  known.remainders.push_back(remainder);
  known.constant = 0;
  known.terms.clear();
  record(expr).remainders = kNone + remainders_in_use_;
}

const Remainders* NormalForm::find_remainders(Expr expr) {
  if (const std::uint32_t known = record(expr).remainders; known != 0) {
    return known == kNone ? nullptr : remainders_found_[known - kNone - 1].get();
  }
  if (depth_ >= kMaxRecursion) return nullptr;
  if (!may_contain_remainder(expr.operands())) {
    record(expr).remainders = kNone;
    return nullptr;
  }
  Remainders& found = next_remainders();
  const std::uint32_t in_use = remainders_in_use_;
  ++depth_;
  compute_remainders(expr, found);
  --depth_;
  if (found.remainders.empty()) {
    if (remainders_in_use_ == in_use) --remainders_in_use_;
    record(expr).remainders = kNone;
    return nullptr;
  }
  // In what is left none has been found, unless the sum was too long for the search.
  if (found.has_other_terms() && !is_exhausted() && expr.operands().size() <= kManyTerms) {
    record(found.rest(context())).remainders = kNone;
  }
  record(expr).remainders = kNone + in_use;
  return &found;
}

void NormalForm::compute_remainders(Expr expr, Remainders& result) {
  if (expr.operands().size() > kManyTerms) {
    result = remainders_of_long_sum(*this, expr);
    return;
  }
  result.remainders.clear();
  Terms terms(expr);
  while (!is_exhausted()) {
    RemainderSearch search(*this, terms);
    const std::optional<Found> found = search.best();
    if (!found) break;
    result.remainders.push_back(found->remainder);
    terms.take_out(found->place, found->remainder.coefficient, found->remainder.dividend);
    if (search.quotient_count() == 1 && found->remainder.dividend.is_affine()) break;
  }
  if (!result.remainders.empty()) terms.copy_to(result);
}

}  // namespace mercator::internal
