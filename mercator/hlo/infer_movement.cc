#include <algorithm>

#include "mercator/hlo/inference.h"
#include "mercator/support/arithmetic.h"

namespace mercator::hlo {
namespace {

Result<void> expect_declared_array(const Inference& inference) {
  if (inference.declared() == nullptr || inference.declared()->is_array()) return {};
  return inference.fail("the result must be an array, not {}", text(*inference.declared()));
}

Result<void> expect_declared_type(const Inference& inference) {
  MERCATOR_TRY_VOID(expect_declared_array(inference));
  if (inference.declared() == nullptr ||
      inference.declared()->element_type == inference.operand(0).element_type) {
    return {};
  }
  return inference.fail("the result must have the element type of the operand, {}, not {}",
                        name(inference.operand(0).element_type),
                        name(inference.declared()->element_type));
}

// The start indices of a dynamic slice: one scalar for each dimension or, as it was written once,
// one array of them.
Result<void> expect_start_indices(const Inference& inference, std::size_t first) {
  const auto rank = static_cast<std::size_t>(inference.operand(0).rank());
  const std::size_t count = inference.operand_count() - first;
  for (std::size_t i = first; i < inference.operand_count(); ++i) {
    MERCATOR_TRY_VOID(inference.expect_array(i));
    if (!is_integral(inference.operand(i).element_type)) {
      return inference.fail("a start index must be an integer, not {}", text(inference.operand(i)));
    }
    if (inference.operand(i).element_type != inference.operand(first).element_type) {
      return inference.fail("the start indices must have the same type");
    }
  }
  if (count == 1 && inference.operand(first).rank() == 1) {
    if (inference.operand(first).dimensions[0] == static_cast<std::int64_t>(rank)) return {};
    return inference.fail("needs {} start indices, not {}", rank,
                          inference.operand(first).dimensions[0]);
  }
  if (count != rank) return inference.fail("needs {} start indices, has {}", rank, count);
  for (std::size_t i = first; i < inference.operand_count(); ++i) {
    MERCATOR_TRY_VOID(inference.expect_scalar(i));
  }
  return {};
}

std::int64_t bits(const Shape& shape) {
  return shape.element_count() * bit_width(shape.element_type);
}

bool tiled(const Shape& shape) { return shape.layout != nullptr && !shape.layout->tiles.empty(); }

}  // namespace

Inferred infer_broadcast(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(expect_declared_type(inference));
  const Shape& operand = inference.operand(0);
  const std::span<const std::int64_t> dimensions =
      inference.instruction().integers(AttributeName::kDimensions);
  if (static_cast<std::int64_t>(dimensions.size()) != operand.rank()) {
    return inference.fail("dimensions={} must name a dimension of the result for each of {}",
                          text(dimensions), text(operand));
  }
  if (inference.declared() == nullptr) return std::nullopt;
  const Shape& result = *inference.declared();
  MERCATOR_TRY_VOID(inference.expect_dimensions(dimensions, result.rank(), "dimensions"));
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::int64_t size = result.dimensions[static_cast<std::size_t>(dimensions[i])];
    if (size == operand.dimensions[i]) continue;
    return inference.fail(
        "dimension {} of the operand has the size {}, dimension {} of the result {}", i,
        operand.dimensions[i], dimensions[i], size);
  }
  return std::nullopt;
}

Inferred infer_reshape(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(expect_declared_type(inference));
  if (inference.declared() == nullptr) return std::nullopt;
  const std::int64_t from = inference.operand(0).element_count();
  const std::int64_t to = inference.declared()->element_count();
  if (from != to) {
    return inference.fail("{} has {} elements and {} has {}", text(inference.operand(0)), from,
                          text(*inference.declared()), to);
  }
  return std::nullopt;
}

Inferred infer_dynamic_reshape(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  MERCATOR_TRY_VOID(infer_reshape(inference));
  for (std::size_t i = 1; i < inference.operand_count(); ++i) {
    MERCATOR_TRY_VOID(inference.expect_scalar(i));
    if (inference.operand(i).element_type != ElementType::kS32) {
      return inference.fail("the sizes must be of type s32");
    }
  }
  if (inference.declared() != nullptr) {
    MERCATOR_TRY_VOID(
        inference.expect_operands(static_cast<std::size_t>(inference.declared()->rank()) + 1));
  }
  return std::nullopt;
}

