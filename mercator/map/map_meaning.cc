// What a map means, point by point: the semantics that everything else is tested against.

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "mercator/expr/traversal.h"
#include "mercator/map/index_map.h"
#include "mercator/support/arithmetic.h"

namespace mercator {

namespace {

// The expressions of the constraints, then the results.
std::vector<Expr> domain_exprs(const IndexMap& map) {
  std::vector<Expr> exprs;
  exprs.reserve(map.constraints().size() + map.results().size());
  for (const Constraint& constraint : map.constraints()) exprs.push_back(constraint.expr);
  exprs.insert(exprs.end(), map.results().begin(), map.results().end());
  return exprs;
}

// Visits the domain of one map.
class DomainWalk {
 public:
  explicit DomainWalk(const IndexMap& map)
      : map_(map),
        exprs_(domain_exprs(map)),
        evaluator_(exprs_),
        values_(exprs_.size()),
        point_(map.runtimes().size() + map.dimensions().size() + map.ranges().size()) {
    for (const RuntimeVariable& runtime : map.runtimes()) bounds_.push_back(runtime.bounds);
    for (const Variable& dimension : map.dimensions()) bounds_.push_back(dimension.bounds);
    for (const Variable& range : map.ranges()) bounds_.push_back(range.bounds);
  }

  Result<void> run(
      std::int64_t budget,
      const std::function<void(const VariableValues&, std::span<const std::int64_t>)>& visit) {
    if (std::ranges::any_of(bounds_, [](Interval bounds) { return bounds.is_empty(); })) return {};
    MERCATOR_TRY_VOID(check_size(budget));
    for (std::size_t i = 0; i < bounds_.size(); ++i) point_[i] = bounds_[i].lo;
    do {
      const bool is_inside = MERCATOR_TRY(evaluate_point());
      if (is_inside) visit(point(), std::span(values_).subspan(map_.constraints().size()));
    } while (advance());
    return {};
  }

 private:
  [[nodiscard]] Result<void> check_size(std::int64_t budget) const {
    std::int64_t size = 1;
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      if (!bounds_[i].is_bounded()) {
        return fail(ErrorKind::kUnsupported, fmt::format("the variable {} is unbounded", name(i)));
      }
      if (!checked_mul(size, bounds_[i].size(), &size)) size = Interval::kPlusInfinity;
    }
    if (size > budget) {
      return fail(
          ErrorKind::kUnsupported,
          fmt::format("the bounds allow {} points, more than the limit of {}",
                      size == Interval::kPlusInfinity ? "over 2^63" : fmt::format("{}", size),
                      budget));
    }
    return {};
  }

  // The next point, the last variable first; false after the last point.
  [[nodiscard]] bool advance() {
    for (std::size_t i = point_.size(); i > 0; --i) {
      if (point_[i - 1] < bounds_[i - 1].hi) {
        ++point_[i - 1];
        return true;
      }
      point_[i - 1] = bounds_[i - 1].lo;
    }
    return false;
  }

  [[nodiscard]] VariableValues point() const {
    const std::span<const std::int64_t> all(point_);
    const std::size_t runtimes = map_.runtimes().size();
    const std::size_t dimensions = map_.dimensions().size();
    return {.dimensions = all.subspan(runtimes, dimensions),
            .ranges = all.subspan(runtimes + dimensions),
            .runtimes = all.first(runtimes)};
  }

  // Whether the point is in the domain; its results are then in `values_`.
  [[nodiscard]] Result<bool> evaluate_point() {
    if (!evaluator_(point(), values_)) {
      if (is_certainly_outside()) return false;
      return fail(ErrorKind::kUnsupported,
                  fmt::format("a value does not fit into 64 bits at {}", point_text()));
    }
    for (std::size_t i = 0; i < map_.constraints().size(); ++i) {
      if (!map_.constraints()[i].range.contains(values_[i])) return false;
    }
    return true;
  }

