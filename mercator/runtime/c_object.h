// What stands behind the pointers of c_api.h. Internal to the C interface.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercator/c_api.h"
#include "mercator/runtime/dlpack.h"
#include "mercator/runtime/packed_function.h"
#include "mercator/support/error.h"

struct MercatorError {
  mercator::Error error;
};

// A counted string, tensor, function, handle or list.
struct MercatorObject {
  explicit MercatorObject(mercator::runtime::Any content) : any(std::move(content)) {}

  std::atomic<std::int64_t> references = 1;
  const mercator::runtime::Any any;
  // Of tensors: a look at `any`, which is stored as DLPack has it.
  DLManagedTensor* view = nullptr;
};

namespace mercator::runtime {

// What owns a reference to an object.
struct ReleaseObject {
  void operator()(MercatorObject* object) const { mercator_release(object); }
};
using ObjectReference = std::unique_ptr<MercatorObject, ReleaseObject>;

// Values of C that own references to their objects. Elements narrower than a byte are stored there
// as DLPack has it: these copies are in the pool of the process.
class OwnedValues {
 public:
  // Errors of kind kExhausted if there is no memory for a tensor.
  [[nodiscard]] static Result<OwnedValues> of(std::span<const Any> values);

  OwnedValues() = default;
  OwnedValues(OwnedValues&&) noexcept = default;
  OwnedValues& operator=(OwnedValues&&) noexcept = delete;
  OwnedValues(const OwnedValues&) = delete;
  OwnedValues& operator=(const OwnedValues&) = delete;
  ~OwnedValues();

  [[nodiscard]] const std::vector<MercatorValue>& values() const { return values_; }

 private:
  std::vector<MercatorValue> values_;
};

// Where tensors that cross the interface get their memory.
[[nodiscard]] const MemoryPool& process_pool();

// A new object; `any` is a string, a tensor, a function, a handle or a list. An error of kind
// kExhausted if there is no memory for a tensor.
[[nodiscard]] Result<ObjectReference> new_object(Any any);
// A value that owns a reference to its object, if it has one.
[[nodiscard]] Result<MercatorValue> value_for_c(const Any& any);
// The reverse, for a value that is lent. An error of kind kUsage if it is no value.
[[nodiscard]] Result<Any> any_of(const MercatorValue& value);

// ---- for the functions of the interface ----

// What a function returns, for what `body` does: a Result<void>.
template <class Body>
MercatorError* returned(Body body) {
  Result<void> result = body();
  return result ? nullptr : new MercatorError{std::move(result).error()};
}

// An error of kind kUsage if a parameter that must point to something is NULL.
[[nodiscard]] Result<void> require(const void* pointer, std::string_view parameter);

// Sets `result` to a new object.
[[nodiscard]] Result<void> give(Any any, MercatorObject** result);

// The code of c_api.h for a kind of error, and the reverse.
[[nodiscard]] std::int32_t error_code(ErrorKind kind);
[[nodiscard]] ErrorKind error_kind(std::int32_t code);

// The handle of an object of C; its class is known to nobody here.
[[nodiscard]] Handle foreign_handle(std::string type_name, void* pointer,
                                    void (*deleter)(void* pointer));
[[nodiscard]] bool is_foreign(const Handle& handle);

// The function that calls `callback`.
[[nodiscard]] PackedFunction callback_function(std::string name, MercatorCallback callback,
                                               void* context, void (*deleter)(void* context));

}  // namespace mercator::runtime
