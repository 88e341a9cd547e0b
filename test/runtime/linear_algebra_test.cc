#include "test/runtime/interpreter_testing.h"

#include <string>

#include <gmock/gmock.h>

namespace mercator::runtime {
namespace {

std::string cholesky(const std::string& type, const std::string& lower,
                     const std::string& argument) {
  return result_of(
      "p = " + type + " parameter(0)\nROOT r = " + type + " cholesky(p), lower=" + lower,
      {type + " " + argument});
}

TEST(Cholesky, ReadsOneTriangleAndZeroesTheOther) {
  // L = {{2, 0}, {3, 1}}: L L^T = {{4, 6}, {6, 10}}. The 99 is in the other triangle.
  EXPECT_EQ(cholesky("f32[2,2]", "true", "{{4,99},{6,10}}"), "f32[2,2] { {2, 0}, {3, 1} }");
  EXPECT_EQ(cholesky("f32[2,2]", "false", "{{4,6},{99,10}}"), "f32[2,2] { {2, 3}, {0, 1} }");
}

TEST(Cholesky, OfHermitianMatrices) {
  // L = {{2, 0}, {3 + i, 1}}: the lower left of L L^H is 2 (3 + i), the lower right 10 + 1.
  EXPECT_EQ(cholesky("c64[2,2]", "true", "{{(4,0),(0,0)},{(6,2),(11,0)}}"),
            "c64[2,2] { {(2, 0), (0, 0)}, {(3, 1), (1, 0)} }");
  EXPECT_EQ(cholesky("c128[2,2]", "false", "{{(4,0),(6,-2)},{(0,0),(11,0)}}"),
            "c128[2,2] { {(2, 0), (3, -1)}, {(0, 0), (1, 0)} }");
}

TEST(Cholesky, OfAMatrixThatIsNotPositiveDefiniteIsNan) {
  EXPECT_EQ(cholesky("f64[3,2,2]", "true", "{{{4,6},{6,10}},{{1,2},{2,1}},{{0,0},{0,0}}}"),
            "f64[3,2,2] { { {2, 0}, {3, 1} }, { {nan, nan}, {nan, nan} }, "
            "{ {nan, nan}, {nan, nan} } }");
  EXPECT_EQ(cholesky("f32[1,1]", "true", "{{nan}}"), "f32[1,1] { {nan} }");
}

TEST(Cholesky, OfNarrowTypesIsRoundedAtTheEnd) {
  // sqrt(2) = 1.4142…, next to which bf16 has 1.4140625; 3 / sqrt(2) = 2.1213… and
  // sqrt(6 - 4.5) = 1.2247… become 2.125 and 1.2265625, of which 2.12 and 1.23 are enough digits.
  EXPECT_EQ(cholesky("bf16[2,2]", "true", "{{2,3},{3,6}}"),
            "bf16[2,2] { {1.414, 0}, {2.12, 1.23} }");
  EXPECT_EQ(cholesky("f32[0,2,2]", "true", "{}"), "f32[0,2,2] {}");
}

std::string solve(const std::string& types, const std::string& attributes, const std::string& a,
                  const std::string& b) {
  const std::size_t bar = types.find('|');
  const std::string a_type = types.substr(0, bar);
  const std::string b_type = types.substr(bar + 1);
  return result_of("a = " + a_type + " parameter(0)\nb = " + b_type + " parameter(1)\nROOT r = " +
                       b_type + " triangular-solve(a, b), " + attributes,
                   {a_type + " " + a, b_type + " " + b});
}

TEST(TriangularSolve, OnTheLeft) {
  // The lower triangle of A is {{2, 0}, {3, 1}}, the upper one {{2, 9}, {0, 1}}.
  const std::string a = "{{2,9},{3,1}}";
  const auto left = [&](const std::string& attributes) {
    return solve("f32[2,2]|f32[2,1]", "left_side=true, " + attributes, a, "{{4},{5}}");
  };
  // 2x = 4, 3x + y = 5
  EXPECT_EQ(left("lower=true, transpose_a=NO_TRANSPOSE"), "f32[2,1] { {2}, {-1} }");
  // y = 5, 2x + 3y = 4
  EXPECT_EQ(left("lower=true, transpose_a=TRANSPOSE"), "f32[2,1] { {-5.5}, {5} }");
  // y = 5, 2x + 9y = 4
  EXPECT_EQ(left("lower=false, transpose_a=NO_TRANSPOSE"), "f32[2,1] { {-20.5}, {5} }");
  // 2x = 4, 9x + y = 5
  EXPECT_EQ(left("lower=false, transpose_a=ADJOINT"), "f32[2,1] { {2}, {-13} }");
  // x = 4, 3x + y = 5
  EXPECT_EQ(left("lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE"),
            "f32[2,1] { {4}, {-7} }");
}

TEST(TriangularSolve, OnTheRight) {
  const std::string a = "{{2,9},{3,1}}";
  const auto right = [&](const std::string& attributes) {
    return solve("f32[2,2]|f32[1,2]", "left_side=false, " + attributes, a, "{{4,5}}");
  };
  // (x, y) A: 2x + 3y = 4, y = 5
  EXPECT_EQ(right("lower=true, transpose_a=NO_TRANSPOSE"), "f32[1,2] { {-5.5, 5} }");
  // 2x = 4, 3x + y = 5
  EXPECT_EQ(right("lower=true, transpose_a=TRANSPOSE"), "f32[1,2] { {2, -1} }");
  // 2x = 4, 9x + y = 5
  EXPECT_EQ(right("lower=false, transpose_a=NO_TRANSPOSE"), "f32[1,2] { {2, -13} }");
}

TEST(TriangularSolve, AdjointConjugates) {
  // A = 1 + i: x = 2 / (1 + i) = 1 - i, and with the conjugate 1 + i.
  const auto complex = [&](const std::string& transpose) {
    return solve("c64[1,1]|c64[1,1]", "left_side=true, lower=true, transpose_a=" + transpose,
                 "{{(1,1)}}", "{{(2,0)}}");
  };
  EXPECT_EQ(complex("NO_TRANSPOSE"), "c64[1,1] { {(1, -1)} }");
  EXPECT_EQ(complex("TRANSPOSE"), "c64[1,1] { {(1, -1)} }");
  EXPECT_EQ(complex("ADJOINT"), "c64[1,1] { {(1, 1)} }");
}

TEST(TriangularSolve, OfBatchesAndOfNothing) {
  EXPECT_EQ(solve("f64[2,1,1]|f64[2,1,2]", "left_side=true, lower=true, transpose_a=NO_TRANSPOSE",
                  "{{{2}},{{4}}}", "{{{2,4}},{{4,-2}}}"),
            "f64[2,1,2] { { {1, 2} }, { {1, -0.5} } }");
  EXPECT_EQ(solve("f32[2,2]|f32[2,0]", "left_side=true, lower=true, transpose_a=NO_TRANSPOSE",
                  "{{1,0},{0,1}}", "{{},{}}"),
            "f32[2,0] { {}, {} }");
}

}  // namespace
}  // namespace mercator::runtime
