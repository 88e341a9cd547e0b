#include "test/indexing/value_movement.h"

#include <algorithm>

namespace mercator::testing {
namespace {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using Operands = std::span<const Value* const>;
using Elements = std::vector<std::int64_t>;
using Index = std::vector<std::int64_t>;
using Sizes = std::span<const std::int64_t>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::int64_t elements_of(Sizes sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

Index index_of(std::int64_t position, Sizes sizes) {
  Index index(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0;) {
    index[d] = position % sizes[d];
    position /= sizes[d];
  }
  return index;
}

std::int64_t offset_of(const Index& index, Sizes sizes) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) offset = offset * sizes[d] + index[d];
  return offset;
}

bool lies_in(const Index& index, Sizes sizes) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (index[d] < 0 || index[d] >= sizes[d]) return false;
  }
  return true;
}

bool contains(Sizes numbers, std::int64_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

Sizes sizes_of(const Instruction& instruction, std::size_t operand) {
  return instruction.operand(operand).shape.dimensions;
}

// One element of the result for each index, from where `source` says.
template <class Source>
Elements from_each(const Instruction& instruction, Source source) {
  Elements result;
  const Sizes sizes = instruction.shape.dimensions;
  for (std::int64_t i = 0; i < elements_of(sizes); ++i) {
    result.push_back(source(index_of(i, sizes)));
  }
  return result;
}

Elements slice(const Instruction& instruction, const Elements& x) {
  const auto parts = instruction.get<std::span<const hlo::SliceDimension>>(AttributeName::kSlice);
  return from_each(instruction, [&](Index index) {
    for (std::size_t d = 0; d < index.size(); ++d) {
      index[d] = parts[d].start + index[d] * parts[d].stride;
    }
    return x[at(offset_of(index, sizes_of(instruction, 0)))];
  });
}

// Dimension i of the result is dimension `order[i]` of the operand.
Elements transpose(const Instruction& instruction, const Elements& x) {
  const Sizes order = instruction.integers(AttributeName::kDimensions);
  return from_each(instruction, [&](const Index& index) {
    Index from(index.size());
    for (std::size_t d = 0; d < index.size(); ++d) from[at(order[d])] = index[d];
    return x[at(offset_of(from, sizes_of(instruction, 0)))];
  });
}

// Dimension i of the operand is dimension `places[i]` of the result.
Elements broadcast(const Instruction& instruction, const Elements& x) {
  const Sizes places = instruction.integers(AttributeName::kDimensions);
  return from_each(instruction, [&](const Index& index) {
    Index from;
    for (const std::int64_t place : places) from.push_back(index[at(place)]);
    return x[at(offset_of(from, sizes_of(instruction, 0)))];
  });
}

Elements reverse(const Instruction& instruction, const Elements& x) {
  return from_each(instruction, [&](Index index) {
    for (const std::int64_t d : instruction.integers(AttributeName::kDimensions)) {
      index[at(d)] = instruction.shape.dimensions[at(d)] - 1 - index[at(d)];
    }
    return x[at(offset_of(index, instruction.shape.dimensions))];
  });
}

Elements concatenate(const Instruction& instruction, Operands operands) {
  const std::size_t along = at(instruction.integers(AttributeName::kDimensions)[0]);
  return from_each(instruction, [&](Index index) {
    std::size_t part = 0;
    while (index[along] >= sizes_of(instruction, part)[along]) {
      index[along] -= sizes_of(instruction, part++)[along];
    }
    return operands[part]->elements[at(offset_of(index, sizes_of(instruction, part)))];
  });
}

// Each element of the operand is put where it lands; what lands nowhere is left out.
Elements pad(const Instruction& instruction, Operands operands) {
  const Sizes sizes = instruction.shape.dimensions;
  const auto parts =
      instruction.get<std::span<const hlo::PaddingDimension>>(AttributeName::kPadding);
  Elements result(at(elements_of(sizes)), operands[1]->elements[0]);
  const Elements& x = operands[0]->elements;
  for (std::int64_t i = 0; i < std::ssize(x); ++i) {
    Index index = index_of(i, sizes_of(instruction, 0));
    for (std::size_t d = 0; d < index.size(); ++d) {
      index[d] = parts[d].low + index[d] * (parts[d].interior + 1);
    }
    if (lies_in(index, sizes)) result[at(offset_of(index, sizes))] = x[at(i)];
  }
  return result;
}

// A number among the operands from `first` on, which are scalars, or one vector.
std::int64_t start_number(const Instruction& instruction, Operands operands, std::size_t first,
                          std::size_t d) {
  const bool is_vector = instruction.operand(first).shape.rank() == 1;
  const std::size_t operand = is_vector ? first : first + d;
  return number_of(operands[operand]->elements[is_vector ? d : 0],
                   instruction.operand(operand).shape.element_type);
}

// Where a window of these sizes starts; moved so that it fits.
Index start_of(const Instruction& instruction, Operands operands, std::size_t first, Sizes sizes,
               Sizes window) {
  Index start;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t last = sizes[d] - window[d];
    start.push_back(
        std::clamp<std::int64_t>(start_number(instruction, operands, first, d), 0, last));
  }
  return start;
}

