// Instructions that move elements: each is one or a few strided copies.

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/number.h"
#include "mercator/runtime/operand_sizes.h"
#include "mercator/runtime/strided_copy.h"
#include "mercator/support/arithmetic.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

using Sizes = std::vector<std::int64_t>;

StridedPlaces row_major(const Tensor& tensor, std::int64_t first = 0) {
  return {.first = first, .strides = row_major_strides(tensor.dimensions())};
}

// The places of a box of `tensor` that starts at `start`.
StridedPlaces places_from(const Tensor& tensor, std::span<const std::int64_t> start) {
  StridedPlaces places = row_major(tensor);
  for (std::size_t d = 0; d < start.size(); ++d) places.first += start[d] * places.strides[d];
  return places;
}

// The start of a box of `sizes` in `bounds`: what operands from `first` on say, one scalar for each
// dimension or one vector with all, moved so that the box fits.
Result<Sizes> clamped_start(const Evaluation& evaluation, std::size_t first,
                            std::span<const std::int64_t> bounds,
                            std::span<const std::int64_t> sizes) {
  Sizes start(sizes.size());
  const bool is_vector =
      evaluation.operands.size() == first + 1 && evaluation.tensor(first).rank() == 1;
  if (is_vector && evaluation.tensor(first).element_count() != std::ssize(sizes)) {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("{} starts for {} dimensions", evaluation.tensor(first).element_count(),
                            sizes.size()));
  }
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t wanted =
        is_vector ? integer_element(evaluation.tensor(first), static_cast<std::int64_t>(d))
                  : integer_element(evaluation.tensor(first + d), 0);
    start[d] = std::clamp<std::int64_t>(wanted, 0, bounds[d] - sizes[d]);
  }
  return start;
}

// Sizes for a reshape to `shape`, whose dynamic dimension (one at most) takes what is left.
Result<Sizes> reshaped_sizes(const hlo::Shape& shape, std::int64_t element_count) {
  Sizes sizes(shape.dimensions.begin(), shape.dimensions.end());
  if (MERCATOR_TRY(runtime::element_count(sizes)) == element_count) return sizes;
  const auto dynamic = std::ranges::count(shape.dynamic, true);
  if (dynamic == 1) {
    const auto place =
        static_cast<std::size_t>(std::ranges::find(shape.dynamic, true) - shape.dynamic.begin());
    sizes[place] = 1;
    const std::int64_t others = MERCATOR_TRY(runtime::element_count(sizes));
    if (others > 0 && element_count % others == 0) {
      sizes[place] = element_count / others;
      return sizes;
    }
  }
  return fail(ErrorKind::kUnsupported, fmt::format("{} elements cannot be told apart into {}",
                                                   element_count, to_string(shape, false)));
}

// For each dimension of the padded array: where the operand's elements in [from, to), those that
// are not cut off, begin.
struct PaddedDimension {
  std::int64_t size = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t target = 0;
};

Result<PaddedDimension> padded(const hlo::PaddingDimension& padding, std::int64_t size) {
  // Neither the padding nor the places of elements that are cut off have to be small.
  using Wide = __int128;
  const Wide low = padding.low;
  const Wide step = Wide{padding.interior} + 1;
  const Wide spread = size == 0 ? 0 : (size - 1) * step + 1;
  const Wide padded_size = std::max<Wide>(spread + low + padding.high, 0);
  if (padded_size > std::numeric_limits<std::int64_t>::max()) {
    return fail(ErrorKind::kExhausted, "the padded size does not fit int64");
  }
  // Element i goes to low + i * step, if that lies in [0, padded_size - 1].
  const Wide from = low < 0 ? std::min<Wide>((step - 1 - low) / step, size) : 0;
  const Wide to = low < padded_size ? std::min<Wide>((padded_size - 1 - low) / step + 1, size) : 0;
  PaddedDimension result{.size = static_cast<std::int64_t>(padded_size)};
  if (from >= to) return result;
  result.from = static_cast<std::int64_t>(from);
  result.to = static_cast<std::int64_t>(to);
  result.target = static_cast<std::int64_t>(low + from * step);
  return result;
}

}  // namespace

