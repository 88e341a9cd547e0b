// Runtime variables: which element of which tensor holds the value, through whatever only moves it.

#pragma once

#include <optional>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/analysis.h"
#include "mercator/indexing/map_table.h"
#include "mercator/map/index_map.h"

namespace mercator::indexing {

// The values that an integer type or pred has, up to those of int64; none for other types.
[[nodiscard]] std::optional<Interval> values_of(hlo::ElementType type);

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

// The map, of a computation that is called, as a map of the caller: a
// runtime variable that a parameter holds is held by what the caller passes for it, and one whose
// value becomes known gives way to it. None if the domain of the map becomes empty.
std::optional<MapRef> resolve_in_caller(Analysis& analysis, const MapRef& ref,
                                        const CallSite& site);

// The same for all maps of a pair, the operands of which become those of the caller. None if
// nothing is left of them.
std::optional<LeafPair> resolve_in_caller(Analysis& analysis, const LeafPair& pair,
                                          const CallSite& site);

// A map of an instruction that calls, as one of the steps of its computation: where that evaluates
// what holds a runtime variable at several places, the variable would stand for all of them. It
// gives way to a range over its values, and the map is over-approximate. None if its domain becomes
// empty.
std::optional<MapRef> apart_from_other_calls(Analysis& analysis, const MapRef& ref,
                                             const hlo::Computation& within);

// Sets the analysis's simplifier to the domain of these variables.
void set_domain(Analysis& analysis, const std::vector<Variable>& dimensions,
                const std::vector<Variable>& ranges, const std::vector<RuntimeVariable>& runtimes);

// `value` clamped, over the domain that the simplifier is set to; null unless it is a constant, or
// lies within the clamp anyway.
Expr clamped(Analysis& analysis, Expr value, Interval clamp);

}  // namespace mercator::indexing
