// What the custom calls of libraries are made of. Each does what an instruction of HLO does, and
// something with every element of that: its maps are those of the instruction.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/indexing/instruction_maps.h"

namespace mercator::indexing {

// An instruction that is not in the module, with the result of a call and its first operands.
class StandIn {
 public:
  StandIn(hlo::Opcode opcode, const hlo::Shape& result,
          std::span<hlo::Instruction* const> operands);
  // The numbers must outlive the instruction.
  void set(hlo::AttributeName name, const std::vector<std::int64_t>& numbers);
  // As the call has it.
  void copy(const hlo::Instruction& call, hlo::AttributeName name);

  // Why there is no such instruction; nothing if it is right.
  [[nodiscard]] std::optional<std::string> fault();
  // Only if it is right.
  [[nodiscard]] const hlo::Instruction& instruction() const { return instruction_; }

 private:
  hlo::Instruction instruction_;
  std::vector<hlo::Attribute> attributes_;
};

// The maps of the instruction, with its result at a leaf.
void add_maps_of(InstructionMaps& maps, const hlo::Instruction& instruction,
                 const ShapeIndex& output);

// Nothing is known, for this reason.
void not_known(InstructionMaps& maps, std::string_view why);
// The same of one operand and one result.
void not_known(InstructionMaps& maps, const ShapeIndex& output, std::size_t operand,
               std::string why);

// The leaf of the result proper: it is an array, or the first of several. None if it is neither.
[[nodiscard]] std::optional<ShapeIndex> result_leaf(InstructionMaps& maps);

// Whether there are at least `count` operands, and all are arrays.
[[nodiscard]] bool has_array_operands(InstructionMaps& maps, std::size_t count);

// What is behind the first `results` results is memory that the library works in: what it leaves
// there nobody says.
void add_workspace(InstructionMaps& maps, std::size_t results);

// An operand that is the same along some dimensions of the result: its dimension i is dimension
// places[i] of the result, or, for -1, of size 1.
void add_broadcast(InstructionMaps& maps, const ShapeIndex& output, std::size_t operand,
                   std::span<const std::int64_t> places, bool exact = true);

}  // namespace mercator::indexing
