#include "mercator/runtime/interpreter.h"

#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/evaluate_rules.h"
#include "mercator/runtime/evaluator.h"
#include "mercator/runtime/scalar_operation.h"

namespace mercator::runtime {

Result<void> interpreter_supports(const hlo::Instruction& instruction) {
  if (instruction.opcode == hlo::Opcode::kParameter) return {};
  const EvaluateFunction function = evaluate_function(instruction.opcode);
  if (function == evaluate_elementwise) {
    MERCATOR_TRY_VOID(scalar_operation(instruction));
    return {};
  }
  if (function != nullptr) return {};
  return fail(ErrorKind::kUnsupported,
              fmt::format("{} needs other devices or a host program, which the interpreter "
                          "does not have",
                          name(instruction.opcode)));
}

Result<Value> interpret(const hlo::Computation& computation, std::vector<Value> arguments,
                        const RunContext& context, const Observer& observer) {
  if (arguments.size() != computation.parameters.size()) {
    return fail(ErrorKind::kUsage, fmt::format("{} arguments, where {} are wanted",
                                               arguments.size(), computation.parameters.size()));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string wrong = mismatch(arguments[i], computation.parameters[i]->shape);
    if (!wrong.empty()) return fail(ErrorKind::kUsage, fmt::format("argument {} {}", i, wrong));
  }
  return Evaluator(context, observer).call(computation, std::move(arguments));
}

Result<Value> interpret(const hlo::Instruction& instruction, std::vector<Value> operands,
                        const RunContext& context, const Observer& observer) {
  if (operands.size() != instruction.operands.size()) {
    return fail(ErrorKind::kUsage, fmt::format("{} operands, where {} are wanted", operands.size(),
                                               instruction.operands.size()));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string wrong = mismatch(operands[i], instruction.operand(i).shape);
    if (!wrong.empty()) return fail(ErrorKind::kUsage, fmt::format("operand {} {}", i, wrong));
  }
  return Evaluator(context, observer).evaluate(instruction, std::move(operands));
}

}  // namespace mercator::runtime
