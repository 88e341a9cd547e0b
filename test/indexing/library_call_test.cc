// Custom calls of cuBLAS, cuDNN and oneDNN.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "test/indexing/analyzed_module.h"

namespace mercator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A module with one call of parameters of these shapes.
std::string call_module(std::string_view result, std::initializer_list<std::string_view> shapes,
                        std::string_view target, std::string_view attributes) {
  std::string text = "HloModule m\nENTRY e {\n";
  std::string names;
  for (const std::string_view shape : shapes) {
    const std::size_t k = names.size() / 4;
    text += fmt::format("  p{} = {} parameter({})\n", k, shape, k);
    names += fmt::format("{}p{}", names.empty() ? "  " : ", ", k);
  }
  return text + fmt::format("  ROOT r = {} custom-call({}), custom_call_target=\"{}\"{}\n}}\n",
                            result, names, target, attributes);
}

constexpr std::string_view kNumbers =
    R"("dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],)"
    R"("rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]})";

std::string gemm_config(std::string_view fields) {
  return fmt::format(
      R"(, backend_config={{"operation_queue_id":"0","gemm_backend_config":{{"alpha_real":1,{},{}}}}})",
      kNumbers, fields);
}

TEST(Gemm, IsADot) {
  AnalyzedModule m(call_module("(f32[8,4], s8[64])", {"f32[8,5]", "f32[5,4]"}, "__cublas$gemm",
                               gemm_config(R"("beta":0)")));
  EXPECT_THAT(
      m.o2i(0, {0}),
      ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 4]"));
  EXPECT_THAT(
      m.o2i(1, {0}),
      ElementsAre("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 4]"));
  EXPECT_THAT(
      m.i2o(0, {0}),
      ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], d1 in [0, 4], s0 in [0, 3]"));
  EXPECT_THAT(
      m.i2o(1, {0}),
      ElementsAre("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 4], d1 in [0, 3], s0 in [0, 7]"));
  EXPECT_THAT(m.o2i(0, {1}), ElementsAre(HasSubstr("unknown: what the library leaves")));
}

TEST(Gemm, BatchesAreThoseOfTheConfiguration) {
  AnalyzedModule m(
      call_module("bf16[3,8,4]", {"bf16[3,5,8]", "bf16[4,3,5]"}, "__cublas$lt$matmul",
                  R"(, backend_config={"gemm_backend_config":{"dot_dimension_numbers":{)"
                  R"("lhs_batch_dimensions":["0"],"rhs_batch_dimensions":["1"],)"
                  R"("lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["2"]}}})"));
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2)[s0] -> (d0, s0, d1), domain: d0 in [0, 2], d1 in "
                                    "[0, 7], d2 in [0, 3], s0 in [0, 4]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2)[s0] -> (d2, d0, s0), domain: d0 in [0, 2], d1 in "
                                    "[0, 7], d2 in [0, 3], s0 in [0, 4]"));
}

// Numbers that are no strings, a configuration in quotes, and one that stands alone.
TEST(Gemm, TheConfigurationHasSeveralForms) {
  const std::string_view expected =
      "(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 4]";
  for (const std::string_view config :
       {R"({"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":[1],)"
        R"("rhs_contracting_dimensions":[0]}}})",
        R"({"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],)"
        R"("rhs_contracting_dimensions":["0"]}})",
        R"("{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],)"
        R"(\"rhs_contracting_dimensions\":[\"0\"]}}")"}) {
    AnalyzedModule m(call_module("f32[8,4]", {"f32[8,5]", "f32[5,4]"}, "__cublas$gemm",
                                 fmt::format(", backend_config={}", config)));
    EXPECT_THAT(m.o2i(1), ElementsAre(expected)) << config;
  }
}

