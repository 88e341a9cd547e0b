// Every rule for bounds and constraints by hand: where it applies, and where it just does not. All
// results are checked point by point as well.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"
#include "test/support/rule_cases.h"

namespace mercator {
namespace {

using test::Side;
using enum test::Side;

struct RuleCase {
  std::string_view rule;
  Side side;
  std::string_view before;
  std::string_view after;
};

constexpr RuleCase kCases[] = {
    {"constraint-always-holds", kApplies,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], d0 + d1 in [0, 8]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4]"},
    {"constraint-always-holds", kOutside,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], d0 + d1 in [0, 7]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], d0 + d1 in [0, 7]"},
    // The gate is implied by what it guards.
    {"constraint-always-holds", kApplies,
     "(d0) -> (d0 mod 4), domain: d0 in [0, 30], d0 mod 4 in [0, 3]",
     "(d0) -> (d0 mod 4), domain: d0 in [0, 30]"},
    {"constraint-always-holds", kOutside,
     "(d0) -> (d0 mod 4), domain: d0 in [0, 30], d0 mod 4 in [0, 2]",
     "(d0) -> (d0 mod 4), domain: d0 in [0, 30], d0 mod 4 in [0, 2]"},

    {"constraint-simpler", kApplies,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], "
     "d0 + d1 mod 10 in [0, 9]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 9]"},
    {"constraint-simpler", kOutside,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], "
     "d0 + d1 mod 9 in [0, 9]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 mod 9 in [0, 9]"},

    // 4 * (d0 + d1) + 3 in [5, 20]: the sum is at least 2/4 and at most 17/4.
    {"constraint-sum-moved", kApplies,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], (d0 + d1) * 4 + 3 in [5, 20]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], d0 + d1 in [1, 4]"},
    {"constraint-sum-moved", kApplies,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], 3 - (d0 + d1) * 4 in [-14, 1]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], d0 + d1 in [1, 4]"},
    {"constraint-sum-moved", kOutside,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], d0 * 2 + d1 * 3 in [1, 4]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], d0 * 2 + d1 * 3 in [1, 4]"},

    {"constraint-quotient-moved", kApplies,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], (d0 + d1) floordiv 4 in [1, 2]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [4, 11]"},
    // -(d0 + d1) in [-8, -1].
    {"constraint-quotient-moved", kApplies,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 8], d1 in [0, 8], (d0 + d1) floordiv -4 in [-2, -1]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 8], d1 in [0, 8], d0 + d1 in [1, 8]"},
    {"constraint-quotient-moved", kOutside,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 8], d1 in [1, 8], d0 floordiv d1 in [1, 2]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 8], d1 in [1, 8], d0 floordiv d1 in [1, 2]"},

    {"constraint-extremum-split", kApplies,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], max(d0, d1) in [0, 4]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4]"},
    {"constraint-extremum-split", kApplies,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], min(d0, d1) in [3, 9]",
     "(d0, d1) -> (d0, d1), domain: d0 in [3, 9], d1 in [3, 9]"},
    // A lower end for the maximum says nothing of either.
    {"constraint-extremum-split", kOutside,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], max(d0, d1) in [3, 9]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], max(d0, d1) in [3, 9]"},

    {"constraint-into-bounds", kApplies, "(d0) -> (d0), domain: d0 in [0, 9], d0 * 2 + 1 in [4, 9]",
     "(d0) -> (d0), domain: d0 in [2, 4]"},
    {"constraint-into-bounds", kApplies,
     "(d0) -> (d0), domain: d0 in [0, 40], (d0 - 3) floordiv 8 in [1, 2]",
     "(d0) -> (d0), domain: d0 in [11, 26]"},
    // Two variables.
    {"constraint-into-bounds", kOutside,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], d0 - d1 in [0, 4]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 4], d0 - d1 in [0, 4]"},

    {"grid-form", kApplies, "(d0) -> (d0), domain: d0 in [0, 27], d0 * 2 mod 6 in [2, 2]",
     "(d0) -> (d0), domain: d0 in [1, 25], (d0 - 1) mod 3 in [0, 0]"},
    {"grid-form", kOutside, "(d0) -> (d0), domain: d0 in [2, 27], d0 mod 6 in [2, 3]",
     "(d0) -> (d0), domain: d0 in [2, 27], d0 mod 6 in [2, 3]"},

    // Chinese remainders: 1 modulo 4 and 3 modulo 6 are 9 modulo 12.
    {"constraints-joined", kApplies,
     "(d0) -> (d0), domain: d0 in [0, 50], d0 mod 4 in [1, 1], d0 mod 6 in [3, 3]",
     "(d0) -> (d0), domain: d0 in [9, 45], (d0 - 9) mod 12 in [0, 0]"},
    {"constraints-joined", kApplies,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [3, 9], "
     "d0 + d1 + 2 in [7, 14]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [5, 9]"},
    {"constraints-joined", kOutside,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 8], d1 in [0, 9], d0 mod 4 in [0, 0], "
     "d1 mod 3 in [0, 0]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 8], d1 in [0, 9], d0 mod 4 in [0, 0], "
     "d1 mod 3 in [0, 0]"},

    {"range-on-grid", kApplies,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [3, 13], "
     "(d0 + d1) mod 4 in [0, 0]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], (d0 + d1) mod 4 in [0, 0], "
     "d0 + d1 in [4, 12]"},
    {"range-on-grid", kOutside,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [4, 12], "
     "(d0 + d1) mod 4 in [0, 0]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], (d0 + d1) mod 4 in [0, 0], "
     "d0 + d1 in [4, 12]"},

    // The sum is at least 3, at most 15.
    {"grid-of-one-point", kApplies,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [3, 9], (d0 + d1) mod 10 in [7, 7]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [3, 9], d0 + d1 in [7, 7]"},
    // Here it may be 17.
    {"grid-of-one-point", kOutside,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 8], (d0 + d1) mod 10 in [7, 7]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 8], (d0 + d1 - 7) mod 10 in [0, 0]"},

    {"constraint-implied", kApplies,
     "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 5], d1 in [0, 5], d2 in [0, 2], "
     "d0 + d1 in [2, 5], d0 + d1 + d2 in [2, 7]",
     "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 5], d1 in [0, 5], d2 in [0, 2], "
     "d0 + d1 in [2, 5]"},
    {"constraint-implied", kOutside,
     "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 5], d1 in [0, 5], d2 in [0, 2], "
     "d0 + d1 in [2, 5], d0 + d1 + d2 in [2, 6]",
     "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 5], d1 in [0, 5], d2 in [0, 2], "
     "d0 + d1 in [2, 5], d0 + d1 + d2 in [2, 6]"},

    {"constraint-simpler-given-others", kApplies,
     "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 5], d1 in [0, 5], d2 in [0, 9], "
     "d0 + d1 in [0, 7], d2 + (d0 + d1) mod 8 in [0, 9]",
     "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 5], d1 in [0, 5], d2 in [0, 9], "
     "d0 + d1 in [0, 7], d0 + d1 + d2 in [0, 9]"},
    {"constraint-simpler-given-others", kOutside,
     "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 5], d1 in [0, 5], d2 in [0, 9], "
     "d0 + d1 in [0, 8], d2 + (d0 + d1) mod 8 in [0, 9]",
     "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 5], d1 in [0, 5], d2 in [0, 9], "
     "d0 + d1 in [0, 8], d2 + (d0 + d1) mod 8 in [0, 9]"},

    {"constraint-by-trial", kApplies, "(d0) -> (d0), domain: d0 in [-9, 9], d0 * d0 in [0, 10]",
     "(d0) -> (d0), domain: d0 in [-3, 3]"},
    {"constraint-by-trial", kOutside,
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 * d1 in [0, 10]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 * d1 in [0, 10]"},

    {"range-variable-rescaled", kApplies,
     "()[s0] -> (s0), domain: s0 in [0, 29], s0 mod 6 in [3, 3]",
     "()[s0] -> (s0 * 6 + 3), domain: s0 in [0, 4]"},
    // Several at once, and a constraint that holds several of them.
    {"range-variable-rescaled", kApplies,
     "()[s0, s1] -> (s0 + s1), domain: s0 in [0, 9], s1 in [0, 9], s0 mod 3 in [1, 1], "
     "(s1 + 1) mod 4 in [0, 0], s0 + s1 in [5, 12]",
     "()[s0, s1] -> (s0 * 3 + s1 * 4 + 4), domain: s0 in [0, 2], s1 in [0, 1], "
     "s0 * 3 + s1 * 4 in [1, 8]"},
    // A dimension is what the map starts from; a runtime variable is what the program computes.
    {"range-variable-rescaled", kOutside, "(d0) -> (d0), domain: d0 in [0, 29], d0 mod 6 in [3, 3]",
     "(d0) -> (d0), domain: d0 in [3, 27], (d0 - 3) mod 6 in [0, 0]"},
    {"range-variable-rescaled", kOutside,
     "(){rt0} -> (rt0), domain: rt0 in [3, 27], rt0 mod 6 in [3, 3]",
     "(){rt0} -> (rt0), domain: rt0 in [3, 27], (rt0 - 3) mod 6 in [0, 0]"},
};

