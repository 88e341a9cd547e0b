#include "mercator/expr/text.h"

#include <gtest/gtest.h>

#include <string>

#include "test/expr/random_expr.h"

namespace mercator {
namespace {

class TextTest : public testing::Test {
 protected:
  Result<Expr> parse(std::string_view text) {
    ExprLexer lexer(text);
    return parse_expr(lexer, context, [&](std::string_view name) -> Expr {
      for (std::uint32_t i = 0; i < 4; ++i) {
        const Expr candidates[] = {context.dimension(i), context.range(i), context.runtime(i)};
        for (const Expr candidate : candidates) {
          if (default_variable_name(candidate.variable()) == name) return candidate;
        }
      }
      return {};
    });
  }
  // What `text` prints as, once read.
  std::string printed(std::string_view text) {
    const Result<Expr> expr = parse(text);
    return expr ? to_string(*expr) : "error: " + expr.error().message;
  }

  ExprContext context;
};

TEST_F(TextTest, PrintsAsPeopleWrite) {
  EXPECT_EQ(printed("d0"), "d0");
  EXPECT_EQ(printed("-5"), "-5");
  EXPECT_EQ(printed("16 - d1"), "-d1 + 16");
  EXPECT_EQ(printed("3 * d0 - d1*2"), "d0 * 3 - d1 * 2");
  EXPECT_EQ(printed("d0 * -2 + 2"), "d0 * -2 + 2");
  EXPECT_EQ(printed("d1 floordiv 8 + (d1 mod 8) * 4"), "d1 floordiv 8 + (d1 mod 8) * 4");
  EXPECT_EQ(printed("(d0 - 1) floordiv 2"), "(d0 - 1) floordiv 2");
  EXPECT_EQ(printed("(3 * d0) / 8 % 4"), "((d0 * 3) floordiv 8) mod 4");
  EXPECT_EQ(printed("d0 * d1 * 4"), "d0 * d1 * 4");
  EXPECT_EQ(printed("-(d0 * d1)"), "-(d0 * d1)");
  EXPECT_EQ(printed("(d0 + 1) * d1"), "d1 * (d0 + 1)");
  EXPECT_EQ(printed("min(d0, 3, s1 + rt2)"), "min(d0, s1 + rt2, 3)");
  EXPECT_EQ(printed("max(d0, d1) * 2 - 1"), "max(d0, d1) * 2 - 1");
  EXPECT_EQ(printed("d0 ceildiv 4"), "(d0 + 3) floordiv 4");
}

TEST_F(TextTest, OperatorsBindAsInMlir) {
  EXPECT_EQ(printed("d0 + d1 * 2 floordiv 4"), "d0 + (d1 * 2) floordiv 4");
  EXPECT_EQ(printed("d0 floordiv 4 floordiv 2"), "(d0 floordiv 4) floordiv 2");
  EXPECT_EQ(printed("d0 mod 4 * 2"), "(d0 mod 4) * 2");
  EXPECT_EQ(printed("- d0 floordiv 4"), "(-d0) floordiv 4");
  EXPECT_EQ(printed("d0 - d1 - s0"), "d0 - d1 - s0");
}

TEST_F(TextTest, EndsOfInt64) {
  EXPECT_EQ(printed("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(printed("d0 + -9223372036854775808"), "d0 + -9223372036854775808");
  EXPECT_EQ(printed("d0 + d1 * -9223372036854775808"), "d0 + d1 * -9223372036854775808");
  EXPECT_EQ(printed("9223372036854775808"), "error: integer does not fit into 64 bits");
}

TEST_F(TextTest, Errors) {
  EXPECT_EQ(printed(""), "error: expected an expression, found the end");
  EXPECT_EQ(printed("d0 +"), "error: expected an expression, found the end");
  EXPECT_EQ(printed("(d0"), "error: expected ')', found the end");
  EXPECT_EQ(printed("d9"), "error: unknown variable 'd9'");
  EXPECT_EQ(printed("d0 / 0"), "error: division by zero");
  EXPECT_EQ(printed("d0 mod (3 - 3)"), "error: division by zero");
  EXPECT_EQ(printed("min()"), "error: expected an expression, found ')'");
  EXPECT_EQ(printed("d0 $ d1"), "d0");  // the longest expression; what follows is the caller's
}

TEST_F(TextTest, ErrorsSayWhere) {
  const Result<Expr> expr = parse("d0 + bad * 2");
  ASSERT_FALSE(expr);
  EXPECT_EQ(expr.error().span, (TextSpan{5, 8}));
}

TEST_F(TextTest, NestingIsLimited) {
  const auto nested = [&](std::size_t n) {
    return printed(std::string(n, '(') + "d0" + std::string(n, ')'));
  };
  EXPECT_EQ(nested(200), "d0");
  EXPECT_EQ(nested(1'000'000), "error: the expression is nested deeper than 250 levels");
  EXPECT_EQ(printed(std::string(1'000'000, '-') + "d0"),
            "error: the expression is nested deeper than 250 levels");
  std::string chain = "d0";
  for (int i = 0; i < 300; ++i) chain += " mod 2 floordiv 3";
  EXPECT_EQ(printed(chain), "error: the expression is nested deeper than 250 levels");
}

TEST_F(TextTest, PrintedExpressionsReadBackTheSame) {
  test::RandomExprs random(context, 3);
  for (int i = 0; i < 5000; ++i) {
    const Expr expr = random.expr(3, 7);
    const std::string text = to_string(expr);
    const Result<Expr> again = parse(text);
    ASSERT_TRUE(again) << text;
    ASSERT_EQ(*again, expr) << text << "\nreads as\n" << to_string(*again);
  }
}

}  // namespace
}  // namespace mercator
