#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "mercator/indexing/dense.h"
#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;
using Dimensions = std::span<const std::int64_t>;

std::size_t at(std::int64_t dimension) { return static_cast<std::size_t>(dimension); }

// The result of a dot has the batch dimensions, the free dimensions of the left operand, and those
// of the right operand, in this order; that of a ragged dot may have one of groups before them.
struct DotSide {
  Dimensions sizes;  // of the operand
  Dimensions batch;
  Dimensions contracting;
  std::vector<std::int64_t> free;
  std::size_t batch_begin = 0;  // where the batch dimensions stand in the result
  std::size_t free_begin = 0;   // where the free dimensions stand in the result

  // The elements of the operand that an element of the result is made from.
  [[nodiscard]] std::vector<Expr> element(MapBuilder& map, const std::vector<Expr>& result) const {
    std::vector<Expr> index(sizes.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      index[at(batch[i])] = result[batch_begin + i];
    }
    for (std::size_t i = 0; i < free.size(); ++i) index[at(free[i])] = result[free_begin + i];
    for (const std::int64_t dimension : contracting) {
      index[at(dimension)] = map.range(sizes[at(dimension)]);
    }
    // Of groups.
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (!index[i]) index[i] = map.range(sizes[i]);
    }
    return index;
  }

  // The elements of the result that an element of the operand takes part in.
  [[nodiscard]] std::vector<Expr> result(MapBuilder& map, const std::vector<Expr>& element,
                                         Dimensions result_sizes) const {
    std::vector<Expr> index(result_sizes.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      index[batch_begin + i] = element[at(batch[i])];
    }
    for (std::size_t i = 0; i < free.size(); ++i) index[free_begin + i] = element[at(free[i])];
    // The free dimensions of the other operand, and groups.
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (!index[i]) index[i] = map.range(result_sizes[i]);
    }
    return index;
  }
};

// `groups` are dimensions of the operand that are in no part of the result.
DotSide dot_side(InstructionMaps& maps, std::size_t operand, Dimensions groups = {}) {
  const hlo::Instruction& dot = maps.instruction();
  const bool is_left = operand == 0;
  DotSide side;
  side.sizes = maps.operand(operand).dimensions;
  side.batch = dot.integers(is_left ? AttributeName::kLhsBatchDims : AttributeName::kRhsBatchDims);
  side.contracting = dot.integers(is_left ? AttributeName::kLhsContractingDims
                                          : AttributeName::kRhsContractingDims);
  for (const std::int64_t dimension :
       other_dimensions(side.sizes.size(), side.batch, side.contracting)) {
    if (std::ranges::find(groups, dimension) == groups.end()) side.free.push_back(dimension);
  }
  side.free_begin =
      is_left ? side.batch.size() : maps.output().dimensions.size() - side.free.size();
  return side;
}

void add_side(InstructionMaps& maps, std::size_t operand, const DotSide& side, bool exact = true) {
  MapBuilder map = maps.from_here(operand);
  maps.add(
      static_cast<std::int64_t>(operand),
      map.to(maps.is_output_to_input() ? side.element(map, map.dims())
                                       : side.result(map, map.dims(), maps.output().dimensions)),
      exact);
}

}  // namespace

// f32[4, 128, 64] dot(f32[4, 128, 256] p0, f32[4, 256, 64] p1), lhs_batch_dims={0},
//     rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
//   o2i of p0: (d0, d1, d2)[s0] -> (d0, d1, s0)
//   o2i of p1: (d0, d1, d2)[s0] -> (d0, s0, d2)
//   i2o of p0: (d0, d1, d2)[s0] -> (d0, d1, s0)
//   i2o of p1: (d0, d1, d2)[s0] -> (d0, s0, d2)
//
// f32[4, 9] dot(f32[4, 16] p0, f32[32, 9] p1, u16[4, 2] p2), lhs_contracting_dims={1},
//     rhs_contracting_dims={0}, sparsity=L.1@2:4: p0 holds two of each four elements of a row, and
//     p2 says which
//   o2i of p0: (d0, d1)[s0] -> (d0, s0), s0 in [0, 15]
//   o2i of p1: (d0, d1)[s0] -> (s0, d1), s0 in [0, 31], as an over-approximation
//   o2i of p2: (d0, d1)[s0] -> (d0, s0), s0 in [0, 1]
void dot(InstructionMaps& maps) {
  const auto sparsity =
      maps.instruction().get<std::span<const hlo::SparseOperand>>(AttributeName::kSparsity);
  for (const std::size_t k : {0U, 1U}) {
    // An element that the other operand leaves out is not read.
    const bool exact = std::ranges::all_of(
        sparsity, [&](const hlo::SparseOperand& sparse) { return at(sparse.operand) == k; });
    add_side(maps, k, dot_side(maps, k), exact);
  }
  for (std::size_t i = 0; i < sparsity.size(); ++i) {
    const std::size_t metadata = 2 + i;
    DotSide side = dot_side(maps, at(sparsity[i].operand));
    side.sizes = maps.operand(metadata).dimensions;
    add_side(maps, metadata, side);
  }
}

