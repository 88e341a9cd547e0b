// `mercator cost`: its JSON, and its table for people.

#pragma once

#include <string>

#include "mercator/analysis/cost.h"
#include "mercator/hlo/module.h"
#include "mercator/tools/json.h"

namespace mercator::tools {

// One instruction, as docs/command-line.md says.
[[nodiscard]] Json cost_json(const InstructionCost& cost);
// The module: what `mercator cost --json` prints.
[[nodiscard]] Json cost_json(const hlo::Module& module, const ModuleCost& cost,
                             const Device& device);
// The same as text, an instruction a line.
[[nodiscard]] std::string cost_json_text(const hlo::Module& module, const ModuleCost& cost,
                                         const Device& device);
// A line for each instruction that takes time, the longest first; the sums; and in words what holds
// the first ones back.
[[nodiscard]] std::string cost_table(const hlo::Module& module, const ModuleCost& cost,
                                     const Device& device);

}  // namespace mercator::tools
