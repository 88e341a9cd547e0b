// How many distinct results a map has, without enumerating them where their structure tells.
//
// What is counted is a list of expressions, the *parts*, whose values together tell one result from
// another exactly as the results themselves do. It starts as the results and is taken apart:
//   - a sum whose terms can be read off its value, as digits off a number: the terms;
//   - a quotient and the remainder that belongs to it: their dividend.
// Parts that share no variables, directly or through constraints, take their values independently:
// their numbers multiply. A part that stands alone is counted in closed form if its values are
// evenly spaced or all different; whatever is left is enumerated.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "mercator/expr/simplifier.h"
#include "mercator/map/index_map.h"
#include "mercator/support/arithmetic.h"

namespace mercator {

namespace {

using Wide = __int128;

Wide magnitude(std::int64_t value) { return value < 0 ? -Wide{value} : Wide{value}; }

template <class AnyVariable>
std::vector<Interval> bounds_of(const std::vector<AnyVariable>& variables) {
  std::vector<Interval> bounds;
  for (const AnyVariable& variable : variables) bounds.push_back(variable.bounds);
  return bounds;
}

// ---- the values of one expression ----

// The values that an expression takes: `count` of them, from `lo` on over a length of `span`.
// Evenly spaced, they are lo, lo + step, …, lo + span.
struct Values {
  Wide lo = 0;
  Wide span = 0;
  Wide count = 1;
  Wide step = 1;
  bool is_evenly_spaced = true;
};

constexpr Wide kMaxWide = Wide{1} << 120;

// Finds the values of expressions in which no variable occurs twice, so that operands take their
// values independently, over a box of bounded variables.
class ValueCounter {
 public:
  explicit ValueCounter(const IndexMap& map) : map_(map) {}

  // None if their structure is not evident.
  std::optional<Values> values(Expr expr) {
    constexpr std::uint32_t kMaxDepth = 200;
    if (expr.depth() > kMaxDepth) return std::nullopt;
    seen_.clear();
    return visit(expr);
  }

 private:
  std::optional<Values> visit(Expr expr) {
    switch (expr.kind()) {
      case ExprKind::kConstant:
        return Values{.lo = expr.value()};
      case ExprKind::kVariable:
        return visit_variable(expr.variable());
      case ExprKind::kSum:
        return visit_sum(expr);
      case ExprKind::kFloorDiv:
        return visit_quotient(expr);
      case ExprKind::kMod:
        return visit_remainder(expr);
      case ExprKind::kProduct:
      case ExprKind::kMin:
      case ExprKind::kMax:
        return std::nullopt;
    }
    __builtin_unreachable();
  }

  std::optional<Values> visit_variable(VariableId id) {
    if (std::ranges::find(seen_, id) != seen_.end()) return std::nullopt;
    seen_.push_back(id);
    const Interval bounds = id.kind == VariableKind::kDimension ? map_.dimensions()[id.index].bounds
                            : id.kind == VariableKind::kRange   ? map_.ranges()[id.index].bounds
                                                                : map_.runtimes()[id.index].bounds;
    if (!bounds.is_bounded() || bounds.is_empty()) return std::nullopt;
    const Wide span = Wide{bounds.hi} - bounds.lo;
    return Values{.lo = bounds.lo, .span = span, .count = span + 1};
  }

  std::optional<Values> visit_sum(Expr sum) {
    std::vector<Values> terms;
    Wide lo = sum.constant();
    for (std::size_t i = 0; i < sum.operands().size(); ++i) {
      std::optional<Values> term = visit(sum.operands()[i]);
      if (!term || !term->is_evenly_spaced || term->span > kMaxWide >> 64) return std::nullopt;
      const Wide coefficient = sum.coefficients()[i];
      lo += coefficient * (coefficient < 0 ? term->lo + term->span : term->lo);
      term->step *= magnitude(sum.coefficients()[i]);
      term->span *= magnitude(sum.coefficients()[i]);
      if (term->count > 1) terms.push_back(*term);
    }
    std::ranges::sort(terms, {}, &Values::step);
    Values values;
    for (const Values& term : terms) {
      if (!add(values, term)) return std::nullopt;
    }
    values.lo = lo;
    return values;
  }

