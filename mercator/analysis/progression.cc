#include "mercator/analysis/progression.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "mercator/support/arithmetic.h"

namespace mercator::internal {

Assumptions::Assumptions(ExprContext& context, std::vector<Interval> parameters,
                         std::vector<Interval> runtimes)
    : context_(context), parameters_(std::move(parameters)), runtimes_(std::move(runtimes)) {
  restart();
}

void Assumptions::restart() {
  simplifier_.set_bounds({.dimensions = parameters_, .ranges = ranges_, .runtimes = runtimes_});
  for (const Constraint& fact : facts_) simplifier_.assume(fact.expr, fact.range);
}

void Assumptions::assume(const Constraint& fact) {
  facts_.push_back(fact);
  simplifier_.assume(fact.expr, fact.range);
}

void Assumptions::set_ranges(std::vector<Interval> ranges) {
  if (ranges == ranges_) return;
  ranges_ = std::move(ranges);
  restart();
}

Interval Assumptions::range(Expr expr) {
  if (expr.is(ExprKind::kConstant)) return Interval::point(expr.value());
  return simplifier_.range(expr);
}

Expr Assumptions::simplify(Expr expr) {
  return expr.is(ExprKind::kConstant) ? expr : simplifier_.simplify(expr);
}

bool Conditions::require(Expr expr, Interval range) {
  expr = assumptions_->simplify(expr);
  const Interval known = assumptions_->range(expr);
  if (range.contains(known)) return true;
  // The constant says nothing that the range can not say.
  if (expr.is(ExprKind::kSum)) {
    const std::int64_t constant = expr.constant();
    expr = expr - constant;
    range = range - Interval::point(constant);
  }
  for (Constraint& constraint : list_) {
    if (constraint.expr != expr) continue;
    constraint.range = intersect(constraint.range, range);
    return !intersect(constraint.range, assumptions_->range(expr)).is_empty();
  }
  if (intersect(range, assumptions_->range(expr)).is_empty()) return false;
  list_.push_back({expr, range});
  return true;
}

bool Conditions::require(std::span<const Constraint> constraints) {
  return std::ranges::all_of(constraints,
                             [&](const Constraint& c) { return require(c.expr, c.range); });
}

bool is_complete(const ProgressionCases& rule) {
  return std::ranges::any_of(rule,
                             [](const ProgressionCase& one) { return one.conditions.empty(); });
}

Constraint never(ExprContext& context) { return {context.constant(0), Interval::point(1)}; }

Progression point(Expr value) {
  const Expr one = value.context().constant(1);
  return {.offset = value, .size = one, .stride = one};
}

Expr last(const Progression& x) { return x.offset + x.stride * (x.size - 1); }

Progression scaled(const Progression& x, std::int64_t k, Expr c) {
  const Expr first = k > 0 ? x.offset : last(x);
  // A single value keeps the stride 1, so that equal tiles look equal.
  const Expr stride = x.size.is_constant(1) ? x.stride : x.stride * (k > 0 ? k : -k);
  return {.offset = first * k + c, .size = x.size, .stride = stride};
}

Progression simplified(Assumptions& assumptions, const Progression& x) {
  return {.offset = assumptions.simplify(x.offset),
          .size = assumptions.simplify(x.size),
          .stride = assumptions.simplify(x.stride)};
}

namespace {

// Gathers cases whose conditions can hold.
class CaseList {
 public:
  explicit CaseList(Assumptions& assumptions) : assumptions_(assumptions) {}

  void add(std::vector<Progression> values, std::initializer_list<Constraint> conditions,
           std::span<const Constraint> more = {}) {
    Conditions all(assumptions_);
    for (const Constraint& condition : conditions) {
      if (!all.require(condition.expr, condition.range)) return;
    }
    if (!all.require(more)) return;
    for (Progression& value : values) value = simplified(assumptions_, value);
    // A case without conditions makes those after it needless.
    if (is_complete()) return;
    cases_.push_back({.values = std::move(values), .conditions = all.list()});
  }
  [[nodiscard]] bool is_complete() const {
    return !cases_.empty() && cases_.back().conditions.empty();
  }
  [[nodiscard]] ProgressionCases take() { return std::move(cases_); }

