#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

// Where a window of sizes `window` starts in an array of sizes `array`: start indices are clamped
// so that it fits. They are scalars, operands `first`, `first` + 1, …, or one vector.
std::vector<Expr> window_start(const hlo::Instruction& instruction, std::size_t first,
                               MapBuilder& map, std::span<const std::int64_t> array,
                               std::span<const std::int64_t> window) {
  const bool is_vector =
      first < instruction.operands.size() && instruction.operand(first).shape.rank() == 1;
  std::vector<Expr> start;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const Interval clamp = {0, array[i] - window[i]};
    if (is_vector) {
      start.push_back(map.runtime(instruction.operand(first),
                                  {map.constant(static_cast<std::int64_t>(i))}, clamp));
    } else {
      start.push_back(map.runtime(instruction.operand(first + i), {}, clamp));
    }
  }
  return start;
}

// Every element of the result is made from every element of the start indices.
//   o2i: (d0, d1) -> ()
//   i2o: ()[s0, s1] -> (s0, s1)
void start_indices(InstructionMaps& maps, std::size_t first) {
  for (std::size_t k = first; k < maps.instruction().operands.size(); ++k) {
    MapBuilder map = maps.from_here(k);
    const hlo::Shape& there = maps.is_output_to_input() ? maps.operand(k) : maps.output();
    std::vector<Expr> index;
    for (const std::int64_t size : there.dimensions) index.push_back(map.range(size));
    maps.add(static_cast<std::int64_t>(k), map.to(std::move(index)));
  }
}

}  // namespace

// s32[1, 2, 32] dynamic-slice(s32[2, 2, 258] p0, s32[] p1, s32[] p2, s32[] p3),
//     dynamic_slice_sizes={1, 2, 32}
//   o2i of p0: (d0, d1, d2){rt0, rt1} -> (rt0, d1, d2 + rt1), rt0 in [0, 1], rt1 in [0, 226]
//   rt0 is the element of p1, rt1 that of p3; p2 is clamped to 0
void dynamic_slice_o2i(InstructionMaps& maps) {
  MapBuilder map = maps.from(maps.output());
  std::vector<Expr> index = map.dims();
  const std::vector<Expr> start = window_start(
      maps.instruction(), 1, map, maps.operand(0).dimensions, maps.output().dimensions);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = index[i] + start[i];
  maps.add(0, map.to(std::move(index)));
  start_indices(maps, 1);
}

//   i2o of p0: (d0, d1, d2){rt0, rt1} -> (0, d1, d2 - rt1),
//              domain: d0 - rt0 in [0, 0], d2 - rt1 in [0, 31], …
void dynamic_slice_i2o(InstructionMaps& maps) {
  MapBuilder map = maps.from(maps.operand(0));
  std::vector<Expr> index = map.dims();
  const std::vector<Expr> start = window_start(
      maps.instruction(), 1, map, maps.operand(0).dimensions, maps.output().dimensions);
  for (std::size_t i = 0; i < index.size(); ++i) {
    index[i] = map.index_in(index[i] - start[i], maps.output().dimensions[i]);
  }
  maps.add(0, map.to(std::move(index)));
  start_indices(maps, 1);
}

namespace {

// The operand is read where the update does not overwrite it, which is split into parts without a
// common point: in the parts of dimension i the index lies within the window in all dimensions
// before i, and before or behind it in dimension i.
//   (d0, d1){rt0, rt1} -> (d0, d1), one map for each of d0 - rt0 in [-15, -1]; d0 - rt0 in [5, 19];
//                         d0 - rt0 in [0, 4] and d1 - rt1 in [-20, -1]; …
void outside_of_window(InstructionMaps& maps, const MapBuilder& from,
                       const std::vector<Expr>& start) {
  if (!has_elements(maps.operand(1))) return maps.add_identity({}, 0, {}, maps.output());
  std::int64_t split = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (maps.operand(1).dimensions[i] != maps.output().dimensions[i]) ++split;
  }
  if (split > kMaxSplitDimensions) return maps.add(0, from.to(from.dims()), /*exact=*/false);
  MapBuilder inside = from;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const std::int64_t size = maps.operand(1).dimensions[i];
    if (size == maps.output().dimensions[i]) continue;
    const Expr in_window = from.dim(i) - start[i];
    MapBuilder before = inside;
    before.require(in_window, {Interval::kMinusInfinity, -1});
    maps.add(0, before.to(from.dims()));
    MapBuilder behind = inside;
    behind.require(in_window, {size, Interval::kPlusInfinity});
    maps.add(0, behind.to(from.dims()));
    inside.require(in_window, Interval::indices(size));
  }
}

}  // namespace

// s32[20, 30] dynamic-update-slice(s32[20, 30] p0, s32[5, 10] p1, s32[] p2, s32[] p3)
//   o2i of p1: (d0, d1){rt0, rt1} -> (d0 - rt0, d1 - rt1), rt0 in [0, 15], rt1 in [0, 20],
//              d0 - rt0 in [0, 4], d1 - rt1 in [0, 9]
void dynamic_update_slice_o2i(InstructionMaps& maps) {
  MapBuilder map = maps.from(maps.output());
  std::vector<Expr> index = map.dims();
  const std::vector<Expr> start = window_start(maps.instruction(), 2, map, maps.output().dimensions,
                                               maps.operand(1).dimensions);
  outside_of_window(maps, map, start);
  for (std::size_t i = 0; i < index.size(); ++i) {
    index[i] = map.index_in(index[i] - start[i], maps.operand(1).dimensions[i]);
  }
  maps.add(1, map.to(std::move(index)));
  start_indices(maps, 2);
}

//   i2o of p1: (d0, d1){rt0, rt1} -> (d0 + rt0, d1 + rt1)
void dynamic_update_slice_i2o(InstructionMaps& maps) {
  MapBuilder operand = maps.from(maps.operand(0));
  outside_of_window(maps, operand,
                    window_start(maps.instruction(), 2, operand, maps.output().dimensions,
                                 maps.operand(1).dimensions));
  MapBuilder update = maps.from(maps.operand(1));
  std::vector<Expr> index = update.dims();
  const std::vector<Expr> start = window_start(
      maps.instruction(), 2, update, maps.output().dimensions, maps.operand(1).dimensions);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = index[i] + start[i];
  maps.add(1, update.to(std::move(index)));
  start_indices(maps, 2);
}

}  // namespace mercator::indexing
