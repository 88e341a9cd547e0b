#include "mercator/indexing/dense.h"

#include "mercator/indexing/sizes.h"

namespace mercator::indexing {

const hlo::Shape& output_at(InstructionMaps& maps, const ShapeIndex& output) {
  return shape_at(maps.output(), output);
}

void add_everything(InstructionMaps& maps, const ShapeIndex& output, std::size_t operand,
                    bool exact) {
  const hlo::Shape& result = output_at(maps, output);
  const bool is_o2i = maps.is_output_to_input();
  MapBuilder map = maps.from(is_o2i ? result : maps.operand(operand));
  std::vector<Expr> index;
  for (const std::int64_t size : (is_o2i ? maps.operand(operand) : result).dimensions) {
    index.push_back(map.range(size));
  }
  maps.add(output, static_cast<std::int64_t>(operand), {}, map.to(std::move(index)), exact);
}

void add_along(InstructionMaps& maps, const ShapeIndex& output, std::size_t operand,
               std::span<const std::int64_t> whole, bool exact) {
  const hlo::Shape& result = output_at(maps, output);
  const bool is_o2i = maps.is_output_to_input();
  MapBuilder map = maps.from(is_o2i ? result : maps.operand(operand));
  const hlo::Shape& there = is_o2i ? maps.operand(operand) : result;
  std::vector<Expr> index = map.dims();
  for (const std::int64_t dimension : whole) {
    const auto i = static_cast<std::size_t>(dimension);
    index[i] = map.range(there.dimensions[i]);
  }
  maps.add(output, static_cast<std::int64_t>(operand), {}, map.to(std::move(index)), exact);
}

}  // namespace mercator::indexing