  // For a point where not everything has a value: whether that is because of a zero divisor, or
  // does not matter since a constraint is violated.
  [[nodiscard]] bool is_certainly_outside() {
    for (const Constraint& constraint : map_.constraints()) {
      const auto value = mercator::evaluate(constraint.expr, point());
      if (value && !constraint.range.contains(*value)) return true;
    }
    if (!divisors_) {
      divisors_.emplace();
      const Traversal traversal(exprs_);
      for (const Expr node : traversal.nodes()) {
        if (!node.is(ExprKind::kFloorDiv) && !node.is(ExprKind::kMod)) continue;
        if (!node.divisor().is(ExprKind::kConstant)) divisors_->push_back(node.divisor());
      }
    }
    return std::ranges::any_of(
        *divisors_, [&](Expr divisor) { return mercator::evaluate(divisor, point()) == 0; });
  }

  [[nodiscard]] std::string name(std::size_t i) const {
    const std::size_t runtimes = map_.runtimes().size();
    const std::size_t dimensions = map_.dimensions().size();
    if (i < runtimes) return map_.name({VariableKind::kRuntime, static_cast<std::uint32_t>(i)});
    i -= runtimes;
    if (i < dimensions) return map_.name({VariableKind::kDimension, static_cast<std::uint32_t>(i)});
    return map_.name({VariableKind::kRange, static_cast<std::uint32_t>(i - dimensions)});
  }

  [[nodiscard]] std::string point_text() const {
    std::string text;
    for (std::size_t i = 0; i < point_.size(); ++i) {
      text += fmt::format("{}{} = {}", i > 0 ? ", " : "", name(i), point_[i]);
    }
    return text.empty() ? "the only point" : text;
  }

  const IndexMap& map_;
  std::vector<Expr> exprs_;
  Evaluator evaluator_;
  std::vector<std::int64_t> values_;  // of exprs_
  std::vector<Interval> bounds_;      // runtimes, dimensions, ranges
  std::vector<std::int64_t> point_;   // likewise
  std::optional<std::vector<Expr>> divisors_;
};

bool is_within_bounds(const IndexMap& map, const VariableValues& point) {
  const auto is_within = [](const auto& variable, std::int64_t value) {
    return variable.bounds.contains(value);
  };
  return std::ranges::equal(map.dimensions(), point.dimensions, is_within) &&
         std::ranges::equal(map.ranges(), point.ranges, is_within) &&
         std::ranges::equal(map.runtimes(), point.runtimes, is_within);
}

}  // namespace

std::optional<std::vector<std::int64_t>> evaluate(const IndexMap& map,
                                                  const VariableValues& point) {
  if (!is_within_bounds(map, point)) return std::nullopt;
  const std::vector<Expr> exprs = domain_exprs(map);
  std::vector<std::int64_t> values(exprs.size());
  if (!Evaluator(exprs)(point, values)) return std::nullopt;
  for (std::size_t i = 0; i < map.constraints().size(); ++i) {
    if (!map.constraints()[i].range.contains(values[i])) return std::nullopt;
  }
  values.erase(values.begin(),
               values.begin() + static_cast<std::ptrdiff_t>(map.constraints().size()));
  return values;
}

bool contains(const IndexMap& map, const VariableValues& point) {
  return evaluate(map, point).has_value();
}

Result<void> enumerate(const IndexMap& map, std::int64_t budget,
                       const std::function<void(const VariableValues&,
                                                std::span<const std::int64_t> results)>& visit) {
  return DomainWalk(map).run(budget, visit);
}

Result<std::set<std::vector<std::int64_t>>> image(const IndexMap& map, std::int64_t budget) {
  std::set<std::vector<std::int64_t>> image;
  MERCATOR_TRY_VOID(
      enumerate(map, budget, [&](const VariableValues&, std::span<const std::int64_t> results) {
        image.emplace(results.begin(), results.end());
      }));
  return image;
}

Result<std::set<RelatedPair>> relation(const IndexMap& map, std::int64_t budget) {
  const auto list = [](std::span<const std::int64_t> values) {
    return std::vector<std::int64_t>(values.begin(), values.end());
  };
  std::set<RelatedPair> pairs;
  MERCATOR_TRY_VOID(enumerate(
      map, budget, [&](const VariableValues& point, std::span<const std::int64_t> results) {
        pairs.insert({.runtimes = list(point.runtimes),
                      .from = list(point.dimensions),
                      .to = list(results)});
      }));
  return pairs;
}

Result<bool> same_relation(const IndexMap& a, const IndexMap& b, std::int64_t budget) {
  return MERCATOR_TRY(relation(a, budget)) == MERCATOR_TRY(relation(b, budget));
}

}  // namespace mercator
