// Counting with values that only the program knows: by cases, which have the least and the largest
// counts among them. For the files of this folder only.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercator/map/index_map.h"

namespace mercator {

// Whether the runtime variable has one value for all elements of the result: the same element of a
// tensor, whatever the dimensions and ranges are.
[[nodiscard]] bool is_fixed(const IndexMap& map, std::uint32_t runtime);

// Whether other values of the runtime variable move the results, all by the same, and change
// nothing else.
[[nodiscard]] bool is_offset(const IndexMap& map, std::uint32_t runtime);

// One of the values within the bounds, which must not be empty.
[[nodiscard]] std::int64_t any_value(Interval bounds);

// The map for these values of the runtime variables, simplified.
[[nodiscard]] IndexMap with_runtimes(const IndexMap& map, std::span<const std::int64_t> values);

enum class Counting : std::uint8_t {
  kTogether,  // the elements that any of the maps leads to
  kApart,     // the pairs of each map, added up
};

// The maps, without runtime variables, for some of the values that these may have. The least and
// largest counts are among those of the cases. None if such cases are not known, or too many.
// Requires simplified maps the runtime variables of which are fixed. Variables of two maps are the
// same if they stand for the same element and have the same bounds.
[[nodiscard]] std::optional<std::vector<std::vector<IndexMap>>> runtime_cases(
    std::span<const IndexMap> maps, Counting counting);

}  // namespace mercator
