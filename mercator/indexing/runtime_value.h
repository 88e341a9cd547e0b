// Runtime variables: which element of which tensor holds the value, through whatever only moves it.

#pragma once

#include <optional>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/map_table.h"
#include "mercator/map/index_map.h"

namespace mercator::indexing {

class Analysis;

// An element of what an instruction yields.
struct Element {
  const hlo::Instruction* tensor = nullptr;
  std::vector<Expr> index = {};
};

struct TracedElement {
  // The element that the value was moved from.
  Element element;
  // Not null: what the value is.
  Expr value = {};
};

// Follows the value of an element of an integer array to where it is computed: through instructions
// of the same computation that move elements, and through conversions that keep every value as it
// is. Simplifies indices in the domain that the analysis's simplifier is set to.
TracedElement trace(Analysis& analysis, Element element);

// The map, of a computation called by `call` (a fusion or a call), as a map of the caller: a
// runtime variable that a parameter holds is held by what the caller passes for it, and one whose
// value becomes known gives way to it. None if the domain of the map becomes empty.
std::optional<MapId> resolve_in_caller(Analysis& analysis, MapId map, const hlo::Instruction& call);

// Sets the analysis's simplifier to the domain of these variables.
void set_domain(Analysis& analysis, const std::vector<Variable>& dimensions,
                const std::vector<Variable>& ranges, const std::vector<RuntimeVariable>& runtimes);

// `value` clamped, over the domain that the simplifier is set to; null unless it is a constant, or
// lies within the clamp anyway.
Expr clamped(Analysis& analysis, Expr value, Interval clamp);

}  // namespace mercator::indexing
