// Floating-point numbers as IEEE 754 and the C library have them. Functions of f32 (and of the
// narrower types, which are computed as f32) are computed in f64 and rounded once. Subnormal
// numbers are numbers, which XLA:CPU takes for zero.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "mercator/runtime/scalar_kinds.h"

namespace mercator::runtime {
namespace {

using hlo::Opcode;

// A type in which functions of T lose less than rounding to T does.
template <class T>
using Wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

// For functions that the C library has for f64 with an error below one unit in the last place.
template <class T, auto kFunction>
Number library_unary(const ScalarOperation& /*operation*/, const Number* operands) {
  return number_of(static_cast<T>(kFunction(static_cast<double>(part<T>(operands[0])))));
}
template <class T, auto kFunction>
Number library_binary(const ScalarOperation& /*operation*/, const Number* operands) {
  return number_of(static_cast<T>(kFunction(static_cast<double>(part<T>(operands[0])),
                                            static_cast<double>(part<T>(operands[1])))));
}
// For functions with several steps.
template <class T, auto kFunction>
Number wide_unary(const ScalarOperation& /*operation*/, const Number* operands) {
  return number_of(static_cast<T>(kFunction(static_cast<Wider<T>>(part<T>(operands[0])))));
}

// nan is passed on; of two zeros the positive one is larger.
constexpr auto kMaximum = [](auto a, auto b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
};
constexpr auto kMinimum = [](auto a, auto b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
};

// -1, 1, or what it is given: a zero or nan.
constexpr auto kSign = [](auto a) {
  using T = decltype(a);
  if (a > 0) return T{1};
  if (a < 0) return T{-1};
  return a;
};

// The exponential of a number that is not positive cannot overflow.
constexpr auto kLogistic = [](auto a) {
  const auto e = std::exp(-std::abs(a));
  return (a < 0 ? e : decltype(e){1}) / (1 + e);
};
constexpr auto kReciprocalRoot = [](auto a) { return 1 / std::sqrt(a); };

template <class T>
Number clamp(const ScalarOperation& /*operation*/, const Number* operands) {
  const T raised = kMaximum(part<T>(operands[1]), part<T>(operands[0]));
  return number_of(kMinimum(raised, part<T>(operands[2])));
}

template <class T>
Number is_finite(const ScalarOperation& /*operation*/, const Number* operands) {
  return truth(std::isfinite(part<T>(operands[0])));
}

template <class T>
Number zero(const ScalarOperation& /*operation*/, const Number* /*operands*/) {
  return number_of(T{0});
}

template <class T>
Number complex(const ScalarOperation& /*operation*/, const Number* operands) {
  return number_of(std::complex<T>(part<T>(operands[0]), part<T>(operands[1])));
}

template <class T>
ScalarOperation::Function real_function(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
      return unary<T, [](T a) { return std::abs(a); }>;
    case Opcode::kAcos:
      return library_unary<T, [](double a) { return std::acos(a); }>;
    case Opcode::kAcosh:
      return library_unary<T, [](double a) { return std::acosh(a); }>;
    case Opcode::kAdd:
      return binary<T, [](T a, T b) { return a + b; }>;
    case Opcode::kAsin:
      return library_unary<T, [](double a) { return std::asin(a); }>;
    case Opcode::kAsinh:
      return library_unary<T, [](double a) { return std::asinh(a); }>;
    case Opcode::kAtan2:
      return library_binary<T, [](double a, double b) { return std::atan2(a, b); }>;
    case Opcode::kAtanh:
      return library_unary<T, [](double a) { return std::atanh(a); }>;
    case Opcode::kCbrt:
      return wide_unary<T, [](auto a) { return std::cbrt(a); }>;
    case Opcode::kCeil:
      return unary<T, [](T a) { return std::ceil(a); }>;
    case Opcode::kClamp:
      return clamp<T>;
    case Opcode::kComplex:
      return complex<T>;
    case Opcode::kCosh:
      return library_unary<T, [](double a) { return std::cosh(a); }>;
    case Opcode::kCosine:
      return library_unary<T, [](double a) { return std::cos(a); }>;
    case Opcode::kDivide:
      return binary<T, [](T a, T b) { return a / b; }>;
    case Opcode::kErf:
      return library_unary<T, [](double a) { return std::erf(a); }>;
    case Opcode::kExp:
      return library_unary<T, [](double a) { return std::exp(a); }>;
    case Opcode::kExpm1:
      return library_unary<T, [](double a) { return std::expm1(a); }>;
    case Opcode::kFloor:
      return unary<T, [](T a) { return std::floor(a); }>;
    case Opcode::kImag:
      return zero<T>;
    case Opcode::kIsFinite:
      return is_finite<T>;
    case Opcode::kLog:
      return library_unary<T, [](double a) { return std::log(a); }>;
    case Opcode::kLog1p:
      return library_unary<T, [](double a) { return std::log1p(a); }>;
    case Opcode::kLogistic:
      return wide_unary<T, kLogistic>;
    case Opcode::kMaximum:
      return binary<T, kMaximum>;
    case Opcode::kMinimum:
      return binary<T, kMinimum>;
    case Opcode::kMultiply:
      return binary<T, [](T a, T b) { return a * b; }>;
    case Opcode::kNegate:
      return unary<T, [](T a) { return -a; }>;
    case Opcode::kPower:
      return library_binary<T, [](double a, double b) { return std::pow(a, b); }>;
    case Opcode::kReal:
      return first_operand;
    case Opcode::kRemainder:
      return binary<T, [](T a, T b) { return std::fmod(a, b); }>;
    case Opcode::kRoundNearestAfz:
      return unary<T, [](T a) { return std::round(a); }>;
    case Opcode::kRoundNearestEven:
      return unary<T, [](T a) { return std::nearbyint(a); }>;
    case Opcode::kRsqrt:
      return wide_unary<T, kReciprocalRoot>;
    case Opcode::kSign:
      return unary<T, kSign>;
    case Opcode::kSine:
      return library_unary<T, [](double a) { return std::sin(a); }>;
    case Opcode::kSinh:
      return library_unary<T, [](double a) { return std::sinh(a); }>;
    case Opcode::kSqrt:
      return unary<T, [](T a) { return std::sqrt(a); }>;
    case Opcode::kSubtract:
      return binary<T, [](T a, T b) { return a - b; }>;
    case Opcode::kTan:
      return library_unary<T, [](double a) { return std::tan(a); }>;
    case Opcode::kTanh:
      return library_unary<T, [](double a) { return std::tanh(a); }>;
    default:
      return nullptr;
  }
}

}  // namespace

ScalarOperation::Function single_function(Opcode opcode) { return real_function<float>(opcode); }

ScalarOperation::Function double_function(Opcode opcode) { return real_function<double>(opcode); }

}  // namespace mercator::runtime