TEST(ConstraintRules, ApplyWithinTheirGuards) {
  constexpr std::int64_t kPoints = 10'000;
  for (const RuleCase& rule_case : kCases) {
    SCOPED_TRACE(fmt::format("{}: {}", rule_case.rule, rule_case.before));
    ExprContext context;
    const Result<IndexMap> before = parse_index_map(rule_case.before, context);
    ASSERT_TRUE(before.has_value()) << before.error().message;
    MapSimplifier simplifier;
    const IndexMap after = simplifier(*before);
    EXPECT_EQ(to_string(after, MapStyle::kOneLine), rule_case.after);
    EXPECT_EQ(same_relation(*before, after, kPoints), true);

    const auto rule = std::ranges::find(constraint_rules(), rule_case.rule, &SimplifierRule::name);
    ASSERT_NE(rule, constraint_rules().end());
    const auto index = static_cast<std::size_t>(rule - constraint_rules().begin());
    EXPECT_EQ(simplifier.constraint_rule_counts()[index] > 0, rule_case.side == kApplies);
  }
}

TEST(ConstraintRules, AllHaveCasesOnBothSides) {
  test::expect_cases_on_both_sides(constraint_rules(), kCases);
}

struct MapCase {
  std::string_view before;
  std::string_view after;
};

