#include "mercator/runtime/c_object.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace mercator::runtime {
namespace {

// Any::Kind and the kinds of values in C are the same numbers.
static_assert(static_cast<int>(Any::Kind::kNull) == MERCATOR_NULL);
static_assert(static_cast<int>(Any::Kind::kBool) == MERCATOR_BOOL);
static_assert(static_cast<int>(Any::Kind::kInteger) == MERCATOR_INTEGER);
static_assert(static_cast<int>(Any::Kind::kReal) == MERCATOR_REAL);
static_assert(static_cast<int>(Any::Kind::kString) == MERCATOR_STRING);
static_assert(static_cast<int>(Any::Kind::kTensor) == MERCATOR_TENSOR);
static_assert(static_cast<int>(Any::Kind::kFunction) == MERCATOR_FUNCTION);
static_assert(static_cast<int>(Any::Kind::kHandle) == MERCATOR_HANDLE);
static_assert(static_cast<int>(Any::Kind::kList) == MERCATOR_LIST);

constexpr auto kErrorKinds = std::to_array<std::pair<std::int32_t, ErrorKind>>({
    {MERCATOR_INVALID_INPUT, ErrorKind::kInvalidInput},
    {MERCATOR_USAGE, ErrorKind::kUsage},
    {MERCATOR_UNSUPPORTED, ErrorKind::kUnsupported},
    {MERCATOR_IO, ErrorKind::kIo},
    {MERCATOR_EXHAUSTED, ErrorKind::kExhausted},
    {MERCATOR_INTERRUPTED, ErrorKind::kInterrupted},
});

constexpr char kForeignClass = 0;

std::shared_ptr<void> foreign(void* pointer, void (*deleter)(void* pointer)) {
  return {pointer, [deleter](void* object) {
            if (deleter != nullptr) deleter(object);
          }};
}

// The result of a callback, which has returned `error`, or else set `value`. Both are ours now,
// whatever is wrong with them.
Result<Any> callback_result(std::string_view function, MercatorError* error, MercatorValue value) {
  Result<Any> result = any_of(value);
  mercator_value_release(&value);
  if (error != nullptr) {
    result = std::unexpected(std::move(error->error));
    mercator_error_free(error);
    return result;
  }
  if (result) return result;
  return fail(ErrorKind::kUsage,
              fmt::format("the result of '{}': {}", function, result.error().message));
}

}  // namespace

OwnedValues::~OwnedValues() {
  for (MercatorValue& value : values_) mercator_value_release(&value);
}

Result<OwnedValues> OwnedValues::of(std::span<const Any> values) {
  OwnedValues result;
  result.values_.reserve(values.size());
  for (const Any& value : values) result.values_.push_back(MERCATOR_TRY(value_for_c(value)));
  return result;
}

const MemoryPool& process_pool() {
  // Never freed: tensors may outlive what is freed when the process ends.
  static const MemoryPool& pool = *new MemoryPool();
  return pool;
}

Result<ObjectReference> new_object(Any any) {
  if (any.tensor() == nullptr) return ObjectReference(new MercatorObject(std::move(any)));
  DLManagedTensor* const view = MERCATOR_TRY(to_dlpack(*any.tensor(), process_pool()));
  ObjectReference object(new MercatorObject(std::move(any)));
  object->view = view;
  return object;
}

Result<MercatorValue> value_for_c(const Any& any) {
  MercatorValue value = {.kind = static_cast<std::int32_t>(any.kind()), .reserved = 0, .as = {}};
  switch (any.kind()) {
    case Any::Kind::kNull:
      break;
    case Any::Kind::kBool:
      value.as.integer = *any.boolean() ? 1 : 0;
      break;
    case Any::Kind::kInteger:
      value.as.integer = *any.integer();
      break;
    case Any::Kind::kReal:
      value.as.real = *any.real();
      break;
    default:
      value.as.object = MERCATOR_TRY(new_object(any)).release();
  }
  return value;
}

Result<Any> any_of(const MercatorValue& value) {
  switch (value.kind) {
    case MERCATOR_NULL:
      return nullptr;
    case MERCATOR_BOOL:
      if (value.as.integer != 0 && value.as.integer != 1) {
        return fail(ErrorKind::kUsage, fmt::format("a bool is 0 or 1, not {}", value.as.integer));
      }
      return value.as.integer == 1;
    case MERCATOR_INTEGER:
      return value.as.integer;
    case MERCATOR_REAL:
      return value.as.real;
    case MERCATOR_STRING:
    case MERCATOR_TENSOR:
    case MERCATOR_FUNCTION:
    case MERCATOR_HANDLE:
    case MERCATOR_LIST:
      break;
    default:
      return fail(ErrorKind::kUsage, fmt::format("there is no kind {} of values", value.kind));
  }
  if (value.as.object == nullptr) {
    return fail(ErrorKind::kUsage, fmt::format("a value of kind {} has no object", value.kind));
  }
  if (mercator_object_kind(value.as.object) != value.kind) {
    return fail(ErrorKind::kUsage, fmt::format("a value of kind {} has an object of kind {}",
                                               value.kind, mercator_object_kind(value.as.object)));
  }
  const Any& any = value.as.object->any;
  // Whoever made it could write to it until now.
  if (any.tensor() != nullptr) MERCATOR_TRY_VOID(check_bools(*any.tensor()));
  return any;
}

Result<void> require(const void* pointer, std::string_view parameter) {
  if (pointer != nullptr) return {};
  return fail(ErrorKind::kUsage, fmt::format("`{}` is NULL", parameter));
}

Result<void> give(Any any, MercatorObject** result) {
  *result = MERCATOR_TRY(new_object(std::move(any))).release();
  return {};
}

std::int32_t error_code(ErrorKind kind) {
  for (const auto& [code, known] : kErrorKinds) {
    if (known == kind) return code;
  }
  return MERCATOR_USAGE;
}

ErrorKind error_kind(std::int32_t code) {
  for (const auto& [known, kind] : kErrorKinds) {
    if (known == code) return kind;
  }
  return ErrorKind::kUsage;
}

Handle foreign_handle(std::string type_name, void* pointer, void (*deleter)(void* pointer)) {
  return {.type_name = std::move(type_name),
          .class_id = &kForeignClass,
          .object = foreign(pointer, deleter)};
}

bool is_foreign(const Handle& handle) { return handle.class_id == &kForeignClass; }

PackedFunction callback_function(std::string name, MercatorCallback callback, void* context,
                                 void (*deleter)(void* context)) {
  auto body = [name, callback,
               kept = foreign(context, deleter)](std::span<const Any> arguments) -> Result<Any> {
    const OwnedValues lent = MERCATOR_TRY(OwnedValues::of(arguments));
    MercatorValue value = {.kind = MERCATOR_NULL, .reserved = 0, .as = {}};
    MercatorError* const error =
        callback(kept.get(), lent.values().data(), lent.values().size(), &value);
    return callback_result(name, error, value);
  };
  return {std::move(name), std::move(body)};
}

}  // namespace mercator::runtime