  // The values of x + y for x among `values` and y among `term`, up to their start. False if
  // unknown.
  static bool add(Values& values, const Values& term) {
    if (values.count == 1) {
      values = term;
    } else if (values.is_evenly_spaced && term.step % values.step == 0 &&
               term.step <= values.span + values.step) {
      // One copy of the values for each y, none of which starts beyond the next step after the end
      // of the one before: together they leave no gap.
      values.count += (term.count - 1) * (term.step / values.step);
      values.span += term.span;
    } else if (term.step > values.span) {
      // The copies do not touch.
      if (values.count > kMaxWide / term.count) return false;
      values.count *= term.count;
      values.span += term.span;
      values.is_evenly_spaced = false;
    } else {
      return false;
    }
    return values.span <= kMaxWide;
  }

  std::optional<Values> visit_quotient(Expr expr) {
    const std::optional<Wide> divisor = positive_divisor(expr);
    std::optional<Values> x = divisor ? visit(expr.dividend()) : std::nullopt;
    if (!x || !x->is_evenly_spaced) return std::nullopt;
    const Wide n = *divisor;
    const Wide lo = floor_quotient(x->lo, n);
    if (x->step % n == 0) {
      // (lo + i * step) floordiv n = lo floordiv n + i * (step / n)
      return Values{.lo = lo, .span = x->span / n, .count = x->count, .step = x->step / n};
    }
    if (x->step > n) return std::nullopt;
    // Steps of at most n take the quotient up by at most 1, so that it leaves out nothing.
    const Wide span = floor_quotient(x->lo + x->span, n) - lo;
    return Values{.lo = lo, .span = span, .count = span + 1};
  }

  std::optional<Values> visit_remainder(Expr expr) {
    const std::optional<Wide> divisor = positive_divisor(expr);
    std::optional<Values> x = divisor ? visit(expr.dividend()) : std::nullopt;
    if (!x) return std::nullopt;
    const Wide n = *divisor;
    const Wide bucket = floor_quotient(x->lo, n);
    if (bucket == floor_quotient(x->lo + x->span, n)) {
      x->lo -= bucket * n;
      return x;
    }
    if (!x->is_evenly_spaced || n % x->step != 0 || x->count < n / x->step) return std::nullopt;
    // Enough values in a row for every remainder that is congruent to lo modulo the step.
    const Wide lo = x->lo - floor_quotient(x->lo, x->step) * x->step;
    return Values{.lo = lo, .span = n - x->step, .count = n / x->step, .step = x->step};
  }

  static std::optional<Wide> positive_divisor(Expr expr) {
    const Expr divisor = expr.divisor();
    if (!divisor.is(ExprKind::kConstant) || divisor.value() <= 0) return std::nullopt;
    return divisor.value();
  }

  static Wide floor_quotient(Wide a, Wide n) {
    const Wide q = a / n;
    return a % n < 0 ? q - 1 : q;
  }

  const IndexMap& map_;
  std::vector<VariableId> seen_;
};

// ---- parts ----

// Takes the results of a map apart as far as it goes.
class PartFinder {
 public:
  explicit PartFinder(const IndexMap& map)
      : dimensions_(bounds_of(map.dimensions())),
        ranges_(bounds_of(map.ranges())),
        runtimes_(bounds_of(map.runtimes())),
        parts_(map.results()) {
    simplifier_.set_bounds({.dimensions = dimensions_, .ranges = ranges_, .runtimes = runtimes_});
  }

  std::vector<Expr> find() && {
    // A part with a divisor that may be zero also says which points there are; it stays as it is.
    if (std::ranges::any_of(parts_, [](Expr part) { return part.has_variable_divisor(); })) {
      normalize();
      return std::move(parts_);
    }
    // Each step takes operations away.
    do {
      normalize();
    } while (split_a_sum() || join_a_quotient());
    return std::move(parts_);
  }