Inferred infer_bitcast(const Inference& inference) {
  if (inference.declared() == nullptr) return std::nullopt;
  const Shape& from = inference.operand(0);
  const Shape& to = *inference.declared();
  if (!from.is_array() || !to.is_array()) {
    if (from.kind == to.kind) return std::nullopt;
    return inference.fail("does not turn {} into {}", text(from), text(to));
  }
  // Tiles may pad the two shapes to the same size in memory.
  if (bits(from) != bits(to) && !tiled(from) && !tiled(to)) {
    return inference.fail("{} has {} bits and {} has {}", text(from), bits(from), text(to),
                          bits(to));
  }
  return std::nullopt;
}

Inferred infer_transpose(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kDimensions));
  const Shape& operand = inference.operand(0);
  const std::span<const std::int64_t> dimensions =
      inference.instruction().integers(AttributeName::kDimensions);
  MERCATOR_TRY_VOID(inference.expect_dimensions(dimensions, operand.rank(), "dimensions"));
  if (static_cast<std::int64_t>(dimensions.size()) != operand.rank()) {
    return inference.fail("dimensions={} is not a permutation of the {} dimensions of the operand",
                          text(dimensions), operand.rank());
  }
  Sizes sizes;
  for (const std::int64_t d : dimensions)
    sizes.push_back(operand.dimensions[static_cast<std::size_t>(d)]);
  return inference.array(operand.element_type, sizes);
}

Inferred infer_reverse(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kDimensions));
  const Shape& operand = inference.operand(0);
  MERCATOR_TRY_VOID(inference.expect_dimensions(
      inference.instruction().integers(AttributeName::kDimensions), operand.rank(), "dimensions"));
  return inference.array(operand.element_type, operand.dimensions);
}

Inferred infer_slice(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kSlice));
  const Shape& operand = inference.operand(0);
  const auto ranges =
      inference.instruction().get<std::span<const SliceDimension>>(AttributeName::kSlice);
  if (static_cast<std::int64_t>(ranges.size()) != operand.rank()) {
    return inference.fail("slice has {} ranges for {}", ranges.size(), text(operand));
  }
  Sizes sizes;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto [start, limit, stride] = ranges[i];
    if (stride < 1) return inference.fail("the stride of dimension {} is {}", i, stride);
    if (start < 0 || limit < start || limit > operand.dimensions[i]) {
      return inference.fail("the range [{}:{}] is not within dimension {} of {}", start, limit, i,
                            text(operand));
    }
    sizes.push_back(ceil_div(limit - start, stride));
  }
  return inference.array(operand.element_type, sizes);
}

Inferred infer_concatenate(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  MERCATOR_TRY_VOID(inference.expect_arrays());
  const Shape& first = inference.operand(0);
  const auto along = static_cast<std::size_t>(MERCATOR_TRY(inference.one_dimension(first.rank())));
  Sizes sizes(first.dimensions.begin(), first.dimensions.end());
  for (std::size_t i = 1; i < inference.operand_count(); ++i) {
    const Shape& operand = inference.operand(i);
    bool fits = operand.element_type == first.element_type && operand.rank() == first.rank();
    for (std::size_t d = 0; fits && d < sizes.size(); ++d) {
      fits = d == along || operand.dimensions[d] == first.dimensions[d];
    }
    if (!fits) {
      return inference.fail("{} and {} do not fit together along dimension {}", text(first),
                            text(operand), along);
    }
    if (!checked_add(sizes[along], operand.dimensions[along], &sizes[along])) {
      return inference.fail("the result is too large");
    }
  }
  return inference.checked_array(first.element_type, sizes);
}

