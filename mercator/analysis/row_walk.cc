#include "mercator/analysis/row_walk.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mercator {

namespace {

// expr = coefficient * variable + rest, and `variable` does not occur in `rest`.
struct LinearPart {
  std::int64_t coefficient = 0;
  Expr rest = {};
};

std::optional<LinearPart> linear_in(Expr expr, Expr variable) {
  LinearPart part{.rest = expr};
  if (expr == variable) {
    part = {.coefficient = 1, .rest = expr.context().constant(0)};
  } else if (expr.is(ExprKind::kSum)) {
    const auto place = std::ranges::find(expr.operands(), variable);
    if (place != expr.operands().end()) {
      part.coefficient = expr.coefficients()[place - expr.operands().begin()];
      std::vector<Term> terms;
      for (std::size_t i = 0; i < expr.operands().size(); ++i) {
        if (expr.operands()[i] == variable) continue;
        terms.push_back({.expr = expr.operands()[i], .coefficient = expr.coefficients()[i]});
      }
      part.rest = expr.context().sum(terms, expr.constant());
    }
  }
  if (used_variables(std::span(&part.rest, 1)).contains(variable.variable())) return std::nullopt;
  return part;
}

// The domain of a map that has only dimensions, as rows along one of them.
class RowWalk {
 public:
  // Rows suit the constraints, and `expr` where there is one.
  RowWalk(const IndexMap& map, Expr expr) : map_(map), expr_(expr) {
    // The longest rows, among those that spare the most work.
    std::pair<int, std::int64_t> best = {-1, 0};
    for (std::size_t i = 0; i < map.dimensions().size(); ++i) {
      const std::pair<int, std::int64_t> merit = {merit_of(i), map.dimensions()[i].bounds.size()};
      if (merit <= best) continue;
      best = merit;
      row_ = i;
    }
    is_linear_ = best.first == 2;
    // Evaluated at the start of a row where it is linear, at each point where not.
    for (const Constraint& constraint : map.constraints()) add(constraint.expr, best.first >= 1);
    if (expr) add(expr, is_linear_);
  }

  // Points or rows to look at; the largest int64 if without bound.
  [[nodiscard]] std::int64_t steps() const {
    std::int64_t steps = 1;
    for (std::size_t i = 0; i < map_.dimensions().size(); ++i) {
      const Interval bounds = map_.dimensions()[i].bounds;
      if (!bounds.is_bounded()) return INT64_MAX;
      const bool is_spared = i == row_ && is_linear_ && has_short_rows();
      steps = saturating_mul(steps, is_spared ? steps_of_row(bounds.size()) : bounds.size());
    }
    return steps;
  }

  // Calls `visit(run, points)` with the values of `expr` and the number of points for each row.
  // False if something has no value, or if `visit` says so.
  template <class Visit>
  [[nodiscard]] bool run(Visit visit) {
    const std::vector<Variable>& dimensions = map_.dimensions();
    std::vector<std::int64_t> point;
    for (const Variable& dimension : dimensions) {
      if (dimension.bounds.is_empty()) return true;
      point.push_back(dimension.bounds.lo);
    }
    Evaluator evaluator(exprs_);
    std::vector<std::int64_t> values(exprs_.size());
    const Interval row = dimensions.empty() ? Interval::point(0) : dimensions[row_].bounds;
    while (true) {
      if (is_linear_) {
        if (!evaluator({.dimensions = point}, values) || !visit_row(row, values, visit)) {
          return false;
        }
      } else {
        for (std::int64_t i = row.lo; i <= row.hi; ++i) {
          if (!dimensions.empty()) point[row_] = i;
          if (!evaluator({.dimensions = point}, values)) return false;
          if (!visit_row(Interval::point(i), values, visit)) return false;
        }
      }
      std::size_t next = 0;
      for (; next < point.size(); ++next) {
        if (next == row_) continue;
        if (++point[next] <= dimensions[next].bounds.hi) break;
        point[next] = dimensions[next].bounds.lo;
      }
      if (next == point.size()) return true;
    }
  }

 private:
  // 0: along this variable, constraints have to be looked at point by point; 1: they have not, but
  // the result has; 2: neither.
  [[nodiscard]] int merit_of(std::size_t dimension) const {
    const Expr variable = map_.context().dimension(static_cast<std::uint32_t>(dimension));
    const bool constraints = std::ranges::all_of(map_.constraints(), [&](const Constraint& c) {
      return linear_in(c.expr, variable).has_value();
    });
    if (!constraints) return 0;
    return !expr_ || linear_in(expr_, variable) ? 2 : 1;
  }

