#include "mercator/hlo/inference.h"

namespace mercator::hlo {
namespace {

Result<void> expect_token(const Inference& inference, std::size_t i) {
  if (inference.operand(i).kind == ShapeKind::kToken) return {};
  return inference.fail("operand {} must be a token, not {}", i, text(inference.operand(i)));
}

// The computation that an async-start, or the start that an update or a done goes back to, calls.
Result<const Computation*> wrapped(const Inference& inference) {
  const Instruction* start = &inference.instruction();
  // The chain is finite: operands have no cycles.
  while (start->opcode != Opcode::kAsyncStart) {
    const bool in_chain =
        start->opcode == Opcode::kAsyncUpdate || start->opcode == Opcode::kAsyncDone;
    if (!in_chain || start->operands.empty()) {
      return inference.fail("must go back to an async-start, not to '{}'", start->name);
    }
    start = start->operands[0];
    if (start->opcode == Opcode::kAsyncDone) {
      return inference.fail("goes back to an async-done");
    }
  }
  const Computation* computation = start->computation(AttributeName::kCalls);
  if (computation != nullptr) return computation;
  return inference.fail("the attribute 'calls' is missing");
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
  const Computation* computation = MERCATOR_TRY(wrapped(inference));
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
  const Computation* computation = MERCATOR_TRY(wrapped(inference));
  MERCATOR_TRY_VOID(expect_async_shape(inference, inference.operand(0), *computation));
  return inference.bare(inference.operand(0));
}

Inferred infer_async_done(const Inference& inference) {
  const Computation* computation = MERCATOR_TRY(wrapped(inference));
  MERCATOR_TRY_VOID(expect_async_shape(inference, inference.operand(0), *computation));
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
