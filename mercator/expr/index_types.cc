// The choice of types is a cascade in three phases.
//   1. Wrap: each leaf, a variable or constant, is of the smallest type that holds it.
//   2. Move up: an operation is of the least common type of its operands and its result, in which
//      sense a value is of the smallest type that holds it, whatever it was computed in. Only where
//      the two differ, the value is converted.
//   3. Unwrap: where a value is used as an index, it is taken as it was computed.
// Phase 2 is what `IndexProgramBuilder::binary` does.

#include "mercator/expr/index_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mercator/expr/index_program_builder.h"
#include "mercator/expr/sum_order.h"

namespace mercator {
namespace {

using internal::IndexProgramBuilder;

// An expression that has been lowered.
struct Lowered {
  ValueId value;
  // Whether the expression has a value at each point of the box. If not, the program computes
  // something in its place at the other points, so that what is known of the values of the
  // expression is not known of the program's.
  bool is_total;
};

class Lowering {
 public:
  Lowering(const IndexComputation& computation, Simplifier& simplifier)
      : computation_(computation), simplifier_(simplifier) {
    simplifier_.set_bounds(computation.bounds);
    for (std::size_t i = 0; i < computation.result_ranges.size(); ++i) {
      const std::uint32_t id = computation.results[i].id();
      const auto [entry, is_new] = result_ranges_.try_emplace(id, computation.result_ranges[i]);
      if (!is_new) entry->second = intersect(entry->second, computation.result_ranges[i]);
    }
  }

  Result<IndexProgram> run();

 private:
  Result<void> lower(Expr root);
  Result<Lowered> lower_node(Expr expr);

  Result<Lowered> lower_variable(Expr expr);
  Result<Lowered> lower_sum(Expr expr);
  Result<Lowered> lower_product(Expr expr);
  Result<Lowered> lower_division(Expr expr);
  Result<Lowered> lower_extremum(Expr expr);

  Interval range_of_part(Expr sum, std::span<const std::size_t> places);
  ValueId nonzero(ValueId divisor);
  ValueId use(std::size_t result);
  Result<void> add_condition(const IndexCondition& condition);

  [[nodiscard]] Lowered of(Expr expr) const { return lowered_.at(expr.id()); }
  [[nodiscard]] bool operands_are_total(Expr expr) const {
    return std::ranges::all_of(expr.operands(), [&](Expr e) { return of(e).is_total; });
  }
  // The range of `expr`, given one that follows from those of its operands; an error if that may
  // leave i64.
  Result<Interval> range(Expr expr, Interval from_operands, bool is_total);
  [[nodiscard]] std::unexpected<Error> leaves_i64(Expr expr) const {
    return fail(ErrorKind::kUnsupported, fmt::format("the value of '{}' may leave 64 bits",
                                                     to_string(expr, computation_.names)));
  }

