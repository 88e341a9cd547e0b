// Matrix multiplications by cuBLAS and oneDNN.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercator/indexing/backend_config.h"
#include "mercator/indexing/dense.h"
#include "mercator/indexing/instructions.h"
#include "mercator/indexing/library_call.h"
#include "mercator/indexing/sizes.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;

// A vector of cuBLAS lies along the dimensions of the result that are adjacent in memory.
void add_vector(InstructionMaps& maps, const ShapeIndex& output, std::size_t operand) {
  const hlo::Shape& result = output_at(maps, output);
  const hlo::Shape& vector = maps.operand(operand);
  const std::vector<std::int64_t> there = hlo::minor_to_major(result);
  const std::vector<std::int64_t> here = hlo::minor_to_major(vector);
  std::vector<std::int64_t> places(here.size());
  bool fits = here.size() <= there.size();
  for (std::size_t i = 0; fits && i < here.size(); ++i) {
    const auto dimension = static_cast<std::size_t>(here[i]);
    places[dimension] = there[i];
    fits = vector.dimensions[dimension] == result.dimensions[static_cast<std::size_t>(there[i])];
  }
  if (!fits) return not_known(maps, output, operand, "the operand does not fit the result");
  add_broadcast(maps, output, operand, places);
}

// What is added to the product, and what it is scaled by: operands from `first` on.
void add_addends(InstructionMaps& maps, const ShapeIndex& output, const GemmConfig& config,
                 std::size_t first) {
  const std::size_t count = maps.instruction().operands.size();
  std::size_t scales = 0;
  std::size_t vectors = config.adds_vector ? 1 : 0;
  for (std::size_t k = first; k < count; ++k) {
    if (config.adds_matrix && k == first) {
      if (std::ranges::equal(maps.operand(k).dimensions, output_at(maps, output).dimensions)) {
        maps.add_identity(output, static_cast<std::int64_t>(k), {}, maps.operand(k));
      } else {
        not_known(maps, output, k, "the operand does not fit the result");
      }
    } else if (maps.operand(k).rank() == 0) {
      // After those of the two operands come those of the sum and of the result, which are used for
      // some types only.
      add_broadcast(maps, output, k, {}, /*exact=*/scales < 2);
      ++scales;
    } else if (vectors > 0) {
      --vectors;
      add_vector(maps, output, k);
    } else {
      not_known(maps, output, k, "what the operand is for is not known");
    }
  }
}

// (f32[8, 4], s8[1024]) custom-call(f32[8, 5] p0, f32[5, 4] p1, f32[8, 4] p2),
//     custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{"beta":1,
//     "dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],
//     "rhs_contracting_dimensions":["0"]}}}
//   o2i of p0 for {0}: (d0, d1)[s0] -> (d0, s0)
//   o2i of p1 for {0}: (d0, d1)[s0] -> (s0, d1)
//   o2i of p2 for {0}: (d0, d1) -> (d0, d1)
// The first operands are those of an instruction of this opcode.
void gemm(InstructionMaps& maps, hlo::Opcode opcode, std::size_t factors) {
  const hlo::Instruction& call = maps.instruction();
  const Result<GemmConfig> config = read_gemm_config(call);
  if (!config.has_value()) return not_known(maps, config.error().message);
  const std::optional<ShapeIndex> result = result_leaf(maps);
  if (!result.has_value()) return not_known(maps, "its result is not an array");
  if (!has_array_operands(maps, factors)) {
    return not_known(maps, fmt::format("it needs {} operands that are arrays", factors));
  }
  StandIn product(opcode, shape_at(maps.output(), *result), call.operands.first(factors));
  product.set(AttributeName::kLhsBatchDims, config->lhs_batch);
  product.set(AttributeName::kRhsBatchDims, config->rhs_batch);
  product.set(AttributeName::kLhsContractingDims, config->lhs_contracting);
  product.set(AttributeName::kRhsContractingDims, config->rhs_contracting);
  if (opcode == hlo::Opcode::kRaggedDot) {
    product.set(AttributeName::kLhsRaggedDims, config->lhs_ragged);
    product.set(AttributeName::kRhsGroupDims, config->rhs_group);
  }
  if (const std::optional<std::string> fault = product.fault()) return not_known(maps, *fault);
  std::vector<ShapeIndex> outputs = {*result};
  const bool has_second = config->has_auxiliary || config->has_absolute_max;
  if (has_second && (!maps.output().is_tuple() || maps.output().elements.size() < 2 ||
                     !maps.output().elements[1].is_array())) {
    return not_known(maps, "it has no second result");
  }
  if (config->has_auxiliary) {
    if (!std::ranges::equal(maps.output().elements[1].dimensions,
                            maps.output().elements[0].dimensions)) {
      return not_known(maps, "its second result is not of the shape of the first");
    }
    outputs.push_back({1});
  }
  for (const ShapeIndex& output : outputs) {
    add_maps_of(maps, product.instruction(), output);
    add_addends(maps, output, *config, factors);
  }
  if (config->has_absolute_max && !config->has_auxiliary) {
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
      add_everything(maps, {1}, k, /*exact=*/k < factors);
    }
  }
  add_workspace(maps, has_second ? 2 : 1);
}

}  // namespace

