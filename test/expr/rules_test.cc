// Every rule of the simplifier by hand: where it applies, and just outside its guard (for a rule
// without a guard, an expression that only nearly has its form). All results are checked point by
// point as well.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/simplifier.h"
#include "mercator/expr/text.h"
#include "test/expr/parsed_exprs.h"
#include "test/expr/random_expr.h"
#include "test/support/rule_cases.h"

namespace mercator {
namespace {

using test::Side;
using enum test::Side;

// Expressions over d0, d1, …, separated by commas and simplified together.
struct RuleCase {
  std::string_view rule;
  Side side;
  std::string_view before;
  std::string_view after;
  std::vector<Interval> bounds;
  std::vector<std::pair<std::string_view, Interval>> facts = {};
};

constexpr Interval kWide = {-30, 30};
constexpr Interval kSmall = {-4, 4};

std::vector<RuleCase> cases() {
  return {
      {"one-value", kApplies, "d0 + d1", "d1 + 3", {{3, 3}, kWide}},
      {"one-value", kOutside, "d0 + d1", "d0 + d1", {{3, 4}, kWide}},

      {"extremum-of-ordered", kApplies, "min(d0, d1)", "d0", {{0, 5}, {5, 9}}},
      {"extremum-of-ordered", kApplies, "max(d0, d1)", "d0", {{5, 9}, {0, 5}}},
      {"extremum-of-ordered", kApplies, "max(d0 - 3, d0 - d1)", "d0 - d1", {kWide, {0, 3}}},
      {"extremum-of-ordered", kOutside, "min(d0, d1)", "min(d0, d1)", {{0, 6}, {5, 9}}},
      {"extremum-of-ordered", kOutside, "max(d0, d1)", "max(d0, d1)", {{5, 9}, {0, 6}}},

      {"extremum-common-part",
       kApplies,
       "min(d0 + d2, d1 + d2)",
       "d2 + min(d0, d1)",
       {kSmall, kSmall, kSmall}},
      {"extremum-common-part",
       kApplies,
       "max(d0 - d2 * 3, d1 - d2 * 3)",
       "d2 * -3 + max(d0, d1)",
       {kSmall, kSmall, kSmall}},
      {"extremum-common-part",
       kOutside,
       "min(d0 + d2, d1 + d2 * 2)",
       "min(d0 + d2, d1 + d2 * 2)",
       {kSmall, kSmall, kSmall}},

      {"quotient-one-bucket", kApplies, "d0 floordiv 16", "1", {{16, 31}}},
      {"quotient-one-bucket", kApplies, "d0 floordiv 16", "-1", {{-16, -1}}},
      {"quotient-one-bucket", kOutside, "d0 floordiv 16", "d0 floordiv 16", {{14, 31}}},
      {"quotient-one-bucket", kOutside, "d0 floordiv 16", "d0 floordiv 16", {{16, 32}}},
      // Sums: 8 * 1 + 7 is the last number of the bucket.
      {"quotient-one-bucket", kApplies, "(d0 * 8 + d1) floordiv 16", "0", {{0, 1}, {0, 7}}},
      {"quotient-one-bucket",
       kOutside,
       "(d0 * 7 + d1) floordiv 16",
       "(d0 * 7 + d1) floordiv 16",
       {{0, 1}, {0, 9}}},

      {"quotient-needless-remainder",
       kApplies,
       "(d0 mod 16) floordiv 4",
       "(d0 floordiv 4) mod 4",
       {kWide}},
      {"quotient-needless-remainder",
       kOutside,
       "(d0 mod 6) floordiv 4",
       "(d0 mod 6) floordiv 4",
       {kWide}},

      // 8 * (d0 floordiv 3) + (d0 mod 3 + d1), of which the last is at most 7.
      {"quotient-one-bucket-of-remainder",
       kApplies,
       "(d0 + 5 * (d0 floordiv 3) + d1) floordiv 8",
       "d0 floordiv 3",
       {kWide, {0, 5}}},
      {"quotient-one-bucket-of-remainder",
       kOutside,
       "(d0 + 5 * (d0 floordiv 3) + d1) floordiv 8",
       "(d0 + d1 + (d0 floordiv 3) * 5) floordiv 8",
       {kWide, {0, 6}}},

      {"quotient-whole-multiples",
       kApplies,
       "(9 * d0 + d1) floordiv 9",
       "d0 + d1 floordiv 9",
       {kWide, kWide}},
      {"quotient-whole-multiples",
       kApplies,
       "(d0 + 35) floordiv 9",
       "(d0 + 8) floordiv 9 + 3",
       {{0, 30}}},
      {"quotient-whole-multiples",
       kOutside,
       "(8 * d0 + d1) floordiv 9",
       "(d0 * 8 + d1) floordiv 9",
       {kWide, kWide}},

      // 8 * d0 + (d1 - d0), with d1 - d0 in [3, 6].
      {"quotient-one-bucket-of-residues",
       kApplies,
       "(7 * d0 + d1) floordiv 8",
       "d0",
       {{0, 2}, {5, 6}}},
      {"quotient-one-bucket-of-residues",
       kOutside,
       "(7 * d0 + d1) floordiv 8",
       "(d0 * 7 + d1) floordiv 8",
       {{0, 2}, {1, 6}}},

      // 4 floordiv 5 and 6 floordiv 5.
      {"quotient-two-values", kApplies, "(d0 * 2 + 2) floordiv 5", "d0 - 1", {{1, 2}}},
      {"quotient-two-values",
       kOutside,
       "(d0 * 2 + 1) floordiv 5",
       "(d0 * 2 + 1) floordiv 5",
       {{0, 3}}},

      // d0 = 4 * (d0 floordiv 4) + 1, and 1 + d1 is at most 3.
      {"quotient-known-residue",
       kApplies,
       "(d0 + d1) floordiv 4",
       "d0 floordiv 4",
       {kWide, {0, 2}},
       {{"d0 mod 4", {1, 1}}}},
      {"quotient-known-residue",
       kOutside,
       "(d0 + d1) floordiv 4",
       "(d0 + d1) floordiv 4",
       {kWide, {0, 2}},
       {{"d0 mod 6", {1, 1}}}},

      {"quotient-known-in-sum",
       kApplies,
       "d0 mod 4 + d1",
       "d1 + 2",
       {kWide, kWide},
       {{"d0 mod 4", {2, 2}}}},
      {"quotient-known-in-sum",
       kOutside,
       "d0 mod 4 + d1",
       "d1 + d0 mod 4",
       {kWide, kWide},
       {{"d0 mod 3", {2, 2}}}},

      {"quotient-by-factor",
       kApplies,
       "(4 * d0 + d1) floordiv 12",
       "d0 floordiv 3",
       {kWide, {0, 3}}},
      {"quotient-by-factor",
       kApplies,
       "(4 * d0 + d1) floordiv 12",
       "(d0 - 1) floordiv 3",
       {kWide, {-4, -1}}},
      {"quotient-by-factor",
       kOutside,
       "(4 * d0 + d1) floordiv 12",
       "(d0 * 4 + d1) floordiv 12",
       {kWide, {0, 4}}},

      // 4 * (d0 floordiv 3 + d1) + (d0 mod 3 + d2), of which the last is at most 3.
      {"quotient-by-factor-of-remainder",
       kApplies,
       "(d0 + d0 floordiv 3 + 4 * d1 + d2) floordiv 8",
       "(d0 + d1 * 3) floordiv 6",
       {kWide, kSmall, {0, 1}}},
      {"quotient-by-factor-of-remainder",
       kOutside,
       "(d0 + d0 floordiv 3 + 4 * d1 + d2) floordiv 8",
       "(d0 * 4 + d1 * 12 + d2 * 3) floordiv 24",
       {kWide, kSmall, {0, 2}}},

      {"quotient-of-quotient",
       kApplies,
       "(d0 floordiv 4 + 3) floordiv 5",
       "(d0 + 12) floordiv 20",
       {kWide}},
      {"quotient-of-quotient",
       kOutside,
       "(2 * (d0 floordiv 4) + d1) floordiv 5",
       "(d1 + (d0 floordiv 4) * 2) floordiv 5",
       {kWide, kSmall}},

      {"quotient-remainder-of-residues",
       kApplies,
       "(d0 + 5 * (d0 floordiv 3) + d1) floordiv 8 - d0 floordiv 3",
       "(d1 + d0 mod 3) floordiv 8",
       {kWide, kSmall}},
      {"quotient-remainder-of-residues",
       kOutside,
       "(d0 + 4 * (d0 floordiv 3) + d1) floordiv 8 - d0 floordiv 3",
       "(d0 + d1 - (d0 floordiv 3) * 4) floordiv 8",
       {kWide, kSmall}},
      // Of d1, the remainder takes a part only.
      {"quotient-remainder-of-residues",
       kApplies,
       "(d0 + 3 * d1 + 6 * ((d0 + d1) floordiv 2)) floordiv 8 - (d0 + d1) floordiv 2",
       "d1 floordiv 4",
       {kWide, kSmall}},

      {"variable-common-factor",
       kApplies,
       "(d0 * d1) floordiv (d2 * d1)",
       "d0 floordiv d2",
       {kSmall, kSmall, kSmall}},
      {"variable-common-factor",
       kOutside,
       "(d0 * d1 + 1) floordiv (d2 * d1)",
       "(d0 * d1 + 1) floordiv (d1 * d2)",
       {kSmall, kSmall, kSmall}},

      {"variable-multiples",
       kApplies,
       "(d0 * d1 + d2) floordiv d1",
       "d0 + d2 floordiv d1",
       {kSmall, kSmall, kSmall}},
      {"variable-multiples",
       kApplies,
       "(d0 * d1 + d2) mod d1",
       "d2 mod d1",
       {kSmall, kSmall, kSmall}},
      {"variable-multiples",
       kOutside,
       "(d0 * d1 + d2) floordiv d3",
       "(d2 + d0 * d1) floordiv d3",
       {kSmall, kSmall, kSmall, kSmall}},

      {"variable-one-bucket", kApplies, "d0 floordiv d1", "0", {{0, 4}, {5, 9}}},
      {"variable-one-bucket", kApplies, "d0 mod d1", "d0", {{0, 4}, {5, 9}}},
      {"variable-one-bucket", kOutside, "d0 floordiv d1", "d0 floordiv d1", {{0, 5}, {5, 9}}},

      {"remainder-found", kApplies, "d0 - 4 * (d0 floordiv 4)", "d0 mod 4", {kWide}},
      {"remainder-found",
       kApplies,
       "d1 - 20 * (d0 floordiv 4) + 5 * d0",
       "d1 + (d0 mod 4) * 5",
       {kWide, kSmall}},
      {"remainder-found",
       kOutside,
       "d1 - 3 * (d0 floordiv 4) + d0",
       "d0 + d1 - (d0 floordiv 4) * 3",
       {kWide, kSmall}},

      {"term-absorbed",
       kApplies,
       "(d0 + d1) floordiv 4 + 2 * d0",
       "(d0 * 9 + d1) floordiv 4",
       {kWide, kWide}},
      {"term-absorbed",
       kOutside,
       "2 * ((d0 + d1) floordiv 4) + 3 * d0",
       "d0 * 3 + ((d0 + d1) floordiv 4) * 2",
       {kWide, kWide}},

      {"shared-dividend",
       kApplies,
       "(3 * d0 + 4 * d1 + d2) floordiv 8, (3 * d0 + d2) mod 4",
       "(d0 * 3 + d1 * 4 + d2) floordiv 8, (d0 * 3 + d1 * 4 + d2) mod 4",
       {kWide, kSmall, kSmall}},
      {"shared-dividend",
       kOutside,
       "(3 * d0 + 5 * d1 + d2) floordiv 8, (3 * d0 + d2) mod 4",
       "(d0 * 3 + d1 * 5 + d2) floordiv 8, (-d0 + d2) mod 4",
       {kWide, kSmall, kSmall}},

      {"like-terms", kApplies, "3 * d0 + 2 * d0", "d0 * 5", {kWide}},
      {"like-terms", kOutside, "3 * d0 + 2 * d1", "d0 * 3 + d1 * 2", {kWide, kWide}},

      {"quotient-plus-remainder", kApplies, "d0 mod 7 + 7 * (d0 floordiv 7)", "d0", {kWide}},
      {"quotient-plus-remainder",
       kApplies,
       "d0 mod 7 + d1 * 3 + 7 * (d0 floordiv 7)",
       "d0 + d1 * 3",
       {kWide, kWide}},
      // The remainder of one number, the quotient of another.
      {"quotient-plus-remainder",
       kOutside,
       "d0 mod 7 + 7 * (d1 floordiv 7)",
       "(d1 floordiv 7) * 7 + d0 mod 7",
       {kWide, kWide}},

      {"composed-quotient-plus-remainder",
       kApplies,
       "(d0 floordiv 3) mod 5 + 5 * (d0 floordiv 15)",
       "d0 floordiv 3",
       {kWide}},
      {"composed-quotient-plus-remainder",
       kOutside,
       "(d0 floordiv 3) mod 5 + 5 * (d0 floordiv 14)",
       "(d0 floordiv 14) * 5 + (d0 floordiv 3) mod 5",
       {kWide}},

      {"scaled-quotient-plus-remainder",
       kApplies,
       "6 * (d0 mod 4) + 24 * (d0 floordiv 4)",
       "d0 * 6",
       {kWide}},
      {"scaled-quotient-plus-remainder",
       kOutside,
       "6 * (d0 mod 4) + 25 * (d0 floordiv 4)",
       "(d0 * 25) floordiv 4",
       {kWide}},

      {"remainder-of-remainder",
       kApplies,
       "(d0 mod 12 + d1) mod 4",
       "(d0 + d1) mod 4",
       {kWide, kWide}},
      {"remainder-of-remainder",
       kOutside,
       "(d0 mod 6 + d1) mod 4",
       "(d1 + d0 mod 6) mod 4",
       {kWide, kWide}},

      {"remainder-in-range", kApplies, "d0 mod 16", "d0 - 16", {{16, 31}}},
      {"remainder-in-range", kApplies, "d0 mod 16", "d0 + 16", {{-16, -1}}},
      {"remainder-in-range", kOutside, "d0 mod 16", "d0 mod 16", {{14, 31}}},
      {"remainder-in-range", kOutside, "d0 mod 16", "d0 mod 16", {{0, 16}}},

      {"quotient-common-factor", kApplies, "(6 * d0 + 3) floordiv 12", "d0 floordiv 2", {kWide}},
      {"quotient-common-factor",
       kApplies,
       "(6 * d0 + 4 * d1) floordiv 12",
       "(d0 * 3 + d1 * 2) floordiv 6",
       {kWide, kWide}},
      {"quotient-common-factor",
       kOutside,
       "(6 * d0 + 5 * d1) floordiv 12",
       "(d0 * 6 + d1 * 5) floordiv 12",
       {kWide, kWide}},

      {"negative-divisor", kApplies, "d0 floordiv -3", "(-d0) floordiv 3", {kWide}},
      {"negative-divisor", kApplies, "d0 mod -3", "-((-d0) mod 3)", {kWide}},
      {"negative-divisor", kOutside, "d0 floordiv 3", "d0 floordiv 3", {kWide}},

      {"quotient-rounded-up", kApplies, "d0 ceildiv 4", "(d0 + 3) floordiv 4", {kWide}},
      {"quotient-rounded-up", kApplies, "(d0 * 4 + 1) ceildiv 4", "d0 + 1", {kWide}},
      {"quotient-rounded-up", kOutside, "d0 ceildiv d1", "-((-d0) floordiv d1)", {kWide, kSmall}},

      {"variable-quotient-plus-remainder",
       kApplies,
       "d0 mod d1 + d1 * (d0 floordiv d1)",
       "d0",
       {kWide, kSmall}},
      {"variable-quotient-plus-remainder",
       kOutside,
       "d0 mod d1 + d1 * (d2 floordiv d1)",
       "d1 * (d2 floordiv d1) + d0 mod d1",
       {kWide, kSmall, kSmall}},
  };
}

std::string joined(const std::vector<Expr>& exprs) {
  std::string text;
  for (const Expr expr : exprs) text += (text.empty() ? "" : ", ") + to_string(expr);
  return text;
}

std::size_t index_of(std::string_view rule) {
  return static_cast<std::size_t>(
      std::ranges::find(simplifier_rules(), rule, &SimplifierRule::name) -
      simplifier_rules().begin());
}

// Compares both lists at every point of the domain where the first ones have values.
void expect_same_values(const RuleCase& rule_case, const std::vector<Expr>& before,
                        const std::vector<Expr>& after, ExprContext& context) {
  std::vector<std::pair<Expr, Interval>> facts;
  for (const auto& [text, range] : rule_case.facts) {
    facts.emplace_back(test::parsed_exprs(text, context)[0], range);
  }
  std::int64_t points = 0;
  test::for_each_point(rule_case.bounds, [&](const std::vector<std::int64_t>& point) {
    const VariableValues values = {.dimensions = point};
    for (const auto& [fact, range] : facts) {
      if (!range.contains(evaluate(fact, values).value())) return;
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::optional<std::int64_t> value = evaluate(before[i], values);
      if (!value) continue;
      ++points;
      ASSERT_EQ(evaluate(after[i], values), value) << fmt::format("{}", fmt::join(point, ", "));
    }
  });
  EXPECT_GT(points, 0);
}

TEST(Rules, ApplyWithinTheirGuards) {
  for (const RuleCase& rule_case : cases()) {
    SCOPED_TRACE(fmt::format("{}: {}", rule_case.rule, rule_case.before));
    ExprContext context;
    Simplifier simplifier;
    simplifier.set_bounds({.dimensions = rule_case.bounds});
    for (const auto& [text, range] : rule_case.facts) {
      simplifier.assume(test::parsed_exprs(text, context)[0], range);
    }
    const std::vector<Expr> before = test::parsed_exprs(rule_case.before, context);
    std::vector<Expr> after = before;
    simplifier.simplify(after);
    EXPECT_EQ(joined(after), rule_case.after);
    expect_same_values(rule_case, before, after, context);

    const std::size_t rule = index_of(rule_case.rule);
    ASSERT_LT(rule, simplifier_rules().size());
    if (simplifier_rules()[rule].by_construction) continue;
    EXPECT_EQ(simplifier.rule_counts()[rule] > 0, rule_case.side == kApplies);
  }
}

TEST(Rules, AllHaveCasesOnBothSides) {
  test::expect_cases_on_both_sides(simplifier_rules(), cases());
}

}  // namespace
}  // namespace mercator
