#include "mercator/map/certify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/map/index_map.h"

namespace mercator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

IndexMap parse(std::string_view text, ExprContext& context) {
  Result<IndexMap> map = parse_index_map(text, context);
  EXPECT_TRUE(map) << text << "\n" << map.error().message;
  return map ? *std::move(map) : IndexMap(context);
}

Certification certify_texts(std::string_view before, std::string_view after) {
  ExprContext context;
  return certify(parse(before, context), parse(after, context));
}

void expect_equal(std::string_view before, std::string_view after) {
  const Certification there = certify_texts(before, after);
  EXPECT_EQ(there.certificate, Certificate::kEqual) << before << "\n" << there.reason;
  EXPECT_EQ(there.reason, "");
  EXPECT_FALSE(there.difference);
  EXPECT_EQ(certify_texts(after, before).certificate, Certificate::kEqual) << before;
}

// Checks that the maps differ, and that the pair which the answer names is a difference.
void expect_different(std::string_view before, std::string_view after) {
  ExprContext context;
  const IndexMap maps[] = {parse(before, context), parse(after, context)};
  for (const int first : {0, 1}) {
    const Certification answer = certify(maps[first], maps[1 - first]);
    ASSERT_EQ(answer.certificate, Certificate::kDifferent) << before << "\n" << after;
    EXPECT_NE(answer.reason, "");
    ASSERT_TRUE(answer.difference) << answer.reason;
    const IndexMap& has = answer.difference->is_in_before ? maps[first] : maps[1 - first];
    const IndexMap& lacks = answer.difference->is_in_before ? maps[1 - first] : maps[first];
    const auto pairs = relation(has, 1'000'000);
    const auto others = relation(lacks, 1'000'000);
    ASSERT_TRUE(pairs && others);
    EXPECT_TRUE(pairs->contains(answer.difference->pair)) << answer.reason;
    EXPECT_FALSE(others->contains(answer.difference->pair)) << answer.reason;
  }
}

TEST(Certify, TheSameFunctionWrittenDifferently) {
  expect_equal("(x) -> (x mod 7 + (x floordiv 7) * 7)", "(x) -> (x)");
  expect_equal("(x) -> ((x floordiv 3) floordiv 5)", "(x) -> (x floordiv 15)");
  expect_equal("(x) -> (x ceildiv 4)", "(x) -> ((x + 3) floordiv 4)");
  expect_equal("(x) -> (x floordiv -4)", "(x) -> ((-x) floordiv 4)");
  expect_equal("(x, y) -> (min(x, y) + max(x, y))", "(x, y) -> (x + y)");
  expect_equal("(x) -> (max(min(x, 5), 3)), domain: x in [4, 9]",
               "(x) -> (min(x, 5)), domain: x in [4, 9]");
  expect_equal("(x, y) -> ((x * 4 + y) floordiv 8), domain: x in [0, 7], y in [0, 3]",
               "(x, y) -> (x floordiv 2), domain: x in [0, 7], y in [0, 3]");
}

TEST(Certify, DifferencesComeWithAPair) {
  expect_different("(x) -> (x floordiv 2), domain: x in [0, 9]",
                   "(x) -> (x floordiv 3), domain: x in [0, 9]");
  expect_different("(x) -> (x), domain: x in [0, 9]", "(x) -> (x), domain: x in [0, 8]");
  expect_different("(x) -> (x mod 8), domain: x in [0, 8]", "(x) -> (x), domain: x in [0, 8]");
  expect_different("(x)[s] -> (x + s), domain: x in [0, 9], s in [0, 2]",
                   "(x)[s] -> (x + s * 2), domain: x in [0, 9], s in [0, 1]");
  expect_different("(x){r} -> (x + r), domain: x in [0, 9], r in [-3, 2]",
                   "(x){r} -> (x + max(r, -2)), domain: x in [0, 9], r in [-3, 2]");
  expect_different("(x, y) -> (min(x, y)), domain: x in [-9, 9], y in [2, 5]",
                   "(x, y) -> (min(x, 4)), domain: x in [-9, 9], y in [2, 5]");
  expect_different("() -> (1)", "() -> (2)");
}

TEST(Certify, OneDifferingPointAmongMany) {
  const std::string domain = ", domain: x in [0, 999], y in [0, 999]";
  const Certification answer = certify_texts("(x, y) -> ((x * 1000 + y) floordiv 999999)" + domain,
                                             "(x, y) -> (0)" + domain);
  EXPECT_EQ(answer.certificate, Certificate::kDifferent);
  ASSERT_TRUE(answer.difference);
  EXPECT_THAT(answer.difference->pair.from, ElementsAre(999, 999));
}

