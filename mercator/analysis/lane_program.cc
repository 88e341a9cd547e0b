#include "mercator/analysis/lane_program.h"

#include <algorithm>

#include "mercator/expr/traversal.h"
#include "mercator/support/arithmetic.h"

namespace mercator::analysis {
namespace {

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace

LaneProgram::LaneProgram(std::span<const Expr> exprs, Interval lanes)
    : first_lane_(lanes.lo), lanes_(static_cast<std::size_t>(lanes.size())) {
  const Traversal traversal(exprs);
  for (std::size_t i = 0; i < traversal.nodes().size(); ++i) {
    const Expr node = traversal.nodes()[i];
    const std::span<const std::uint32_t> operands = traversal.operands(i);
    bool is_uniform = !(node.is(ExprKind::kVariable) &&
                        node.variable() == VariableId{VariableKind::kDimension, 0});
    for (const std::uint32_t place : operands) is_uniform &= instructions_[place].is_uniform;
    instructions_.push_back({.node = node,
                             .first_operand = static_cast<std::uint32_t>(operands_.size()),
                             .operand_count = static_cast<std::uint32_t>(operands.size()),
                             .is_uniform = is_uniform});
    operands_.insert(operands_.end(), operands.begin(), operands.end());
  }
  roots_.assign(traversal.roots().begin(), traversal.roots().end());
  values_.resize(instructions_.size() * lanes_);
}

void LaneProgram::run(const VariableValues& values) {
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    const std::span<std::int64_t> out = std::span(values_).subspan(i * lanes_, lanes_);
    if (instructions_[i].is_uniform) {
      run(instructions_[i], values, out.first(1));
      std::fill(out.begin() + 1, out.end(), out[0]);
    } else {
      run(instructions_[i], values, out);
    }
  }
}

void LaneProgram::run(const Instruction& instruction, const VariableValues& values,
                      std::span<std::int64_t> out) {
  const Expr node = instruction.node;
  const auto operand = [&](std::size_t i) {
    return lanes_of(operands_[instruction.first_operand + i]).first(out.size());
  };
  const auto fold = [&](auto combine) {
    std::ranges::copy(operand(0), out.begin());
    for (std::size_t i = 1; i < instruction.operand_count; ++i) {
      const std::span<const std::int64_t> next = operand(i);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = combine(out[k], next[k]);
    }
  };
  switch (node.kind()) {
    case ExprKind::kConstant:
      std::ranges::fill(out, node.value());
      break;
    case ExprKind::kVariable: {
      const auto [kind, index] = node.variable();
      if (!instruction.is_uniform) {
        for (std::size_t k = 0; k < out.size(); ++k) {
          out[k] = first_lane_ + static_cast<std::int64_t>(k);
        }
      } else {
        std::ranges::fill(out, kind == VariableKind::kDimension ? values.dimensions[index]
                               : kind == VariableKind::kRange   ? values.ranges[index]
                                                                : values.runtimes[index]);
      }
      break;
    }
    case ExprKind::kSum:
      std::ranges::fill(out, node.constant());
      for (std::size_t i = 0; i < instruction.operand_count; ++i) {
        const std::int64_t coefficient = node.coefficients()[i];
        const std::span<const std::int64_t> term = operand(i);
        for (std::size_t k = 0; k < out.size(); ++k) {
          out[k] = wrapping_add(out[k], wrapping_mul(coefficient, term[k]));
        }
      }
      break;
    case ExprKind::kProduct:
      fold(wrapping_mul);
      break;
    case ExprKind::kMin:
      fold([](std::int64_t a, std::int64_t b) { return std::min(a, b); });
      break;
    case ExprKind::kMax:
      fold([](std::int64_t a, std::int64_t b) { return std::max(a, b); });
      break;
    case ExprKind::kFloorDiv: {
      const std::int64_t n = node.divisor().value();
      const std::span<const std::int64_t> dividend = operand(0);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = floor_div(dividend[k], n);
      break;
    }
    case ExprKind::kMod: {
      const std::int64_t n = node.divisor().value();
      const std::span<const std::int64_t> dividend = operand(0);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = floor_mod(dividend[k], n);
      break;
    }
  }
}

}  // namespace mercator::analysis
