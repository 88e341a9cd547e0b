#include "mercator/runtime/number.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "mercator/runtime/narrow_float.h"
#include "mercator/support/arithmetic.h"

namespace mercator::runtime {
namespace {

using hlo::ElementType;

constexpr NumberKind kind_of(ElementType type) {
  switch (type) {
    case ElementType::kPred:
    case ElementType::kU1:
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8:
    case ElementType::kU16:
    case ElementType::kU32:
    case ElementType::kU64:
      return NumberKind::kUnsigned;
    case ElementType::kS1:
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8:
    case ElementType::kS16:
    case ElementType::kS32:
    case ElementType::kS64:
      return NumberKind::kSigned;
    case ElementType::kF64:
      return NumberKind::kDouble;
    case ElementType::kC64:
      return NumberKind::kComplexSingle;
    case ElementType::kC128:
      return NumberKind::kComplexDouble;
    default:
      return NumberKind::kSingle;
  }
}

constexpr int width_of(ElementType type) {
  switch (type) {
#define MERCATOR_X(id, name, bits) \
  case ElementType::id:            \
    return bits;
    MERCATOR_HLO_ELEMENT_TYPES(MERCATOR_X)
#undef MERCATOR_X
  }
  return 0;
}

template <ElementType type>
constexpr bool kIsInteger =
    (kind_of(type) == NumberKind::kUnsigned || kind_of(type) == NumberKind::kSigned) &&
    type != ElementType::kPred;

// The low bits of an integer as a value of the type.
template <ElementType type>
Number wrapped(std::uint64_t value) {
  if constexpr (kind_of(type) == NumberKind::kSigned) {
    return {.s = low_bits<std::int64_t>(value, width_of(type))};
  } else {
    return {.u = low_bits<std::uint64_t>(value, width_of(type))};
  }
}

// ---- load and store ----

template <class T>
T read(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

template <class T>
void write(T value, std::byte* element) {
  std::memcpy(element, &value, sizeof value);
}

// The unsigned integer that is as wide as an element in memory.
template <ElementType type>
using Bits = std::conditional_t<
    width_of(type) <= 8, std::uint8_t,
    std::conditional_t<width_of(type) == 16, std::uint16_t,
                       std::conditional_t<width_of(type) == 32, std::uint32_t, std::uint64_t>>>;

template <ElementType type>
Number load(const std::byte* element) {
  if constexpr (type == ElementType::kPred) {
    return {.u = read<std::uint8_t>(element) != 0 ? 1U : 0U};
  } else if constexpr (kIsInteger<type>) {
    return wrapped<type>(read<Bits<type>>(element));
  } else if constexpr (type == ElementType::kF32) {
    return {.f = read<float>(element)};
  } else if constexpr (type == ElementType::kF64) {
    return {.d = read<double>(element)};
  } else if constexpr (type == ElementType::kC64) {
    return {.c = read<std::complex<float>>(element)};
  } else if constexpr (type == ElementType::kC128) {
    return {.z = read<std::complex<double>>(element)};
  } else if constexpr (width_of(type) <= 8) {
    return {.f = kNarrowValues<type>[read<std::uint8_t>(element)]};
  } else {
    return {.f = decode_narrow<type>(read<std::uint16_t>(element))};
  }
}

template <ElementType type>
void store(const Number& number, std::byte* element) {
  if constexpr (type == ElementType::kPred) {
    write<std::uint8_t>(number.u != 0 ? 1 : 0, element);
  } else if constexpr (kIsInteger<type>) {
    write(static_cast<Bits<type>>(wrapped<type>(number.u).u), element);
  } else if constexpr (type == ElementType::kF32) {
    write(number.f, element);
  } else if constexpr (type == ElementType::kF64) {
    write(number.d, element);
  } else if constexpr (type == ElementType::kC64) {
    write(number.c, element);
  } else if constexpr (type == ElementType::kC128) {
    write(number.z, element);
  } else {
    write(static_cast<Bits<type>>(encode_narrow<type>(number.f)), element);
  }
}

// ---- convert ----

constexpr double power_of_two(int exponent) {
  double result = 1;
  for (int i = 0; i < exponent; ++i) result *= 2;
  return result;
}

// Rounded toward zero, and to the nearest value that the type has; 0 for nan.
template <ElementType type>
Number saturated(double value) {
  if constexpr (kind_of(type) == NumberKind::kSigned) {
    constexpr int kWidth = width_of(type);
    constexpr double kLimit = power_of_two(kWidth - 1);
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max() >> (64 - kWidth);
    if (std::isnan(value)) return {.s = 0};
    if (value >= kLimit) return {.s = kLargest};
    if (value <= -kLimit) return {.s = -kLargest - 1};
    return {.s = static_cast<std::int64_t>(value)};
  } else {
    constexpr int kWidth = width_of(type);
    constexpr std::uint64_t kLargest = ~std::uint64_t{0} >> (64 - kWidth);
    if (!(value > 0)) return {.u = 0};
    if (value >= power_of_two(kWidth)) return {.u = kLargest};
    return {.u = static_cast<std::uint64_t>(value)};
  }
}

// A real number (an integer, a float or a double) as a value of the type.
template <ElementType to, class Real>
Number from_real(Real value) {
  if constexpr (to == ElementType::kPred) {
    return {.u = value != 0 ? 1U : 0U};
  } else if constexpr (kIsInteger<to>) {
    if constexpr (std::is_integral_v<Real>) {
      return wrapped<to>(static_cast<std::uint64_t>(value));
    } else {
      return saturated<to>(value);
    }
  } else if constexpr (to == ElementType::kF32) {
    return {.f = static_cast<float>(value)};
  } else if constexpr (to == ElementType::kF64) {
    return {.d = static_cast<double>(value)};
  } else if constexpr (to == ElementType::kC64) {
    return {.c = static_cast<float>(value)};
  } else if constexpr (to == ElementType::kC128) {
    return {.z = static_cast<double>(value)};
  } else if constexpr (std::is_same_v<Real, double> && width_of(to) <= 8) {
    return {.f = decode_narrow<to>(encode_narrow<to>(value))};
  } else {
    // XLA:CPU rounds f64 to f16 and bf16, and integers to all these types, in two steps.
    return {.f = decode_narrow<to>(encode_narrow<to>(static_cast<float>(value)))};
  }
}

template <ElementType to, class Part>
Number from_complex(std::complex<Part> value) {
  if constexpr (to == ElementType::kC64) {
    return {.c = std::complex<float>(value)};
  } else if constexpr (to == ElementType::kC128) {
    return {.z = std::complex<double>(value)};
  } else if constexpr (to == ElementType::kPred) {
    return {.u = value != std::complex<Part>() ? 1U : 0U};
  } else {
    return from_real<to>(value.real());
  }
}

template <NumberKind from, ElementType to>
Number convert(const Number& number) {
  if constexpr (from == NumberKind::kUnsigned) return from_real<to>(number.u);
  if constexpr (from == NumberKind::kSigned) return from_real<to>(number.s);
  if constexpr (from == NumberKind::kSingle) return from_real<to>(number.f);
  if constexpr (from == NumberKind::kDouble) return from_real<to>(number.d);
  if constexpr (from == NumberKind::kComplexSingle) return from_complex<to>(number.c);
  if constexpr (from == NumberKind::kComplexDouble) return from_complex<to>(number.z);
}

Number identity(const Number& number) { return number; }

template <NumberKind from>
Convert convert_to(ElementType to) {
  switch (to) {
#define MERCATOR_X(id, name, bits) \
  case ElementType::id:            \
    return convert<from, ElementType::id>;
    MERCATOR_HLO_ELEMENT_TYPES(MERCATOR_X)
#undef MERCATOR_X
  }
  return identity;
}

}  // namespace

NumberKind number_kind(ElementType type) { return kind_of(type); }

Load load_function(ElementType type) {
  switch (type) {
#define MERCATOR_X(id, name, bits) \
  case ElementType::id:            \
    return load<ElementType::id>;
    MERCATOR_HLO_ELEMENT_TYPES(MERCATOR_X)
#undef MERCATOR_X
  }
  return load<ElementType::kPred>;
}

Store store_function(ElementType type) {
  switch (type) {
#define MERCATOR_X(id, name, bits) \
  case ElementType::id:            \
    return store<ElementType::id>;
    MERCATOR_HLO_ELEMENT_TYPES(MERCATOR_X)
#undef MERCATOR_X
  }
  return store<ElementType::kPred>;
}

Convert convert_function(ElementType from, ElementType to) {
  if (from == to) return identity;
  switch (kind_of(from)) {
    case NumberKind::kUnsigned:
      return convert_to<NumberKind::kUnsigned>(to);
    case NumberKind::kSigned:
      return convert_to<NumberKind::kSigned>(to);
    case NumberKind::kSingle:
      return convert_to<NumberKind::kSingle>(to);
    case NumberKind::kDouble:
      return convert_to<NumberKind::kDouble>(to);
    case NumberKind::kComplexSingle:
      return convert_to<NumberKind::kComplexSingle>(to);
    case NumberKind::kComplexDouble:
      return convert_to<NumberKind::kComplexDouble>(to);
  }
  return identity;
}

}  // namespace mercator::runtime
