#include <string>

#include <gtest/gtest.h>

#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

std::string call(const std::string& function, const std::string& argument) {
  const std::string shape = argument.substr(0, argument.find(' '));
  return result_of("  x = " + shape + " parameter(0)\n  ROOT r = " + shape +
                       " custom-call(x), custom_call_target=\"chlo." + function + "\"",
                   {argument});
}

// Expected values are those of Wolfram's and Abramowitz and Stegun's tables, rounded to the type.
TEST(ChloCall, Erfc) {
  EXPECT_EQ(call("erfc", "f32[5] {0, 1, -1, 5, inf}"),
            "f32[5] {1, 0.1572992, 1.8427008, 1.5374598e-12, 0}");
}

TEST(ChloCall, ErfInvIsTheInverse) {
  EXPECT_EQ(call("erf_inv", "f32[6] {0, -0, 1, -1, 1.5, nan}"),
            "f32[6] {0, -0, inf, -inf, nan, nan}");
  EXPECT_EQ(call("erf_inv", "f32[2] {0.5, -0.9}"), "f32[2] {0.47693628, -1.1630871}");
  EXPECT_EQ(call("erf_inv", "bf16[1] {0.5}"), "bf16[1] {0.477}");
  EXPECT_EQ(call("erf_inv", "f64[1] {0.5}"), "f64[1] {0.4769362762044699}");
  EXPECT_EQ(call("erf_inv", "f64[1] {1e-300}"), "f64[1] {8.86226925452758e-301}");
}

TEST(ChloCall, Lgamma) {
  // ln 0!, ln 4!, ln sqrt(pi), a pole, ln |gamma(-1/2)| = ln (2 sqrt(pi)).
  EXPECT_EQ(call("lgamma", "f32[7] {1, 5, 0.5, 0, -0.5, inf, -inf}"),
            "f32[7] {0, 3.1780539, 0.5723649, inf, 1.2655121, inf, inf}");
}

TEST(ChloCall, Digamma) {
  // -gamma, -gamma - 2 ln 2, 25/12 - gamma, 2 - gamma - 2 ln 2.
  EXPECT_EQ(call("digamma", "f32[6] {1, 0.5, 5, -0.5, -1, nan}"),
            "f32[6] {-0.5772157, -1.96351, 1.5061177, 0.036489975, nan, nan}");
}

TEST(ChloCall, OtherOperandsAreNotSupported) {
  EXPECT_EQ(call("erfc", "s32[1] {1}"),
            "'r': chlo.erfc: it takes one array of floating-point numbers");
}

}  // namespace
}  // namespace mercator::runtime
