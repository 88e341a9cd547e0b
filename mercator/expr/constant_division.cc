#include "mercator/expr/constant_division.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>

#include "mercator/expr/magic_division.h"
#include "mercator/support/arithmetic.h"

namespace mercator::internal {
namespace {

using Wide = __int128;

// What makes floor(x / d), and how. The remainder follows from `dividend` and `quotient`, which
// need not be x and floor(x / d), only have the same remainder.
struct Division {
  ValueId dividend;
  ValueId quotient;         // floor(dividend / d)
  std::int64_t excess = 0;  // quotient - floor(x / d)
};

class ConstantDivision {
 public:
  ConstantDivision(ValueId x, std::int64_t d, IndexProgramBuilder& builder)
      : x_(x), d_(d), builder_(builder), type_(builder.type(x)), range_(builder.range(x)) {
    assert(d > 1 && (type_ == IndexType::kI64 || values_of(type_).contains(d)));
  }

  ValueId quotient() {
    if (quotients().lo == quotients().hi) return constant(quotients().lo);
    if (has_two_quotients()) {
      return builder_.convert(builder_.select(is_in_upper_bucket(), constant(quotients().hi),
                                              constant(quotients().lo), quotients()),
                              type_);
    }
    const Division division = divide();
    if (division.excess == 0) return division.quotient;
    return builder_.exact(IndexOp::kSub, division.quotient, constant(division.excess), quotients());
  }

  ValueId remainder(Interval range) {
    // Where the quotients times d start.
    const Interval starts = quotients() * Interval{d_, d_};
    if (values_of(type_).contains(starts)) {
      if (starts.is_point()) return minus(x_, constant(starts.lo), range);
      if (has_two_quotients()) {
        const ValueId start =
            builder_.select(is_in_upper_bucket(), constant(starts.hi), constant(starts.lo), starts);
        return minus(x_, builder_.convert(start, type_), range);
      }
    }
    const Division division = divide();
    const Interval multiples = builder_.range(division.quotient) * Interval{d_, d_};
    if (values_of(type_).contains(multiples)) {
      return minus(division.dividend,
                   builder_.exact(IndexOp::kMul, division.quotient, constant(d_), multiples),
                   range);
    }
    // The least multiple may leave the type. The difference is right all the same: it is right
    // modulo 2^width, and lies in the type.
    const ValueId multiple = builder_.wrapping(IndexOp::kMul, division.quotient, constant(d_));
    return builder_.wrapping(IndexOp::kSub, division.dividend, multiple, range);
  }

 private:
  [[nodiscard]] Interval quotients() const {
    return {floor_div(range_.lo, d_), floor_div(range_.hi, d_)};
  }
  [[nodiscard]] bool has_two_quotients() const { return quotients().hi - quotients().lo == 1; }
  ValueId is_in_upper_bucket() {
    return builder_.compare(IndexOp::kLessEqual, constant(quotients().hi * d_), x_);
  }

  // The shortest that the range allows.
  Division divide() {
    if (range_.lo >= 0) return {.dividend = x_, .quotient = quotient_of_nonnegative(x_)};
    if (const std::optional<ValueId> quotient = quotient_in_one_product()) {
      return {.dividend = x_, .quotient = *quotient};
    }
    if (const std::optional<Division> division = divide_above_zero()) return *division;
    return {.dividend = x_, .quotient = quotient_of_either_sign()};
  }

  // floor(y / d) for y >= 0: the product with the multiplier if it fits the type read as unsigned,
  // otherwise the high half of it; shifted.
  ValueId quotient_of_nonnegative(ValueId y) {
    const auto max = static_cast<std::uint64_t>(builder_.range(y).hi);
    const auto d = static_cast<std::uint64_t>(d_);
    const int width = bit_width(type_);
    const Interval quotients = {0, builder_.range(y).hi / d_};
    const MagicDivision low = magic_division(d, max);
    const unsigned __int128 largest = static_cast<unsigned __int128>(max) * low.multiplier;
    if (largest >> width == 0) {
      const ValueId product = largest >> (width - 1) == 0
                                  ? builder_.exact(IndexOp::kMul, y, bits(low.multiplier),
                                                   {0, static_cast<std::int64_t>(largest)})
                                  : builder_.wrapping(IndexOp::kMul, y, bits(low.multiplier));
      return shifted(product, low.shift, quotients);
    }
    const MagicDivision high = magic_division(d, max, static_cast<unsigned>(width));
    const unsigned __int128 product = static_cast<unsigned __int128>(max) * high.multiplier;
    const ValueId half = builder_.exact(IndexOp::kMulHighUnsigned, y, bits(high.multiplier),
                                        {0, static_cast<std::int64_t>(product >> width)});
    return shifted(half, high.shift - static_cast<unsigned>(width), quotients);
  }

