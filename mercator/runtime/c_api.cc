#include "mercator/c_api.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mercator/runtime/c_object.h"
#include "mercator/runtime/dlpack.h"
#include "mercator/runtime/function_table.h"
#include "mercator/runtime/packed_function.h"
#include "mercator/support/suggestion.h"

namespace mercator::runtime {
namespace {

// Lists inside each other are walked by recursion.
constexpr int kDeepestList = 100;

Result<std::string> text(const char* data, std::size_t size, std::string_view parameter) {
  if (size > 0) MERCATOR_TRY_VOID(require(data, parameter));
  return size > 0 ? std::string(data, size) : std::string();
}

// The object if it is of that kind, which is called `kind_text`.
Result<const Any*> content(const MercatorObject* object, Any::Kind kind, std::string_view kind_text,
                           std::string_view parameter) {
  MERCATOR_TRY_VOID(require(object, parameter));
  if (object->any.kind() == kind) return &object->any;
  return fail(ErrorKind::kUsage, fmt::format("`{}` is {}, where {} is wanted", parameter,
                                             describe(object->any), kind_text));
}

Result<PackedFunction> function_of(const MercatorObject* object) {
  return *MERCATOR_TRY(content(object, Any::Kind::kFunction, "a function", "function"))->function();
}

Result<std::vector<Any>> anys(const MercatorValue* values, std::size_t count,
                              std::string_view parameter) {
  if (count > 0) MERCATOR_TRY_VOID(require(values, parameter));
  std::vector<Any> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Result<Any> value = any_of(values[i]);
    if (!value) {
      return fail(ErrorKind::kUsage,
                  fmt::format("`{}[{}]`: {}", parameter, i, value.error().message));
    }
    result.push_back(*std::move(value));
  }
  return result;
}

// The table of an object, or that of the process; kept alive by the object.
Result<FunctionTable*> table_of(const MercatorObject* object) {
  if (object == nullptr) return &FunctionTable::global();
  const std::shared_ptr<FunctionTable> table = object->any.object<FunctionTable>();
  if (table != nullptr) return table.get();
  return fail(ErrorKind::kUsage, fmt::format("`table` is {}, where a table of functions is wanted",
                                             describe(object->any)));
}

std::unexpected<Error> no_function(std::string_view name, const FunctionTable& table) {
  const std::vector<std::string> names = table.names();
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return std::unexpected(Error{.kind = ErrorKind::kUsage,
                               .message = fmt::format("there is no function '{}'", name),
                               .hint = did_you_mean(nearest_words(name, candidates))});
}

}  // namespace
}  // namespace mercator::runtime

// The functions of the interface.
using namespace mercator;           // NOLINT(google-build-using-namespace)
using namespace mercator::runtime;  // NOLINT(google-build-using-namespace)

// ---- versions ----

int32_t mercator_abi_version() { return MERCATOR_ABI_VERSION; }
const char* mercator_version() { return MERCATOR_VERSION; }

// ---- errors ----

int32_t mercator_error_code(const MercatorError* error) {
  return error == nullptr ? MERCATOR_OK : error_code(error->error.kind);
}

const char* mercator_error_message(const MercatorError* error) {
  return error == nullptr ? "" : error->error.message.c_str();
}

const char* mercator_error_hint(const MercatorError* error) {
  return error == nullptr ? "" : error->error.hint.c_str();
}

void mercator_error_free(MercatorError* error) { delete error; }

MercatorError* mercator_error_new(int32_t code, const char* message, size_t message_size) {
  std::string copy = message == nullptr ? "" : std::string(message, message_size);
  return new MercatorError{{.kind = error_kind(code), .message = std::move(copy)}};
}

// ---- values and objects ----

int32_t mercator_object_kind(const MercatorObject* object) {
  return object == nullptr ? MERCATOR_NULL : static_cast<int32_t>(object->any.kind());
}

MercatorObject* mercator_retain(MercatorObject* object) {
  if (object != nullptr) object->references.fetch_add(1, std::memory_order_relaxed);
  return object;
}