TEST(Certify, TheReasonNamesVariables) {
  EXPECT_EQ(certify_texts("(row){off} -> (row, off), domain: row in [4, 4], off in [2, 2]",
                          "(row){off} -> (row, 3), domain: row in [4, 4], off in [2, 2]")
                .reason,
            "only the first relates off = 2, row = 4 to (4, 2)");
}

TEST(Certify, RangesAreNoPartOfThePairs) {
  expect_equal("(x)[a, b] -> (x + a * 3 + b), domain: x in [0, 9], a in [0, 4], b in [0, 2]",
               "(x)[s] -> (x + s), domain: x in [0, 9], s in [0, 14]");
  expect_equal("(x)[s] -> (x + s), domain: x in [0, 9], s in [0, 30], s mod 6 in [3, 3]",
               "(x)[s] -> (x + s * 6 + 3), domain: x in [0, 9], s in [0, 4]");
  expect_equal("(x)[a, b] -> (x + b), domain: x in [0, 9], a in [0, 4], b in [0, 2]",
               "(x)[s] -> (x + s), domain: x in [0, 9], s in [0, 2]");
  expect_equal("(x)[a, b] -> (a, b), domain: x in [0, 9], a in [0, 4], b in [0, 4]",
               "(x)[a, b] -> (b, a), domain: x in [0, 9], a in [0, 4], b in [0, 4]");
  expect_different("(x)[a, b] -> (a, b), domain: x in [0, 9], a in [0, 4], b in [0, 3]",
                   "(x)[a, b] -> (b, a), domain: x in [0, 9], a in [0, 4], b in [0, 3]");
  // A range without values leaves no pairs.
  expect_different("(x)[s] -> (x), domain: x in [0, 9], s in [0, 3]",
                   "(x)[s] -> (x), domain: x in [0, 9], s in [3, 0]");
}

TEST(Certify, ConstraintsRestrictTheDomain) {
  expect_equal("(x) -> (x floordiv 8), domain: x in [0, 63], x - 8 in [0, 7]",
               "(x) -> (1), domain: x in [8, 15]");
  expect_equal("(x) -> (x), domain: x in [0, 95], x mod 4 in [1, 1], x mod 6 in [5, 5]",
               "(x) -> (x), domain: x in [0, 95], x mod 12 in [5, 5]");
  expect_different("(x) -> (x), domain: x in [0, 95], x mod 4 in [1, 1], x mod 6 in [5, 5]",
                   "(x) -> (x), domain: x in [0, 95], x mod 12 in [5, 6]");
  // A quotient by a negative number.
  expect_equal("(x) -> (x), domain: x in [-20, 20], x floordiv -4 in [1, 2]",
               "(x) -> (x), domain: x in [-11, -4]");
}

// ---- runtime variables ----

TEST(Certify, RuntimeVariablesAreMatchedByName) {
  expect_equal("(x){a, b} -> (x + a - b), domain: x in [0, 9], a in [0, 4], b in [0, 4]",
               "(x){b, a} -> (x - b + a), domain: x in [0, 9], a in [0, 4], b in [0, 4]");
  expect_different("(x){a, b} -> (x + a), domain: x in [0, 9], a in [0, 4], b in [0, 4]",
                   "(x){a, b} -> (x + b), domain: x in [0, 9], a in [0, 4], b in [0, 4]");
}

TEST(Certify, DroppedRuntimeVariablesMayHaveAnyValueWithinTheirBounds) {
  expect_equal("(x){a, b} -> (x + b), domain: x in [0, 9], a in [2, 4], b in [0, 5]",
               "(x){b} -> (x + b), domain: x in [0, 9], b in [0, 5]");
  expect_equal("(x){a, b} -> (a floordiv 8 + b), domain: x in [0, 9], a in [2, 7], b in [0, 5]",
               "(x){b} -> (b), domain: x in [0, 9], b in [0, 5]");
  EXPECT_EQ(certify_texts("(x){a} -> (a floordiv 8), domain: x in [0, 9], a in [2, 8]",
                          "(x) -> (0), domain: x in [0, 9]")
                .certificate,
            Certificate::kDifferent);
  // A condition on it is not forgotten.
  EXPECT_EQ(certify_texts("(x){a} -> (x), domain: x in [0, 9], a in [0, 9], a - 3 in [0, 9]",
                          "(x) -> (x), domain: x in [0, 9]")
                .certificate,
            Certificate::kDifferent);
}

