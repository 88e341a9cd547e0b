#include "mercator/expr/expr.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "mercator/expr/expr_table.h"
#include "mercator/expr/node_places.h"
#include "mercator/expr/sum_view.h"
#include "mercator/support/arithmetic.h"
#include "mercator/support/inline_vector.h"
#include "mercator/support/sort_short.h"

namespace mercator {

namespace {

constexpr std::int64_t kMinInt = std::numeric_limits<std::int64_t>::min();  // has no negation
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::strong_ordering compare(Expr a, Expr b) {
  // Unequal nodes differ structurally, so the first operands that differ decide: one path down.
  while (!(a == b)) {
    if (auto order = a.node_->sort_key <=> b.node_->sort_key; order != 0) return order;
    if (a.is(ExprKind::kVariable)) break;  // the same one of two contexts
    if (a.is(ExprKind::kConstant)) return a.value() <=> b.value();
    const std::span<const Expr> x = a.operands();
    const std::span<const Expr> y = b.operands();
    const auto [p, q] = std::mismatch(x.begin(), x.end(), y.begin(), y.end());
    if (p == x.end() || q == y.end()) {
      if (auto order = x.size() <=> y.size(); order != 0) return order;
      assert(a.is(ExprKind::kSum));
      const auto order =
          std::lexicographical_compare_three_way(a.coefficients().begin(), a.coefficients().end(),
                                                 b.coefficients().begin(), b.coefficients().end());
      return order != 0 ? order : a.constant() <=> b.constant();
    }
    a = *p;
    b = *q;
  }
  return std::strong_ordering::equal;
}

// ---- construction ----

using Operands = InlineVector<Expr, 16>;

// What construction needs beyond the table of nodes.
struct ExprContext::Impl {
  explicit Impl(ExprContext& context) : table(context) {}

  internal::ExprTable table;
  internal::NodePlaces places;
  std::array<Expr, 64> small_constants = {};
};

ExprContext::ExprContext() : impl_(std::make_unique<Impl>(*this)) {}
ExprContext::~ExprContext() = default;

std::size_t ExprContext::size() const { return impl_->table.size(); }

internal::NodePlaces& ExprContext::places() { return impl_->places; }

Expr ExprContext::constant(std::int64_t value) {
  const bool is_small = value >= 0 && value < std::ssize(impl_->small_constants);
  if (is_small) {
    const Expr known = impl_->small_constants[static_cast<std::size_t>(value)];
    if (known) return known;
  }
  const Expr made(impl_->table.find_or_add_constant(value));
  if (is_small) impl_->small_constants[static_cast<std::size_t>(value)] = made;
  return made;
}

Expr ExprContext::variable(VariableId id) {
  return Expr(impl_->table.find_or_add(
      {.kind = ExprKind::kVariable, .variable_kind = id.kind, .value = id.index}));
}

namespace {

// A sum on its way to a node: what is added must come in order.
class SumBuilder {
 public:
  explicit SumBuilder(std::int64_t constant) : constant_(constant) {}

  // Adds coefficient * expr, which is no sum. False if something leaves int64 that the sum could
  // not take back.
  [[nodiscard]] bool add(Expr expr, std::int64_t coefficient) {
    if (expr.is(ExprKind::kConstant)) return add_constant(expr.value(), coefficient);
    return add_term(expr, coefficient);
  }
  // The same, but for a sum or a constant that is to stay whole.
  [[nodiscard]] bool add_term(Expr expr, std::int64_t coefficient) {
    if (!operands_.empty() && operands_.back() == expr) {
      return checked_add(coefficients_.back(), coefficient, &coefficients_.back());
    }
    operands_.push_back(expr);
    coefficients_.push_back(coefficient);
    return true;
  }

  // Takes out the terms that have come to 0. False if the constant does not fit.
  [[nodiscard]] bool finish() {
    const std::size_t kept =
        internal::drop_zero_terms(operands_.data(), coefficients_.data(), operands_.size());
    operands_.truncate(kept);
    coefficients_.truncate(kept);
    return constant_ >= kMinInt && constant_ <= kMaxInt;
  }

  [[nodiscard]] std::span<const Expr> operands() const { return operands_; }
  [[nodiscard]] std::span<const std::int64_t> coefficients() const { return coefficients_; }
  [[nodiscard]] std::int64_t constant() const { return static_cast<std::int64_t>(constant_); }

