#include <algorithm>

#include "mercator/indexing/instructions.h"

namespace mercator::indexing {

using hlo::AttributeName;

// f32[10, 20, 30] broadcast(f32[20] p0), dimensions={1}
//   o2i: (d0, d1, d2) -> (d1)
void broadcast_o2i(InstructionMaps& maps) {
  const MapBuilder map = maps.from(maps.output());
  std::vector<Expr> index;
  for (const std::int64_t dimension : maps.instruction().integers(AttributeName::kDimensions)) {
    index.push_back(map.dim(static_cast<std::size_t>(dimension)));
  }
  maps.add(0, map.to(std::move(index)));
}

//   i2o: (d0)[s0, s1] -> (s0, d0, s1)
void broadcast_i2o(InstructionMaps& maps) {
  MapBuilder map = maps.from(maps.operand(0));
  const auto dimensions = maps.instruction().integers(AttributeName::kDimensions);
  std::vector<Expr> index(maps.output().dimensions.size());
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    index[static_cast<std::size_t>(dimensions[i])] = map.dim(i);
  }
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (!index[i]) index[i] = map.range(maps.output().dimensions[i]);
  }
  maps.add(0, map.to(std::move(index)));
}

// f32[3, 6, 128, 12288] transpose(f32[3, 12288, 6, 128] p0), dimensions={0, 2, 3, 1}
//   o2i: (d0, d1, d2, d3) -> (d0, d3, d1, d2)
void transpose_o2i(InstructionMaps& maps) {
  const MapBuilder map = maps.from(maps.output());
  const auto dimensions = maps.instruction().integers(AttributeName::kDimensions);
  std::vector<Expr> index(dimensions.size());
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    index[static_cast<std::size_t>(dimensions[i])] = map.dim(i);
  }
  maps.add(0, map.to(std::move(index)));
}

//   i2o: (d0, d1, d2, d3) -> (d0, d2, d3, d1)
void transpose_i2o(InstructionMaps& maps) {
  const MapBuilder map = maps.from(maps.operand(0));
  std::vector<Expr> index;
  for (const std::int64_t dimension : maps.instruction().integers(AttributeName::kDimensions)) {
    index.push_back(map.dim(static_cast<std::size_t>(dimension)));
  }
  maps.add(0, map.to(std::move(index)));
}

// reverse(f32[17, 9] p0), dimensions={0}
//   (d0, d1) -> (-d0 + 16, d1)
void reverse(InstructionMaps& maps) {
  const MapBuilder map = maps.from(maps.output());
  std::vector<Expr> index = map.dims();
  for (const std::int64_t dimension : maps.instruction().integers(AttributeName::kDimensions)) {
    const auto i = static_cast<std::size_t>(dimension);
    if (is_dynamic(maps.output(), i)) {
      return maps.unknown(0, "a dimension of dynamic size is reversed");
    }
    index[i] = -index[i] + (maps.output().dimensions[i] - 1);
  }
  maps.add(0, map.to(std::move(index)));
}

// f32[5, 3] slice(f32[10, 20] p0), slice={[5:10:1], [3:20:7]}
//   o2i: (d0, d1) -> (d0 + 5, d1 * 7 + 3)
void slice_o2i(InstructionMaps& maps) {
  const MapBuilder map = maps.from(maps.output());
  const auto slice =
      maps.instruction().get<std::span<const hlo::SliceDimension>>(AttributeName::kSlice);
  std::vector<Expr> index = map.dims();
  for (std::size_t i = 0; i < slice.size(); ++i) {
    index[i] = index[i] * slice[i].stride + slice[i].start;
  }
  maps.add(0, map.to(std::move(index)));
}

//   i2o: (d0, d1) -> (d0 - 5, (d1 - 3) floordiv 7),
//        domain: d0 in [5, 9], d1 in [3, 17], (d1 - 3) mod 7 in [0, 0]
void slice_i2o(InstructionMaps& maps) {
  MapBuilder map = maps.from(maps.operand(0));
  const auto slice =
      maps.instruction().get<std::span<const hlo::SliceDimension>>(AttributeName::kSlice);
  std::vector<Expr> index = map.dims();
  for (std::size_t i = 0; i < slice.size(); ++i) {
    index[i] =
        map.exact_quotient(index[i] - slice[i].start, slice[i].stride, maps.output().dimensions[i]);
  }
  maps.add(0, map.to(std::move(index)));
}

namespace {

// Calls `visit(operand, dimension, offset)` with the place of each operand in the result.
template <class Visit>
void for_each_part(InstructionMaps& maps, Visit visit) {
  const auto dimension =
      static_cast<std::size_t>(maps.instruction().integers(AttributeName::kDimensions)[0]);
  std::int64_t offset = 0;
  bool is_offset_dynamic = false;
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
    if (is_offset_dynamic) {
      maps.unknown(static_cast<std::int64_t>(k), "it stands behind an operand of dynamic size");
    } else {
      visit(k, dimension, offset);
    }
    offset += maps.operand(k).dimensions[dimension];
    is_offset_dynamic = is_offset_dynamic || is_dynamic(maps.operand(k), dimension);
  }
}

}  // namespace

// f32[2, 16] concatenate(f32[2, 5] p0, f32[2, 11] p1), dimensions={1}
//   o2i of p1: (d0, d1) -> (d0, d1 - 5), domain: d0 in [0, 1], d1 in [5, 15]
void concatenate_o2i(InstructionMaps& maps) {
  for_each_part(maps, [&](std::size_t k, std::size_t dimension, std::int64_t offset) {
    MapBuilder map = maps.from(maps.output());
    std::vector<Expr> index = map.dims();
    index[dimension] =
        map.index_in(index[dimension] - offset, maps.operand(k).dimensions[dimension]);
    // Behind its elements, an operand of dynamic size has none.
    const bool exact = !is_dynamic(maps.operand(k), dimension);
    maps.add(static_cast<std::int64_t>(k), map.to(std::move(index)), exact);
  });
}

//   i2o of p1: (d0, d1) -> (d0, d1 + 5)
void concatenate_i2o(InstructionMaps& maps) {
  for_each_part(maps, [&](std::size_t k, std::size_t dimension, std::int64_t offset) {
    const MapBuilder map = maps.from(maps.operand(k));
    std::vector<Expr> index = map.dims();
    index[dimension] = index[dimension] + offset;
    const bool exact = !is_dynamic(maps.operand(k), dimension);
    maps.add(static_cast<std::int64_t>(k), map.to(std::move(index)), exact);
  });
}

}  // namespace mercator::indexing
