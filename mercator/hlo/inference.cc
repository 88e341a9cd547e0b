#include "mercator/hlo/inference.h"

#include <algorithm>
#include <array>

#include "mercator/support/arithmetic.h"
#include "mercator/support/suggestion.h"

namespace mercator::hlo {
namespace {

bool is_bare(const Shape& shape) {
  return shape.layout == nullptr && shape.dynamic.empty() &&
         std::ranges::all_of(shape.elements, is_bare);
}

}  // namespace

std::unexpected<Error> Inference::failure(std::string message) const {
  return mercator::fail(ErrorKind::kInvalidInput,
                        fmt::format("'{}': {}", name(instruction_.opcode), message),
                        instruction_.span);
}

Inferred Inference::checked_array(ElementType type, std::span<const std::int64_t> sizes) const {
  std::int64_t bits = bit_width(type);
  for (const std::int64_t size : sizes) {
    if (size < 0) return fail("a dimension of the result would have the size {}", size);
    if (size != 0 && !checked_mul(bits, size, &bits)) return fail("the result is too large");
  }
  return array(type, sizes);
}

Shape Inference::tuple(std::span<const Shape> elements) const {
  return Shape{.kind = ShapeKind::kTuple, .elements = arena_.copy(elements)};
}

Shape Inference::one_or_tuple(std::span<const Shape> shapes) const {
  return shapes.size() == 1 ? shapes[0] : tuple(shapes);
}

Shape Inference::bare(const Shape& shape) const {
  if (is_bare(shape)) return shape;
  Shape out = shape;
  out.layout = nullptr;
  out.dynamic = {};
  if (shape.elements.empty()) return out;
  const std::span<Shape> elements = arena_.make_array<Shape>(shape.elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = bare(shape.elements[i]);
  out.elements = elements;
  return out;
}

Result<void> Inference::expect_operands(std::size_t count) const {
  if (operand_count() == count) return {};
  return fail("needs {} operands, has {}", count, operand_count());
}

Result<void> Inference::expect_at_least(std::size_t count) const {
  if (operand_count() >= count) return {};
  return fail("needs at least {} operands, has {}", count, operand_count());
}

Result<void> Inference::expect_array(std::size_t i) const {
  if (operand(i).is_array()) return {};
  return fail("operand {} must be an array, not {}", i, text(operand(i)));
}

Result<void> Inference::expect_arrays() const {
  for (std::size_t i = 0; i < operand_count(); ++i) MERCATOR_TRY_VOID(expect_array(i));
  return {};
}

Result<void> Inference::expect_scalar(std::size_t i) const {
  if (operand(i).is_array() && operand(i).rank() == 0) return {};
  return fail("operand {} must be a scalar, not {}", i, text(operand(i)));
}

Result<void> Inference::expect_tuple(std::size_t i, std::size_t at_least) const {
  if (operand(i).is_tuple() && operand(i).elements.size() >= at_least) return {};
  return fail("operand {} must be a tuple of at least {} parts, not {}", i, at_least,
              text(operand(i)));
}

Result<void> Inference::expect_attribute(AttributeName attribute) const {
  if (instruction_.find(attribute) != nullptr) return {};
  return missing(attribute);
}

std::unexpected<Error> Inference::missing(AttributeName attribute) const {
  std::unexpected<Error> error = fail("the attribute '{}' is missing", name(attribute));
  const std::array<std::string_view, 1> wanted = {name(attribute)};
  for (const Attribute& other : instruction_.attributes) {
    if (!nearest_words(other.unknown_name, wanted).empty()) {
      error.error().hint = fmt::format("is '{}' meant for it?", other.unknown_name);
    }
  }
  return error;
}

Result<void> Inference::expect_dimensions(std::span<const std::int64_t> dimensions,
                                          std::int64_t rank, std::string_view what) const {
  Sizes sorted(dimensions.begin(), dimensions.end());
  std::ranges::sort(sorted);
  for (const std::int64_t dimension : dimensions) {
    if (dimension < 0 || dimension >= rank) {
      return fail("{}={} names dimension {} of {}", what, text(dimensions), dimension, rank);
    }
  }
  if (std::ranges::adjacent_find(sorted) != sorted.end()) {
    return fail("{}={} names a dimension twice", what, text(dimensions));
  }
  return {};
}

Result<void> Inference::expect_ascending(std::span<const std::int64_t> dimensions,
                                         std::string_view what) const {
  if (std::ranges::is_sorted(dimensions)) return {};
  return fail("{}={} is not in ascending order", what, text(dimensions));
}

Result<std::int64_t> Inference::one_dimension(std::int64_t rank) const {
  MERCATOR_TRY_VOID(expect_attribute(AttributeName::kDimensions));
  const std::span<const std::int64_t> dimensions =
      instruction_.integers(AttributeName::kDimensions);
  if (dimensions.size() != 1) return fail("needs one dimension, not {}", text(dimensions));
  MERCATOR_TRY_VOID(expect_dimensions(dimensions, rank, "dimensions"));
  return dimensions[0];
}

Result<const Computation*> Inference::callee(AttributeName attribute) const {
  const Computation* computation = instruction_.computation(attribute);
  if (computation != nullptr) return computation;
  return missing(attribute);
}

Result<void> Inference::expect_parameters(const Computation& computation,
                                          std::span<const Shape> shapes) const {
  if (computation.parameters.size() != shapes.size()) {
    return fail("'{}' takes {} parameters and is given {}", computation.name,
                computation.parameters.size(), shapes.size());
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (same_type_and_dimensions(computation.parameters[i]->shape, shapes[i])) continue;
    return fail("parameter {} of '{}' has the shape {} and is given {}", i, computation.name,
                text(computation.parameters[i]->shape), text(shapes[i]));
  }
  return {};
}

Result<std::vector<ElementType>> Inference::expect_reducer(
    const Computation& computation, std::span<const ElementType> types) const {
  const std::size_t count = types.size();
  if (computation.parameters.size() != 2 * count) {
    return fail("'{}' must take {} parameters, not {}", computation.name, 2 * count,
                computation.parameters.size());
  }
  const Shape& result = computation.root->shape;
  const std::span<const Shape> results =
      result.is_tuple() ? result.elements : std::span<const Shape>(&result, 1);
  if (results.size() != count) {
    return fail("'{}' must give {} scalars, not {}", computation.name, count, text(result));
  }
  std::vector<ElementType> accumulators;
  for (std::size_t i = 0; i < count; ++i) {
    const std::array<const Shape*, 3> scalars = {&results[i], &computation.parameters[i]->shape,
                                                 &computation.parameters[i + count]->shape};
    for (const Shape* shape : scalars) {
      if (!shape->is_array() || shape->rank() != 0 ||
          !same_but_for_precision(shape->element_type, types[i])) {
        return fail("'{}' must work on scalars of the type {}, not on {}", computation.name,
                    name(types[i]), text(*shape));
      }
    }
    accumulators.push_back(results[i].element_type);
  }
  return accumulators;
}

bool same_but_for_precision(ElementType a, ElementType b) {
  return a == b || (is_floating(a) && is_floating(b));
}

std::string text(std::span<const std::int64_t> numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ","));
}

std::string text(const Shape& shape) { return to_string(shape, false); }

Result<std::int64_t> window_output_size(const Inference& inference, std::int64_t size,
                                        const WindowDimension& window) {
  if (window.size < 1 || window.stride < 1 || window.base_dilation < 1 ||
      window.window_dilation < 1) {
    return inference.fail("a window needs sizes, strides and dilations of at least 1");
  }
  std::int64_t padded = 0;
  std::int64_t extent = 0;
  const bool fits = (size == 0 || (checked_mul(size - 1, window.base_dilation, &padded) &&
                                   checked_add(padded, 1, &padded))) &&
                    checked_add(padded, window.padding_low, &padded) &&
                    checked_add(padded, window.padding_high, &padded) &&
                    checked_mul(window.size - 1, window.window_dilation, &extent) &&
                    checked_add(extent, 1, &extent);
  if (!fits) return inference.fail("the window is too large");
  if (padded < extent) return 0;
  return (padded - extent) / window.stride + 1;
}

}  // namespace mercator::hlo
