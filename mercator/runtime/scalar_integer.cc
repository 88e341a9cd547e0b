// Integers wrap at their width. What HLO leaves open is as in XLA:CPU.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "mercator/runtime/scalar_kinds.h"
#include "mercator/support/arithmetic.h"

namespace mercator::runtime {
namespace {

using hlo::Opcode;

// Operations of (operand…, width), whose result is wrapped.
template <class T, auto kFunction>
Number wrapping_unary(const ScalarOperation& operation, const Number* operands) {
  const int bits = operation.bits;
  return number_of(
      low_bits<T>(static_cast<std::uint64_t>(kFunction(part<T>(operands[0]), bits)), bits));
}
template <class T, auto kFunction>
Number wrapping_binary(const ScalarOperation& operation, const Number* operands) {
  const int bits = operation.bits;
  return number_of(low_bits<T>(
      static_cast<std::uint64_t>(kFunction(part<T>(operands[0]), part<T>(operands[1]), bits)),
      bits));
}

constexpr auto kNegate = [](auto a, int /*bits*/) {
  return std::uint64_t{0} - static_cast<std::uint64_t>(a);
};
constexpr auto kNot = [](auto a, int /*bits*/) { return ~a; };
constexpr auto kAbs = [](auto a, int bits) {
  return a < 0 ? kNegate(a, bits) : static_cast<std::uint64_t>(a);
};
constexpr auto kSign = [](auto a, int /*bits*/) {
  return static_cast<decltype(a)>(a > 0 ? 1 : 0) - static_cast<decltype(a)>(a < 0 ? 1 : 0);
};
constexpr auto kPopulationCount = [](auto a, int bits) {
  return std::popcount(low_bits<std::uint64_t>(static_cast<std::uint64_t>(a), bits));
};
constexpr auto kLeadingZeros = [](auto a, int bits) {
  return std::countl_zero(low_bits<std::uint64_t>(static_cast<std::uint64_t>(a), bits)) -
         (64 - bits);
};

constexpr auto kAdd = [](auto a, auto b, int /*bits*/) {
  return static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b);
};
constexpr auto kSubtract = [](auto a, auto b, int /*bits*/) {
  return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
};
constexpr auto kMultiply = [](auto a, auto b, int /*bits*/) {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
};

// x / 0 is all ones; the least number by -1 is itself.
constexpr auto kDivide = [](auto a, auto b, int bits) {
  if (b == 0) return ~std::uint64_t{0};
  if constexpr (std::is_signed_v<decltype(b)>) {
    if (b == -1) return kNegate(a, bits);
  }
  return static_cast<std::uint64_t>(a / b);
};
constexpr auto kRemainder = [](auto a, auto b, int /*bits*/) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<decltype(b)>) {
    if (b == -1) return decltype(a){0};
  }
  return static_cast<decltype(a)>(a % b);
};

