// Compares the index maps of an instruction with the model (model.h), pair by pair.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mercator/expr/expr.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"

namespace mercator::testing {

struct CheckOptions {
  // Of the values of parameters that decide start indices.
  std::uint64_t seed = 1;
  // How many assignments of such values are tried, where there are any.
  int draws = 4;
  // Instructions with more (output, operand) pairs of elements than this are not checked.
  std::int64_t max_pairs = 100'000;
  // The points that the bounds of one map may allow.
  std::int64_t max_points = 2'000'000;
};

// What was compared. Every count is of instructions, maps or pairs of elements that were looked at.
struct CheckCounts {
  std::int64_t instructions = 0;  // that passed
  std::int64_t unknown = 0;       // without maps, for a reason that the analysis gave
  std::int64_t skipped = 0;       // too large, or not known to the model
  std::int64_t maps = 0;
  std::int64_t inexact_maps = 0;
  std::int64_t runtime_maps = 0;  // with runtime variables
  std::int64_t pairs = 0;

  CheckCounts& operator+=(const CheckCounts& other);
};

// Checks both directions of `instruction`, for several assignments of values to the parameters of
// its computation:
//   - exact maps: the union of their relations is what the instruction reads; maps that are not
//   exact:
//     the union contains it, and each exact map among them names only what is read;
//   - the i2o maps are the inverse relation of the o2i maps;
//   - every index that a map names lies inside its array, and so does the element that holds a
//   runtime
//     variable, whose value is that element clamped as the instruction clamps it;
//   - maps are simplified and distinct, have the dimensions and results of the arrays that they
//   relate,
//     and read back from their text.
// Returns what is wrong, in words; none if nothing is. An instruction whose maps are unknown
// passes, and is counted as such.
[[nodiscard]] std::optional<std::string> check_with_model(const hlo::Module& module,
                                                          const hlo::Instruction& instruction,
                                                          IndexingAnalysis& analysis,
                                                          const CheckOptions& options,
                                                          CheckCounts& counts);

// The maps of the instruction in both directions, as text.
[[nodiscard]] std::string maps_text(const hlo::Instruction& instruction,
                                    IndexingAnalysis& analysis);

}  // namespace mercator::testing