Elements dynamic_slice(const Instruction& instruction, Operands operands) {
  const Sizes sizes = sizes_of(instruction, 0);
  const Index start = start_of(instruction, operands, 1, sizes, instruction.shape.dimensions);
  return from_each(instruction, [&](Index index) {
    for (std::size_t d = 0; d < index.size(); ++d) index[d] += start[d];
    return operands[0]->elements[at(offset_of(index, sizes))];
  });
}

Elements dynamic_update_slice(const Instruction& instruction, Operands operands) {
  const Sizes sizes = sizes_of(instruction, 0);
  const Sizes window = sizes_of(instruction, 1);
  const Index start = start_of(instruction, operands, 2, sizes, window);
  Elements result = operands[0]->elements;
  const Elements& update = operands[1]->elements;
  for (std::int64_t i = 0; i < std::ssize(update); ++i) {
    Index index = index_of(i, window);
    for (std::size_t d = 0; d < index.size(); ++d) index[d] += start[d];
    result[at(offset_of(index, sizes))] = update[at(i)];
  }
  return result;
}

// The dimensions of an array of this rank that are not among `listed`, in their order.
Index not_listed(std::size_t rank, Sizes listed, Sizes listed_too = {}) {
  Index rest;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(rank); ++d) {
    if (!contains(listed, d) && !contains(listed_too, d)) rest.push_back(d);
  }
  return rest;
}

// An array of indices: vectors along one dimension, or where there is no such dimension, vectors of
// one number.
class IndexVectors {
 public:
  IndexVectors(const hlo::Shape& shape, std::int64_t vector_dimension, const Elements& elements)
      : shape_(shape), vector_dimension_(vector_dimension), elements_(elements) {}

  // The index of a vector in the array, from its index among the vectors, which has no place for
  // the dimension that they lie along.
  [[nodiscard]] Index whole(Index among_vectors) const {
    if (std::ssize(among_vectors) < shape_.rank()) {
      among_vectors.insert(among_vectors.begin() + vector_dimension_, 0);
    }
    return among_vectors;
  }
  [[nodiscard]] std::int64_t number(Index whole, std::size_t component) const {
    if (vector_dimension_ < shape_.rank()) {
      whole[at(vector_dimension_)] = static_cast<std::int64_t>(component);
    }
    return number_of(elements_[at(offset_of(whole, shape_.dimensions))], shape_.element_type);
  }

 private:
  const hlo::Shape& shape_;
  std::int64_t vector_dimension_;
  const Elements& elements_;
};

