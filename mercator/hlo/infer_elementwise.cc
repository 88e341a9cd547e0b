#include <algorithm>

#include "mercator/hlo/inference.h"

namespace mercator::hlo {
namespace {

bool is_pred(ElementType type) { return type == ElementType::kPred; }

// The type of the parts of a complex type.
ElementType part_type(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  if (type == ElementType::kC128) return ElementType::kF64;
  return type;
}

// The type of the result of a unary instruction on elements of that type; none if it takes no such
// type.
std::optional<ElementType> unary_type(Opcode opcode, ElementType type) {
  const auto only_if = [&](bool takes) { return takes ? std::optional(type) : std::nullopt; };
  switch (opcode) {
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
      return only_if(is_floating(type));
    case Opcode::kReal:
    case Opcode::kImag:
      return is_floating(type) || is_complex(type) ? std::optional(part_type(type)) : std::nullopt;
    case Opcode::kAbs:
      return is_pred(type) ? std::nullopt : std::optional(part_type(type));
    case Opcode::kNegate:
    case Opcode::kSign:
      return only_if(!is_pred(type));
    case Opcode::kClz:
    case Opcode::kPopcnt:
      return only_if(is_integral(type));
    case Opcode::kNot:
      return only_if(is_pred(type) || is_integral(type));
    case Opcode::kIsFinite:
      return is_floating(type) ? std::optional(ElementType::kPred) : std::nullopt;
    default:
      // Roots, logarithms, exponential and trigonometric functions and their like.
      return only_if(is_floating(type) || is_complex(type));
  }
}

bool binary_takes(Opcode opcode, ElementType type) {
  switch (opcode) {
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return is_pred(type) || is_integral(type);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return is_integral(type);
    case Opcode::kAtan2:
      return is_floating(type) || is_complex(type);
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return !is_complex(type);
    case Opcode::kSubtract:
    case Opcode::kDivide:
    case Opcode::kPower:
    case Opcode::kRemainder:
      return !is_pred(type);
    default:
      return true;
  }
}

Result<void> expect_same_sizes(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_arrays());
  for (std::size_t i = 1; i < inference.operand_count(); ++i) {
    if (std::ranges::equal(inference.operand(0).dimensions, inference.operand(i).dimensions)) {
      continue;
    }
    return inference.fail("the operands must have the same dimensions: {} and {}",
                          text(inference.operand(0)), text(inference.operand(i)));
  }
  return {};
}

Result<void> expect_same_types(const Inference& inference, std::size_t first) {
  for (std::size_t i = first + 1; i < inference.operand_count(); ++i) {
    if (inference.operand(i).element_type == inference.operand(first).element_type) continue;
    return inference.fail("the operands must have the same element type: {} and {}",
                          text(inference.operand(first)), text(inference.operand(i)));
  }
  return {};
}

}  // namespace

Inferred infer_unary(const Inference& inference) {
  const Shape& operand = inference.operand(0);
  MERCATOR_TRY_VOID(inference.expect_array(0));
  const std::optional<ElementType> type =
      unary_type(inference.instruction().opcode, operand.element_type);
  if (!type) return inference.fail("does not take {}", name(operand.element_type));
  return inference.array(*type, operand.dimensions);
}

Inferred infer_binary(const Inference& inference) {
  MERCATOR_TRY_VOID(expect_same_sizes(inference));
  MERCATOR_TRY_VOID(expect_same_types(inference, 0));
  const Shape& operand = inference.operand(0);
  if (!binary_takes(inference.instruction().opcode, operand.element_type)) {
    return inference.fail("does not take {}", name(operand.element_type));
  }
  return inference.array(operand.element_type, operand.dimensions);
}

Inferred infer_compare(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kDirection));
  MERCATOR_TRY_VOID(expect_same_sizes(inference));
  MERCATOR_TRY_VOID(expect_same_types(inference, 0));
  const Word direction = inference.instruction().get<Word>(AttributeName::kDirection);
  constexpr std::string_view kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  if (std::ranges::find(kDirections, direction.text) == std::end(kDirections)) {
    return inference.fail("direction={} is none of EQ, NE, GE, GT, LE, LT", direction.text);
  }
  const bool ordered = direction.text != "EQ" && direction.text != "NE";
  if (ordered && is_complex(inference.operand(0).element_type)) {
    return inference.fail("complex numbers have no order");
  }
  return inference.array(ElementType::kPred, inference.operand(0).dimensions);
}

Inferred infer_complex(const Inference& inference) {
  MERCATOR_TRY_VOID(expect_same_sizes(inference));
  MERCATOR_TRY_VOID(expect_same_types(inference, 0));
  const Shape& part = inference.operand(0);
  if (part.element_type != ElementType::kF32 && part.element_type != ElementType::kF64) {
    return inference.fail("takes f32 or f64, not {}", name(part.element_type));
  }
  const bool single = part.element_type == ElementType::kF32;
  return inference.array(single ? ElementType::kC64 : ElementType::kC128, part.dimensions);
}

