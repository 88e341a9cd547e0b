#include "test/indexing/value_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "test/indexing/value_movement.h"

namespace mercator::testing {
namespace {

using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using Operands = std::span<const Value* const>;

constexpr int kMaxRounds = 60;

std::unexpected<Error> unsupported(std::string message) {
  return fail(ErrorKind::kUnsupported, std::move(message));
}

bool is_integer(ElementType type) { return hlo::is_integral(type) || type == ElementType::kPred; }

// Of two elements of a type.
bool less(std::int64_t a, std::int64_t b, ElementType type) {
  if (type == ElementType::kU64) {
    return static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
  }
  return a < b;
}

bool compare(std::string_view direction, std::int64_t a, std::int64_t b, ElementType type) {
  if (direction == "EQ") return a == b;
  if (direction == "NE") return a != b;
  if (direction == "LT") return less(a, b, type);
  if (direction == "GT") return less(b, a, type);
  if (direction == "LE") return !less(b, a, type);
  return !less(a, b, type);
}

// On the bits, since integers wrap around.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t times(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// One element from those of the operands; none for an instruction that does not act on elements.
std::optional<std::int64_t> on_elements(const Instruction& instruction,
                                        std::span<const std::int64_t> x) {
  const ElementType type = instruction.shape.element_type;
  switch (instruction.opcode) {
    case Opcode::kAdd:
      return sum(x[0], x[1]);
    case Opcode::kSubtract:
      return difference(x[0], x[1]);
    case Opcode::kMultiply:
      return times(x[0], x[1]);
    case Opcode::kNegate:
      return difference(0, x[0]);
    case Opcode::kAnd:
      return x[0] & x[1];
    case Opcode::kOr:
      return x[0] | x[1];
    case Opcode::kXor:
      return x[0] ^ x[1];
    case Opcode::kNot:
      return type == ElementType::kPred ? 1 - x[0] : ~x[0];
    case Opcode::kMinimum:
      return less(x[1], x[0], type) ? x[1] : x[0];
    case Opcode::kMaximum:
      return less(x[0], x[1], type) ? x[1] : x[0];
    case Opcode::kClamp: {
      const std::int64_t from_below = less(x[1], x[0], type) ? x[0] : x[1];
      return less(x[2], from_below, type) ? x[2] : from_below;
    }
    case Opcode::kSelect:
      return x[0] != 0 ? x[1] : x[2];
    case Opcode::kConvert:
    case Opcode::kCopy:
      return x[0];
    case Opcode::kCompare:
      return compare(instruction.get<hlo::Word>(AttributeName::kDirection).text, x[0], x[1],
                     instruction.operand(0).shape.element_type)
                 ? 1
                 : 0;
    default:
      return std::nullopt;
  }
}

// None for an instruction that does not act element by element.
std::optional<Value> elementwise(const Instruction& instruction, Operands operands) {
  if (!hlo::is_elementwise(instruction.opcode) && instruction.opcode != Opcode::kClamp) {
    return std::nullopt;
  }
  Value result;
  std::vector<std::int64_t> x(operands.size());
  const std::int64_t count = instruction.shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      // A scalar goes with every element: of select and clamp.
      const bool scalar = instruction.operand(k).shape.rank() == 0;
      x[k] = operands[k]->elements[scalar ? 0 : static_cast<std::size_t>(i)];
    }
    const std::optional<std::int64_t> element = on_elements(instruction, x);
    if (!element) return std::nullopt;
    result.elements.push_back(wrapped(*element, instruction.shape.element_type));
  }
  return result;
}

Result<Value> constant(const Instruction& instruction) {
  Value result;
  for (std::int64_t i = 0; i < instruction.shape.element_count(); ++i) {
    const std::optional<std::int64_t> element = instruction.literal->integer(i);
    if (!element) return unsupported("a constant that is not known");
    result.elements.push_back(*element);
  }
  return result;
}

