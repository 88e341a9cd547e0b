// Makes a packed function of a C++ callable, by its signature:
//
//   const PackedFunction add = pack("add", [](double a, double b) { return a + b; });
//   add.call(1, "two").error().message;
//       // argument 1 of 'add' is a string, where a number is wanted
//
// Callables are pointers to functions, objects with one `operator() const` (lambdas) and pointers
// to member functions, whose object is the first parameter.
//
// Parameters: bool; integers, where the argument must lie in their range; floating-point numbers;
// std::string, std::string_view (valid during the call); Tensor, as it is stored (with_storage
// makes it dense); Value (null is a token, a list a tuple); PackedFunction; Any; of a class that
// crosses as a handle (handle_type_name) T&, const T& and std::shared_ptr<T>; std::vector of any of
// these, for a list; std::optional of any of these, for null and for arguments left out at the end;
// as the last one std::span<const Any>, for all arguments that remain.
//
// Results: the same where they are values, void, and Result of all these. A std::optional without a
// value is null.

#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "mercator/runtime/packed_function.h"

namespace mercator::runtime {
namespace internal {

// "argument 1 of 'add' is a string, where a tensor is wanted"
[[nodiscard]] Error argument_error(std::string_view function, std::size_t index,
                                   const Any& argument, std::string_view wanted);
// "an integer in [0, 255]"
[[nodiscard]] std::string integer_text(std::int64_t least, std::int64_t most);
// "the result of 'f' is 18446744073709551615, which is more than int64 has"
[[nodiscard]] Error result_error(std::string_view function, std::uint64_t result);

// How an argument becomes a parameter of type T: `wanted` says in words which arguments do, `from`
// is none for others.
template <class T>
struct Parameter;

// For kinds that Any holds as they are.
template <class T, const T* (Any::*content)() const>
struct HeldParameter {
  static std::optional<T> from(const Any& argument) {
    const T* const held = (argument.*content)();
    return held == nullptr ? std::nullopt : std::optional<T>(*held);
  }
};

template <>
struct Parameter<Any> {
  static std::string wanted() { return "anything"; }
  static std::optional<Any> from(const Any& argument) { return argument; }
};
template <>
struct Parameter<bool> : HeldParameter<bool, &Any::boolean> {
  static std::string wanted() { return "a bool"; }
};
template <>
struct Parameter<std::string> : HeldParameter<std::string, &Any::string> {
  static std::string wanted() { return "a string"; }
};
template <>
struct Parameter<std::string_view> {
  static std::string wanted() { return "a string"; }
  static std::optional<std::string_view> from(const Any& argument) {
    return argument.string() == nullptr ? std::nullopt
                                        : std::optional<std::string_view>(*argument.string());
  }
};
template <>
struct Parameter<Tensor> : HeldParameter<Tensor, &Any::tensor> {
  static std::string wanted() { return "a tensor"; }
};
template <>
struct Parameter<PackedFunction> : HeldParameter<PackedFunction, &Any::function> {
  static std::string wanted() { return "a function"; }
};
template <>
struct Parameter<Value> {
  static std::string wanted() { return "a tensor, a list of these, or null"; }
  static std::optional<Value> from(const Any& argument) { return value_of(argument); }
};

template <std::integral T>
struct Parameter<T> {
  static constexpr std::int64_t kLeast = std::numeric_limits<T>::min();
  static constexpr std::int64_t kMost = static_cast<std::int64_t>(std::min<std::uint64_t>(
      std::numeric_limits<T>::max(), std::numeric_limits<std::int64_t>::max()));