 private:
  [[nodiscard]] bool add_constant(std::int64_t value, std::int64_t coefficient) {
    return !__builtin_add_overflow(constant_, static_cast<__int128>(value) * coefficient,
                                   &constant_);
  }
  // In 128 bits, since what overflows on the way may fit in the end.
  __int128 constant_;
  InlineVector<Expr, 16> operands_;
  InlineVector<std::int64_t, 16> coefficients_;
};

// The same for sums of few terms, which nearly all are: in plain arrays, without a call.
class SmallSumBuilder {
 public:
  static constexpr std::size_t kMaxTerms = 32;

  explicit SmallSumBuilder(std::int64_t constant) : constant_(constant) {}

  // False if the builder is not for this sum: it has too many terms, or a part of it overflows.
  [[nodiscard]] bool build(std::span<const Term> terms) {
    for (const Term& term : terms) {
      const ExprKind kind = term.expr.kind();
      if (kind == ExprKind::kSum) {
        if (!add_sum(term.expr, term.coefficient)) return false;
      } else if (kind == ExprKind::kConstant) {
        if (!add_constant(term.expr.value(), term.coefficient)) return false;
      } else if (!add_term(term.expr, term.coefficient)) {
        return false;
      }
    }
    if (has_zero_) size_ = internal::drop_zero_terms(operands_, coefficients_, size_);
    return true;
  }

  [[nodiscard]] std::span<const Expr> operands() const { return {operands_, size_}; }
  [[nodiscard]] std::span<const std::int64_t> coefficients() const {
    return {coefficients_, size_};
  }
  [[nodiscard]] std::int64_t constant() const { return constant_; }

