// The files of test/golden/run: programs, arguments, and what XLA computes, within stated bounds.
// test/runtime/against_xla/write_goldens.py writes them and says what they look like.

#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/runtime/tensor.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// How far floating-point results may be from what is expected. By default equal, zeros with their
// sign.
struct Bound {
  // Units in the last place of the expected value (of a complex number: of its larger part).
  double ulps = 0;
  double absolute = 0;  // or this much
};

struct GoldenCase {
  std::string name;
  std::string hlo;
  std::vector<Tensor> inputs;
  Bound bound;
  std::vector<Tensor> results;  // one for each array of the result
};

[[nodiscard]] Result<std::vector<GoldenCase>> read_golden_cases(const std::filesystem::path& path);

// "exact", "within 4 ulps", "within 4 ulps or 1e-06".
[[nodiscard]] Result<Bound> parse_bound(std::string_view text);

// What is wrong with a result, in words; "" if it is as expected. A nan without sign and payload
// stands for every nan, another one for itself.
[[nodiscard]] std::string difference(const Tensor& result, const Tensor& expected,
                                     const Bound& bound);

}  // namespace mercator::runtime
