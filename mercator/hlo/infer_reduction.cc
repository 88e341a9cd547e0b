#include <algorithm>

#include "mercator/hlo/inference.h"

namespace mercator::hlo {
namespace {

// Of instructions on n arrays followed by n scalars to begin with: that they are, and that the
// arrays have the same dimensions. Returns the types of the arrays.
Result<std::vector<ElementType>> check_arrays_and_inits(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(2));
  MERCATOR_TRY_VOID(inference.expect_arrays());
  const std::size_t count = inference.operand_count() / 2;
  MERCATOR_TRY_VOID(inference.expect_operands(2 * count));
  std::vector<ElementType> types;
  for (std::size_t i = 0; i < count; ++i) {
    const Shape& array = inference.operand(i);
    const Shape& init = inference.operand(count + i);
    MERCATOR_TRY_VOID(inference.expect_scalar(count + i));
    if (!std::ranges::equal(array.dimensions, inference.operand(0).dimensions)) {
      return inference.fail("the arrays must have the same dimensions: {} and {}",
                            text(inference.operand(0)), text(array));
    }
    if (!same_but_for_precision(array.element_type, init.element_type)) {
      return inference.fail("the initial value {} does not fit {}", text(init), text(array));
    }
    types.push_back(array.element_type);
  }
  return types;
}

Inferred arrays_of(const Inference& inference, std::span<const ElementType> types,
                   std::span<const std::int64_t> sizes) {
  std::vector<Shape> results;
  for (const ElementType type : types) {
    const std::optional<Shape> result = MERCATOR_TRY(inference.checked_array(type, sizes));
    results.push_back(*result);
  }
  return inference.one_or_tuple(results);
}

// The sizes of the result of sliding the window over an array.
Result<Sizes> window_sizes(const Inference& inference, const Shape& array) {
  const Window window = inference.instruction().get<Window>(AttributeName::kWindow);
  if (static_cast<std::int64_t>(window.size()) != array.rank()) {
    return inference.fail("the window has {} dimensions and the operand {}", window.size(),
                          array.rank());
  }
  Sizes sizes;
  for (std::size_t i = 0; i < window.size(); ++i) {
    sizes.push_back(MERCATOR_TRY(window_output_size(inference, array.dimensions[i], window[i])));
  }
  return sizes;
}

}  // namespace

Inferred infer_reduce(const Inference& inference) {
  const std::vector<ElementType> types = MERCATOR_TRY(check_arrays_and_inits(inference));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kDimensions));
  const Shape& array = inference.operand(0);
  const std::span<const std::int64_t> dimensions =
      inference.instruction().integers(AttributeName::kDimensions);
  MERCATOR_TRY_VOID(inference.expect_dimensions(dimensions, array.rank(), "dimensions"));
  const Computation* reducer = MERCATOR_TRY(inference.callee(AttributeName::kToApply));
  const std::vector<ElementType> results = MERCATOR_TRY(inference.expect_reducer(*reducer, types));
  Sizes sizes;
  for (std::int64_t i = 0; i < array.rank(); ++i) {
    if (std::ranges::find(dimensions, i) != dimensions.end()) continue;
    sizes.push_back(array.dimensions[static_cast<std::size_t>(i)]);
  }
  return arrays_of(inference, results, sizes);
}

Inferred infer_reduce_window(const Inference& inference) {
  const std::vector<ElementType> types = MERCATOR_TRY(check_arrays_and_inits(inference));
  const Computation* reducer = MERCATOR_TRY(inference.callee(AttributeName::kToApply));
  const std::vector<ElementType> results = MERCATOR_TRY(inference.expect_reducer(*reducer, types));
  const Sizes sizes = MERCATOR_TRY(window_sizes(inference, inference.operand(0)));
  return arrays_of(inference, results, sizes);
}

// Operands: the array, one source for each place of the window, the initial value.
Inferred infer_select_and_scatter(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_arrays());
  MERCATOR_TRY_VOID(inference.expect_scalar(2));
  const Shape& array = inference.operand(0);
  const Shape& source = inference.operand(1);
  const Shape& init = inference.operand(2);
  const Sizes sizes = MERCATOR_TRY(window_sizes(inference, array));
  if (!std::ranges::equal(source.dimensions, sizes)) {
    return inference.fail("the source has the shape {}; the window has {} places", text(source),
                          text(sizes));
  }
  if (!same_but_for_precision(array.element_type, source.element_type) ||
      !same_but_for_precision(array.element_type, init.element_type)) {
    return inference.fail("the source {} and the initial value {} do not fit {}", text(source),
                          text(init), text(array));
  }
  const Computation* select = MERCATOR_TRY(inference.callee(AttributeName::kSelect));
  const Computation* scatter = MERCATOR_TRY(inference.callee(AttributeName::kScatter));
  const ElementType type = array.element_type;
  const std::vector<Shape> two(2, inference.scalar(type));
  MERCATOR_TRY_VOID(inference.expect_parameters(*select, two));
  if (!same_type_and_dimensions(select->root->shape, inference.scalar(ElementType::kPred))) {
    return inference.fail("'{}' must give a scalar pred, not {}", select->name,
                          text(select->root->shape));
  }
  MERCATOR_TRY_VOID(inference.expect_reducer(*scatter, {{type}}));
  return inference.array(type, array.dimensions);
}