TEST(Gemm, AMatrixIsAddedWhereBetaIsNotZero) {
  AnalyzedModule m(call_module("(f32[8,4], s8[0])", {"f32[8,5]", "f32[5,4]", "f32[8,4]"},
                               "__cublas$gemm", gemm_config(R"("beta":1)")));
  EXPECT_THAT(m.o2i(2, {0}),
              ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]"));
  EXPECT_THAT(m.i2o(2, {0}),
              ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]"));
  EXPECT_THAT(m.o2i(2, {1}), IsEmpty());
}

TEST(Gemm, AVectorIsTheSameForEveryRow) {
  AnalyzedModule m(call_module("(f32[8,4], s8[0])", {"f32[8,5]", "f32[5,4]", "f32[8,4]", "f32[4]"},
                               "__cublas$lt$matmul",
                               gemm_config(R"("beta":1,"epilogue":"BIAS_RELU")")));
  EXPECT_THAT(m.o2i(2, {0}),
              ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]"));
  EXPECT_THAT(m.o2i(3, {0}), ElementsAre("(d0, d1) -> (d1), domain: d0 in [0, 7], d1 in [0, 3]"));
  EXPECT_THAT(m.i2o(3, {0}),
              ElementsAre("(d0)[s0] -> (s0, d0), domain: d0 in [0, 3], s0 in [0, 7]"));
}

// A row of a column-major result is a column.
TEST(Gemm, AVectorFollowsTheLayout) {
  AnalyzedModule m(call_module("f32[8,4]{0,1}", {"f32[8,5]", "f32[5,4]", "f32[8]"},
                               "__cublas$lt$matmul", gemm_config(R"("epilogue":"BIAS")")));
  EXPECT_THAT(m.o2i(2), ElementsAre("(d0, d1) -> (d0), domain: d0 in [0, 7], d1 in [0, 3]"));
}

TEST(Gemm, WhatTheActivationStartsFromIsAResult) {
  AnalyzedModule m(call_module("(f32[8,4], f32[8,4], s8[64])", {"f32[8,5]", "f32[5,4]", "f32[4]"},
                               "__cublas$lt$matmul", gemm_config(R"("epilogue":"BIAS_GELU_AUX")")));
  EXPECT_EQ(m.o2i(0, {1}), m.o2i(0, {0}));
  EXPECT_EQ(m.o2i(2, {1}), m.o2i(2, {0}));
  EXPECT_THAT(m.o2i(2, {1}), ElementsAre("(d0, d1) -> (d1), domain: d0 in [0, 7], d1 in [0, 3]"));
  EXPECT_THAT(m.o2i(0, {2}), ElementsAre(HasSubstr("unknown: what the library leaves")));
}

TEST(Gemm, EightBitsAreScaled) {
  AnalyzedModule m(call_module("(f8e4m3fn[8,4], f32[], s8[64])",
                               {"f8e4m3fn[8,5]", "f8e4m3fn[5,4]", "f32[]", "f32[]", "f32[]"},
                               "__cublas$lt$matmul$f8", gemm_config(R"("damax_output":true)")));
  EXPECT_THAT(m.o2i(2, {0}), ElementsAre("(d0, d1) -> (), domain: d0 in [0, 7], d1 in [0, 3]"));
  EXPECT_THAT(m.i2o(3, {0}),
              ElementsAre("()[s0, s1] -> (s0, s1), domain: s0 in [0, 7], s1 in [0, 3]"));
  EXPECT_THAT(m.o2i(4, {0}), ElementsAre("(d0, d1) -> (), domain: d0 in [0, 7], d1 in [0, 3] ~"));
  EXPECT_THAT(m.o2i(0, {1}),
              ElementsAre("()[s0, s1] -> (s0, s1), domain: s0 in [0, 7], s1 in [0, 4]"));
  EXPECT_THAT(m.o2i(0, {2}), ElementsAre(HasSubstr("unknown")));
}

