#include "mercator/runtime/scalar_function.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mercator/runtime/evaluator.h"
#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

using hlo::ElementType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The entry computation of a program as a function of scalars.
class FunctionOf {
 public:
  enum class Kind : std::uint8_t { kPlain, kAccumulator };

  explicit FunctionOf(std::string_view computations, Kind kind = Kind::kPlain)
      : module_(hlo::parse_module("HloModule m\n\n" + std::string(computations)).value()) {
    EXPECT_TRUE(hlo::verify(*module_).has_value());
    function_ = std::make_unique<Result<ScalarFunction>>(
        kind == Kind::kPlain ? ScalarFunction::make(*module_->entry, evaluator_)
                             : ScalarFunction::make_accumulator(*module_->entry, evaluator_));
  }

  Result<ScalarFunction>& function() { return *function_; }
  std::vector<ElementType> parameter_types() {
    const auto types = function_->value().parameter_types();
    return {types.begin(), types.end()};
  }

  std::vector<Number> operator()(const std::vector<Number>& arguments) {
    std::vector<Number> results(function_->value().result_types().size(), Number{});
    EXPECT_TRUE((**function_)(arguments, results).has_value());
    return results;
  }

 private:
  std::unique_ptr<hlo::Module> module_;
  RunContext context_;
  Observer observer_;
  Evaluator evaluator_{context_, observer_};
  std::unique_ptr<Result<ScalarFunction>> function_;
};

constexpr std::string_view kSum = R"(ENTRY sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
})";

TEST(ScalarFunction, OneOperation) {
  FunctionOf sum(kSum);
  EXPECT_THAT(sum.parameter_types(), ElementsAre(ElementType::kF32, ElementType::kF32));
  EXPECT_EQ(sum({{.f = 1.5F}, {.f = 2}})[0].f, 3.5F);
  // Rounded in each step, as written.
  EXPECT_EQ(sum({{.f = 16777216}, {.f = 1}})[0].f, 16777216);
}

TEST(ScalarFunction, OperandsInAnyOrderAndTwice) {
  FunctionOf difference(R"(ENTRY e {
    a = s8[] parameter(0)
    b = s8[] parameter(1)
    ROOT r = s8[] subtract(b, a)
  })");
  EXPECT_EQ(difference({{.s = 5}, {.s = 7}})[0].s, 2);
  FunctionOf square(R"(ENTRY e {
    a = s8[] parameter(0)
    ROOT r = s8[] multiply(a, a)
  })");
  EXPECT_EQ(square({{.s = 16}})[0].s, 0);
  FunctionOf second(R"(ENTRY e {
    a = s8[] parameter(0)
    ROOT b = s8[] parameter(1)
  })");
  EXPECT_EQ(second({{.s = 5}, {.s = 7}})[0].s, 7);
}

TEST(ScalarFunction, SeveralResultsAndCalls) {
  // The larger value with its index: that of the first of equal ones.
  FunctionOf argmax(R"(
larger {
  v = f32[] parameter(0)
  w = f32[] parameter(1)
  ROOT r = pred[] compare(v, w), direction=GE
}

pair {
  c = pred[] parameter(0)
  p = (f32[], s32[]) parameter(1)
  q = (f32[], s32[]) parameter(2)
  v = f32[] get-tuple-element(p), index=0
  w = f32[] get-tuple-element(q), index=0
  i = s32[] get-tuple-element(p), index=1
  j = s32[] get-tuple-element(q), index=1
  s = f32[] select(c, v, w)
  k = s32[] select(c, i, j)
  unused = s32[] add(i, j)
  ROOT r = (s32[], (f32[], s32[])) tuple(k, (f32[], s32[]) tuple(s, k))
}

ENTRY e {
  v = f32[] parameter(0)
  i = s32[] parameter(1)
  w = f32[] parameter(2)
  j = s32[] parameter(3)
  c = pred[] call(v, w), to_apply=larger
  p = (f32[], s32[]) tuple(v, i)
  q = (f32[], s32[]) tuple(w, j)
  t = (s32[], (f32[], s32[])) call(c, p, q), to_apply=pair
  ROOT r = (f32[], s32[]) get-tuple-element(t), index=1
})");
  EXPECT_THAT(argmax.function().value().result_types(),
              ElementsAre(ElementType::kF32, ElementType::kS32));
  std::vector<Number> results = argmax({{.f = 3}, {.s = 10}, {.f = 4}, {.s = 11}});
  EXPECT_EQ(results[0].f, 4);
  EXPECT_EQ(results[1].s, 11);
  results = argmax({{.f = 4}, {.s = 10}, {.f = 4}, {.s = 11}});
  EXPECT_EQ(results[1].s, 10);
}

