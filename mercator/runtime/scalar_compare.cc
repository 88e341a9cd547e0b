#include <complex>
#include <cstdint>
#include <functional>
#include <string_view>

#include "mercator/runtime/scalar_kinds.h"

namespace mercator::runtime {
namespace {

template <class T, auto kPredicate>
Number compare(const ScalarOperation& /*operation*/, const Number* operands) {
  return truth(kPredicate(part<T>(operands[0]), part<T>(operands[1])));
}

template <class Real, auto kPredicate>
Number compare_places(const ScalarOperation& /*operation*/, const Number* operands) {
  return truth(kPredicate(place_in_total_order(part<Real>(operands[0])),
                          place_in_total_order(part<Real>(operands[1]))));
}

template <auto kPredicate>
ScalarOperation::Function function_for(bool total_order, NumberKind kind) {
  switch (kind) {
    case NumberKind::kUnsigned:
      return compare<std::uint64_t, kPredicate>;
    case NumberKind::kSigned:
      return compare<std::int64_t, kPredicate>;
    case NumberKind::kSingle:
      return total_order ? compare_places<float, kPredicate> : compare<float, kPredicate>;
    case NumberKind::kDouble:
      return total_order ? compare_places<double, kPredicate> : compare<double, kPredicate>;
    default:
      return nullptr;
  }
}

template <auto kPredicate>
ScalarOperation::Function function_of_equality(bool total_order, NumberKind kind) {
  if (kind == NumberKind::kComplexSingle) return compare<std::complex<float>, kPredicate>;
  if (kind == NumberKind::kComplexDouble) return compare<std::complex<double>, kPredicate>;
  return function_for<kPredicate>(total_order, kind);
}

}  // namespace

ScalarOperation::Function compare_function(std::string_view direction, bool total_order,
                                           NumberKind kind) {
  if (direction == "EQ") return function_of_equality<std::equal_to<>{}>(total_order, kind);
  if (direction == "NE") return function_of_equality<std::not_equal_to<>{}>(total_order, kind);
  if (direction == "GE") return function_for<std::greater_equal<>{}>(total_order, kind);
  if (direction == "GT") return function_for<std::greater<>{}>(total_order, kind);
  if (direction == "LE") return function_for<std::less_equal<>{}>(total_order, kind);
  if (direction == "LT") return function_for<std::less<>{}>(total_order, kind);
  return nullptr;
}

}  // namespace mercator::runtime
