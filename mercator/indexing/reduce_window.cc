#include "mercator/indexing/instructions.h"
#include "mercator/indexing/reduction.h"
#include "mercator/indexing/window.h"

namespace mercator::indexing {

using hlo::AttributeName;

// f32[1024, 3] reduce-window(f32[1024, 514] p0, f32[] p1), window={size=1x512}
//   o2i of p0: (d0, d1)[s0] -> (d0, d1 + s0)
//   o2i of p1: (d0, d1) -> ()
void reduce_window_o2i(InstructionMaps& maps) {
  const auto window = maps.instruction().get<hlo::Window>(AttributeName::kWindow);
  MapBuilder map = maps.from(result_array(maps.output()));
  std::vector<Expr> index;
  for (std::size_t i = 0; i < window.size(); ++i) {
    const Expr place = map.range(window[i].size);
    index.push_back(
        covered_element(map, window[i], map.dim(i), place, maps.operand(0).dimensions[i]));
  }
  add_reduction(maps, map.to(std::move(index)));
}

//   i2o of p0: (d0, d1)[s0] -> (d0, d1 - s0), domain: d1 - s0 in [0, 2], s0 in [0, 511], …
//   i2o of p1: ()[s0, s1] -> (s0, s1)
void reduce_window_i2o(InstructionMaps& maps) {
  const auto window = maps.instruction().get<hlo::Window>(AttributeName::kWindow);
  MapBuilder map = maps.from(maps.operand(0));
  std::vector<Expr> index;
  for (std::size_t i = 0; i < window.size(); ++i) {
    const Expr place = map.range(window[i].size);
    index.push_back(covering_window(map, window[i], map.dim(i), place,
                                    result_array(maps.output()).dimensions[i]));
  }
  add_reduction(maps, map.to(std::move(index)));
}

}  // namespace mercator::indexing