TEST(ScalarFunction, ConstantsAreFolded) {
  FunctionOf affine(R"(ENTRY e {
    a = f32[] parameter(0)
    two = f32[] constant(2)
    three = f32[] constant(3)
    six = f32[] multiply(two, three)
    seven = f32[] constant(7)
    scaled = f32[] multiply(a, six)
    ROOT r = f32[] subtract(scaled, seven)
  })");
  EXPECT_EQ(affine({{.f = 2}})[0].f, 5);
  FunctionOf constant(R"(ENTRY e {
    a = f32[] parameter(0)
    ROOT r = bf16[] constant(1.5)
  })");
  EXPECT_EQ(constant({{.f = 2}})[0].f, 1.5F);
}

TEST(ScalarFunction, BitsAndShapesOfScalars) {
  // The comparison by total order that older versions of JAX write.
  FunctionOf key(R"(ENTRY e {
    a = f32[] parameter(0)
    b = f32[] copy(a)
    c = f32[] reshape(b)
    u = u32[] bitcast-convert(c)
    s = s32[] bitcast-convert(c)
    zero = s32[] constant(0)
    negative = pred[] compare(s, zero), direction=LT
    most = u32[] constant(2147483647)
    flipped = u32[] subtract(most, u)
    i = s32[] bitcast-convert(flipped)
    ROOT r = s32[] select(negative, i, s)
  })");
  EXPECT_EQ(key({{.f = 1}})[0].s, 0x3F80'0000);
  EXPECT_EQ(key({{.f = -1}})[0].s, -0x3F80'0001);
}

TEST(ScalarFunction, WhatIsNotElementwiseIsEvaluated) {
  FunctionOf loop(R"(
double {
  x = s32[] parameter(0)
  ROOT r = s32[] add(x, x)
}

small {
  x = s32[] parameter(0)
  limit = s32[] constant(100)
  ROOT r = pred[] compare(x, limit), direction=LT
}

ENTRY e {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  s = s32[] add(x, y)
  ROOT r = s32[] while(s), condition=small, body=double
})");
  EXPECT_EQ(loop({{.s = 1}, {.s = 2}})[0].s, 192);
}

TEST(ScalarFunction, ErrorsOfTheEvaluatorArePassedOn) {
  FunctionOf unknown(R"(ENTRY e {
    a = f32[] parameter(0)
    b = f32[] custom-call(a), custom_call_target="nobody"
    ROOT r = f32[] add(a, b)
  })");
  std::vector<Number> results(1, Number{});
  const Result<void> done = unknown.function().value()(std::vector<Number>{{.f = 1}}, results);
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(done.error().message, HasSubstr("'b'"));
}

TEST(ScalarFunction, ArraysAreNoScalars) {
  FunctionOf array(R"(ENTRY e {
    a = f32[2] parameter(0)
    ROOT r = f32[2] negate(a)
  })");
  ASSERT_FALSE(array.function().has_value());
  EXPECT_EQ(array.function().error().kind, ErrorKind::kUnsupported);
}

TEST(ScalarFunction, CallsThatMultiplyAreNotWrittenOut) {
  // 2^40 additions.
  std::string text = "f0 {\n  a = f32[] parameter(0)\n  ROOT r = f32[] add(a, a)\n}\n\n";
  for (int i = 1; i < 40; ++i) {
    text += fmt::format(
        "f{} {{\n  a = f32[] parameter(0)\n  b = f32[] call(a), to_apply=f{}\n"
        "  ROOT r = f32[] call(b), to_apply=f{}\n}}\n\n",
        i, i - 1, i - 1);
  }
  text += "ENTRY e {\n  a = f32[] parameter(0)\n  ROOT r = f32[] call(a), to_apply=f39\n}\n";
  FunctionOf function(text);
  EXPECT_TRUE(function.function().has_value());
}

