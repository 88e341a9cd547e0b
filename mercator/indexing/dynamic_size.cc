#include <algorithm>

#include "mercator/indexing/dense.h"
#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

bool has_dynamic_dimension(const hlo::Shape& array) {
  return std::ranges::find(array.dynamic, true) != array.dynamic.end();
}

}  // namespace

// f32[2, 3] dynamic-reshape(f32[6] p0, s32[] p1, s32[] p2): the sizes count as read
//   o2i of p0: as of a reshape; where a size is known only when the program runs, so is which
//              element goes where: all of them, as an over-approximation
//   o2i of p1, p2: (d0, d1) -> ()
void dynamic_reshape(InstructionMaps& maps) {
  if (has_dynamic_dimension(maps.operand(0)) || has_dynamic_dimension(maps.output())) {
    add_everything(maps, {}, 0, /*exact=*/false);
  } else {
    reshape(maps);
  }
  for (std::size_t k = 1; k < maps.instruction().operands.size(); ++k) add_everything(maps, {}, k);
}

// f32[<=6] set-dimension-size(f32[6] p0, s32[] p1), dimensions={0}: the size counts as read
//   o2i of p0: (d0) -> (d0)
//   o2i of p1: (d0) -> ()
void set_dimension_size(InstructionMaps& maps) {
  maps.add_identity({}, 0, {}, maps.output());
  add_everything(maps, {}, 1);
}

}  // namespace mercator::indexing
