// The index maps against the interpreter, which know nothing of each other: elements of operands
// are changed one at a time, and just those elements of the result change that the maps name.

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "mercator/hlo/verifier.h"
#include "mercator/runtime/interpreter.h"
#include "test/indexing/random_program.h"
#include "test/indexing/value_check.h"
#include "test/support/random_factor.h"

namespace mercator::runtime {
namespace {

using TestValue = mercator::testing::Value;

Value to_runtime(const TestValue& value, const hlo::Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<Value> elements;
    for (std::size_t i = 0; i < value.parts.size(); ++i) {
      elements.push_back(to_runtime(value.parts[i], shape.elements[i]));
    }
    return Value::tuple(std::move(elements));
  }
  if (!shape.is_array()) return {};
  Tensor tensor = Tensor::allocate(shape.element_type,
                                   {shape.dimensions.begin(), shape.dimensions.end()}, MemoryPool())
                      .value();
  const auto bytes = static_cast<std::size_t>(hlo::element_bytes(shape.element_type));
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    std::memcpy(&tensor.mutable_bytes()[i * bytes], &value.elements[i], bytes);
  }
  return tensor;
}

std::int64_t extended(std::uint64_t low, std::size_t bytes, bool is_signed) {
  const auto unused = static_cast<int>(64 - 8 * bytes);
  const std::uint64_t high = low << unused;
  return is_signed ? static_cast<std::int64_t>(high) >> unused
                   : static_cast<std::int64_t>(high >> unused);
}

TestValue to_test(const Value& value) {
  TestValue result;
  if (value.is_tuple()) {
    for (const Value& element : value.elements()) result.parts.push_back(to_test(element));
  }
  if (!value.is_tensor()) return result;
  const Tensor& tensor = value.tensor();
  const auto bytes = static_cast<std::size_t>(hlo::element_bytes(tensor.element_type()));
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    std::uint64_t low = 0;
    std::memcpy(&low, tensor.element(i), bytes);
    result.elements.push_back(extended(low, bytes, hlo::is_signed(tensor.element_type())));
  }
  return result;
}

// The interpreter, compared with the tests' own evaluator wherever that has a defined result.
class InterpreterEvaluation final : public mercator::testing::Evaluation {
 public:
  Result<TestValue> evaluate(const hlo::Computation& computation,
                             std::span<const TestValue* const> arguments) override {
    const TestValue expected =
        MERCATOR_TRY(mercator::testing::ValueEvaluator().evaluate(computation, arguments));
    std::vector<Value> values;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      values.push_back(to_runtime(*arguments[i], computation.parameters[i]->shape));
    }
    SCOPED_TRACE(computation.name);
    return compared(expected, interpret(computation, std::move(values), RunContext(), observer()));
  }

  Result<TestValue> evaluate(const hlo::Instruction& instruction,
                             std::span<const TestValue* const> operands) override {
    const TestValue expected =
        MERCATOR_TRY(mercator::testing::ValueEvaluator().evaluate(instruction, operands));
    std::vector<Value> values;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      values.push_back(to_runtime(*operands[i], instruction.operand(i).shape));
    }
    SCOPED_TRACE(to_string(instruction));
    return compared(expected, interpret(instruction, std::move(values), RunContext(), observer()));
  }

  bool holds_any_number(hlo::ElementType type) const override { return hlo::bit_width(type) == 64; }

 private:
  // Values of a computation are those of one evaluation until one comes again.
  Observer observer() {
    return [this](const hlo::Instruction& instruction, const Value& value) {
      mercator::testing::Frame* frame = nullptr;
      for (mercator::testing::Frame& open : frames_) {
        if (open.computation == instruction.parent) frame = &open;
      }
      if (frame == nullptr || frame->values.contains(&instruction)) {
        frame = &frames_.emplace_back(
            mercator::testing::Frame{.computation = instruction.parent, .values = {}});
      }
      frame->values.emplace(&instruction, to_test(value));
    };
  }

  static std::string text(const TestValue& value) {
    std::string parts;
    for (const TestValue& part : value.parts) parts += text(part);
    return fmt::format("({}{})", fmt::join(value.elements, " "), parts);
  }

  static Result<TestValue> compared(const TestValue& expected, const Result<Value>& result) {
    if (!result) {
      ADD_FAILURE() << result.error().message;
      return std::unexpected(result.error());
    }
    TestValue value = to_test(*result);
    EXPECT_EQ(text(value), text(expected));
    return value;
  }
};

TEST(MapsAndInterpreter, JustTheElementsThatTheMapsNameChange) {
  const std::int64_t programs = 500 * test::random_factor();
  mercator::testing::ValueCounts counts;
  for (std::int64_t i = 1; i <= programs; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) * 2'000'003;
    mercator::testing::ProgramOptions options{.max_elements = 8 + 8 * (i % 3),
                                              .max_rank = 2 + i % 3,
                                              .max_size = 3 + i % 3,
                                              .max_operations = 4 + 4 * (i % 2)};
    options.data_type = "u64";
    options.moves = true;
    const std::string program = mercator::testing::random_fusion(seed, options);
    const auto module = hlo::parse_module(program);
    ASSERT_TRUE(module.has_value()) << module.error().message << "\n" << program;
    ASSERT_TRUE(hlo::verify(**module).has_value()) << program;
    const std::optional<std::string> fault = mercator::testing::check_values(
        **module, seed, counts,
        [](std::uint64_t /*seed*/) { return std::make_unique<InterpreterEvaluation>(); });
    ASSERT_FALSE(fault.has_value()) << program << "\n" << *fault;
    ASSERT_FALSE(HasFailure()) << program;
  }
  fmt::print("{} programs: {} instructions, {} maps, {} pairs of elements\n", programs,
             counts.instructions, counts.maps, counts.pairs);
  EXPECT_GT(counts.runs - counts.undefined, programs / 2);
  EXPECT_GT(counts.instructions, 6 * programs);
  EXPECT_GT(counts.moved, 15 * programs);
  EXPECT_EQ(counts.unknown, 0);
}

}  // namespace
}  // namespace mercator::runtime
