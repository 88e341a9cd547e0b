// Engines and programs for tests.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "interpreter_testing.h"
#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "mercator/runtime/engine.h"
#include "mercator/runtime/program.h"

namespace mercator::runtime {

inline std::shared_ptr<const hlo::Module> verified_module(std::string_view text) {
  Result<std::unique_ptr<hlo::Module>> module = hlo::parse_module(std::string(text));
  const Result<void> valid =
      module ? hlo::verify(**module) : std::unexpected(std::move(module).error());
  if (!valid) {
    ADD_FAILURE() << valid.error().message << "\n" << text;
    return verified_module("HloModule m\n\nENTRY e {\n  ROOT c = s32[] constant(0)\n}\n");
  }
  return *std::move(module);
}

// An entry computation of these lines.
inline std::shared_ptr<const hlo::Module> module_of_lines(std::string_view lines) {
  return verified_module("HloModule m\n\nENTRY main {\n" + std::string(lines) + "\n}\n");
}

// Evaluates an entry computation of elementwise instructions on s32, constants, iota, broadcasts,
// reshapes and tuples of these; all arrays but scalars have the same number of elements. It knows
// nothing of the interpreter.
class SmallEvaluator {
 public:
  static Value run(const hlo::Module& module, std::span<const Value> arguments,
                   const MemoryPool& pool) {
    std::map<const hlo::Instruction*, Value> values;
    for (const hlo::Instruction* instruction : module.entry->post_order()) {
      std::vector<Value> operands;
      for (const hlo::Instruction* operand : instruction->operands) {
        operands.push_back(values.at(operand));
      }
      if (instruction->opcode == hlo::Opcode::kParameter) {
        values[instruction] = arguments[static_cast<std::size_t>(instruction->parameter_number)];
      } else if (instruction->opcode == hlo::Opcode::kTuple) {
        values[instruction] = Value::tuple(std::move(operands));
      } else {
        values[instruction] = array(*instruction, operands, pool);
      }
    }
    return values.at(module.entry->root);
  }

 private:
  static Tensor array(const hlo::Instruction& instruction, const std::vector<Value>& operands,
                      const MemoryPool& pool) {
    const std::span<const std::int64_t> dimensions = instruction.shape.dimensions;
    Tensor result =
        Tensor::allocate(hlo::ElementType::kS32, {dimensions.begin(), dimensions.end()}, pool)
            .value();
    for (std::int64_t i = 0; i < result.element_count(); ++i) {
      const auto x = [&](std::size_t operand) {
        const Tensor& tensor = operands[operand].tensor();
        std::uint32_t element = 0;
        std::memcpy(&element, tensor.element(tensor.element_count() == 1 ? 0 : i), 4);
        return element;
      };
      const std::uint32_t value = element(instruction, static_cast<std::uint32_t>(i), x);
      std::memcpy(result.mutable_bytes().data() + 4 * i, &value, 4);
    }
    return result;
  }

  template <class Operand>
  static std::uint32_t element(const hlo::Instruction& instruction, std::uint32_t i, Operand x) {
    switch (instruction.opcode) {
      case hlo::Opcode::kAdd:
        return x(0) + x(1);
      case hlo::Opcode::kSubtract:
        return x(0) - x(1);
      case hlo::Opcode::kMultiply:
        return x(0) * x(1);
      case hlo::Opcode::kXor:
        return x(0) ^ x(1);
      case hlo::Opcode::kMaximum:
        return static_cast<std::int32_t>(x(0)) > static_cast<std::int32_t>(x(1)) ? x(0) : x(1);
      case hlo::Opcode::kNegate:
        return -x(0);
      case hlo::Opcode::kBroadcast:
      case hlo::Opcode::kReshape:
        return x(0);
      case hlo::Opcode::kIota:
        return i;
      case hlo::Opcode::kConstant:
        return static_cast<std::uint32_t>(
            *instruction.literal->integer(instruction.literal->splat ? 0 : i));
      default:
        ADD_FAILURE() << "there is no " << name(instruction.opcode);
        return 0;
    }
  }
};

// SmallEvaluator as an engine, for some instructions only. It counts what is asked of it, and can
// be told to misbehave.
class TestEngine : public Engine {
 public:
  using Predicate = std::function<bool(const hlo::Instruction&)>;
  using Results = Result<std::vector<Value>>;

