#include "mercator/expr/strength_reduction.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <optional>
#include <vector>

#include "mercator/expr/constant_division.h"
#include "mercator/expr/index_program_builder.h"

namespace mercator {
namespace {

using internal::IndexProgramBuilder;

// k for 2^k, k > 0.
std::optional<int> exponent_of_two(std::optional<std::int64_t> value) {
  if (!value || *value < 2 || !std::has_single_bit(static_cast<std::uint64_t>(*value))) {
    return std::nullopt;
  }
  return std::countr_zero(static_cast<std::uint64_t>(*value));
}

class StrengthReduction {
 public:
  explicit StrengthReduction(const IndexProgram& program) : program_(program) {}

  IndexProgram run();

 private:
  // `instruction` with operands in terms of the builder; the result is of its type.
  ValueId reduce(const IndexInstruction& instruction);
  [[nodiscard]] bool is_select_of_constants(ValueId id) const;
  std::optional<ValueId> reduce_sum_with_select(const IndexInstruction& sum);
  std::optional<ValueId> reduce_within_select(const IndexInstruction& instruction);
  ValueId reduce_product(const IndexInstruction& product);
  ValueId reduce_quotient(const IndexInstruction& quotient);
  ValueId reduce_remainder(const IndexInstruction& remainder);

  [[nodiscard]] bool is_nonnegative(const IndexInstruction& division) const;
  ValueId machine_quotient(ValueId x, ValueId y, Interval range);
  ValueId machine_remainder(ValueId x, ValueId y);
  ValueId is_rounded_up(ValueId remainder, ValueId y);

