#include "test/runtime/interpreter_testing.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A custom call with these operands, each `type literal`.
std::vector<std::string> call(const std::string& target, const std::string& shape,
                              const std::vector<std::string>& operands,
                              const std::string& attributes = "") {
  std::string text = "HloModule m\nENTRY main {\n";
  std::string names;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string name = "p" + std::to_string(i);
    text += name + " = " + operands[i].substr(0, operands[i].find(' ')) + " parameter(" +
            std::to_string(i) + ")\n";
    names += (i == 0 ? "" : ", ") + name;
  }
  text += "ROOT r = " + shape + " custom-call(" + names + "), custom_call_target=\"" + target +
          "\"" + attributes + "\n}\n";
  return results_of(text, operands);
}

TEST(CustomCall, WhatOnlySaysWhereAValueIsLeavesIt) {
  for (const char* target :
       {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "MoveToHost", "MoveToDevice",
        "annotate_device_placement", "LayoutConstraint", "xla.sdy.GlobalToLocalShape"}) {
    EXPECT_THAT(call(target, "f32[2]", {"f32[2] {1, 2}"}), ElementsAre("f32[2] {1, 2}")) << target;
  }
  EXPECT_THAT(
      call("SPMDFullToShardShape", "f32[1]", {"f32[2] {1, 2}"}),
      ElementsAre("'r': SPMDFullToShardShape: the result is f32[2], where f32[1] is wanted"));
}

TEST(CustomCall, TopKOrdersEveryNumber) {
  EXPECT_THAT(
      call("TopK", "(f32[2,3], s32[2,3])", {"f32[2,5] {{1,nan,-0,3,0},{2,7,2,7,-inf}}"}),
      ElementsAre("f32[2,3] { {nan, 3, 1}, {7, 7, 2} }", "s32[2,3] { {1, 3, 0}, {1, 3, 0} }"));
  EXPECT_THAT(call("TopK", "(f32[2], s32[2])", {"f32[2] {-0,0}"}),
              ElementsAre("f32[2] {0, -0}", "s32[2] {1, 0}"));
  EXPECT_THAT(call("TopK", "f32[2]", {"f32[2] {1,2}"}),
              ElementsAre(HasSubstr("is not the result of a TopK")));
}

TEST(CustomCall, DynamicSizesComeAndGo) {
  EXPECT_THAT(
      call("SliceToDynamic", "f32[<=2,<=3]", {"f32[2,3] {{1,2,3},{4,5,6}}", "s32[] 2", "s32[] 1"}),
      ElementsAre("f32[2,1] { {1}, {4} }"));
  EXPECT_THAT(results_of(R"(HloModule m
ENTRY main {
  p = f32[2,3] parameter(0)
  n = s32[] parameter(1)
  d = f32[2,<=3] set-dimension-size(p, n), dimensions={1}
  ROOT r = (f32[2,3], s32[], s32[]) custom-call(d), custom_call_target="PadToStatic"
})",
                         {"f32[2,3] {{1,2,3},{4,5,6}}", "s32[] 2"}),
              ElementsAre("f32[2,3] { {1, 2, 0}, {4, 5, 0} }", "s32[] 2", "s32[] 2"));
}

TEST(CustomCall, AssertionsAboutShapes) {
  EXPECT_THAT(call("shape_assertion", "()", {"pred[] true", "s32[] 3"}), ElementsAre());
  EXPECT_THAT(call("shape_assertion", "()", {"pred[] false", "s32[] 3", "s32[] 4"}),
              ElementsAre("'r': shape_assertion: an assertion about shapes does not hold: 3, 4"));
}

TEST(CustomCall, OfAnUnknownTargetIsRefused) {
  EXPECT_THAT(call("te_fused_attn_forward_ffi", "f32[2]", {"f32[2] {1, 2}"}),
              ElementsAre(HasSubstr("'te_fused_attn_forward_ffi'")));
  EXPECT_THAT(call("lapack_dgeev_ffi", "f64[1]", {"f64[1] {1}"}),
              ElementsAre(HasSubstr("'lapack_dgeev_ffi'")));
}

