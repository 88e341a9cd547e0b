#include "mercator/indexing/instructions.h"
#include "mercator/indexing/reduction.h"

namespace mercator::indexing {

using hlo::AttributeName;

const hlo::Shape& result_array(const hlo::Shape& output) {
  return output.is_tuple() ? output.elements[0] : output;
}

void add_reduction(InstructionMaps& maps, const IndexMap& input) {
  const std::size_t inputs = maps.instruction().operands.size() / 2;
  const hlo::Shape& result = result_array(maps.output());
  if (2 * inputs * inputs > static_cast<std::size_t>(kMaxPairs)) {
    return maps.unknown("not supported: a reduction of that many inputs");
  }
  MapBuilder initial =
      maps.is_output_to_input() ? maps.from(result) : maps.from(maps.operand(inputs));
  std::vector<Expr> index;
  if (!maps.is_output_to_input()) {
    for (const std::int64_t size : result.dimensions) index.push_back(initial.range(size));
  }
  const std::optional<MapId> input_id = maps.analysis().maps().add(input);
  const std::optional<MapId> initial_id = maps.analysis().maps().add(initial.to(std::move(index)));

  for (const hlo::ShapeLeaf& leaf : hlo::leaves(maps.output())) {
    for (std::size_t k = 0; k < 2 * inputs; ++k) {
      const std::optional<MapId> id = k < inputs ? input_id : initial_id;
      if (!id.has_value()) continue;
      maps.add(LeafPair{
          .output = leaf.index, .operand = static_cast<std::int64_t>(k), .maps = {{.map = *id}}});
    }
  }
}

// (f32[10], s32[10]) reduce(f32[256, 10] p0, s32[256, 10] p1, f32[] p2, s32[] p3), dimensions={0}
//   o2i of p0, p1: (d0)[s0] -> (s0, d0)
//   o2i of p2, p3: (d0) -> ()
// Every result is made from every input: what the reducer does with them is not looked into.
void reduce_o2i(InstructionMaps& maps) {
  const std::span<const std::int64_t> sizes = maps.operand(0).dimensions;
  const auto reduced = maps.instruction().integers(AttributeName::kDimensions);
  const std::vector<std::int64_t> kept = other_dimensions(sizes.size(), reduced);
  MapBuilder map = maps.from(result_array(maps.output()));
  std::vector<Expr> index(sizes.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    index[static_cast<std::size_t>(kept[i])] = map.dim(i);
  }
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (!index[i]) index[i] = map.range(sizes[i]);
  }
  add_reduction(maps, map.to(std::move(index)));
}

//   i2o of p0, p1: (d0, d1) -> (d1)
//   i2o of p2, p3: ()[s0] -> (s0)
void reduce_i2o(InstructionMaps& maps) {
  const MapBuilder map = maps.from(maps.operand(0));
  const auto reduced = maps.instruction().integers(AttributeName::kDimensions);
  std::vector<Expr> index;
  for (const std::int64_t dimension :
       other_dimensions(maps.operand(0).dimensions.size(), reduced)) {
    index.push_back(map.dim(static_cast<std::size_t>(dimension)));
  }
  add_reduction(maps, map.to(std::move(index)));
}

}  // namespace mercator::indexing