// A negative power is that of a fraction, rounded toward zero; there 0 counts as one too large to
// have any.
constexpr auto kPower = [](auto base, auto exponent, int /*bits*/) {
  if constexpr (std::is_signed_v<decltype(exponent)>) {
    if (exponent < 0) {
      if (base == 1) return std::uint64_t{1};
      if (base != -1) return std::uint64_t{0};
      return exponent % 2 == 0 ? std::uint64_t{1} : ~std::uint64_t{0};
    }
  }
  std::uint64_t result = 1;
  auto square = static_cast<std::uint64_t>(base);
  for (auto rest = static_cast<std::uint64_t>(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= square;
    square *= square;
  }
  return result;
};

// Negative distances are as those of the width or more.
constexpr auto kShiftLeft = [](auto a, auto distance, int bits) {
  const auto by = static_cast<std::uint64_t>(distance);
  return by < static_cast<std::uint64_t>(bits) ? static_cast<std::uint64_t>(a) << by : 0;
};
constexpr auto kShiftRightLogical = [](auto a, auto distance, int bits) {
  const auto by = static_cast<std::uint64_t>(distance);
  if (by >= static_cast<std::uint64_t>(bits)) return std::uint64_t{0};
  return low_bits<std::uint64_t>(static_cast<std::uint64_t>(a), bits) >> by;
};
// Of unsigned types too it copies the top bit.
constexpr auto kShiftRightArithmetic = [](auto a, auto distance, int bits) {
  const auto by =
      std::min(static_cast<std::uint64_t>(distance), static_cast<std::uint64_t>(bits - 1));
  return low_bits<std::int64_t>(static_cast<std::uint64_t>(a), bits) >> by;
};

constexpr auto kAnd = [](auto a, auto b) { return a & b; };
constexpr auto kOr = [](auto a, auto b) { return a | b; };
constexpr auto kXor = [](auto a, auto b) { return a ^ b; };
constexpr auto kMaximum = [](auto a, auto b) { return std::max(a, b); };
constexpr auto kMinimum = [](auto a, auto b) { return std::min(a, b); };

template <class T>
Number clamp(const ScalarOperation& /*operation*/, const Number* operands) {
  const T low = part<T>(operands[0]);
  const T high = part<T>(operands[2]);
  return number_of(std::min(std::max(part<T>(operands[1]), low), high));
}

template <class T>
ScalarOperation::Function integer_function(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
      return wrapping_unary<T, kAbs>;
    case Opcode::kAdd:
      return wrapping_binary<T, kAdd>;
    case Opcode::kAnd:
      return binary<T, kAnd>;
    case Opcode::kClamp:
      return clamp<T>;
    case Opcode::kClz:
      return wrapping_unary<T, kLeadingZeros>;
    case Opcode::kDivide:
      return wrapping_binary<T, kDivide>;
    case Opcode::kMaximum:
      return binary<T, kMaximum>;
    case Opcode::kMinimum:
      return binary<T, kMinimum>;
    case Opcode::kMultiply:
      return wrapping_binary<T, kMultiply>;
    case Opcode::kNegate:
      return wrapping_unary<T, kNegate>;
    case Opcode::kNot:
      return wrapping_unary<T, kNot>;
    case Opcode::kOr:
      return binary<T, kOr>;
    case Opcode::kPopcnt:
      return wrapping_unary<T, kPopulationCount>;
    case Opcode::kPower:
      return wrapping_binary<T, kPower>;
    case Opcode::kRemainder:
      return wrapping_binary<T, kRemainder>;
    case Opcode::kShiftLeft:
      return wrapping_binary<T, kShiftLeft>;
    case Opcode::kShiftRightArithmetic:
      return wrapping_binary<T, kShiftRightArithmetic>;
    case Opcode::kShiftRightLogical:
      return wrapping_binary<T, kShiftRightLogical>;
    case Opcode::kSign:
      return wrapping_unary<T, kSign>;
    case Opcode::kSubtract:
      return wrapping_binary<T, kSubtract>;
    case Opcode::kXor:
      return binary<T, kXor>;
    default:
      return nullptr;
  }
}

}  // namespace

// Sums of truth values are their disjunction, products their conjunction.
ScalarOperation::Function pred_function(Opcode opcode) {
  constexpr auto kNegation = [](std::uint64_t a) { return a ^ 1; };
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kOr:
      return binary<std::uint64_t, kOr>;
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kAnd:
      return binary<std::uint64_t, kAnd>;
    case Opcode::kXor:
      return binary<std::uint64_t, kXor>;
    case Opcode::kNot:
      return unary<std::uint64_t, kNegation>;
    case Opcode::kClamp:
      return clamp<std::uint64_t>;
    default:
      return nullptr;
  }
}

ScalarOperation::Function unsigned_function(Opcode opcode) {
  return integer_function<std::uint64_t>(opcode);
}

ScalarOperation::Function signed_function(Opcode opcode) {
  return integer_function<std::int64_t>(opcode);
}

}  // namespace mercator::runtime
