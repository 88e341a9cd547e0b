// Which engine takes an instruction. Internal to the splitting.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/engine.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

// What engines say of the instructions of a module, those of called computations included.
class EngineChoice {
 public:
  EngineChoice(const hlo::Module& module, std::span<const Engine* const> engines);

  [[nodiscard]] std::size_t engine_count() const { return engines_.size(); }
  // Whether the engine takes the instruction with all that it calls.
  [[nodiscard]] Result<void> supports(std::size_t engine,
                                      const hlo::Instruction& instruction) const;
  // The first engine that takes all of these, which an instruction stands for. An error of kind
  // kUnsupported with the reasons of each.
  [[nodiscard]] Result<std::size_t> first(
      std::span<const hlo::Instruction* const> instructions) const;

 private:
  struct Refusal {
    const hlo::Instruction* instruction;
    std::string reason;
  };
  // By computation, an instruction in what it calls, or in itself, that the engine refuses.
  using Refusals = std::vector<std::optional<Refusal>>;

  static Refusals refusals_of(const hlo::Module& module, const Engine& engine);

  std::span<const Engine* const> engines_;
  std::vector<Refusals> refusals_;  // by engine
};

}  // namespace mercator::runtime
