#include <algorithm>

#include "mercator/indexing/instructions.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;

std::span<const hlo::PaddingDimension> padding_of(InstructionMaps& maps) {
  return maps.instruction().get<std::span<const hlo::PaddingDimension>>(AttributeName::kPadding);
}

// The constraints, one for each way in which `from_start`, the distance of an index of the result
// from where element 0 lands, can be such that no element lands: before the first element, behind
// the last one, between two. `extent` is where elements are, `step` the distance between them.
std::vector<Constraint> ways_of_padding(Expr from_start, Interval extent, std::int64_t step) {
  std::vector<Constraint> ways = {{from_start, {Interval::kMinusInfinity, -1}}};
  if (extent.hi != Interval::kPlusInfinity) {
    ways.push_back({from_start, {extent.hi + 1, Interval::kPlusInfinity}});
  }
  if (step > 1) ways.push_back({mod(from_start, step), {1, step - 1}});
  return ways;
}

bool is_padded(const hlo::PaddingDimension& padding) {
  return padding.low > 0 || padding.high > 0 || padding.interior > 0;
}

// The padding value is read where no element lands. That is split into parts without a common
// point: in the parts of dimension i the dimensions before i are such that an element could land,
// and dimension i is not. `output` is an index of the result in the terms of `from`.
void padding_value(InstructionMaps& maps, const MapBuilder& from, const std::vector<Expr>& output,
                   const std::vector<Expr>& results) {
  if (!has_elements(maps.operand(0))) return maps.add(1, from.to(results));
  const auto padding = padding_of(maps);
  if (std::ranges::count_if(padding, is_padded) > kMaxSplitDimensions) {
    return maps.add(1, from.to(results), /*exact=*/false);
  }
  MapBuilder inside = from;
  for (std::size_t i = 0; i < padding.size(); ++i) {
    if (!is_padded(padding[i])) continue;
    const std::int64_t size = maps.operand(0).dimensions[i];
    const std::int64_t step = padding[i].interior + 1;
    const Interval extent = Interval::indices(size) * Interval::point(step);
    const Expr from_start = output[i] - padding[i].low;
    for (const Constraint& way : ways_of_padding(from_start, extent, step)) {
      MapBuilder part = inside;
      part.require(way.expr, way.range);
      if (way.expr != from_start) part.require(from_start, extent);
      maps.add(1, part.to(results));
    }
    inside.exact_quotient(from_start, step, size);
  }
}

bool has_dynamic_dimension(const hlo::Shape& array) {
  for (std::size_t i = 0; i < array.dimensions.size(); ++i) {
    if (is_dynamic(array, i)) return true;
  }
  return false;
}

}  // namespace

// f32[12, 16] pad(f32[4, 4] p0, f32[] p1), padding=1_4_1x4_8_0
//   o2i of p0: (d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4),
//              domain: d0 in [1, 7], d1 in [4, 7], (d0 - 1) mod 2 in [0, 0]
//   o2i of p1: (d0, d1) -> (), one map for each of d0 in [0, 0]; d0 in [8, 11];
//              d0 in [2, 6], (d0 - 1) mod 2 in [1, 1]; d0 as for p0 and d1 in [0, 3]; …
void pad_o2i(InstructionMaps& maps) {
  MapBuilder map = maps.from(maps.output());
  const auto padding = padding_of(maps);
  std::vector<Expr> index = map.dims();
  for (std::size_t i = 0; i < padding.size(); ++i) {
    index[i] = map.exact_quotient(index[i] - padding[i].low, padding[i].interior + 1,
                                  maps.operand(0).dimensions[i]);
  }
  maps.add(0, map.to(std::move(index)));

  if (has_dynamic_dimension(maps.operand(0))) {
    return maps.unknown(1, "the operand that is padded has a dimension of dynamic size");
  }
  const MapBuilder from = maps.from(maps.output());
  padding_value(maps, from, from.dims(), {});
}

//   i2o of p0: (d0, d1) -> (d0 * 2 + 1, d1 + 4)
//   i2o of p1: ()[s0, s1] -> (s0, s1), with s0 and s1 restricted as d0 and d1 are above
void pad_i2o(InstructionMaps& maps) {
  MapBuilder map = maps.from(maps.operand(0));
  const auto padding = padding_of(maps);
  std::vector<Expr> index = map.dims();
  for (std::size_t i = 0; i < padding.size(); ++i) {
    index[i] = map.index_in(index[i] * (padding[i].interior + 1) + padding[i].low,
                            maps.output().dimensions[i]);
  }
  maps.add(0, map.to(std::move(index)));

  if (has_dynamic_dimension(maps.operand(0))) {
    return maps.unknown(1, "the operand that is padded has a dimension of dynamic size");
  }
  MapBuilder from = maps.from(maps.operand(1));
  std::vector<Expr> output;
  for (const std::int64_t size : maps.output().dimensions) output.push_back(from.range(size));
  padding_value(maps, from, output, output);
}

}  // namespace mercator::indexing