 private:
  [[nodiscard]] bool add_constant(std::int64_t value, std::int64_t coefficient) {
    std::int64_t product = 0;
    return checked_mul(value, coefficient, &product) && checked_add(constant_, product, &constant_);
  }
  [[nodiscard]] bool add_term(Expr expr, std::int64_t coefficient) {
    std::size_t place = size_;
    while (place > 0 && sorts_before(expr, operands_[place - 1])) --place;
    return place > 0 && operands_[place - 1] == expr ? add_at(place - 1, coefficient)
                                                     : insert_at(place, expr, coefficient);
  }
  [[nodiscard]] bool add_sum(Expr sum, std::int64_t coefficient) {
    const std::span<const Expr> operands = sum.operands();
    const std::span<const std::int64_t> coefficients = sum.coefficients();
    // A constant or sum within a sum is there because it once overflowed. They sort last.
    if (operands.back().kind() >= ExprKind::kSum || operands.size() > kMaxTerms ||
        !add_constant(sum.constant(), coefficient)) {
      return false;
    }
    if (size_ == 0) {
      has_zero_ = coefficient == 0;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        operands_[i] = operands[i];
        if (!checked_mul(coefficients[i], coefficient, &coefficients_[i])) return false;
      }
      size_ = operands.size();
      return true;
    }
    std::size_t place = 0;
    for (std::size_t i = 0; i < operands.size(); ++i, ++place) {
      std::int64_t product = 0;
      while (place < size_ && sorts_before(operands_[place], operands[i])) ++place;
      if (!checked_mul(coefficients[i], coefficient, &product) ||
          !(place < size_ && operands_[place] == operands[i]
                ? add_at(place, product)
                : insert_at(place, operands[i], product))) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool add_at(std::size_t place, std::int64_t coefficient) {
    std::int64_t& known = coefficients_[place];
    const bool fits = checked_add(known, coefficient, &known);
    has_zero_ = has_zero_ || known == 0;
    return fits;
  }
  [[nodiscard]] bool insert_at(std::size_t place, Expr expr, std::int64_t coefficient) {
    if (size_ == kMaxTerms) return false;
    has_zero_ = has_zero_ || coefficient == 0;
    for (std::size_t i = size_; i > place; --i) {
      operands_[i] = operands_[i - 1];
      coefficients_[i] = coefficients_[i - 1];
    }
    operands_[place] = expr;
    coefficients_[place] = coefficient;
    ++size_;
    return true;
  }

  // Nothing is read before it is written, hence there is nothing to initialise.
  union Operands {
    Operands() {}  // NOLINT(modernize-use-equals-default)
    Expr data[kMaxTerms];
  };

  std::int64_t constant_;
  std::size_t size_ = 0;
  bool has_zero_ = false;  // among the coefficients, perhaps
  Operands storage_;
  Expr* const operands_ = storage_.data;
  std::int64_t coefficients_[kMaxTerms];
};

}  // namespace

Expr ExprContext::sum(std::span<const Term> terms, std::int64_t constant) {
  SmallSumBuilder small(constant);
  return small.build(terms) ? node_of(small) : large_sum(terms, constant);
}

namespace {

// Adds the terms in order.
template <class Add>
bool add_sorted(std::vector<Term> terms, Add add) {
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return sorts_before(a.expr, b.expr); });
  return std::ranges::all_of(terms, add);
}

// coefficient * expr as terms that are no sums, in any order. False if something leaves int64.
bool flatten(Expr expr, std::int64_t coefficient, std::vector<Term>& terms) {
  if (!expr.is(ExprKind::kSum)) {
    terms.push_back({expr, coefficient});
    return true;
  }
  if (expr.constant() != 0) {
    terms.push_back({expr.context().constant(expr.constant()), coefficient});
  }
  for (std::size_t i = 0; i < expr.operands().size(); ++i) {
    std::int64_t product = 0;
    if (!checked_mul(expr.coefficients()[i], coefficient, &product) ||
        !flatten(expr.operands()[i], product, terms)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Expr ExprContext::large_sum(std::span<const Term> terms, std::int64_t constant) {
  std::vector<Term> flat;
  const bool is_flat = std::ranges::all_of(
      terms, [&](const Term& term) { return flatten(term.expr, term.coefficient, flat); });
  SumBuilder builder(constant);
  const auto add = [&](const Term& term) { return builder.add(term.expr, term.coefficient); };
  if (is_flat && add_sorted(std::move(flat), add) && builder.finish()) return node_of(builder);
  // As written: each term whole.
  SumBuilder whole(constant);
  const auto add_whole = [&](const Term& term) {
    return whole.add_term(term.expr, term.coefficient);
  };
  if (add_sorted({terms.begin(), terms.end()}, add_whole) && whole.finish()) return node_of(whole);
  // a x + b x with a + b too large: count the expressions a x, b x.
  std::vector<Term> products;
  for (const Term& term : terms) products.push_back({sum(std::span(&term, 1)), 1});
  SumBuilder counted(constant);
  const auto count = [&](const Term& term) {
    return counted.add_term(term.expr, term.coefficient);
  };
  [[maybe_unused]] const bool fits = add_sorted(std::move(products), count) && counted.finish();
  assert(fits);
  return node_of(counted);
}

template <class Sum>
Expr ExprContext::node_of(const Sum& sum) {
  const std::span<const Expr> operands = sum.operands();
  if (operands.empty()) return constant(sum.constant());
  if (operands.size() == 1 && sum.constant() == 0 && sum.coefficients()[0] == 1) {
    return operands[0];
  }
  return Expr(impl_->table.find_or_add({.kind = ExprKind::kSum,
                                        .value = sum.constant(),
                                        .operands = operands,
                                        .coefficients = sum.coefficients()}));
}

Expr ExprContext::product(std::span<const Expr> factors) {
  std::int64_t coefficient = 1;
  Operands flat;
  Operands pending;
  for (std::size_t i = factors.size(); i-- > 0;) pending.push_back(factors[i]);
  bool fits = true;
  while (!pending.empty()) {
    const Expr factor = pending.back();
    pending.pop_back();
    switch (factor.kind()) {
      case ExprKind::kConstant:
        if (factor.value() == 0) return constant(0);
        fits = fits && checked_mul(coefficient, factor.value(), &coefficient);
        break;
      case ExprKind::kProduct:
        flat.append(factor.operands());
        break;
      case ExprKind::kSum:
        if (factor.operands().size() == 1 && factor.constant() == 0) {
          fits = fits && checked_mul(coefficient, factor.coefficients()[0], &coefficient);
          pending.push_back(factor.operands()[0]);
          break;
        }
        [[fallthrough]];
      default:
        flat.push_back(factor);
    }
    if (!fits) break;
  }
  if (!fits) {  // As written, but for the order.
    flat.clear();
    flat.append(factors);
    coefficient = 1;
  }
  if (flat.empty()) return constant(coefficient);
  sort_short(std::span<Expr>(flat.begin(), flat.end()), sorts_before);
  const Expr product =
      flat.size() == 1
          ? flat[0]
          : Expr(impl_->table.find_or_add({.kind = ExprKind::kProduct, .operands = flat}));
  const Term scaled = {.expr = product, .coefficient = coefficient};
  return sum(std::span(&scaled, 1));
}

Expr ExprContext::floor_div(Expr dividend, Expr divisor) {
  if (divisor.is(ExprKind::kConstant)) {
    const std::int64_t n = divisor.value();
    assert(n != 0);
    if (n == 1) return dividend;
    if (n < 0 && n != kMinInt) return floor_div(-dividend, constant(-n));
    if (dividend.is(ExprKind::kConstant)) {
      return constant(mercator::floor_div(dividend.value(), n));
    }
  }
  if (dividend.is_constant(0)) return dividend;
  return Expr(impl_->table.find_or_add_division(ExprKind::kFloorDiv, dividend, divisor));
}

Expr ExprContext::mod(Expr dividend, Expr divisor) {
  if (divisor.is(ExprKind::kConstant)) {
    const std::int64_t n = divisor.value();
    assert(n != 0);
    if (n == 1) return constant(0);
    if (n < 0 && n != kMinInt) return -mod(-dividend, constant(-n));
    if (dividend.is(ExprKind::kConstant)) return constant(floor_mod(dividend.value(), n));
  }
  if (dividend.is_constant(0)) return dividend;
  return Expr(impl_->table.find_or_add_division(ExprKind::kMod, dividend, divisor));
}

Expr ExprContext::ceil_div(Expr dividend, Expr divisor) {
  if (!divisor.is(ExprKind::kConstant) || divisor.value() == kMinInt) {
    return -floor_div(-dividend, divisor);
  }
  const std::int64_t n = divisor.value();
  if (n < 0) return ceil_div(-dividend, constant(-n));
  return floor_div(dividend + (n - 1), divisor);
}

Expr ExprContext::extremum(ExprKind kind, std::span<const Expr> operands) {
  assert(!operands.empty());
  Operands flat;
  std::optional<std::int64_t> constant;
  const auto add = [&](Expr operand) {
    if (!operand.is(ExprKind::kConstant)) {
      flat.push_back(operand);
    } else if (!constant) {
      constant = operand.value();
    } else {
      constant = kind == ExprKind::kMin ? std::min(*constant, operand.value())
                                        : std::max(*constant, operand.value());
    }
  };
  for (const Expr operand : operands) {
    if (operand.is(kind)) {
      std::for_each(operand.operands().begin(), operand.operands().end(), add);
    } else {
      add(operand);
    }
  }
  if (constant) flat.push_back(this->constant(*constant));
  sort_short(std::span<Expr>(flat.begin(), flat.end()), sorts_before);
  flat.truncate(static_cast<std::size_t>(std::unique(flat.begin(), flat.end()) - flat.begin()));
  if (flat.size() == 1) return flat[0];
  return Expr(impl_->table.find_or_add({.kind = kind, .operands = flat}));
}

Expr ExprContext::min(std::span<const Expr> operands) { return extremum(ExprKind::kMin, operands); }

Expr ExprContext::max(std::span<const Expr> operands) { return extremum(ExprKind::kMax, operands); }

// ---- operators ----

Expr operator+(Expr a, Expr b) {
  const Term terms[] = {{a, 1}, {b, 1}};
  return a.context().sum(terms);
}

Expr operator+(Expr a, std::int64_t b) {
  const Term terms[] = {{a, 1}};
  return a.context().sum(terms, b);
}

Expr operator-(Expr a, Expr b) {
  const Term terms[] = {{a, 1}, {b, -1}};
  return a.context().sum(terms);
}

Expr operator-(Expr a, std::int64_t b) {
  if (b == kMinInt) return a - a.context().constant(b);
  return a + -b;
}

Expr operator-(Expr a) { return a * -1; }

Expr operator*(Expr a, Expr b) {
  const Expr factors[] = {a, b};
  return a.context().product(factors);
}

Expr operator*(Expr a, std::int64_t b) {
  const Term terms[] = {{a, b}};
  return a.context().sum(terms);
}

Expr floor_div(Expr a, Expr b) { return a.context().floor_div(a, b); }
Expr floor_div(Expr a, std::int64_t b) { return floor_div(a, a.context().constant(b)); }
Expr mod(Expr a, Expr b) { return a.context().mod(a, b); }
Expr mod(Expr a, std::int64_t b) { return mod(a, a.context().constant(b)); }
Expr ceil_div(Expr a, Expr b) { return a.context().ceil_div(a, b); }
Expr ceil_div(Expr a, std::int64_t b) { return ceil_div(a, a.context().constant(b)); }

Expr min(Expr a, Expr b) {
  const Expr operands[] = {a, b};
  return a.context().min(operands);
}

Expr max(Expr a, Expr b) {
  const Expr operands[] = {a, b};
  return a.context().max(operands);
}

}  // namespace mercator
