#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;
using Dimensions = std::span<const std::int64_t>;

// The result of a dot has the batch dimensions, the free dimensions of the left operand, and those
// of the right operand, in this order.
struct DotSide {
  Dimensions batch;
  Dimensions contracting;
  std::vector<std::int64_t> free;
  std::size_t free_begin = 0;  // where the free dimensions stand in the result
};

DotSide dot_side(InstructionMaps& maps, std::size_t operand) {
  const hlo::Instruction& dot = maps.instruction();
  const bool is_left = operand == 0;
  DotSide side;
  side.batch = dot.integers(is_left ? AttributeName::kLhsBatchDims : AttributeName::kRhsBatchDims);
  side.contracting = dot.integers(is_left ? AttributeName::kLhsContractingDims
                                          : AttributeName::kRhsContractingDims);
  side.free =
      other_dimensions(maps.operand(operand).dimensions.size(), side.batch, side.contracting);
  side.free_begin =
      is_left ? side.batch.size() : maps.output().dimensions.size() - side.free.size();
  return side;
}

// Anything beyond two operands describes sparse ones, which are read in another way.
bool is_dense(InstructionMaps& maps) {
  if (maps.instruction().operands.size() == 2) return true;
  maps.unknown("not yet: dot with sparse operands");
  return false;
}

}  // namespace

// f32[4, 128, 64] dot(f32[4, 128, 256] p0, f32[4, 256, 64] p1), lhs_batch_dims={0},
//     rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
//   o2i of p0: (d0, d1, d2)[s0] -> (d0, d1, s0)
//   o2i of p1: (d0, d1, d2)[s0] -> (d0, s0, d2)
void dot_o2i(InstructionMaps& maps) {
  if (!is_dense(maps)) return;
  for (const std::size_t k : {0U, 1U}) {
    const DotSide side = dot_side(maps, k);
    const Dimensions sizes = maps.operand(k).dimensions;
    MapBuilder map = maps.from(maps.output());
    std::vector<Expr> index(sizes.size());
    for (std::size_t i = 0; i < side.batch.size(); ++i) {
      index[static_cast<std::size_t>(side.batch[i])] = map.dim(i);
    }
    for (std::size_t i = 0; i < side.free.size(); ++i) {
      index[static_cast<std::size_t>(side.free[i])] = map.dim(side.free_begin + i);
    }
    for (const std::int64_t dimension : side.contracting) {
      const auto i = static_cast<std::size_t>(dimension);
      index[i] = map.range(sizes[i]);
    }
    maps.add(static_cast<std::int64_t>(k), map.to(std::move(index)));
  }
}

//   i2o of p0: (d0, d1, d2)[s0] -> (d0, d1, s0)
//   i2o of p1: (d0, d1, d2)[s0] -> (d0, s0, d2)
void dot_i2o(InstructionMaps& maps) {
  if (!is_dense(maps)) return;
  for (const std::size_t k : {0U, 1U}) {
    const DotSide side = dot_side(maps, k);
    const Dimensions sizes = maps.output().dimensions;
    MapBuilder map = maps.from(maps.operand(k));
    std::vector<Expr> index(sizes.size());
    for (std::size_t i = 0; i < side.batch.size(); ++i) {
      index[i] = map.dim(static_cast<std::size_t>(side.batch[i]));
    }
    for (std::size_t i = 0; i < side.free.size(); ++i) {
      index[side.free_begin + i] = map.dim(static_cast<std::size_t>(side.free[i]));
    }
    // The free dimensions of the other operand.
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (!index[i]) index[i] = map.range(sizes[i]);
    }
    maps.add(static_cast<std::int64_t>(k), map.to(std::move(index)));
  }
}

}  // namespace mercator::indexing
