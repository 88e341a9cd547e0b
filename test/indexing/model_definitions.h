// What the definitions of instructions are made of; see model_instructions.h.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "test/indexing/model_instructions.h"

namespace mercator::testing {

using Index = std::vector<std::int64_t>;

inline bool contains(Sizes dimensions, std::int64_t dimension) {
  return std::ranges::find(dimensions, dimension) != dimensions.end();
}

// The dimensions 0 … rank-1 that are in neither list.
inline Index others(std::int64_t rank, Sizes a, Sizes b = {}) {
  Index result;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (!contains(a, d) && !contains(b, d)) result.push_back(d);
  }
  return result;
}

inline Index chosen(Sizes sizes, Sizes dimensions) {
  Index result;
  for (const std::int64_t d : dimensions) result.push_back(sizes[static_cast<std::size_t>(d)]);
  return result;
}

// index[dimensions[i]] = values[i].
inline void assign(Index& index, Sizes dimensions, Sizes values) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    index[static_cast<std::size_t>(dimensions[i])] = values[i];
  }
}

// The shape of each result: of variadic instructions all have the same sizes.
inline Sizes result_sizes(const hlo::Instruction& instruction) {
  const hlo::Shape& shape = instruction.shape;
  return shape.is_tuple() ? shape.elements[0].dimensions : shape.dimensions;
}

// Calls visit(index, position) for every element of the result.
template <class Visit>
void for_each_output(const hlo::Instruction& instruction, Visit&& visit) {
  std::int64_t position = 0;
  for_each_index(result_sizes(instruction), [&](Sizes index) { visit(index, position++); });
}

inline Index window_sizes(hlo::Window window) {
  Index sizes;
  for (const hlo::WindowDimension& dimension : window) sizes.push_back(dimension.size);
  return sizes;
}

void read_select(const hlo::Instruction& instruction, const Reader& reader);
void read_dot(const hlo::Instruction& instruction, const Reader& reader);
void read_sparse_dot(const hlo::Instruction& instruction, const Reader& reader);
void read_reduce(const hlo::Instruction& instruction, const Reader& reader);
void read_reduce_window(const hlo::Instruction& instruction, const Reader& reader);
void read_convolution(const hlo::Instruction& instruction, const Reader& reader);
void read_library_convolution(const hlo::Instruction& call, const Reader& reader);
void read_dynamic_slice(const hlo::Instruction& instruction, const Reader& reader);
void read_dynamic_update_slice(const hlo::Instruction& instruction, const Reader& reader);
void read_gather(const hlo::Instruction& instruction, const Reader& reader);
Result<void> read_scatter(const hlo::Instruction& instruction, const Reader& reader);
void read_scaled_dot(const hlo::Instruction& instruction, const Reader& reader);
void read_ragged_dot(const hlo::Instruction& instruction, const Reader& reader);
void read_select_and_scatter(const hlo::Instruction& instruction, const Reader& reader);
Result<void> read_scan(const hlo::Instruction& instruction, const Reader& reader);
Result<void> read_sort(const hlo::Instruction& instruction, const Reader& reader);
void read_topk(const hlo::Instruction& instruction, const Reader& reader);
void read_cholesky(const hlo::Instruction& instruction, const Reader& reader);
void read_triangular_solve(const hlo::Instruction& instruction, const Reader& reader);
void read_fft(const hlo::Instruction& instruction, const Reader& reader);
void read_batch_norm(const hlo::Instruction& instruction, const Reader& reader);
void read_rng(const hlo::Instruction& instruction, const Reader& reader);
void read_rng_bit_generator(const hlo::Instruction& instruction, const Reader& reader);
void read_dynamic_size(const hlo::Instruction& instruction, const Reader& reader);

}  // namespace mercator::testing
