#include "mercator/runtime/scalar_function.h"

#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/evaluator.h"
#include "mercator/runtime/tensor.h"
#include "mercator/runtime/value.h"

namespace mercator::runtime {
namespace {

std::unique_ptr<ScalarProgram> compiled(const hlo::Computation& computation,
                                        ScalarProgram::Precision precision) {
  std::optional<ScalarProgram> program = ScalarProgram::compile(computation, precision);
  return program ? std::make_unique<ScalarProgram>(*std::move(program)) : nullptr;
}

}  // namespace

Result<ScalarFunction> ScalarFunction::make(const hlo::Computation& computation,
                                            Evaluator& evaluator) {
  ScalarFunction function(computation, evaluator);
  const auto add_scalars = [&](const hlo::Shape& shape,
                               std::vector<hlo::ElementType>& types) -> Result<void> {
    for (const hlo::ShapeLeaf& leaf : leaves(shape)) {
      if (!leaf.shape.is_array() || leaf.shape.rank() != 0) {
        return fail(ErrorKind::kUnsupported,
                    fmt::format("'{}' is applied to single elements, but has a part of shape {}",
                                computation.name, to_string(leaf.shape, false)));
      }
      types.push_back(leaf.shape.element_type);
    }
    return {};
  };
  for (const hlo::Instruction* parameter : computation.parameters) {
    MERCATOR_TRY_VOID(add_scalars(parameter->shape, function.parameter_types_));
  }
  MERCATOR_TRY_VOID(add_scalars(computation.root->shape, function.result_types_));
  function.program_ = compiled(computation, ScalarProgram::Precision::kAsWritten);
  return function;
}

Result<ScalarFunction> ScalarFunction::make_accumulator(const hlo::Computation& computation,
                                                        Evaluator& evaluator) {
  ScalarFunction function = MERCATOR_TRY(make(computation, evaluator));
  std::unique_ptr<ScalarProgram> wide = compiled(computation, ScalarProgram::Precision::kWide);
  if (wide != nullptr) {
    function.parameter_types_.assign(wide->parameter_types().begin(),
                                     wide->parameter_types().end());
    function.result_types_.assign(wide->result_types().begin(), wide->result_types().end());
    function.program_ = std::move(wide);
  }
  return function;
}

Result<void> ScalarFunction::call(std::span<const Number> arguments,
                                  std::span<Number> results) const {
  std::vector<Value> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Tensor scalar = MERCATOR_TRY(Tensor::allocate(parameter_types_[i], {}, evaluator_->pool()));
    store_function(parameter_types_[i])(arguments[i], scalar.mutable_bytes().data());
    values.emplace_back(std::move(scalar));
  }
  const Value value = MERCATOR_TRY(evaluator_->call(*computation_, std::move(values)));
  const std::vector<Tensor> tensors = leaves(value);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    results[i] = load_function(tensors[i].element_type())(tensors[i].element(0));
  }
  return {};
}

}  // namespace mercator::runtime
