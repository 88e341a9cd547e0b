// Definitions of the instructions with start indices that the program computes.

#include "test/indexing/model_definitions.h"

namespace mercator::testing {

using hlo::AttributeName;
using hlo::Instruction;

namespace {

// The clamped start of a window of `window` in an array of `sizes`. Indices are scalars, one an
// operand from `first`, or one vector.
Index clamped_starts(const Instruction& instruction, std::size_t first, Sizes sizes, Sizes window,
                     const Reader& reader) {
  const bool vector =
      instruction.operands.size() > first && instruction.operand(first).shape.rank() == 1;
  Index starts;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t start =
        vector ? reader.value(first, static_cast<std::int64_t>(d)) : reader.value(first + d, 0);
    starts.push_back(reader.clamp(start, sizes[d] - window[d]));
  }
  return starts;
}

void read_index_operands(const Instruction& instruction, std::size_t first, const Reader& reader) {
  for_each_output(instruction, [&](Sizes, std::int64_t output) {
    for (std::size_t k = first; k < instruction.operands.size(); ++k) {
      const std::int64_t elements = instruction.operand(k).shape.element_count();
      for (std::int64_t element = 0; element < elements; ++element) reader.read(k, output, element);
    }
  });
}

}  // namespace

void read_dynamic_slice(const Instruction& instruction, const Reader& reader) {
  const Sizes sizes = instruction.operand(0).shape.dimensions;
  const Index starts = clamped_starts(instruction, 1, sizes, instruction.shape.dimensions, reader);
  Index source(sizes.size());
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    for (std::size_t d = 0; d < sizes.size(); ++d) source[d] = starts[d] + index[d];
    reader.read(0, output, position_of(source, sizes));
  });
  read_index_operands(instruction, 1, reader);
}

void read_dynamic_update_slice(const Instruction& instruction, const Reader& reader) {
  const Sizes sizes = instruction.shape.dimensions;
  const Sizes update_sizes = instruction.operand(1).shape.dimensions;
  const Index starts = clamped_starts(instruction, 2, sizes, update_sizes, reader);
  Index source(sizes.size());
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    for (std::size_t d = 0; d < sizes.size(); ++d) source[d] = index[d] - starts[d];
    if (is_inside(source, update_sizes)) {
      reader.read(1, output, position_of(source, update_sizes));
    } else {
      reader.read(0, output, output);
    }
  });
  read_index_operands(instruction, 2, reader);
}

// The dimensions of the result that are not offset dimensions walk over the index vectors; each
// vector gives the start of a slice of the operand, in which the offset dimensions walk.
void read_gather(const Instruction& instruction, const Reader& reader) {
  const Sizes sizes = instruction.operand(0).shape.dimensions;
  const Sizes index_sizes = instruction.operand(1).shape.dimensions;
  const Sizes offset_dims = instruction.integers(AttributeName::kOffsetDims);
  const Sizes collapsed = instruction.integers(AttributeName::kCollapsedSliceDims);
  const Sizes operand_batching = instruction.integers(AttributeName::kOperandBatchingDims);
  const Sizes index_batching = instruction.integers(AttributeName::kStartIndicesBatchingDims);
  const Sizes start_index_map = instruction.integers(AttributeName::kStartIndexMap);
  const Sizes slice_sizes = instruction.integers(AttributeName::kSliceSizes);
  const std::int64_t vector_dim = instruction.integer(AttributeName::kIndexVectorDim, 0);
  const Index batch_dims = others(instruction.shape.rank(), offset_dims);
  const Index walked = others(static_cast<std::int64_t>(sizes.size()), collapsed, operand_batching);
  // The dimensions of the indices that the batch dimensions of the result walk over, in order.
  const Index vectors = others(static_cast<std::int64_t>(index_sizes.size()), Index{vector_dim});
  for_each_output(instruction, [&](Sizes index, std::int64_t output) {
    Index at(index_sizes.size());
    assign(at, vectors, chosen(index, batch_dims));
    Index source(sizes.size(), 0);
    for (std::size_t k = 0; k < start_index_map.size(); ++k) {
      if (vector_dim < static_cast<std::int64_t>(at.size())) {
        at[static_cast<std::size_t>(vector_dim)] = static_cast<std::int64_t>(k);
      }
      const std::int64_t element = position_of(at, index_sizes);
      reader.read(1, output, element);
      const auto d = static_cast<std::size_t>(start_index_map[k]);
      source[d] = reader.clamp(reader.value(1, element), sizes[d] - slice_sizes[d]);
    }
    for (std::size_t k = 0; k < operand_batching.size(); ++k) {
      source[static_cast<std::size_t>(operand_batching[k])] =
          at[static_cast<std::size_t>(index_batching[k])];
    }
    for (std::size_t k = 0; k < walked.size(); ++k) {
      source[static_cast<std::size_t>(walked[k])] +=
          index[static_cast<std::size_t>(offset_dims[k])];
    }
    reader.read(0, output, position_of(source, sizes));
  });
}

}  // namespace mercator::testing
