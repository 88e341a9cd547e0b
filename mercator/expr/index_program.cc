#include "mercator/expr/index_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace mercator {
namespace {

enum class CostClass : std::uint8_t { kFree, kDivision, kMultiplication, kSimple, kConversion };

struct OpInfo {
  std::string_view name;
  std::uint8_t operand_count;
  CostClass cost;
  bool reads_unsigned;
};

// In the order of IndexOp.
constexpr OpInfo kOps[] = {
    {"constant", 0, CostClass::kFree, false},      {"variable", 0, CostClass::kFree, false},
    {"add", 2, CostClass::kSimple, false},         {"sub", 2, CostClass::kSimple, false},
    {"mul", 2, CostClass::kMultiplication, false}, {"mulhu", 2, CostClass::kMultiplication, true},
    {"min", 2, CostClass::kSimple, false},         {"max", 2, CostClass::kSimple, false},
    {"shl", 2, CostClass::kSimple, false},         {"ashr", 2, CostClass::kSimple, false},
    {"lshr", 2, CostClass::kSimple, true},         {"and", 2, CostClass::kSimple, false},
    {"xor", 2, CostClass::kSimple, false},         {"floordiv", 2, CostClass::kDivision, false},
    {"mod", 2, CostClass::kDivision, false},       {"div", 2, CostClass::kDivision, false},
    {"divu", 2, CostClass::kDivision, true},       {"eq", 2, CostClass::kSimple, false},
    {"ne", 2, CostClass::kSimple, false},          {"le", 2, CostClass::kSimple, false},
    {"leu", 2, CostClass::kSimple, true},          {"select", 3, CostClass::kSimple, false},
    {"sext", 1, CostClass::kConversion, false},    {"zext", 1, CostClass::kConversion, false},
    {"trunc", 1, CostClass::kConversion, false},
};
static_assert(std::size(kOps) == kIndexOpCount);

const OpInfo& info(IndexOp op) { return kOps[static_cast<std::size_t>(op)]; }

std::string constant_text(const IndexInstruction& constant, bool is_unsigned) {
  if (!is_unsigned || constant.value >= 0) return fmt::format("{}", constant.value);
  const auto bits = static_cast<std::uint64_t>(constant.value);
  return fmt::format("{}", constant.type == IndexType::kI64 ? bits : bits & 0xffff'ffffU);
}

bool is_leaf(const IndexInstruction& instruction) {
  return instruction.op == IndexOp::kConstant || instruction.op == IndexOp::kVariable;
}

// Numbers the operations, leaving out constants and variables, which have no line.
class Printer {
 public:
  Printer(const IndexProgram& program, const VariableNames& names)
      : program_(program), names_(names) {
    std::uint32_t next = 0;
    for (const IndexInstruction& instruction : program.instructions) {
      numbers_.push_back(is_leaf(instruction) ? 0 : next++);
    }
  }

  [[nodiscard]] std::string inputs() const {
    std::vector<const IndexInstruction*> inputs;
    for (const IndexInstruction& instruction : program_.instructions) {
      if (instruction.op == IndexOp::kVariable) inputs.push_back(&instruction);
    }
    std::ranges::sort(inputs, {}, &IndexInstruction::variable);
    std::vector<std::string> texts;
    for (const IndexInstruction* input : inputs) {
      texts.push_back(fmt::format("{}: {}", names_(input->variable), to_string(input->type)));
    }
    return fmt::format("inputs {}\n",
                       texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", ")));
  }

  [[nodiscard]] std::string operation(ValueId id) const {
    const IndexInstruction& instruction = program_.instructions[id];
    std::vector<std::string> operands;
    for (const ValueId operand : operands_of(instruction)) {
      operands.push_back(value(operand, info(instruction.op).reads_unsigned));
    }
    return fmt::format("%{}: {} = {}{} {}\n", numbers_[id], to_string(instruction.type),
                       to_string(instruction.op), instruction.wraps ? ".wrap" : "",
                       fmt::join(operands, ", "));
  }

  [[nodiscard]] std::string value(ValueId id, bool is_unsigned = false) const {
    const IndexInstruction& instruction = program_.instructions[id];
    if (instruction.op == IndexOp::kConstant) return constant_text(instruction, is_unsigned);
    if (instruction.op == IndexOp::kVariable) return names_(instruction.variable);
    return fmt::format("%{}", numbers_[id]);
  }

 private:
  const IndexProgram& program_;
  const VariableNames& names_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace

int bit_width(IndexType type) {
  switch (type) {
    case IndexType::kI1:
      return 1;
    case IndexType::kI32:
      return 32;
    case IndexType::kI64:
      return 64;
  }
  __builtin_unreachable();
}

std::string_view to_string(IndexType type) {
  switch (type) {
    case IndexType::kI1:
      return "i1";
    case IndexType::kI32:
      return "i32";
    case IndexType::kI64:
      return "i64";
  }
  __builtin_unreachable();
}

Interval values_of(IndexType type) {
  switch (type) {
    case IndexType::kI1:
      return {0, 1};
    case IndexType::kI32:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case IndexType::kI64:
      return {Interval::kMinusInfinity + 1, Interval::kPlusInfinity - 1};
  }
  __builtin_unreachable();
}

std::optional<IndexType> smallest_type(Interval range) {
  if (values_of(IndexType::kI32).contains(range)) return IndexType::kI32;
  if (values_of(IndexType::kI64).contains(range)) return IndexType::kI64;
  return std::nullopt;
}

std::string_view to_string(IndexOp op) { return info(op).name; }
std::size_t operand_count(IndexOp op) { return info(op).operand_count; }

std::string to_string(const IndexProgram& program, const VariableNames& names) {
  const Printer printer(program, names);
  std::string text = printer.inputs();
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    if (!is_leaf(program.instructions[id])) text += printer.operation(id);
  }
  std::vector<std::string> results;
  for (const ValueId result : program.results) results.push_back(printer.value(result));
  text += fmt::format("results {}\n",
                      results.empty() ? "none" : fmt::format("{}", fmt::join(results, ", ")));
  if (program.gate) text += fmt::format("gate {}\n", printer.value(*program.gate));
  return text;
}

IndexProgramCost cost(const IndexProgram& program) {
  IndexProgramCost cost;
  for (const IndexInstruction& instruction : program.instructions) {
    const CostClass cost_class = info(instruction.op).cost;
    if (cost_class == CostClass::kFree) continue;
    const auto is_wide = [](const IndexInstruction& i) { return i.type == IndexType::kI64; };
    // A comparison is as wide as what it compares.
    const bool wide =
        is_wide(instruction) || std::ranges::any_of(operands_of(instruction), [&](ValueId operand) {
          return is_wide(program.instructions[operand]);
        });
    cost.wide += wide ? 1 : 0;
    cost.division += cost_class == CostClass::kDivision ? 1 : 0;
    cost.multiplication += cost_class == CostClass::kMultiplication ? 1 : 0;
    cost.simple += cost_class == CostClass::kSimple ? 1 : 0;
    cost.conversion += cost_class == CostClass::kConversion ? 1 : 0;
  }
  return cost;
}

}  // namespace mercator
