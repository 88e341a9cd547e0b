// Index programs: index expressions as a machine computes them.
//
// A program is a straight line of typed operations, each value computed once (SSA) and each of them
// an operation that every target has. `(d0, d1) -> (d0 * 4 + d1 floordiv 8, d1 mod 8)` for d0 in
// [0, 9] and d1 in [-64, 63] becomes
//
//   inputs d0: i32, d1: i32
//   %0: i32 = shl d0, 2
//   %1: i32 = ashr d1, 3
//   %2: i32 = add %0, %1
//   %3: i32 = and d1, 7
//   results %2, %3
//
// A program belongs to a box of values of its variables, the bounds that it was made for. Within
// the box it computes exactly what the expressions mean. Its life: `lower` (index_types.h) makes it
// from expressions, with floordiv and mod as operations; `reduce_strength` (strength_reduction.h)
// puts cheap operations in their place; `interpret` (index_interpreter.h) runs it; `along`
// (induction.h) carries its values through a loop.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"
#include "mercator/expr/text.h"

namespace mercator {

// Two's complement integers without a sign of their own; i1 is 0 or 1.
enum class IndexType : std::uint8_t { kI1, kI32, kI64 };

[[nodiscard]] int bit_width(IndexType type);
[[nodiscard]] std::string_view to_string(IndexType type);
// The values of a type when read as signed; for i64 without INT64_MIN and INT64_MAX, which as ends
// of an interval mean "no bound".
[[nodiscard]] Interval values_of(IndexType type);
// The smaller of i32 and i64 that holds all of `range`; none if it may leave i64.
[[nodiscard]] std::optional<IndexType> smallest_type(Interval range);

// Operations on operands a, b, c. Where nothing else is said, operands and result have one type and
// are read as signed. "Unsigned" reads the same bits as a number that is not negative.
enum class IndexOp : std::uint8_t {
  kConstant,            // the number `value`
  kVariable,            // the value of `variable`
  kAdd,                 // a + b
  kSub,                 // a - b
  kMul,                 // a * b
  kMulHighUnsigned,     // floor(a * b / 2^width), all unsigned
  kMin,                 // the lesser of a and b
  kMax,                 // the greater of a and b
  kShiftLeft,           // a * 2^b for the constant 0 <= b < width
  kShiftRight,          // floor(a / 2^b) for the constant 0 <= b < width
  kShiftRightUnsigned,  // the same, a unsigned
  kAnd,                 // bit by bit
  kXor,                 // bit by bit
  kFloorDiv,            // floor(a / b); gone after `reduce_strength`
  kMod,                 // a - b * floor(a / b); gone after `reduce_strength`
  kDiv,                 // a / b rounded toward zero
  kDivUnsigned,         // floor(a / b), both unsigned
  kEqual,               // an i1: a = b
  kNotEqual,            // an i1: a != b
  kLessEqual,           // an i1: a <= b
  kLessEqualUnsigned,   // an i1: a <= b, both unsigned
  kSelect,              // b if the i1 a is 1, otherwise c
  kSignExtend,          // the i32 a as an i64
  kZeroExtend,          // the i1 or i32 a, unsigned, as a wider type
  kTruncate,            // the i64 a as an i32
};
inline constexpr std::size_t kIndexOpCount = static_cast<std::size_t>(IndexOp::kTruncate) + 1;

// The name that an operation prints as: "ashr".
[[nodiscard]] std::string_view to_string(IndexOp op);
[[nodiscard]] std::size_t operand_count(IndexOp op);

// A place in `IndexProgram::instructions`.
using ValueId = std::uint32_t;

struct IndexInstruction {
  IndexOp op = IndexOp::kConstant;
  IndexType type = IndexType::kI32;  // of the result
  // Whether the result is only right modulo 2^width, or holds bits that are no signed number (the
  // product within a division by multiplication). Otherwise the result read as signed is exactly
  // what the operation means, everywhere in the box: a target may assume that it does not overflow.
  bool wraps = false;
  VariableId variable = {};
  std::int64_t value = 0;
  std::array<ValueId, 3> operands = {};  // the first operand_count(op) of them; 0 beyond
  // Contains the result read as signed, everywhere in the box.
  Interval range = {};

  friend bool operator==(const IndexInstruction&, const IndexInstruction&) = default;
};

struct IndexProgram {
  // Operands before their users. No instruction occurs twice, and none is without use.
  std::vector<IndexInstruction> instructions;
  // The values of the expressions, each in the type in which it was computed.
  std::vector<ValueId> results;
  // An i1 that is 1 just where the results are wanted (a load may be done); none if that is
  // everywhere.
  std::optional<ValueId> gate;

  friend bool operator==(const IndexProgram&, const IndexProgram&) = default;
};

// The operands of an instruction.
[[nodiscard]] inline std::span<const ValueId> operands_of(const IndexInstruction& instruction) {
  return std::span(instruction.operands).first(operand_count(instruction.op));
}

// Text as above: the variables that are used, an operation a line, results, and the gate if there
// is one. Constants stand where they are used; as operands of unsigned operations they are printed
// unsigned. An operation with `wraps` has `.wrap` behind its name. Deterministic.
[[nodiscard]] std::string to_string(const IndexProgram& program,
                                    const VariableNames& names = default_variable_name);

// How many operations a program takes.
struct IndexProgramCost {
  std::int64_t division = 0;        // floordiv, mod, div, divu
  std::int64_t multiplication = 0;  // mul, mulhu
  std::int64_t simple = 0;          // everything else that is not free
  std::int64_t conversion = 0;      // between types
  std::int64_t wide = 0;            // those of all the above that compute in i64

  friend bool operator==(const IndexProgramCost&, const IndexProgramCost&) = default;
  // One number to compare by, on the scale of `ExprCost::weight`.
  [[nodiscard]] std::int64_t weight() const {
    return 20 * division + 2 * multiplication + simple + conversion;
  }
};
[[nodiscard]] IndexProgramCost cost(const IndexProgram& program);

}  // namespace mercator
