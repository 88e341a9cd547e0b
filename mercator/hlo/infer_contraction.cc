#include <algorithm>
#include <array>

#include "mercator/hlo/inference.h"
#include "mercator/support/arithmetic.h"

namespace mercator::hlo {
namespace {

struct DotNumbers {
  std::span<const std::int64_t> lhs_batch;
  std::span<const std::int64_t> rhs_batch;
  std::span<const std::int64_t> lhs_contracting;
  std::span<const std::int64_t> rhs_contracting;
};

DotNumbers dot_numbers(const Instruction& dot) {
  return {.lhs_batch = dot.integers(AttributeName::kLhsBatchDims),
          .rhs_batch = dot.integers(AttributeName::kRhsBatchDims),
          .lhs_contracting = dot.integers(AttributeName::kLhsContractingDims),
          .rhs_contracting = dot.integers(AttributeName::kRhsContractingDims)};
}

bool contains(std::span<const std::int64_t> numbers, std::int64_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

std::int64_t size_of(const Shape& shape, std::int64_t dimension) {
  return shape.dimensions[static_cast<std::size_t>(dimension)];
}

// That batch and contracting dimensions are dimensions, none twice, and as many on both sides.
Result<void> check_dot_numbers(const Inference& inference, const DotNumbers& numbers) {
  const auto check_side = [&](std::span<const std::int64_t> batch,
                              std::span<const std::int64_t> contracting, const Shape& shape,
                              std::string_view what) {
    Sizes all(batch.begin(), batch.end());
    all.insert(all.end(), contracting.begin(), contracting.end());
    return inference.expect_dimensions(all, shape.rank(), what);
  };
  MERCATOR_TRY_VOID(check_side(numbers.lhs_batch, numbers.lhs_contracting, inference.operand(0),
                               "the batch and contracting dimensions of operand 0"));
  MERCATOR_TRY_VOID(check_side(numbers.rhs_batch, numbers.rhs_contracting, inference.operand(1),
                               "the batch and contracting dimensions of operand 1"));
  if (numbers.lhs_batch.size() != numbers.rhs_batch.size()) {
    return inference.fail("the operands have {} and {} batch dimensions", numbers.lhs_batch.size(),
                          numbers.rhs_batch.size());
  }
  if (numbers.lhs_contracting.size() != numbers.rhs_contracting.size()) {
    return inference.fail("the operands have {} and {} contracting dimensions",
                          numbers.lhs_contracting.size(), numbers.rhs_contracting.size());
  }
  return {};
}

using Sparsity = std::span<const SparseOperand>;

// Only a dot can have sparse operands.
Sparsity sparsity_of(const Instruction& instruction) {
  if (instruction.opcode != Opcode::kDot) return {};
  return instruction.get<Sparsity>(AttributeName::kSparsity);
}

// The metadata have the dimensions of the sparse operand; along the sparse one, an element of them
// is about several of the operand.
Result<void> check_sparsity(const Inference& inference, const DotNumbers& numbers) {
  const Sparsity sparsity = sparsity_of(inference.instruction());
  MERCATOR_TRY_VOID(inference.expect_operands(2 + sparsity.size()));
  if (sparsity.size() > 1 && (sparsity.size() > 2 || sparsity[0].operand == sparsity[1].operand)) {
    return inference.fail("an operand is sparse twice");
  }
  for (std::size_t i = 0; i < sparsity.size(); ++i) {
    const auto& [operand, dimension, kept, group] = sparsity[i];
    if (!contains(operand == 0 ? numbers.lhs_contracting : numbers.rhs_contracting, dimension)) {
      return inference.fail("dimension {} of operand {} is sparse and not contracted", dimension,
                            operand);
    }
    if (kept < 1 || kept > group) {
      return inference.fail("an operand cannot hold {} elements of each {}", kept, group);
    }
    const Shape& sparse = inference.operand(static_cast<std::size_t>(operand));
    const Shape& metadata = inference.operand(2 + i);
    bool fits = metadata.rank() == sparse.rank();
    for (std::int64_t d = 0; fits && d < sparse.rank(); ++d) {
      fits = d == dimension ? size_of(metadata, d) <= size_of(sparse, d)
                            : size_of(metadata, d) == size_of(sparse, d);
    }
    if (!fits) {
      return inference.fail("metadata of the shape {} do not fit operand {} of the shape {}",
                            text(metadata), operand, text(sparse));
    }
  }
  return {};
}

// The sizes of two contracting dimensions, of what would be there if nothing was left out, are the
// same.
Result<void> check_contracting_sizes(const Inference& inference, const DotNumbers& numbers) {
  for (std::size_t i = 0; i < numbers.lhs_contracting.size(); ++i) {
    const std::array<std::int64_t, 2> dimensions = {numbers.lhs_contracting[i],
                                                    numbers.rhs_contracting[i]};
    const std::array<std::int64_t, 2> sizes = {size_of(inference.operand(0), dimensions[0]),
                                               size_of(inference.operand(1), dimensions[1])};
    std::array<std::int64_t, 2> whole = sizes;
    bool fits = true;
    for (const SparseOperand& sparse : sparsity_of(inference.instruction())) {
      const auto k = static_cast<std::size_t>(sparse.operand);
      if (sparse.dimension != dimensions[k]) continue;
      fits = fits && checked_mul(whole[k], sparse.group, &whole[k]) &&
             checked_mul(whole[1 - k], sparse.kept, &whole[1 - k]);
    }
    if (fits && whole[0] == whole[1]) continue;
    return inference.fail("the contracting dimensions {} and {} have the sizes {} and {}",
                          dimensions[0], dimensions[1], sizes[0], sizes[1]);
  }
  return {};
}

Result<void> check_batch_sizes(const Inference& inference, const DotNumbers& numbers) {
  for (std::size_t i = 0; i < numbers.lhs_batch.size(); ++i) {
    const std::int64_t left = size_of(inference.operand(0), numbers.lhs_batch[i]);
    const std::int64_t right = size_of(inference.operand(1), numbers.rhs_batch[i]);
    if (left == right) continue;
    return inference.fail("the batch dimensions {} and {} have the sizes {} and {}",
                          numbers.lhs_batch[i], numbers.rhs_batch[i], left, right);
  }
  return {};
}

// The element type of the result: what is declared, as long as that is the same kind of number; the
// type of the operands if nothing is.
Result<ElementType> product_type(const Inference& inference) {
  const ElementType lhs = inference.operand(0).element_type;
  const ElementType rhs = inference.operand(1).element_type;
  if (inference.declared() == nullptr) {
    if (lhs == rhs) return lhs;
    return inference.fail("the type of the result does not follow from {} and {}", name(lhs),
                          name(rhs));
  }
  if (!inference.declared()->is_array()) return inference.fail("the result must be an array");
  const ElementType result = inference.declared()->element_type;
  const bool complex = is_complex(lhs) || is_complex(rhs);
  const bool floating = is_floating(lhs) || is_floating(rhs);
  if (complex != is_complex(result) || (floating && !complex && !is_floating(result))) {
    return inference.fail("the result cannot be {} where the operands are {} and {}", name(result),
                          name(lhs), name(rhs));
  }
  return result;
}

void append_free(const Shape& shape, std::span<const std::int64_t> batch,
                 std::span<const std::int64_t> contracting, std::span<const std::int64_t> others,
                 Sizes& out) {
  for (std::int64_t i = 0; i < shape.rank(); ++i) {
    if (contains(batch, i) || contains(contracting, i) || contains(others, i)) continue;
    out.push_back(size_of(shape, i));
  }
}

}  // namespace

// dot, scaled-dot. Operands beyond the first two (scales, the metadata of sparse operands) do not
// change the shape of the result.
Inferred infer_dot(const Inference& inference) {
  const bool scaled = inference.instruction().opcode == Opcode::kScaledDot;
  MERCATOR_TRY_VOID(inference.expect_at_least(scaled ? 4 : 2));
  MERCATOR_TRY_VOID(inference.expect_arrays());
  const DotNumbers numbers = dot_numbers(inference.instruction());
  MERCATOR_TRY_VOID(check_dot_numbers(inference, numbers));
  MERCATOR_TRY_VOID(check_batch_sizes(inference, numbers));
  if (!scaled) MERCATOR_TRY_VOID(check_sparsity(inference, numbers));
  MERCATOR_TRY_VOID(check_contracting_sizes(inference, numbers));
  const ElementType type = MERCATOR_TRY(product_type(inference));
  Sizes sizes;
  for (const std::int64_t d : numbers.lhs_batch) sizes.push_back(size_of(inference.operand(0), d));
  append_free(inference.operand(0), numbers.lhs_batch, numbers.lhs_contracting, {}, sizes);
  append_free(inference.operand(1), numbers.rhs_batch, numbers.rhs_contracting, {}, sizes);
  return inference.checked_array(type, sizes);
}

// Operand 2 holds the sizes of the groups into which one dimension of operand 0 is cut. That
// dimension is free (each group meets its own slice of operand 1), contracting (each group gives
// its own result) or a batch.
Inferred infer_ragged_dot(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_arrays());
  const DotNumbers numbers = dot_numbers(inference.instruction());
  MERCATOR_TRY_VOID(check_dot_numbers(inference, numbers));
  MERCATOR_TRY_VOID(check_batch_sizes(inference, numbers));
  MERCATOR_TRY_VOID(check_contracting_sizes(inference, numbers));
  const Shape& lhs = inference.operand(0);
  const Shape& rhs = inference.operand(1);
  const Shape& group_sizes = inference.operand(2);
  const std::span<const std::int64_t> ragged =
      inference.instruction().integers(AttributeName::kLhsRaggedDims);
  const std::span<const std::int64_t> groups =
      inference.instruction().integers(AttributeName::kRhsGroupDims);
  MERCATOR_TRY_VOID(inference.expect_dimensions(ragged, lhs.rank(), "lhs_ragged_dims"));
  MERCATOR_TRY_VOID(inference.expect_dimensions(groups, rhs.rank(), "rhs_group_dims"));
  if (ragged.size() != 1) return inference.fail("needs one ragged dimension");
  if (group_sizes.rank() < 1 || !is_integral(group_sizes.element_type)) {
    return inference.fail("the sizes of the groups must be an array of integers, not {}",
                          text(group_sizes));
  }
  const std::int64_t group_count = group_sizes.dimensions.back();
  const bool contracts = contains(numbers.lhs_contracting, ragged[0]);
  const bool batches = contains(numbers.lhs_batch, ragged[0]);
  if (groups.size() != (contracts || batches ? 0 : 1)) {
    return inference.fail(
        "rhs_group_dims={} must have one dimension if the ragged one is free, "
        "and else none",
        text(groups));
  }
  for (const std::int64_t d : groups) {
    if (contains(numbers.rhs_batch, d) || contains(numbers.rhs_contracting, d)) {
      return inference.fail("dimension {} of operand 1 is a group dimension and something else", d);
    }
    if (size_of(rhs, d) != group_count) {
      return inference.fail("there are {} groups, and {} in operand 1", group_count,
                            size_of(rhs, d));
    }
  }
  const ElementType type = MERCATOR_TRY(product_type(inference));
  Sizes sizes;
  if (contracts) sizes.push_back(group_count);
  for (const std::int64_t d : numbers.lhs_batch) sizes.push_back(size_of(lhs, d));
  append_free(lhs, numbers.lhs_batch, numbers.lhs_contracting, {}, sizes);
  append_free(rhs, numbers.rhs_batch, numbers.rhs_contracting, groups, sizes);
  return inference.checked_array(type, sizes);
}

namespace {

// That the labels name each dimension of the shape.
Result<void> check_labels(const Inference& inference, std::int64_t rank, std::int64_t first,
                          std::int64_t second, std::span<const std::int64_t> spatial,
                          std::string_view what) {
  Sizes all = {first, second};
  all.insert(all.end(), spatial.begin(), spatial.end());
  if (static_cast<std::int64_t>(all.size()) != rank) {
    return inference.fail("dim_labels gives the {} {} dimensions, of {}", what, all.size(), rank);
  }
  return inference.expect_dimensions(all, rank, what);
}

}  // namespace

Inferred infer_convolution(const Inference& inference) {
  MERCATOR_TRY_VOID(inference.expect_arrays());
  MERCATOR_TRY_VOID(inference.expect_attribute(AttributeName::kDimLabels));
  const Instruction& convolution = inference.instruction();
  const Shape& input = inference.operand(0);
  const Shape& kernel = inference.operand(1);
  const ConvolutionDimensions& dims =
      *convolution.get<const ConvolutionDimensions*>(AttributeName::kDimLabels);
  const Window window = convolution.get<Window>(AttributeName::kWindow);
  const std::size_t spatial = dims.input_spatial.size();
  if (window.size() != spatial) {
    return inference.fail("the window has {} dimensions, dim_labels {}", window.size(), spatial);
  }
  MERCATOR_TRY_VOID(check_labels(inference, input.rank(), dims.input_batch, dims.input_feature,
                                 dims.input_spatial, "input"));
  MERCATOR_TRY_VOID(check_labels(inference, kernel.rank(), dims.kernel_input_feature,
                                 dims.kernel_output_feature, dims.kernel_spatial, "kernel"));
  const auto rank = static_cast<std::int64_t>(spatial + 2);
  MERCATOR_TRY_VOID(check_labels(inference, rank, dims.output_batch, dims.output_feature,
                                 dims.output_spatial, "output"));

  const std::int64_t feature_groups = convolution.integer(AttributeName::kFeatureGroupCount, 1);
  const std::int64_t batch_groups = convolution.integer(AttributeName::kBatchGroupCount, 1);
  if (feature_groups < 1 || batch_groups < 1) return inference.fail("a group count is below 1");
  if (feature_groups > 1 && batch_groups > 1) {
    return inference.fail("has groups of features and of batches");
  }
  const std::int64_t batch = size_of(input, dims.input_batch);
  const std::int64_t input_features = size_of(input, dims.input_feature);
  const std::int64_t kernel_features = size_of(kernel, dims.kernel_input_feature);
  const std::int64_t output_features = size_of(kernel, dims.kernel_output_feature);
  if (input_features % feature_groups != 0 || input_features / feature_groups != kernel_features) {
    return inference.fail("{} input features in {} groups do not fit a kernel of {} features",
                          input_features, feature_groups, kernel_features);
  }
  if (output_features % feature_groups != 0 || output_features % batch_groups != 0) {
    return inference.fail("{} output features cannot be divided into {} groups", output_features,
                          std::max(feature_groups, batch_groups));
  }
  if (batch % batch_groups != 0) {
    return inference.fail("a batch of {} cannot be divided into {} groups", batch, batch_groups);
  }
  const ElementType type = MERCATOR_TRY(product_type(inference));
  Sizes sizes(spatial + 2);
  sizes[static_cast<std::size_t>(dims.output_batch)] = batch / batch_groups;
  sizes[static_cast<std::size_t>(dims.output_feature)] = output_features;
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t kernel_size = size_of(kernel, dims.kernel_spatial[i]);
    if (window[i].size != kernel_size) {
      return inference.fail("dimension {} of the window has the size {}, of the kernel {}", i,
                            window[i].size, kernel_size);
    }
    const std::int64_t size = size_of(input, dims.input_spatial[i]);
    sizes[static_cast<std::size_t>(dims.output_spatial[i])] =
        MERCATOR_TRY(window_output_size(inference, size, window[i]));
  }
  return inference.checked_array(type, sizes);
}

}  // namespace mercator::hlo
