// Compares the index maps of the instructions of a program with where the elements of its results
// come from, when the program runs.
//
// Operands whose elements are moved, or added, get elements that are all different, so that an
// element of a result says where it comes from. Where it is a sum, the elements of the operands are
// changed one by one, to see where that shows.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mercator/hlo/module.h"
#include "test/indexing/value_evaluator.h"

namespace mercator::testing {

struct ValueCounts {
  std::int64_t runs = 0;          // of programs, with other inputs each
  std::int64_t undefined = 0;     // runs without a defined result
  std::int64_t instructions = 0;  // of which all maps were compared
  std::int64_t skipped = 0;       // instructions that are too large or not known to the evaluator
  std::int64_t unknown = 0;       // instructions whose maps are not known
  std::int64_t maps = 0;          // in one direction
  std::int64_t runtime_maps = 0;  // with runtime variables
  std::int64_t inexact_maps = 0;
  std::int64_t moved = 0;  // elements of results that are elements of an operand
  std::int64_t pairs = 0;  // of an element of a result and one that it is made from

  ValueCounts& operator+=(const ValueCounts& other);
};

// Makes what programs are evaluated with; the seed stands for what HLO leaves open.
using MakeEvaluation = std::function<std::unique_ptr<Evaluation>(std::uint64_t seed)>;
// Of a ValueEvaluator.
[[nodiscard]] std::unique_ptr<Evaluation> make_value_evaluator(std::uint64_t seed);

// Runs the entry computation, on inputs drawn with `seed`, and compares the maps of each
// instruction that was evaluated once, in both directions:
//   - data: exact maps name just the elements that the result is made from, other maps these among
//     others;
//   - what else may change a result, as indices do, is named;
//   - both directions relate the same elements, all of them inside of their arrays.
// Returns what is wrong, in words; none if nothing is.
[[nodiscard]] std::optional<std::string> check_values(
    const hlo::Module& module, std::uint64_t seed, ValueCounts& counts,
    const MakeEvaluation& make_evaluation = make_value_evaluator);

}  // namespace mercator::testing