Result<Value> evaluate_broadcast(Evaluation& evaluation) {
  const Tensor& operand = evaluation.tensor(0);
  const hlo::Shape& shape = evaluation.instruction.shape;
  Sizes sizes(shape.dimensions.begin(), shape.dimensions.end());
  const auto dimensions = evaluation.instruction.integers(hlo::AttributeName::kDimensions);
  const Sizes operand_strides = row_major_strides(operand.dimensions());
  StridedPlaces from{.strides = Sizes(sizes.size(), 0)};
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const auto target = static_cast<std::size_t>(dimensions[d]);
    from.strides[target] = operand_strides[d];
    sizes[target] = operand.dimensions()[d];
  }
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes));
  MERCATOR_TRY_VOID(
      copy_elements(sizes, operand, from, result, row_major(result), evaluation.evaluator.stop()));
  return result;
}

Result<Value> evaluate_reshape(Evaluation& evaluation) {
  const Tensor& operand = evaluation.tensor(0);
  if (evaluation.instruction.opcode == hlo::Opcode::kReshape) {
    return operand.reshaped(
        MERCATOR_TRY(reshaped_sizes(evaluation.instruction.shape, operand.element_count())));
  }
  Sizes sizes;
  for (std::size_t i = 1; i < evaluation.operands.size(); ++i) {
    sizes.push_back(integer_element(evaluation.tensor(i), 0));
    const std::int64_t bound = evaluation.instruction.shape.dimensions[i - 1];
    if (sizes.back() < 0 || sizes.back() > bound) {
      return fail(ErrorKind::kInvalidInput, fmt::format("size {} of dimension {} is not in [0, {}]",
                                                        sizes.back(), i - 1, bound));
    }
  }
  if (MERCATOR_TRY(element_count(sizes)) != operand.element_count()) {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("{} has {} elements, and [{}] another number", type_text(operand),
                            operand.element_count(), fmt::join(sizes, ",")));
  }
  return operand.reshaped(std::move(sizes));
}

Result<Value> evaluate_transpose(Evaluation& evaluation) {
  const Tensor& operand = evaluation.tensor(0);
  const Sizes operand_strides = row_major_strides(operand.dimensions());
  Sizes sizes;
  StridedPlaces from;
  for (const std::int64_t d : evaluation.instruction.integers(hlo::AttributeName::kDimensions)) {
    sizes.push_back(operand.dimensions()[static_cast<std::size_t>(d)]);
    from.strides.push_back(operand_strides[static_cast<std::size_t>(d)]);
  }
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes));
  MERCATOR_TRY_VOID(
      copy_elements(sizes, operand, from, result, row_major(result), evaluation.evaluator.stop()));
  return result;
}

Result<Value> evaluate_slice(Evaluation& evaluation) {
  const Tensor& operand = evaluation.tensor(0);
  const auto slice =
      evaluation.instruction.get<std::span<const hlo::SliceDimension>>(hlo::AttributeName::kSlice);
  Sizes sizes(slice.size());
  for (std::size_t d = 0; d < slice.size(); ++d) {
    const std::int64_t limit = std::min(slice[d].limit, operand.dimensions()[d]);
    const std::int64_t length = std::max<std::int64_t>(limit - slice[d].start, 0);
    sizes[d] = ceil_div(length, slice[d].stride);
  }
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes));
  if (result.element_count() == 0) return result;
  StridedPlaces from = row_major(operand);
  for (std::size_t d = 0; d < slice.size(); ++d) {
    from.first += slice[d].start * from.strides[d];
    // A stride beyond the array is never taken.
    from.strides[d] *= sizes[d] > 1 ? slice[d].stride : 0;
  }
  MERCATOR_TRY_VOID(
      copy_elements(sizes, operand, from, result, row_major(result), evaluation.evaluator.stop()));
  return result;
}

