#include <fmt/format.h>

#include <algorithm>

#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

// p = f32[] parameter(0), q = f32[10, 20] parameter(1)
// clamp(p, q, p), and operand 0 of every instruction that takes a scalar beside arrays
//   o2i: (d0, d1) -> ()
//   i2o: ()[s0, s1] -> (s0, s1)
void scalar_operand(InstructionMaps& maps, std::size_t operand) {
  MapBuilder map = maps.from_here(operand);
  std::vector<Expr> index;
  if (!maps.is_output_to_input()) {
    for (const std::int64_t size : maps.output().dimensions) index.push_back(map.range(size));
  }
  maps.add(static_cast<std::int64_t>(operand), map.to(std::move(index)));
}

}  // namespace

// add(p0, p1), and every other elementwise instruction
//   (d0, d1) -> (d0, d1)
void elementwise(InstructionMaps& maps) {
  if (!maps.output().is_array()) return maps.unknown("the result is not an array");
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
    const auto operand = static_cast<std::int64_t>(k);
    if (!maps.operand(k).is_array()) {
      maps.unknown(fmt::format("operand {} is not an array", k));
    } else if (std::ranges::equal(maps.operand(k).dimensions, maps.output().dimensions)) {
      maps.add_identity({}, operand, {}, maps.output());
    } else if (maps.operand(k).rank() == 0) {
      scalar_operand(maps, k);
    } else {
      maps.unknown(operand, "the operand has other dimensions than the result");
    }
  }
}

namespace {

// How many elements of the narrower type have the bits of one of the wider type.
std::int64_t width_ratio(hlo::ElementType a, hlo::ElementType b) {
  const std::int64_t a_bits = hlo::bit_width(a);
  const std::int64_t b_bits = hlo::bit_width(b);
  return std::max(a_bits, b_bits) / std::min(a_bits, b_bits);
}

}  // namespace

// s32[10] bitcast-convert(f32[10] p0)
//   o2i: (d0) -> (d0)
// s16[10, 2] bitcast-convert(f32[10] p0): the parts of an element become a new last dimension
//   o2i: (d0, d1) -> (d0)
// f32[10] bitcast-convert(s16[10, 2] p0)
//   o2i: (d0)[s0] -> (d0, s0)
void bitcast_convert_o2i(InstructionMaps& maps) {
  MapBuilder map = maps.from(maps.output());
  std::vector<Expr> index = map.dims();
  if (maps.operand(0).rank() < maps.output().rank()) index.pop_back();
  if (maps.operand(0).rank() > maps.output().rank()) {
    index.push_back(
        map.range(width_ratio(maps.operand(0).element_type, maps.output().element_type)));
  }
  maps.add(0, map.to(std::move(index)));
}

// The same with the parts changed.
void bitcast_convert_i2o(InstructionMaps& maps) {
  MapBuilder map = maps.from(maps.operand(0));
  std::vector<Expr> index = map.dims();
  if (maps.output().rank() < maps.operand(0).rank()) index.pop_back();
  if (maps.output().rank() > maps.operand(0).rank()) {
    index.push_back(
        map.range(width_ratio(maps.operand(0).element_type, maps.output().element_type)));
  }
  maps.add(0, map.to(std::move(index)));
}

}  // namespace mercator::indexing