Elements gather(const Instruction& instruction, Operands operands) {
  const Sizes sizes = sizes_of(instruction, 0);
  const Sizes offset_dims = instruction.integers(AttributeName::kOffsetDims);
  const Sizes collapsed = instruction.integers(AttributeName::kCollapsedSliceDims);
  const Sizes batching = instruction.integers(AttributeName::kOperandBatchingDims);
  const Sizes vector_batching = instruction.integers(AttributeName::kStartIndicesBatchingDims);
  const Sizes start_index_map = instruction.integers(AttributeName::kStartIndexMap);
  const Sizes slice_sizes = instruction.integers(AttributeName::kSliceSizes);
  const IndexVectors vectors(instruction.operand(1).shape,
                             instruction.integer(AttributeName::kIndexVectorDim, 0),
                             operands[1]->elements);
  const Index batch_dims = not_listed(instruction.shape.dimensions.size(), offset_dims);
  const Index kept = not_listed(sizes.size(), collapsed, batching);
  return from_each(instruction, [&](const Index& index) {
    Index among_vectors;
    for (const std::int64_t d : batch_dims) among_vectors.push_back(index[at(d)]);
    const Index vector = vectors.whole(std::move(among_vectors));
    Index from(sizes.size(), 0);
    for (std::size_t k = 0; k < start_index_map.size(); ++k) {
      const std::size_t d = at(start_index_map[k]);
      from[d] = std::clamp<std::int64_t>(vectors.number(vector, k), 0, sizes[d] - slice_sizes[d]);
    }
    for (std::size_t k = 0; k < batching.size(); ++k) {
      from[at(batching[k])] = vector[at(vector_batching[k])];
    }
    for (std::size_t k = 0; k < kept.size(); ++k) from[at(kept[k])] += index[at(offset_dims[k])];
    return operands[0]->elements[at(offset_of(from, sizes))];
  });
}

}  // namespace

std::optional<Elements> moved_elements(const Instruction& instruction, Operands operands) {
  switch (instruction.opcode) {
    case Opcode::kReshape:
      return operands[0]->elements;
    case Opcode::kSlice:
      return slice(instruction, operands[0]->elements);
    case Opcode::kTranspose:
      return transpose(instruction, operands[0]->elements);
    case Opcode::kBroadcast:
      return broadcast(instruction, operands[0]->elements);
    case Opcode::kReverse:
      return reverse(instruction, operands[0]->elements);
    case Opcode::kConcatenate:
      return concatenate(instruction, operands);
    case Opcode::kPad:
      return pad(instruction, operands);
    case Opcode::kDynamicSlice:
      return dynamic_slice(instruction, operands);
    case Opcode::kDynamicUpdateSlice:
      return dynamic_update_slice(instruction, operands);
    case Opcode::kGather:
      return gather(instruction, operands);
    default:
      return std::nullopt;
  }
}

std::vector<Landing> landings(const Instruction& scatter, const Elements& indices) {
  const std::size_t count = scatter.operands.size() / 2;
  const Sizes sizes = sizes_of(scatter, 0);
  const Sizes update_sizes = sizes_of(scatter, count + 1);
  const Sizes window_dims = scatter.integers(AttributeName::kUpdateWindowDims);
  const Sizes inserted = scatter.integers(AttributeName::kInsertedWindowDims);
  const Sizes indexed = scatter.integers(AttributeName::kScatterDimsToOperandDims);
  const Sizes batching = scatter.integers(AttributeName::kInputBatchingDims);
  const Sizes vector_batching = scatter.integers(AttributeName::kScatterIndicesBatchingDims);
  const IndexVectors vectors(scatter.operand(count).shape,
                             scatter.integer(AttributeName::kIndexVectorDim, 0), indices);
  const Index scatter_dims = not_listed(update_sizes.size(), window_dims);
  const Index kept = not_listed(sizes.size(), inserted, batching);
  Index window(sizes.size(), 1);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    window[at(kept[k])] = update_sizes[at(window_dims[k])];
  }
  std::vector<Landing> result;
  for (std::int64_t i = 0; i < elements_of(update_sizes); ++i) {
    const Index index = index_of(i, update_sizes);
    Index among_vectors;
    for (const std::int64_t d : scatter_dims) among_vectors.push_back(index[at(d)]);
    const Index vector = vectors.whole(std::move(among_vectors));
    Index place(sizes.size(), 0);
    for (std::size_t k = 0; k < indexed.size(); ++k)
      place[at(indexed[k])] = vectors.number(vector, k);
    for (std::size_t k = 0; k < batching.size(); ++k) {
      place[at(batching[k])] = vector[at(vector_batching[k])];
    }
    bool fits = true;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      fits = fits && place[d] >= 0 && place[d] <= sizes[d] - window[d];
    }
    if (!fits) continue;
    for (std::size_t k = 0; k < kept.size(); ++k) place[at(kept[k])] += index[at(window_dims[k])];
    result.push_back({.update = i, .operand = offset_of(place, sizes)});
  }
  return result;
}

}  // namespace mercator::testing