TEST(Gemm, BlocksAreScaled) {
  AnalyzedModule m(
      call_module("(bf16[8,4], s8[64])",
                  {"f8e4m3fn[8,64]", "f8e4m3fn[4,64]", "f8e8m0fnu[8,2]", "f8e8m0fnu[4,2]"},
                  "__cublas$lt$matmul$mx",
                  R"(, backend_config={"gemm_backend_config":{"dot_dimension_numbers":{)"
                  R"("lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["1"]}}})"));
  EXPECT_THAT(
      m.o2i(2, {0}),
      ElementsAre("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 1]"));
  EXPECT_THAT(
      m.i2o(3, {0}),
      ElementsAre("(d0, d1)[s0] -> (s0, d0), domain: d0 in [0, 3], d1 in [0, 1], s0 in [0, 7]"));
}

TEST(Gemm, GroupsAreThoseOfARaggedDot) {
  AnalyzedModule m(call_module(
      "(f16[64,8], s8[784])", {"f16[64,9]", "f16[2,9,8]", "s32[2]"}, "__cublas$lt$groupedMatmul",
      R"(, backend_config={"grouped_gemm_backend_config":{"gemm_backend_config":{)"
      R"("dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],)"
      R"("rhs_contracting_dimensions":["1"]}},"ragged_dot_dimension_numbers":{)"
      R"("lhs_ragged_dimensions":["0"],"rhs_group_dimensions":["0"]}}})"));
  EXPECT_THAT(m.o2i(1, {0}),
              ElementsAre("(d0, d1)[s0, s1] -> (s0, s1, d1), domain: d0 in [0, 63], d1 in [0, 7], "
                          "s0 in [0, 1], s1 in [0, 8] ~"));
  EXPECT_THAT(
      m.o2i(2, {0}),
      ElementsAre("(d0, d1)[s0] -> (s0), domain: d0 in [0, 63], d1 in [0, 7], s0 in [0, 1]"));
}

TEST(Gemm, SaysWhatIsWrong) {
  const auto reason = [](std::string_view result, std::string_view attributes,
                         std::string_view second = "f32[5,4]") {
    AnalyzedModule m(call_module(result, {"f32[8,5]", second}, "__cublas$gemm", attributes));
    return m.o2i(0).at(0);
  };
  const std::string what = "unknown: what '__cublas$gemm' reads is not known: ";
  EXPECT_EQ(reason("f32[8,4]", ""),
            what + "its backend_config does not say what dimensions are for");
  EXPECT_EQ(reason("f32[8,4]", ", backend_config={a:1}"),
            what + "its backend_config is not an object in JSON");
  EXPECT_EQ(reason("f32[8,4]", ", backend_config=\"\\xff\""),
            what + "its backend_config is not an object in JSON");
  EXPECT_EQ(reason("f32[8,4]", R"(, backend_config={"gemm_backend_config":{}})"),
            what + "its backend_config does not say what dimensions are for");
  EXPECT_EQ(reason("f32[8,4]",
                   R"(, backend_config={"dot_dimension_numbers":{"lhs_batch_dimensions":[-1]}})"),
            what + "its backend_config has lhs_batch_dimensions of no numbers");
  EXPECT_EQ(reason("f32[8,4]",
                   R"(, backend_config={"dot_dimension_numbers":{"lhs_batch_dimensions":0}})"),
            what + "its backend_config has lhs_batch_dimensions without a list");
  EXPECT_EQ(reason("f32[8,4]", gemm_config(R"("epilogue":"TWICE")")),
            what + "the epilogue 'TWICE' is not known");
  EXPECT_EQ(reason("f32[8,4]", gemm_config(R"("epilogue":[7])")),
            what + "its backend_config has an epilogue without a name");
  EXPECT_EQ(reason("f32[8,4]", gemm_config(R"("beta":"x")")),
            what + "its backend_config has a beta that is not a number");
  EXPECT_EQ(reason("f32[8,4]", gemm_config(R"("beta":0)"), "f32[6,4]"),
            what + "'dot': the contracting dimensions 1 and 0 have the sizes 5 and 6");
  EXPECT_EQ(reason("f32[4,8]", gemm_config(R"("beta":0)")),
            what + "'dot': the result has the shape f32[8,4], not f32[4,8]");
  EXPECT_EQ(reason("token[]", gemm_config(R"("beta":0)")), what + "its result is not an array");
  EXPECT_EQ(reason("f32[8,4]", gemm_config(R"("epilogue":"GELU_AUX")")),
            what + "it has no second result");
  EXPECT_EQ(reason("f32[8,4]", gemm_config(R"("beta":0)"), "token[]"),
            what + "it needs 2 operands that are arrays");
}