  // With k = floor(lo / d) < 0, floor((x - k*d) * m / 2^s) = floor(x / d) - k, where
  // m * d = 2^s + e. Multiplied out that is floor((x*m - k*e) / 2^s) - k.
  std::optional<ValueId> quotient_in_one_product() {
    const std::int64_t k = quotients().lo;
    const std::optional<std::int64_t> largest = largest_above_zero();
    if (!largest) return std::nullopt;
    const MagicDivision magic =
        magic_division(static_cast<std::uint64_t>(d_), static_cast<std::uint64_t>(*largest));
    const Wide offset = -Wide{k} * static_cast<Wide>(magic.error);
    const Wide lo = Wide{range_.lo} * static_cast<Wide>(magic.multiplier);
    const Wide hi = Wide{range_.hi} * static_cast<Wide>(magic.multiplier);
    const Interval values = values_of(type_);
    if (magic.shift >= static_cast<unsigned>(bit_width(type_)) || lo < values.lo ||
        hi + offset > values.hi || offset > values.hi) {
      return std::nullopt;
    }
    const Interval products = {static_cast<std::int64_t>(lo), static_cast<std::int64_t>(hi)};
    const Interval offsets = Interval::point(static_cast<std::int64_t>(offset));
    const ValueId product = builder_.exact(IndexOp::kMul, x_, bits(magic.multiplier), products);
    const ValueId sum =
        builder_.exact(IndexOp::kAdd, product, constant(offsets.lo), products + offsets);
    return builder_.exact(IndexOp::kShiftRight, sum, constant(magic.shift), quotients());
  }

  // Adds a multiple of d that takes x above 0.
  std::optional<Division> divide_above_zero() {
    const std::int64_t k = quotients().lo;
    const std::optional<std::int64_t> largest = largest_above_zero();
    if (!largest) return std::nullopt;
    const Interval range = {floor_mod(range_.lo, d_), *largest};
    const Wide bias = Wide{range.lo} - range_.lo;
    if (bias > values_of(type_).hi) return std::nullopt;
    const ValueId dividend =
        builder_.convert(builder_.add_constant(x_, static_cast<std::int64_t>(bias), range), type_);
    return Division{
        .dividend = dividend, .quotient = quotient_of_nonnegative(dividend), .excess = -k};
  }

  // For x < 0, floor(x / d) = -1 - floor((-1 - x) / d), and -1 - y is y with all bits turned. So
  // the bits are turned before and after, by the sign. (Granlund and Montgomery, figure 6.1.)
  ValueId quotient_of_either_sign() {
    const ValueId sign = builder_.exact(IndexOp::kShiftRight, x_, constant(bit_width(type_) - 1),
                                        {-1, range_.hi < 0 ? -1 : 0});
    const Interval turned = {0, std::max(range_.hi, -1 - range_.lo)};
    const ValueId y = builder_.exact(IndexOp::kXor, x_, sign, turned);
    return builder_.exact(IndexOp::kXor, quotient_of_nonnegative(y), sign, quotients());
  }

  // The largest x - k*d, with k as above; none if it leaves the type.
  [[nodiscard]] std::optional<std::int64_t> largest_above_zero() const {
    const Wide largest = Wide{range_.hi} - range_.lo + floor_mod(range_.lo, d_);
    if (largest > values_of(type_).hi) return std::nullopt;
    return static_cast<std::int64_t>(largest);
  }

  ValueId constant(std::int64_t value) { return builder_.constant(value, type_); }
  // A number of the type read as unsigned.
  ValueId bits(std::uint64_t value) {
    return constant(type_ == IndexType::kI32
                        ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                        : static_cast<std::int64_t>(value));
  }
  ValueId shifted(ValueId value, unsigned shift, Interval range) {
    return builder_.exact(IndexOp::kShiftRightUnsigned, value, constant(shift), range);
  }
  ValueId minus(ValueId a, ValueId b, Interval range) {
    return builder_.exact(IndexOp::kSub, a, b, range);
  }

  ValueId x_;
  std::int64_t d_;
  IndexProgramBuilder& builder_;
  IndexType type_;
  Interval range_;
};

}  // namespace

ValueId quotient_by_constant(ValueId x, std::int64_t d, IndexProgramBuilder& builder) {
  return ConstantDivision(x, d, builder).quotient();
}

ValueId remainder_by_constant(ValueId x, std::int64_t d, Interval range,
                              IndexProgramBuilder& builder) {
  return ConstantDivision(x, d, builder).remainder(range);
}

}  // namespace mercator::internal
