#include <algorithm>

#include "mercator/hlo/inference.h"

namespace mercator::hlo {
namespace {

Result<void> expect_same_dimensions(const Inference& inference, const Shape& a, const Shape& b) {
  if (std::ranges::equal(a.dimensions, b.dimensions)) return {};
  return inference.fail("{} and {} must have the same dimensions", text(a), text(b));
}

// The last `count` dimensions of `shape`.
std::span<const std::int64_t> last(const Shape& shape, std::size_t count) {
  return shape.dimensions.last(count);
}

}  // namespace

Inferred infer_fft(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kFftType));
  const Shape& operand = inference.operand(0);
  const std::span<const std::int64_t> length =
      inference.instruction().integers(AttributeName::kFftLength);
  const std::string_view kind = inference.instruction().get<Word>(AttributeName::kFftType).text;
  const std::size_t rank = length.size();
  if (rank < 1 || rank > 3 || static_cast<std::int64_t>(rank) > operand.rank()) {
    return inference.fail("fft_length={} does not fit {}", text(length), text(operand));
  }
  if (std::ranges::any_of(length, [](std::int64_t n) { return n < 0; })) {
    return inference.fail("fft_length={} is negative", text(length));
  }
  const ElementType type = operand.element_type;
  const bool real = type == ElementType::kF32 || type == ElementType::kF64;
  const bool single = type == ElementType::kF32 || type == ElementType::kC64;
  // The length of the half of a spectrum that a real transform keeps.
  const std::int64_t half = length.back() == 0 ? 0 : length.back() / 2 + 1;
  Sizes expected(length.begin(), length.end());
  Sizes sizes(operand.dimensions.begin(), operand.dimensions.end());
  ElementType result = type;
  if (kind == "RFFT") {
    result = single ? ElementType::kC64 : ElementType::kC128;
    sizes.back() = half;
  } else if (kind == "IRFFT") {
    result = single ? ElementType::kF32 : ElementType::kF64;
    expected.back() = half;
    sizes.back() = length.back();
  } else if (kind != "FFT" && kind != "IFFT") {
    return inference.fail("fft_type={} is none of FFT, IFFT, RFFT, IRFFT", kind);
  }
  if (kind == "RFFT" ? !real : !is_complex(type)) {
    return inference.fail("{} does not take {}", kind, name(type));
  }
  if (!std::ranges::equal(last(operand, rank), expected)) {
    return inference.fail("the last dimensions of {} must be {}", text(operand), text(expected));
  }
  return inference.array(result, sizes);
}

Inferred infer_cholesky(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  const Shape& operand = inference.operand(0);
  const bool square = operand.rank() >= 2 && last(operand, 2)[0] == last(operand, 2)[1];
  if (!square || !(is_floating(operand.element_type) || is_complex(operand.element_type))) {
    return inference.fail("takes square matrices of floats or complex numbers, not {}",
                          text(operand));
  }
  return inference.array(operand.element_type, operand.dimensions);
}

Inferred infer_triangular_solve(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_arrays());
  const Shape& a = inference.operand(0);
  const Shape& b = inference.operand(1);
  if (a.element_type != b.element_type ||
      !(is_floating(a.element_type) || is_complex(a.element_type))) {
    return inference.fail("takes two operands of one float or complex type, not {} and {}", text(a),
                          text(b));
  }
  const bool square = a.rank() >= 2 && last(a, 2)[0] == last(a, 2)[1];
  if (!square || b.rank() != a.rank()) {
    return inference.fail("takes square matrices and as many others, not {} and {}", text(a),
                          text(b));
  }
  const auto rank = static_cast<std::size_t>(a.rank());
  const bool left = inference.instruction().get<bool>(AttributeName::kLeftSide);
  const std::int64_t side = b.dimensions[left ? rank - 2 : rank - 1];
  if (side != a.dimensions.back() ||
      !std::ranges::equal(a.dimensions.first(rank - 2), b.dimensions.first(rank - 2))) {
    return inference.fail("{} and {} do not fit", text(a), text(b));
  }
  return inference.array(b.element_type, b.dimensions);
}

namespace {

// Operand 0 and one vector, as long as its feature dimension, for each of the operands `first` to
// `last`. Returns the vector's shape.
Result<Shape> check_batch_norm(const Inference& inference, std::size_t first,
                               std::size_t last_vector) {
  MERCATOR_TRY_VOID(inference.expect_arrays());
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kEpsilon));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kFeatureIndex));
  const Shape& operand = inference.operand(0);
  const std::int64_t feature = inference.instruction().integer(AttributeName::kFeatureIndex, 0);
  if (feature < 0 || feature >= operand.rank()) {
    return inference.fail("feature_index={} is not a dimension of {}", feature, text(operand));
  }
  if (!is_floating(operand.element_type)) {
    return inference.fail("does not take {}", name(operand.element_type));
  }
  const std::int64_t features = operand.dimensions[static_cast<std::size_t>(feature)];
  for (std::size_t i = first; i <= last_vector; ++i) {
    const Shape& vector = inference.operand(i);
    if (vector.rank() == 1 && vector.dimensions[0] == features &&
        is_floating(vector.element_type)) {
      continue;
    }
    return inference.fail("operand {} must hold a number for each of {} features, not be {}", i,
                          features, text(vector));
  }
  return inference.array(operand.element_type, {{features}});
}

Shape result_of(const Inference& inference) {
  return inference.array(inference.operand(0).element_type, inference.operand(0).dimensions);
}

}  // namespace

Inferred infer_batch_norm_training(const Inference& inference) {
  const Shape features = MERCATOR_TRY(check_batch_norm(inference, 1, 2));
  return inference.tuple({{result_of(inference), features, features}});
}

Inferred infer_batch_norm_inference(const Inference& inference) {
  MERCATOR_TRY_VOID(check_batch_norm(inference, 1, 4));
  return result_of(inference);
}

Inferred infer_batch_norm_grad(const Inference& inference) {
  const Shape features = MERCATOR_TRY(check_batch_norm(inference, 1, 3));
  MERCATOR_TRY_VOID(expect_same_dimensions(inference, inference.operand(0), inference.operand(4)));
  return inference.tuple({{result_of(inference), features, features}});
}

Inferred infer_rng(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_operands(2));
  MERCATOR_TRY_VOID(inference.expect_scalar(0));
  MERCATOR_TRY_VOID(inference.expect_scalar(1));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kDistribution));
  const ElementType type = inference.operand(0).element_type;
  if (type != inference.operand(1).element_type) {
    return inference.fail("the operands must have the same type: {} and {}", name(type),
                          name(inference.operand(1).element_type));
  }
  if (inference.declared() == nullptr) return std::nullopt;
  if (!inference.declared()->is_array() || inference.declared()->element_type != type) {
    return inference.fail("the result must be an array of {}, not {}", name(type),
                          text(*inference.declared()));
  }
  return std::nullopt;
}

// Gives the new state and an array, or the array only.
Inferred infer_rng_bit_generator(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kAlgorithm));
  const Shape* result = inference.declared();
  if (result == nullptr || result->is_array()) return std::nullopt;
  if (!result->is_tuple() || result->elements.size() != 2 ||
      !same_type_and_dimensions(result->elements[0], inference.operand(0)) ||
      !result->elements[1].is_array()) {
    return inference.fail("the result must be a tuple of the state {} and an array, not {}",
                          text(inference.operand(0)), text(*result));
  }
  return std::nullopt;
}

Inferred infer_rng_state(const Inference& inference) {
  return inference.array(ElementType::kU64, {{2}});
}

}  // namespace mercator::hlo