  const IndexProgram& program_;
  IndexProgramBuilder builder_;
  std::vector<ValueId> reduced_;  // by the places in program_
};

IndexProgram StrengthReduction::run() {
  for (const IndexInstruction& instruction : program_.instructions) {
    IndexInstruction in_builder = instruction;
    for (std::size_t i = 0; i < operand_count(instruction.op); ++i) {
      in_builder.operands[i] = reduced_[instruction.operands[i]];
    }
    const ValueId value = reduce(in_builder);
    assert(builder_.type(value) == instruction.type);
    reduced_.push_back(value);
  }
  std::vector<ValueId> results;
  for (const ValueId result : program_.results) results.push_back(reduced_[result]);
  std::optional<ValueId> gate;
  if (program_.gate) gate = reduced_[*program_.gate];
  return builder_.finish(results, gate);
}

ValueId StrengthReduction::reduce(const IndexInstruction& instruction) {
  if (const std::optional<ValueId> select = reduce_within_select(instruction)) return *select;
  if (const std::optional<ValueId> sum = reduce_sum_with_select(instruction)) return *sum;
  switch (instruction.op) {
    case IndexOp::kMul:
      return reduce_product(instruction);
    case IndexOp::kFloorDiv:
      return reduce_quotient(instruction);
    case IndexOp::kMod:
      return reduce_remainder(instruction);
    default:
      return builder_.append(instruction);
  }
}

bool StrengthReduction::is_select_of_constants(ValueId id) const {
  const IndexInstruction& instruction = builder_[id];
  return instruction.op == IndexOp::kSelect && builder_.constant_value(instruction.operands[1]) &&
         builder_.constant_value(instruction.operands[2]);
}

// (x + select) + constant, or with - in the place of the first +, as x + another select.
std::optional<ValueId> StrengthReduction::reduce_sum_with_select(const IndexInstruction& sum) {
  if (sum.op != IndexOp::kAdd || sum.wraps) return std::nullopt;
  const IndexInstruction inner = builder_[sum.operands[0]];
  const bool is_sum = inner.op == IndexOp::kAdd || inner.op == IndexOp::kSub;
  if (!is_sum || inner.wraps || !is_select_of_constants(inner.operands[1]) ||
      !builder_.constant_value(sum.operands[1])) {
    return std::nullopt;
  }
  IndexInstruction step = builder_[inner.operands[1]];
  for (std::size_t i = 1; i < 3; ++i) {
    const ValueId arm = builder_.append({.op = inner.op,
                                         .type = sum.type,
                                         .operands = {sum.operands[1], step.operands[i]},
                                         .range = values_of(sum.type)});
    if (!builder_.constant_value(arm)) return std::nullopt;
    step.operands[i] = arm;
  }
  const auto arm_range = [&](std::size_t i) { return builder_.range(step.operands[i]); };
  step.range = hull(arm_range(1), arm_range(2));
  return builder_.exact(IndexOp::kAdd, inner.operands[0], builder_.append(step), sum.range);
}

// A select between constants, and a constant: a select between what they give.
std::optional<ValueId> StrengthReduction::reduce_within_select(
    const IndexInstruction& instruction) {
  if (operand_count(instruction.op) != 2 || instruction.type == IndexType::kI1) {
    return std::nullopt;
  }
  const std::size_t place = is_select_of_constants(instruction.operands[0]) ? 0 : 1;
  const ValueId id = instruction.operands[place];
  if (!is_select_of_constants(id) || !builder_.constant_value(instruction.operands[1 - place])) {
    return std::nullopt;
  }
  IndexInstruction select = builder_[id];
  for (std::size_t i = 1; i < 3; ++i) {
    IndexInstruction arm = instruction;
    arm.operands[place] = select.operands[i];
    select.operands[i] = reduce(arm);
    if (!builder_.constant_value(select.operands[i])) return std::nullopt;
  }
  select.type = instruction.type;
  select.range = instruction.range;
  return builder_.append(select);
}

ValueId StrengthReduction::reduce_product(const IndexInstruction& product) {
  const std::optional<int> exponent = exponent_of_two(builder_.constant_value(product.operands[1]));
  if (!exponent) return builder_.append(product);
  IndexInstruction shift = product;
  shift.op = IndexOp::kShiftLeft;
  shift.operands[1] = builder_.constant(*exponent, product.type);
  return builder_.append(shift);
}

ValueId StrengthReduction::reduce_quotient(const IndexInstruction& quotient) {
  const ValueId x = quotient.operands[0];
  const ValueId y = quotient.operands[1];
  const std::optional<std::int64_t> d = builder_.constant_value(y);
  if (const std::optional<int> exponent = exponent_of_two(d)) {
    const bool is_negative = builder_.range(x).lo < 0;
    return builder_.exact(is_negative ? IndexOp::kShiftRight : IndexOp::kShiftRightUnsigned, x,
                          builder_.constant(*exponent, quotient.type), quotient.range);
  }
  if (d == 1) return x;
  if (d && *d > 0) return internal::quotient_by_constant(x, *d, builder_);
  const ValueId toward_zero = machine_quotient(x, y, quotient.range);
  if (is_nonnegative(quotient)) return toward_zero;
  const ValueId remainder = machine_remainder(x, y);
  return builder_.exact(IndexOp::kSub, toward_zero,
                        builder_.convert(is_rounded_up(remainder, y), quotient.type),
                        quotient.range);
}

ValueId StrengthReduction::reduce_remainder(const IndexInstruction& remainder) {
  const ValueId x = remainder.operands[0];
  const ValueId y = remainder.operands[1];
  const std::optional<std::int64_t> d = builder_.constant_value(y);
  if (exponent_of_two(d)) {
    return builder_.exact(IndexOp::kAnd, x, builder_.constant(*d - 1, remainder.type),
                          remainder.range);
  }
  if (d == 1) return builder_.constant(0, remainder.type);
  if (d && *d > 0) return internal::remainder_by_constant(x, *d, remainder.range, builder_);
  if (is_nonnegative(remainder)) return machine_remainder(x, y);
  // The least i32 by -1 has a quotient that is no i32: machines refuse to divide.
  if (remainder.type == IndexType::kI32 && builder_.range(y).contains(-1) &&
      builder_.range(x).contains(values_of(IndexType::kI32).lo)) {
    IndexInstruction wide = remainder;
    wide.type = IndexType::kI64;
    wide.operands = {builder_.convert(x, wide.type), builder_.convert(y, wide.type)};
    return builder_.convert(reduce_remainder(wide), IndexType::kI32);
  }
  const ValueId of_dividend_sign = machine_remainder(x, y);
  const Interval ys = builder_.range(y);
  const ValueId correction =
      builder_.convert(builder_.select(is_rounded_up(of_dividend_sign, y), y, builder_.constant(0),
                                       hull(ys, Interval::point(0))),
                       remainder.type);
  return builder_.exact(IndexOp::kAdd, of_dividend_sign, correction, remainder.range);
}

bool StrengthReduction::is_nonnegative(const IndexInstruction& division) const {
  return builder_.range(division.operands[0]).lo >= 0 &&
         builder_.range(division.operands[1]).lo > 0;
}

// Rounded toward zero, while `range` is that of the quotient rounded down: one more where that is
// negative and not exact.
ValueId StrengthReduction::machine_quotient(ValueId x, ValueId y, Interval range) {
  if (builder_.range(x).lo >= 0 && builder_.range(y).lo > 0) {
    return builder_.exact(IndexOp::kDivUnsigned, x, y, range);
  }
  if (range.hi < 0) ++range.hi;
  return builder_.exact(IndexOp::kDiv, x, y, range);
}

// Of the sign of the dividend. Not an operation, so that a quotient and a remainder take one
// division; a target that gets both from one instruction finds it.
ValueId StrengthReduction::machine_remainder(ValueId x, ValueId y) {
  const Interval xs = builder_.range(x);
  const Interval ys = builder_.range(y);
  const ValueId quotient = machine_quotient(x, y, floor_div(xs, ys));
  const Interval toward_zero = hull(xs, Interval::point(0));
  const ValueId multiple = builder_.exact(IndexOp::kMul, quotient, y, toward_zero);
  const std::int64_t most = std::max(ys.hi - 1, -(ys.lo + 1));  // less than the divisor
  return builder_.exact(IndexOp::kSub, x, multiple, intersect(toward_zero, {-most, most}));
}

// Whether a quotient rounded toward zero is not the one rounded down: it is not exact, and dividend
// (or remainder) and divisor differ in sign.
ValueId StrengthReduction::is_rounded_up(ValueId remainder, ValueId y) {
  const IndexType type = builder_.type(remainder);
  const ValueId zero = builder_.constant(0, type);
  const ValueId minus_one = builder_.constant(-1, type);
  const Interval ys = builder_.range(y);
  if (ys.lo > 0) return builder_.compare(IndexOp::kLessEqual, remainder, minus_one);
  if (ys.hi < 0) {
    return builder_.compare(IndexOp::kLessEqual, builder_.constant(1, type), remainder);
  }
  const ValueId signs = builder_.exact(IndexOp::kXor, remainder, y, values_of(type));
  return builder_.both(builder_.compare(IndexOp::kNotEqual, remainder, zero),
                       builder_.compare(IndexOp::kLessEqual, signs, minus_one));
}

}  // namespace

IndexProgram reduce_strength(const IndexProgram& program) {
  return StrengthReduction(program).run();
}

}  // namespace mercator