  void add(Expr expr, bool is_linear) {
    LinearPart part{.rest = expr};
    if (is_linear && is_linear_) {
      const Expr variable = map_.context().dimension(static_cast<std::uint32_t>(row_));
      part = *linear_in(expr, variable);
    }
    exprs_.push_back(part.rest);
    coefficients_.push_back(part.coefficient);
  }

  // Whether the values of a row are neighbours.
  [[nodiscard]] bool has_short_rows() const {
    return !expr_ || (coefficients_.back() >= -1 && coefficients_.back() <= 1);
  }

  // What it takes to set the bits of neighbours; where there are more, they are one run.
  [[nodiscard]] std::int64_t steps_of_row(std::int64_t length) const {
    constexpr std::int64_t kBitsPerStep = 1024;
    return expr_ ? 1 + std::min(length, kMaxBits) / kBitsPerStep : 1;
  }

  template <class Visit>
  [[nodiscard]] bool visit_row(Interval row, const std::vector<std::int64_t>& values,
                               Visit& visit) const {
    for (std::size_t i = 0; i < map_.constraints().size(); ++i) {
      const Interval range = map_.constraints()[i].range;
      constexpr std::int64_t kFar = INT64_MAX / 4;  // so that differences stay within int64
      if (values[i] < -kFar || values[i] > kFar) return false;
      if (coefficients_[i] == 0) {
        if (!range.contains(values[i])) return true;
      } else {
        row = intersect(
            row, divide_exactly_within(range - Interval::point(values[i]), coefficients_[i]));
      }
    }
    if (row.is_empty()) return true;
    ValueRun run;
    if (expr_ && !run_of(row, coefficients_.back(), values.back(), run)) return false;
    return visit(run, row.hi - row.lo + 1);
  }

  static bool run_of(Interval row, std::int64_t coefficient, std::int64_t rest, ValueRun& run) {
    if (coefficient == 0) {
      run = {.lo = rest, .hi = rest};
      return true;
    }
    const Interval values = row * coefficient + Interval::point(rest);
    run = {.lo = values.lo, .hi = values.hi, .step = coefficient < 0 ? -coefficient : coefficient};
    return values.is_bounded();
  }

  const IndexMap& map_;
  Expr expr_;
  std::size_t row_ = 0;
  bool is_linear_ = false;
  std::vector<Expr> exprs_;  // of the constraints, then the result
  std::vector<std::int64_t> coefficients_;
};

bool add_values(const IndexMap& map, Expr expr, StepBudget& budget, ValueSetBuilder& builder) {
  RowWalk walk(map, expr);
  return budget.take(walk.steps()) &&
         walk.run([&](ValueRun run, std::int64_t) { return builder.add(run); });
}

std::int64_t points_of(const IndexMap& map) {
  std::int64_t points = 1;
  for (const Variable& variable : map.dimensions()) {
    points = saturating_mul(points, variable.bounds.size());
  }
  return points;
}

}  // namespace

std::optional<std::int64_t> count_points(const IndexMap& map, StepBudget& budget) {
  if (map.constraints().empty()) return points_of(map);
  RowWalk walk(map, {});
  if (!budget.take(walk.steps())) return std::nullopt;
  std::int64_t count = 0;
  const bool is_done = walk.run([&](ValueRun, std::int64_t points) {
    count = saturating_add(count, points);
    return true;
  });
  if (!is_done) return std::nullopt;
  return count;
}

std::optional<ValueSet> enumerate_values(const IndexMap& map, Expr expr, std::int64_t limit,
                                         StepBudget& budget) {
  ValueSetBuilder builder(limit, std::min(points_of(map), budget.left));
  if (!add_values(map, expr, budget, builder)) return std::nullopt;
  return builder.set();
}

std::optional<std::int64_t> count_values(const IndexMap& map, Expr expr, std::int64_t limit,
                                         StepBudget& budget) {
  ValueSetBuilder builder(limit, std::min(points_of(map), budget.left));
  if (!add_values(map, expr, budget, builder)) return std::nullopt;
  return builder.count();
}

}  // namespace mercator
