#include <algorithm>

#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;
using Dimensions = std::span<const std::int64_t>;

std::size_t at(std::int64_t dimension) { return static_cast<std::size_t>(dimension); }

// A gather copies one slice of the operand for each vector in its indices. The offset dimensions of
// the result walk through the slice, its other dimensions, the batch dimensions, from vector to
// vector.
struct Gather {
  const hlo::Instruction& instruction;
  Dimensions operand;  // sizes
  Dimensions indices;
  Dimensions output;
  Dimensions slice_sizes;
  Dimensions offset_dims;
  Dimensions start_index_map;
  std::vector<std::int64_t> batch_dims;   // of the result
  std::vector<std::int64_t> vector_dims;  // of the indices, that batch_dims stand for, in order
  std::vector<std::int64_t> walked;       // of the operand, that offset_dims stand for, in order
  // For each dimension of the operand: the batch dimension of the result that it goes along with,
  // or -1.
  std::vector<std::int64_t> batch_of_operand;
  std::int64_t index_vector_dim = 0;

  explicit Gather(const hlo::Instruction& gather)
      : instruction(gather),
        operand(gather.operand(0).shape.dimensions),
        indices(gather.operand(1).shape.dimensions),
        output(gather.shape.dimensions),
        slice_sizes(gather.integers(AttributeName::kSliceSizes)),
        offset_dims(gather.integers(AttributeName::kOffsetDims)),
        start_index_map(gather.integers(AttributeName::kStartIndexMap)),
        batch_of_operand(operand.size(), -1),
        index_vector_dim(gather.integer(AttributeName::kIndexVectorDim, 0)) {
    const Dimensions operand_batching = gather.integers(AttributeName::kOperandBatchingDims);
    const Dimensions indices_batching = gather.integers(AttributeName::kStartIndicesBatchingDims);
    batch_dims = other_dimensions(output.size(), offset_dims);
    walked = other_dimensions(operand.size(), gather.integers(AttributeName::kCollapsedSliceDims),
                              operand_batching);
    vector_dims = has_vectors() ? other_dimensions(indices.size(), {{index_vector_dim}})
                                : other_dimensions(indices.size(), {});
    for (std::size_t i = 0; i < operand_batching.size(); ++i) {
      const auto place = std::ranges::find(vector_dims, indices_batching[i]) - vector_dims.begin();
      batch_of_operand[at(operand_batching[i])] = batch_dims[at(place)];
    }
  }

  // Otherwise each element of the indices is a vector of one component.
  [[nodiscard]] bool has_vectors() const { return at(index_vector_dim) < indices.size(); }

  // The element of the indices that holds component `component` of the vector of this result index.
  [[nodiscard]] std::vector<Expr> element_of_indices(const std::vector<Expr>& result,
                                                     Expr component) const {
    std::vector<Expr> index(indices.size());
    if (has_vectors()) index[at(index_vector_dim)] = component;
    for (std::size_t i = 0; i < vector_dims.size(); ++i) {
      index[at(vector_dims[i])] = result[at(batch_dims[i])];
    }
    return index;
  }

  // Where the slice for this result index starts: the components of the vector are clamped so that
  // it stays inside the operand. `result` needs its batch dimensions only.
  [[nodiscard]] std::vector<Expr> slice_start(MapBuilder& map,
                                              const std::vector<Expr>& result) const {
    std::vector<Expr> start(operand.size(), map.constant(0));
    for (std::size_t k = 0; k < start_index_map.size(); ++k) {
      const std::size_t i = at(start_index_map[k]);
      start[i] = map.runtime(instruction.operand(1),
                             element_of_indices(result, map.constant(static_cast<std::int64_t>(k))),
                             {0, operand[i] - slice_sizes[i]});
    }
    for (std::size_t i = 0; i < operand.size(); ++i) {
      if (batch_of_operand[i] >= 0) start[i] = result[at(batch_of_operand[i])];
    }
    return start;
  }
};

// All of the vector is read.
//   o2i: (d0, d1, d2)[s0] -> (d0, s0)
void indices_o2i(InstructionMaps& maps, const Gather& gather) {
  MapBuilder map = maps.from(maps.output());
  const Expr component = map.range(static_cast<std::int64_t>(gather.start_index_map.size()));
  maps.add(1, map.to(gather.element_of_indices(map.dims(), component)));
}

//   i2o: (d0, d1)[s0, s1] -> (d0, s0, s1)
void indices_i2o(InstructionMaps& maps, const Gather& gather) {
  MapBuilder map = maps.from(maps.operand(1));
  std::vector<Expr> result(gather.output.size());
  for (std::size_t i = 0; i < gather.batch_dims.size(); ++i) {
    result[at(gather.batch_dims[i])] = map.dim(at(gather.vector_dims[i]));
  }
  for (const std::int64_t dimension : gather.offset_dims) {
    result[at(dimension)] = map.range(gather.output[at(dimension)]);
  }
  // Without components nothing of the indices is read.
  map.range(static_cast<std::int64_t>(gather.start_index_map.size()));
  maps.add(1, map.to(std::move(result)));
}

}  // namespace

// f32[1806, 7, 8] gather(f32[33, 76] p0, s32[1806, 2] p1), offset_dims={1, 2},
//     collapsed_slice_dims={}, start_index_map={0, 1}, index_vector_dim=1, slice_sizes={7, 8}
//   o2i of p0: (d0, d1, d2){rt0, rt1} -> (d1 + rt0, d2 + rt1), rt0 in [0, 26], rt1 in [0, 68]
//   rt0 is the element (d0, 0) of p1, rt1 the element (d0, 1)
void gather_o2i(InstructionMaps& maps) {
  const Gather gather(maps.instruction());
  MapBuilder map = maps.from(maps.output());
  std::vector<Expr> index = gather.slice_start(map, map.dims());
  for (std::size_t i = 0; i < gather.walked.size(); ++i) {
    Expr& component = index[at(gather.walked[i])];
    component = component + map.dim(at(gather.offset_dims[i]));
  }
  maps.add(0, map.to(std::move(index)));
  indices_o2i(maps, gather);
}

//   i2o of p0: (d0, d1)[s0]{rt0, rt1} -> (s0, d0 - rt0, d1 - rt1),
//              domain: …, d0 - rt0 in [0, 6], d1 - rt1 in [0, 7]
//   rt0 is the element (s0, 0) of p1, rt1 the element (s0, 1)
void gather_i2o(InstructionMaps& maps) {
  const Gather gather(maps.instruction());
  MapBuilder map = maps.from(maps.operand(0));
  std::vector<Expr> result(gather.output.size());
  for (std::size_t i = 0; i < gather.operand.size(); ++i) {
    if (gather.batch_of_operand[i] >= 0) result[at(gather.batch_of_operand[i])] = map.dim(i);
  }
  for (const std::int64_t dimension : gather.batch_dims) {
    if (!result[at(dimension)]) result[at(dimension)] = map.range(gather.output[at(dimension)]);
  }
  const std::vector<Expr> start = gather.slice_start(map, result);
  std::vector<Expr> offset(gather.operand.size());
  for (std::size_t i = 0; i < offset.size(); ++i) {
    offset[i] = map.index_in(map.dim(i) - start[i], gather.slice_sizes[i]);
  }
  for (std::size_t i = 0; i < gather.walked.size(); ++i) {
    result[at(gather.offset_dims[i])] = offset[at(gather.walked[i])];
  }
  maps.add(0, map.to(std::move(result)));
  indices_i2o(maps, gather);
}

}  // namespace mercator::indexing
