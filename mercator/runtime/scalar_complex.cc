// Complex numbers. Functions of c64 are computed in c128, those of c128 in the extended precision
// of the machine, so that nothing overflows on the way; they are rounded once.
//
// Infinities, nans and branch cuts are as in XLA:CPU, which differs from Annex G of C: products are
// the sums that define them, and nan in one part mostly gives nan in both.

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <type_traits>

#include "mercator/runtime/scalar_kinds.h"

namespace mercator::runtime {
namespace {

using hlo::Opcode;

template <class Part>
using Wider = std::conditional_t<std::is_same_v<Part, float>, double, long double>;

template <class Real>
constexpr Real kNotANumber = std::numeric_limits<Real>::quiet_NaN();

template <class Real>
bool has_nan(std::complex<Real> z) {
  return std::isnan(z.real()) || std::isnan(z.imag());
}

template <class Real>
std::complex<Real> not_a_number() {
  return {kNotANumber<Real>, kNotANumber<Real>};
}

// ---- arithmetic ----

template <class Real>
std::complex<Real> times(std::complex<Real> a, std::complex<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Unlike the C library's, that of (infinity, nan) is nan.
template <class Real>
Real absolute(std::complex<Real> z) {
  return has_nan(z) ? kNotANumber<Real> : std::hypot(z.real(), z.imag());
}

template <class Real>
std::complex<Real> sign(std::complex<Real> z) {
  const Real length = absolute(z);
  if (length == 0) return z;
  return {z.real() / length, z.imag() / length};
}

// ---- exponentials and logarithms ----

// e times the unit number of that angle; real for angle 0, even where e is infinite.
template <class Real>
std::complex<Real> polar(Real e, Real angle) {
  return {e * std::cos(angle), angle == 0 ? Real{0} : e * std::sin(angle)};
}

template <class Real>
std::complex<Real> exponential(std::complex<Real> z) {
  return polar(std::exp(z.real()), z.imag());
}

// exp(x) cos(y) - 1 = expm1(x) cos(y) - 2 sin(y/2)^2, which do not cancel where z is small.
template <class Real>
std::complex<Real> exponential_minus_one(std::complex<Real> z) {
  const Real half_sine = std::sin(z.imag() / 2);
  const Real real = std::expm1(z.real()) * std::cos(z.imag()) - 2 * half_sine * half_sine;
  return {real, exponential(z).imag()};
}

template <class Real>
std::complex<Real> logarithm(std::complex<Real> z) {
  return has_nan(z) ? not_a_number<Real>() : std::log(z);
}

// |1 + z|^2 - 1 = x (2 + x) + y^2
template <class Real>
std::complex<Real> logarithm_plus_one(std::complex<Real> z) {
  const Real x = z.real();
  const Real y = z.imag();
  return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
}

template <class Real>
std::complex<Real> logistic(std::complex<Real> z) {
  const bool is_left = z.real() < 0;
  const std::complex<Real> e = exponential(is_left ? z : -z);
  return (is_left ? e : std::complex<Real>(1)) / (Real{1} + e);
}

// exp(b log(a)), but for bases and exponents whose logarithm says nothing.
template <class Real>
std::complex<Real> power(std::complex<Real> a, std::complex<Real> b) {
  const std::complex<Real> zero;
  if (b == zero || a == Real{1}) return 1;
  if (a == zero) return b.imag() == 0 && b.real() > 0 ? zero : not_a_number<Real>();
  const bool is_positive_infinity = std::isinf(a.real()) && a.real() > 0 && a.imag() == 0;
  if (is_positive_infinity && b.imag() == 0 && b.real() != 0 && !std::isnan(b.real())) {
    return b.real() > 0 ? a.real() : zero;
  }
  return exponential(times(b, logarithm(a)));
}

// ---- roots ----

// On the negative real axis it is +i, whatever the sign of the imaginary zero.
template <class Real>
std::complex<Real> square_root(std::complex<Real> z) {
  if (has_nan(z)) return not_a_number<Real>();
  return std::sqrt(z.imag() == 0 ? std::complex<Real>(z.real()) : z);
}

// sqrt(conj(z)) / |z|, on the side of the branch cut that the imaginary zero says.
template <class Real>
std::complex<Real> reciprocal_square_root(std::complex<Real> z) {
  if (std::isinf(z.real()) || std::isinf(z.imag())) return 0;
  if (z == std::complex<Real>()) return {std::numeric_limits<Real>::infinity(), kNotANumber<Real>};
  return std::sqrt(std::conj(z)) / absolute(z);
}

template <class Real>
std::complex<Real> cube_root(std::complex<Real> z) {
  if (z == std::complex<Real>()) return z;
  return polar(std::cbrt(absolute(z)), std::arg(z) / 3);
}

// ---- trigonometry ----

template <class Real>
std::complex<Real> sine(std::complex<Real> z) {
  return {std::sin(z.real()) * std::cosh(z.imag()), std::cos(z.real()) * std::sinh(z.imag())};
}

template <class Real>
std::complex<Real> cosine(std::complex<Real> z) {
  return {std::cos(z.real()) * std::cosh(z.imag()), -std::sin(z.real()) * std::sinh(z.imag())};
}

// The angle of (x, y) where these are complex: -i log((x + iy) / sqrt(x^2 + y^2)).
template <class Real>
std::complex<Real> angle(std::complex<Real> y, std::complex<Real> x) {
  const std::complex<Real> direction(x.real() - y.imag(), x.imag() + y.real());
  const std::complex<Real> length = square_root(times(x, x) + times(y, y));
  const std::complex<Real> log = logarithm(direction / length);
  return {log.imag(), -log.real()};
}

// ---- the table ----

template <class Part, auto kFunction>
Number wide_unary(const ScalarOperation& /*operation*/, const Number* operands) {
  using Wide = std::complex<Wider<Part>>;
  return number_of(std::complex<Part>(kFunction(Wide(part<std::complex<Part>>(operands[0])))));
}
template <class Part, auto kFunction>
Number wide_binary(const ScalarOperation& /*operation*/, const Number* operands) {
  using Wide = std::complex<Wider<Part>>;
  return number_of(std::complex<Part>(kFunction(Wide(part<std::complex<Part>>(operands[0])),
                                                Wide(part<std::complex<Part>>(operands[1])))));
}

template <class Part>
Number real_part(const ScalarOperation& /*operation*/, const Number* operands) {
  return number_of(part<std::complex<Part>>(operands[0]).real());
}
template <class Part>
Number imaginary_part(const ScalarOperation& /*operation*/, const Number* operands) {
  return number_of(part<std::complex<Part>>(operands[0]).imag());
}
template <class Part>
Number length(const ScalarOperation& /*operation*/, const Number* operands) {
  const auto z = part<std::complex<Part>>(operands[0]);
  return number_of(static_cast<Part>(absolute(std::complex<Wider<Part>>(z))));
}

template <class Part>
ScalarOperation::Function complex_function(Opcode opcode) {
  using Value = std::complex<Part>;
  using Wide = std::complex<Wider<Part>>;
  switch (opcode) {
    case Opcode::kAbs:
      return length<Part>;
    case Opcode::kAcos:
      return wide_unary<Part, [](Wide z) { return std::acos(z); }>;
    case Opcode::kAcosh:
      return wide_unary<Part, [](Wide z) { return std::acosh(z); }>;
    case Opcode::kAdd:
      return binary<Value, [](Value a, Value b) { return a + b; }>;
    case Opcode::kAsin:
      return wide_unary<Part, [](Wide z) { return std::asin(z); }>;
    case Opcode::kAsinh:
      return wide_unary<Part, [](Wide z) { return std::asinh(z); }>;
    case Opcode::kAtan2:
      return wide_binary<Part, [](Wide y, Wide x) { return angle(y, x); }>;
    case Opcode::kAtanh:
      return wide_unary<Part, [](Wide z) { return std::atanh(z); }>;
    case Opcode::kCbrt:
      return wide_unary<Part, [](Wide z) { return cube_root(z); }>;
    case Opcode::kCosh:
      return wide_unary<Part, [](Wide z) { return std::cosh(z); }>;
    case Opcode::kCosine:
      return wide_unary<Part, [](Wide z) { return cosine(z); }>;
    case Opcode::kDivide:
      return wide_binary<Part, [](Wide a, Wide b) { return a / b; }>;
    case Opcode::kExp:
      return wide_unary<Part, [](Wide z) { return exponential(z); }>;
    case Opcode::kExpm1:
      return wide_unary<Part, [](Wide z) { return exponential_minus_one(z); }>;
    case Opcode::kImag:
      return imaginary_part<Part>;
    case Opcode::kLog:
      return wide_unary<Part, [](Wide z) { return logarithm(z); }>;
    case Opcode::kLog1p:
      return wide_unary<Part, [](Wide z) { return logarithm_plus_one(z); }>;
    case Opcode::kLogistic:
      return wide_unary<Part, [](Wide z) { return logistic(z); }>;
    case Opcode::kMultiply:
      return wide_binary<Part, [](Wide a, Wide b) { return times(a, b); }>;
    case Opcode::kNegate:
      return unary<Value, [](Value z) { return -z; }>;
    case Opcode::kPower:
      return wide_binary<Part, [](Wide a, Wide b) { return power(a, b); }>;
    case Opcode::kReal:
      return real_part<Part>;
    case Opcode::kRsqrt:
      return wide_unary<Part, [](Wide z) { return reciprocal_square_root(z); }>;
    case Opcode::kSign:
      return wide_unary<Part, [](Wide z) { return sign(z); }>;
    case Opcode::kSine:
      return wide_unary<Part, [](Wide z) { return sine(z); }>;
    case Opcode::kSinh:
      return wide_unary<Part, [](Wide z) { return std::sinh(z); }>;
    case Opcode::kSqrt:
      return wide_unary<Part, [](Wide z) { return square_root(z); }>;
    case Opcode::kSubtract:
      return binary<Value, [](Value a, Value b) { return a - b; }>;
    case Opcode::kTan:
      return wide_unary<Part, [](Wide z) { return std::tan(z); }>;
    case Opcode::kTanh:
      return wide_unary<Part, [](Wide z) { return std::tanh(z); }>;
    default:
      return nullptr;
  }
}

}  // namespace

ScalarOperation::Function complex_single_function(Opcode opcode) {
  return complex_function<float>(opcode);
}

ScalarOperation::Function complex_double_function(Opcode opcode) {
  return complex_function<double>(opcode);
}

}  // namespace mercator::runtime
