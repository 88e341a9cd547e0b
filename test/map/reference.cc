#include "test/map/reference.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace mercator::map_test {

namespace {

using Value = std::optional<Wide>;

Wide quotient(Wide a, Wide b) {
  Wide q = a / b;
  if (q * b != a && (a < 0) != (b < 0)) --q;
  return q;
}

bool is_within(Wide value, Interval range) {
  return !range.is_empty() && (range.lo == Interval::kMinusInfinity || range.lo <= value) &&
         (range.hi == Interval::kPlusInfinity || value <= range.hi);
}

Value value_of(Expr expr, const VariableValues& point) {
  std::vector<Wide> operands;
  for (const Expr operand : expr.operands()) {
    const Value value = value_of(operand, point);
    if (!value) return std::nullopt;
    operands.push_back(*value);
  }
  switch (expr.kind()) {
    case ExprKind::kConstant:
      return expr.value();
    case ExprKind::kVariable: {
      const VariableId id = expr.variable();
      if (id.kind == VariableKind::kDimension) return point.dimensions[id.index];
      if (id.kind == VariableKind::kRange) return point.ranges[id.index];
      return point.runtimes[id.index];
    }
    case ExprKind::kSum: {
      Wide sum = expr.constant();
      for (std::size_t i = 0; i < operands.size(); ++i) sum += operands[i] * expr.coefficients()[i];
      return sum;
    }
    case ExprKind::kProduct: {
      Wide product = 1;
      for (const Wide operand : operands) product *= operand;
      return product;
    }
    case ExprKind::kFloorDiv:
      if (operands[1] == 0) return std::nullopt;
      return quotient(operands[0], operands[1]);
    case ExprKind::kMod:
      if (operands[1] == 0) return std::nullopt;
      return operands[0] - operands[1] * quotient(operands[0], operands[1]);
    case ExprKind::kMin: {
      Wide least = operands[0];
      for (const Wide operand : operands) least = operand < least ? operand : least;
      return least;
    }
    case ExprKind::kMax: {
      Wide greatest = operands[0];
      for (const Wide operand : operands) greatest = operand > greatest ? operand : greatest;
      return greatest;
    }
  }
  return std::nullopt;
}

// Fills in the variables one by one and collects the pairs at the complete points.
class Collector {
 public:
  explicit Collector(const IndexMap& map) : map_(map) {}

  std::set<RelatedPair> collect() {
    assign_dimension();
    return std::move(pairs_);
  }

 private:
  void assign_dimension() {
    if (dimensions_.size() == map_.dimensions().size()) return assign_range();
    const Interval bounds = map_.dimensions()[dimensions_.size()].bounds;
    for (std::int64_t value = bounds.lo; value <= bounds.hi; ++value) {
      dimensions_.push_back(value);
      assign_dimension();
      dimensions_.pop_back();
    }
  }

  void assign_range() {
    if (ranges_.size() == map_.ranges().size()) return assign_runtime();
    const Interval bounds = map_.ranges()[ranges_.size()].bounds;
    for (std::int64_t value = bounds.lo; value <= bounds.hi; ++value) {
      ranges_.push_back(value);
      assign_range();
      ranges_.pop_back();
    }
  }

  void assign_runtime() {
    if (runtimes_.size() == map_.runtimes().size()) return add_point();
    const Interval bounds = map_.runtimes()[runtimes_.size()].bounds;
    for (std::int64_t value = bounds.lo; value <= bounds.hi; ++value) {
      runtimes_.push_back(value);
      assign_runtime();
      runtimes_.pop_back();
    }
  }

  void add_point() {
    const auto results = reference_results(
        map_, {.dimensions = dimensions_, .ranges = ranges_, .runtimes = runtimes_});
    if (!results) return;
    RelatedPair pair = {.runtimes = runtimes_, .from = dimensions_, .to = {}};
    for (const Wide result : *results) pair.to.push_back(static_cast<std::int64_t>(result));
    pairs_.insert(std::move(pair));
  }

  const IndexMap& map_;
  std::vector<std::int64_t> dimensions_;
  std::vector<std::int64_t> ranges_;
  std::vector<std::int64_t> runtimes_;
  std::set<RelatedPair> pairs_;
};

}  // namespace

std::optional<Wide> reference_value(Expr expr, const VariableValues& point) {
  return value_of(expr, point);
}

std::optional<std::vector<Wide>> reference_results(const IndexMap& map,
                                                   const VariableValues& point) {
  for (std::size_t i = 0; i < map.dimensions().size(); ++i) {
    if (!is_within(point.dimensions[i], map.dimensions()[i].bounds)) return std::nullopt;
  }
  for (std::size_t i = 0; i < map.ranges().size(); ++i) {
    if (!is_within(point.ranges[i], map.ranges()[i].bounds)) return std::nullopt;
  }
  for (std::size_t i = 0; i < map.runtimes().size(); ++i) {
    if (!is_within(point.runtimes[i], map.runtimes()[i].bounds)) return std::nullopt;
  }
  for (const Constraint& constraint : map.constraints()) {
    const Value value = value_of(constraint.expr, point);
    if (!value || !is_within(*value, constraint.range)) return std::nullopt;
  }
  std::vector<Wide> results;
  for (const Expr result : map.results()) {
    const Value value = value_of(result, point);
    if (!value) return std::nullopt;
    results.push_back(*value);
  }
  return results;
}

std::set<RelatedPair> reference_relation(const IndexMap& map) { return Collector(map).collect(); }

std::set<RelatedPair> reference_relation_like(const IndexMap& simplified,
                                              const IndexMap& original) {
  std::set<RelatedPair> pairs = reference_relation(simplified);
  for (std::size_t i = 0; i < original.runtimes().size(); ++i) {
    const RuntimeVariable& runtime = original.runtimes()[i];
    if (std::ranges::find(simplified.runtimes(), runtime.name, &RuntimeVariable::name) !=
        simplified.runtimes().end()) {
      continue;
    }
    std::set<RelatedPair> expanded;
    for (const RelatedPair& pair : pairs) {
      for (std::int64_t value = runtime.bounds.lo; value <= runtime.bounds.hi; ++value) {
        RelatedPair more = pair;
        more.runtimes.insert(more.runtimes.begin() + static_cast<std::ptrdiff_t>(i), value);
        expanded.insert(more);
      }
    }
    pairs = expanded;
  }
  return pairs;
}

}  // namespace mercator::map_test