void mercator_release(MercatorObject* object) {
  if (object == nullptr || object->references.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  if (object->view != nullptr) object->view->deleter(object->view);
  delete object;
}

void mercator_value_release(MercatorValue* value) {
  if (value == nullptr) return;
  if (value->kind >= MERCATOR_STRING && value->kind <= MERCATOR_LIST) {
    mercator_release(value->as.object);
  }
  *value = {.kind = MERCATOR_NULL, .reserved = 0, .as = {}};
}

MercatorError* mercator_string_new(const char* data, size_t size, MercatorObject** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(result, "result"));
    return give(MERCATOR_TRY(text(data, size, "data")), result);
  });
}

MercatorError* mercator_string_data(const MercatorObject* string, const char** data, size_t* size) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(data, "data"));
    const Any& any = *MERCATOR_TRY(content(string, Any::Kind::kString, "a string", "string"));
    *data = any.string()->c_str();
    if (size != nullptr) *size = any.string()->size();
    return {};
  });
}

MercatorError* mercator_list_new(const MercatorValue* elements, size_t count,
                                 MercatorObject** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(result, "result"));
    Any list = MERCATOR_TRY(anys(elements, count, "elements"));
    if (list.depth() > kDeepestList) {
      return fail(ErrorKind::kUnsupported,
                  fmt::format("more than {} lists inside each other", kDeepestList));
    }
    return give(std::move(list), result);
  });
}

MercatorError* mercator_list_size(const MercatorObject* list, size_t* size) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(size, "size"));
    *size = MERCATOR_TRY(content(list, Any::Kind::kList, "a list", "list"))->list()->size();
    return {};
  });
}

MercatorError* mercator_list_element(const MercatorObject* list, size_t index,
                                     MercatorValue* result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(result, "result"));
    const std::vector<Any>& elements =
        *MERCATOR_TRY(content(list, Any::Kind::kList, "a list", "list"))->list();
    if (index >= elements.size()) {
      return fail(ErrorKind::kUsage,
                  fmt::format("there is no element {} in a list of {}", index, elements.size()));
    }
    *result = MERCATOR_TRY(value_for_c(elements[index]));
    return {};
  });
}

MercatorError* mercator_handle_new(const char* type_name, size_t type_name_size, void* pointer,
                                   void (*deleter)(void* pointer), MercatorObject** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(result, "result"));
    std::string name = MERCATOR_TRY(text(type_name, type_name_size, "type_name"));
    if (name.empty()) return fail(ErrorKind::kUsage, "the type of a handle has a name");
    return give(foreign_handle(std::move(name), pointer, deleter), result);
  });
}

MercatorError* mercator_handle_pointer(const MercatorObject* handle, const char* type_name,
                                       size_t type_name_size, void** pointer) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(pointer, "pointer"));
    const std::string name = MERCATOR_TRY(text(type_name, type_name_size, "type_name"));
    const std::string wanted = fmt::format("a handle of type '{}'", name);
    const Any& any = *MERCATOR_TRY(content(handle, Any::Kind::kHandle, wanted, "handle"));
    if (!is_foreign(*any.handle()) || any.handle()->type_name != name) {
      return fail(ErrorKind::kUsage,
                  fmt::format("`handle` is {}, where {} of C is wanted", describe(any), wanted));
    }
    *pointer = any.handle()->object.get();
    return {};
  });
}

// ---- tensors ----

MercatorError* mercator_tensor_from_dlpack(DLManagedTensor* tensor, MercatorObject** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(tensor, "tensor"));
    MERCATOR_TRY_VOID(require(result, "result"));
    return give(MERCATOR_TRY(from_dlpack(tensor, process_pool())), result);
  });
}

MercatorError* mercator_tensor_to_dlpack(const MercatorObject* tensor, DLManagedTensor** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(result, "result"));
    const Any& any = *MERCATOR_TRY(content(tensor, Any::Kind::kTensor, "a tensor", "tensor"));
    *result = MERCATOR_TRY(to_dlpack(*any.tensor(), process_pool()));
    return {};
  });
}

MercatorError* mercator_tensor_view(const MercatorObject* tensor, const DLManagedTensor** view) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(view, "view"));
    MERCATOR_TRY_VOID(content(tensor, Any::Kind::kTensor, "a tensor", "tensor"));
    *view = tensor->view;
    return {};
  });
}