namespace {

// The sizes of the blocks that have one scale each, by dimension of the operand; none if the scales
// do not fit.
std::optional<std::vector<std::int64_t>> block_sizes(const hlo::Shape& operand,
                                                     const hlo::Shape& scales) {
  if (operand.rank() != scales.rank()) return std::nullopt;
  std::vector<std::int64_t> blocks;
  for (std::size_t i = 0; i < operand.dimensions.size(); ++i) {
    const std::int64_t size = operand.dimensions[i];
    const std::int64_t count = scales.dimensions[i];
    if (count == 0 || size % count != 0) {
      if (size != 0 || count != 0) return std::nullopt;
      blocks.push_back(1);
    } else {
      blocks.push_back(std::max<std::int64_t>(1, size / count));
    }
  }
  return blocks;
}

// The elements of an operand go through to their scales.
void add_scales(InstructionMaps& maps, std::size_t scales, DotSide side,
                std::span<const std::int64_t> blocks) {
  MapBuilder map = maps.from_here(scales);
  side.sizes = maps.operand(scales).dimensions;
  std::vector<Expr> index;
  if (maps.is_output_to_input()) {
    index = side.element(map, map.dims());
    for (const Dimensions dimensions : {side.batch, Dimensions(side.free)}) {
      for (const std::int64_t i : dimensions) index[at(i)] = floor_div(index[at(i)], blocks[at(i)]);
    }
  } else {
    std::vector<Expr> element = map.dims();
    for (std::size_t i = 0; i < element.size(); ++i) {
      if (blocks[i] > 1) element[i] = element[i] * blocks[i] + map.range(blocks[i]);
    }
    index = side.result(map, element, maps.output().dimensions);
  }
  maps.add(static_cast<std::int64_t>(scales), map.to(std::move(index)));
}

}  // namespace

// f32[8, 4] scaled-dot(f8e4m3fn[8, 64] p0, f8e4m3fn[4, 64] p1, f8e8m0fnu[8, 2] p2,
//     f8e8m0fnu[4, 2] p3), lhs_contracting_dims={1}, rhs_contracting_dims={1}: each block of 32
//     elements has a scale
//   o2i of p0: (d0, d1)[s0] -> (d0, s0), s0 in [0, 63]
//   o2i of p2: (d0, d1)[s0] -> (d0, s0), s0 in [0, 1]
// A scalar scales all of an operand.
void scaled_dot(InstructionMaps& maps) {
  for (const std::size_t k : {0U, 1U}) {
    const std::size_t scales = k + 2;
    const DotSide side = dot_side(maps, k);
    add_side(maps, k, side);
    if (maps.operand(scales).rank() == 0) {
      if (has_elements(maps.operand(k))) add_everything(maps, {}, scales);
    } else if (const auto blocks = block_sizes(maps.operand(k), maps.operand(scales))) {
      add_scales(maps, scales, side, *blocks);
    } else {
      maps.unknown(static_cast<std::int64_t>(scales),
                   "the operand does not consist of blocks, one for each scale");
    }
  }
}

// f32[8, 4] ragged-dot(f32[8, 5] p0, f32[3, 5, 4] p1, s32[3] p2), lhs_contracting_dims={1},
//     rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}
//   o2i of p0: (d0, d1)[s0] -> (d0, s0)
//   o2i of p1: (d0, d1)[s0, s1] -> (s0, s1, d1)
//   o2i of p2: (d0, d1)[s0] -> (s0)
// Which group an element belongs to depends on the sizes of the groups: all groups are named, as an
// over-approximation. Behind the last group nothing is read.
void ragged_dot(InstructionMaps& maps) {
  const hlo::Instruction& dot = maps.instruction();
  const std::int64_t ragged = dot.integers(AttributeName::kLhsRaggedDims)[0];
  const Dimensions contracting = dot.integers(AttributeName::kLhsContractingDims);
  // Then each group has a result of its own.
  const bool contracts = std::ranges::find(contracting, ragged) != contracting.end();
  for (const std::size_t k : {0U, 1U}) {
    DotSide side =
        dot_side(maps, k, k == 1 ? dot.integers(AttributeName::kRhsGroupDims) : Dimensions());
    if (contracts) {
      side.batch_begin = 1;
      if (k == 0) ++side.free_begin;
    }
    add_side(maps, k, side, /*exact=*/false);
  }
  // In more than one dimension they say the sizes for each of several parts.
  add_everything(maps, {}, 2, /*exact=*/maps.operand(2).rank() == 1);
}

}  // namespace mercator::indexing
