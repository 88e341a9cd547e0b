// Makes index programs: each value once, constants folded. For the files of this folder.

#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "mercator/expr/index_program.h"

namespace mercator::internal {

// The smallest type that holds both; for i32 and i64.
[[nodiscard]] IndexType least_common_type(IndexType a, IndexType b);

class IndexProgramBuilder {
 public:
  [[nodiscard]] const IndexInstruction& operator[](ValueId id) const { return instructions_[id]; }
  [[nodiscard]] IndexType type(ValueId id) const { return instructions_[id].type; }
  [[nodiscard]] Interval range(ValueId id) const { return instructions_[id].range; }
  // The value of a constant.
  [[nodiscard]] std::optional<std::int64_t> constant_value(ValueId id) const;

  // ---- leaves ----

  // `value`, in the smallest type that holds it. Requires that i64 does (`values_of`).
  ValueId constant(std::int64_t value);
  // The bits of `value`, as a number of the type.
  ValueId constant(std::int64_t value, IndexType type);
  // A variable, in the smallest type that holds its bounds. Requires that i64 does.
  ValueId variable(VariableId id, Interval bounds);

  // ---- operations whose results are exact; `range` contains them ----

  // Both operands and the result in the least type that holds all three. Requires that the range
  // does not leave i64.
  ValueId binary(IndexOp op, ValueId a, ValueId b, Interval range);
  // An i1.
  ValueId compare(IndexOp op, ValueId a, ValueId b);
  ValueId select(ValueId condition, ValueId a, ValueId b, Interval range);
  // The same number in another type. Requires that it fits.
  ValueId convert(ValueId value, IndexType type);
  // value + constant, with one addition if the value is itself the sum of something and a constant.
  ValueId add_constant(ValueId value, std::int64_t constant, Interval range);
  // An i1 that is 1 where the value lies in `wanted`, which lies within its range.
  ValueId within(ValueId value, Interval wanted);
  // An i1 that is 1 if both are.
  ValueId both(ValueId a, ValueId b);

  // ---- operations in the type of their operands, which are of one type ----

  // Exact.
  ValueId exact(IndexOp op, ValueId a, ValueId b, Interval range);
  // Right modulo 2^width; `range` contains the result read as signed.
  ValueId wrapping(IndexOp op, ValueId a, ValueId b, Interval range);
  // The same where the result may be any number of the type.
  ValueId wrapping(IndexOp op, ValueId a, ValueId b);

  // An instruction as it is, operands in terms of this builder.
  ValueId append(IndexInstruction instruction);

  // What the results and the gate need, in the order in which it was made.
  [[nodiscard]] IndexProgram finish(std::span<const ValueId> results,
                                    std::optional<ValueId> gate) const;

 private:
  using Key =
      std::tuple<IndexOp, IndexType, bool, VariableId, std::int64_t, std::array<ValueId, 3>>;

  // The least type that holds the numbers that both are.
  [[nodiscard]] IndexType needed_type(ValueId a, ValueId b) const;
  std::optional<ValueId> fold(const IndexInstruction& instruction);
  ValueId emit(IndexOp op, IndexType type, std::span<const ValueId> operands, Interval range,
               bool wraps = false);

  std::vector<IndexInstruction> instructions_;
  std::map<Key, ValueId> known_;
};

}  // namespace mercator::internal
