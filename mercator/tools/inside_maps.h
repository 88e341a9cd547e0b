// What `mercator map` lists of a fusion besides the maps between its result and its operands: those
// to everything inside (--grouped), and those of the threads of a kernel (--kernel).

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"
#include "mercator/indexing/kernel.h"
#include "mercator/tools/json.h"

namespace mercator::tools {

// The maps to one array.
struct ArrayMaps {
  std::string label;  // "operand 1: p1 f32[8]{0}"
  Json json;          // what it is, as members of an object
  const hlo::Shape* array = nullptr;
  OperandMaps maps;
};

struct InsideMaps {
  std::string key;  // what the whole is called in JSON
  Json json;        // what is said of all arrays together, as members of an object
  std::vector<ArrayMaps> arrays = {};
  std::string unknown = {};  // not empty: why nothing is known
};

// The maps from the result to every instruction inside.
[[nodiscard]] InsideMaps grouped_maps(const hlo::Instruction& call, GroupedIndexing grouped);

// The maps from threads, to the operands that they read and the results that they write.
[[nodiscard]] InsideMaps kernel_maps(const hlo::Instruction& call, const Kernel& kernel,
                                     KernelIndexing indexing);

// "{1, 0}"
[[nodiscard]] std::string leaf_text(std::span<const std::int64_t> leaf);
// "operand 1 leaf {0}: p1 f32[8]{0}"
[[nodiscard]] std::string operand_label(const hlo::Instruction& instruction, std::int64_t operand,
                                        std::span<const std::int64_t> leaf);
[[nodiscard]] Json leaf_json(std::span<const std::int64_t> leaf);
// {"operand": 1, "name": "p1", "leaf": [0], "shape": "f32[8]{0}"}
[[nodiscard]] Json operand_json(const hlo::Instruction& instruction, std::int64_t operand,
                                std::span<const std::int64_t> leaf);

}  // namespace mercator::tools