TEST(Lapack, CholeskyKeepsTheOtherTriangle) {
  EXPECT_THAT(
      call("lapack_dpotrf_ffi", "(f64[2,2,2], s32[2])",
           {"f64[2,2,2] {{{4,99},{6,10}},{{1,9},{2,1}}}"}, ", backend_config={uplo = 76 : ui8}"),
      ElementsAre("f64[2,2,2] { { {2, 99}, {3, 1} }, { {1, 9}, {2, 1} } }", "s32[2] {0, 2}"));
  EXPECT_THAT(call("lapack_spotrf_ffi", "(f32[2,2], s32[])", {"f32[2,2] {{4,6},{99,10}}"},
                   ", backend_config={uplo = 85 : ui8}"),
              ElementsAre("f32[2,2] { {2, 3}, {99, 1} }", "s32[] 0"));
}

TEST(Lapack, LuExchangesRowsForTheLargestPivot) {
  // Rows 0 and 1 are exchanged, {{4, 2}, {2, 3}}: the factor is 0.5 and 3 - 0.5 * 2 = 2.
  EXPECT_THAT(call("lapack_sgetrf_ffi", "(f32[2,2], s32[2], s32[])", {"f32[2,2] {{2,3},{4,2}}"},
                   ", backend_config={}"),
              ElementsAre("f32[2,2] { {4, 2}, {0.5, 2} }", "s32[2] {2, 2}", "s32[] 0"));
  // Singular: the second pivot is zero.
  EXPECT_THAT(call("lapack_zgetrf_ffi", "(c128[2,1], s32[1], s32[])",
                   {"c128[2,1] {{(0,0)},{(0,0)}}"}, ", backend_config={}"),
              ElementsAre("c128[2,1] { {(0, 0)}, {(0, 0)} }", "s32[1] {1}", "s32[] 1"));
}

TEST(Lapack, QrReflectsEachColumn) {
  // The column (3, 4) becomes (-5, 0): v = (1, 4 / (3 + 5)), tau = (-5 - 3) / -5.
  EXPECT_THAT(call("lapack_dgeqrf_ffi", "(f64[2,1], f64[1])", {"f64[2,1] {{3},{4}}"},
                   ", backend_config={}"),
              ElementsAre("f64[2,1] { {-5}, {0.5} }", "f64[1] {1.6}"));
  // Q e_0 = (3, 4) / -5, and the second column is orthogonal to it.
  EXPECT_THAT(call("lapack_sorgqr_ffi", "f32[2,2]", {"f32[2,2] {{-5,0},{0.5,0}}", "f32[1] {1.6}"},
                   ", backend_config={}"),
              ElementsAre("f32[2,2] { {-0.6, -0.8}, {-0.8, 0.6} }"));
  // v = (1, 1) and tau = 1: Q = I - v v^T exchanges two numbers and their signs.
  EXPECT_THAT(call("lapack_sormqr_ffi", "f32[2,1]",
                   {"f32[2,1] {{-1},{1}}", "f32[1] {1}", "f32[2,1] {{3},{4}}"},
                   ", backend_config={left = true, transpose = true}"),
              ElementsAre("f32[2,1] { {-4}, {-3} }"));
}

TEST(Lapack, TriangularSystems) {
  // 2x = 4, 3x + y = 5
  EXPECT_THAT(call("lapack_strsm_ffi", "f32[2,1]", {"f32[2,2] {{2,9},{3,1}}", "f32[2,1] {{4},{5}}"},
                   ", backend_config={diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = "
                   "76 : ui8}"),
              ElementsAre("f32[2,1] { {2}, {-1} }"));
  // (x) conj(1 + i) = 2
  EXPECT_THAT(call("lapack_ctrsm_ffi", "c64[1,1]", {"c64[1,1] {{(1,1)}}", "c64[1,1] {{(2,0)}}"},
                   ", backend_config={diag = 78 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = "
                   "76 : ui8}"),
              ElementsAre("c64[1,1] { {(1, 1)} }"));
}

