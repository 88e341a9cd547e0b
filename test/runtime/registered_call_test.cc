#include "mercator/runtime/registered_call.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mercator/hlo/verifier.h"
#include "mercator/runtime/function_table.h"
#include "mercator/runtime/pack.h"

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;

// The custom call of a module, and the table in which its function is looked for first.
class RegisteredCall : public ::testing::Test {
 protected:
  // An instruction of that shape with those operands, which are parameters a, b, … of the shapes.
  void call(std::string_view shape, const std::vector<std::string_view>& operands,
            std::string_view attributes = "") {
    std::string text = "HloModule m\nENTRY e {\n";
    std::string names;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const char name = static_cast<char>('a' + static_cast<char>(i));
      text += fmt::format("  {} = {} parameter({})\n", name, operands[i], i);
      names += fmt::format("{}{}", i == 0 ? "" : ", ", name);
    }
    text += fmt::format("  ROOT r = {} custom-call({}), custom_call_target=\"target\"{}\n}}\n",
                        shape, names, attributes);
    module_ = hlo::parse_module(text).value();
    ASSERT_TRUE(hlo::verify(*module_).has_value());
    context_.functions = &table_;
  }
  Result<Value> run(const std::vector<Value>& operands) const {
    return call_registered(*module_->entry->root, operands, context_);
  }
  void add(PackedFunction function) {
    ASSERT_TRUE(
        table_.add("target", std::move(function), FunctionTable::IfTaken::kReplace).has_value());
  }

  FunctionTable table_;
  std::unique_ptr<hlo::Module> module_;
  RunContext context_;
};

Tensor integers(const std::vector<std::int32_t>& values) {
  Tensor tensor = Tensor::allocate(hlo::ElementType::kS32,
                                   {static_cast<std::int64_t>(values.size())}, MemoryPool())
                      .value();
  std::memcpy(tensor.mutable_bytes().data(), values.data(), values.size() * sizeof(values[0]));
  return tensor;
}

std::vector<std::int32_t> elements(const Value& value) {
  const Tensor& tensor = value.tensor();
  std::vector<std::int32_t> result(static_cast<std::size_t>(tensor.element_count()));
  std::memcpy(result.data(), tensor.bytes().data(), result.size() * sizeof(result[0]));
  return result;
}

Tensor sum(const Tensor& a, const Tensor& b) {
  std::vector<std::int32_t> values = elements(a);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += elements(b)[i];
  return integers(values);
}

TEST_F(RegisteredCall, CallsTheFunctionWithTheOperands) {
  call("s32[2]", {"s32[2]", "s32[2]"});
  add(pack("sum", &sum));
  EXPECT_THAT(elements(*run({integers({1, 2}), integers({10, 20})})), ElementsAre(11, 22));
}

TEST_F(RegisteredCall, TuplesAreListsAndTokensAreNull) {
  call("(s32[1], (token[]))", {"(s32[1], s32[1])", "token[]"});
  add(pack("f", [](const std::vector<Tensor>& pair, const Any& token) {
    EXPECT_TRUE(token.is_null());
    return std::vector<Any>{pair.at(1), std::vector<Any>{nullptr}};
  }));
  const Result<Value> result = run({Value::tuple({integers({1}), integers({2})}), Value()});
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(type_text(*result), "(s32[1], (token[]))");
  EXPECT_THAT(elements(result->elements()[0]), ElementsAre(2));
}

// What the function gets after its one operand.
struct ConfigCase {
  std::string_view attribute;
  std::string_view fixed;     // a function of (tensor, string)
  std::string_view optional;  // a function of (tensor, string or null)
};

