#include "mercator/expr/expr.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "mercator/expr/expr_table.h"
#include "mercator/support/arithmetic.h"
#include "mercator/support/inline_vector.h"

namespace mercator {

namespace {

constexpr std::int64_t kMinInt = std::numeric_limits<std::int64_t>::min();  // has no negation
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();

bool by_structure(Expr a, Expr b) { return compare(a, b) < 0; }

}  // namespace

std::strong_ordering compare(Expr a, Expr b) {
  // Unequal nodes differ structurally, so the first operands that differ decide: one path down.
  while (!(a == b)) {
    if (auto order = a.kind() <=> b.kind(); order != 0) return order;
    if (a.is(ExprKind::kVariable)) return a.variable() <=> b.variable();
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

using Terms = InlineVector<Term, 16>;
using Operands = InlineVector<Expr, 16>;

// What construction needs beyond the table of nodes.
struct ExprContext::Impl {
  explicit Impl(ExprContext& context) : table(context) {}

  internal::ExprTable table;
  std::array<Expr, 64> small_constants = {};
};

ExprContext::ExprContext() : impl_(std::make_unique<Impl>(*this)) {}
ExprContext::~ExprContext() = default;

std::size_t ExprContext::size() const { return impl_->table.size(); }

Expr ExprContext::constant(std::int64_t value) {
  const bool is_small = value >= 0 && value < std::ssize(impl_->small_constants);
  if (is_small) {
    const Expr known = impl_->small_constants[static_cast<std::size_t>(value)];
    if (known) return known;
  }
  const Expr made(impl_->table.find_or_add({.kind = ExprKind::kConstant, .value = value}));
  if (is_small) impl_->small_constants[static_cast<std::size_t>(value)] = made;
  return made;
}

Expr ExprContext::variable(VariableId id) {
  return Expr(impl_->table.find_or_add(
      {.kind = ExprKind::kVariable, .variable_kind = id.kind, .value = id.index}));
}

namespace {

// Sorts what is mostly sorted already, and short.
template <class T, class Less>
void sort_short(std::span<T> elements, Less less) {
  constexpr std::size_t kShort = 12;
  if (elements.size() > kShort) {
    if (!std::is_sorted(elements.begin(), elements.end(), less)) {
      std::sort(elements.begin(), elements.end(), less);
    }
    return;
  }
  for (std::size_t i = 1; i < elements.size(); ++i) {
    const T element = elements[i];
    std::size_t place = i;
    for (; place > 0 && less(element, elements[place - 1]); --place) {
      elements[place] = elements[place - 1];
    }
    elements[place] = element;
  }
}

// Sorts the terms and adds up those with the same expression; terms that come to 0 go away. False
// if a coefficient overflows.
bool collect_terms(Terms& terms) {
  sort_short(std::span<Term>(terms.begin(), terms.end()),
             [](const Term& a, const Term& b) { return by_structure(a.expr, b.expr); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size();) {
    Term sum = terms[i++];
    for (; i < terms.size() && terms[i].expr == sum.expr; ++i) {
      if (!checked_add(sum.coefficient, terms[i].coefficient, &sum.coefficient)) return false;
    }
    if (sum.coefficient != 0) terms[kept++] = sum;
  }
  terms.truncate(kept);
  return true;
}

// Adds coefficient * expr, where the terms of a sum become terms of the whole. The constant is in
// 128 bits, since what overflows on the way may fit in the end. False if anything else overflows.
bool flatten_term(const Term& term, Terms& terms, __int128& constant) {
  const auto add_constant = [&](std::int64_t value) {
    return !__builtin_add_overflow(constant, static_cast<__int128>(value) * term.coefficient,
                                   &constant);
  };
  if (term.expr.is(ExprKind::kConstant)) return add_constant(term.expr.value());
  if (!term.expr.is(ExprKind::kSum)) {
    terms.push_back(term);
    return true;
  }
  if (!add_constant(term.expr.constant())) return false;
  for (std::size_t i = 0; i < term.expr.operands().size(); ++i) {
    std::int64_t product = 0;
    if (!checked_mul(term.expr.coefficients()[i], term.coefficient, &product)) return false;
    // A constant or sum within a sum is there because it once overflowed; perhaps no longer.
    if (!flatten_term({term.expr.operands()[i], product}, terms, constant)) return false;
  }
  return true;
}

}  // namespace

Expr ExprContext::sum(std::span<const Term> terms, std::int64_t constant) {
  Terms flat;
  __int128 wide_constant = constant;
  const bool fits =
      std::ranges::all_of(
          terms, [&](const Term& term) { return flatten_term(term, flat, wide_constant); }) &&
      wide_constant >= kMinInt && wide_constant <= kMaxInt && collect_terms(flat);
  const std::int64_t flat_constant = fits ? static_cast<std::int64_t>(wide_constant) : constant;
  if (!fits) {
    // As written: each term whole.
    flat.clear();
    flat.append(terms);
    if (!collect_terms(flat)) {  // a x + b x with a + b too large: count the expressions a x, b x
      flat.clear();
      for (const Term& term : terms) flat.push_back({sum(std::span(&term, 1)), 1});
      [[maybe_unused]] const bool few = collect_terms(flat);
      assert(few);
    }
  }
  if (flat.empty()) return this->constant(flat_constant);
  if (flat.size() == 1 && flat_constant == 0 && flat[0].coefficient == 1) return flat[0].expr;

  Operands operands;
  InlineVector<std::int64_t, 16> coefficients;
  for (const Term& term : flat) {
    operands.push_back(term.expr);
    coefficients.push_back(term.coefficient);
  }
  return Expr(impl_->table.find_or_add({.kind = ExprKind::kSum,
                                        .value = flat_constant,
                                        .operands = operands,
                                        .coefficients = coefficients}));
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
  sort_short(std::span<Expr>(flat.begin(), flat.end()), by_structure);
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
  const Expr operands[] = {dividend, divisor};
  return Expr(impl_->table.find_or_add({.kind = ExprKind::kFloorDiv, .operands = operands}));
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
  const Expr operands[] = {dividend, divisor};
  return Expr(impl_->table.find_or_add({.kind = ExprKind::kMod, .operands = operands}));
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
  sort_short(std::span<Expr>(flat.begin(), flat.end()), by_structure);
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
