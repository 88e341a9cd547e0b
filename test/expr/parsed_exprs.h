// Reading the expressions of tests.

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "mercator/expr/expr.h"
#include "mercator/expr/text.h"

namespace mercator::test {

// The expressions over d0 … d9 in `text`, separated by commas; expects that they can be read.
inline std::vector<Expr> parsed_exprs(std::string_view text, ExprContext& context) {
  std::vector<Expr> exprs;
  ExprLexer lexer(text);
  do {
    const Result<Expr> expr = parse_expr(lexer, context, [&](std::string_view name) -> Expr {
      if (name.size() != 2 || name[0] != 'd') return {};
      return context.dimension(static_cast<std::uint32_t>(name[1] - '0'));
    });
    EXPECT_TRUE(expr.has_value()) << text;
    exprs.push_back(expr ? *expr : context.constant(0));
  } while (lexer.consume(","));
  EXPECT_EQ(lexer.token(), ExprLexer::Token::kEnd) << text;
  return exprs;
}

}  // namespace mercator::test
