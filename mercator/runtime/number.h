// Numbers: single elements, as arithmetic sees them.
//
// The thirty element types are computed with in six ways. An element is loaded into the way of its
// type, and rounded or wrapped to its type when it is stored.

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "mercator/hlo/shape.h"

namespace mercator::runtime {

// How a type is computed with, and the member of Number that holds its values.
enum class NumberKind : std::uint8_t {
  kUnsigned,       // u: pred (0 and 1) and u*
  kSigned,         // s: s*
  kSingle,         // f: floating-point types of up to 32 bits
  kDouble,         // d: f64
  kComplexSingle,  // c: c64
  kComplexDouble,  // z: c128
};
[[nodiscard]] NumberKind number_kind(hlo::ElementType type);

// Number{} is zero; {.f = 1} is a number of kind kSingle.
union Number {
  std::uint64_t u = 0;
  std::int64_t s;
  float f;
  double d;
  std::complex<float> c;
  std::complex<double> z;
};

using Load = Number (*)(const std::byte* element);
using Store = void (*)(const Number& number, std::byte* element);

// Reads an element of the type from `hlo::element_bytes(type)` bytes.
[[nodiscard]] Load load_function(hlo::ElementType type);
// Writes one. Integers wrap at the width of the type; floating-point numbers are rounded to the
// nearest value, ties to even, as `convert` does.
[[nodiscard]] Store store_function(hlo::ElementType type);

// A number of type `from` as one of type `to`, as `convert` does (and as XLA:CPU does where HLO
// leaves it open): integers wrap, floating-point to integer saturates and maps nan to 0, anything
// but zero is true, the imaginary part is dropped. The result is a value of `to`: storing it
// changes nothing. To f16 and bf16 f64 is rounded by way of f32, and so are integers to all types
// narrower than f32.
using Convert = Number (*)(const Number& number);
[[nodiscard]] Convert convert_function(hlo::ElementType from, hlo::ElementType to);

}  // namespace mercator::runtime
