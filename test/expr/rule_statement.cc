#include "test/expr/rule_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mercator/expr/text.h"

namespace mercator::test {
namespace {

constexpr std::string_view kExpressions = "xyzd";
constexpr std::string_view kIntegers = "abckfmn";
constexpr std::string_view kPositive = "fmn";

Expr letter(ExprContext& context, std::string_view name) {
  if (name.size() != 1) return {};
  if (const std::size_t i = kExpressions.find(name); i != std::string_view::npos) {
    return context.dimension(static_cast<std::uint32_t>(i));
  }
  if (const std::size_t i = kIntegers.find(name); i != std::string_view::npos) {
    return context.range(static_cast<std::uint32_t>(i));
  }
  return {};
}

std::unexpected<Error> bad_rule(std::string_view text, std::string_view why) {
  return fail(ErrorKind::kInvalidInput, fmt::format("`{}`: {}", text, why));
}

// All of `text` as an expression.
Result<Expr> read_expr(std::string_view text, ExprContext& context) {
  ExprLexer lexer(text);
  Result<Expr> expr =
      parse_expr(lexer, context, [&](std::string_view name) { return letter(context, name); });
  if (!expr) return bad_rule(text, expr.error().message);
  if (lexer.token() != ExprLexer::Token::kEnd) return bad_rule(text, "not an expression");
  return expr;
}

// The parts of `text` between separators that are in no brackets.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth == 0 && text.substr(i).starts_with(separator)) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + separator.size();
      i = begin - 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// `E in [E, E]`, `E = E` or `E >= E`.
Result<void> read_condition(std::string_view text, ExprContext& context,
                            std::vector<Condition>& conditions) {
  if (const auto sides = split(text, " in "); sides.size() == 2) {
    const std::string_view range = sides[1];
    if (!range.starts_with('[') || !range.ends_with(']')) return bad_rule(text, "no range");
    const auto ends = split(range.substr(1, range.size() - 2), ",");
    if (ends.size() != 2) return bad_rule(text, "no range");
    const Expr expr = MERCATOR_TRY(read_expr(sides[0], context));
    const Expr lo = MERCATOR_TRY(read_expr(ends[0], context));
    const Expr hi = MERCATOR_TRY(read_expr(ends[1], context));
    conditions.push_back({expr - lo});
    conditions.push_back({hi - expr});
    return {};
  }
  for (const auto& [sign, kind] : {std::pair(" >= ", Condition::Kind::kNotNegative),
                                   std::pair(" = ", Condition::Kind::kZero)}) {
    const auto sides = split(text, sign);
    if (sides.size() != 2) continue;
    const Expr left = MERCATOR_TRY(read_expr(sides[0], context));
    const Expr right = MERCATOR_TRY(read_expr(sides[1], context));
    conditions.push_back({left - right, kind});
    return {};
  }
  return bad_rule(text, "not a condition");
}

// The text with minima in place of maxima and maxima in place of minima.
std::string with_extrema_swapped(std::string_view text) {
  std::string swapped(text);
  for (std::size_t i = 0; i + 4 <= swapped.size(); ++i) {
    const std::string_view name = std::string_view(swapped).substr(i, 4);
    if (name == "min(") {
      swapped.replace(i, 3, "max");
    } else if (name == "max(") {
      swapped.replace(i, 3, "min");
    }
  }
  return swapped;
}

Expr with_expressions_negated(Expr expr) {
  return substitute(expr, [&](VariableId id) {
    return id.kind == VariableKind::kDimension ? -expr.context().variable(id) : Expr();
  });
}

Result<RuleStatement> read_statement(std::string_view algebra, std::string_view guard, bool is_dual,
                                     ExprContext& context) {
  const auto sides = split(algebra, " -> ");
  if (sides.size() != 2) return bad_rule(algebra, "not BEFORE -> AFTER");
  RuleStatement statement;
  Claim& claim = statement.claim;
  claim.before = MERCATOR_TRY(read_expr(sides[0], context));
  claim.after = MERCATOR_TRY(read_expr(sides[1], context));
  if (!guard.empty()) {
    for (const std::string_view condition : split(guard, ", ")) {
      MERCATOR_TRY_VOID(read_condition(condition, context, claim.given));
    }
  }
  std::vector<Expr> all = {claim.before, claim.after};
  for (Condition& condition : claim.given) {
    if (is_dual) condition.expr = with_expressions_negated(condition.expr);
    all.push_back(condition.expr);
  }
  const UsedVariables used = used_variables(all);
  std::string letters(kIntegers);
  std::ranges::sort(letters);
  for (const char& name : letters) {
    const Expr integer = letter(context, std::string_view(&name, 1));
    if (!used.contains(integer.variable())) continue;
    statement.integers.push_back(integer.variable());
    if (is_positive_integer(integer.variable())) claim.given.push_back({integer - 1});
  }
  const Expr divisor = letter(context, "d");
  if (used.contains(divisor.variable())) {
    claim.given.push_back({divisor, Condition::Kind::kNotZero});
  }
  return statement;
}

}  // namespace

bool is_positive_integer(VariableId id) {
  return id.kind == VariableKind::kRange && kPositive.contains(kIntegers[id.index]);
}

std::string letter_of(VariableId id) {
  return std::string(1, (id.kind == VariableKind::kRange ? kIntegers : kExpressions)[id.index]);
}

Result<std::vector<RuleStatement>> read_statements(const SimplifierRule& rule,
                                                   ExprContext& context) {
  std::vector<RuleStatement> statements = {
      MERCATOR_TRY(read_statement(rule.algebra, rule.guard, /*is_dual=*/false, context))};
  const std::string_view before = rule.algebra.substr(0, rule.algebra.find(" -> "));
  if (before.contains("min(") || before.contains("max(")) {
    const std::string dual = with_extrema_swapped(rule.algebra);
    statements.push_back(MERCATOR_TRY(read_statement(dual, rule.guard, /*is_dual=*/true, context)));
  }
  return statements;
}

}  // namespace mercator::test