TEST(Certify, KeptRuntimeVariablesByNumber) {
  ExprContext context;
  const IndexMap before = parse(
      "(x){rt0, rt1} -> (x + rt1), domain: x in [0, 9], rt0 in [0, 5], rt1 in [0, 6]", context);
  const IndexMap after =
      parse("(x){rt0} -> (x + rt0), domain: x in [0, 9], rt0 in [0, 6]", context);
  EXPECT_EQ(certify(before, after, std::array{1U}).certificate, Certificate::kEqual);
  EXPECT_EQ(certify(before, after, std::array{0U}).certificate, Certificate::kDifferent);
  EXPECT_EQ(certify(before, after).certificate, Certificate::kDifferent);
}

TEST(Certify, BoundsOfRuntimeVariablesAreAPromise) {
  const Certification answer = certify_texts("(x){r} -> (x), domain: x in [0, 9], r in [0, 9]",
                                             "(x){r} -> (x), domain: x in [0, 9], r in [0, 8]");
  EXPECT_EQ(answer.certificate, Certificate::kDifferent);
  EXPECT_EQ(answer.reason, "the bounds of r differ");
}

class CertifyIndices : public testing::Test {
 protected:
  // (x)[s]{r} -> (x + r), with r at [`index`] of tensor `tensor`.
  IndexMap with_index(Expr index, std::uint32_t tensor = 5, Interval range = {0, 3}) {
    return IndexMap(context_, {{.bounds = {0, 7}}}, {{.bounds = range}},
                    {{.bounds = {0, 9}, .name = "r", .tensor = tensor, .index = {index}}},
                    {context_.dimension(0) + context_.runtime(0)});
  }

  ExprContext context_;
  Expr d0_ = context_.dimension(0);
  Expr s0_ = context_.range(0);
};

TEST_F(CertifyIndices, MustAgree) {
  const IndexMap before = with_index(floor_div(d0_ * 4 + s0_, 8));
  EXPECT_EQ(certify(before, with_index(floor_div(d0_, 2))).certificate, Certificate::kEqual);
  const Certification answer = certify(before, with_index(floor_div(d0_, 3)));
  EXPECT_EQ(answer.certificate, Certificate::kDifferent);
  EXPECT_THAT(answer.reason, HasSubstr("with r at ["));
  ASSERT_TRUE(answer.difference);
  EXPECT_EQ(answer.difference->pair.from.size(), 1);
  EXPECT_EQ(answer.difference->pair.to.size(), 1);
}

TEST_F(CertifyIndices, MayDependOnRanges) {
  const IndexMap before = with_index(d0_ + s0_ * 2, 5, {0, 3});
  EXPECT_EQ(certify(before, with_index(d0_ + s0_, 5, {0, 6})).certificate, Certificate::kDifferent);
  EXPECT_EQ(certify(before, with_index(d0_ + 6 - s0_ * 2, 5, {0, 3})).certificate,
            Certificate::kEqual);
}

TEST_F(CertifyIndices, AreOfOneTensor) {
  EXPECT_EQ(certify(with_index(d0_, 5), with_index(d0_, 6)).reason,
            "r is an element of different tensors");
}

TEST_F(CertifyIndices, OfDroppedVariablesDoNotMatter) {
  const IndexMap before(context_, {{.bounds = {0, 7}}}, {{.bounds = {0, 3}}},
                        {{.bounds = {0, 9}, .name = "r", .tensor = 5, .index = {d0_ * s0_}}},
                        {d0_ + floor_div(context_.runtime(0), 10)});
  const IndexMap after = parse("(x) -> (x), domain: x in [0, 7]", context_);
  EXPECT_EQ(certify(before, after).certificate, Certificate::kEqual);
}

// ---- empty domains ----

