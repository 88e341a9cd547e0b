// Splitting a module into subgraphs for the engines that are to run it.

#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/engine.h"
#include "mercator/runtime/subgraph.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// Splits the entry computation of a verified module into subgraphs, in an order in which each comes
// after those that it reads from.
//
// - An instruction goes to the first engine that supports it, and all instructions of the
//   computations that it calls, directly or not. What calls computations (fusion, while, reduce, …)
//   is never taken apart: if no engine supports all of it, that is an error.
// - Every instruction that the result, or an effect (call_graph.h), is made from is in exactly one
//   subgraph; others are in none. Parameters are in none: they are inputs.
// - What costs next to nothing is copied into each subgraph that reads it, if the engine supports
//   it, instead of being computed elsewhere and crossing: constants, iota, broadcasts of these, and
//   what is computed from them on up to `kSmallElements` elements. It is in a subgraph of its own
//   right only where an engine that does not support it reads it, or the caller of the module.
// - An operation that is written as a pair (async-start and async-done) stays in one subgraph.
// - Subgraphs are connected, convex and maximal: two of one engine, one of which reads from the
//   other, could not be merged without a cycle (cluster.h says how, and at which cost). Those that
//   do not read from each other are not merged: they may run in parallel.
//
// Near-linear in the size of the module. An error of kind kUnsupported names the first instruction
// that no engine supports, with the reason of each; its span is that of the instruction. An error
// of kind kInterrupted comes soon after a stop is requested.
[[nodiscard]] Result<std::vector<Subgraph>> partition(const hlo::Module& module,
                                                      std::span<const Engine* const> engines,
                                                      const Effects& effects,
                                                      const std::stop_token& stop = {});

inline constexpr std::int64_t kSmallElements = 16;

// Whether the subgraphs, in their order, are what `partition` promises, maximality aside: the
// reader of artifacts asks. An error of kind kInvalidInput says what is wrong.
[[nodiscard]] Result<void> check_partition(const hlo::Module& module,
                                           std::span<const Subgraph> subgraphs,
                                           const Effects& effects);

}  // namespace mercator::runtime