  static std::string wanted() { return integer_text(kLeast, kMost); }
  static std::optional<T> from(const Any& argument) {
    const std::int64_t* const held = argument.integer();
    if (held == nullptr || *held < kLeast || *held > kMost) return std::nullopt;
    return static_cast<T>(*held);
  }
};

template <std::floating_point T>
struct Parameter<T> {
  static std::string wanted() { return "a number"; }
  static std::optional<T> from(const Any& argument) {
    if (argument.integer() != nullptr) return static_cast<T>(*argument.integer());
    if (argument.real() != nullptr) return static_cast<T>(*argument.real());
    return std::nullopt;
  }
};

template <HandleClass T>
struct Parameter<std::shared_ptr<T>> {
  static std::string wanted() {
    return "a handle of type '" + std::string(handle_type_name<T>) + "'";
  }
  static std::optional<std::shared_ptr<T>> from(const Any& argument) {
    std::shared_ptr<T> object = argument.object<T>();
    return object == nullptr ? std::nullopt : std::optional(std::move(object));
  }
};
// The argument holds the object during the call.
template <HandleClass T>
struct Parameter<T&> {
  static std::string wanted() { return Parameter<std::shared_ptr<T>>::wanted(); }
  static std::optional<std::reference_wrapper<T>> from(const Any& argument) {
    const std::shared_ptr<T> object = argument.object<T>();
    return object == nullptr ? std::nullopt : std::optional(std::ref(*object));
  }
};

template <class T>
struct Parameter<std::vector<T>> {
  static std::string wanted() { return "a list (each element " + Parameter<T>::wanted() + ")"; }
  static std::optional<std::vector<T>> from(const Any& argument) {
    if (argument.list() == nullptr) return std::nullopt;
    std::vector<T> result;
    result.reserve(argument.list()->size());
    for (const Any& element : *argument.list()) {
      std::optional<T> converted = Parameter<T>::from(element);
      if (!converted) return std::nullopt;
      result.push_back(*std::move(converted));
    }
    return result;
  }
};

template <class T>
struct Parameter<std::optional<T>> {
  static std::string wanted() { return Parameter<T>::wanted() + " or null"; }
  static std::optional<std::optional<T>> from(const Any& argument) {
    std::optional<T> converted;
    if (!argument.is_null()) {
      converted = Parameter<T>::from(argument);
      if (!converted) return std::nullopt;
    }
    return std::optional<std::optional<T>>(std::in_place, std::move(converted));
  }
};

// All arguments from one on; handled apart, as it takes many.
using Rest = std::span<const Any>;

// The T of Parameter<T> for a parameter that is declared as `Declared`.
template <class Declared>
struct ParameterType {
  using type = std::remove_cvref_t<Declared>;
  static_assert(!std::is_lvalue_reference_v<Declared> ||
                    std::is_const_v<std::remove_reference_t<Declared>>,
                "a packed function can change nothing of its arguments but the objects of handles");
};
template <class Declared>
  requires(std::is_lvalue_reference_v<Declared> && HandleClass<std::remove_cvref_t<Declared>>)
struct ParameterType<Declared> {
  using type = std::remove_cvref_t<Declared>&;
};
template <class Declared>
using ParameterFor = Parameter<typename ParameterType<Declared>::type>;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class... Declared>
constexpr PackedFunction::ArgumentCount argument_count() {
  constexpr std::size_t kCount = sizeof...(Declared);
  PackedFunction::ArgumentCount count{.least = 0, .most = kCount};
  const std::array<bool, kCount> may_be_left_out = {
      (is_optional<std::remove_cvref_t<Declared>> ||
       std::same_as<std::remove_cvref_t<Declared>, Rest>)...};
  for (std::size_t i = 0; i < kCount; ++i) {
    if (!may_be_left_out[i]) count.least = i + 1;
  }
  if constexpr ((std::same_as<std::remove_cvref_t<Declared>, Rest> || ...)) {
    count.most = PackedFunction::ArgumentCount{}.most;
  }
  return count;
}

// Argument `index` as a parameter; `failure` is set if it cannot be one.
template <class Declared>
auto take(std::string_view function, std::span<const Any> arguments, std::size_t index,
          std::optional<Error>& failure) {
  if constexpr (std::same_as<std::remove_cvref_t<Declared>, Rest>) {
    return std::optional(arguments.subspan(std::min(index, arguments.size())));
  } else {
    static const Any null;
    const Any& argument = index < arguments.size() ? arguments[index] : null;
    auto converted = ParameterFor<Declared>::from(argument);
    if (!converted && !failure) {
      failure = argument_error(function, index, argument, ParameterFor<Declared>::wanted());
    }
    return converted;
  }
}

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = !std::same_as<T, Any>;
template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<Result<T>> = true;

// The result of a callable, of which most types are moved from, as that of a packed function.
template <class T>
Result<Any> packed_result(std::string_view function,
                          T result) {  // NOLINT(performance-unnecessary-value-param)
  if constexpr (is_result<T>) {
    if (!result) return std::unexpected(std::move(result).error());
    if constexpr (std::is_void_v<typename T::value_type>) {
      return nullptr;
    } else {
      return packed_result(function, *std::move(result));
    }
  } else if constexpr (is_optional<T>) {
    if (!result) return nullptr;
    return packed_result(function, *std::move(result));
  } else if constexpr (is_vector<T>) {
    std::vector<Any> elements;
    elements.reserve(result.size());
    for (auto&& element : result) {
      elements.push_back(
          MERCATOR_TRY(packed_result<typename T::value_type>(function, std::move(element))));
    }
    return elements;
  } else if constexpr (std::same_as<T, Value>) {
    return any_of(result);
  } else if constexpr (std::unsigned_integral<T> && sizeof(T) == sizeof(std::int64_t)) {
    if (result > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
      return std::unexpected(result_error(function, result));
    }
    return static_cast<std::int64_t>(result);
  } else {
    static_assert(std::constructible_from<Any, T>, "a packed function cannot return this type");
    return Any(std::move(result));
  }
}

template <class... Declared>
struct Signature {
  static constexpr PackedFunction::ArgumentCount kCount = argument_count<Declared...>();