TEST(ScalarFunction, AccumulatorsOfSumsAreWide) {
  FunctionOf sum(kSum, FunctionOf::Kind::kAccumulator);
  EXPECT_THAT(sum.parameter_types(), ElementsAre(ElementType::kF64, ElementType::kF64));
  EXPECT_EQ(sum({{.d = 16777216}, {.d = 1}})[0].d, 16777217);

  FunctionOf complex(R"(ENTRY e {
    a = c64[] parameter(0)
    b = c64[] parameter(1)
    two = c64[] constant((2, 1))
    c = c64[] multiply(b, two)
    ROOT r = c64[] add(a, c)
  })",
                     FunctionOf::Kind::kAccumulator);
  EXPECT_THAT(complex.parameter_types(), ElementsAre(ElementType::kC128, ElementType::kC128));
  EXPECT_EQ(complex({{.z = {1, 0}}, {.z = {0, 1}}})[0].z, std::complex<double>(0, 2));
}

TEST(ScalarFunction, AccumulatorsKeepIntegersAndComparisons) {
  FunctionOf largest(R"(ENTRY e {
    v = bf16[] parameter(0)
    i = s8[] parameter(1)
    w = bf16[] parameter(2)
    j = s8[] parameter(3)
    c = pred[] compare(v, w), direction=GT
    x = bf16[] select(c, v, w)
    one = s8[] constant(1)
    k = s8[] select(c, i, j)
    next = s8[] add(k, one)
    ROOT r = (bf16[], s8[]) tuple(x, next)
  })",
                     FunctionOf::Kind::kAccumulator);
  EXPECT_THAT(largest.parameter_types(), ElementsAre(ElementType::kF64, ElementType::kS8,
                                                     ElementType::kF64, ElementType::kS8));
  const std::vector<Number> results = largest({{.d = 3}, {.s = 127}, {.d = 2}, {.s = 5}});
  EXPECT_EQ(results[0].d, 3);
  EXPECT_EQ(results[1].s, -128);
}

TEST(ScalarFunction, AccumulatorsOfSumsThatAreRoundedByConvertAreWide) {
  // As XLA:CPU writes a sum of bf16.
  FunctionOf sum(R"(ENTRY e {
    a = bf16[] parameter(0)
    b = bf16[] parameter(1)
    x = f32[] convert(a)
    y = f32[] convert(b)
    s = f32[] add(x, y)
    ROOT r = bf16[] convert(s)
  })",
                 FunctionOf::Kind::kAccumulator);
  EXPECT_EQ(sum({{.d = 256}, {.d = 1}})[0].d, 257);
}

TEST(ScalarFunction, AccumulatorsOfOtherFunctionsAreAsWritten) {
  for (const std::string_view operation :
       {"power(a, b)", "remainder(a, b)", "reduce-precision(a), exponent_bits=5, mantissa_bits=2",
        "exponential(a)", "floor(a)"}) {
    FunctionOf function(fmt::format("ENTRY e {{\n  a = f32[] parameter(0)\n"
                                    "  b = f32[] parameter(1)\n  ROOT r = f32[] {}\n}}\n",
                                    operation),
                        FunctionOf::Kind::kAccumulator);
    EXPECT_THAT(function.parameter_types(), ElementsAre(ElementType::kF32, ElementType::kF32))
        << operation;
  }
  // To an integer and back.
  FunctionOf truncated(R"(ENTRY e {
    a = f32[] parameter(0)
    i = s32[] convert(a)
    ROOT r = f32[] convert(i)
  })",
                       FunctionOf::Kind::kAccumulator);
  EXPECT_THAT(truncated.parameter_types(), ElementsAre(ElementType::kF32));
}

}  // namespace
}  // namespace mercator::runtime