 private:
  // A set: without repetitions, and without constants, which tell nothing.
  void normalize() {
    std::erase_if(parts_, [](Expr part) { return part.is(ExprKind::kConstant); });
    std::ranges::sort(parts_, sorts_before);
    parts_.erase(std::unique(parts_.begin(), parts_.end()), parts_.end());
  }

  bool split_a_sum() {
    const auto sum = std::ranges::find_if(parts_, [this](Expr part) { return is_readable(part); });
    if (sum == parts_.end()) return false;
    const Expr found = *sum;
    parts_.erase(sum);
    parts_.insert(parts_.end(), found.operands().begin(), found.operands().end());
    return true;
  }

  // Whether the value of a sum tells the value of each term: each coefficient is larger than all
  // that the terms with smaller coefficients can amount to.
  bool is_readable(Expr sum) {
    if (!sum.is(ExprKind::kSum)) return false;
    struct Digit {
      Wide weight;
      Interval range;
    };
    std::vector<Digit> digits;
    for (std::size_t i = 0; i < sum.operands().size(); ++i) {
      digits.push_back({magnitude(sum.coefficients()[i]), simplifier_.range(sum.operands()[i])});
    }
    std::ranges::sort(digits, {}, &Digit::weight);
    Wide reach = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (digits[i].weight <= reach) return false;
      if (i + 1 == digits.size()) break;
      if (!digits[i].range.is_bounded() || digits[i].range.is_empty()) return false;
      reach += digits[i].weight * (Wide{digits[i].range.hi} - digits[i].range.lo);
      if (reach > kMaxWide) return false;
    }
    return true;
  }

  // y mod n and rest ± y floordiv n -> rest * n ± y
  // The pair can be computed from the new part and back, since 0 <= y mod n < n.
  bool join_a_quotient() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Expr remainder = parts_[i];
      if (!remainder.is(ExprKind::kMod) || !remainder.divisor().is(ExprKind::kConstant)) continue;
      if (remainder.divisor().value() <= 0) continue;
      const Expr quotient =
          simplifier_.simplify(floor_div(remainder.dividend(), remainder.divisor()));
      for (std::size_t j = 0; j < parts_.size(); ++j) {
        const std::int64_t sign = coefficient_of(quotient, parts_[j]);
        if (j == i || (sign != 1 && sign != -1)) continue;
        const Expr rest = parts_[j] - quotient * sign;
        parts_[j] = simplifier_.simplify(rest * remainder.divisor() + remainder.dividend() * sign);
        parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
    }
    return false;
  }

  static std::int64_t coefficient_of(Expr term, Expr sum) {
    if (sum == term) return 1;
    if (!sum.is(ExprKind::kSum)) return 0;
    const auto place = std::ranges::find(sum.operands(), term);
    return place == sum.operands().end() ? 0 : sum.coefficients()[place - sum.operands().begin()];
  }

  std::vector<Interval> dimensions_;
  std::vector<Interval> ranges_;
  std::vector<Interval> runtimes_;
  Simplifier simplifier_;
  std::vector<Expr> parts_;
};

// ---- independent groups ----

struct Group {
  std::vector<VariableId> variables;
  std::vector<Expr> parts;
  std::vector<Constraint> constraints;
};

// Groups parts and constraints by the variables that connect them.
class Grouping {
 public:
  explicit Grouping(const IndexMap& map) : map_(map) {
    const auto add = [this](VariableKind kind, std::size_t count) {
      for (std::uint32_t i = 0; i < count; ++i) variables_.push_back({kind, i});
    };
    add(VariableKind::kDimension, map.dimensions().size());
    add(VariableKind::kRange, map.ranges().size());
    add(VariableKind::kRuntime, map.runtimes().size());
    leader_.resize(variables_.size());
    std::iota(leader_.begin(), leader_.end(), 0);
  }

