#include <optional>

#include "mercator/indexing/instructions.h"
#include "mercator/indexing/runtime_value.h"

namespace mercator::indexing {
namespace {

// The number of the branch that is taken, if it is known: an index that names no branch takes the
// last one, and a pred takes the first one if it is true.
std::optional<std::size_t> known_branch(InstructionMaps& maps, std::size_t branches) {
  const hlo::Instruction& chooser = maps.instruction().operand(0);
  set_domain(maps.analysis(), {}, {}, {});
  const TracedElement traced = trace(maps.analysis(), {.tensor = &chooser});
  if (!traced.value || !traced.value.is(ExprKind::kConstant)) return std::nullopt;
  const std::int64_t value = traced.value.value();
  if (chooser.shape.element_type == hlo::ElementType::kPred) return value != 0 ? 0 : 1;
  if (value < 0 || value >= static_cast<std::int64_t>(branches)) return branches - 1;
  return static_cast<std::size_t>(value);
}

// Every element of the result depends on which branch is taken.
//   o2i: (d0, d1) -> ()
//   i2o: ()[s0, s1] -> (s0, s1)
void branch_operand(InstructionMaps& maps) {
  for (const hlo::ShapeLeaf& leaf : hlo::leaves(maps.output())) {
    if (!leaf.shape.is_array()) continue;
    MapBuilder map = maps.from(maps.is_output_to_input() ? leaf.shape : maps.operand(0));
    std::vector<Expr> index;
    if (!maps.is_output_to_input()) {
      for (const std::int64_t size : leaf.shape.dimensions) index.push_back(map.range(size));
    }
    maps.add(leaf.index, 0, {}, map.to(std::move(index)));
  }
}

}  // namespace

// f32[8] conditional(pred[] p0, f32[8] p1, f32[8] p2), true_computation=t, false_computation=f:
// what the branches read of their operands. Which one is taken is not known, so each map may be
// one of elements that are not read.
void conditional(InstructionMaps& maps) {
  const std::vector<CallSite> branches = call_sites(maps.instruction());
  const std::optional<std::size_t> known = known_branch(maps, branches.size());
  for (std::size_t i = 0; i < branches.size(); ++i) {
    if (known.has_value() && i != *known) continue;
    const PairList& list = maps.analysis().pairs(*branches[i].computation, maps.direction());
    if (list.unknown() != nullptr) return maps.unknown(*list.unknown());
    for (const LeafPair& pair : list.pairs()) {
      std::optional<LeafPair> in_caller = resolve_in_caller(maps.analysis(), pair, branches[i]);
      if (!in_caller.has_value()) continue;
      // Each branch has an operand of its own: no other reads the same elements.
      if (!known.has_value() && branches.size() > 1) {
        for (MapRef& ref : in_caller->maps) ref.exact = false;
      }
      maps.add(*std::move(in_caller));
    }
  }
  branch_operand(maps);
}

}  // namespace mercator::indexing