 private:
  Assumptions& assumptions_;
  ProgressionCases cases_;
};

// The divisors of n below n, ascending; at most `limit` of them.
std::vector<std::int64_t> proper_divisors(std::int64_t n, std::size_t limit) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d <= n / 2 && d <= 1'000'000 && divisors.size() < limit; ++d) {
    if (n % d == 0) divisors.push_back(d);
  }
  return divisors;
}

std::vector<std::int64_t> prime_factors(std::int64_t n) {
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 2; p * p <= n; ++p) {
    if (n % p != 0) continue;
    primes.push_back(p);
    while (n % p == 0) n /= p;
  }
  if (n > 1) primes.push_back(n);
  return primes;
}

}  // namespace

// With p = offset mod n and r = stride mod n, the quotients are those of p + r * k, plus a multiple
// of k. They are a progression if steps of at most n leave none out; if p + r * k never reaches n;
// or if it does so in every step.
ProgressionCases quotient(Assumptions& assumptions, const Progression& x, std::int64_t n) {
  CaseList cases(assumptions);
  const Expr first = floor_div(x.offset, n);
  const Expr p = mod(x.offset, n);
  const Expr r = mod(x.stride, n);
  const Expr steps = x.size - 1;
  const Expr one = assumptions.constant(1);
  cases.add({{first, floor_div(last(x), n) - first + 1, one}}, {{x.stride, at_most(n)}});
  if (cases.is_complete()) return cases.take();
  cases.add({{first, x.size, floor_div(x.stride, n)}},
            {{x.stride, at_least(n)}, {p + r * steps, at_most(n - 1)}});
  cases.add({{first, x.size, floor_div(x.stride, n) + 1}},
            {{x.stride, at_least(n + 1)}, {p - (r * -1 + n) * steps, at_least(0)}});
  return cases.take();
}

// The remainders go around a circle of n / g places, g = gcd(stride, n), in steps of r = stride mod
// n up or n - r down. Sets of 3 … n/g - 2 of them are steps of one size in one way only, up to its
// sign, so they are a progression only where they are passed without going around. All of them
// are one, and all but one where that one is at an end.
ProgressionCases remainder(Assumptions& assumptions, const Progression& x, std::int64_t n) {
  CaseList cases(assumptions);
  const Expr p = mod(x.offset, n);
  const Expr r = mod(x.stride, n);
  const Expr steps = x.size - 1;
  const Expr one = assumptions.constant(1);
  if (n == 1) {
    cases.add({point(assumptions.constant(0))}, {});
    return cases.take();
  }
  cases.add({{p, x.size, r}}, {{p + r * steps, at_most(n - 1)}, {r, at_least(1)}});
  cases.add({{p, one, one}}, {{r, Interval::point(0)}});
  for (const std::int64_t g : proper_divisors(n, 24)) {
    std::vector<Constraint> is_gcd = {{mod(x.stride, g), Interval::point(0)}};
    for (const std::int64_t prime : prime_factors(n / g)) {
      is_gcd.push_back({mod(x.stride, g * prime), at_least(1)});
    }
    const std::int64_t places = n / g;
    const Expr lowest = mod(x.offset, g);
    const Expr step = assumptions.constant(g);
    cases.add({{lowest, assumptions.constant(places), step}}, {{x.size, at_least(places)}}, is_gcd);
    if (places < 4) continue;
    const Expr missing = mod(x.offset + x.stride * x.size, n);
    cases.add({{lowest + g, x.size, step}},
              {{x.size, Interval::point(places - 1)},
               {missing, Interval{0, g - 1}},
               {r, Interval{g + 1, n - g - 1}}},
              is_gcd);
    cases.add({{lowest, x.size, step}},
              {{x.size, Interval::point(places - 1)},
               {missing, Interval{n - g, n - 1}},
               {r, Interval{g + 1, n - g - 1}}},
              is_gcd);
  }
  const Expr down = r * -1 + n;
  cases.add({{p - down * steps, x.size, down}},
            {{r, at_least(1)}, {p - down * steps, at_least(0)}});
  return cases.take();
}

