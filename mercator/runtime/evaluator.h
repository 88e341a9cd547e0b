// How the interpreter evaluates an instruction. Internal to the interpreter: the rules for the
// instructions stand in evaluate_*.cc.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/runtime/call_graph.h"
#include "mercator/runtime/interpreter.h"
#include "mercator/runtime/run_context.h"
#include "mercator/runtime/value.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

struct Evaluation;

// One run of the interpreter: what all instructions of the run share.
class Evaluator {
 public:
  Evaluator(const RunContext& context, const Observer& observer)
      : context_(context), observer_(observer), random_state_(context.seed) {}

  // The value of the root of a computation. Errors as `interpret`.
  [[nodiscard]] Result<Value> call(const hlo::Computation& computation,
                                   std::vector<Value> arguments);
  // The value of an instruction other than a parameter.
  [[nodiscard]] Result<Value> evaluate(const hlo::Instruction& instruction,
                                       std::vector<Value> operands);

  [[nodiscard]] const RunContext& context() const { return context_; }
  [[nodiscard]] const MemoryPool& pool() const { return context_.pool; }
  // To be asked now and then by what takes long.
  [[nodiscard]] const std::stop_token& stop() const { return context_.stop; }
  // The state of `rng` and `rng-get-and-update-state`, which they move on.
  [[nodiscard]] std::uint64_t& random_state() { return random_state_; }

 private:
  struct Operand {
    std::size_t slot = 0;
    bool is_last_use = false;
  };
  struct Step {
    const hlo::Instruction* instruction = nullptr;
    std::vector<Operand> operands;
    bool is_unused = false;      // neither read nor the root
    bool takes_element = false;  // of get-tuple-element: nobody else reads this element
    Value constant;              // of constant, once it is known
  };
  // What the effects and the root of a computation are made from, operands first, and all
  // parameters: the value of each has the slot of its step.
  struct Schedule {
    std::vector<Step> steps;
    std::size_t root = 0;
  };
  Schedule& schedule(const hlo::Computation& computation);
  std::vector<const hlo::Instruction*> live_instructions(const hlo::Computation& computation);
  static void mark_last_uses(Schedule& schedule);
  Result<Value> run(Schedule& schedule, std::vector<Value> arguments);
  Result<Value> run_step(Step& step, std::vector<Value>& values);

  const RunContext& context_;
  const Observer& observer_;
  std::uint64_t random_state_;
  std::optional<Effects> effects_;  // of the module, once a computation is called
  std::unordered_map<const hlo::Computation*, Schedule> schedules_;
};

// An instruction with the values of its operands.
struct Evaluation {
  const hlo::Instruction& instruction;
  // An operand that nobody reads any more is given away: a rule may write its result into memory
  // that it holds alone (Buffer::is_exclusive).
  std::vector<Value>& operands;
  Evaluator& evaluator;

  [[nodiscard]] const Tensor& tensor(std::size_t i) const { return operands[i].tensor(); }
  // The element type of the result, which is an array.
  [[nodiscard]] hlo::ElementType element_type() const { return instruction.shape.element_type; }
  // A dense tensor of the result's element type, or another.
  [[nodiscard]] Result<Tensor> allocate(std::vector<std::int64_t> dimensions) const;
  [[nodiscard]] Result<Tensor> allocate(hlo::ElementType element_type,
                                        std::vector<std::int64_t> dimensions) const;
};

// Sizes come from the operands, not from the shape of the instruction, wherever a dimension may be
// dynamic: there the shape has bounds only.
using EvaluateFunction = Result<Value> (*)(Evaluation& evaluation);

// The rule for an instruction; null if there is none.
[[nodiscard]] EvaluateFunction evaluate_function(hlo::Opcode opcode);

}  // namespace mercator::runtime
