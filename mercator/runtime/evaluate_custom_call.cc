// Custom calls: those whose meaning is public, and then those that are registered.

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/chlo_call.h"
#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/lapack_call.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/registered_call.h"
#include "mercator/runtime/strided_copy.h"

namespace mercator::runtime {
namespace {

// What says where a value is or how it is laid out, and leaves it as it is: of several operands,
// the first.
Result<Value> identity(Evaluation& evaluation) {
  if (evaluation.operands.empty()) return fail(ErrorKind::kUnsupported, "it has no operand");
  return std::move(evaluation.operands[0]);
}

// The largest of the last dimension, by the total order of floating-point numbers. That is the
// order of XLA:CPU too, whatever the computation says that the call may name.
Result<Value> top_k_call(Evaluation& evaluation) {
  MERCATOR_TRY_VOID(expect_arrays(evaluation.operands));
  const hlo::Shape& shape = evaluation.instruction.shape;
  const bool fits = evaluation.tensor(0).rank() > 0 && shape.is_tuple() &&
                    shape.elements.size() == 2 && shape.elements[0].rank() > 0;
  if (!fits) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("{} is not the result of a TopK of {}", to_string(shape, false),
                            type_text(evaluation.tensor(0))));
  }
  return top_k(evaluation, shape.elements[0].dimensions.back(), true);
}

// Memory that somebody will write to: zeros, so that what it holds is the same in every run.
Result<Value> allocate_buffer(Evaluation& evaluation) {
  const hlo::Shape& shape = evaluation.instruction.shape;
  if (!shape.is_array()) return fail(ErrorKind::kUnsupported, "the result is no array");
  Tensor result =
      MERCATOR_TRY(evaluation.allocate({shape.dimensions.begin(), shape.dimensions.end()}));
  std::ranges::fill(result.mutable_bytes(), std::byte{0});
  return result;
}

// The box at the start of two tensors that has the smaller one's sizes, from one to the other.
Result<void> copy_box(std::span<const std::int64_t> sizes, const Tensor& from, Tensor& to,
                      const std::stop_token& stop) {
  return copy_elements(sizes, from, {.strides = row_major_strides(from.dimensions())}, to,
                       {.strides = row_major_strides(to.dimensions())}, stop);
}

// An array with a dynamic size -> (the same in an array of the bounds; the size of each dimension)
Result<Value> pad_to_static(Evaluation& evaluation) {
  MERCATOR_TRY_VOID(expect_arrays(evaluation.operands));
  const Tensor& operand = evaluation.tensor(0);
  const hlo::Shape& shape = evaluation.instruction.shape;
  if (!shape.is_tuple() || shape.elements.empty() || shape.elements[0].rank() != operand.rank()) {
    return fail(ErrorKind::kUnsupported, "the result is not that of PadToStatic");
  }
  std::vector<std::int64_t> bounds(shape.elements[0].dimensions.begin(),
                                   shape.elements[0].dimensions.end());
  for (std::size_t d = 0; d < bounds.size(); ++d) {
    bounds[d] = std::max(bounds[d], operand.dimensions()[d]);
  }
  Tensor padded = MERCATOR_TRY(evaluation.allocate(operand.element_type(), std::move(bounds)));
  std::ranges::fill(padded.mutable_bytes(), std::byte{0});
  MERCATOR_TRY_VOID(copy_box(operand.dimensions(), operand, padded, evaluation.evaluator.stop()));
  std::vector<Value> results = {std::move(padded)};
  for (const std::int64_t size : operand.dimensions()) {
    results.emplace_back(MERCATOR_TRY(size_scalar(size, evaluation.evaluator.pool())));
  }
  return Value::tuple(std::move(results));
}

