#include "mercator/indexing/library_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mercator/hlo/verifier.h"
#include "mercator/indexing/dense.h"
#include "mercator/indexing/instructions.h"
#include "mercator/support/arena.h"

namespace mercator::indexing {

StandIn::StandIn(hlo::Opcode opcode, const hlo::Shape& result,
                 std::span<hlo::Instruction* const> operands) {
  instruction_.opcode = opcode;
  instruction_.shape = result;
  instruction_.operands = operands;
}

void StandIn::set(hlo::AttributeName name, const std::vector<std::int64_t>& numbers) {
  attributes_.push_back({name, {}, std::span<const std::int64_t>(numbers)});
}

void StandIn::copy(const hlo::Instruction& call, hlo::AttributeName name) {
  if (const hlo::Attribute* found = call.find(name)) attributes_.push_back(*found);
}

std::optional<std::string> StandIn::fault() {
  instruction_.attributes = attributes_;
  Arena arena;
  const Result<std::optional<hlo::Shape>> shape = hlo::infer_shape(instruction_, arena);
  if (!shape.has_value()) return shape.error().message;
  if (!shape->has_value() || hlo::same_type_and_dimensions(**shape, instruction_.shape)) {
    return std::nullopt;
  }
  return fmt::format("'{}': the result has the shape {}, not {}", hlo::name(instruction_.opcode),
                     hlo::to_string(**shape, false), hlo::to_string(instruction_.shape, false));
}

void add_maps_of(InstructionMaps& maps, const hlo::Instruction& instruction,
                 const ShapeIndex& output) {
  InstructionMaps parts(maps.analysis(), instruction, maps.direction());
  const MapFunctions functions = map_functions(instruction.opcode);
  (maps.is_output_to_input() ? functions.output_to_input : functions.input_to_output)(parts);
  const PairList pairs = parts.take();
  for (LeafPair pair : pairs.pairs()) {
    pair.output = output;
    maps.add(std::move(pair));
  }
}

void not_known(InstructionMaps& maps, std::string_view why) {
  const auto target =
      maps.instruction().get<hlo::QuotedString>(hlo::AttributeName::kCustomCallTarget);
  maps.unknown(fmt::format("what '{}' reads is not known: {}", target.text, why));
}

void not_known(InstructionMaps& maps, const ShapeIndex& output, std::size_t operand,
               std::string why) {
  maps.add({.output = output,
            .operand = static_cast<std::int64_t>(operand),
            .unknown = maps.analysis().reason(std::move(why))});
}

std::optional<ShapeIndex> result_leaf(InstructionMaps& maps) {
  const hlo::Shape& shape = maps.output();
  if (shape.is_array()) return ShapeIndex();
  if (!shape.is_tuple() || shape.elements.empty() || !shape.elements[0].is_array()) {
    return std::nullopt;
  }
  return ShapeIndex{0};
}

bool has_array_operands(InstructionMaps& maps, std::size_t count) {
  const std::span<hlo::Instruction* const> operands = maps.instruction().operands;
  return operands.size() >= count && std::ranges::all_of(operands, [](const auto* operand) {
           return operand->shape.is_array();
         });
}

void add_workspace(InstructionMaps& maps, std::size_t results) {
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(maps.output())) {
    if (leaf.index.empty() || static_cast<std::size_t>(leaf.index[0]) < results) continue;
    if (!leaf.shape.is_array() || !has_elements(leaf.shape)) continue;
    for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
      not_known(maps, leaf.index, k, "what the library leaves in its workspace is not specified");
    }
  }
}

// f32[8, 4] result, f32[4] operand, places = {1}
//   o2i: (d0, d1) -> (d1)
//   i2o: (d0)[s0] -> (s0, d0)
void add_broadcast(InstructionMaps& maps, const ShapeIndex& output, std::size_t operand,
                   std::span<const std::int64_t> places, bool exact) {
  const hlo::Shape& result = output_at(maps, output);
  const bool is_o2i = maps.is_output_to_input();
  MapBuilder map = maps.from(is_o2i ? result : maps.operand(operand));
  std::vector<Expr> index(is_o2i ? places.size() : result.dimensions.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_one = places[i] < 0;
    if (is_o2i) {
      index[i] = is_one ? map.constant(0) : map.dim(static_cast<std::size_t>(places[i]));
    } else if (!is_one) {
      index[static_cast<std::size_t>(places[i])] = map.dim(i);
    }
  }
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (!index[i]) index[i] = map.range(result.dimensions[i]);
  }
  maps.add(output, static_cast<std::int64_t>(operand), {}, map.to(std::move(index)), exact);
}

}  // namespace mercator::indexing
