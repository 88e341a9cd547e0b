#include "mercator/indexing/dense.h"
#include "mercator/indexing/instructions.h"
#include "mercator/indexing/known_value.h"

namespace mercator::indexing {
namespace {

// Where the predicate is `wanted`; none if that is not known.
std::optional<Condition> where(InstructionMaps& maps, const MapBuilder& from, bool wanted) {
  const hlo::Instruction& predicate = maps.instruction().operand(0);
  set_domain(maps.analysis(), IndexMap::dimensions_of(maps.output().dimensions), {}, {});
  const bool is_scalar = predicate.shape.rank() == 0;
  return known_condition(
      maps.analysis(),
      {.tensor = &predicate, .index = is_scalar ? std::vector<Expr>() : from.dims()}, wanted);
}

void add_branch(InstructionMaps& maps, std::int64_t branch, const MapBuilder& from,
                const Condition& condition) {
  for (const std::vector<Constraint>& entry : condition) {
    MapBuilder map = from;
    for (const Constraint& constraint : entry) map.require(constraint.expr, constraint.range);
    maps.add(branch, map.to(map.dims()));
  }
}

}  // namespace

// i = s32[8] iota(), iota_dimension=0; p = pred[8] compare(i, 3), direction=LT
// f32[8] select(p, q, r), in both directions
//   p: (d0) -> (d0)
//   q: (d0) -> (d0), d0 in [0, 2]
//   r: (d0) -> (d0), d0 in [3, 7]
// Where data decide, both branches count as read.
void select(InstructionMaps& maps) {
  if (depends_on_data(maps.instruction().operand(0))) return elementwise(maps);
  if (maps.operand(0).rank() == 0) {
    add_everything(maps, {}, 0);
  } else {
    maps.add_identity({}, 0, {}, maps.output());
  }
  const MapBuilder from = maps.from(maps.output());
  const std::optional<Condition> on_true = where(maps, from, true);
  const std::optional<Condition> on_false = where(maps, from, false);
  if (on_true.has_value() && on_false.has_value()) {
    add_branch(maps, 1, from, *on_true);
    add_branch(maps, 2, from, *on_false);
  } else {
    // No data decide, but what does was not followed.
    for (const std::int64_t branch : {1, 2}) {
      maps.add(branch, from.to(from.dims()), /*exact=*/false);
    }
  }
}

}  // namespace mercator::indexing