std::string simplified(std::string_view text) {
  constexpr std::int64_t kPoints = 10'000;
  ExprContext context;
  const Result<IndexMap> map = parse_index_map(text, context);
  if (!map) return "error: " + map.error().message;
  const IndexMap after = simplify(*map);
  EXPECT_EQ(same_relation(*map, after, kPoints), true) << text;
  return to_string(after, MapStyle::kOneLine);
}

// What no point satisfies, and what one point still does.
TEST(ConstraintRules, ConstraintsThatNeverHoldMakeTheMapEmpty) {
  static constexpr MapCase kMaps[] = {
      {"(d0, d1) -> (d0), domain: d0 in [0, 4], d1 in [0, 4], d0 + d1 in [9, 20]", "KNOWN EMPTY"},
      {"(d0, d1) -> (d0), domain: d0 in [0, 4], d1 in [0, 4], d0 + d1 in [7, 20]",
       "(d0, d1) -> (d0), domain: d0 in [0, 4], d1 in [0, 4], d0 + d1 in [7, 8]"},
      {"(d0) -> (d0), domain: d0 in [0, 50], d0 mod 4 in [1, 1], d0 mod 6 in [2, 2]",
       "KNOWN EMPTY"},
      {"(d0) -> (d0), domain: d0 in [0, 50], d0 mod 4 in [4, 4]", "KNOWN EMPTY"},
      // Together only.
      {"(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 - d1 in [1, 9], "
       "d1 - d0 in [0, 9]",
       "KNOWN EMPTY"},
  };
  for (const MapCase& map : kMaps) EXPECT_EQ(simplified(map.before), map.after) << map.before;
}