// cuBLAS and hipBLAS: the product, in 8 bits also with scalars that scale it
void gemm_call(InstructionMaps& maps) { gemm(maps, hlo::Opcode::kDot, 2); }
// … with a scale for each block of the operands
void scaled_gemm_call(InstructionMaps& maps) { gemm(maps, hlo::Opcode::kScaledDot, 4); }
// … in groups
void grouped_gemm_call(InstructionMaps& maps) { gemm(maps, hlo::Opcode::kRaggedDot, 3); }

namespace {

// An operand whose dimensions are the last ones of the result, or of size 1.
void add_numpy_broadcast(InstructionMaps& maps, const ShapeIndex& output, std::size_t operand) {
  const std::span<const std::int64_t> result = output_at(maps, output).dimensions;
  const std::span<const std::int64_t> sizes = maps.operand(operand).dimensions;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < sizes.size() && sizes.size() <= result.size(); ++i) {
    const std::size_t place = result.size() - sizes.size() + i;
    if (sizes[i] != result[place] && sizes[i] != 1) break;
    places.push_back(sizes[i] == result[place] ? static_cast<std::int64_t>(place) : -1);
  }
  if (places.size() != sizes.size()) {
    return not_known(maps, output, operand, "the operand does not fit the result");
  }
  add_broadcast(maps, output, operand, places);
}

}  // namespace

// f32[2, 8, 4] custom-call(f32[2, 8, 5] p0, f32[2, 4, 5] p1, f32[4] p2),
//     custom_call_target="__onednn$matmul", backend_config={"onednn_matmul_config":
//     {"transpose_b":true, "fusions":{"ops":["BIAS","RELU"]}}}
//   o2i of p0: (d0, d1, d2)[s0] -> (d0, d1, s0)
//   o2i of p1: (d0, d1, d2)[s0] -> (d0, d2, s0)
//   o2i of p2: (d0, d1, d2) -> (d2)
// What is done to the product is done to every element; some of it takes one more operand each.
void onednn_matmul_call(InstructionMaps& maps) {
  static constexpr auto kWithOperand =
      std::to_array<std::string_view>({"BIAS", "BINARY_ADD", "SUM"});
  static constexpr auto kWithout = std::to_array<std::string_view>(
      {"ELU", "GELU_ERF", "GELU_TANH", "LINEAR", "RELU", "RELU6", "SIGMOID", "SWISH", "TANH"});
  const hlo::Instruction& call = maps.instruction();
  const Result<OneDnnMatmulConfig> config = read_onednn_matmul_config(call);
  if (!config.has_value()) return not_known(maps, config.error().message);
  if (config->is_packed)
    return not_known(maps, "the order of its right operand is the library's own");
  std::size_t operands = 2;
  for (const std::string& operation : config->operations) {
    if (std::ranges::find(kWithOperand, operation) != kWithOperand.end()) {
      ++operands;
    } else if (std::ranges::find(kWithout, operation) == kWithout.end()) {
      return not_known(maps, fmt::format("the operation '{}' is not known", operation));
    }
  }
  const std::optional<ShapeIndex> result = result_leaf(maps);
  if (!result.has_value()) return not_known(maps, "its result is not an array");
  if (call.operands.size() != operands || !has_array_operands(maps, operands)) {
    return not_known(maps, fmt::format("it needs {} operands that are arrays", operands));
  }
  const std::int64_t rank = maps.operand(0).rank();
  if (rank < 2 || maps.operand(1).rank() != rank) {
    return not_known(maps, "its operands are not matrices of the same number of dimensions");
  }
  std::vector<std::int64_t> batch;
  for (std::int64_t i = 0; i + 2 < rank; ++i) batch.push_back(i);
  const std::vector<std::int64_t> lhs_contracting = {config->transpose_lhs ? rank - 2 : rank - 1};
  const std::vector<std::int64_t> rhs_contracting = {config->transpose_rhs ? rank - 1 : rank - 2};
  StandIn product(hlo::Opcode::kDot, shape_at(maps.output(), *result), call.operands.first(2));
  product.set(AttributeName::kLhsBatchDims, batch);
  product.set(AttributeName::kRhsBatchDims, batch);
  product.set(AttributeName::kLhsContractingDims, lhs_contracting);
  product.set(AttributeName::kRhsContractingDims, rhs_contracting);
  if (const std::optional<std::string> fault = product.fault()) return not_known(maps, *fault);
  add_maps_of(maps, product.instruction(), *result);
  for (std::size_t k = 2; k < operands; ++k) add_numpy_broadcast(maps, *result, k);
  add_workspace(maps, 1);
}

}  // namespace mercator::indexing
