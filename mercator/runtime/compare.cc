#include "mercator/runtime/compare.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "mercator/hlo/float_format.h"
#include "mercator/hlo/literal.h"
#include "mercator/support/arena.h"
#include "mercator/support/arithmetic.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;

// The floating-point type of an element, or of its parts if it is complex.
hlo::ElementType part_type(hlo::ElementType type) {
  if (type == hlo::ElementType::kC64) return hlo::ElementType::kF32;
  if (type == hlo::ElementType::kC128) return hlo::ElementType::kF64;
  return type;
}

std::uint64_t bits_at(const std::byte* data, std::int64_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data, static_cast<std::size_t>(bytes));
  return bits;
}

// A tensor whose elements are read as numbers.
class Elements {
 public:
  explicit Elements(const Tensor& tensor)
      : tensor_(tensor),
        part_(part_type(tensor.element_type())),
        part_bytes_(hlo::element_bytes(part_)),
        is_complex_(hlo::is_complex(tensor.element_type())) {}

  // Of floating-point and complex types.
  [[nodiscard]] std::complex<double> number(std::int64_t i) const {
    return {part(i, 0), is_complex_ ? part(i, 1) : 0.0};
  }

  // Of pred and integers: the value, plus 2^63 where that may be negative, so that the order is
  // that of the values.
  [[nodiscard]] std::uint64_t ordinal(std::int64_t i) const {
    const std::uint64_t value = bits(i, 0);
    if (!hlo::is_signed(part_)) return value;
    const auto extended = low_bits<std::int64_t>(value, static_cast<int>(8 * part_bytes_));
    return static_cast<std::uint64_t>(extended) ^ kTopBit;
  }
  // The same as a double.
  [[nodiscard]] double integer(std::int64_t i) const {
    const std::uint64_t place = ordinal(i);
    return hlo::is_signed(part_) ? static_cast<double>(static_cast<std::int64_t>(place ^ kTopBit))
                                 : static_cast<double>(place);
  }

  // The bits of a part; parts are counted from 0. Every byte but 0 is a true pred.
  [[nodiscard]] std::uint64_t bits(std::int64_t i, std::int64_t which) const {
    const std::uint64_t bits = bits_at(tensor_.element(i) + which * part_bytes_, part_bytes_);
    return part_ == hlo::ElementType::kPred ? std::min<std::uint64_t>(bits, 1) : bits;
  }

  [[nodiscard]] std::string text(std::int64_t i) const {
    const auto bytes = static_cast<std::size_t>(hlo::element_bytes(tensor_.element_type()));
    const hlo::Shape scalar{.element_type = tensor_.element_type()};
    return to_string(hlo::Literal{.shape = scalar, .data = {tensor_.element(i), bytes}});
  }

  [[nodiscard]] hlo::ElementType part() const { return part_; }
  [[nodiscard]] std::int64_t parts() const { return is_complex_ ? 2 : 1; }

 private:
  [[nodiscard]] double part(std::int64_t i, std::int64_t which) const {
    if (part_ == hlo::ElementType::kF32) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits(i, which)));
    }
    return hlo::decode_float(part_, bits(i, which));
  }

  const Tensor& tensor_;
  hlo::ElementType part_;
  std::int64_t part_bytes_;
  bool is_complex_;
};

// The place of a value among all values of its floating-point type, plus 2^63; that of both zeros
// is the same.
std::uint64_t ordinal(hlo::ElementType type, std::uint64_t bits) {
  if (hlo::float_format(type).special == hlo::FloatFormat::Special::kScale) return bits | kTopBit;
  const std::uint64_t sign = std::uint64_t{1} << (hlo::bit_width(type) - 1);
  const std::uint64_t magnitude = bits & (sign - 1);
  return (bits & sign) == 0 ? kTopBit + magnitude : kTopBit - magnitude;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return std::max(a, b) - std::min(a, b); }

std::uint64_t steps(const Elements& actual, const Elements& expected, std::int64_t i) {
  const hlo::ElementType type = actual.part();
  if (!hlo::is_floating(type)) return distance(actual.ordinal(i), expected.ordinal(i));
  std::uint64_t most = 0;
  for (std::int64_t which = 0; which < actual.parts(); ++which) {
    const std::uint64_t a = actual.bits(i, which);
    const std::uint64_t b = expected.bits(i, which);
    if (std::isnan(hlo::decode_float(type, a)) || std::isnan(hlo::decode_float(type, b))) continue;
    most = std::max(most, distance(ordinal(type, a), ordinal(type, b)));
  }
  return most;
}

