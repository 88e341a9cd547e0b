#include "mercator/hlo/inference.h"

namespace mercator::hlo {
namespace {

Result<void> expect_token(const Inference& inference, std::size_t i) {
  if (inference.operand(i).kind == ShapeKind::kToken) return {};
  return inference.fail("operand {} must be a token, not {}", i, text(inference.operand(i)));
}

// That an update or a done follows a start or an update. So, link by link, it goes back to a start.
Result<void> expect_in_chain(const Inference& inference) {
  const Instruction& before = inference.instruction().operand(0);
  const bool in_chain =
      before.opcode == Opcode::kAsyncStart || before.opcode == Opcode::kAsyncUpdate;
  if (!in_chain) return inference.fail("must follow an async-start, not '{}'", before.name);
  return inference.expect_tuple(0, 2);
}

// ((parameters), result, …) of the computation.
Result<void> expect_async_shape(const Inference& inference, const Shape& shape,
                                const Computation& computation) {
  const auto fits = [&] {
    if (!shape.is_tuple() || shape.elements.size() < 2 || !shape.elements[0].is_tuple()) {
      return false;
    }
    const std::span<const Shape> parameters = shape.elements[0].elements;
    if (parameters.size() != computation.parameters.size()) return false;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!same_type_and_dimensions(parameters[i], computation.parameters[i]->shape)) return false;
    }
    return same_type_and_dimensions(shape.elements[1], computation.root->shape);
  };
  if (fits()) return {};
  return inference.fail("the shape {} must begin with the parameters and the result of '{}'",
                        text(shape), computation.name);
}

}  // namespace

Inferred infer_async_start(const Inference& inference) {
  const Computation* computation = MERCATOR_TRY(inference.callee(AttributeName::kCalls));
  std::vector<Shape> operands;
  for (std::size_t i = 0; i < inference.operand_count(); ++i) {
    operands.push_back(inference.operand(i));
  }
  MERCATOR_TRY_VOID(inference.expect_parameters(*computation, operands));
  if (inference.declared() == nullptr) return std::nullopt;
  MERCATOR_TRY_VOID(expect_async_shape(inference, *inference.declared(), *computation));
  return std::nullopt;
}

Inferred infer_async_update(const Inference& inference) {
  MERCATOR_TRY_VOID(expect_in_chain(inference));
  return inference.bare(inference.operand(0));
}

Inferred infer_async_done(const Inference& inference) {
  MERCATOR_TRY_VOID(expect_in_chain(inference));
  return inference.bare(inference.operand(0).elements[1]);
}

// (destination, source, context)
Inferred infer_copy_start(const Inference& inference) {
  const Shape operand = inference.bare(inference.operand(0));
  return inference.tuple({{operand, operand, inference.scalar(ElementType::kU32)}});
}

Inferred infer_copy_done(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_tuple(0, 2));
  const std::span<const Shape> parts = inference.operand(0).elements;
  if (!same_type_and_dimensions(parts[0], parts[1])) {
    return inference.fail("destination and source differ: {} and {}", text(parts[0]),
                          text(parts[1]));
  }
  return inference.bare(parts[0]);
}

Inferred infer_send(const Inference& inference) {
  MERCATOR_TRY_VOID(expect_token(inference, 1));
  return inference.tuple({{inference.bare(inference.operand(0)),
                           inference.scalar(ElementType::kU32), inference.token()}});
}

Inferred infer_send_done(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_tuple(0, 1));
  return inference.token();
}

// (data, context, token); what the data is must be declared.
Inferred infer_recv(const Inference& inference) {
  MERCATOR_TRY_VOID(expect_token(inference, 0));
  if (inference.declared() == nullptr) return std::nullopt;
  if (!inference.declared()->is_tuple() || inference.declared()->elements.empty()) {
    return inference.fail("the result must be a tuple, not {}", text(*inference.declared()));
  }
  return inference.tuple({{inference.bare(inference.declared()->elements[0]),
                           inference.scalar(ElementType::kU32), inference.token()}});
}

Inferred infer_recv_done(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_tuple(0, 1));
  return inference.tuple({{inference.bare(inference.operand(0).elements[0]), inference.token()}});
}

Inferred infer_infeed(const Inference& inference) {
  MERCATOR_TRY_VOID(expect_token(inference, 0));
  if (inference.declared() == nullptr) return std::nullopt;
  if (!inference.declared()->is_tuple() || inference.declared()->elements.empty()) {
    return inference.fail("the result must be a tuple, not {}", text(*inference.declared()));
  }
  return inference.tuple({{inference.bare(inference.declared()->elements[0]), inference.token()}});
}

Inferred infer_outfeed(const Inference& inference) {
  MERCATOR_TRY_VOID(expect_token(inference, 1));
  const auto shape =
      inference.instruction().get<std::span<const Shape>>(AttributeName::kOutfeedShape);
  if (!shape.empty() && !same_type_and_dimensions(shape[0], inference.operand(0))) {
    return inference.fail("outfeed_shape={} is not the shape of operand 0, {}", text(shape[0]),
                          text(inference.operand(0)));
  }
  return inference.token();
}

}  // namespace mercator::hlo