// Operands: arrays to walk along a dimension, then the values that are carried from step to step.
// The function maps a slice of each array and the carried values to a slice of each result and the
// carried values.
Inferred infer_scan(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  MERCATOR_TRY_VOID(inference.expect_arrays());
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kNumCarries));
  const Computation* function = MERCATOR_TRY(inference.callee(AttributeName::kToApply));
  const std::int64_t carries = inference.instruction().integer(AttributeName::kNumCarries, 0);
  const auto operands = static_cast<std::int64_t>(inference.operand_count());
  if (carries < 0 || carries >= operands) {
    return inference.fail("num_carries={} must leave at least one of {} operands", carries,
                          operands);
  }
  const Shape& first = inference.operand(0);
  const auto along = static_cast<std::size_t>(MERCATOR_TRY(inference.one_dimension(first.rank())));
  const std::int64_t length = first.dimensions[along];
  std::vector<Shape> parameters;
  for (std::size_t i = 0; i < inference.operand_count(); ++i) {
    const Shape& operand = inference.operand(i);
    Sizes sizes(operand.dimensions.begin(), operand.dimensions.end());
    if (static_cast<std::int64_t>(i) < operands - carries) {
      if (along >= sizes.size() || sizes[along] != length) {
        return inference.fail("{} and {} do not have the same size in dimension {}", text(first),
                              text(operand), along);
      }
      sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(along));
    }
    parameters.push_back(inference.array(operand.element_type, sizes));
  }
  MERCATOR_TRY_VOID(inference.expect_parameters(*function, parameters));
  const Shape& root = function->root->shape;
  const std::span<const Shape> parts =
      root.is_tuple() ? root.elements : std::span<const Shape>(&root, 1);
  if (static_cast<std::int64_t>(parts.size()) < carries) {
    return inference.fail("'{}' gives {} values, fewer than are carried", function->name,
                          parts.size());
  }
  std::vector<Shape> results;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool carried = i + static_cast<std::size_t>(carries) >= parts.size();
    if (!parts[i].is_array() || (!carried && along > parts[i].dimensions.size())) {
      return inference.fail("'{}' gives {}, which is no slice", function->name, text(parts[i]));
    }
    Sizes sizes(parts[i].dimensions.begin(), parts[i].dimensions.end());
    if (!carried) sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(along), length);
    const std::optional<Shape> result =
        MERCATOR_TRY(inference.checked_array(parts[i].element_type, sizes));
    results.push_back(*result);
  }
  return root.is_tuple() ? inference.tuple(results) : results[0];
}

Inferred infer_sort(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_at_least(1));
  MERCATOR_TRY_VOID(inference.expect_arrays());
  MERCATOR_TRY_VOID(inference.one_dimension(inference.operand(0).rank()));
  const Computation* comparator = MERCATOR_TRY(inference.callee(AttributeName::kToApply));
  if (!same_type_and_dimensions(comparator->root->shape, inference.scalar(ElementType::kPred))) {
    return inference.fail("'{}' must give a scalar pred, not {}", comparator->name,
                          text(comparator->root->shape));
  }
  if (comparator->parameters.size() != 2 * inference.operand_count()) {
    return inference.fail("'{}' must take {} parameters, not {}", comparator->name,
                          2 * inference.operand_count(), comparator->parameters.size());
  }
  std::vector<Shape> results;
  for (std::size_t i = 0; i < inference.operand_count(); ++i) {
    const Shape& operand = inference.operand(i);
    if (!std::ranges::equal(operand.dimensions, inference.operand(0).dimensions)) {
      return inference.fail("the operands must have the same dimensions: {} and {}",
                            text(inference.operand(0)), text(operand));
    }
    for (const std::size_t p : {2 * i, 2 * i + 1}) {
      const Shape& parameter = comparator->parameters[p]->shape;
      if (parameter.is_array() && parameter.rank() == 0 &&
          same_but_for_precision(parameter.element_type, operand.element_type)) {
        continue;
      }
      return inference.fail("parameter {} of '{}' must be a scalar {}, not {}", p, comparator->name,
                            name(operand.element_type), text(parameter));
    }
    results.push_back(inference.array(operand.element_type, operand.dimensions));
  }
  return inference.one_or_tuple(results);
}

Inferred infer_topk(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_array(0));
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kK));
  const Shape& operand = inference.operand(0);
  const std::int64_t k = inference.instruction().integer(AttributeName::kK, 0);
  if (operand.rank() < 1 || k < 0 || k > operand.dimensions.back()) {
    return inference.fail("k={} does not fit the last dimension of {}", k, text(operand));
  }
  Sizes sizes(operand.dimensions.begin(), operand.dimensions.end());
  sizes.back() = k;
  return inference.tuple(
      {{inference.array(operand.element_type, sizes), inference.array(ElementType::kS32, sizes)}});
}

}  // namespace mercator::hlo
