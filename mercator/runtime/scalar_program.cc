#include "mercator/runtime/scalar_program.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "mercator/hlo/literal.h"

namespace mercator::runtime {

using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// Longer or more deeply nested computations are left to the evaluator. Length is that of all
// values, in scalars, with those of called computations each time that they are called.
constexpr int kDeepestCall = 50;
constexpr std::size_t kLongest = 10000;

bool is_scalar(const hlo::Shape& shape) { return shape.is_array() && shape.rank() == 0; }

std::size_t leaf_count(const hlo::Shape& shape) { return hlo::leaves(shape).size(); }

bool all_scalars(const Instruction& instruction) {
  return is_scalar(instruction.shape) &&
         std::ranges::all_of(instruction.operands,
                             [](const Instruction* operand) { return is_scalar(operand->shape); });
}

bool is_inexact(ElementType type) { return hlo::is_floating(type) || hlo::is_complex(type); }

ElementType wide_type(ElementType type) {
  if (hlo::is_floating(type)) return ElementType::kF64;
  return hlo::is_complex(type) ? ElementType::kC128 : type;
}

// Whether more precise operands of the instruction make for a more precise result.
bool may_be_wide(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kAbs:
    case Opcode::kAdd:
    case Opcode::kClamp:
    case Opcode::kCompare:
    case Opcode::kCopy:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kSelect:
    case Opcode::kSubtract:
      return true;
    case Opcode::kConvert:
      return is_inexact(instruction.shape.element_type) ==
             is_inexact(instruction.operand(0).shape.element_type);
    default:
      return !is_inexact(instruction.shape.element_type) &&
             std::ranges::none_of(instruction.operands, [](const Instruction* operand) {
               return is_inexact(operand->shape.element_type);
             });
  }
}

// Instructions that give their first operand, if it and the result are scalars of the same type.
bool forwards(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kCopy:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

}  // namespace

class ScalarCompiler {
 public:
  using Precision = ScalarProgram::Precision;

  explicit ScalarCompiler(Precision precision) : precision_(precision) {}

  std::optional<ScalarProgram> compile(const hlo::Computation& computation) {
    std::vector<Registers> arguments;
    for (const Instruction* parameter : computation.parameters) {
      if (!is_scalar(parameter->shape)) return std::nullopt;
      const ElementType type = computed_type(parameter->shape.element_type);
      program_.parameter_types_.push_back(type);
      arguments.push_back({add_register(type)});
    }
    std::optional<Registers> results = call(computation, arguments);
    if (!results) return std::nullopt;
    program_.results_ = *std::move(results);
    for (const std::uint32_t result : program_.results_) {
      program_.result_types_.push_back(types_[result]);
    }
    return std::move(program_);
  }

 private:
  // Where the arrays of a value lie, in the order of its leaves.
  using Registers = std::vector<std::uint32_t>;
  using Values = std::unordered_map<const Instruction*, Registers>;

  ElementType computed_type(ElementType type) const {
    return precision_ == Precision::kWide ? wide_type(type) : type;
  }

  std::uint32_t add_register(ElementType type) {
    program_.registers_.push_back(Number{});
    types_.push_back(type);
    is_constant_.push_back(false);
    return static_cast<std::uint32_t>(types_.size() - 1);
  }

  std::uint32_t add_constant(ElementType type, const Number& value) {
    const std::uint32_t place = add_register(type);
    program_.registers_[place] = value;
    is_constant_[place] = true;
    return place;
  }

  std::optional<Registers> call(const hlo::Computation& computation,
                                const std::vector<Registers>& arguments) {
    if (depth_ == kDeepestCall) return std::nullopt;
    ++depth_;
    Values values;
    for (const Instruction* instruction : computation.post_order()) {
      std::optional<Registers> value =
          instruction->opcode == Opcode::kParameter
              ? arguments[static_cast<std::size_t>(instruction->parameter_number)]
              : evaluate(*instruction, values);
      if (!value) return std::nullopt;
      length_ += std::max<std::size_t>(value->size(), 1);
      if (length_ > kLongest) return std::nullopt;
      values.emplace(instruction, *std::move(value));
    }
    --depth_;
    return values.at(computation.root);
  }

  std::optional<Registers> evaluate(const Instruction& instruction, const Values& values) {
    switch (instruction.opcode) {
      case Opcode::kConstant:
        return constant(instruction);
      case Opcode::kTuple:
        return tuple(instruction, values);
      case Opcode::kGetTupleElement:
        return element(instruction, values);
      case Opcode::kOptimizationBarrier:
        return values.at(&instruction.operand(0));
      case Opcode::kCall:
        return call_of(instruction, hlo::AttributeName::kToApply, values);
      case Opcode::kFusion:
        return call_of(instruction, hlo::AttributeName::kCalls, values);
      case Opcode::kMap:
        if (!all_scalars(instruction)) return std::nullopt;
        return call_of(instruction, hlo::AttributeName::kToApply, values);
      default:
        break;
    }
    if (!all_scalars(instruction)) return std::nullopt;
    if (forwards(instruction.opcode) &&
        instruction.shape.element_type == instruction.operand(0).shape.element_type) {
      return values.at(&instruction.operand(0));
    }
    return operation(instruction, values);
  }