// A constraint that has been moved, or a divisor that is simple at last, may allow for more.
TEST(ConstraintRules, SimplifyingTwiceChangesNothing) {
  static constexpr MapCase kMaps[] = {
      {"(d0)[s0] -> (s0), domain: d0 in [0, 13], s0 in [0, 1], "
       "s0 * 2 + ((d0 * 3) floordiv 2) * 2 in [0, 37]",
       "(d0)[s0] -> (s0), domain: d0 in [0, 13], s0 in [0, 1], d0 + s0 + d0 floordiv 2 in [0, 18]"},
      {"(d0)[s0] -> ((d0 * d0) mod (-((-d0 - 10) mod 3))), domain: d0 in [0, 2], s0 in [4, 7], "
       "d0 * -2 + s0 in [4, 13]",
       "(d0)[s0] -> ((d0 * d0) mod (d0 - 2)), domain: d0 in [0, 1], s0 in [4, 7], "
       "d0 * 2 - s0 in [-7, -4]"},
  };
  for (const MapCase& map : kMaps) {
    EXPECT_EQ(simplified(map.before), map.after) << map.before;
    EXPECT_EQ(simplified(map.after), map.after);
  }
}

// Too many points to try them all.
TEST(ConstraintRules, GridsOverLargeDomains) {
  static constexpr MapCase kMaps[] = {
      // The common modulus would leave int64: the variable becomes another one twice.
      {"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1000000000000000000], "
       "s0 mod 3037000507 in [5, 5], s0 mod 4294967311 in [5, 5]",
       "(d0) -> (d0 + 5), domain: d0 in [0, 3]"},
      // A dimension does not; its bounds lie on one of the grids.
      {"(d0) -> (d0), domain: d0 in [0, 4611686018427387904], d0 mod 4294967297 in [3, 3], "
       "d0 mod 4294967296 in [5, 5]",
       "(d0) -> (d0), domain: d0 in [8589934597, 4611686010911195137], "
       "(d0 - 5) mod 4294967296 in [0, 0], (d0 - 3) mod 4294967297 in [0, 0]"},
      // Counted from the residue, the lower end would be -2^63, which means none.
      {"()[s0] -> (s0), domain: s0 in [-9223372036854775807, 10], s0 mod 8 in [5, 5]",
       "()[s0] -> (s0), domain: s0 in [-9223372036854775803, 5], (s0 - 5) mod 8 in [0, 0]"},
      {"()[s0] -> (s0), domain: s0 in [-9223372036854775794, 10], s0 mod 8 in [5, 5]",
       "()[s0] -> (s0 * 8 + 5), domain: s0 in [-1152921504606846974, 0]"},
  };
  for (const MapCase& map : kMaps) {
    ExprContext context;
    const Result<IndexMap> before = parse_index_map(map.before, context);
    ASSERT_TRUE(before);
    const IndexMap after = simplify(*before);
    EXPECT_EQ(to_string(after, MapStyle::kOneLine), map.after);
    EXPECT_EQ(simplify(after), after) << map.before;
  }
}

// What constraints say is used in the results.
TEST(ConstraintRules, ResultsAreSimplerGivenTheConstraints) {
  static constexpr MapCase kMaps[] = {
      {"(d0)[s0] -> ((d0 + s0) mod 6), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 in [0, 5]",
       "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 in [0, 5]"},
      {"(d0)[s0] -> ((d0 + s0) mod 6), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 in [0, 6]",
       "(d0)[s0] -> ((d0 + s0) mod 6), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 in [0, 6]"},
      {"(d0) -> (d0 mod 3), domain: d0 in [0, 30], d0 mod 6 in [4, 4]",
       "(d0) -> (1), domain: d0 in [4, 28], (d0 - 4) mod 6 in [0, 0]"},
      {"(d0) -> (d0 mod 4), domain: d0 in [0, 30], d0 mod 6 in [4, 4]",
       "(d0) -> (d0 mod 4), domain: d0 in [4, 28], (d0 - 4) mod 6 in [0, 0]"},
  };
  for (const MapCase& map : kMaps) EXPECT_EQ(simplified(map.before), map.after) << map.before;
}

}  // namespace
}  // namespace mercator
