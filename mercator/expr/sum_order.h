// Adding up a sum in an order in which no partial sum needs a wider type than it must. For the
// files of this folder.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "mercator/expr/index_program_builder.h"

namespace mercator::internal {

// coefficient * value, within `range`.
struct Summand {
  ValueId value;
  std::int64_t coefficient;
  Interval range;
};

// A range of the sum of some of the summands, given by their places, that may be tighter than the
// sum of their ranges.
using PartialSumRange = std::function<Interval(std::span<const std::size_t> places)>;

// The sum of at least one summand, which lies within `sum`. The order is that of the summands, but
// with a positive one first, or, if that makes a partial sum leave the type that the summands and
// the sum need, one in which the partial sums stay near 0. None if partial sums leave i64 in both.
[[nodiscard]] std::optional<ValueId> add_up(std::span<const Summand> summands, Interval sum,
                                            const PartialSumRange& partial_sum,
                                            IndexProgramBuilder& builder);

}  // namespace mercator::internal
