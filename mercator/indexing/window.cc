#include "mercator/indexing/window.h"

namespace mercator::indexing {

Expr covered_element(MapBuilder& map, const hlo::WindowDimension& dimension, Expr window,
                     Expr place, std::int64_t size) {
  const Expr position = window * dimension.stride + place * dimension.window_dilation;
  return map.exact_quotient(position - dimension.padding_low, dimension.base_dilation, size);
}

Expr covering_window(MapBuilder& map, const hlo::WindowDimension& dimension, Expr element,
                     Expr place, std::int64_t count) {
  const Expr position = element * dimension.base_dilation + dimension.padding_low;
  return map.exact_quotient(position - place * dimension.window_dilation, dimension.stride, count);
}

}  // namespace mercator::indexing