TEST(Gemm, AnOperandTooManyIsNotKnown) {
  AnalyzedModule m(call_module("f32[8,4]", {"f32[8,5]", "f32[5,4]", "f32[4]"}, "__cublas$gemm",
                               gemm_config(R"("beta":0)")));
  EXPECT_THAT(m.o2i(0), ElementsAre(HasSubstr("(d0, d1)[s0] -> (d0, s0)")));
  EXPECT_THAT(m.o2i(2), ElementsAre("unknown: what the operand is for is not known"));
}

TEST(OneDnnMatmul, IsADotOfTheLastDimensions) {
  AnalyzedModule m(call_module(
      "f32[2,8,4]", {"f32[2,8,5]", "f32[2,4,5]", "f32[4]", "f32[2,1,4]"}, "__onednn$matmul",
      R"(, backend_config={"outer_dimension_partitions":[],"onednn_matmul_config":)"
      R"({"transpose_b":true,"fusions":{"ops":["BIAS","GELU_TANH","BINARY_ADD"]}}})"));
  EXPECT_THAT(m.o2i(0), ElementsAre("(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in "
                                    "[0, 7], d2 in [0, 3], s0 in [0, 4]"));
  EXPECT_THAT(m.o2i(1), ElementsAre("(d0, d1, d2)[s0] -> (d0, d2, s0), domain: d0 in [0, 1], d1 in "
                                    "[0, 7], d2 in [0, 3], s0 in [0, 4]"));
  EXPECT_THAT(m.o2i(2), ElementsAre("(d0, d1, d2) -> (d2), domain: d0 in [0, 1], d1 in [0, 7], "
                                    "d2 in [0, 3]"));
  EXPECT_THAT(m.o2i(3), ElementsAre("(d0, d1, d2) -> (d0, 0, d2), domain: d0 in [0, 1], d1 in "
                                    "[0, 7], d2 in [0, 3]"));
  EXPECT_THAT(m.i2o(3), ElementsAre("(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 1], d1 in "
                                    "[0, 0], d2 in [0, 3], s0 in [0, 7]"));
}

TEST(OneDnnMatmul, IsPlainWithoutAConfiguration) {
  AnalyzedModule m(call_module("f32[8,4]", {"f32[8,5]", "f32[5,4]"}, "__onednn$matmul", ""));
  EXPECT_THAT(
      m.o2i(1),
      ElementsAre("(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 4]"));
}

TEST(OneDnnMatmul, SaysWhatIsWrong) {
  const auto reason = [](std::string_view config, std::string_view second = "f32[5,4]") {
    AnalyzedModule m(
        call_module("f32[8,4]", {"f32[8,5]", second}, "__onednn$matmul",
                    fmt::format(R"(, backend_config={{"onednn_matmul_config":{{{}}}}})", config)));
    return m.o2i(0).at(0);
  };
  const std::string what = "unknown: what '__onednn$matmul' reads is not known: ";
  EXPECT_EQ(reason(R"("fused_ops":["SOFTMAX"])"), what + "the operation 'SOFTMAX' is not known");
  EXPECT_EQ(reason(R"("fused_ops":["BIAS"])"), what + "it needs 3 operands that are arrays");
  EXPECT_EQ(reason(R"("optimization_config":{"weights_prepacked":true})", "f32[20]"),
            what + "the order of its right operand is the library's own");
  EXPECT_EQ(reason("", "f32[20]"),
            what + "its operands are not matrices of the same number of dimensions");
  EXPECT_EQ(reason(R"("transpose_a":true)"),
            what + "'dot': the contracting dimensions 0 and 0 have the sizes 8 and 5");
}

