#include "mercator/map/bound_search.h"

#include <algorithm>

namespace mercator::internal {

namespace {

constexpr int kMaxSteps = 1024;

using Wide = __int128;

class BoundSearch {
 public:
  explicit BoundSearch(const Condition& condition)
      : condition_(condition),
        evaluator_(exprs_of(condition)),
        point_(condition.variable.index + 1),
        values_(condition.constraints.size()) {}

  std::optional<SearchResult> search(Interval bounds) {
    if (bounds.lo != Interval::kMinusInfinity) {
      const auto lo = first_value(bounds.lo, bounds.hi, condition_.step);
      if (!lo) return std::nullopt;
      bounds.lo = *lo;
    }
    if (bounds.hi != Interval::kPlusInfinity) {
      const auto hi = first_value(bounds.hi, bounds.lo, -condition_.step);
      if (!hi) return std::nullopt;
      bounds.hi = *hi;
    }
    return SearchResult{.bounds = bounds, .always_holds = always_holds(bounds)};
  }

 private:
  static std::vector<Expr> exprs_of(const Condition& condition) {
    std::vector<Expr> exprs;
    for (const Constraint& constraint : condition.constraints) exprs.push_back(constraint.expr);
    return exprs;
  }

  // The value of each constraint, in `values_`; false where one cannot be computed.
  [[nodiscard]] bool evaluate(std::int64_t value) {
    point_.back() = value;
    switch (condition_.variable.kind) {
      case VariableKind::kDimension:
        return evaluator_({.dimensions = point_}, values_);
      case VariableKind::kRange:
        return evaluator_({.dimensions = {}, .ranges = point_}, values_);
      case VariableKind::kRuntime:
        return evaluator_({.dimensions = {}, .ranges = {}, .runtimes = point_}, values_);
    }
    __builtin_unreachable();
  }

  [[nodiscard]] bool holds(std::size_t constraint) const {
    return condition_.constraints[constraint].range.contains(values_[constraint]);
  }

  [[nodiscard]] bool may_hold(std::int64_t value) {
    if (!evaluate(value)) return true;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!holds(i)) return false;
    }
    return true;
  }

  // `start` moved in steps to the first value for which the constraints may hold. `start` itself if
  // the search gives up; none if there is no such value up to `end`.
  std::optional<std::int64_t> first_value(std::int64_t start, std::int64_t end, std::int64_t step) {
    std::int64_t value = start;
    for (int i = 0; i < kMaxSteps; ++i) {
      if (may_hold(value)) return value;
      const Wide next = Wide{value} + step;
      // Beyond an infinite end there are values that cannot be tried.
      if (step > 0 && next > end && end == Interval::kPlusInfinity) return start;
      if (step < 0 && next < end && end == Interval::kMinusInfinity) return start;
      if (step > 0 ? next > end : next < end) return std::nullopt;
      value = static_cast<std::int64_t>(next);
    }
    return start;
  }

  std::vector<bool> always_holds(Interval bounds) {
    std::vector<bool> always(values_.size(), false);
    if (!bounds.is_bounded()) return always;
    if ((Wide{bounds.hi} - bounds.lo) / condition_.step >= kMaxSteps) return always;
    always.assign(values_.size(), true);
    for (Wide value = bounds.lo; value <= bounds.hi; value += condition_.step) {
      const bool has_values = evaluate(static_cast<std::int64_t>(value));
      for (std::size_t i = 0; i < always.size(); ++i) {
        if (!has_values || !holds(i)) always[i] = false;
      }
      if (std::ranges::find(always, true) == always.end()) break;
    }
    return always;
  }

  const Condition& condition_;
  Evaluator evaluator_;
  std::vector<std::int64_t> point_;
  std::vector<std::int64_t> values_;
};

}  // namespace

std::optional<SearchResult> search(const Condition& condition, Interval bounds) {
  return BoundSearch(condition).search(bounds);
}

}  // namespace mercator::internal
