#include <algorithm>
#include <cassert>
#include <limits>

#include "mercator/expr/expr.h"
#include "mercator/expr/traversal.h"
#include "mercator/support/arithmetic.h"

namespace mercator {
namespace {

using Value = std::optional<std::int64_t>;

// Sums in 128 bits, so that only a sum whose value does not fit is refused, whatever the order.
class WideSum {
 public:
  explicit WideSum(std::int64_t constant) : sum_(constant) {}

  void add(std::int64_t coefficient, std::int64_t value) {
    // A product is below 2^126 in magnitude, so that only the addition can overflow.
    overflow_ = __builtin_add_overflow(sum_, static_cast<__int128>(coefficient) * value, &sum_) ||
                overflow_;
  }

  [[nodiscard]] Value value() const {
    if (overflow_ || sum_ < std::numeric_limits<std::int64_t>::min() ||
        sum_ > std::numeric_limits<std::int64_t>::max()) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(sum_);
  }

 private:
  __int128 sum_;
  bool overflow_ = false;
};

Value quotient(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
  return floor_div(a, b);
}

Value remainder(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  return floor_mod(a, b);
}

}  // namespace

Evaluator::Evaluator(std::span<const Expr> exprs) {
  const Traversal traversal(exprs);
  const std::span<const Expr> nodes = traversal.nodes();
  instructions_.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Expr node = nodes[i];
    const std::span<const std::uint32_t> operands = traversal.operands(i);
    Instruction instruction = {.kind = node.kind(),
                               .variable_kind = {},
                               .variable_index = 0,
                               .constant = 0,
                               .first_operand = static_cast<std::uint32_t>(operands_.size()),
                               .operand_count = static_cast<std::uint32_t>(operands.size())};
    if (node.is(ExprKind::kConstant)) {
      instruction.constant = node.value();
    } else if (node.is(ExprKind::kVariable)) {
      instruction.variable_kind = node.variable().kind;
      instruction.variable_index = node.variable().index;
    }
    operands_.insert(operands_.end(), operands.begin(), operands.end());
    coefficients_.resize(operands_.size(), 1);
    if (node.is(ExprKind::kSum)) {
      instruction.constant = node.constant();
      std::ranges::copy(node.coefficients(), coefficients_.begin() + instruction.first_operand);
    }
    instructions_.push_back(instruction);
  }
  results_.assign(traversal.roots().begin(), traversal.roots().end());
  values_.resize(instructions_.size());
}

Value Evaluator::evaluate(const Instruction& instruction, const VariableValues& values) const {
  const auto operand = [&](std::uint32_t i) {
    return values_[operands_[instruction.first_operand + i]];
  };
  switch (instruction.kind) {
    case ExprKind::kConstant:
      return instruction.constant;
    case ExprKind::kVariable: {
      const std::span<const std::int64_t> of_kind =
          instruction.variable_kind == VariableKind::kDimension ? values.dimensions
          : instruction.variable_kind == VariableKind::kRange   ? values.ranges
                                                                : values.runtimes;
      assert(instruction.variable_index < of_kind.size());
      return of_kind[instruction.variable_index];
    }
    case ExprKind::kSum: {
      WideSum sum(instruction.constant);
      for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
        sum.add(coefficients_[instruction.first_operand + i], operand(i));
      }
      return sum.value();
    }
    case ExprKind::kProduct: {
      // A zero factor makes any product zero, also one whose other factors overflow together.
      std::int64_t product = 1;
      bool fits = true;
      for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
        if (operand(i) == 0) return 0;
        fits = fits && checked_mul(product, operand(i), &product);
      }
      return fits ? Value(product) : std::nullopt;
    }
    case ExprKind::kFloorDiv:
      return quotient(operand(0), operand(1));
    case ExprKind::kMod:
      return remainder(operand(0), operand(1));
    case ExprKind::kMin:
    case ExprKind::kMax: {
      std::int64_t extremum = operand(0);
      for (std::uint32_t i = 1; i < instruction.operand_count; ++i) {
        extremum = instruction.kind == ExprKind::kMin ? std::min(extremum, operand(i))
                                                      : std::max(extremum, operand(i));
      }
      return extremum;
    }
  }
  __builtin_unreachable();
}

bool Evaluator::operator()(const VariableValues& values, std::span<std::int64_t> out) {
  assert(out.size() == results_.size());
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    const Value value = evaluate(instructions_[i], values);
    if (!value) return false;
    values_[i] = *value;
  }
  for (std::size_t i = 0; i < results_.size(); ++i) out[i] = values_[results_[i]];
  return true;
}

std::optional<std::int64_t> evaluate(Expr expr, const VariableValues& values) {
  std::int64_t value = 0;
  if (!Evaluator(std::span(&expr, 1))(values, std::span(&value, 1))) return std::nullopt;
  return value;
}

}  // namespace mercator
