// Sums of products, which dots and convolutions are made of.
//
// A sum takes factors of the type `kFactorType`, as which `Factor` reads elements, and is given as
// a number of that type. The products are added up in a type that is wider than those of the
// factors and of the result: f64 for floating-point types of up to 32 bits, the long double of the
// machine for f64, likewise for the parts of complex numbers. Integers wrap at 64 bits, and so at
// any width below.

#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "mercator/runtime/element_access.h"
#include "mercator/runtime/number.h"
#include "mercator/runtime/run_context.h"
#include "mercator/runtime/tensor.h"
#include "mercator/support/error.h"

namespace mercator::runtime {

class IntegerSum {
 public:
  using Factor = std::uint64_t;
  static constexpr hlo::ElementType kFactorType = hlo::ElementType::kS64;
  [[nodiscard]] static Factor factor(const Number& number) { return number.u; }
  void add(Factor a, Factor b) { total_ += a * b; }
  [[nodiscard]] Number number() const { return {.u = total_}; }

 private:
  std::uint64_t total_ = 0;
};

template <class Wide>
class RealSum {
 public:
  using Factor = double;
  static constexpr hlo::ElementType kFactorType = hlo::ElementType::kF64;
  [[nodiscard]] static Factor factor(const Number& number) { return number.d; }
  void add(Factor a, Factor b) { total_ += static_cast<Wide>(a) * static_cast<Wide>(b); }
  [[nodiscard]] Number number() const { return {.d = static_cast<double>(total_)}; }

 private:
  Wide total_ = 0;
};

// Products by the formula, without a second look at infinities.
template <class Wide>
class ComplexSum {
 public:
  using Factor = std::complex<double>;
  static constexpr hlo::ElementType kFactorType = hlo::ElementType::kC128;
  [[nodiscard]] static Factor factor(const Number& number) { return number.z; }
  void add(const Factor& a, const Factor& b) {
    real_.add(a.real(), b.real());
    real_.add(-a.imag(), b.imag());
    imaginary_.add(a.real(), b.imag());
    imaginary_.add(a.imag(), b.real());
  }
  [[nodiscard]] Number number() const { return {.z = {real_.number().d, imaginary_.number().d}}; }

 private:
  RealSum<Wide> real_;
  RealSum<Wide> imaginary_;
};

// How the products of an instruction are added up.
enum class SumKind : std::uint8_t { kInteger, kReal, kLongReal, kComplex, kLongComplex };

// By the types of the operands and of the result.
[[nodiscard]] SumKind sum_kind(std::initializer_list<hlo::ElementType> types);
// Calls `function(Sum{})` with the sum of that kind, and returns what it returns.
template <class Function>
auto with_sum(SumKind kind, Function function) {
  switch (kind) {
    case SumKind::kInteger:
      return function(IntegerSum());
    case SumKind::kReal:
      return function(RealSum<double>());
    case SumKind::kLongReal:
      return function(RealSum<long double>());
    case SumKind::kComplex:
      return function(ComplexSum<double>());
    case SumKind::kLongComplex:
      break;
  }
  return function(ComplexSum<long double>());
}

// The elements of a tensor of the type `Sum::kFactorType`.
template <class Sum>
[[nodiscard]] std::span<const typename Sum::Factor> factors(const Tensor& tensor) {
  return {reinterpret_cast<const typename Sum::Factor*>(tensor.bytes().data()),
          static_cast<std::size_t>(tensor.element_count())};
}

// A tensor as factors, with its dimensions in another order: dimension `order[0]` comes first.
// Errors of kind kExhausted and kInterrupted.
[[nodiscard]] Result<Tensor> as_factors(const Tensor& tensor, std::span<const std::int64_t> order,
                                        SumKind kind, const RunContext& context);

}  // namespace mercator::runtime
