// The interpreter against XLA: the programs of test/golden/run.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "test/runtime/golden_cases.h"
#include "test/runtime/interpreter_testing.h"

namespace mercator::runtime {
namespace {

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(MERCATOR_RUN_GOLDENS_DIR)) {
    if (entry.path().extension() == ".cases") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class GoldenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, EqualsXla) {
  const std::filesystem::path path =
      std::filesystem::path(MERCATOR_RUN_GOLDENS_DIR) / (GetParam() + ".cases");
  const Result<std::vector<GoldenCase>> cases = read_golden_cases(path);
  ASSERT_TRUE(cases.has_value()) << cases.error().message;
  EXPECT_FALSE(cases->empty());
  for (const GoldenCase& golden : *cases) {
    const Result<std::vector<Tensor>> results =
        run_program(golden.hlo, {golden.inputs.begin(), golden.inputs.end()});
    if (!results) {
      ADD_FAILURE() << golden.name << ": " << results.error().message;
      continue;
    }
    if (results->size() != golden.results.size()) {
      ADD_FAILURE() << golden.name << ": " << results->size() << " results";
      continue;
    }
    for (std::size_t i = 0; i < results->size(); ++i) {
      const std::string wrong = difference((*results)[i], golden.results[i], golden.bound);
      if (!wrong.empty()) ADD_FAILURE() << golden.name << ": result " << i << ": " << wrong;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Group, GoldenTest, ::testing::ValuesIn(group_names()),
                         [](const auto& info) { return info.param; });

// Of the comparison itself.
std::string compared(std::string_view got, std::string_view expected, std::string_view bound) {
  return difference(tensor_from_text(got), tensor_from_text(expected), parse_bound(bound).value());
}

TEST(GoldenCasesTest, ComparesExactly) {
  EXPECT_EQ(compared("s32[2] {1, 2}", "s32[2] {1, 2}", "exact"), "");
  EXPECT_EQ(compared("s32[2] {1, 2}", "s32[2] {1, 3}", "exact"), "1 of 2 differ: [1]: 2 for 3");
  EXPECT_EQ(compared("s32[2] {1, 2}", "s32[2] {1, 3}", "within 9 ulps or 5"),
            "1 of 2 differ: [1]: 2 for 3");
  EXPECT_EQ(compared("f32[] 0", "f32[] -0", "exact"), "1 of 1 differ: []: 0 for -0");
  EXPECT_EQ(compared("s32[1] {1}", "s32[] 1", "exact"), "s32[1], where s32[] is expected");
  EXPECT_EQ(compared("f32[2,2] {{1, 2}, {3, 4}}", "f32[2,2] {{1, 2}, {0, 4}}", "exact"),
            "1 of 4 differ: [1,0]: 3 for 0");
}

TEST(GoldenCasesTest, ComparesNan) {
  EXPECT_EQ(compared("f32[] -nan(0x3)", "f32[] nan", "exact"), "");
  EXPECT_EQ(compared("f32[] nan", "f32[] -nan", "exact"), "1 of 1 differ: []: nan for -nan");
  EXPECT_NE(compared("f32[] nan", "f32[] nan(0x1)", "exact"), "");
  EXPECT_NE(compared("f32[] nan", "f32[] 1", "within 9 ulps"), "");
  EXPECT_NE(compared("f32[] 1", "f32[] nan", "within 9 ulps"), "");
}

TEST(GoldenCasesTest, ComparesWithinBounds) {
  EXPECT_EQ(compared("f32[] 1.0000002", "f32[] 1", "within 2 ulps"), "");
  EXPECT_NE(compared("f32[] 1.0000002", "f32[] 1", "within 1 ulps"), "");
  EXPECT_EQ(compared("f32[] 1e-7", "f32[] 0", "within 1 ulps or 1e-06"), "");
  EXPECT_NE(compared("f32[] 1e-5", "f32[] 0", "within 1 ulps or 1e-06"), "");
  EXPECT_EQ(compared("bf16[] 1.0078125", "bf16[] 1", "within 1 ulps"), "");
  EXPECT_NE(compared("f32[] inf", "f32[] 3e38", "within 9 ulps"), "");
  // The unit is that of the larger part.
  EXPECT_EQ(compared("c64[] (1, 1e-7)", "c64[] (1, 0)", "within 1 ulps"), "");
  EXPECT_NE(compared("c64[] (1e-7, 1e-7)", "c64[] (1e-7, 0)", "within 1 ulps"), "");
}

TEST(GoldenCasesTest, RefusesOtherBounds) {
  for (const std::string_view text :
       {"", "close", "within", "within x ulps", "within 4", "within 4 ulps or"}) {
    EXPECT_FALSE(parse_bound(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace mercator::runtime