  std::vector<Group> group(const std::vector<Expr>& parts) {
    for (const Expr part : parts) connect(part);
    for (const Constraint& constraint : map_.constraints()) connect(constraint.expr);
    std::vector<Group> groups(variables_.size());
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      groups[leader(i)].variables.push_back(variables_[i]);
    }
    for (const Expr part : parts) groups[group_of(part)].parts.push_back(part);
    for (const Constraint& constraint : map_.constraints()) {
      groups[group_of(constraint.expr)].constraints.push_back(constraint);
    }
    // The others say nothing: their variables have values, and no result depends on them.
    std::erase_if(groups, [](const Group& group) {
      return group.parts.empty() && group.constraints.empty();
    });
    return groups;
  }

 private:
  std::size_t leader(std::size_t i) {
    while (leader_[i] != i) i = leader_[i] = leader_[leader_[i]];
    return i;
  }

  std::size_t number(VariableId id) const {
    switch (id.kind) {
      case VariableKind::kDimension:
        return id.index;
      case VariableKind::kRange:
        return map_.dimensions().size() + id.index;
      case VariableKind::kRuntime:
        return map_.dimensions().size() + map_.ranges().size() + id.index;
    }
    __builtin_unreachable();
  }

  // The variables of an expression, by number; there is at least one.
  std::vector<std::size_t> numbers(Expr expr) const {
    std::vector<std::size_t> numbers;
    const UsedVariables used = used_variables(std::span(&expr, 1));
    for (const VariableId id : variables_) {
      if (used.contains(id)) numbers.push_back(number(id));
    }
    return numbers;
  }

  void connect(Expr expr) {
    const std::vector<std::size_t> connected = numbers(expr);
    for (const std::size_t i : connected) leader_[leader(i)] = leader(connected[0]);
  }

  std::size_t group_of(Expr expr) { return leader(numbers(expr)[0]); }

  const IndexMap& map_;
  std::vector<VariableId> variables_;
  std::vector<std::size_t> leader_;
};

// The part of `map` that a group is: its variables as dimensions, its parts as results.
IndexMap group_map(const IndexMap& map, const Group& group) {
  ExprContext& context = map.context();
  std::vector<Variable> variables;
  for (const VariableId id : group.variables) {
    const Interval bounds = id.kind == VariableKind::kDimension ? map.dimensions()[id.index].bounds
                            : id.kind == VariableKind::kRange   ? map.ranges()[id.index].bounds
                                                                : map.runtimes()[id.index].bounds;
    variables.push_back({.bounds = bounds, .name = map.name(id)});
  }
  const auto renumber = [&](VariableId id) {
    const auto place = std::ranges::find(group.variables, id);
    return context.dimension(static_cast<std::uint32_t>(place - group.variables.begin()));
  };
  std::vector<Expr> parts = group.parts;
  substitute(parts, renumber);
  std::vector<Constraint> constraints = group.constraints;
  for (Constraint& constraint : constraints) {
    constraint.expr = substitute(constraint.expr, renumber);
  }
  return IndexMap(context, std::move(variables), {}, {}, std::move(parts), std::move(constraints));
}

Result<Wide> count_group(const IndexMap& map, const Group& group, std::int64_t budget) {
  if (group.constraints.empty() && group.parts.size() == 1) {
    if (const auto values = ValueCounter(map).values(group.parts[0])) return values->count;
  }
  return static_cast<Wide>(MERCATOR_TRY(image(group_map(map, group), budget)).size());
}

}  // namespace

Result<std::int64_t> count_image(const IndexMap& map, std::int64_t budget) {
  const IndexMap simplified = simplify(map);
  if (simplified.is_known_empty()) return 0;
  std::vector<Wide> counts;
  for (const Group& group : Grouping(simplified).group(PartFinder(simplified).find())) {
    counts.push_back(MERCATOR_TRY(count_group(simplified, group, budget)));
  }
  if (std::ranges::find(counts, 0) != counts.end()) return 0;
  std::int64_t product = 1;
  for (const Wide count : counts) {
    if (count > Interval::kPlusInfinity ||
        !checked_mul(product, static_cast<std::int64_t>(count), &product)) {
      return fail(ErrorKind::kUnsupported, "the number of distinct results leaves 64 bits");
    }
  }
  return product;
}

}  // namespace mercator
