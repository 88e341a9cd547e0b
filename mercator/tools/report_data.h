// What the page of `mercator report` is about, as JSON in pieces: the page reads all of `module`,
// and of the others only the lines that it needs.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mercator/analysis/cost.h"
#include "mercator/analysis/device.h"
#include "mercator/hlo/module.h"
#include "mercator/indexing/indexing.h"
#include "mercator/tools/json.h"

namespace mercator::tools {

struct ReportData {
  // The names, opcodes, shapes and operands of all instructions, and the computations; what a warp
  // of the device is.
  Json module;
  // A line for each instruction, by id:
  //
  //   "hlo"  its text, shortened if it is long
  //   "o", "i"  the maps from output to input and back: [output, operand, leaf, maps] where output
  //        and leaf number the leaves of the result and of the operand, and maps is a list of
  //        numbers of maps, or why they are not known; or, instead of it all, why nothing is known
  //   "pairs"  how many pairs of leaves there are, if these are not all of them
  //   "k"  what the threads of a kernel access, where one is written for the instruction:
  //   `threads`,
  //        `blocks`, `scheme`, "r": [operand, leaf, maps] and "w": [output, maps], where the maps
  //        lead from (thread x, y, z, block x, y, z) to positions in memory, counted in elements;
  //        or why it is not known
  std::vector<std::string> details = {};
  // The maps, by number (report_maps.h).
  std::vector<std::string> maps = {};
};

// `cost` is of the module on the device; `advance` is called for each instruction.
[[nodiscard]] ReportData report_data(const hlo::Module& module, IndexingAnalysis& analysis,
                                     const ModuleCost& cost, const Device& device,
                                     const std::function<void()>& advance);

}  // namespace mercator::tools
