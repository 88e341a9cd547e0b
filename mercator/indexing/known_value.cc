#include "mercator/indexing/known_value.h"

#include <algorithm>
#include <string_view>

#include <tsl/robin_set.h>

#include "mercator/indexing/analysis.h"
#include "mercator/indexing/integer_value.h"

namespace mercator::indexing {
namespace {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;

// The most elements that are looked at for one value or condition, and the most entries of a
// condition: what is larger is not known.
constexpr int kMaxSteps = 64;
constexpr std::size_t kMaxEntries = 8;
// The most instructions that are looked at for data.
constexpr std::size_t kMaxSearch = 256;

class KnownValues {
 public:
  explicit KnownValues(Analysis& analysis) : analysis_(analysis) {}

  // In terms of the index; null if it does not follow from that, or may leave the type on the way.
  Expr value(Element element) {
    if (--steps_left_ < 0) return {};
    TracedElement traced = trace(analysis_, std::move(element));
    if (traced.value) return traced.value;
    return arithmetic(traced.element);
  }

  std::optional<Condition> condition(Element element, bool wanted) {
    if (--steps_left_ < 0) return std::nullopt;
    const TracedElement traced = trace(analysis_, std::move(element));
    if (traced.value && traced.value.is(ExprKind::kConstant)) {
      const bool holds = (traced.value.value() != 0) == wanted;
      return holds ? Condition{{}} : Condition{};
    }
    switch (traced.element.tensor->opcode) {
      case Opcode::kCompare:
        return comparison(traced.element, wanted);
      case Opcode::kNot:
        return condition(operand(traced.element, 0), !wanted);
      case Opcode::kAnd:
        return wanted ? both(traced.element, wanted) : either(traced.element, wanted);
      case Opcode::kOr:
        return wanted ? either(traced.element, wanted) : both(traced.element, wanted);
      default:
        return std::nullopt;
    }
  }

 private:
  // The element of an operand of an elementwise instruction.
  static Element operand(const Element& element, std::size_t k) {
    const Instruction& tensor = element.tensor->operand(k);
    const bool is_scalar = tensor.shape.rank() == 0;
    return {.tensor = &tensor, .index = is_scalar ? std::vector<Expr>() : element.index};
  }

  Expr arithmetic(const Element& element) {
    const Instruction& instruction = *element.tensor;
    if (!hlo::is_elementwise(instruction.opcode)) return {};
    if (!values_of(instruction.shape.element_type).has_value()) return {};
    std::vector<Expr> operands;
    for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
      if (!values_of(instruction.operand(k).shape.element_type).has_value()) return {};
      const Expr operand_value = value(operand(element, k));
      if (!operand_value) return {};
      operands.push_back(operand_value);
    }
    const Expr result = integer_value(analysis_, instruction, operands);
    return result ? without_wrapping(analysis_, result, instruction.shape.element_type) : result;
  }

  std::optional<Condition> comparison(const Element& element, bool wanted) {
    const Instruction& compare = *element.tensor;
    if (!hlo::is_integral(compare.operand(0).shape.element_type)) return std::nullopt;
    const Expr a = value(operand(element, 0));
    const Expr b = a ? value(operand(element, 1)) : a;
    if (!b) return std::nullopt;
    const Expr difference = a - b;
    if (!analysis_.simplifier().range(difference).is_bounded()) return std::nullopt;
    const Interval below = {Interval::kMinusInfinity, -1};
    const Interval above = {1, Interval::kPlusInfinity};
    const Interval not_above = {Interval::kMinusInfinity, 0};
    const Interval not_below = {0, Interval::kPlusInfinity};
    const std::string_view direction = compare.get<hlo::Word>(AttributeName::kDirection).text;
    const auto within = [&](Interval range) { return Condition{{{difference, range}}}; };
    if (direction == "LT") return within(wanted ? below : not_below);
    if (direction == "GE") return within(wanted ? not_below : below);
    if (direction == "GT") return within(wanted ? above : not_above);
    if (direction == "LE") return within(wanted ? not_above : above);
    if ((direction == "EQ") == wanted) return within(Interval::point(0));
    return Condition{{{difference, below}}, {{difference, above}}};
  }

  std::optional<Condition> both(const Element& element, bool wanted) {
    const std::optional<Condition> a = condition(operand(element, 0), wanted);
    if (!a.has_value()) return std::nullopt;
    const std::optional<Condition> b = condition(operand(element, 1), wanted);
    if (!b.has_value() || a->size() * b->size() > kMaxEntries) return std::nullopt;
    Condition result;
    for (const std::vector<Constraint>& first : *a) {
      for (const std::vector<Constraint>& second : *b) {
        result.push_back(first);
        result.back().insert(result.back().end(), second.begin(), second.end());
      }
    }
    return result;
  }

  std::optional<Condition> either(const Element& element, bool wanted) {
    std::optional<Condition> result = condition(operand(element, 0), wanted);
    if (!result.has_value()) return std::nullopt;
    const std::optional<Condition> b = condition(operand(element, 1), wanted);
    if (!b.has_value() || result->size() + b->size() > kMaxEntries) return std::nullopt;
    result->insert(result->end(), b->begin(), b->end());
    return result;
  }

  Analysis& analysis_;
  int steps_left_ = kMaxSteps;
};

}  // namespace

std::optional<Condition> known_condition(Analysis& analysis, Element element, bool wanted) {
  return KnownValues(analysis).condition(std::move(element), wanted);
}

bool depends_on_data(const Instruction& instruction) {
  std::vector<const Instruction*> found = {&instruction};
  tsl::robin_set<const Instruction*> seen = {&instruction};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Instruction& next = *found[i];
    const bool is_known = next.opcode == Opcode::kConstant || next.opcode == Opcode::kIota;
    if ((next.operands.empty() && !is_known) || found.size() > kMaxSearch) return true;
    for (const Instruction* operand : next.operands) {
      if (seen.insert(operand).second) found.push_back(operand);
    }
  }
  return false;
}

}  // namespace mercator::indexing