TEST(Lapack, EigenvaluesInAscendingOrder) {
  // Of {{2, 1}, {1, 2}}, of which the upper triangle says 99: 1 and 3.
  const std::vector<std::string> results =
      call("lapack_dsyevd_ffi", "(f64[2,2], f64[2], s32[])", {"f64[2,2] {{2,99},{1,2}}"},
           ", backend_config={mode = 86 : ui8, uplo = 76 : ui8}");
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[1], "f64[2] {1, 3}");
  EXPECT_EQ(results[2], "s32[] 0");
  EXPECT_THAT(call("lapack_dsyevd_ffi", "(f64[1,1], f64[1], s32[])", {"f64[1,1] {{nan}}"},
                   ", backend_config={mode = 86 : ui8, uplo = 76 : ui8}"),
              ElementsAre("f64[1,1] { {nan} }", "f64[1] {nan}", "s32[] 1"));
}

TEST(Lapack, SingularValuesInDescendingOrder) {
  // Of a matrix with one row its length; the row, and its sign, are in V.
  const std::vector<std::string> results =
      call("lapack_dgesdd_ffi", "(f64[1,2], f64[1], f64[1,1], f64[1,2], s32[])",
           {"f64[1,2] {{3,4}}"}, ", backend_config={mode = 83 : ui8}");
  EXPECT_THAT(results, ElementsAre("f64[1,2] { {3, 4} }", "f64[1] {5}", "f64[1,1] { {1} }",
                                   "f64[1,2] { {0.6, 0.8} }", "s32[] 0"));
  EXPECT_THAT(call("lapack_sgesdd_ffi", "(f32[2,2], f32[2], f32[2,2], f32[2,2], s32[])",
                   {"f32[2,2] {{0,-2},{3,0}}"}, ", backend_config={mode = 78 : ui8}")[1],
              "f32[2] {3, 2}");
}

TEST(Lapack, WrongShapesAreRefused) {
  EXPECT_THAT(call("lapack_dgetrf_ffi", "(f64[2,2], s32[1], s32[])", {"f64[2,2] {{1,2},{3,4}}"}),
              ElementsAre("'r': lapack_dgetrf_ffi: a result is s32[1], where [2] is wanted"));
  EXPECT_THAT(call("lapack_dpotrf_ffi", "(f64[2,2], s32[])", {"f64[2,2] {{1,2},{3,4}}"}),
              ElementsAre(HasSubstr("the backend_config does not have uplo = 76 (L) or 85 (U)")));
}

TEST(Lapack, OfEmptyMatricesEndsHoweverManyThereAre) {
  EXPECT_EQ(result_of("z = f32[] constant(0) "
                      "a = f32[200000000000000000,0,0] broadcast(z), dimensions={} "
                      "q = (f32[200000000000000000,0,0], f32[200000000000000000,0]) "
                      "custom-call(a), custom_call_target=\"lapack_sgeqrf_ffi\" "
                      "t = f32[200000000000000000,0] get-tuple-element(q), index=1 "
                      "ROOT r = s32[] get-dimension-size(t), dimensions={1}"),
            "s32[] 0");
}

TEST(Lapack, OfAMatrixWithoutColumnsEndsHoweverManyRowsItHas) {
  for (const char* const sizes : {"200000000000000000,0", "0,200000000000000000"}) {
    const std::string matrix = "f32[" + std::string(sizes) + "]";
    const bool is_tall = sizes[0] != '0';
    EXPECT_EQ(result_of("z = f32[] constant(0) a = " + matrix +
                        " broadcast(z), dimensions={} s = (" + matrix + ", f32[0], " +
                        (is_tall ? matrix + ", f32[0,0]" : "f32[0,0], " + matrix) +
                        ", s32[]) custom-call(a), custom_call_target=\"lapack_sgesdd_ffi\", "
                        "backend_config={mode = 83 : ui8} "
                        "ROOT r = s32[] get-tuple-element(s), index=4"),
              "s32[] 0");
  }
}

TEST(Lapack, OperandsMustBeArrays) {
  EXPECT_THAT(
      results_of(R"(HloModule m
ENTRY e {
  a = f32[2,2] constant({{4,1},{1,3}})
  t = token[] after-all()
  ROOT c = f32[2,2] custom-call(a, t), custom_call_target="lapack_sorgqr_ffi"
})"),
      ElementsAre("'c': lapack_sorgqr_ffi: it takes arrays, one at least, and nothing else"));
}

}  // namespace
}  // namespace mercator::runtime
