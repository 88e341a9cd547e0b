#include "mercator/runtime/interpreter_engine.h"

#include <utility>

#include "mercator/hlo/verifier.h"
#include "mercator/runtime/interpreter.h"

namespace mercator::runtime {
namespace {

// Interpreting needs no more than the module.
class InterpreterExecutable final : public Executable {
 public:
  explicit InterpreterExecutable(std::shared_ptr<const hlo::Module> module)
      : module_(std::move(module)) {}

  [[nodiscard]] Result<std::vector<Value>> run(std::vector<Value> arguments,
                                               const RunContext& context) const override {
    Value root = MERCATOR_TRY(interpret(*module_->entry, std::move(arguments), context));
    std::vector<Value> results(root.elements().size());
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = root.take_element(i);
    return results;
  }

  [[nodiscard]] Result<std::string> save() const override { return std::string(module_->text()); }

 private:
  std::shared_ptr<const hlo::Module> module_;
};

class InterpreterEngine final : public Engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "interpreter"; }
  [[nodiscard]] std::string_view version() const override { return "1"; }

  [[nodiscard]] Result<void> supports(const hlo::Instruction& instruction) const override {
    return interpreter_supports(instruction);
  }

  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      std::shared_ptr<const hlo::Module> module, const std::stop_token& /*stop*/) const override {
    return std::make_unique<InterpreterExecutable>(std::move(module));
  }

  [[nodiscard]] Result<std::unique_ptr<Executable>> load(std::string_view bytes) const override {
    std::shared_ptr<const hlo::Module> module = MERCATOR_TRY(checked_module(bytes));
    return std::make_unique<InterpreterExecutable>(std::move(module));
  }

 private:
  static Result<std::unique_ptr<hlo::Module>> checked_module(std::string_view text) {
    Result<std::unique_ptr<hlo::Module>> module = hlo::parse_module(std::string(text));
    if (!module) return without_span(std::move(module).error());
    if (Result<void> valid = hlo::verify(**module); !valid) {
      return without_span(std::move(valid).error());
    }
    if (!(*module)->entry->root->shape.is_tuple()) {
      return fail(ErrorKind::kInvalidInput, "the results are not a tuple");
    }
    return module;
  }
  // The text that it is about is not one that the caller has.
  static std::unexpected<Error> without_span(Error error) {
    error.kind = ErrorKind::kInvalidInput;
    error.span.reset();
    return std::unexpected(std::move(error));
  }
};

}  // namespace

std::unique_ptr<Engine> make_interpreter_engine() { return std::make_unique<InterpreterEngine>(); }

}  // namespace mercator::runtime