bool is_finite(std::complex<double> value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

// Whether numbers of which one is not finite are equal in this part; finite ones are.
bool same_special(double actual, double expected) {
  if (std::isfinite(actual) && std::isfinite(expected)) return true;
  return actual == expected || (std::isnan(actual) && std::isnan(expected));
}

// The median magnitude of the elements that are finite and not zero, or of as many of them, evenly
// spaced, as are looked at; 0 if there are none.
Result<double> median_magnitude(const Elements& elements, std::int64_t count,
                                StopCheck& check_stop) {
  constexpr std::int64_t kMost = 1 << 20;
  const std::int64_t step = std::max<std::int64_t>(ceil_div(count, kMost), 1);
  std::vector<double> magnitudes;
  for (std::int64_t i = 0; i < count; i += step) {
    MERCATOR_TRY_VOID(check_stop(1));
    const double magnitude = std::abs(elements.number(i));
    if (std::isfinite(magnitude) && magnitude > 0) magnitudes.push_back(magnitude);
  }
  if (magnitudes.empty()) return 0;
  const auto middle = magnitudes.begin() + (std::ssize(magnitudes) - 1) / 2;
  std::ranges::nth_element(magnitudes, middle);
  return *middle;
}

// What says how far an element may be from what is expected.
class Judge {
 public:
  // `median` is that of the magnitudes of the elements, whose parts are of the type.
  Judge(hlo::ElementType type, double median, double tolerance)
      : tolerance_(tolerance),
        median_(median),
        smallest_(std::ldexp(1.0, 1 - hlo::float_format(type).bias)) {}

  // The distance of two numbers as a part of what is tolerated: above 1 they differ.
  [[nodiscard]] double excess(std::complex<double> actual, std::complex<double> expected) const {
    if (!is_finite(actual) || !is_finite(expected)) {
      const bool same = same_special(actual.real(), expected.real()) &&
                        same_special(actual.imag(), expected.imag());
      return same ? 0 : kInfinity;
    }
    const double difference = std::abs(actual - expected);
    if (difference == 0) return 0;
    if (tolerance_ == 0) return kInfinity;
    return difference / std::max(tolerance_ * magnitude(expected), smallest_);
  }

  [[nodiscard]] double relative_error(std::complex<double> actual,
                                      std::complex<double> expected) const {
    const double difference = std::abs(actual - expected);
    if (!is_finite(actual) || difference == 0) return 0;
    return difference / std::max(magnitude(expected), smallest_);
  }

 private:
  [[nodiscard]] double magnitude(std::complex<double> expected) const {
    return std::max(std::abs(expected), median_);
  }

  double tolerance_;
  double median_;
  double smallest_;
};

// The places of the worst differences so far.
class WorstList {
 public:
  explicit WorstList(std::size_t most) : most_(most) {}

  void add(std::int64_t place, double badness) {
    if (entries_.size() == most_ && (most_ == 0 || badness <= entries_.back().badness)) return;
    const auto after =
        std::ranges::upper_bound(entries_, badness, std::greater<>(), &Entry::badness);
    entries_.insert(after, {badness, place});
    if (entries_.size() > most_) entries_.pop_back();
  }

  struct Entry {
    double badness;
    std::int64_t place;
  };
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }

 private:
  std::size_t most_;
  std::vector<Entry> entries_;
};

std::vector<std::int64_t> index_of(std::int64_t place, std::span<const std::int64_t> dimensions) {
  std::vector<std::int64_t> index(dimensions.size());
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    index[d] = place % dimensions[d];
    place /= dimensions[d];
  }
  return index;
}

double relative_difference(std::complex<double> actual, std::complex<double> expected) {
  if (!is_finite(actual) || !is_finite(expected) || std::abs(expected) == 0) return kInfinity;
  return std::abs(actual - expected) / std::abs(expected);
}

}  // namespace

Result<Comparison> compare(const Tensor& actual, const Tensor& expected, double tolerance,
                           const std::stop_token& stop, std::size_t most) {
  assert(type_text(actual) == type_text(expected));
  const Elements a(actual);
  const Elements b(expected);
  const bool is_exact = !hlo::is_floating(a.part());
  const std::int64_t count = actual.element_count();
  Comparison result{.elements = count, .differing = 0, .worst = {}, .largest_error = 0};
  WorstList worst(most);
  StopCheck check_stop(stop);
  if (is_exact) {
    for (std::int64_t i = 0; i < count; ++i) {
      MERCATOR_TRY_VOID(check_stop());
      if (a.bits(i, 0) == b.bits(i, 0)) continue;
      ++result.differing;
      worst.add(i, std::abs(a.integer(i) - b.integer(i)));
    }
  } else {
    const double median = MERCATOR_TRY(median_magnitude(b, count, check_stop));
    const Judge judge(b.part(), median, tolerance);
    for (std::int64_t i = 0; i < count; ++i) {
      MERCATOR_TRY_VOID(check_stop());
      const double excess = judge.excess(a.number(i), b.number(i));
      if (excess > 1) {
        ++result.differing;
        worst.add(i, excess);
      } else if (excess > 0) {
        result.largest_error =
            std::max(result.largest_error, judge.relative_error(a.number(i), b.number(i)));
      }
    }
  }
  for (const WorstList::Entry& entry : worst.entries()) {
    const std::int64_t i = entry.place;
    const auto number = [&](const Elements& of) {
      return is_exact ? std::complex<double>(of.integer(i)) : of.number(i);
    };
    result.worst.push_back({.index = index_of(i, actual.dimensions()),
                            .actual = a.text(i),
                            .expected = b.text(i),
                            .relative = relative_difference(number(a), number(b)),
                            .steps = steps(a, b, i)});
  }
  return result;
}

}  // namespace mercator::runtime
