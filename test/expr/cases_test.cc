// Maps and expressions before and after simplification: the meaning stays, and no more operations
// are left than expected.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"
#include "test/support/case_file.h"

namespace mercator {
namespace {

struct SimplifyCase {
  std::string_view name;
  std::string_view input;
  // A map, or an expression in the variables of the input.
  std::string_view output;
};

// One of each kind of identity.
constexpr SimplifyCase kCases[] = {
    {"a quotient below the divisor is zero",
     "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]"},
    {"decimal digits",
     "(d0, d1, d2) -> ((100 * d0 + 10 * d1 + d2) floordiv 100, "
     "((100 * d0 + 10 * d1 + d2) mod 100) floordiv 10, d2 mod 10), "
     "domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]",
     "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"},
    {"a multiple of the divisor leaves the quotient",
     "(d0, d1, d2) -> ((16 * d0 + 4 * d1 + d2) floordiv 8, (16 * d0 + 4 * d1 + d2) mod 8), "
     "domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]",
     "(d0, d1, d2) -> (d0 * 2 + (d1 * 4 + d2) floordiv 8, (d1 * 4 + d2) mod 8), "
     "domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"},
    {"a numerator with negative coefficients",
     "(d0, d1) -> (-((-11 * d0 - d1 + 109) floordiv 11) + 9), "
     "domain: d0 in [0, 9], d1 in [0, 10]",
     "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 10]"},
    {"a constraint that always holds",
     "(d0)[s0] -> (d0, s0), domain: d0 in [0, 5], s0 in [1, 3], d0 + s0 in [0, 20]",
     "(d0)[s0] -> (d0, s0), domain: d0 in [0, 5], s0 in [1, 3]"},
    {"remainder plus quotient", "x mod 7 + (x floordiv 7) * 7, domain: x in [-1000, 1000]", "x"},
    {"remainder of a quotient plus its quotient",
     "(x floordiv 3) mod 5 + (x floordiv 15) * 5, domain: x in [-1000, 1000]", "x floordiv 3"},
    {"remainder plus quotient, scaled",
     "(x mod 4) * 6 + (x floordiv 4) * 24, domain: x in [-1000, 1000]", "x * 6"},
    {"remainder plus quotient, among other terms",
     "y + x mod 9 + (x floordiv 9) * 9, domain: x in [-50, 50], y in [0, 3]", "y + x"},
    {"quotient of a quotient with an offset",
     "(a floordiv 4 + 3) floordiv 5, domain: a in [0, 1000]", "(a + 12) floordiv 20"},
    {"remainder of a row and a column",
     "(row * 512 + col) mod 512, domain: row in [0, 99], col in [0, 511]", "col"},
    {"quotient of a row and a column",
     "(row * 512 + col) floordiv 512, domain: row in [0, 99], col in [0, 511]", "row"},
    {"a constant that never carries", "(r * 4 + 1) floordiv 8, domain: r in [0, 100]",
     "r floordiv 2"},
    {"a constant with whole divisors in it", "(x + 70) floordiv 8, domain: x in [0, 100]",
     "(x + 6) floordiv 8 + 8"},
    {"a remainder in a remainder", "(a mod 4 + b) mod 2, domain: a in [0, 7], b in [0, 1]",
     "(a + b) mod 2"},
    {"a numerator with two values", "(v * 3 + 2) mod 5, domain: v in [0, 1]", "v * -2 + 2"},
    {"coefficients modulo the divisor", "(r * 8 + v) mod 7, domain: r in [0, 3], v in [0, 2]",
     "r + v"},
    {"a common factor", "(6 * a + 4 * b) floordiv 8, domain: a in [0, 9], b in [0, 9]",
     "(3 * a + 2 * b) floordiv 4"},
    {"a divisible term leaves", "(8 * a + 3 * b) floordiv 8, domain: a in [0, 9], b in [0, 9]",
     "a + (3 * b) floordiv 8"},
    {"a common factor, not the largest coefficient",
     "(6 * a + 4 * b) floordiv 12, domain: a in [0, 9], b in [0, 9]", "(3 * a + 2 * b) floordiv 6"},
    {"a flat index that was split and joined",
     "((r3 * 8 + r4 * 4 + r2) floordiv 8) * 8 + (r3 * 8 + r4 * 4 + r2) mod 8, "
     "domain: r3 in [0, 3], r4 in [0, 1], r2 in [0, 3]",
     "r3 * 8 + r4 * 4 + r2"},
};

// The expected output as a map with the domain of the input, where it is an expression.
std::string with_domain(std::string_view output, std::string_view input) {
  if (output.contains("domain:") || output.contains("->")) return std::string(output);
  const std::size_t domain = input.find(", domain:");
  return fmt::format("{}{}", output,
                     domain == std::string_view::npos ? std::string_view() : input.substr(domain));
}

// All operations that it takes to compute the map.
ExprCost cost_of(const IndexMap& map) { return cost(map.expressions()); }

std::int64_t operations(const ExprCost& cost) {
  return cost.div + cost.mod + cost.mul + cost.add + cost.minmax;
}

void check(const SimplifyCase& c) {
  SCOPED_TRACE(c.name);
  ExprContext context;
  const Result<IndexMap> input = parse_index_map(c.input, context);
  ASSERT_TRUE(input.has_value()) << input.error().message;
  const Result<IndexMap> expected = parse_index_map(with_domain(c.output, c.input), context);
  ASSERT_TRUE(expected.has_value()) << expected.error().message;
  const IndexMap output = simplify(*input);
  const std::string text = to_string(output, MapStyle::kOneLine);

  constexpr std::int64_t kBudget = 1'000'000;
  const Result<bool> means_input = same_relation(*input, output, kBudget);
  ASSERT_TRUE(means_input.has_value()) << means_input.error().message;
  EXPECT_TRUE(*means_input) << text << "\nis not " << c.input;
  const Result<bool> means_expected = same_relation(*expected, output, kBudget);
  ASSERT_TRUE(means_expected.has_value()) << means_expected.error().message;
  EXPECT_TRUE(*means_expected) << text << "\nis not " << c.output;

  EXPECT_LE(cost_of(output).weight(), cost_of(*expected).weight()) << text;
  EXPECT_LE(operations(cost_of(output)), operations(cost_of(*expected))) << text;
  EXPECT_LE(output.constraints().size(), expected->constraints().size()) << text;
  EXPECT_LE(output.ranges().size(), expected->ranges().size()) << text;
}

TEST(SimplifyCases, OwnCases) {
  for (const SimplifyCase& c : kCases) check(c);
}

TEST(SimplifyCases, SharedCases) {
  const auto path = testing::shared_dir() / "cases" / "simplify.cases";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no file " << path;
  const Result<std::string> text = testing::read_file(path);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  const Result<std::vector<testing::Case>> cases = testing::parse_cases(*text);
  ASSERT_TRUE(cases.has_value()) << cases.error().message;
  EXPECT_FALSE(cases->empty());
  for (const testing::Case& c : *cases) {
    const std::string* input = c.find("input");
    const std::string* output = c.find("output");
    ASSERT_TRUE(input != nullptr && output != nullptr) << c.name;
    check({c.name, *input, *output});
  }
}

}  // namespace
}  // namespace mercator
