#include <algorithm>

#include "mercator/indexing/instructions.h"
#include "mercator/indexing/runtime_value.h"

namespace mercator::indexing {
namespace {

// Every array of the result is the array at the same place in operand `operand`, below `prefix`.
void add_identities(InstructionMaps& maps, const hlo::Shape& shape, const ShapeIndex& output_prefix,
                    std::int64_t operand, const ShapeIndex& operand_prefix) {
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(shape)) {
    if (!leaf.shape.is_array()) continue;
    ShapeIndex output = output_prefix;
    output.insert(output.end(), leaf.index.begin(), leaf.index.end());
    ShapeIndex operand_leaf = operand_prefix;
    operand_leaf.insert(operand_leaf.end(), leaf.index.begin(), leaf.index.end());
    maps.add_identity(output, operand, operand_leaf, leaf.shape);
  }
}

}  // namespace

// tuple(p0, p1): leaf {k, …} of the result is leaf {…} of operand k
void tuple(InstructionMaps& maps) {
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
    const auto operand = static_cast<std::int64_t>(k);
    add_identities(maps, maps.operand(k), {operand}, operand, {});
  }
}

// get-tuple-element(p0), index=1: leaf {…} of the result is leaf {1, …} of the operand
void get_tuple_element(InstructionMaps& maps) {
  const std::int64_t index = maps.instruction().integer(hlo::AttributeName::kIndex, 0);
  add_identities(maps, maps.output(), {}, 0, {index});
}

// copy(p0), opt-barrier(p0), domain(p0), add-dependency(p0, token): every leaf as it is
void pass_through(InstructionMaps& maps) { add_identities(maps, maps.output(), {}, 0, {}); }

// (f32[8], f32[8], u32[]) copy-start(f32[8] p0): the destination, the source, and something of its
// own
void copy_start(InstructionMaps& maps) {
  add_identities(maps, maps.operand(0), {0}, 0, {});
  add_identities(maps, maps.operand(0), {1}, 0, {});
}

// f32[8] copy-done((f32[8], f32[8], u32[]) p0): the destination
void copy_done(InstructionMaps& maps) { add_identities(maps, maps.output(), {}, 0, {0}); }

// fusion(p0, p1), calls=f and call(p0, p1), to_apply=f: the maps between the root of f and its
// parameters
void called_computation(InstructionMaps& maps) {
  const hlo::Instruction& call = maps.instruction();
  const PairList& list = maps.analysis().pairs(*callee(call), maps.direction());
  if (list.unknown() != nullptr) return maps.unknown(*list.unknown());
  for (const LeafPair& pair : list.pairs()) {
    LeafPair resolved = pair;
    resolved.maps.clear();
    for (const MapRef& ref : pair.maps) {
      const std::optional<MapId> id = resolve_in_caller(maps.analysis(), ref.map, call);
      if (id.has_value()) add_to_set(resolved.maps, {.map = *id, .exact = ref.exact});
    }
    if (!resolved.maps.empty() || resolved.unknown != nullptr) maps.add(std::move(resolved));
  }
}

}  // namespace mercator::indexing
