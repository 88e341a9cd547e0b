// The arrays of a convolution, and what each reads of the others where it is the one that is
// computed: the gradients of a convolution are made from the same products.

#pragma once

#include <array>
#include <cstdint>

#include "mercator/indexing/instruction_maps.h"

namespace mercator::indexing {

enum class ConvolutionPart : std::uint8_t { kInput, kKernel, kOutput };

// What the result and the first two operands of an instruction are.
struct ConvolutionParts {
  ConvolutionPart result = ConvolutionPart::kOutput;
  std::array<ConvolutionPart, 2> operands = {};
};

// Every element of the result, at the leaf `output`, is made from the elements that it meets in a
// product of `convolution`: a verified convolution with the operands and the result that the parts
// have, which need not be one of the module.
void add_convolution(InstructionMaps& maps, const hlo::Instruction& convolution,
                     ConvolutionParts parts, const ShapeIndex& output = {});

}  // namespace mercator::indexing
