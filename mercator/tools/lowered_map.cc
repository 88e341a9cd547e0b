#include "mercator/tools/lowered_map.h"

#include <vector>

#include "mercator/expr/index_program.h"
#include "mercator/expr/index_types.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/strength_reduction.h"

namespace mercator::tools {
namespace {

template <class Variables>
std::vector<Interval> bounds_of(const Variables& variables) {
  std::vector<Interval> bounds;
  for (const auto& variable : variables) bounds.push_back(variable.bounds);
  return bounds;
}

}  // namespace

Result<std::string> program_text(const IndexMap& map, Simplifier& simplifier) {
  const std::vector<Interval> dimensions = bounds_of(map.dimensions());
  const std::vector<Interval> ranges = bounds_of(map.ranges());
  const std::vector<Interval> runtimes = bounds_of(map.runtimes());
  std::vector<IndexCondition> conditions;
  for (const Constraint& constraint : map.constraints()) {
    conditions.push_back({constraint.expr, constraint.range});
  }
  const VariableNames names = [&](VariableId id) { return map.name(id); };
  const IndexProgram program = MERCATOR_TRY(
      lower({.results = map.results(),
             .conditions = conditions,
             .bounds = {.dimensions = dimensions, .ranges = ranges, .runtimes = runtimes},
             .names = names},
            simplifier));
  return to_string(reduce_strength(program), names);
}

}  // namespace mercator::tools
