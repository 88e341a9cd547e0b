#include "mercator/support/error.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace mercator {
namespace {

Result<int> parse_digit(char c) {
  if (c < '0' || c > '9') return fail(ErrorKind::kInvalidInput, "not a digit", TextSpan{3, 4});
  return c - '0';
}

Result<int> sum_of_digits(char a, char b) {
  return MERCATOR_TRY(parse_digit(a)) + MERCATOR_TRY(parse_digit(b));
}

Result<void> check_digit(char c, int* reached) {
  MERCATOR_TRY_VOID(parse_digit(c));
  ++*reached;
  return {};
}

Result<std::unique_ptr<int>> make_digit(char c) {
  return std::make_unique<int>(MERCATOR_TRY(parse_digit(c)));
}

Result<int> read_digit(char c) {
  const std::unique_ptr<int> digit = MERCATOR_TRY(make_digit(c));
  return *digit;
}

TEST(Try, YieldsTheValue) {
  EXPECT_EQ(sum_of_digits('3', '4'), 7);
  EXPECT_EQ(read_digit('5'), 5);
}

TEST(Try, ReturnsTheErrorWhole) {
  for (const Result<int>& result :
       {sum_of_digits('x', '4'), sum_of_digits('3', 'x'), read_digit('x')}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::kInvalidInput);
    EXPECT_EQ(result.error().message, "not a digit");
    EXPECT_EQ(result.error().hint, "");
    EXPECT_EQ(result.error().span, (TextSpan{3, 4}));
  }
}

TEST(Try, LeavesTheFunctionAtOnce) {
  int reached = 0;
  EXPECT_FALSE(check_digit('x', &reached));
  EXPECT_EQ(reached, 0);
  EXPECT_TRUE(check_digit('1', &reached));
  EXPECT_EQ(reached, 1);
}

}  // namespace
}  // namespace mercator
