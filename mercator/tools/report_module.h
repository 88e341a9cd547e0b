// The structure of a module, as the page of `mercator report` has it.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"
#include "mercator/tools/json.h"

namespace mercator::tools {

// {"module": name, "devices": 1, "entry": id of a computation,
//  "computations": [[name, id of its first instruction, number of instructions, id of its root]],
//  "opcodes": [name], "shapes": [{"text": …, "leaves": [{"path": [0], "type": "f32", "bits": 32,
//    "dims": […], "order": [minor to major]}]}],
//  "name": [by instruction], "opcode": [number, by instruction], "shape": [number],
//  "operands": [[ids]], "calls": {id of an instruction: [ids of computations]}}
//
// A leaf that is no array has no "dims".
[[nodiscard]] Json report_module(const hlo::Module& module, std::int64_t devices);

// Numbers the leaves of a shape as `hlo::leaves` has them.
class LeafNumbers {
 public:
  explicit LeafNumbers(const hlo::Shape& shape);
  [[nodiscard]] std::size_t operator()(const ShapeIndex& leaf) const;

 private:
  std::map<ShapeIndex, std::size_t> numbers_;  // empty for an array
};

// By id of computations: whether its instructions may be kernels of their own, since it is the
// entry computation or runs as a whole: a branch, the body of a loop, what is called. Others are
// inside of a fusion, or applied to elements.
[[nodiscard]] std::vector<bool> computations_that_launch(const hlo::Module& module);

}  // namespace mercator::tools