Value iota(const Instruction& instruction) {
  Value result;
  const auto sizes = instruction.shape.dimensions;
  const auto dimension =
      static_cast<std::size_t>(instruction.integer(AttributeName::kIotaDimension, 0));
  std::int64_t stride = 1;
  for (std::size_t d = dimension + 1; d < sizes.size(); ++d) stride *= sizes[d];
  for (std::int64_t i = 0; i < instruction.shape.element_count(); ++i) {
    result.elements.push_back(
        wrapped(i / stride % sizes[dimension], instruction.shape.element_type));
  }
  return result;
}

Value scalar(std::int64_t element) { return {.elements = {element}}; }

}  // namespace

std::int64_t number_of(std::int64_t element, ElementType type) {
  const bool too_large = type == ElementType::kU64 && element < 0;
  return too_large ? std::numeric_limits<std::int64_t>::max() : element;
}

std::int64_t wrapped(std::int64_t number, ElementType type) {
  if (type == ElementType::kPred) return number != 0 ? 1 : 0;
  const std::int64_t bits = hlo::bit_width(type);
  if (bits >= 64) return number;
  const auto left = static_cast<std::uint64_t>(number) << (64 - bits);
  if (hlo::is_signed(type)) return static_cast<std::int64_t>(left) >> (64 - bits);
  return static_cast<std::int64_t>(left >> (64 - bits));
}

Result<Value> ValueEvaluator::evaluate(const hlo::Computation& computation, Operands arguments) {
  Frame& frame = frames_.emplace_back(Frame{.computation = &computation});
  return run(computation, arguments, frame);
}

Result<Value> ValueEvaluator::run(const hlo::Computation& computation, Operands arguments,
                                  Frame& frame) {
  for (const Instruction* instruction : computation.post_order()) {
    if (instruction->opcode == Opcode::kParameter) {
      const auto number = static_cast<std::size_t>(instruction->parameter_number);
      frame.values[instruction] = *arguments[number];
      continue;
    }
    std::vector<const Value*> operands;
    for (const Instruction* operand : instruction->operands) {
      operands.push_back(&frame.values.at(operand));
    }
    frame.values[instruction] = MERCATOR_TRY(evaluate(*instruction, operands));
  }
  return frame.values.at(computation.root);
}

Result<Value> ValueEvaluator::evaluate(const Instruction& instruction, Operands operands) {
  switch (instruction.opcode) {
    case Opcode::kConstant:
      if (!instruction.shape.is_array()) return unsupported("a constant that is no array");
      return constant(instruction);
    case Opcode::kIota:
      return iota(instruction);
    case Opcode::kTuple: {
      Value result;
      for (const Value* operand : operands) result.parts.push_back(*operand);
      return result;
    }
    case Opcode::kGetTupleElement: {
      const std::int64_t index = instruction.integer(AttributeName::kIndex, 0);
      return operands[0]->parts[static_cast<std::size_t>(index)];
    }
    case Opcode::kOptimizationBarrier:
      return *operands[0];
    case Opcode::kFusion:
      return evaluate(*instruction.computation(AttributeName::kCalls), operands);
    case Opcode::kCall:
      return evaluate(*instruction.computation(AttributeName::kToApply), operands);
    case Opcode::kConditional:
      return evaluate_conditional(instruction, operands);
    case Opcode::kWhile:
      return evaluate_loop(instruction, operands);
    case Opcode::kScatter:
      return evaluate_scatter(instruction, operands);
    default:
      break;
  }
  if (instruction.shape.is_array() && is_integer(instruction.shape.element_type)) {
    if (std::optional<Value> value = elementwise(instruction, operands)) return *std::move(value);
    if (auto elements = moved_elements(instruction, operands)) {
      return Value{.elements = *std::move(elements)};
    }
  }
  return unsupported(fmt::format("the evaluator does not know {}", hlo::name(instruction.opcode)));
}

