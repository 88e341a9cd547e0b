// Elements of floating-point and complex types in the precision in which algorithms over whole
// arrays compute.

#pragma once

#include <complex>
#include <cstdint>

#include "mercator/runtime/element_access.h"
#include "mercator/runtime/tensor.h"

namespace mercator::runtime {

using WideReal = long double;
using WideComplex = std::complex<long double>;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

template <class T>
struct RealPart {
  using Type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using Type = T;
};

// The complex conjugate, which for a real number is the number.
template <class T>
[[nodiscard]] T conjugate(const T& x) {
  if constexpr (kIsComplex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

template <class T>
[[nodiscard]] auto real_part(const T& x) -> typename RealPart<T>::Type {
  if constexpr (kIsComplex<T>) {
    return x.real();
  } else {
    return x;
  }
}

// The element type that holds numbers of type `Wide`, up to the last rounding.
template <class Wide>
inline constexpr hlo::ElementType kWideType =
    kIsComplex<Wide> ? hlo::ElementType::kC128 : hlo::ElementType::kF64;

// Reads elements of a dense tensor as numbers of a real or a complex type. The tensor must stay.
template <class Wide>
class WideReader {
 public:
  explicit WideReader(const Tensor& tensor) : reader_(tensor, kWideType<Wide>) {}

  [[nodiscard]] Wide operator[](std::int64_t index) const {
    const Number number = reader_(index);
    if constexpr (kIsComplex<Wide>) {
      return Wide(number.z.real(), number.z.imag());
    } else {
      return Wide(number.d);
    }
  }

 private:
  ElementReader reader_;
};

// Writes elements of a dense tensor, rounded to its type. The tensor must stay.
template <class Wide>
class WideWriter {
 public:
  explicit WideWriter(Tensor& tensor) : writer_(tensor, kWideType<Wide>) {}

  void set(std::int64_t index, const Wide& value) const {
    if constexpr (kIsComplex<Wide>) {
      writer_(index, {.z = {static_cast<double>(value.real()), static_cast<double>(value.imag())}});
    } else {
      writer_(index, {.d = static_cast<double>(value)});
    }
  }

 private:
  ElementWriter writer_;
};

}  // namespace mercator::runtime
