// The operations of elementwise instructions, by the kind of numbers that they take. Internal to
// the runtime.

#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "mercator/hlo/opcode.h"
#include "mercator/runtime/scalar_operation.h"

namespace mercator::runtime {

// The function of an instruction on operands of a kind; null if it has none. Those below,
// selections and conversions are not among them.
[[nodiscard]] ScalarOperation::Function pred_function(hlo::Opcode opcode);
[[nodiscard]] ScalarOperation::Function unsigned_function(hlo::Opcode opcode);
[[nodiscard]] ScalarOperation::Function signed_function(hlo::Opcode opcode);
[[nodiscard]] ScalarOperation::Function single_function(hlo::Opcode opcode);
[[nodiscard]] ScalarOperation::Function double_function(hlo::Opcode opcode);
[[nodiscard]] ScalarOperation::Function complex_single_function(hlo::Opcode opcode);
[[nodiscard]] ScalarOperation::Function complex_double_function(hlo::Opcode opcode);

// The function of `compare` for a direction (EQ, NE, GE, GT, LE, LT) on operands of a kind; null if
// the kind has no such order.
[[nodiscard]] ScalarOperation::Function compare_function(std::string_view direction,
                                                         bool total_order, NumberKind kind);
// The functions of `reduce-precision` and `stochastic-convert` on operands of a floating-point
// type.
[[nodiscard]] ScalarOperation::Function reduce_precision_function(hlo::ElementType type);
[[nodiscard]] ScalarOperation::Function stochastic_convert_function(hlo::ElementType type);

// The member of a number that has the type T.
template <class T>
T part(const Number& number) {
  if constexpr (std::is_same_v<T, std::uint64_t>) return number.u;
  if constexpr (std::is_same_v<T, std::int64_t>) return number.s;
  if constexpr (std::is_same_v<T, float>) return number.f;
  if constexpr (std::is_same_v<T, double>) return number.d;
  if constexpr (std::is_same_v<T, std::complex<float>>) return number.c;
  if constexpr (std::is_same_v<T, std::complex<double>>) return number.z;
}

// The place of a floating-point number in the total order -nan, -infinity, …, -0, 0, …, infinity,
// nan: as an integer of its width, larger for what comes later.
template <class Real>
auto place_in_total_order(Real value) {
  using Place = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  const auto bits = std::bit_cast<Place>(value);
  return bits < 0 ? static_cast<Place>(bits ^ std::numeric_limits<Place>::max()) : bits;
}

template <class T>
Number number_of(T value) {
  if constexpr (std::is_same_v<T, std::uint64_t>) return {.u = value};
  if constexpr (std::is_same_v<T, std::int64_t>) return {.s = value};
  if constexpr (std::is_same_v<T, float>) return {.f = value};
  if constexpr (std::is_same_v<T, double>) return {.d = value};
  if constexpr (std::is_same_v<T, std::complex<float>>) return {.c = value};
  if constexpr (std::is_same_v<T, std::complex<double>>) return {.z = value};
}

inline Number truth(bool value) { return {.u = value ? 1U : 0U}; }

// The operations that functions of values make.
template <class T, auto kFunction>
Number unary(const ScalarOperation& /*operation*/, const Number* operands) {
  return number_of<T>(kFunction(part<T>(operands[0])));
}
template <class T, auto kFunction>
Number binary(const ScalarOperation& /*operation*/, const Number* operands) {
  return number_of<T>(kFunction(part<T>(operands[0]), part<T>(operands[1])));
}

// The operation that gives its first operand.
inline Number first_operand(const ScalarOperation& /*operation*/, const Number* operands) {
  return operands[0];
}

}  // namespace mercator::runtime
