#include "mercator/hlo/inference.h"

namespace mercator::hlo {
namespace {

std::vector<Shape> operand_shapes(const Inference& inference, std::size_t first = 0) {
  std::vector<Shape> shapes;
  for (std::size_t i = first; i < inference.operand_count(); ++i) {
    shapes.push_back(inference.operand(i));
  }
  return shapes;
}

Result<void> expect_result(const Inference& inference, const Computation& computation,
                           const Shape& shape) {
  if (same_type_and_dimensions(computation.root->shape, shape)) return {};
  return inference.fail("'{}' must give {}, not {}", computation.name, text(shape),
                        text(computation.root->shape));
}

}  // namespace

Inferred infer_tuple(const Inference& inference) {
  std::vector<Shape> elements;
  for (const Shape& shape : operand_shapes(inference)) elements.push_back(inference.bare(shape));
  return inference.tuple(elements);
}

Inferred infer_get_tuple_element(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kIndex));
  MERCATOR_TRY_VOID(inference.expect_tuple(0, 0));
  const std::int64_t index = inference.instruction().integer(AttributeName::kIndex, 0);
  const std::span<const Shape> elements = inference.operand(0).elements;
  if (index < 0 || index >= static_cast<std::int64_t>(elements.size())) {
    return inference.fail("index={} is not within a tuple of {} parts", index, elements.size());
  }
  return inference.bare(elements[static_cast<std::size_t>(index)]);
}

Inferred infer_call(const Inference& inference) {
  const Computation* computation = MERCATOR_TRY(inference.callee(AttributeName::kToApply));
  MERCATOR_TRY_VOID(inference.expect_parameters(*computation, operand_shapes(inference)));
  return inference.bare(computation->root->shape);
}

Inferred infer_fusion(const Inference& inference) {
  const Computation* computation = MERCATOR_TRY(inference.callee(AttributeName::kCalls));
  MERCATOR_TRY_VOID(inference.expect_parameters(*computation, operand_shapes(inference)));
  return inference.bare(computation->root->shape);
}

Inferred infer_while(const Inference& inference) {
  const Computation* condition = MERCATOR_TRY(inference.callee(AttributeName::kCondition));
  const Computation* body = MERCATOR_TRY(inference.callee(AttributeName::kBody));
  const std::vector<Shape> state = operand_shapes(inference);
  MERCATOR_TRY_VOID(inference.expect_parameters(*condition, state));
  MERCATOR_TRY_VOID(inference.expect_parameters(*body, state));
  MERCATOR_TRY_VOID(expect_result(inference, *condition, inference.scalar(ElementType::kPred)));
  MERCATOR_TRY_VOID(expect_result(inference, *body, state[0]));
  return inference.bare(state[0]);
}

// Operands: which branch, then one operand for each branch.
Inferred infer_conditional(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(2));
  MERCATOR_TRY_VOID(inference.expect_scalar(0));
  const ElementType type = inference.operand(0).element_type;
  std::vector<const Computation*> branches;
  for (const Computation* branch : inference.instruction().get<std::span<Computation* const>>(
           AttributeName::kBranchComputations)) {
    branches.push_back(branch);
  }
  if (branches.empty()) {
    branches.push_back(MERCATOR_TRY(inference.callee(AttributeName::kTrueComputation)));
    branches.push_back(MERCATOR_TRY(inference.callee(AttributeName::kFalseComputation)));
  }
  const bool by_pred = type == ElementType::kPred;
  if (!by_pred && type != ElementType::kS32) {
    return inference.fail("operand 0 must be pred or s32, not {}", name(type));
  }
  if (by_pred && branches.size() != 2) {
    return inference.fail("a pred chooses between 2 branches, not {}", branches.size());
  }
  MERCATOR_TRY_VOID(inference.expect_operands(branches.size() + 1));
  const Shape& result = branches[0]->root->shape;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    MERCATOR_TRY_VOID(inference.expect_parameters(
        *branches[i], std::span<const Shape>(&inference.operand(i + 1), 1)));
    MERCATOR_TRY_VOID(expect_result(inference, *branches[i], result));
  }
  return inference.bare(result);
}

Inferred infer_custom_call(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kCustomCallTarget));
  if (inference.instruction().find(AttributeName::kOperandLayoutConstraints) == nullptr) {
    return std::nullopt;
  }
  const auto constraints =
      inference.instruction().get<std::span<const Shape>>(AttributeName::kOperandLayoutConstraints);
  if (constraints.size() != inference.operand_count()) {
    return inference.fail("has {} operands and layout constraints for {}",
                          inference.operand_count(), constraints.size());
  }
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (same_type_and_dimensions(constraints[i], inference.operand(i))) continue;
    return inference.fail("operand {} has the shape {}, its layout constraint {}", i,
                          text(inference.operand(i)), text(constraints[i]));
  }
  return std::nullopt;
}

Inferred infer_same_as_operand(const Inference& inference) {
  return inference.bare(inference.operand(0));
}

Inferred infer_add_dependency(const Inference& inference) {
  if (inference.operand(1).kind != ShapeKind::kToken) {
    return inference.fail("operand 1 must be a token, not {}", text(inference.operand(1)));
  }
  return inference.bare(inference.operand(0));
}

// XLA takes any operands, not only tokens.
Inferred infer_after_all(const Inference& inference) { return inference.token(); }

}  // namespace mercator::hlo
