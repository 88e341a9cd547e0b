// The index maps of every HLO instruction, in both directions.
//
//   b = f32[10,20,30] broadcast(f32[20] a), dimensions={1}
//
// An element (d0, d1, d2) of b is made from the element (d1) of a: that is the map from output to
// input. An element (d0) of a takes part in the elements (s0, d0, s1) of b: the map from input to
// output. Between two arrays there may be several maps, the set of which is the answer:
// `add(p, transpose(p))`, fused, reads p in two ways.
//
// Most instructions read what lies on their own device. What a collective reads of others is said
// by maps that start from an index on a device, and lead to one.
//
// Fusions and calls have the maps of what they evaluate, composed. A runtime variable stands for an
// element of the tensor that its `tensor` names, clamped to its bounds (an index that is not
// clamped, as of a scatter, has all values of its type, and constraints); the value is followed
// back through whatever only moves it, and through fusions to what the caller passes, and where it
// turns out to be known there is no variable. Nor is there one for a value of a computation that is
// called at several places inside: a range over all that it may be takes its place.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/custom_calls.h"
#include "mercator/map/index_map.h"
#include "mercator/support/error.h"

namespace mercator {

// One map between an element of a result and elements of an operand. A runtime variable's `tensor`
// is the `hlo::Instruction::id` of the instruction that holds its value.
struct OperandMap {
  IndexMap map;
  // Whether the map describes exactly the elements that are read. If not, it may name more, never
  // fewer.
  bool exact = true;
  // Set where an element is made from elements of other devices, as in a collective: then `map` is
  // what holds of all devices together, and this the whole, from the number of the device that has
  // the one element, followed by its index, to that of the device that has the other, followed by
  // its index:
  //
  //   f32[8] all-gather(f32[4] p0), replica_groups={{0,1}}, dimensions={0}
  //   (device, d0) -> (d0 floordiv 4, d0 mod 4)
  //
  // `exact` is said of this map. The number of a device is replica * num_partitions + partition.
  // The index of the element that holds a runtime variable starts with a device here; in `map` it
  // does not, and the variable may be of any device.
  std::optional<IndexMap> across_devices = std::nullopt;
};

// (device, d0, …) -> (device, e0, …) for a map (d0, …) -> (e0, …) that says nothing of devices: as
// it stands beside maps across devices.
[[nodiscard]] IndexMap on_each_device(const IndexMap& map, std::int64_t devices);

// All maps between one leaf of a result and one leaf of an operand: the set of them is the answer.
// Empty: not read. Distinct after simplification, in an order that depends on their structure only.
struct OperandMaps {
  std::vector<OperandMap> maps;
  // Not empty: the maps are not known, for this reason.
  std::string unknown = {};
};

// A leaf of a shape: {} for an array, {1, 0} within nested tuples.
using ShapeIndex = std::vector<std::int64_t>;

// The maps of one instruction, for every leaf of its result and every leaf of every operand.
struct InstructionIndexing {
  struct Pair {
    ShapeIndex output;         // the leaf of the result
    std::int64_t operand = 0;  // which operand
    ShapeIndex operand_leaf;   // the leaf of the operand; {} unless the operand is a tuple
    OperandMaps maps;
  };
  // In the order (output, operand, operand_leaf). Only pairs with maps or with a reason why they
  // are unknown; where there is no pair, the operand is not read for that output.
  std::vector<Pair> pairs;
  // Not empty: nothing is known of any pair, for this reason. `pairs` is then empty.
  std::string unknown = {};

  [[nodiscard]] const OperandMaps* find(const ShapeIndex& output, std::int64_t operand,
                                        const ShapeIndex& operand_leaf = {}) const;
};

// The maps from the result of a fusion or call to everything inside it that the result is made
// from.
struct GroupedIndexing {
  struct Group {
    ShapeIndex output;                              // the leaf of the result
    const hlo::Instruction* instruction = nullptr;  // inside
    ShapeIndex leaf;                                // the leaf of that instruction
    OperandMaps maps;                               // from an element of the result
  };
  // Each (output, instruction, leaf) once: output by output, the root of the computation first,
  // users before their operands. What is not read for an output is not there.
  std::vector<Group> groups;
  // Not empty: nothing is known, for this reason.
  std::string unknown = {};
};

struct Kernel;
struct KernelIndexing;

enum class Direction : std::uint8_t {
  kOutputToInput,  // from an element of the result to the operand elements that it is made from
  kInputToOutput,  // from an operand element to the result elements that it takes part in
};

// Computes maps for the instructions of one module; keeps tables, so one for all instructions is
// faster than one each.
class IndexingAnalysis {
 public:
  // The module must be verified and outlive the analysis.
  // `custom_calls` come before those that are known anyway; their maps are of `context`.
  IndexingAnalysis(const hlo::Module& module, ExprContext& context, CustomCalls custom_calls = {});
  ~IndexingAnalysis();

  // Simplified maps. The i2o maps are the inverse relation of the o2i maps.
  [[nodiscard]] InstructionIndexing indexing(const hlo::Instruction& instruction,
                                             Direction direction);

  // Of a fusion or call: from all leaves of its result, or from `output` only. A runtime variable
  // is held by an instruction inside, or by what the caller passes where it was a parameter.
  [[nodiscard]] GroupedIndexing grouped(const hlo::Instruction& call,
                                        const std::optional<ShapeIndex>& output = std::nullopt);

  // The same from an instruction to whatever of its computation it is made from, itself first.
  // What it calls counts as one instruction.
  [[nodiscard]] GroupedIndexing below(const hlo::Instruction& instruction,
                                      const std::optional<ShapeIndex>& output = std::nullopt);

  // What the threads of a kernel for a fusion, or for any other instruction, read and write
  // (kernel.h). Of a kernel that is about heroes, what leads from their operands to the operands of
  // the fusion is read before the heroes are computed; a result that depends on a hero is written
  // where the elements of that hero are known, and what it depends on besides is read there; any
  // other result must have the dimensions of the heroes' operand or result, and is written with
  // these. kUnsupported where the scheme does not suit the fusion or the launch, or a result fits
  // nowhere.
  [[nodiscard]] Result<KernelIndexing> kernel(const hlo::Instruction& call, const Kernel& kernel);

  // From the index of an element of an array to its position in memory, counted in elements; the
  // padding of tiles counts. kUnsupported for a layout that says more than order, tiles and memory
  // space. Requires an array.
  [[nodiscard]] Result<IndexMap> physical_position(const hlo::Shape& array);

  // How often the body of a while runs: counted, or as its backend_config says; none if that is not
  // known.
  [[nodiscard]] std::optional<std::int64_t> round_count(const hlo::Instruction& loop);

  // How many devices the module runs on: replica_count * num_partitions, and where it does not say
  // them, as many as its collectives name.
  [[nodiscard]] std::int64_t device_count() const;

  // The time that simplifying the maps took so far, of all calls together.
  [[nodiscard]] std::chrono::nanoseconds simplify_time() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mercator
