#include "test/map/reference.h"

#include <vector>

namespace mercator::map_test {

namespace {

using Wide = __int128;
using Value = std::optional<Wide>;

Wide quotient(Wide a, Wide b) {
  Wide q = a / b;
  if (q * b != a && (a < 0) != (b < 0)) --q;
  return q;
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
    const VariableValues point = {
        .dimensions = dimensions_, .ranges = ranges_, .runtimes = runtimes_};
    for (const Constraint& constraint : map_.constraints()) {
      const auto value = reference_value(constraint.expr, point);
      if (!value || *value < constraint.range.lo || *value > constraint.range.hi) return;
    }
    RelatedPair pair = {.runtimes = runtimes_, .from = dimensions_, .to = {}};
    for (const Expr result : map_.results()) {
      const auto value = reference_value(result, point);
      if (!value) return;
      pair.to.push_back(*value);
    }
    pairs_.insert(std::move(pair));
  }

  const IndexMap& map_;
  std::vector<std::int64_t> dimensions_;
  std::vector<std::int64_t> ranges_;
  std::vector<std::int64_t> runtimes_;
  std::set<RelatedPair> pairs_;
};

}  // namespace

std::optional<std::int64_t> reference_value(Expr expr, const VariableValues& point) {
  const Value value = value_of(expr, point);
  if (!value) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::set<RelatedPair> reference_relation(const IndexMap& map) { return Collector(map).collect(); }

}  // namespace mercator::map_test
