// The part of c_api.h that compiles programs.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/c_api.h"
#include "mercator/hlo/module.h"
#include "mercator/hlo/verifier.h"
#include "mercator/runtime/artifact.h"
#include "mercator/runtime/c_object.h"
#include "mercator/runtime/engine.h"
#include "mercator/runtime/executable_function.h"
#include "mercator/runtime/program.h"
#include "mercator/support/diagnostic.h"

template <>
inline constexpr std::string_view mercator::runtime::handle_type_name<std::stop_source> =
    "mercator.Stop";

namespace mercator::runtime {
namespace {

// With its place in the text, as people count.
Error placed(Error error, std::string_view text) {
  if (error.span) {
    const LineColumn place = line_column(text, error.span->begin);
    error.message = fmt::format("line {}, column {}: {}", place.line, place.column, error.message);
  }
  return error;
}

// The same for what is wrong with the module that was read from the text.
Error placed_in(const hlo::Module& module, Error error, std::string_view text) {
  return placed(module.source.locate(std::move(error), module.text()), text);
}

Result<std::shared_ptr<const hlo::Module>> verified_module(const std::string& bytes) {
  Result<std::unique_ptr<hlo::Module>> module = hlo::read_module(bytes);
  if (!module) return std::unexpected(placed(std::move(module).error(), bytes));
  const Result<void> verified = hlo::verify(**module);
  if (!verified) return std::unexpected(placed_in(**module, verified.error(), bytes));
  return *std::move(module);
}

// The object of a handle of that class; null for NULL.
template <HandleClass T>
Result<std::shared_ptr<T>> object_of(const MercatorObject* handle, std::string_view parameter) {
  if (handle == nullptr) return nullptr;
  std::shared_ptr<T> object = handle->any.object<T>();
  if (object != nullptr) return object;
  return fail(ErrorKind::kUsage,
              fmt::format("`{}` is {}, where a handle of type '{}' is wanted", parameter,
                          describe(handle->any), handle_type_name<T>));
}

// What the caller's structure says; of an earlier version it has only the first fields.
Result<MercatorCompileOptions> complete(const MercatorCompileOptions* given) {
  MercatorCompileOptions options = {};
  if (given == nullptr) return options;
  if (given->struct_size < sizeof(std::size_t) || given->struct_size > sizeof(options)) {
    return fail(ErrorKind::kUsage, fmt::format("`options->struct_size` is {}, where {} is wanted",
                                               given->struct_size, sizeof(options)));
  }
  std::memcpy(&options, given, given->struct_size);
  if (options.engine_count > 0 && options.engines == nullptr) {
    return fail(ErrorKind::kUsage, "`options->engines` is NULL");
  }
  if (options.threads < 0 || options.memory_limit < 0) {
    return fail(ErrorKind::kUsage, "`options` has a negative number");
  }
  return options;
}

Result<std::vector<const Engine*>> engines_of(const MercatorCompileOptions& options) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < options.engine_count; ++i) {
    if (options.engines[i] == nullptr) {
      return fail(ErrorKind::kUsage, fmt::format("`options->engines[{}]` is NULL", i));
    }
    names.emplace_back(options.engines[i]);
  }
  if (names.empty()) names.emplace_back("interpreter");
  return engines().find_all(names);
}

Result<std::shared_ptr<const Program>> program_of(const std::string& bytes,
                                                  const MercatorCompileOptions& options,
                                                  const std::stop_token& stop) {
  if (is_artifact(bytes)) return read_artifact(bytes, engines(), stop);
  const std::vector<const Engine*> used = MERCATOR_TRY(engines_of(options));
  const std::shared_ptr<const hlo::Module> module = MERCATOR_TRY(verified_module(bytes));
  Result<std::unique_ptr<Program>> program = Program::compile(module, used, {.stop = stop});
  if (!program) return std::unexpected(placed_in(*module, std::move(program).error(), bytes));
  return *std::move(program);
}

Result<Any> compile(const std::string& bytes, const MercatorCompileOptions* given) {
  const MercatorCompileOptions options = MERCATOR_TRY(complete(given));
  std::shared_ptr<const FunctionTable> functions =
      MERCATOR_TRY(object_of<FunctionTable>(options.functions, "options->functions"));
  const std::shared_ptr<std::stop_source> stop =
      MERCATOR_TRY(object_of<std::stop_source>(options.stop, "options->stop"));

  RunContext context;
  context.pool = process_pool();
  if (stop != nullptr) context.stop = stop->get_token();
  context.seed = options.seed;
  context.threads = options.threads > 0 ? options.threads : 1;

  std::shared_ptr<const Program> program = MERCATOR_TRY(program_of(bytes, options, context.stop));
  std::string name(program->module().name);
  return as_function(std::move(name), std::move(program), std::move(context), std::move(functions),
                     options.memory_limit);
}

}  // namespace
}  // namespace mercator::runtime

using namespace mercator;           // NOLINT(google-build-using-namespace)
using namespace mercator::runtime;  // NOLINT(google-build-using-namespace)

MercatorError* mercator_compile(const char* program, size_t program_size,
                                const MercatorCompileOptions* options, MercatorObject** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(program, "program"));
    MERCATOR_TRY_VOID(require(result, "result"));
    return give(MERCATOR_TRY(compile(std::string(program, program_size), options)), result);
  });
}

MercatorError* mercator_stop_new(MercatorObject** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(result, "result"));
    return give(std::make_shared<std::stop_source>(), result);
  });
}

MercatorError* mercator_stop_request(const MercatorObject* stop) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(stop, "stop"));
    MERCATOR_TRY(object_of<std::stop_source>(stop, "stop"))->request_stop();
    return {};
  });
}