  template <class Callable>
  static Result<Any> call(const Callable& callable, std::string_view function,
                          std::span<const Any> arguments) {
    return call(callable, function, arguments, std::index_sequence_for<Declared...>());
  }

 private:
  template <class Callable, std::size_t... index>
  static Result<Any> call(const Callable& callable, std::string_view function,
                          [[maybe_unused]] std::span<const Any> arguments,
                          std::index_sequence<index...> /*all*/) {
    std::optional<Error> failure;
    // Braces: from left to right, so that the message is about the first wrong argument.
    [[maybe_unused]] std::tuple taken{take<Declared>(function, arguments, index, failure)...};
    if (failure) return std::unexpected(*std::move(failure));
    const auto invoke = [&]() -> decltype(auto) {
      return std::invoke(callable, static_cast<Declared>(*std::move(std::get<index>(taken)))...);
    };
    if constexpr (std::is_void_v<decltype(invoke())>) {
      invoke();
      return nullptr;
    } else {
      return packed_result(function, invoke());
    }
  }
};

// The parameters of a callable, as a Signature.
template <class Callable>
struct SignatureOf : SignatureOf<decltype(&Callable::operator())> {};
template <class R, class... P>
struct SignatureOf<R (*)(P...)> : std::type_identity<Signature<P...>> {};
template <class R, class... P>
struct SignatureOf<R (*)(P...) noexcept> : std::type_identity<Signature<P...>> {};

// Of member functions: that of an object is the first parameter, where it is wanted.
template <class Member>
struct MemberSignature;
template <class R, class T, class... P>
struct MemberSignature<R (T::*)(P...)> {
  using Bound = Signature<P...>;
  using Free = Signature<T&, P...>;
};
template <class R, class T, class... P>
struct MemberSignature<R (T::*)(P...) const> : MemberSignature<R (T::*)(P...)> {};
template <class R, class T, class... P>
struct MemberSignature<R (T::*)(P...) noexcept> : MemberSignature<R (T::*)(P...)> {};
template <class R, class T, class... P>
struct MemberSignature<R (T::*)(P...) const noexcept> : MemberSignature<R (T::*)(P...)> {};

template <class R, class T, class... P>
struct SignatureOf<R (T::*)(P...) const> : std::type_identity<Signature<P...>> {};
template <class R, class T, class... P>
struct SignatureOf<R (T::*)(P...) const noexcept> : std::type_identity<Signature<P...>> {};

template <class Signature, class Callable>
PackedFunction pack_as(std::string name, Callable callable) {
  auto body = [name, callable = std::move(callable)](std::span<const Any> arguments) {
    return Signature::call(callable, name, arguments);
  };
  return PackedFunction(std::move(name), std::move(body), Signature::kCount);
}

}  // namespace internal

// The packed function that calls `callable`; `name` is what messages call it. See the top of this
// file. A wrong argument is an error of kind kUsage that says which one it is, and what was wanted.
template <class Callable>
[[nodiscard]] PackedFunction pack(std::string name, Callable callable) {
  if constexpr (std::is_member_function_pointer_v<Callable>) {
    using Signature = typename internal::MemberSignature<Callable>::Free;
    return internal::pack_as<Signature>(std::move(name), std::mem_fn(callable));
  } else {
    using Signature = typename internal::SignatureOf<Callable>::type;
    return internal::pack_as<Signature>(std::move(name), std::move(callable));
  }
}

// The same for a member function and the object that it is called for, which the function keeps.
template <class T, class Member>
  requires std::is_member_function_pointer_v<Member>
[[nodiscard]] PackedFunction pack(std::string name, std::shared_ptr<T> object, Member member) {
  using Signature = typename internal::MemberSignature<Member>::Bound;
  auto callable = [object = std::move(object), member](auto&&... arguments) -> decltype(auto) {
    return std::invoke(member, *object, std::forward<decltype(arguments)>(arguments)...);
  };
  return internal::pack_as<Signature>(std::move(name), std::move(callable));
}

}  // namespace mercator::runtime