Result<Value> evaluate_dynamic_slice(Evaluation& evaluation) {
  const Tensor& operand = evaluation.tensor(0);
  const auto wanted = evaluation.instruction.integers(hlo::AttributeName::kDynamicSliceSizes);
  Sizes sizes(wanted.begin(), wanted.end());
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    sizes[d] = std::min(sizes[d], operand.dimensions()[d]);
  }
  const Sizes start = MERCATOR_TRY(clamped_start(evaluation, 1, operand.dimensions(), sizes));
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes));
  if (result.element_count() == 0) return result;
  MERCATOR_TRY_VOID(copy_elements(sizes, operand, places_from(operand, start), result,
                                  row_major(result), evaluation.evaluator.stop()));
  return result;
}

Result<Value> evaluate_dynamic_update_slice(Evaluation& evaluation) {
  Sizes sizes = sizes_of(evaluation.tensor(1));
  const Sizes bounds = sizes_of(evaluation.tensor(0));
  for (std::size_t d = 0; d < sizes.size(); ++d) sizes[d] = std::min(sizes[d], bounds[d]);
  const Sizes start = MERCATOR_TRY(clamped_start(evaluation, 2, bounds, sizes));
  Tensor operand = std::move(evaluation.operands[0].tensor());
  if (MERCATOR_TRY(element_count(sizes)) == 0) return operand;
  operand = MERCATOR_TRY(writable(std::move(operand), evaluation.evaluator.context()));
  const Tensor& update = evaluation.tensor(1);
  MERCATOR_TRY_VOID(copy_elements(sizes, update, row_major(update), operand,
                                  places_from(operand, start), evaluation.evaluator.stop()));
  return operand;
}

Result<Value> evaluate_pad(Evaluation& evaluation) {
  const Tensor& operand = evaluation.tensor(0);
  const auto padding = evaluation.instruction.get<std::span<const hlo::PaddingDimension>>(
      hlo::AttributeName::kPadding);
  Sizes result_sizes;
  Sizes copied;
  Sizes source_start;
  Sizes target_start;
  for (std::size_t d = 0; d < padding.size(); ++d) {
    const PaddedDimension dimension = MERCATOR_TRY(padded(padding[d], operand.dimensions()[d]));
    result_sizes.push_back(dimension.size);
    copied.push_back(dimension.to - dimension.from);
    source_start.push_back(dimension.from);
    target_start.push_back(dimension.target);
  }
  Tensor result = MERCATOR_TRY(evaluation.allocate(std::move(result_sizes)));
  MERCATOR_TRY_VOID(fill_elements(evaluation.tensor(1), result, evaluation.evaluator.stop()));
  if (std::ranges::find(copied, 0) != copied.end()) return result;
  StridedPlaces to = places_from(result, target_start);
  for (std::size_t d = 0; d < padding.size(); ++d) {
    to.strides[d] *= copied[d] > 1 ? padding[d].interior + 1 : 0;
  }
  MERCATOR_TRY_VOID(copy_elements(copied, operand, places_from(operand, source_start), result, to,
                                  evaluation.evaluator.stop()));
  return result;
}

Result<Value> evaluate_concatenate(Evaluation& evaluation) {
  const auto dimension =
      static_cast<std::size_t>(evaluation.instruction.integers(hlo::AttributeName::kDimensions)[0]);
  Sizes sizes = sizes_of(evaluation.tensor(0));
  std::int64_t length = 0;
  for (const Value& operand : evaluation.operands) {
    const std::span<const std::int64_t> part = operand.tensor().dimensions();
    sizes[dimension] = part[dimension];
    MERCATOR_TRY_VOID(expect_same_sizes(part, sizes, "parts beside each other"));
    if (!checked_add(length, part[dimension], &length)) {
      return fail(ErrorKind::kExhausted, "the size does not fit int64");
    }
  }
  sizes[dimension] = length;
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes));
  if (result.element_count() == 0) return result;
  Sizes start(sizes.size(), 0);
  for (const Value& operand : evaluation.operands) {
    const Tensor& part = operand.tensor();
    MERCATOR_TRY_VOID(copy_elements(part.dimensions(), part, row_major(part), result,
                                    places_from(result, start), evaluation.evaluator.stop()));
    start[dimension] += part.dimensions()[dimension];
  }
  return result;
}