TEST_F(RegisteredCall, TheConfigurationFollowsTheOperands) {
  for (const ConfigCase& c : {
           ConfigCase{"", "", "none"},
           ConfigCase{", backend_config=\"\"", "", "none"},
           ConfigCase{", backend_config=\"plain\"", "plain", "plain"},
           ConfigCase{R"(, backend_config={"k":[1,2]})", R"({"k":[1,2]})", R"({"k":[1,2]})"},
           ConfigCase{R"(, backend_config="{\"k\": \"a\\b\"}\n\303\244\'")",
                      "{\"k\": \"a\\b\"}\n\xC3\xA4'", "{\"k\": \"a\\b\"}\n\xC3\xA4'"},
       }) {
    call("s32[1]", {"s32[1]"}, c.attribute);
    std::optional<std::string> got;
    add(pack("f", [&got](Tensor tensor, std::string config) {
      got = std::move(config);
      return tensor;
    }));
    EXPECT_TRUE(run({integers({1})}).has_value());
    EXPECT_EQ(got, c.fixed) << c.attribute;

    add(pack("f", [&got](Tensor tensor, std::optional<std::string> config) {
      got = std::move(config).value_or("none");
      return tensor;
    }));
    EXPECT_TRUE(run({integers({1})}).has_value());
    EXPECT_EQ(got, c.optional) << c.attribute;

    add(pack("f", [](Tensor tensor) { return tensor; }));
    EXPECT_TRUE(run({integers({1})}).has_value()) << c.attribute;
  }
}

TEST_F(RegisteredCall, TheTableOfTheProcessComesSecond) {
  call("s32[1]", {});
  ASSERT_TRUE(
      FunctionTable::global().add("target", pack("g", [] { return integers({1}); })).has_value());
  EXPECT_THAT(elements(*run({})), ElementsAre(1));
  add(pack("f", [] { return integers({2}); }));
  EXPECT_THAT(elements(*run({})), ElementsAre(2));
  context_.functions = nullptr;
  EXPECT_THAT(elements(*run({})), ElementsAre(1));
  EXPECT_TRUE(FunctionTable::global().remove("target"));
}

TEST_F(RegisteredCall, NobodyRegisteredIt) {
  call("s32[1]", {});
  const Error error = run({}).error();
  EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
  EXPECT_EQ(error.message, "no function is registered for custom calls of 'target'");
  EXPECT_EQ(error.hint,
            "register a function of that name: FunctionTable::add in C++, mercator_register in C");
  ASSERT_TRUE(table_.add("targets", pack("f", [] {})).has_value());
  EXPECT_EQ(run({}).error().hint, "did you mean 'targets'?");
}

TEST_F(RegisteredCall, ErrorsOfTheFunctionReturn) {
  call("s32[1]", {"s32[1]"});
  add(pack("f", [](const Tensor&) -> Result<Tensor> { return fail(ErrorKind::kIo, "no disk"); }));
  EXPECT_EQ(run({integers({1})}).error().message, "no disk");
  // A place in another text is none in this program.
  add(pack("f", [](const Tensor&) -> Result<Tensor> {
    return fail(ErrorKind::kIo, "wrong", TextSpan{.begin = 1, .end = 2});
  }));
  EXPECT_EQ(run({integers({1})}).error().span, std::nullopt);
  add(pack("f", [](bool) { return integers({1}); }));
  EXPECT_EQ(run({integers({1})}).error().message,
            "argument 0 of 'f' is a tensor s32[1], where a bool is wanted");
}

TEST_F(RegisteredCall, TheResultMustHaveTheShape) {
  call("s32[2]", {});
  const auto wrong = [&](const Any& returned) {
    add(pack("f", [returned] { return returned; }));
    return run({}).error().message;
  };
  EXPECT_EQ(wrong(integers({1})),
            "the result of the function 'target' is s32[1], where s32[2] is wanted");
  EXPECT_EQ(wrong(nullptr),
            "the result of the function 'target' is token[], where s32[2] is wanted");
  EXPECT_EQ(wrong(2),
            "the result of the function 'target' is the integer 2, where s32[2] is wanted");
  EXPECT_EQ(wrong(std::vector<Any>{integers({1, 2})}),
            "the result of the function 'target' is (s32[2]), where s32[2] is wanted");
}

TEST_F(RegisteredCall, ResultsBecomeDense) {
  call("s32[2,2]", {});
  const Tensor matrix = integers({1, 2, 3, 4}).reshaped({2, 2});
  add(pack("f", [matrix] {
    return with_storage(matrix, {.minor_to_major = {0, 1}}, MemoryPool()).value();
  }));
  const Value result = run({}).value();
  EXPECT_TRUE(result.tensor().is_dense());
  EXPECT_THAT(elements(result), ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace mercator::runtime
