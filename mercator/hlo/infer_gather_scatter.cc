#include <algorithm>

#include "mercator/hlo/index_numbers.h"
#include "mercator/hlo/inference.h"

namespace mercator::hlo {
namespace {

bool contains(std::span<const std::int64_t> numbers, std::int64_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

// Checks the numbers against the operand and the indices.
Result<void> check_numbers(const Inference& inference, const IndexNumbers& numbers,
                           const Shape& operand, const Shape& indices) {
  const IndexNumberNames names = index_number_names(inference.instruction().opcode);
  const std::string_view absent_name = name(names.absent);
  const std::string_view indexed_name = name(names.indexed);
  const std::int64_t vector_dim = numbers.vector_dim;
  if (!is_integral(indices.element_type)) {
    return inference.fail("the indices must be integers, not {}", text(indices));
  }
  if (vector_dim < 0 || vector_dim > indices.rank()) {
    return inference.fail("index_vector_dim={} is not within {}", vector_dim, text(indices));
  }
  MERCATOR_TRY_VOID(inference.expect_dimensions(numbers.absent, operand.rank(), absent_name));
  MERCATOR_TRY_VOID(inference.expect_dimensions(numbers.indexed, operand.rank(), indexed_name));
  MERCATOR_TRY_VOID(inference.expect_dimensions(numbers.operand_batch, operand.rank(),
                                                "the batching dimensions of the operand"));
  MERCATOR_TRY_VOID(inference.expect_dimensions(numbers.indices_batch, indices.rank(),
                                                "the batching dimensions of the indices"));
  MERCATOR_TRY_VOID(inference.expect_ascending(numbers.absent, absent_name));
  const std::int64_t index_size =
      vector_dim == indices.rank() ? 1 : indices.dimensions[static_cast<std::size_t>(vector_dim)];
  if (static_cast<std::int64_t>(numbers.indexed.size()) != index_size) {
    return inference.fail("{}={} must have {} entries, one for each index", indexed_name,
                          text(numbers.indexed), index_size);
  }
  if (numbers.operand_batch.size() != numbers.indices_batch.size()) {
    return inference.fail("operand and indices have different numbers of batching dimensions");
  }
  for (std::size_t i = 0; i < numbers.operand_batch.size(); ++i) {
    const std::int64_t in_operand = numbers.operand_batch[i];
    const std::int64_t in_indices = numbers.indices_batch[i];
    if (contains(numbers.absent, in_operand) || contains(numbers.indexed, in_operand)) {
      return inference.fail(
          "dimension {} of the operand is a batching dimension and something else", in_operand);
    }
    if (in_indices == vector_dim) {
      return inference.fail("dimension {} of the indices holds the index and cannot be a batch",
                            in_indices);
    }
    const std::int64_t size = operand.dimensions[static_cast<std::size_t>(in_operand)];
    const std::int64_t indices_size = indices.dimensions[static_cast<std::size_t>(in_indices)];
    if (size == indices_size) continue;
    return inference.fail("the batching dimensions {} and {} have the sizes {} and {}", in_operand,
                          in_indices, size, indices_size);
  }
  return {};
}

// The dimensions of the indices but for the one that holds an index.
Sizes batch_sizes(const Shape& indices, std::int64_t vector_dim) {
  Sizes sizes;
  for (std::int64_t i = 0; i < indices.rank(); ++i) {
    if (i != vector_dim) sizes.push_back(indices.dimensions[static_cast<std::size_t>(i)]);
  }
  return sizes;
}

// Which dimensions of the operand stand in a window.
std::vector<std::int64_t> window_dimensions(const IndexNumbers& numbers, std::int64_t rank) {
  std::vector<std::int64_t> dimensions;
  for (std::int64_t i = 0; i < rank; ++i) {
    if (!contains(numbers.absent, i) && !contains(numbers.operand_batch, i))
      dimensions.push_back(i);
  }
  return dimensions;
}

}  // namespace

Inferred infer_gather(const Inference& inference) {
  using enum AttributeName;
  MERCATOR_TRY_VOID(inference.expect_arrays());
  MERCATOR_TRY_VOID(inference.expect_attribute(kIndexVectorDim));
  MERCATOR_TRY_VOID(inference.expect_attribute(kSliceSizes));
  const Instruction& gather = inference.instruction();
  const Shape& operand = inference.operand(0);
  const Shape& indices = inference.operand(1);
  const IndexNumbers numbers(gather);
  MERCATOR_TRY_VOID(check_numbers(inference, numbers, operand, indices));
  const std::span<const std::int64_t> slice_sizes = gather.integers(kSliceSizes);
  if (static_cast<std::int64_t>(slice_sizes.size()) != operand.rank()) {
    return inference.fail("slice_sizes={} must have {} sizes", text(slice_sizes), operand.rank());
  }
  for (std::size_t i = 0; i < slice_sizes.size(); ++i) {
    const auto d = static_cast<std::int64_t>(i);
    if (slice_sizes[i] < 0 || slice_sizes[i] > operand.dimensions[i]) {
      return inference.fail("a slice of size {} does not fit dimension {} of {}", slice_sizes[i], i,
                            text(operand));
    }
    if (slice_sizes[i] > 1 && (contains(numbers.absent, d) || contains(numbers.operand_batch, d))) {
      return inference.fail("dimension {} is left out of the result but has slices of size {}", i,
                            slice_sizes[i]);
    }
  }
  const std::vector<std::int64_t> window = window_dimensions(numbers, operand.rank());
  const Sizes batch = batch_sizes(indices, numbers.vector_dim);
  const auto rank = static_cast<std::int64_t>(window.size() + batch.size());
  MERCATOR_TRY_VOID(inference.expect_dimensions(numbers.window, rank, "offset_dims"));
  MERCATOR_TRY_VOID(inference.expect_ascending(numbers.window, "offset_dims"));
  if (numbers.window.size() != window.size()) {
    return inference.fail("offset_dims={} must have {} dimensions", text(numbers.window),
                          window.size());
  }
  Sizes sizes;
  std::size_t next_window = 0;
  std::size_t next_batch = 0;
  for (std::int64_t i = 0; i < rank; ++i) {
    sizes.push_back(contains(numbers.window, i)
                        ? slice_sizes[static_cast<std::size_t>(window[next_window++])]
                        : batch[next_batch++]);
  }
  return inference.checked_array(operand.element_type, sizes);
}

// Operands: n arrays, the indices, n updates.
Inferred infer_scatter(const Inference& inference) {
  using enum AttributeName;
  MERCATOR_TRY_VOID(inference.expect_at_least(3));
  MERCATOR_TRY_VOID(inference.expect_arrays());
  MERCATOR_TRY_VOID(inference.expect_attribute(kIndexVectorDim));
  const Instruction& scatter = inference.instruction();
  const std::size_t count = inference.operand_count() / 2;
  MERCATOR_TRY_VOID(inference.expect_operands(2 * count + 1));
  const Shape& operand = inference.operand(0);
  const Shape& indices = inference.operand(count);
  const Shape& update = inference.operand(count + 1);
  const IndexNumbers numbers(scatter);
  MERCATOR_TRY_VOID(check_numbers(inference, numbers, operand, indices));
  std::vector<ElementType> types;
  std::vector<Shape> results;
  for (std::size_t i = 0; i < count; ++i) {
    const Shape& array = inference.operand(i);
    const Shape& its_update = inference.operand(count + 1 + i);
    if (!std::ranges::equal(array.dimensions, operand.dimensions) ||
        !std::ranges::equal(its_update.dimensions, update.dimensions)) {
      return inference.fail("all operands, and all updates, must have the same dimensions");
    }
    if (!same_but_for_precision(array.element_type, its_update.element_type)) {
      return inference.fail("the update {} does not fit {}", text(its_update), text(array));
    }
    types.push_back(array.element_type);
    results.push_back(inference.array(array.element_type, array.dimensions));
  }
  const Computation* combiner = MERCATOR_TRY(inference.callee(kToApply));
  MERCATOR_TRY_VOID(inference.expect_reducer(*combiner, types));

  MERCATOR_TRY_VOID(
      inference.expect_dimensions(numbers.window, update.rank(), "update_window_dims"));
  MERCATOR_TRY_VOID(inference.expect_ascending(numbers.window, "update_window_dims"));
  const std::vector<std::int64_t> window = window_dimensions(numbers, operand.rank());
  const Sizes batch = batch_sizes(indices, numbers.vector_dim);
  if (numbers.window.size() != window.size() ||
      static_cast<std::size_t>(update.rank()) != window.size() + batch.size()) {
    return inference.fail("the update {} must have {} window dimensions and {} others",
                          text(update), window.size(), batch.size());
  }
  std::size_t next_window = 0;
  std::size_t next_batch = 0;
  for (std::int64_t i = 0; i < update.rank(); ++i) {
    const std::int64_t size = update.dimensions[static_cast<std::size_t>(i)];
    if (contains(numbers.window, i)) {
      const std::int64_t at_most =
          operand.dimensions[static_cast<std::size_t>(window[next_window++])];
      if (size > at_most) {
        return inference.fail("dimension {} of the update has the size {}, of at most {}", i, size,
                              at_most);
      }
    } else if (size != batch[next_batch++]) {
      return inference.fail("dimension {} of the update has the size {}, the indices {}", i, size,
                            batch[next_batch - 1]);
    }
  }
  return inference.one_or_tuple(results);
}

}  // namespace mercator::hlo