// A pred takes the first branch if it is true; a number that names no branch takes the last.
Result<Value> ValueEvaluator::evaluate_conditional(const Instruction& conditional,
                                                   Operands operands) {
  std::vector<const hlo::Computation*> branches;
  for (const AttributeName name :
       {AttributeName::kTrueComputation, AttributeName::kFalseComputation}) {
    if (const auto* branch = conditional.computation(name)) branches.push_back(branch);
  }
  if (branches.empty()) {
    const auto listed =
        conditional.get<std::span<hlo::Computation* const>>(AttributeName::kBranchComputations);
    branches.assign(listed.begin(), listed.end());
  }
  const std::int64_t chosen = operands[0]->elements[0];
  const bool by_pred = conditional.operand(0).shape.element_type == ElementType::kPred;
  std::int64_t branch = by_pred ? 1 - chosen : chosen;
  if (branch < 0 || branch >= std::ssize(branches)) branch = std::ssize(branches) - 1;
  const auto taken = static_cast<std::size_t>(branch);
  return evaluate(*branches[taken], operands.subspan(taken + 1, 1));
}

Result<Value> ValueEvaluator::evaluate_loop(const Instruction& loop, Operands operands) {
  Value state = *operands[0];
  for (int round = 0; round <= kMaxRounds; ++round) {
    const std::vector<const Value*> argument = {&state};
    const Value goes_on =
        MERCATOR_TRY(evaluate(*loop.computation(AttributeName::kCondition), argument));
    if (goes_on.elements[0] == 0) return state;
    Value next = MERCATOR_TRY(evaluate(*loop.computation(AttributeName::kBody), argument));
    state = std::move(next);
  }
  return unsupported("too many rounds");
}

// operands: N arrays, the indices, N updates. The combiner takes an element of each array and one
// of each update.
Result<Value> ValueEvaluator::evaluate_scatter(const Instruction& scatter, Operands operands) {
  const std::size_t count = operands.size() / 2;
  std::vector<Landing> landing = landings(scatter, operands[count]->elements);
  if (scatter.get<bool>(AttributeName::kUniqueIndices)) {
    std::vector<std::int64_t> places;
    for (const Landing& one : landing) places.push_back(one.operand);
    std::ranges::sort(places);
    if (std::ranges::adjacent_find(places) != places.end()) {
      return unsupported("indices that are said to be unique are not");
    }
  }
  // By what depends on the update alone: one that lands elsewhere leaves the order of the others.
  std::ranges::sort(landing, {}, [&](const Landing& one) {
    const auto update = static_cast<std::uint64_t>(one.update);
    return std::pair((update + 1) * (2 * order_ + 1) % 1'000'003, update);
  });
  Value result;
  for (std::size_t k = 0; k < count; ++k) result.parts.push_back(*operands[k]);
  const hlo::Computation& combiner = *scatter.computation(AttributeName::kToApply);
  for (const auto& [update, operand] : landing) {
    std::vector<Value> arguments;
    for (std::size_t k = 0; k < count; ++k) {
      arguments.push_back(scalar(result.parts[k].elements[static_cast<std::size_t>(operand)]));
    }
    for (std::size_t k = 0; k < count; ++k) {
      arguments.push_back(
          scalar(operands[count + 1 + k]->elements[static_cast<std::size_t>(update)]));
    }
    std::vector<const Value*> pointers;
    for (const Value& argument : arguments) pointers.push_back(&argument);
    Frame frame{.computation = &combiner};
    const Value combined = MERCATOR_TRY(run(combiner, pointers, frame));
    for (std::size_t k = 0; k < count; ++k) {
      const Value& part = combiner.root->shape.is_tuple() ? combined.parts[k] : combined;
      result.parts[k].elements[static_cast<std::size_t>(operand)] = part.elements[0];
    }
  }
  if (!scatter.shape.is_tuple()) return std::move(result.parts[0]);
  return result;
}

}  // namespace mercator::testing