  const IndexComputation& computation_;
  Simplifier& simplifier_;
  IndexProgramBuilder builder_;
  std::unordered_map<std::uint32_t, Interval> result_ranges_;  // by id, as the next
  std::unordered_map<std::uint32_t, Lowered> lowered_;
  std::vector<ValueId> clauses_;  // of the gate
  bool is_never_wanted_ = false;
};

Interval bounds_of(VariableId id, const VariableBounds& bounds) {
  const std::span<const Interval> of_kind = id.kind == VariableKind::kDimension ? bounds.dimensions
                                            : id.kind == VariableKind::kRange   ? bounds.ranges
                                                                                : bounds.runtimes;
  return id.index < of_kind.size() ? of_kind[id.index] : Interval::all();
}

Result<IndexProgram> Lowering::run() {
  const auto has_empty = [](std::span<const Interval> bounds) {
    return std::ranges::any_of(bounds, &Interval::is_empty);
  };
  is_never_wanted_ = has_empty(computation_.bounds.dimensions) ||
                     has_empty(computation_.bounds.ranges) ||
                     has_empty(computation_.bounds.runtimes);
  std::vector<ValueId> results;
  if (!is_never_wanted_) {
    for (std::size_t i = 0; i < computation_.results.size(); ++i) {
      MERCATOR_TRY_VOID(lower(computation_.results[i]));
      results.push_back(use(i));
    }
    for (const IndexCondition& condition : computation_.conditions) {
      MERCATOR_TRY_VOID(add_condition(condition));
    }
  }
  std::optional<ValueId> gate;
  for (const ValueId clause : clauses_) gate = gate ? builder_.both(*gate, clause) : clause;
  if (is_never_wanted_ || (gate && builder_.constant_value(*gate) == 0)) {
    const std::vector<ValueId> zeros(computation_.results.size(), builder_.constant(0));
    return builder_.finish(zeros, builder_.constant(0, IndexType::kI1));
  }
  return builder_.finish(results, gate);
}

// Operands first, in the order in which they stand in the expression: ids would depend on what the
// context saw before.
Result<void> Lowering::lower(Expr root) {
  struct Visit {
    Expr expr;
    std::size_t next_operand = 0;
  };
  std::vector<Visit> visits = {{root}};
  while (!visits.empty()) {
    Visit& visit = visits.back();
    const Expr expr = visit.expr;
    if (lowered_.contains(expr.id())) {
      visits.pop_back();
    } else if (visit.next_operand < expr.operands().size()) {
      visits.push_back({expr.operands()[visit.next_operand++]});
    } else {
      const Lowered lowered = MERCATOR_TRY(lower_node(expr));
      lowered_.insert({expr.id(), lowered});
      visits.pop_back();
    }
  }
  return {};
}

Result<Lowered> Lowering::lower_node(Expr expr) {
  switch (expr.kind()) {
    case ExprKind::kConstant:
      if (!smallest_type(Interval::point(expr.value()))) return leaves_i64(expr);
      return Lowered{builder_.constant(expr.value()), true};
    case ExprKind::kVariable:
      return lower_variable(expr);
    case ExprKind::kSum:
      return lower_sum(expr);
    case ExprKind::kProduct:
      return lower_product(expr);
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
      return lower_division(expr);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return lower_extremum(expr);
  }
  __builtin_unreachable();
}

Result<Interval> Lowering::range(Expr expr, Interval from_operands, bool is_total) {
  Interval range = from_operands;
  if (is_total) range = intersect(range, simplifier_.range(expr));
  if (const auto known = result_ranges_.find(expr.id()); known != result_ranges_.end()) {
    range = intersect(range, known->second);
  }
  if (range.is_empty()) {
    is_never_wanted_ = true;
    return Interval::point(0);
  }
  if (!smallest_type(range)) return leaves_i64(expr);
  return range;
}

// ---- phase 1 ----

Result<Lowered> Lowering::lower_variable(Expr expr) {
  const Interval bounds = bounds_of(expr.variable(), computation_.bounds);
  if (!smallest_type(bounds)) {
    const std::string name = computation_.names(expr.variable());
    return std::unexpected(Error{.kind = ErrorKind::kUnsupported,
                                 .message = fmt::format("'{}' has no bounds", name),
                                 .hint = fmt::format("give them: {} in [0, 99]", name)});
  }
  if (bounds.is_point()) return Lowered{builder_.constant(bounds.lo), true};
  return Lowered{builder_.variable(expr.variable(), bounds), true};
}

// ---- phase 2 ----

Result<Lowered> Lowering::lower_sum(Expr expr) {
  const bool is_total = operands_are_total(expr);
  std::vector<internal::Summand> summands;
  Interval sum = {expr.constant(), expr.constant()};
  for (std::size_t i = 0; i < expr.operands().size(); ++i) {
    const std::int64_t coefficient = expr.coefficients()[i];
    const ValueId value = of(expr.operands()[i]).value;
    const Interval multiple = builder_.range(value) * Interval{coefficient, coefficient};
    if (!smallest_type(multiple)) return leaves_i64(expr.operands()[i] * coefficient);
    if (multiple.is_point()) {
      summands.push_back(
          {.value = builder_.constant(multiple.lo), .coefficient = 1, .range = multiple});
    } else {
      summands.push_back({.value = value, .coefficient = coefficient, .range = multiple});
    }
    sum = sum + multiple;
  }
  if (expr.constant() != 0) {
    const Interval constant = {expr.constant(), expr.constant()};
    if (!smallest_type(constant)) return leaves_i64(expr);
    summands.push_back(
        {.value = builder_.constant(expr.constant()), .coefficient = 1, .range = constant});
  }
  const Interval result = MERCATOR_TRY(range(expr, sum, is_total));
  const auto partial_sum = [&](std::span<const std::size_t> places) {
    return is_total ? range_of_part(expr, places) : Interval::all();
  };
  const std::optional<ValueId> value = internal::add_up(summands, result, partial_sum, builder_);
  if (!value) return leaves_i64(expr);
  return Lowered{*value, is_total};
}

// `places` counts the terms of the sum, then its constant.
Interval Lowering::range_of_part(Expr sum, std::span<const std::size_t> places) {
  std::vector<Term> terms;
  std::int64_t constant = 0;
  for (const std::size_t place : places) {
    if (place < sum.operands().size()) {
      terms.push_back({sum.operands()[place], sum.coefficients()[place]});
    } else {
      constant = sum.constant();
    }
  }
  return simplifier_.range(sum.context().sum(terms, constant));
}

Result<Lowered> Lowering::lower_product(Expr expr) {
  const bool is_total = operands_are_total(expr);
  const std::span<const Expr> factors = expr.operands();
  ValueId product = of(factors[0]).value;
  for (std::size_t i = 1; i < factors.size(); ++i) {
    const ValueId factor = of(factors[i]).value;
    Interval partial = builder_.range(product) * builder_.range(factor);
    if (i + 1 == factors.size()) partial = MERCATOR_TRY(range(expr, partial, is_total));
    if (!smallest_type(partial)) return leaves_i64(expr);
    product = builder_.binary(IndexOp::kMul, product, factor, partial);
  }
  return Lowered{product, is_total};
}

Result<Lowered> Lowering::lower_division(Expr expr) {
  const ValueId dividend = of(expr.dividend()).value;
  const ValueId written_divisor = of(expr.divisor()).value;
  const bool may_be_zero = builder_.range(written_divisor).contains(0);
  const ValueId divisor = may_be_zero ? nonzero(written_divisor) : written_divisor;
  const bool is_total = operands_are_total(expr) && !may_be_zero;
  const Interval x = builder_.range(dividend);
  const Interval d = builder_.range(divisor);
  const bool is_quotient = expr.is(ExprKind::kFloorDiv);
  const Interval result =
      MERCATOR_TRY(range(expr, is_quotient ? floor_div(x, d) : floor_mod(x, d), is_total));
  const IndexOp op = is_quotient ? IndexOp::kFloorDiv : IndexOp::kMod;
  return Lowered{builder_.binary(op, dividend, divisor, result), is_total};
}

// A divisor of the same value where it is not zero, and some other one where it is, which the gate
// excludes.
ValueId Lowering::nonzero(ValueId divisor) {
  const Interval range = builder_.range(divisor);
  const ValueId is_nonzero = builder_.compare(IndexOp::kNotEqual, divisor, builder_.constant(0));
  if (std::ranges::find(clauses_, is_nonzero) == clauses_.end()) clauses_.push_back(is_nonzero);
  if (range.lo >= 0) {
    return builder_.binary(IndexOp::kMax, divisor, builder_.constant(1),
                           max(range, Interval::point(1)));
  }
  if (range.hi <= 0) {
    return builder_.binary(IndexOp::kMin, divisor, builder_.constant(-1),
                           min(range, Interval::point(-1)));
  }
  return builder_.select(is_nonzero, divisor, builder_.constant(1), range);
}

Result<Lowered> Lowering::lower_extremum(Expr expr) {
  const bool is_total = operands_are_total(expr);
  const bool is_min = expr.is(ExprKind::kMin);
  const std::span<const Expr> operands = expr.operands();
  ValueId extremum = of(operands[0]).value;
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const ValueId operand = of(operands[i]).value;
    const Interval x = builder_.range(extremum);
    const Interval y = builder_.range(operand);
    Interval partial = is_min ? min(x, y) : max(x, y);
    if (i + 1 == operands.size()) partial = MERCATOR_TRY(range(expr, partial, is_total));
    extremum = builder_.binary(is_min ? IndexOp::kMin : IndexOp::kMax, extremum, operand, partial);
  }
  return Lowered{extremum, is_total};
}

// ---- phase 3 ----

// A result as it was computed, unless its type is asked for.
ValueId Lowering::use(std::size_t result) {
  const ValueId value = of(computation_.results[result]).value;
  if (computation_.result_ranges.empty()) return value;
  const std::optional<IndexType> type =
      smallest_type(hull(computation_.result_ranges[result], builder_.range(value)));
  return type ? builder_.convert(value, *type) : value;
}

Result<void> Lowering::add_condition(const IndexCondition& condition) {
  MERCATOR_TRY_VOID(lower(condition.expr));
  if (is_never_wanted_) return {};
  const ValueId value = of(condition.expr).value;
  const Interval range = builder_.range(value);
  const Interval wanted = intersect(range, condition.range);
  if (wanted.is_empty()) {
    is_never_wanted_ = true;
    return {};
  }
  const bool has_lower = wanted.lo > range.lo;
  const bool has_upper = wanted.hi < range.hi;
  if (!has_lower && !has_upper) return {};
  const auto compare = [&](IndexOp op, ValueId a, ValueId b) {
    clauses_.push_back(builder_.compare(op, a, b));
  };
  const ValueId lo = builder_.constant(wanted.lo);
  const ValueId hi = builder_.constant(wanted.hi);
  if (wanted.lo == wanted.hi) {
    compare(IndexOp::kEqual, value, lo);
  } else if (!has_lower) {
    compare(IndexOp::kLessEqual, value, hi);
  } else if (!has_upper) {
    compare(IndexOp::kLessEqual, lo, value);
  } else {
    clauses_.push_back(builder_.within(value, wanted));
  }
  return {};
}

}  // namespace

Result<IndexProgram> lower(const IndexComputation& computation, Simplifier& simplifier) {
  return Lowering(computation, simplifier).run();
}

}  // namespace mercator
