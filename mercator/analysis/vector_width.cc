#include "mercator/analysis/vector_width.h"

#include <vector>

#include "mercator/support/arithmetic.h"

namespace mercator::analysis {
namespace {

// With thread = first * width + place for th_x.
class Widened {
 public:
  Widened(const IndexMap& positions, std::int64_t threads, std::int64_t width)
      : positions_(positions), context_(positions.context()), width_(width) {
    place_ = context_.range(static_cast<std::uint32_t>(positions.ranges().size()));
    std::vector<Interval> dimensions;
    for (const Variable& variable : positions.dimensions()) dimensions.push_back(variable.bounds);
    dimensions[0] = Interval::indices(threads / width);
    std::vector<Interval> ranges;
    for (const Variable& variable : positions.ranges()) ranges.push_back(variable.bounds);
    ranges.push_back(Interval::indices(width));
    std::vector<Interval> runtimes;
    for (const RuntimeVariable& runtime : positions.runtimes()) runtimes.push_back(runtime.bounds);
    simplifier_.set_bounds({.dimensions = dimensions, .ranges = ranges, .runtimes = runtimes});
  }

  bool fits() {
    const Expr position = at(positions_.results()[0], place_);
    const Expr start = at(positions_.results()[0], context_.constant(0));
    if (!is_zero(position - start - place_) || !is_zero(mod(start, width_))) return false;
    for (const Constraint& constraint : positions_.constraints()) {
      if (!holds_for_all_or_none(constraint)) return false;
    }
    const Interval threads = positions_.dimensions()[0].bounds;
    return threads.lo % width_ == 0 && (threads.hi + 1) % width_ == 0;
  }

 private:
  Expr at(Expr expr, Expr place) const {
    return substitute(expr, [&](VariableId id) {
      const bool is_thread = id == VariableId{VariableKind::kDimension, 0};
      return is_thread ? context_.dimension(0) * width_ + place : Expr();
    });
  }
  bool is_zero(Expr expr) { return simplifier_.simplify(expr).is_constant(0); }
  bool holds_for_all_or_none(const Constraint& constraint) {
    const Expr here = at(constraint.expr, place_);
    const Expr start = at(constraint.expr, context_.constant(0));
    if (is_zero(here - start)) return true;
    if (!is_zero(here - start - place_) || !is_zero(mod(start, width_))) return false;
    return floor_mod(constraint.range.lo, width_) == 0 &&
           floor_mod(constraint.range.hi, width_) == width_ - 1;
  }

  const IndexMap& positions_;
  ExprContext& context_;
  std::int64_t width_;
  Expr place_;
  Simplifier simplifier_;
};

}  // namespace

std::int64_t vector_width(const IndexMap& positions, std::int64_t threads, std::int64_t most) {
  if (positions.is_known_empty()) return 1;
  std::int64_t width = 1;
  while (width * 2 <= most && threads % (width * 2) == 0 &&
         Widened(positions, threads, width * 2).fits()) {
    width *= 2;
  }
  return width;
}

}  // namespace mercator::analysis
