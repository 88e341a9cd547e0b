// Instructions that decide what is evaluated, and those that hand values on.

#include <algorithm>
#include <cstring>
#include <utility>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/strided_copy.h"

namespace mercator::runtime {
namespace {

Result<Value> value_of(const hlo::Literal& literal, const MemoryPool& pool) {
  if (literal.shape.is_array()) return MERCATOR_TRY(tensor_of(literal, pool));
  if (!literal.shape.is_tuple()) return Value();
  std::vector<Value> elements;
  for (const hlo::Literal& element : literal.elements) {
    elements.push_back(MERCATOR_TRY(value_of(element, pool)));
  }
  return Value::tuple(std::move(elements));
}

// What an asynchronous instruction carries along for its own use.
Result<Value> zero_value(const hlo::Shape& shape, const MemoryPool& pool) {
  if (shape.is_array()) {
    Tensor tensor = MERCATOR_TRY(Tensor::allocate(
        shape.element_type, {shape.dimensions.begin(), shape.dimensions.end()}, pool));
    std::ranges::fill(tensor.mutable_bytes(), std::byte{0});
    return tensor;
  }
  if (!shape.is_tuple()) return Value();
  std::vector<Value> elements;
  for (const hlo::Shape& element : shape.elements) {
    elements.push_back(MERCATOR_TRY(zero_value(element, pool)));
  }
  return Value::tuple(std::move(elements));
}

// The branches in the order of their numbers; `true` comes first, as branch 0.
std::vector<const hlo::Computation*> branches(const hlo::Instruction& instruction) {
  using hlo::AttributeName;
  if (const hlo::Computation* yes = instruction.computation(AttributeName::kTrueComputation)) {
    return {yes, instruction.computation(AttributeName::kFalseComputation)};
  }
  const auto listed =
      instruction.get<std::span<hlo::Computation* const>>(AttributeName::kBranchComputations);
  return {listed.begin(), listed.end()};
}

}  // namespace

Result<Value> started(const Evaluation& evaluation, std::vector<Value> elements) {
  const std::span<const hlo::Shape> shapes = evaluation.instruction.shape.elements;
  for (std::size_t i = elements.size(); i < shapes.size(); ++i) {
    elements.push_back(MERCATOR_TRY(zero_value(shapes[i], evaluation.evaluator.pool())));
  }
  return Value::tuple(std::move(elements));
}

Result<Value> evaluate_constant(Evaluation& evaluation) {
  return value_of(*evaluation.instruction.literal, evaluation.evaluator.pool());
}

Result<Value> evaluate_tuple(Evaluation& evaluation) {
  return Value::tuple(std::move(evaluation.operands));
}

Result<Value> evaluate_get_tuple_element(Evaluation& evaluation) {
  const auto index =
      static_cast<std::size_t>(evaluation.instruction.integer(hlo::AttributeName::kIndex, 0));
  return evaluation.operands[0].elements()[index];
}

Result<Value> evaluate_forward(Evaluation& evaluation) { return std::move(evaluation.operands[0]); }

Result<Value> evaluate_opt_barrier(Evaluation& evaluation) {
  return one_or_tuple(std::move(evaluation.operands));
}

Result<Value> evaluate_after_all(Evaluation& /*evaluation*/) { return Value(); }

Result<Value> evaluate_call(Evaluation& evaluation) {
  const hlo::Instruction& instruction = evaluation.instruction;
  const hlo::AttributeName attribute = instruction.opcode == hlo::Opcode::kCall
                                           ? hlo::AttributeName::kToApply
                                           : hlo::AttributeName::kCalls;
  return evaluation.evaluator.call(*instruction.computation(attribute),
                                   std::move(evaluation.operands));
}

// By index, what is out of range takes the last branch, as in XLA.
Result<Value> evaluate_conditional(Evaluation& evaluation) {
  const std::vector<const hlo::Computation*> all = branches(evaluation.instruction);
  const Tensor& selector = evaluation.tensor(0);
  const std::int64_t value = integer_element(selector, 0);
  const auto last = static_cast<std::int64_t>(all.size()) - 1;
  std::int64_t branch = value < 0 || value > last ? last : value;
  if (selector.element_type() == hlo::ElementType::kPred) branch = value != 0 ? 0 : 1;
  const auto place = static_cast<std::size_t>(branch);
  std::vector<Value> arguments;
  arguments.push_back(std::move(evaluation.operands[place + 1]));
  return evaluation.evaluator.call(*all[place], std::move(arguments));
}

Result<Value> evaluate_while(Evaluation& evaluation) {
  const hlo::Computation& condition =
      *evaluation.instruction.computation(hlo::AttributeName::kCondition);
  const hlo::Computation& body = *evaluation.instruction.computation(hlo::AttributeName::kBody);
  Value state = std::move(evaluation.operands[0]);
  while (true) {
    const Value goes_on = MERCATOR_TRY(evaluation.evaluator.call(condition, {state}));
    if (integer_element(goes_on.tensor(), 0) == 0) return state;
    std::vector<Value> arguments;
    arguments.push_back(std::move(state));
    state = MERCATOR_TRY(evaluation.evaluator.call(body, std::move(arguments)));
  }
}

// What is asynchronous is done at once: the start computes, the rest hands on.
Result<Value> evaluate_async_start(Evaluation& evaluation) {
  const hlo::Computation& called = *evaluation.instruction.computation(hlo::AttributeName::kCalls);
  std::vector<Value> operands = evaluation.operands;
  Value result = MERCATOR_TRY(evaluation.evaluator.call(called, std::move(evaluation.operands)));
  return started(evaluation, {Value::tuple(std::move(operands)), std::move(result)});
}

Result<Value> evaluate_async_done(Evaluation& evaluation) {
  return evaluation.operands[0].elements()[1];
}

Result<Value> evaluate_copy_start(Evaluation& evaluation) {
  return started(evaluation, {evaluation.operands[0], evaluation.operands[0]});
}

Result<Value> evaluate_copy_done(Evaluation& evaluation) {
  return evaluation.operands[0].elements()[0];
}

}  // namespace mercator::runtime
