// What `mercator map` lists: which instructions, and for each of them which pairs of a result and
// an operand with which maps. The same for text, JSON and counts.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"
#include "mercator/support/error.h"
#include "mercator/tools/inside_maps.h"

namespace mercator::tools {

// What was asked for.
struct MapRequest {
  std::vector<std::string>
      instructions;  // names; empty: those of the entry computation and its fusions
  bool every_computation = false;
  bool output_to_input = true;
  bool input_to_output = true;
  std::optional<std::int64_t> operand;  // only this one
  std::optional<std::int64_t> output;   // only this element of a tuple; 0 for other results
  bool physical = false;                // map to positions in memory
  // Of fusions and calls, or of kernels for any instruction, instead of the maps between the result
  // and the operands:
  bool grouped = false;
  std::optional<Kernel> kernel;
};

// The instructions to list: computation by computation, the entry computation first and fused ones
// in the order in which they are called, each in the order of the text. With names, in the order of
// the names. An error of kind kUsage for a name that the module does not have and for an operand or
// output that a named instruction does not have, or without names no instruction.
[[nodiscard]] Result<std::vector<const hlo::Instruction*>> select_instructions(
    const hlo::Module& module, const MapRequest& request);

// One leaf of the result and one of an operand.
struct MapPair {
  std::span<const std::int64_t> output;
  std::int64_t operand = 0;
  std::span<const std::int64_t> operand_leaf;
  const OperandMaps* maps = nullptr;  // null: not read
};

// The maps of one instruction that were asked for.
class InstructionMaps {
 public:
  InstructionMaps(const hlo::Instruction& instruction, const MapRequest& request);

  [[nodiscard]] const hlo::Instruction& instruction() const { return *instruction_; }
  [[nodiscard]] bool has(Direction direction) const {
    return answer(direction).indexing.has_value();
  }
  // Why nothing at all is known in this direction; "" if something is.
  [[nodiscard]] const std::string& unknown(Direction direction) const {
    return answer(direction).all_unknown.unknown;
  }
  void set(Direction direction, InstructionIndexing indexing);

  // The leaves of the result that were asked for.
  [[nodiscard]] const std::vector<ShapeIndex>& outputs() const { return outputs_; }
  // Every pair of a leaf of the result and an operand, in the order (output, operand, leaf of the
  // operand) for output-to-input and (operand, leaf, output) for input-to-output. Of an operand
  // that is a tuple only the leaves that are read, with the outputs that they are read for; the
  // operand itself, with leaf {}, where none is. Requires `has(direction)`. The pairs point into
  // this object.
  [[nodiscard]] std::vector<MapPair> pairs(Direction direction) const;

 private:
  struct Answer {
    std::optional<InstructionIndexing> indexing;  // none: not asked for
    OperandMaps all_unknown;                      // what every pair has if nothing is known

    [[nodiscard]] const OperandMaps* where_missing() const {
      return all_unknown.unknown.empty() ? nullptr : &all_unknown;
    }
  };

  [[nodiscard]] const Answer& answer(Direction direction) const {
    return direction == Direction::kOutputToInput ? output_to_input_ : input_to_output_;
  }
  [[nodiscard]] std::vector<MapPair> pairs_by_output() const;
  [[nodiscard]] std::vector<MapPair> pairs_by_operand() const;

  const hlo::Instruction* instruction_;
  std::vector<ShapeIndex> outputs_;
  std::vector<std::int64_t> operands_;  // those that were asked for
  Answer output_to_input_;
  Answer input_to_output_;
};

// Computes them, for one instruction after the other.
class MapLister {
 public:
  // The maps of `custom_calls` are of `context`.
  MapLister(const hlo::Module& module, ExprContext& context, const MapRequest& request,
            CustomCalls custom_calls = {})
      : module_(module), request_(request), analysis_(module, context, std::move(custom_calls)) {}

  [[nodiscard]] InstructionMaps operator()(const hlo::Instruction& instruction);
  // What --grouped or --kernel asks for; kUnsupported for an instruction that it does not suit.
  [[nodiscard]] Result<InsideMaps> inside(const hlo::Instruction& instruction);

  // The time that the maps took so far, without and with nothing but their simplification.
  [[nodiscard]] std::chrono::nanoseconds analyse_time() const { return time_ - simplify_time(); }
  [[nodiscard]] std::chrono::nanoseconds simplify_time() const { return analysis_.simplify_time(); }

 private:
  [[nodiscard]] Result<InsideMaps> inside_of(const hlo::Instruction& instruction);
  // The same maps, to positions in memory instead of indices.
  void make_physical(const hlo::Instruction& instruction, Direction direction,
                     InstructionIndexing* indexing);
  void make_physical(const hlo::Shape& target, OperandMaps* maps);
  [[nodiscard]] Result<void> make_physical(const hlo::Shape& target, OperandMap* map);
  [[nodiscard]] Result<IndexMap> physical(const IndexMap& map, const hlo::Shape& target,
                                          bool across_devices);

  const hlo::Module& module_;
  const MapRequest& request_;
  IndexingAnalysis analysis_;
  MapSimplifier simplify_;
  std::chrono::nanoseconds time_{};
};

// The map from an index to the element of `variable.tensor` that holds the variable's value there.
// It has the dimension and range variables of `map`, which uses the variable.
[[nodiscard]] IndexMap runtime_map(const IndexMap& map, const RuntimeVariable& variable);

// The part of a shape at a leaf: itself for {}.
[[nodiscard]] const hlo::Shape& leaf_shape(const hlo::Shape& shape,
                                           std::span<const std::int64_t> leaf);

// f32[10,20]{1,0}: with the layout, also where the program does not say it.
[[nodiscard]] std::string shape_text(const hlo::Shape& shape);

}  // namespace mercator::tools