Result<Value> evaluate_reverse(Evaluation& evaluation) {
  const Tensor& operand = evaluation.tensor(0);
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes_of(operand)));
  if (result.element_count() == 0) return result;
  StridedPlaces from = row_major(operand);
  for (const std::int64_t dimension :
       evaluation.instruction.integers(hlo::AttributeName::kDimensions)) {
    const auto d = static_cast<std::size_t>(dimension);
    from.first += (operand.dimensions()[d] - 1) * from.strides[d];
    from.strides[d] = -from.strides[d];
  }
  MERCATOR_TRY_VOID(copy_elements(result.dimensions(), operand, from, result, row_major(result),
                                  evaluation.evaluator.stop()));
  return result;
}

Result<Value> evaluate_iota(Evaluation& evaluation) {
  const hlo::Shape& shape = evaluation.instruction.shape;
  const auto dimension = static_cast<std::size_t>(
      evaluation.instruction.integer(hlo::AttributeName::kIotaDimension, 0));
  Tensor result =
      MERCATOR_TRY(evaluation.allocate({shape.dimensions.begin(), shape.dimensions.end()}));
  if (result.element_count() == 0) return result;
  const std::int64_t length = shape.dimensions[dimension];
  Tensor line = MERCATOR_TRY(evaluation.allocate({length}));
  const Convert convert = convert_function(hlo::ElementType::kS64, evaluation.element_type());
  const Store store = store_function(evaluation.element_type());
  const std::int64_t bytes = hlo::element_bytes(evaluation.element_type());
  StopCheck check_stop(evaluation.evaluator.stop());
  for (std::int64_t i = 0; i < length; ++i) {
    MERCATOR_TRY_VOID(check_stop());
    store(convert(Number{.s = i}), line.mutable_bytes().data() + i * bytes);
  }
  StridedPlaces from{.strides = Sizes(shape.dimensions.size(), 0)};
  from.strides[dimension] = 1;
  MERCATOR_TRY_VOID(copy_elements(result.dimensions(), line, from, result, row_major(result),
                                  evaluation.evaluator.stop()));
  return result;
}

Result<Value> evaluate_get_dimension_size(Evaluation& evaluation) {
  const auto dimension =
      static_cast<std::size_t>(evaluation.instruction.integers(hlo::AttributeName::kDimensions)[0]);
  return MERCATOR_TRY(
      size_scalar(evaluation.tensor(0).dimensions()[dimension], evaluation.evaluator.pool()));
}

// A tensor has no elements beyond its sizes: where a size grows they are zero. HLO leaves them
// open.
Result<Value> evaluate_set_dimension_size(Evaluation& evaluation) {
  const Tensor& operand = evaluation.tensor(0);
  const hlo::Shape& shape = evaluation.instruction.shape;
  const auto dimension =
      static_cast<std::size_t>(evaluation.instruction.integers(hlo::AttributeName::kDimensions)[0]);
  Sizes sizes = sizes_of(operand);
  const std::int64_t size = std::clamp<std::int64_t>(integer_element(evaluation.tensor(1), 0), 0,
                                                     shape.dimensions[dimension]);
  if (!is_dynamic(shape, dimension) && size != shape.dimensions[dimension]) {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("dimension {} is set to {}, but is not dynamic in {}", dimension, size,
                            to_string(shape, false)));
  }
  if (size == sizes[dimension]) return operand;
  sizes[dimension] = size;
  Tensor result = MERCATOR_TRY(evaluation.allocate(sizes));
  std::ranges::fill(result.mutable_bytes(), std::byte{0});
  sizes[dimension] = std::min(size, operand.dimensions()[dimension]);
  MERCATOR_TRY_VOID(copy_elements(sizes, operand, row_major(operand), result, row_major(result),
                                  evaluation.evaluator.stop()));
  return result;
}

}  // namespace mercator::runtime
