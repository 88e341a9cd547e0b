#include "test/runtime/interpreter_testing.h"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mercator::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;

TEST(BatchNorm, TrainingNormalisesEachFeature) {
  // Feature 0 has 1, 3 (mean 2, variance 1), feature 1 has 2, 10 (mean 6, variance 16); with
  // epsilon = 9 the deviations are sqrt(10) and 5.
  const std::vector<std::string> results =
      results_of(R"(HloModule m
ENTRY main {
  x = f32[2,2] parameter(0)
  scale = f32[2] parameter(1)
  offset = f32[2] parameter(2)
  ROOT r = (f32[2,2], f32[2], f32[2]) batch-norm-training(x, scale, offset), epsilon=9, feature_index=1
})",
                 {"f32[2,2] {{1,2},{3,10}}", "f32[2] {0,5}", "f32[2] {7,1}"});
  EXPECT_THAT(results,
              ElementsAre("f32[2,2] { {7, -3}, {7, 5} }", "f32[2] {2, 6}", "f32[2] {1, 16}"));
}

TEST(BatchNorm, FeaturesMayBeAnyDimension) {
  const std::vector<std::string> results =
      results_of(R"(HloModule m
ENTRY main {
  x = f64[2,3] parameter(0)
  scale = f64[2] parameter(1)
  offset = f64[2] parameter(2)
  ROOT r = (f64[2,3], f64[2], f64[2]) batch-norm-training(x, scale, offset), epsilon=0, feature_index=0
})",
                 {"f64[2,3] {{0,0,6},{-1,0,1}}", "f64[2] {2,0}", "f64[2] {1,4}"});
  // Means 2 and 0, variances (4 + 4 + 16) / 3 = 8 and 2/3.
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[1], "f64[2] {2, 0}");
  EXPECT_EQ(results[2], "f64[2] {8, 0.6666666666666666}");
}

TEST(BatchNorm, InferenceTakesMeanAndVariance) {
  EXPECT_EQ(result_of("x = bf16[2,2] parameter(0)\n"
                      "scale = bf16[2] parameter(1)\noffset = bf16[2] parameter(2)\n"
                      "mean = bf16[2] parameter(3)\nvariance = bf16[2] parameter(4)\n"
                      "ROOT r = bf16[2,2] batch-norm-inference(x, scale, offset, mean, variance), "
                      "epsilon=1, feature_index=1",
                      {"bf16[2,2] {{1,2},{3,4}}", "bf16[2] {4,1}", "bf16[2] {0.5,0}",
                       "bf16[2] {1,2}", "bf16[2] {3,0}"}),
            "bf16[2,2] { {0.5, 0}, {4.5, 2} }");
}

TEST(BatchNorm, OfNoElementsHasNoMean) {
  constexpr const char* kNans = "f32.2. .-?nan, -?nan.";
  const std::vector<std::string> results = results_of(R"(HloModule m
ENTRY main {
  x = f32[0,2] parameter(0)
  v = f32[2] parameter(1)
  ROOT r = (f32[0,2], f32[2], f32[2]) batch-norm-training(x, v, v), epsilon=1, feature_index=1
})",
                                                      {"f32[0,2] {}", "f32[2] {1,1}"});
  EXPECT_THAT(results, ElementsAre("f32[0,2] {}", MatchesRegex(kNans), MatchesRegex(kNans)));
}

// Mean and variance of the operand, and the weighted sum of its normalised elements, whose
// gradient batch-norm-grad is.
double weighted_sum(const std::vector<double>& x, double scale, double offset, double epsilon,
                    const std::vector<double>& weights) {
  const auto n = static_cast<double>(x.size());
  double mean = 0;
  for (const double value : x) mean += value / n;
  double variance = 0;
  for (const double value : x) variance += (value - mean) * (value - mean) / n;
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += weights[i] * ((x[i] - mean) / std::sqrt(variance + epsilon) * scale + offset);
  }
  return sum;
}

TEST(BatchNorm, GradientsAreQuotientsOfDifferences) {
  constexpr double kEpsilon = 0.5;
  constexpr double kScale = 1.5;
  constexpr double kStep = 1e-5;
  const std::vector<double> x = {1, 2, 4, -3};
  const std::vector<double> weights = {1, -2, 0.5, 3};
  const auto at = [&](const std::vector<double>& point, double scale, double offset) {
    return weighted_sum(point, scale, offset, kEpsilon, weights);
  };
  // Mean 1; squares 0, 1, 9, 16.
  const std::vector<Value> arguments = {
      tensor_from_text("f64[4,1] {{1},{2},{4},{-3}}"), tensor_from_text("f64[1] {1.5}"),
      tensor_from_text("f64[1] {1}"), tensor_from_text("f64[1] {6.5}"),
      tensor_from_text("f64[4,1] {{1},{-2},{0.5},{3}}")};
  const Result<std::vector<Tensor>> results = run_program(R"(HloModule m
ENTRY main {
  x = f64[4,1] parameter(0)
  scale = f64[1] parameter(1)
  mean = f64[1] parameter(2)
  variance = f64[1] parameter(3)
  gradient = f64[4,1] parameter(4)
  ROOT r = (f64[4,1], f64[1], f64[1]) batch-norm-grad(x, scale, mean, variance, gradient), epsilon=0.5, feature_index=1
})",
                                                          arguments);
  ASSERT_TRUE(results.has_value()) << results.error().message;
  const auto number = [&](std::size_t i, std::int64_t element) {
    Arena arena;
    return *literal_of((*results)[i], arena).number(element);
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double> above = x;
    std::vector<double> below = x;
    above[i] += kStep;
    below[i] -= kStep;
    EXPECT_NEAR(number(0, static_cast<std::int64_t>(i)),
                (at(above, kScale, 0) - at(below, kScale, 0)) / (2 * kStep), 1e-8);
  }
  EXPECT_NEAR(number(1, 0), at(x, 1, 0), 1e-14);
  EXPECT_EQ(number(2, 0), 2.5);
}

}  // namespace
}  // namespace mercator::runtime