MercatorError* mercator_tensor_new(uint8_t type_code, uint8_t type_bits, const int64_t* dimensions,
                                   size_t rank, MercatorObject** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(result, "result"));
    if (rank > 0) MERCATOR_TRY_VOID(require(dimensions, "dimensions"));
    const std::optional<hlo::ElementType> type =
        element_type_of({.code = type_code, .bits = type_bits, .lanes = 1});
    if (!type) {
      return fail(ErrorKind::kUnsupported,
                  fmt::format("no element type has code {} and {} bits", type_code, type_bits));
    }
    const std::vector<std::int64_t> sizes(dimensions, dimensions + rank);
    if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; })) {
      return fail(ErrorKind::kUsage,
                  fmt::format("a size of [{}] is negative", fmt::join(sizes, ",")));
    }
    const Storage storage = {.packed = hlo::bit_width(*type) < 8};
    const std::int64_t bytes = MERCATOR_TRY(byte_size(*type, sizes, storage));
    Tensor tensor(*type, sizes, MERCATOR_TRY(process_pool().allocate(bytes)), storage);
    std::ranges::fill(tensor.mutable_bytes(), std::byte{0});
    return give(std::move(tensor), result);
  });
}

// ---- functions ----

MercatorError* mercator_function_new(const char* name, size_t name_size, MercatorCallback callback,
                                     void* context, void (*deleter)(void* context),
                                     MercatorObject** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(result, "result"));
    if (callback == nullptr) return fail(ErrorKind::kUsage, "`callback` is NULL");
    std::string copy = MERCATOR_TRY(text(name, name_size, "name"));
    return give(callback_function(std::move(copy), callback, context, deleter), result);
  });
}

MercatorError* mercator_call(const MercatorObject* function, const MercatorValue* arguments,
                             size_t argument_count, MercatorValue* result) {
  return returned([&]() -> Result<void> {
    const PackedFunction called = MERCATOR_TRY(function_of(function));
    const Any value =
        MERCATOR_TRY(called(MERCATOR_TRY(anys(arguments, argument_count, "arguments"))));
    if (result != nullptr) *result = MERCATOR_TRY(value_for_c(value));
    return {};
  });
}

// ---- tables of functions ----

MercatorError* mercator_table_new(MercatorObject* parent, MercatorObject** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(result, "result"));
    if (parent != nullptr) MERCATOR_TRY_VOID(table_of(parent));
    std::shared_ptr<const FunctionTable> below =
        parent == nullptr ? nullptr : parent->any.object<FunctionTable>();
    return give(std::make_shared<FunctionTable>(std::move(below)), result);
  });
}

MercatorError* mercator_register(MercatorObject* table, const char* name, size_t name_size,
                                 MercatorObject* function, int32_t replace) {
  return returned([&]() -> Result<void> {
    FunctionTable& target = *MERCATOR_TRY(table_of(table));
    std::string copy = MERCATOR_TRY(text(name, name_size, "name"));
    return target.add(
        std::move(copy), MERCATOR_TRY(function_of(function)),
        replace != 0 ? FunctionTable::IfTaken::kReplace : FunctionTable::IfTaken::kFail);
  });
}

MercatorError* mercator_find(const MercatorObject* table, const char* name, size_t name_size,
                             MercatorObject** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(result, "result"));
    const FunctionTable& source = *MERCATOR_TRY(table_of(table));
    const std::string wanted = MERCATOR_TRY(text(name, name_size, "name"));
    std::optional<PackedFunction> found = source.find(wanted);
    if (!found) return no_function(wanted, source);
    return give(*std::move(found), result);
  });
}

MercatorError* mercator_remove(MercatorObject* table, const char* name, size_t name_size) {
  return returned([&]() -> Result<void> {
    FunctionTable& target = *MERCATOR_TRY(table_of(table));
    const std::string wanted = MERCATOR_TRY(text(name, name_size, "name"));
    if (!target.remove(wanted)) return no_function(wanted, target);
    return {};
  });
}

MercatorError* mercator_names(const MercatorObject* table, MercatorObject** result) {
  return returned([&]() -> Result<void> {
    MERCATOR_TRY_VOID(require(result, "result"));
    std::vector<Any> names;
    for (std::string& name : MERCATOR_TRY(table_of(table))->names()) {
      names.emplace_back(std::move(name));
    }
    return give(std::move(names), result);
  });
}