constexpr std::string_view kWindow = ", window={size=2}, dim_labels=b0f_0io->b0f";

TEST(LibraryConvolution, ForwardIsAConvolution) {
  AnalyzedModule m(call_module("(f32[1,8,4], u8[16])", {"f32[1,9,6]", "f32[2,6,4]"},
                               "__cudnn$convForward", kWindow));
  EXPECT_THAT(m.o2i(0, {0}),
              ElementsAre("(d0, d1, d2)[s0, s1] -> (0, d1 + s0, s1), domain: d0 in [0, 0], d1 in "
                          "[0, 7], d2 in [0, 3], s0 in [0, 1], s1 in [0, 5]"));
  EXPECT_THAT(m.o2i(0, {1}), ElementsAre(HasSubstr("unknown: what the library leaves")));
}

// The gradients read what the convolution meets: i2o of the one is o2i of the other.
TEST(LibraryConvolution, GradientsGoBackwards) {
  AnalyzedModule forward(R"(HloModule m
ENTRY e {
  p0 = f32[1,9,6] parameter(0)
  p1 = f32[2,6,4] parameter(1)
  ROOT r = f32[1,8,4] convolution(p0, p1), window={size=2}, dim_labels=b0f_0io->b0f
})");
  AnalyzedModule input(call_module("(f32[1,9,6], u8[0])", {"f32[1,8,4]", "f32[2,6,4]"},
                                   "__cudnn$convBackwardInput", kWindow));
  AnalyzedModule kernel(call_module("(f32[2,6,4], u8[0])", {"f32[1,9,6]", "f32[1,8,4]"},
                                    "__cudnn$convBackwardFilter", kWindow));
  EXPECT_EQ(input.o2i(0, {0}), forward.i2o(0));
  EXPECT_EQ(input.i2o(0, {0}), forward.o2i(0));
  EXPECT_EQ(kernel.o2i(1, {0}), forward.i2o(1));
  EXPECT_EQ(kernel.i2o(1, {0}), forward.o2i(1));
  EXPECT_THAT(input.o2i(1, {0}),
              ElementsAre("(d0, d1, d2)[s0, s1] -> (s0, d2, s1), domain: d0 in [0, 0], d1 in "
                          "[0, 8], d2 in [0, 5], s0 in [0, 1], s1 in [0, 3], d1 - s0 in [0, 7]"));
  EXPECT_EQ(input.o2i(1, {0}), kernel.i2o(0, {0}));
  EXPECT_EQ(input.i2o(1, {0}), kernel.o2i(0, {0}));
}

TEST(LibraryConvolution, ABiasAndAnArrayAreAdded) {
  AnalyzedModule m(call_module("(f32[1,8,4], u8[0])",
                               {"f32[1,9,6]", "f32[2,6,4]", "f32[4]", "f32[1,8,4]"},
                               "__cudnn$convBiasActivationForward", kWindow));
  EXPECT_THAT(m.o2i(2, {0}), ElementsAre("(d0, d1, d2) -> (d2), domain: d0 in [0, 0], d1 in "
                                         "[0, 7], d2 in [0, 3]"));
  EXPECT_THAT(m.o2i(3, {0}), ElementsAre("(d0, d1, d2) -> (0, d1, d2), domain: d0 in [0, 0], d1 "
                                         "in [0, 7], d2 in [0, 3]"));
}

TEST(LibraryConvolution, SaysWhatIsWrong) {
  AnalyzedModule m(call_module("(f32[1,7,4], u8[0])", {"f32[1,9,6]", "f32[2,6,4]"},
                               "__cudnn$convForward", kWindow));
  EXPECT_THAT(m.o2i(0, {0}),
              ElementsAre("unknown: what '__cudnn$convForward' reads is not known: 'convolution': "
                          "the result has the shape f32[1,8,4], not f32[1,7,4]"));
}

}  // namespace
}  // namespace mercator::testing
