// Maps that take all elements along some dimensions: of instructions that look at whole lines,
// planes or arrays.

#pragma once

#include <cstdint>
#include <span>

#include "mercator/indexing/instruction_maps.h"

namespace mercator::indexing {

// Every element of the leaf of the result is made from every element of the operand, an array.
void add_everything(InstructionMaps& maps, const ShapeIndex& output, std::size_t operand,
                    bool exact = true);

// The same for those elements alone that have the same index in all dimensions that are not in
// `whole`. Requires arrays of the same rank.
void add_along(InstructionMaps& maps, const ShapeIndex& output, std::size_t operand,
               std::span<const std::int64_t> whole, bool exact = true);

// The array at a leaf of the result.
[[nodiscard]] const hlo::Shape& output_at(InstructionMaps& maps, const ShapeIndex& output);

}  // namespace mercator::indexing
