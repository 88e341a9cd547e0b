#include "mercator/runtime/engine_choice.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/call_graph.h"

namespace mercator::runtime {

EngineChoice::EngineChoice(const hlo::Module& module, std::span<const Engine* const> engines)
    : engines_(engines) {
  for (const Engine* engine : engines) refusals_.push_back(refusals_of(module, *engine));
}

EngineChoice::Refusals EngineChoice::refusals_of(const hlo::Module& module, const Engine& engine) {
  Refusals refusals(module.computations.size());
  std::vector<bool> refused(module.computations.size());
  for (const hlo::Computation* computation : module.computations) {
    if (computation == module.entry) continue;
    for (const hlo::Instruction* instruction : computation->instructions) {
      if (instruction->opcode == hlo::Opcode::kParameter) continue;
      Result<void> supported = engine.supports(*instruction);
      if (supported) continue;
      refusals[computation->id] = {.instruction = instruction,
                                   .reason = std::move(supported).error().message};
      refused[computation->id] = true;
      break;
    }
  }
  const auto nearest = nearest_marked_callee(module, refused);
  for (std::size_t id = 0; id < refusals.size(); ++id) {
    if (nearest[id] && *nearest[id] != id) refusals[id] = refusals[*nearest[id]];
  }
  return refusals;
}

Result<void> EngineChoice::supports(std::size_t engine, const hlo::Instruction& instruction) const {
  MERCATOR_TRY_VOID(engines_[engine]->supports(instruction));
  for (const hlo::Computation* callee : instruction.called_computations()) {
    const std::optional<Refusal>& refusal = refusals_[engine][callee->id];
    if (!refusal) continue;
    return fail(ErrorKind::kUnsupported,
                fmt::format("it calls '{}': {}", refusal->instruction->name, refusal->reason));
  }
  return {};
}

Result<std::size_t> EngineChoice::first(
    std::span<const hlo::Instruction* const> instructions) const {
  std::string reasons;
  const hlo::Instruction* refused = instructions.front();
  for (std::size_t engine = 0; engine < engines_.size(); ++engine) {
    Result<void> supported;
    for (const hlo::Instruction* instruction : instructions) {
      supported = supports(engine, *instruction);
      if (supported) continue;
      refused = instruction;
      break;
    }
    if (supported) return engine;
    fmt::format_to(std::back_inserter(reasons), "{}{}: {}", reasons.empty() ? "" : "; ",
                   engines_[engine]->name(), supported.error().message);
  }
  return fail(ErrorKind::kUnsupported,
              fmt::format("'{}': no engine takes it ({})", refused->name, reasons), refused->span);
}

}  // namespace mercator::runtime
