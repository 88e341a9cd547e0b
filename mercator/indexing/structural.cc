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

// f32[8] all-gather-done((f32[4], f32[8]) p0), async-done(((f32[4]), f32[8]) p0): the result
void second_part(InstructionMaps& maps) { add_identities(maps, maps.output(), {}, 0, {1}); }

// (f32[8], u32[], token[]) send(f32[8] p0, token): the data, and something of its own
void send(InstructionMaps& maps) { add_identities(maps, maps.operand(0), {0}, 0, {}); }

// (f32[8], u32[], token[]) recv(token)
void receive(InstructionMaps& maps) {
  maps.unknown("what is received is sent by another device or by the host");
}

// (f32[8], token[]) recv-done((f32[8], u32[], token[]) p0): the data
void receive_done(InstructionMaps& maps) {
  add_identities(maps, maps.output().elements[0], {0}, 0, {0});
}

// ((f32[8]), token[]) infeed(token)
void infeed(InstructionMaps& maps) { maps.unknown("what is fed in comes from the host"); }

// token[] outfeed(f32[8] p0, token)
void outfeed(InstructionMaps& maps) { maps.unknown("what is fed out goes to the host"); }

namespace {

// The maps of the computation that is called, for the result at `output_prefix`.
void add_called(InstructionMaps& maps, const ShapeIndex& output_prefix) {
  const CallSite site = call_sites(maps.instruction())[0];
  const PairList& list = maps.analysis().pairs(*site.computation, maps.direction());
  if (list.unknown() != nullptr) return maps.unknown(*list.unknown());
  for (const LeafPair& pair : list.pairs()) {
    std::optional<LeafPair> in_caller = resolve_in_caller(maps.analysis(), pair, site);
    if (!in_caller.has_value()) continue;
    in_caller->output.insert(in_caller->output.begin(), output_prefix.begin(), output_prefix.end());
    maps.add(*std::move(in_caller));
  }
}

}  // namespace

// fusion(p0, p1), calls=f and call(p0, p1), to_apply=f: the maps between the root of f and its
// parameters
void called_computation(InstructionMaps& maps) { add_called(maps, {}); }

// ((f32[4], f32[2]), f32[8], u32[]) async-start(f32[4] p0, f32[2] p1), calls=f: the operands, the
// result of f, and something of its own
void async_start(InstructionMaps& maps) {
  for (std::size_t k = 0; k < maps.instruction().operands.size(); ++k) {
    const auto operand = static_cast<std::int64_t>(k);
    add_identities(maps, maps.operand(k), {0, operand}, operand, {});
  }
  add_called(maps, {1});
}

}  // namespace mercator::indexing