TEST(Certify, EmptyDomainsAreEqual) {
  expect_equal(
      "(x)[s] -> (x + s), domain: x in [0, 9], s in [0, 9], x + s in [3, 5], x + s in [6, 9]",
      "KNOWN EMPTY");
  expect_equal("(x)[s]{r} -> (x + s), domain: x in [0, 9], s in [0, 9], r in [4, 3]",
               "KNOWN EMPTY");
  expect_equal("(x) -> (x), domain: x in [0, -1]", "(x) -> (x + 1), domain: x in [5, 2]");
  // Empty only by two constraints together.
  expect_equal("(x, y) -> (x), domain: x in [0, 9], y in [0, 9], x - y in [1, 9], y - x in [1, 9]",
               "KNOWN EMPTY");
  expect_equal("(x) -> (x), domain: x in [0, 9], x mod 2 in [0, 0], x mod 4 in [1, 1]",
               "KNOWN EMPTY");
  ExprContext context;
  const IndexMap map = parse(
      "(x, y)[s]{r} -> (x, y, s), domain: x in [0, 9], y in [0, 9], s in [0, 9], r in [0, 9], x in "
      "[20, 30]",
      context);
  EXPECT_EQ(certify(map, IndexMap::empty(context, 2, 3)).certificate, Certificate::kEqual);
  EXPECT_EQ(certify(parse("() -> (), domain: 3 in [4, 5]", context), IndexMap::empty(context, 0, 0))
                .certificate,
            Certificate::kEqual);
}

TEST(Certify, AnEmptyDomainIsNotOneOfOnePoint) {
  for (const auto* before :
       {"(x) -> (x), domain: x in [0, 9], x - 9 in [0, 4]", "() -> ()", "(x) -> (3)"}) {
    for (const bool is_first : {true, false}) {
      const Certification answer =
          is_first ? certify_texts(before, "KNOWN EMPTY") : certify_texts("KNOWN EMPTY", before);
      EXPECT_EQ(answer.certificate, Certificate::kDifferent) << before;
      EXPECT_NE(answer.reason, "");
    }
  }
}

TEST(Certify, MapsOfDifferentForm) {
  const Certification answer =
      certify_texts("(x) -> (x), domain: x in [0, 9]", "(x) -> (x, x), domain: x in [0, 9]");
  EXPECT_EQ(answer.certificate, Certificate::kDifferent);
  EXPECT_EQ(answer.reason, "the numbers of dimensions or results differ");
}

// ---- the ends of int64 ----

TEST(Certify, IntegersHaveNoLimit) {
  // x + 1 - 1 is x also at 2^63 - 1.
  expect_equal("(x, y) -> (max(x + y, y) - y)", "(x, y) -> (max(x, 0))");
  expect_equal("(x) -> (x floordiv 9223372036854775807)",
               "(x) -> ((x - x mod 9223372036854775807) floordiv 9223372036854775807)");
  // No int64 has the magnitude of this divisor.
  expect_equal("(x) -> (x - x mod -9223372036854775808)",
               "(x) -> ((x floordiv -9223372036854775808) * -9223372036854775808)");
  // 2^64 + 1 is 2 * (2^63 - 1) + 3.
  const Certification answer = certify_texts(
      "(x) -> ((x * 4 + 1) mod 9223372036854775807), domain: x in [4611686018427387904, "
      "4611686018427387904]",
      "(x) -> (3), domain: x in [4611686018427387904, 4611686018427387904]");
  EXPECT_EQ(answer.certificate, Certificate::kEqual) << answer.reason;
}

TEST(Certify, EndsOfInt64AreNoBounds) {
  const std::string max = "9223372036854775807";
  const std::string min = "-9223372036854775808";
  expect_equal("(x) -> (x), domain: x in [" + min + ", " + max + "]", "(x) -> (x)");
  // Bounds beyond the ends are bounds.
  const Certification answer =
      certify_texts("(x) -> (x), domain: x in [-9223372036854775807, " + max + "]", "(x) -> (x)");
  EXPECT_EQ(answer.certificate, Certificate::kDifferent);
  // A value that does not fit into int64 is named all the same.
  const Certification beyond = certify_texts(
      "(x) -> (x), domain: x in [" + max + ", " + max + "], x - 5 in [" + max + ", " + max + "]",
      "KNOWN EMPTY");
  EXPECT_EQ(beyond.certificate, Certificate::kDifferent);
  const Certification large =
      certify_texts("(x) -> (x * 4), domain: x in [9223372036854775806, 9223372036854775806]",
                    "(x) -> (0), domain: x in [9223372036854775806, 9223372036854775806]");
  EXPECT_EQ(large.certificate, Certificate::kDifferent);
  EXPECT_THAT(large.reason, HasSubstr("relates x = 9223372036854775806 to (36893488147419103224)"));
  EXPECT_FALSE(large.difference);
}

// ---- what cannot be decided ----