// (array of the bounds, the size of each dimension) -> the array with these sizes
Result<Value> slice_to_dynamic(Evaluation& evaluation) {
  MERCATOR_TRY_VOID(expect_arrays(evaluation.operands));
  const Tensor& operand = evaluation.tensor(0);
  std::vector<std::int64_t> sizes = sizes_of(operand);
  if (evaluation.operands.size() != 1 + sizes.size()) {
    return fail(ErrorKind::kUnsupported, "it does not take a size for each dimension");
  }
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const Tensor& size = evaluation.tensor(1 + d);
    if (size.element_count() != 1 || !hlo::is_integral(size.element_type())) {
      return fail(ErrorKind::kUnsupported, fmt::format("operand {} is no size", 1 + d));
    }
    sizes[d] = std::clamp<std::int64_t>(integer_element(size, 0), 0, sizes[d]);
  }
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes));
  MERCATOR_TRY_VOID(copy_box(sizes, operand, result, evaluation.evaluator.stop()));
  return result;
}

// (condition, numbers for the message) -> nothing, if the condition holds
Result<Value> shape_assertion(Evaluation& evaluation) {
  MERCATOR_TRY_VOID(expect_arrays(evaluation.operands));
  const Tensor& condition = evaluation.tensor(0);
  if (condition.element_type() != hlo::ElementType::kPred || condition.element_count() != 1) {
    return fail(ErrorKind::kUnsupported, "the first operand is no condition");
  }
  if (integer_element(condition, 0) != 0) return Value::tuple({});
  std::string message = "an assertion about shapes does not hold";
  for (std::size_t i = 1; i < evaluation.operands.size(); ++i) {
    const Tensor& number = evaluation.tensor(i);
    if (number.element_count() != 1 || !hlo::is_integral(number.element_type())) continue;
    message += fmt::format("{} {}", i == 1 ? ":" : ",", integer_element(number, 0));
  }
  return fail(ErrorKind::kInvalidInput, std::move(message));
}

struct KnownCall {
  std::string_view target;
  EvaluateFunction function;
};

constexpr KnownCall kKnownCalls[] = {
    {"AllocateBuffer", allocate_buffer},
    {"AssumeGatherIndicesInBound", identity},
    {"LayoutConstraint", identity},
    {"MoveToDevice", identity},
    {"MoveToHost", identity},
    {"PadToStatic", pad_to_static},
    {"SPMDFullToShardShape", identity},
    {"SPMDShardToFullShape", identity},
    {"Sharding", identity},
    {"SliceToDynamic", slice_to_dynamic},
    {"TopK", top_k_call},
    {"annotate_device_placement", identity},
    {"shape_assertion", shape_assertion},
    {"xla.sdy.FuncResultSharding", identity},
    {"xla.sdy.GlobalToLocalShape", identity},
    {"xla.sdy.LocalToGlobalShape", identity},
};

EvaluateFunction known_function(std::string_view target) {
  for (const KnownCall& call : kKnownCalls) {
    if (call.target == target) return call.function;
  }
  const EvaluateFunction function = chlo_function(target);
  return function != nullptr ? function : lapack_function(target);
}

}  // namespace

Result<Value> evaluate_custom_call(Evaluation& evaluation) {
  const hlo::Instruction& instruction = evaluation.instruction;
  const std::string_view target =
      instruction.get<hlo::QuotedString>(hlo::AttributeName::kCustomCallTarget).text;
  const EvaluateFunction function = known_function(target);
  if (function == nullptr) {
    return call_registered(instruction, evaluation.operands, evaluation.evaluator.context());
  }
  Result<Value> result = function(evaluation);
  if (!result) {
    Error error = std::move(result).error();
    error.message = fmt::format("{}: {}", target, error.message);
    return std::unexpected(std::move(error));
  }
  const std::string wrong = mismatch(*result, instruction.shape);
  if (!wrong.empty()) {
    return fail(ErrorKind::kUnsupported, fmt::format("{}: the result {}", target, wrong));
  }
  return result;
}

}  // namespace mercator::runtime
