// An engine in one file: it takes `maximum` with zero, and nothing else.
//
// docs/engines.md goes through this file. The program below registers the engine, compiles a small
// module for it and, for all the rest, the interpreter, and compares with the interpreter alone.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "mercator/runtime/engine.h"
#include "mercator/runtime/program.h"
#include "mercator/runtime/value.h"
#include "mercator/support/error.h"
#include "mercator/support/stop_check.h"

namespace {

using mercator::ErrorKind;
using mercator::fail;
using mercator::Result;
using mercator::hlo::Instruction;
using mercator::hlo::Module;
using mercator::hlo::Opcode;
using mercator::runtime::Executable;
using mercator::runtime::RunContext;
using mercator::runtime::Tensor;
using mercator::runtime::Value;

// ---- which instructions it takes ----

bool is_f32(const Instruction& instruction) {
  return instruction.shape.is_array() && instruction.shape.dynamic.empty() &&
         instruction.shape.element_type == mercator::hlo::ElementType::kF32;
}

// A constant 0, or a broadcast of one.
bool is_zero(const Instruction& instruction) {
  if (!is_f32(instruction)) return false;
  if (instruction.opcode == Opcode::kBroadcast) return is_zero(instruction.operand(0));
  return instruction.opcode == Opcode::kConstant && instruction.shape.rank() == 0 &&
         instruction.literal->number(0) == 0.0;
}

// ---- what it makes of them ----

// The executable is the module: there is nothing to prepare for so little.
class MaximumExecutable final : public Executable {
 public:
  explicit MaximumExecutable(std::shared_ptr<const Module> module) : module_(std::move(module)) {}

  Result<std::vector<Value>> run(std::vector<Value> arguments,
                                 const RunContext& context) const override {
    std::map<const Instruction*, Value> values;
    for (const Instruction* instruction : module_->entry->post_order()) {
      MERCATOR_TRY_VOID(mercator::check_stop(context.stop));
      if (instruction->opcode == Opcode::kParameter) {
        values[instruction] = arguments[static_cast<std::size_t>(instruction->parameter_number)];
      } else if (is_zero(*instruction)) {
        values[instruction] = MERCATOR_TRY(zeros(*instruction, context));
      } else if (instruction->opcode == Opcode::kMaximum) {
        const bool zero_first = is_zero(instruction->operand(0));
        const Value& operand = values.at(instruction->operands[zero_first ? 1 : 0]);
        values[instruction] = MERCATOR_TRY(positive_part(operand.tensor(), context));
      }
    }
    std::vector<Value> results;
    for (const Instruction* result : module_->entry->root->operands) {
      results.push_back(values.at(result));
    }
    return results;
  }

  Result<std::string> save() const override { return std::string(module_->text()); }

 private:
  static Result<Tensor> zeros(const Instruction& instruction, const RunContext& context) {
    const auto dimensions = instruction.shape.dimensions;
    Tensor result = MERCATOR_TRY(Tensor::allocate(
        instruction.shape.element_type, {dimensions.begin(), dimensions.end()}, context.pool));
    std::memset(result.mutable_bytes().data(), 0, result.bytes().size());
    return result;
  }

  static Result<Tensor> positive_part(const Tensor& operand, const RunContext& context) {
    const auto dimensions = operand.dimensions();
    Tensor result = MERCATOR_TRY(Tensor::allocate(
        operand.element_type(), {dimensions.begin(), dimensions.end()}, context.pool));
    for (std::int64_t i = 0; i < operand.element_count(); ++i) {
      float x = 0;
      std::memcpy(&x, operand.element(i), sizeof(x));
      if (!(x > 0) && !std::isnan(x)) x = 0;
      std::memcpy(result.mutable_bytes().data() + i * static_cast<std::int64_t>(sizeof(x)), &x,
                  sizeof(x));
    }
    return result;
  }

  std::shared_ptr<const Module> module_;
};

// ---- the engine ----

class MaximumEngine final : public mercator::runtime::Engine {
 public:
  std::string_view name() const override { return "maximum"; }
  std::string_view version() const override { return "1"; }