TEST(Certify, ProductsAndVariableDivisorsAreNotQuasiAffine) {
  const std::string domain = ", domain: x in [0, 9], y in [1, 9]";
  for (const std::string expr :
       {"x * y", "x floordiv y", "x mod y", "(x + 1) * (x + 1)", "x ceildiv y"}) {
    for (const std::string& map : {"(x, y) -> (" + expr + " + 1)" + domain,
                                   "(x, y) -> (x)" + domain + ", " + expr + " in [0, 5]"}) {
      const Certification answer = certify_texts(map, map);
      EXPECT_EQ(answer.certificate, Certificate::kNotQuasiAffine) << map;
      EXPECT_FALSE(answer.reason.empty());
    }
  }
  EXPECT_EQ(certify_texts("(x, y) -> (x * y + 3)" + domain, "(x, y) -> (x)" + domain).reason,
            "x * y");
}

TEST(Certify, UndecidedWithinTheLimits) {
  ExprContext context;
  const IndexMap before = parse(
      "(x)[a, b] -> ((x * 7 + a * 5 + b) mod 12), domain: x in [0, 99], a in [0, 9], b in [0, 4]",
      context);
  const IndexMap after = parse(
      "(x)[a, b] -> ((x * 7 + a * 5 + b) - 12 * ((x * 7 + a * 5 + b) floordiv 12)), domain: x in "
      "[0, 99], a in [0, 9], b in [0, 4]",
      context);
  EXPECT_EQ(certify(before, after).certificate, Certificate::kEqual);
  // However early it has to stop, it neither crashes nor answers wrongly.
  for (std::uint64_t steps = 0; steps < 400; steps += steps < 40 ? 1 : 20) {
    const Certification answer = certify(before, after, {.max_steps = steps});
    EXPECT_NE(answer.certificate, Certificate::kDifferent) << steps;
    if (answer.certificate == Certificate::kUndecided) {
      EXPECT_EQ(answer.reason, "it takes too many steps");
    }
  }
  EXPECT_EQ(certify(before, after, {.max_steps = 1}).certificate, Certificate::kUndecided);
}

TEST(Certify, LargeMapsAreUndecidedAtOnce) {
  ExprContext context;
  Expr deep = context.dimension(0);
  for (int i = 0; i < 50'000; ++i) deep = mod(deep * 3 + 1, 1'000 + i);
  const IndexMap quotients(context, {{.bounds = {0, 99}}}, {}, {}, {deep});
  EXPECT_EQ(certify(quotients, quotients).certificate, Certificate::kUndecided);
  const IndexMap variables(context, std::vector<Variable>(2'000, {.bounds = {0, 1}}), {}, {},
                           {context.dimension(7)});
  EXPECT_EQ(certify(variables, variables).certificate, Certificate::kUndecided);
}

// ---- expressions ----

TEST(CertifyExpr, SameValueWithinTheBounds) {
  ExprContext context;
  const Expr d0 = context.dimension(0);
  const Expr s0 = context.range(0);
  const Expr rt0 = context.runtime(0);
  const Interval dimensions[] = {{0, 99}};
  const Interval ranges[] = {{0, 3}};
  const VariableBounds bounds = {.dimensions = dimensions, .ranges = ranges};
  EXPECT_EQ(certify(floor_div(d0 * 4 + s0, 4), d0, bounds).certificate, Certificate::kEqual);
  EXPECT_EQ(certify(floor_div(d0 * 4 + s0, 4) + rt0, d0 + rt0, bounds).certificate,
            Certificate::kEqual);
  EXPECT_EQ(certify(d0 * rt0, d0 * rt0, bounds).certificate, Certificate::kNotQuasiAffine);
  // Without bounds s0 may be 4.
  EXPECT_EQ(certify(floor_div(d0 * 4 + s0, 4), d0, {.dimensions = dimensions}).certificate,
            Certificate::kDifferent);

  // Ranges are variables as others are: s0 and 3 - s0 have the same set of values but differ.
  const Certification answer = certify(s0 + rt0 - rt0, -s0 + 3, bounds);
  ASSERT_EQ(answer.certificate, Certificate::kDifferent);
  ASSERT_TRUE(answer.difference);
  ASSERT_EQ(answer.difference->pair.from.size(), 2);
  const std::int64_t s = answer.difference->pair.from[1];
  EXPECT_THAT(answer.difference->pair.to, ElementsAre(answer.difference->is_in_before ? s : 3 - s));
  EXPECT_THAT(answer.reason, HasSubstr("s0 = "));
}

}  // namespace
}  // namespace mercator