Inferred infer_select(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_arrays());
  MERCATOR_TRY_VOID(expect_same_types(inference, 1));
  const Shape& which = inference.operand(0);
  const Shape& on_true = inference.operand(1);
  if (!same_type_and_dimensions(on_true, inference.operand(2))) {
    return inference.fail("the two values must have the same shape: {} and {}", text(on_true),
                          text(inference.operand(2)));
  }
  if (!is_pred(which.element_type)) {
    return inference.fail("operand 0 must be of type pred, not {}", name(which.element_type));
  }
  if (which.rank() != 0 && !std::ranges::equal(which.dimensions, on_true.dimensions)) {
    return inference.fail(
        "operand 0 must be a scalar or have the dimensions of the values: {} and {}", text(which),
        text(on_true));
  }
  return inference.array(on_true.element_type, on_true.dimensions);
}

Inferred infer_clamp(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_arrays());
  MERCATOR_TRY_VOID(expect_same_types(inference, 0));
  const Shape& operand = inference.operand(1);
  for (const std::size_t bound : {std::size_t{0}, std::size_t{2}}) {
    const Shape& shape = inference.operand(bound);
    if (shape.rank() != 0 && !std::ranges::equal(shape.dimensions, operand.dimensions)) {
      return inference.fail(
          "a bound must be a scalar or have the dimensions of operand 1: {} and {}", text(shape),
          text(operand));
    }
  }
  return inference.array(operand.element_type, operand.dimensions);
}

Inferred infer_convert(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  if (inference.declared() == nullptr) return std::nullopt;
  if (!inference.declared()->is_array()) return inference.fail("the result must be an array");
  return inference.array(inference.declared()->element_type, inference.operand(0).dimensions);
}

// Between types of different width, the last dimension holds the parts of the wider one.
Inferred infer_bitcast_convert(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  if (inference.declared() == nullptr) return std::nullopt;
  if (!inference.declared()->is_array()) return inference.fail("the result must be an array");
  const ElementType from = inference.operand(0).element_type;
  const ElementType to = inference.declared()->element_type;
  if (is_complex(from) != is_complex(to)) {
    return inference.fail("does not convert {} to {}", name(from), name(to));
  }
  const std::int64_t from_bits = bit_width(from);
  const std::int64_t to_bits = bit_width(to);
  const std::span<const std::int64_t> dimensions = inference.operand(0).dimensions;
  Sizes sizes(dimensions.begin(), dimensions.end());
  if (std::max(from_bits, to_bits) % std::min(from_bits, to_bits) != 0) {
    return inference.fail("the width of {} is no multiple of that of {}", name(from), name(to));
  }
  if (from_bits > to_bits) {
    sizes.push_back(from_bits / to_bits);
  } else if (from_bits < to_bits) {
    if (sizes.empty() || sizes.back() != to_bits / from_bits) {
      return inference.fail("the last dimension of {} must have the size {}",
                            text(inference.operand(0)), to_bits / from_bits);
    }
    sizes.pop_back();
  }
  return inference.array(to, sizes);
}

Inferred infer_reduce_precision(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kExponentBits));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kMantissaBits));
  const Shape& operand = inference.operand(0);
  if (!is_floating(operand.element_type)) {
    return inference.fail("does not take {}", name(operand.element_type));
  }
  if (inference.instruction().integer(AttributeName::kExponentBits, 0) < 1) {
    return inference.fail("needs at least one exponent bit");
  }
  if (inference.instruction().integer(AttributeName::kMantissaBits, 0) < 0) {
    return inference.fail("mantissa_bits is negative");
  }
  return inference.array(operand.element_type, operand.dimensions);
}

Inferred infer_stochastic_convert(const Inference& inference) {
  MERCATOR_TRY_VOID(expect_same_sizes(inference));
  const Shape& operand = inference.operand(0);
  const ElementType random = inference.operand(1).element_type;
  if (!is_floating(operand.element_type)) {
    return inference.fail("does not take {}", name(operand.element_type));
  }
  if (!is_integral(random) || is_signed(random) ||
      bit_width(random) != bit_width(operand.element_type)) {
    return inference.fail("operand 1 must be unsigned and as wide as operand 0: {} and {}",
                          name(random), name(operand.element_type));
  }
  if (inference.declared() == nullptr) return std::nullopt;
  return inference.array(inference.declared()->element_type, operand.dimensions);
}

Inferred infer_map(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  MERCATOR_TRY_VOID(expect_same_sizes(inference));
  const Computation* function = MERCATOR_TRY(inference.callee(AttributeName::kToApply));
  const Shape& operand = inference.operand(0);
  if (inference.instruction().find(AttributeName::kDimensions) != nullptr) {
    const std::span<const std::int64_t> dimensions =
        inference.instruction().integers(AttributeName::kDimensions);
    MERCATOR_TRY_VOID(inference.expect_dimensions(dimensions, operand.rank(), "dimensions"));
    MERCATOR_TRY_VOID(inference.expect_ascending(dimensions, "dimensions"));
    if (static_cast<std::int64_t>(dimensions.size()) != operand.rank()) {
      return inference.fail("must map over all dimensions, not {}", text(dimensions));
    }
  }
  std::vector<Shape> scalars;
  for (std::size_t i = 0; i < inference.operand_count(); ++i) {
    scalars.push_back(inference.scalar(inference.operand(i).element_type));
  }
  MERCATOR_TRY_VOID(inference.expect_parameters(*function, scalars));
  const Shape& result = function->root->shape;
  if (!result.is_array() || result.rank() != 0) {
    return inference.fail("'{}' must give a scalar, not {}", function->name, text(result));
  }
  return inference.array(result.element_type, operand.dimensions);
}

}  // namespace mercator::hlo