  Result<void> supports(const Instruction& instruction) const override {
    // Zeros too, so that they are copied into the subgraph and the executable sees them.
    if (is_zero(instruction)) return {};
    const bool takes = instruction.opcode == Opcode::kMaximum && is_f32(instruction) &&
                       (is_zero(instruction.operand(0)) || is_zero(instruction.operand(1)));
    if (takes) return {};
    return fail(ErrorKind::kUnsupported, "it takes only maximum with zero, of f32");
  }

  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Module> module,
                                              const std::stop_token& /*stop*/) const override {
    return std::make_unique<MaximumExecutable>(std::move(module));
  }

  Result<std::unique_ptr<Executable>> load(std::string_view bytes) const override {
    std::shared_ptr<const Module> module =
        MERCATOR_TRY(mercator::hlo::parse_module(std::string(bytes)));
    MERCATOR_TRY_VOID(mercator::hlo::verify(*module));
    // The bytes may be forged: only what `supports` takes may be in there.
    for (const Instruction* instruction : module->entry->instructions) {
      if (instruction->opcode == Opcode::kParameter) continue;
      if (instruction->is_root() && instruction->opcode == Opcode::kTuple) continue;
      MERCATOR_TRY_VOID(supports(*instruction));
    }
    if (module->entry->root->opcode != Opcode::kTuple) {
      return fail(ErrorKind::kInvalidInput, "the root is not a tuple");
    }
    return std::make_unique<MaximumExecutable>(std::move(module));
  }
};

// ---- a program that uses it ----

constexpr std::string_view kProgram = R"(HloModule layers

ENTRY main {
  x = f32[4] parameter(0)
  zero = f32[] constant(0)
  zeros = f32[4] broadcast(zero), dimensions={}
  weights = f32[4] constant({2, -1, 0.5, 1})
  scaled = f32[4] multiply(x, weights)
  hidden = f32[4] maximum(scaled, zeros)
  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}
  shifted = f32[4] subtract(hidden, ones)
  ROOT result = f32[4] maximum(zeros, shifted)
}
)";

// The result of the program, for engines of these names.
Result<std::vector<float>> run(const std::vector<std::string>& engine_names) {
  namespace runtime = mercator::runtime;
  const std::shared_ptr<const Module> module =
      MERCATOR_TRY(mercator::hlo::parse_module(std::string(kProgram)));
  MERCATOR_TRY_VOID(mercator::hlo::verify(*module));
  const auto engines = MERCATOR_TRY(runtime::engines().find_all(engine_names));
  const auto program = MERCATOR_TRY(runtime::Program::compile(module, engines));
  for (const auto& counts : program->statistics().engines) {
    std::printf("%s: %ld subgraphs\n", counts.engine.c_str(), static_cast<long>(counts.subgraphs));
  }

  const RunContext context;
  Tensor x = MERCATOR_TRY(Tensor::allocate(mercator::hlo::ElementType::kF32, {4}, context.pool));
  const float elements[] = {3, 3, -1, 0.5};
  std::memcpy(x.mutable_bytes().data(), elements, sizeof(elements));
  const std::vector<Value> results = MERCATOR_TRY(program->run({Value(std::move(x))}, context));
  std::vector<float> result(4);
  std::memcpy(result.data(), results[0].tensor().bytes().data(), sizeof(elements));
  return result;
}

int run_example() {
  const Result<void> added = mercator::runtime::engines().add(std::make_unique<MaximumEngine>());
  const auto split = run({"maximum", "interpreter"});
  const auto whole = run({"interpreter"});
  if (!added || !split || !whole) {
    const auto& error = !added ? added.error() : !split ? split.error() : whole.error();
    std::fprintf(stderr, "error: %s\n", error.message.c_str());
    return 1;
  }
  for (const float element : *split) std::printf("%g ", static_cast<double>(element));
  std::printf("%s\n", *split == *whole ? "as the interpreter alone" : "NOT as the interpreter");
  return *split == *whole ? 0 : 1;
}

}  // namespace

int main() { return run_example(); }
