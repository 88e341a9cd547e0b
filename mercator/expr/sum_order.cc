#include "mercator/expr/sum_order.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace mercator::internal {
namespace {

using Wide = __int128;

// Twice the middle, and the width, of a bounded interval.
Wide twice_middle(Interval range) { return Wide{range.lo} + range.hi; }
Wide extent(Interval range) { return Wide{range.hi} - range.lo; }

struct Order {
  std::vector<std::size_t> places;
  std::vector<Interval> partial_sums;  // after each of the places
  std::size_t too_wide = 0;            // how many of them need more than the least type
  bool leaves_i64 = false;
};

class SumOrder {
 public:
  SumOrder(std::span<const Summand> summands, Interval sum, const PartialSumRange& partial_sum)
      : summands_(summands), sum_(sum), partial_sum_(partial_sum) {
    Interval all = sum;
    for (const Summand& summand : summands) all = hull(all, summand.range);
    is_narrow_ = smallest_type(all) == IndexType::kI32;
  }

  // None if all leave i64.
  [[nodiscard]] std::optional<Order> best() const {
    Order natural = with_partial_sums(as_written());
    if (natural.too_wide == 0) return natural;
    Order balanced = with_partial_sums(near_zero());
    if (balanced.leaves_i64 && natural.leaves_i64) return std::nullopt;
    if (balanced.leaves_i64) return natural;
    return balanced.too_wide < natural.too_wide || natural.leaves_i64 ? balanced : natural;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> as_written() const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < summands_.size(); ++i) places.push_back(i);
    const auto first_positive =
        std::ranges::find_if(places, [&](std::size_t i) { return summands_[i].coefficient > 0; });
    if (first_positive != places.end()) {
      std::rotate(places.begin(), first_positive, first_positive + 1);
    }
    return places;
  }

  // Against a partial sum that lies above 0 comes what lies below it, and the other way round; what
  // has few values comes early, so that the partial sums are narrow while there is much to come.
  [[nodiscard]] std::vector<std::size_t> near_zero() const {
    std::vector<std::size_t> above;
    std::vector<std::size_t> below;
    for (std::size_t i = 0; i < summands_.size(); ++i) {
      (twice_middle(summands_[i].range) >= 0 ? above : below).push_back(i);
    }
    const auto by_extent = [&](std::size_t i) { return extent(summands_[i].range); };
    std::ranges::stable_sort(above, {}, by_extent);
    std::ranges::stable_sort(below, {}, by_extent);
    std::vector<std::size_t> places;
    Wide middle = 0;
    std::size_t a = 0;
    std::size_t b = 0;
    while (places.size() < summands_.size()) {
      const bool take_above = a < above.size() && (middle <= 0 || b == below.size());
      const std::size_t next = take_above ? above[a++] : below[b++];
      middle += twice_middle(summands_[next].range);
      places.push_back(next);
    }
    return places;
  }

  [[nodiscard]] Order with_partial_sums(std::vector<std::size_t> places) const {
    Order order;
    order.places = std::move(places);
    Interval partial = Interval::point(0);
    for (std::size_t i = 0; i < order.places.size(); ++i) {
      partial = partial + summands_[order.places[i]].range;
      if (i + 1 == order.places.size()) partial = intersect(partial, sum_);
      if (!is_within_least_type(partial) && i < kMostExact) {
        partial = intersect(partial, partial_sum_(std::span(order.places).first(i + 1)));
      }
      order.too_wide += is_within_least_type(partial) ? 0 : 1;
      order.leaves_i64 = order.leaves_i64 || !smallest_type(partial);
      order.partial_sums.push_back(partial);
    }
    return order;
  }

  [[nodiscard]] bool is_within_least_type(Interval range) const {
    const std::optional<IndexType> type = smallest_type(range);
    return type && (*type == IndexType::kI32 || !is_narrow_);
  }

  // Longer partial sums are not asked for their exact ranges: that would take quadratic time.
  static constexpr std::size_t kMostExact = 16;

  std::span<const Summand> summands_;
  Interval sum_;
  const PartialSumRange& partial_sum_;
  bool is_narrow_ = false;
};

// The summand, or its negation, which lies in `range`.
ValueId multiple(ValueId value, std::int64_t coefficient, Interval range,
                 IndexProgramBuilder& builder) {
  if (coefficient == 1) return value;
  if (coefficient == -1) return builder.binary(IndexOp::kSub, builder.constant(0), value, range);
  return builder.binary(IndexOp::kMul, value, builder.constant(coefficient), range);
}

// Whether to subtract -summand: not where the negation alone would need a wider type.
bool is_subtracted(const Summand& summand) {
  if (summand.coefficient >= 0) return false;
  return summand.coefficient == -1 || smallest_type(-summand.range) == smallest_type(summand.range);
}

}  // namespace

std::optional<ValueId> add_up(std::span<const Summand> summands, Interval sum,
                              const PartialSumRange& partial_sum, IndexProgramBuilder& builder) {
  const std::optional<Order> order = SumOrder(summands, sum, partial_sum).best();
  if (!order) return std::nullopt;
  const Summand& first = summands[order->places[0]];
  ValueId total = multiple(first.value, first.coefficient, order->partial_sums[0], builder);
  for (std::size_t i = 1; i < order->places.size(); ++i) {
    const Summand& summand = summands[order->places[i]];
    const bool subtract = is_subtracted(summand);
    const ValueId operand =
        subtract ? multiple(summand.value, -summand.coefficient, -summand.range, builder)
                 : multiple(summand.value, summand.coefficient, summand.range, builder);
    const Interval partial = order->partial_sums[i];
    const std::optional<std::int64_t> constant = builder.constant_value(operand);
    if (constant && !subtract) {
      total = builder.add_constant(total, *constant, partial);
    } else {
      total = builder.binary(subtract ? IndexOp::kSub : IndexOp::kAdd, total, operand, partial);
    }
  }
  return total;
}

}  // namespace mercator::internal
