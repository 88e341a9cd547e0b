// The definitions of the instructions that make arrays from arrays; see model.h.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/support/error.h"

namespace mercator::testing {

using Sizes = std::span<const std::int64_t>;

// Calls `visit(index)` for every index of an array of these sizes, in row-major order.
template <class Visit>
void for_each_index(Sizes sizes, Visit&& visit) {
  for (const std::int64_t size : sizes) {
    if (size <= 0) return;
  }
  std::vector<std::int64_t> index(sizes.size(), 0);
  while (true) {
    visit(Sizes(index));
    std::size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

// The row-major position of an index; the index of a position.
[[nodiscard]] std::int64_t position_of(Sizes index, Sizes sizes);
[[nodiscard]] std::vector<std::int64_t> index_at(std::int64_t position, Sizes sizes);
[[nodiscard]] bool is_inside(Sizes index, Sizes sizes);

// The place of an element in memory, counted in elements. The layout of the shape must have no
// tiles.
[[nodiscard]] std::int64_t place_in_memory(Sizes index, const hlo::Shape& shape);

// What result `result` of a function reads of its parameter `parameter`: pairs of elements.
struct FunctionRead {
  std::size_t result = 0;
  std::size_t parameter = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
};

// How a definition speaks.
struct Reader {
  // Element `output` of the result (of each, if there are several) reads `element` of operand
  // `operand`.
  std::function<void(std::size_t operand, std::int64_t output, std::int64_t element)> read;
  // The same of result `result` alone.
  std::function<void(std::size_t result, std::size_t operand, std::int64_t output,
                     std::int64_t element)>
      read_by = {};
  // The integer in an element of an operand.
  std::function<std::int64_t(std::size_t operand, std::int64_t element)> value;
  // A start index of this value was clamped to [0, limit]; returns what it became.
  std::function<std::int64_t(std::int64_t value, std::int64_t limit)> clamp;
  // What a function that the instruction applies reads.
  std::function<Result<std::vector<FunctionRead>>(const hlo::Computation& function)>
      function_reads = {};
};

// Whether `read_elements` knows the instruction.
[[nodiscard]] bool has_definition(const hlo::Instruction& instruction);

// Upper bound of the number of calls of `Reader::read`; saturates.
[[nodiscard]] std::int64_t work_of(const hlo::Instruction& instruction);

// Says all that the instruction reads. kUnsupported for what `has_definition` denies, and for
// layouts with tiles.
[[nodiscard]] Result<void> read_elements(const hlo::Instruction& instruction, const Reader& reader);

}  // namespace mercator::testing
