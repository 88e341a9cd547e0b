// Evaluates expressions for all lanes of a warp at once.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/interval.h"

namespace mercator::analysis {

// A program for some expressions in which dimension 0 is the lane. What does not depend on the lane
// is computed once for all of them. Arithmetic wraps around where it leaves int64.
class LaneProgram {
 public:
  // For the lanes of a bounded interval. Requires that divisors are positive constants.
  LaneProgram(std::span<const Expr> exprs, Interval lanes);

  // Computes all expressions; `values` has one for each variable that occurs, whatever dimension 0
  // has.
  void run(const VariableValues& values);

  // The values of expression `i` that the last run computed, one for each lane.
  [[nodiscard]] std::span<const std::int64_t> operator[](std::size_t i) const {
    return lanes_of(roots_[i]);
  }

 private:
  struct Instruction {
    Expr node;
    std::uint32_t first_operand;  // into operands_
    std::uint32_t operand_count;
    bool is_uniform;
  };

  void run(const Instruction& instruction, const VariableValues& values,
           std::span<std::int64_t> out);
  [[nodiscard]] std::span<const std::int64_t> lanes_of(std::uint32_t place) const {
    return std::span(values_).subspan(place * lanes_, lanes_);
  }

  std::int64_t first_lane_;
  std::size_t lanes_;
  std::vector<Instruction> instructions_;
  std::vector<std::uint32_t> operands_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::int64_t> values_;  // of instruction i from i * lanes_
};

}  // namespace mercator::analysis
