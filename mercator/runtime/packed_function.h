// Packed functions: one convention for calling any function, whatever its signature and language.
// Arguments and the result are values of the type `Any`. pack.h makes a packed function of any C++
// callable; c_api.h carries them over a C ABI.

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "mercator/runtime/tensor.h"
#include "mercator/runtime/value.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

class Any;

// The name under which a C++ class crosses as a handle: to be specialised for the class, where it
// is declared. Names start with that of the project: "example.Counter".
//
//   template <>
//   inline constexpr std::string_view mercator::runtime::handle_type_name<Counter> =
//       "example.Counter";
template <class T>
inline constexpr std::string_view handle_type_name = "";
template <class T>
concept HandleClass = std::is_class_v<T> && !std::is_const_v<T> && !handle_type_name<T>.empty();

// An object that is counted and that only those who know its class look into.
struct Handle {
  std::string type_name;
  // Tells C++ classes apart, should two have the same name; null if it is of no C++ class.
  const void* class_id = nullptr;
  std::shared_ptr<void> object;
};

class PackedFunction {
 public:
  using Body = std::function<Result<Any>(std::span<const Any> arguments)>;
  // How many arguments it takes.
  struct ArgumentCount {
    std::size_t least = 0;
    std::size_t most = std::numeric_limits<std::size_t>::max();
  };

  // `name` is what messages call it. The body is called by several threads at once where the
  // function is, and may throw nothing.
  PackedFunction(std::string name, Body body)
      : PackedFunction(std::move(name), std::move(body), {}) {}
  PackedFunction(std::string name, Body body, ArgumentCount count);

  // What the body returns. Errors of kind kUsage if it does not take so many arguments, and of kind
  // kUnsupported if about a hundred packed functions are being called inside each other.
  Result<Any> operator()(std::span<const Any> arguments) const;
  // The same for arguments that each become an Any: `call(1, "two")`.
  template <class... Arguments>
  Result<Any> call(Arguments&&... arguments) const;

  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] bool accepts(std::size_t argument_count) const;
  // Whether they are copies of one function.
  friend bool operator==(const PackedFunction&, const PackedFunction&) = default;

 private:
  struct Content;
  std::shared_ptr<const Content> content_;
};

// An argument or a result. Cheap to copy: what is large is shared.
class Any {
 public:
  enum class Kind : std::uint8_t {
    kNull,
    kBool,
    kInteger,
    kReal,
    kString,
    kTensor,
    kFunction,
    kHandle,
    kList,
  };

  // Null.
  Any() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  Any(std::nullptr_t) {}
  Any(std::same_as<bool> auto value) : content_(value) {}
  Any(std::floating_point auto value) : content_(static_cast<double>(value)) {}
  // Every integer that int64 has.
  template <std::integral T>
    requires(!std::same_as<T, bool> && (std::is_signed_v<T> || sizeof(T) < sizeof(std::int64_t)))
  Any(T value) : content_(static_cast<std::int64_t>(value)) {}
  Any(std::string value);
  Any(std::string_view value) : Any(std::string(value)) {}
  Any(const char* value) : Any(std::string(value)) {}
  Any(Tensor value) : content_(std::move(value)) {}
  Any(PackedFunction value) : content_(std::move(value)) {}
  Any(Handle value) : content_(std::move(value)) {}
  template <HandleClass T>
  Any(std::shared_ptr<T> object)
      : content_(Handle{.type_name = std::string(handle_type_name<T>),
                        .class_id = &handle_type_name<T>,
                        .object = std::move(object)}) {}
  Any(std::vector<Any> elements);
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(content_.index()); }
  [[nodiscard]] bool is_null() const { return kind() == Kind::kNull; }
  // The content if it is of that kind, otherwise null.
  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&content_); }
  [[nodiscard]] const std::int64_t* integer() const { return std::get_if<std::int64_t>(&content_); }
  [[nodiscard]] const double* real() const { return std::get_if<double>(&content_); }
  [[nodiscard]] const std::string* string() const;
  [[nodiscard]] const Tensor* tensor() const { return std::get_if<Tensor>(&content_); }
  [[nodiscard]] const PackedFunction* function() const {
    return std::get_if<PackedFunction>(&content_);
  }
  [[nodiscard]] const Handle* handle() const { return std::get_if<Handle>(&content_); }
  [[nodiscard]] const std::vector<Any>* list() const;
  // The object of a handle of the class T; null if it is anything else.
  template <HandleClass T>
  [[nodiscard]] std::shared_ptr<T> object() const;

  // How deep lists lie inside each other: 0 for what is no list, 1 for a list without lists.
  [[nodiscard]] int depth() const;

 private:
  struct List;
  std::variant<std::monostate, bool, std::int64_t, double, std::shared_ptr<const std::string>,
               Tensor, PackedFunction, Handle, std::shared_ptr<const List>>
      content_;
};

// What it is, for messages: "null", "the integer 3", "a string", "a tensor f32[2,3]".
[[nodiscard]] std::string describe(const Any& value);

// A tensor; for a tuple a list; for a token null.
[[nodiscard]] Any any_of(const Value& value);
// The reverse. None for what HLO does not have: numbers, strings, functions and handles.
[[nodiscard]] std::optional<Value> value_of(const Any& value);

// ---- templates ----

template <class... Arguments>
Result<Any> PackedFunction::call(Arguments&&... arguments) const {
  const std::vector<Any> list = {Any(std::forward<Arguments>(arguments))...};
  return (*this)(list);
}

template <HandleClass T>
std::shared_ptr<T> Any::object() const {
  const Handle* const found = handle();
  if (found == nullptr || found->class_id != &handle_type_name<T>) return nullptr;
  return std::static_pointer_cast<T>(found->object);
}

}  // namespace mercator::runtime
