#include "mercator/indexing/indexed_windows.h"
#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

// All of the vector is read.
//   o2i: (d0, d1, d2)[s0] -> (d0, s0)
void indices_o2i(InstructionMaps& maps, const IndexedWindows& windows) {
  MapBuilder map = maps.from(maps.output());
  const Expr component = map.range(windows.components());
  maps.add(1, map.to(windows.element_of_indices(map.dims(), component)));
}

//   i2o: (d0, d1)[s0, s1] -> (d0, s0, s1)
void indices_i2o(InstructionMaps& maps, const IndexedWindows& windows) {
  MapBuilder map = maps.from(maps.operand(1));
  std::vector<Expr> result = windows.elements_of_vector(map, map.dims());
  // Without components nothing of the indices is read.
  map.range(windows.components());
  maps.add(1, map.to(std::move(result)));
}

}  // namespace

// f32[1806, 7, 8] gather(f32[33, 76] p0, s32[1806, 2] p1), offset_dims={1, 2},
//     collapsed_slice_dims={}, start_index_map={0, 1}, index_vector_dim=1, slice_sizes={7, 8}
//   o2i of p0: (d0, d1, d2){rt0, rt1} -> (d1 + rt0, d2 + rt1), rt0 in [0, 26], rt1 in [0, 68]
//   rt0 is the element (d0, 0) of p1, rt1 the element (d0, 1)
void gather_o2i(InstructionMaps& maps) {
  const IndexedWindows windows = IndexedWindows::of_gather(maps.instruction());
  MapBuilder map = maps.from(maps.output());
  const std::vector<Expr> result = map.dims();
  const std::vector<Expr> start = windows.clamped_start(map, result);
  maps.add(0, map.to(windows.element_of_operand(result, start)));
  indices_o2i(maps, windows);
}

//   i2o of p0: (d0, d1)[s0]{rt0, rt1} -> (s0, d0 - rt0, d1 - rt1),
//              domain: …, d0 - rt0 in [0, 6], d1 - rt1 in [0, 7]
//   rt0 is the element (s0, 0) of p1, rt1 the element (s0, 1)
void gather_i2o(InstructionMaps& maps) {
  const IndexedWindows windows = IndexedWindows::of_gather(maps.instruction());
  MapBuilder map = maps.from(maps.operand(0));
  std::vector<Expr> result = windows.any_window(map, map.dims());
  const std::vector<Expr> start = windows.clamped_start(map, result);
  windows.locate(map, map.dims(), start, result);
  maps.add(0, map.to(std::move(result)));
  indices_i2o(maps, windows);
}

}  // namespace mercator::indexing
