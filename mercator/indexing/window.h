// Windows that slide over an array: along each dimension, place w of the window at o covers the
// element i of the array with o * stride + w * window_dilation = i * base_dilation + padding_low.

#pragma once

#include <cstdint>

#include "mercator/hlo/attribute.h"
#include "mercator/indexing/instruction_maps.h"

namespace mercator::indexing {

// The element, of `size` ones, that place `place` of the window at `window` covers; required to
// exist.
[[nodiscard]] Expr covered_element(MapBuilder& map, const hlo::WindowDimension& dimension,
                                   Expr window, Expr place, std::int64_t size);

// The window, of `count` ones, whose place `place` covers the element; required to exist.
[[nodiscard]] Expr covering_window(MapBuilder& map, const hlo::WindowDimension& dimension,
                                   Expr element, Expr place, std::int64_t count);

}  // namespace mercator::indexing