Inferred infer_pad(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.expect_scalar(1));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kPadding));
  const Shape& operand = inference.operand(0);
  if (operand.element_type != inference.operand(1).element_type) {
    return inference.fail("the padding value is {} and the operand {}",
                          name(inference.operand(1).element_type), name(operand.element_type));
  }
  const auto padding =
      inference.instruction().get<std::span<const PaddingDimension>>(AttributeName::kPadding);
  if (static_cast<std::int64_t>(padding.size()) != operand.rank()) {
    return inference.fail("padding has {} dimensions and the operand {}", padding.size(),
                          operand.rank());
  }
  Sizes sizes;
  for (std::size_t i = 0; i < operand.dimensions.size(); ++i) {
    const auto [low, high, interior] = padding[i];
    if (interior < 0) return inference.fail("the padding within dimension {} is negative", i);
    const std::int64_t size = operand.dimensions[i];
    std::int64_t padded = 0;
    if (!checked_mul(std::max<std::int64_t>(size - 1, 0), interior, &padded) ||
        !checked_add(padded, size, &padded) || !checked_add(padded, low, &padded) ||
        !checked_add(padded, high, &padded)) {
      return inference.fail("the padding is too large");
    }
    sizes.push_back(padded);
  }
  return inference.checked_array(operand.element_type, sizes);
}

Inferred infer_dynamic_slice(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kDynamicSliceSizes));
  MERCATOR_TRY_VOID(expect_start_indices(inference, 1));
  const Shape& operand = inference.operand(0);
  const std::span<const std::int64_t> sizes =
      inference.instruction().integers(AttributeName::kDynamicSliceSizes);
  if (static_cast<std::int64_t>(sizes.size()) != operand.rank()) {
    return inference.fail("dynamic_slice_sizes={} must have {} sizes", text(sizes), operand.rank());
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > operand.dimensions[i]) {
      return inference.fail("a slice of size {} does not fit dimension {} of {}", sizes[i], i,
                            text(operand));
    }
  }
  return inference.array(operand.element_type, sizes);
}

Inferred infer_dynamic_update_slice(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(2));
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.expect_array(1));
  MERCATOR_TRY_VOID(expect_start_indices(inference, 2));
  const Shape& operand = inference.operand(0);
  const Shape& update = inference.operand(1);
  bool fits = operand.element_type == update.element_type && operand.rank() == update.rank();
  for (std::size_t i = 0; fits && i < operand.dimensions.size(); ++i) {
    fits = update.dimensions[i] <= operand.dimensions[i];
  }
  if (!fits) {
    return inference.fail("the update {} does not fit {}", text(update), text(operand));
  }
  return inference.array(operand.element_type, operand.dimensions);
}

Inferred infer_get_dimension_size(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.one_dimension(inference.operand(0).rank()));
  return inference.scalar(ElementType::kS32);
}

Inferred infer_set_dimension_size(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.expect_scalar(1));
  MERCATOR_TRY_VOID(inference.one_dimension(inference.operand(0).rank()));
  if (inference.operand(1).element_type != ElementType::kS32) {
    return inference.fail("the size must be of type s32, not {}",
                          name(inference.operand(1).element_type));
  }
  return inference.array(inference.operand(0).element_type, inference.operand(0).dimensions);
}

Inferred infer_iota(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kIotaDimension));
  MERCATOR_TRY_VOID(expect_declared_array(inference));
  if (inference.declared() == nullptr) return std::nullopt;
  const Shape& result = *inference.declared();
  const std::int64_t along = inference.instruction().integer(AttributeName::kIotaDimension, 0);
  if (along < 0 || along >= result.rank()) {
    return inference.fail("iota_dimension={} is not a dimension of {}", along, text(result));
  }
  if (result.element_type == ElementType::kPred) return inference.fail("does not give pred");
  return std::nullopt;
}

Inferred infer_constant(const Inference& inference) {
  if (inference.instruction().literal == nullptr) return inference.fail("has no literal");
  const Shape& shape = inference.instruction().literal->shape;
  if (inference.declared() != nullptr && !same_type_and_dimensions(shape, *inference.declared())) {
    return inference.fail("the literal has the shape {}, not {}", text(shape),
                          text(*inference.declared()));
  }
  return std::nullopt;
}

}  // namespace mercator::hlo
