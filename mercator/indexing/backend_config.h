// What a custom call of a library says of itself in its backend_config, which is JSON: the text
// form of a message of XLA. Fields that are missing have the values that mean nothing.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/support/error.h"

namespace mercator::indexing {

// Of a matrix multiplication on a GPU.
struct GemmConfig {
  std::vector<std::int64_t> lhs_batch;
  std::vector<std::int64_t> rhs_batch;
  std::vector<std::int64_t> lhs_contracting;
  std::vector<std::int64_t> rhs_contracting;
  // Of one that is cut into groups.
  std::vector<std::int64_t> lhs_ragged = {};
  std::vector<std::int64_t> rhs_group = {};
  bool adds_matrix = false;       // an operand of the shape of the result
  bool adds_vector = false;       // an operand that is the same for every row
  bool has_auxiliary = false;     // a second result, the sum before the activation
  bool has_absolute_max = false;  // a second result, the largest absolute value of the first
};

// kInvalidInput if it is missing or says no dimensions.
[[nodiscard]] Result<GemmConfig> read_gemm_config(const hlo::Instruction& call);

// Of a matrix multiplication by oneDNN.
struct OneDnnMatmulConfig {
  bool transpose_lhs = false;  // the last two dimensions
  bool transpose_rhs = false;
  bool is_packed = false;  // the right operand has an order of its own
  // What is done to the sum, one after another: BIAS, RELU, …
  std::vector<std::string> operations;
};

// A missing configuration means the plain product. kInvalidInput for one that is not JSON.
[[nodiscard]] Result<OneDnnMatmulConfig> read_onednn_matmul_config(const hlo::Instruction& call);

// How often a while goes round, if XLA found that out; none if it does not say.
[[nodiscard]] std::optional<std::int64_t> read_known_trip_count(const hlo::Instruction& loop);

}  // namespace mercator::indexing
