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
#include <optional>
#include <utility>
#include <vector>

#include "mercator/expr/simplifier.h"
#include "mercator/map/expr_values.h"
#include "mercator/map/independent_groups.h"
#include "mercator/map/index_map.h"
#include "mercator/support/arithmetic.h"

namespace mercator {

namespace {

using Wide = __int128;

Wide magnitude(std::int64_t value) { return value < 0 ? -Wide{value} : Wide{value}; }

constexpr Wide kMaxWide = Wide{1} << 120;

template <class AnyVariable>
std::vector<Interval> all_bounds(const std::vector<AnyVariable>& variables) {
  std::vector<Interval> bounds;
  for (const AnyVariable& variable : variables) bounds.push_back(variable.bounds);
  return bounds;
}

// Takes the results of a map apart as far as it goes.
class PartFinder {
 public:
  explicit PartFinder(const IndexMap& map)
      : dimensions_(all_bounds(map.dimensions())),
        ranges_(all_bounds(map.ranges())),
        runtimes_(all_bounds(map.runtimes())),
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

Result<Wide> count_group(const IndexMap& map, const IndependentGroup& group, std::int64_t budget) {
  if (group.constraints.empty() && group.parts.size() == 1) {
    if (const auto values = values_of(map, group.parts[0])) return values->count;
  }
  return static_cast<Wide>(MERCATOR_TRY(image(map_of(map, group), budget)).size());
}

}  // namespace

Result<std::int64_t> count_image(const IndexMap& map, std::int64_t budget) {
  const IndexMap simplified = simplify(map);
  if (simplified.is_known_empty()) return 0;
  std::vector<Wide> counts;
  const std::vector<Expr> parts = PartFinder(simplified).find();
  for (const IndependentGroup& group : independent_groups(simplified, parts)) {
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
