// What follows from the instructions inside called computations. Internal to the splitting
// and to the interpreter.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mercator/hlo/module.h"

namespace mercator::runtime {

// For each computation by id: itself if `marked`, otherwise a marked one that it calls, directly or
// not, as near as there is; none if there is none. Linear in the size of the module.
[[nodiscard]] std::vector<std::optional<std::uint32_t>> nearest_marked_callee(
    const hlo::Module& module, const std::vector<bool>& marked);

// Which instructions do more than compute a value from their operands, so that they are run even if
// nobody reads them, and in the order of the module: input and output, custom calls that say so,
// random numbers from the state of the run, and whatever calls a computation with one of these.
class Effects {
 public:
  explicit Effects(const hlo::Module& module);

  [[nodiscard]] bool has_effect(const hlo::Instruction& instruction) const;
  [[nodiscard]] bool has_effect(const hlo::Computation& computation) const {
    return effects_[computation.id];
  }
  // Whether it draws random numbers from the state of the run.
  [[nodiscard]] bool is_random(const hlo::Instruction& instruction) const;

  // The instructions of the computation that have effects, in the order in which these happen.
  [[nodiscard]] std::vector<const hlo::Instruction*> in_order(
      const hlo::Computation& computation) const;

 private:
  std::vector<bool> effects_;  // by computation
  std::vector<bool> random_;
};

}  // namespace mercator::runtime
