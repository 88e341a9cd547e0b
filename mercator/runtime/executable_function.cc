#include "mercator/runtime/executable_function.h"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mercator/runtime/pack.h"
#include "mercator/runtime/value.h"

namespace mercator::runtime {

PackedFunction as_function(std::string name, std::shared_ptr<const Executable> executable,
                           RunContext context, std::shared_ptr<const FunctionTable> functions,
                           std::int64_t memory_limit) {
  context.functions = functions.get();
  auto body = [name, executable = std::move(executable), shared = std::move(context),
               functions = std::move(functions),
               memory_limit](std::span<const Any> arguments) -> Result<Any> {
    RunContext context = shared;
    if (memory_limit > 0) context.pool = MemoryPool(memory_limit);
    using Parameter = internal::Parameter<Value>;
    std::vector<Value> values;
    values.reserve(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::optional<Value> value = Parameter::from(arguments[i]);
      if (!value) {
        return std::unexpected(
            internal::argument_error(name, i, arguments[i], Parameter::wanted()));
      }
      values.push_back(MERCATOR_TRY(dense(*value, context)));
    }
    const std::vector<Value> results = MERCATOR_TRY(executable->run(std::move(values), context));
    return any_of(results.size() == 1 ? results[0] : Value::tuple(results));
  };
  return {std::move(name), std::move(body)};
}

}  // namespace mercator::runtime