// Of the sums, the least two differ by the least stride, and so must the others: it divides all
// strides, and each next stride is at most one step more than what the smaller ones reach together.
// What has one value only adds nothing. So: a case for each choice of those that count, in each
// order in which that may hold.
ProgressionCases sum(Assumptions& assumptions, std::span<const Progression> xs) {
  CaseList cases(assumptions);
  Expr offset = assumptions.constant(0);
  std::vector<Progression> terms;
  for (const Progression& x : xs) {
    offset = offset + x.offset;
    const Expr stride = assumptions.simplify(x.stride);
    // Without steps, all values are one.
    if (stride.is_constant(0)) continue;
    const auto same =
        std::ranges::find_if(terms, [&](const Progression& term) { return term.stride == stride; });
    if (assumptions.always(x.size, Interval::point(1))) continue;
    if (same != terms.end()) {
      same->size = same->size + x.size - 1;
    } else {
      terms.push_back({.offset = x.offset, .size = x.size, .stride = stride});
    }
  }
  const std::size_t count = terms.size();
  // More terms have too many orders: of them, all count or one. Where strides are numbers, only one
  // order is tried.
  constexpr std::size_t kMaxOrdered = 8;
  std::vector<std::size_t> order;
  std::vector<bool> taken(count);
  // Six terms have 1,957 orders of some of them.
  static_assert(kMaxExactTerms == 6);
  constexpr std::size_t kMaxOrders = 2'000;
  std::size_t tried = 0;
  const auto add_case = [&] {
    if (++tried > kMaxOrders || cases.is_complete()) return;
    std::vector<Constraint> conditions;
    for (std::size_t i = 0; i < count; ++i) {
      if (!taken[i]) conditions.push_back({terms[i].size, Interval::point(1)});
    }
    if (order.empty()) {
      cases.add({point(offset)}, {}, conditions);
      return;
    }
    const Expr least = terms[order.front()].stride;
    Expr size = terms[order.front()].size;
    for (std::size_t i = 1; i < order.size(); ++i) {
      const Progression& term = terms[order[i]];
      if (!least.is_constant(1)) {
        conditions.push_back({mod(term.stride, least), Interval::point(0)});
      }
      conditions.push_back({least * size - term.stride, at_least(0)});
      size = size + floor_div(term.stride, least) * (term.size - 1);
    }
    cases.add({{offset, size, least}}, {}, conditions);
  };
  // Depth first: all that count, in all orders, before fewer.
  const auto choose = [&](auto&& self, std::size_t wanted) -> void {
    if (tried > kMaxOrders) return;
    if (order.size() == wanted) {
      add_case();
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (taken[i]) continue;
      // Before a larger one, always.
      const bool misplaced = std::ranges::any_of(order, [&](std::size_t j) {
        return assumptions.always(terms[j].stride - terms[i].stride, at_least(1));
      });
      if (misplaced) continue;
      taken[i] = true;
      order.push_back(i);
      self(self, wanted);
      order.pop_back();
      taken[i] = false;
    }
  };
  for (std::size_t wanted = count + 1; wanted-- > 0;) {
    if (count > kMaxOrdered && wanted == 1) tried = 0;
    if (count > kMaxOrdered && wanted > 1 && wanted < count) continue;
    if (wanted == 0 && count > 0) break;  // covered by those with one term
    choose(choose, wanted);
  }
  return cases.take();
}

namespace {

// What says that there are values, gathered as long as that can be.
std::vector<Constraint> nonempty_where(const Conditions& possible, bool is_possible,
                                       const Assumptions& assumptions) {
  return is_possible ? possible.list() : std::vector{never(assumptions.context())};
}

}  // namespace

