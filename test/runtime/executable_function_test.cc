#include "mercator/runtime/executable_function.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interpreter_testing.h"
#include "mercator/hlo/verifier.h"
#include "mercator/runtime/pack.h"
#include "mercator/runtime/program.h"

namespace mercator::runtime {
namespace {

// Returns its arguments.
class Echo final : public Executable {
 public:
  [[nodiscard]] Result<std::vector<Value>> run(std::vector<Value> arguments,
                                               const RunContext& /*context*/) const override {
    return arguments;
  }
  [[nodiscard]] Result<std::string> save() const override {
    return fail(ErrorKind::kUnsupported, "an echo is not saved");
  }
};

std::shared_ptr<const Program> compile(std::string_view text) {
  std::shared_ptr<const hlo::Module> module = hlo::parse_module(std::string(text)).value();
  EXPECT_TRUE(hlo::verify(*module).has_value());
  const std::vector<const Engine*> all =
      engines().find_all(std::vector<std::string>{"interpreter"}).value();
  return Program::compile(std::move(module), all).value();
}

TEST(ExecutableFunction, OneResultIsItselfAndOthersAreAList) {
  const PackedFunction echo = as_function("echo", std::make_shared<Echo>());
  const Tensor tensor = tensor_from_text("s32[2] {1, 2}");
  EXPECT_EQ(echo.call(tensor)->tensor()->buffer().data(), tensor.buffer().data());
  EXPECT_TRUE(echo.call(nullptr)->is_null());
  EXPECT_EQ(echo.call()->list()->size(), 0U);
  EXPECT_EQ(echo.call(tensor, std::vector<Any>{tensor})->list()->at(1).list()->size(), 1U);
}

TEST(ExecutableFunction, ArgumentsAreValuesOfHlo) {
  const PackedFunction echo = as_function("echo", std::make_shared<Echo>());
  EXPECT_EQ(echo.call(nullptr, "text").error().message,
            "argument 1 of 'echo' is a string, where a tensor, a list of these, or null is wanted");
}

TEST(ExecutableFunction, ArgumentsMayBeStoredInAnyWay) {
  const auto program = compile(R"(HloModule m
ENTRY e {
  p = (s32[2,3]) parameter(0)
  a = s32[2,3] get-tuple-element(p), index=0
  ROOT r = s32[6] reshape(a)
})");
  const Tensor columns = with_storage(tensor_from_text("s32[2,3] { {1, 2, 3}, {4, 5, 6} }"),
                                      {.minor_to_major = {0, 1}}, MemoryPool())
                             .value();
  const Any result = as_function("f", program).call(std::vector<Any>{columns}).value();
  EXPECT_EQ(text_of(*result.tensor()), "s32[6] {1, 2, 3, 4, 5, 6}");
}

TEST(ExecutableFunction, ProgramsCallEachOther) {
  const auto inner = compile(R"(HloModule inner
ENTRY e {
  a = s32[] parameter(0)
  ROOT r = s32[] add(a, a)
})");
  const auto outer = compile(R"(HloModule outer
ENTRY e {
  a = s32[] parameter(0)
  b = s32[] custom-call(a), custom_call_target="double"
  ROOT r = s32[] custom-call(b), custom_call_target="double"
})");
  auto table = std::make_shared<FunctionTable>();
  ASSERT_TRUE(table->add("double", as_function("inner", inner)).has_value());
  const PackedFunction function = as_function("outer", outer, {}, table);
  table.reset();  // The function holds it.
  EXPECT_EQ(text_of(*function.call(tensor_from_text("s32[] 5"))->tensor()), "s32[] 20");
  EXPECT_EQ(as_function("outer", outer).call(tensor_from_text("s32[] 5")).error().kind,
            ErrorKind::kUnsupported);
}

TEST(ExecutableFunction, TheMemoryLimitIsThatOfACall) {
  const auto program = compile(R"(HloModule m
ENTRY e {
  a = s32[] parameter(0)
  ROOT r = s32[1000] broadcast(a), dimensions={}
})");
  const Tensor argument = tensor_from_text("s32[] 1");
  const PackedFunction function = as_function("f", program, {}, nullptr, 6000);
  std::vector<Any> kept;
  for (int i = 0; i < 20; ++i) {
    const Result<Any> result = function.call(argument);
    ASSERT_TRUE(result) << i << ": " << result.error().message;
    kept.push_back(*result);
  }
  EXPECT_EQ(as_function("f", program, {}, nullptr, 3999).call(argument).error().kind,
            ErrorKind::kExhausted);
  // Without a limit of their own, calls share the pool of the context.
  RunContext context;
  context.pool = MemoryPool(6000);
  const PackedFunction sharing = as_function("f", program, context);
  const Result<Any> first = sharing.call(argument);
  EXPECT_TRUE(first);
  EXPECT_EQ(sharing.call(argument).error().kind, ErrorKind::kExhausted);
}

// A program whose custom call runs the program.
TEST(ExecutableFunction, RecursionEnds) {
  const auto program = compile(R"(HloModule m
ENTRY e {
  a = s32[] parameter(0)
  ROOT r = s32[] custom-call(a), custom_call_target="self"
})");
  const auto table = std::make_shared<FunctionTable>();
  const PackedFunction function = as_function("self", program, {}, table);
  ASSERT_TRUE(table->add("self", function).has_value());
  const Error error = function.call(tensor_from_text("s32[] 1")).error();
  EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(error.message, ::testing::StartsWith("'r': "));
  EXPECT_THAT(error.message, ::testing::EndsWith("calls lie too deep inside each other"));
  EXPECT_TRUE(table->remove("self"));
}

}  // namespace
}  // namespace mercator::runtime