  std::optional<Registers> constant(const Instruction& instruction) {
    const hlo::Literal& literal = *instruction.literal;
    if (!is_scalar(instruction.shape) || literal.elided) return std::nullopt;
    const ElementType type = instruction.shape.element_type;
    const Number value = load_function(type)(literal.data.data());
    const ElementType computed = computed_type(type);
    return Registers{add_constant(computed, convert_function(type, computed)(value))};
  }

  static std::optional<Registers> tuple(const Instruction& instruction, const Values& values) {
    Registers result;
    for (const Instruction* operand : instruction.operands) {
      const Registers& part = values.at(operand);
      result.insert(result.end(), part.begin(), part.end());
    }
    return result;
  }

  static std::optional<Registers> element(const Instruction& instruction, const Values& values) {
    const hlo::Shape& tuple = instruction.operand(0).shape;
    const auto index = static_cast<std::size_t>(instruction.integer(hlo::AttributeName::kIndex, 0));
    std::size_t first = 0;
    for (std::size_t i = 0; i < index; ++i) first += leaf_count(tuple.elements[i]);
    const std::size_t size = leaf_count(tuple.elements[index]);
    const auto begin =
        values.at(&instruction.operand(0)).begin() + static_cast<std::ptrdiff_t>(first);
    return Registers(begin, begin + static_cast<std::ptrdiff_t>(size));
  }

  std::optional<Registers> call_of(const Instruction& instruction, hlo::AttributeName attribute,
                                   const Values& values) {
    const hlo::Computation* callee = instruction.computation(attribute);
    if (callee == nullptr) return std::nullopt;
    std::vector<Registers> arguments;
    for (const Instruction* operand : instruction.operands) {
      arguments.push_back(values.at(operand));
    }
    return call(*callee, arguments);
  }

  std::optional<Registers> operation(const Instruction& instruction, const Values& values) {
    if (precision_ == Precision::kWide && !may_be_wide(instruction)) return std::nullopt;
    if (instruction.operands.size() > ScalarProgram::kMostOperands) return std::nullopt;
    ScalarProgram::Step step;
    std::vector<ElementType> types;
    bool is_constant = true;
    for (const Instruction* operand : instruction.operands) {
      const std::uint32_t place = values.at(operand)[0];
      step.operands[types.size()] = place;
      types.push_back(types_[place]);
      is_constant = is_constant && is_constant_[place];
    }
    const ElementType type = computed_type(instruction.shape.element_type);
    const Result<ScalarOperation> operation = scalar_operation(instruction, types, type);
    if (!operation) return std::nullopt;
    step.operation = *operation;
    step.operand_count = static_cast<std::uint32_t>(types.size());
    if (is_constant) return Registers{add_constant(type, program_.evaluate(step))};
    step.result = add_register(type);
    program_.steps_.push_back(step);
    return Registers{step.result};
  }

  Precision precision_;
  ScalarProgram program_;
  std::vector<ElementType> types_;  // of the registers
  std::vector<bool> is_constant_;   // and whether they are known
  int depth_ = 0;                   // of calls
  std::size_t length_ = 0;
};

std::optional<ScalarProgram> ScalarProgram::compile(const hlo::Computation& computation,
                                                    Precision precision) {
  std::optional<ScalarProgram> program = ScalarCompiler(precision).compile(computation);
  if (program) {
    program->remove_unused_steps();
    program->find_single_operation();
  }
  return program;
}

void ScalarProgram::remove_unused_steps() {
  std::vector<bool> is_read(registers_.size(), false);
  for (const std::uint32_t result : results_) is_read[result] = true;
  std::vector<Step> kept;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (!is_read[step->result]) continue;
    for (const std::uint32_t operand : step->operands) is_read[operand] = true;
    kept.push_back(*step);
  }
  std::ranges::reverse(kept);
  steps_ = std::move(kept);
}

void ScalarProgram::find_single_operation() {
  if (steps_.size() != 1 || results_.size() != 1 || results_[0] != steps_[0].result) return;
  const std::size_t count = steps_[0].operand_count;
  if (count > parameter_types_.size()) return;
  is_single_operation_ = true;
  for (std::size_t i = 0; i < count; ++i) {
    is_single_operation_ = is_single_operation_ && steps_[0].operands[i] == i;
  }
}

Number ScalarProgram::evaluate(const Step& step) const {
  const std::array<Number, kMostOperands> operands = {
      registers_[step.operands[0]], registers_[step.operands[1]], registers_[step.operands[2]]};
  return step.operation(operands.data());
}

void ScalarProgram::run(std::span<const Number> arguments, std::span<Number> results) {
  if (is_single_operation_) {
    results[0] = steps_[0].operation(arguments.data());
    return;
  }
  std::ranges::copy(arguments, registers_.begin());
  for (const Step& step : steps_) registers_[step.result] = evaluate(step);
  for (std::size_t i = 0; i < results_.size(); ++i) results[i] = registers_[results_[i]];
}

}  // namespace mercator::runtime