ProgressionCases clipped(Assumptions& assumptions, const Progression& x, Expr lo, Expr hi) {
  if (lo && assumptions.always(x.offset - lo, at_least(0))) lo = Expr();
  if (hi && assumptions.always(hi - last(x), at_least(0))) hi = Expr();
  const Expr zero = assumptions.constant(0);
  const Expr end = x.size - 1;
  Expr first = zero;
  Expr final = end;
  Conditions possible(assumptions);
  bool is_possible = true;
  Expr from;
  if (lo) {
    from = ceil_div(lo - x.offset, x.stride);
    first = max(zero, from);
    is_possible = possible.require(end - from, at_least(0));
  }
  if (hi) {
    const Expr to = floor_div(hi - x.offset, x.stride);
    final = min(end, to);
    is_possible = is_possible && possible.require(to, at_least(0)) &&
                  (!lo || possible.require(to - from, at_least(0)));
  }
  Progression values = {x.offset + x.stride * first, final - first + 1, x.stride};
  if (x.stride.is_constant(1)) {
    values.offset = lo ? max(x.offset, lo) : x.offset;
    values.size = (hi ? min(last(x), hi) : last(x)) - values.offset + 1;
  }
  values.offset = assumptions.simplify(values.offset);
  values.size = assumptions.simplify(values.size);
  return {{.values = {values}, .nonempty = nonempty_where(possible, is_possible, assumptions)}};
}

ProgressionCases clipped_rows(Assumptions& assumptions, const Progression& upper,
                              const Progression& lower, Expr lo, Expr hi) {
  ProgressionCases cases;
  const ProgressionCases rows =
      clipped(assumptions, upper, lo ? lo - last(lower) : Expr(), hi ? hi - lower.offset : Expr());
  for (const ProgressionCase& left : rows) {
    const Progression& row = left.values.front();
    Conditions is_one(assumptions);
    if (!is_one.require(row.size, Interval::point(1))) continue;
    const Progression values = {row.offset + lower.offset, lower.size, lower.stride};
    cases.push_back({.values = {simplified(assumptions, values)},
                     .conditions = is_one.list(),
                     .nonempty = left.nonempty});
  }
  if (!lo || !hi) return cases;
  // The last of a row is at `lo`, the first of the next at `hi`.
  const Expr before = lo - upper.offset - last(lower);
  const Expr row = floor_div(before, upper.stride);
  Conditions are_ends(assumptions);
  if (are_ends.require(hi - lo - upper.stride + lower.stride * (lower.size - 1),
                       Interval::point(0)) &&
      are_ends.require(mod(before, upper.stride), Interval::point(0)) &&
      are_ends.require(row, at_least(0)) && are_ends.require(upper.size - 2 - row, at_least(0))) {
    const Progression values = {lo, assumptions.constant(2), hi - lo};
    cases.push_back({.values = {simplified(assumptions, values)}, .conditions = are_ends.list()});
  }
  return cases;
}

namespace {

// The same for a stride that is `step` modulo n.
ProgressionCase with_residue(Assumptions& assumptions, const Progression& x, std::int64_t n,
                             Expr residue, std::int64_t step) {
  // step * k = residue - offset (mod n)
  const std::int64_t g = gcd(step, n);
  const std::int64_t period = n / g;
  const Expr rest = residue - x.offset;
  Conditions possible(assumptions);
  bool is_possible = possible.require(mod(rest, g), Interval::point(0));
  Expr first = assumptions.constant(0);
  if (period > 1) {
    first = mod(floor_div(rest, g) * inverse_mod(step / g, period), period);
  }
  first = assumptions.simplify(first);
  is_possible = is_possible && possible.require(x.size - 1 - first, at_least(0));
  const Progression values = {.offset = x.offset + x.stride * first,
                              .size = floor_div(x.size - 1 - first, period) + 1,
                              .stride = x.stride * period};
  return {.values = {simplified(assumptions, values)},
          .conditions = {},
          .nonempty = nonempty_where(possible, is_possible, assumptions)};
}

}  // namespace

std::optional<ProgressionCases> with_residue(Assumptions& assumptions, const Progression& x,
                                             std::int64_t n, Expr residue) {
  const Expr step = assumptions.simplify(mod(x.stride, n));
  if (step.is(ExprKind::kConstant)) {
    return ProgressionCases{with_residue(assumptions, x, n, residue, step.value())};
  }
  if (n > 8) return std::nullopt;
  ProgressionCases cases;
  // Most strides are 1.
  for (std::int64_t i = 1; i <= n; ++i) {
    Conditions conditions(assumptions);
    if (!conditions.require(step, Interval::point(i % n))) continue;
    cases.push_back(with_residue(assumptions, x, n, residue, i % n));
    cases.back().conditions = conditions.list();
  }
  return cases;
}

}  // namespace mercator::internal