  explicit TestEngine(std::string name, Predicate predicate = nullptr)
      : name_(std::move(name)), predicate_(std::move(predicate)) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string_view version() const override { return version_; }
  [[nodiscard]] Result<void> supports(const hlo::Instruction& instruction) const override {
    if (predicate_ == nullptr || predicate_(instruction)) return {};
    return fail(ErrorKind::kUnsupported, "not of the kind that " + name_ + " takes");
  }
  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      std::shared_ptr<const hlo::Module> module, const std::stop_token& /*stop*/) const override {
    ++compilations;
    if (on_compile) MERCATOR_TRY_VOID(on_compile(*module));
    return std::make_unique<Executes>(*this, std::move(module));
  }
  [[nodiscard]] Result<std::unique_ptr<Executable>> load(std::string_view bytes) const override {
    ++loads;
    std::shared_ptr<const hlo::Module> module = MERCATOR_TRY(hlo::parse_module(std::string(bytes)));
    return std::make_unique<Executes>(*this, std::move(module));
  }

  void set_version(std::string version) { version_ = std::move(version); }

  // What is done before, or in place of what is done otherwise.
  std::function<Result<void>(const hlo::Module&)> on_compile;
  std::function<Results(const hlo::Module&, const std::vector<Value>&, const RunContext&)> on_run;
  bool can_save = true;
  mutable std::atomic<int> compilations = 0;
  mutable std::atomic<int> loads = 0;
  mutable std::atomic<int> runs = 0;

 private:
  class Executes final : public Executable {
   public:
    Executes(const TestEngine& engine, std::shared_ptr<const hlo::Module> module)
        : engine_(engine), module_(std::move(module)) {}
    [[nodiscard]] Results run(std::vector<Value> arguments,
                              const RunContext& context) const override {
      ++engine_.runs;
      if (engine_.on_run) return engine_.on_run(*module_, arguments, context);
      const Value root = SmallEvaluator::run(*module_, arguments, context.pool);
      return std::vector<Value>(root.elements().begin(), root.elements().end());
    }
    [[nodiscard]] Result<std::string> save() const override {
      if (engine_.can_save) return std::string(module_->text());
      return fail(ErrorKind::kUnsupported, engine_.name_ + " cannot save");
    }

   private:
    const TestEngine& engine_;
    std::shared_ptr<const hlo::Module> module_;
  };

  std::string name_;
  std::string version_ = "1";
  Predicate predicate_;
};

// An engine for these opcodes.
inline TestEngine::Predicate takes(std::vector<hlo::Opcode> opcodes) {
  return [opcodes = std::move(opcodes)](const hlo::Instruction& instruction) {
    return std::ranges::find(opcodes, instruction.opcode) != opcodes.end();
  };
}

// The results of a program in text; for one that fails, the message of its error.
inline std::vector<std::string> run_texts(const Executable& program,
                                          const std::vector<std::string>& arguments,
                                          const RunContext& context = {}) {
  std::vector<Value> values;
  for (const std::string& argument : arguments) values.emplace_back(tensor_from_text(argument));
  const Result<std::vector<Value>> results = program.run(std::move(values), context);
  if (!results) return {results.error().message};
  std::vector<std::string> texts;
  for (const Value& result : *results) {
    for (const Tensor& leaf : leaves(result)) texts.push_back(text_of(leaf));
  }
  return texts;
}

// The program for these engines; the test fails where there is none.
inline std::unique_ptr<Program> compiled(std::shared_ptr<const hlo::Module> module,
                                         const std::vector<const Engine*>& engines,
                                         const CompileOptions& options = {}) {
  Result<std::unique_ptr<Program>> program = Program::compile(std::move(module), engines, options);
  if (!program) {
    ADD_FAILURE() << program.error().message;
    return nullptr;
  }
  return *std::move(program);
}

}  // namespace mercator::runtime
