#include "test/expr/rule_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "mercator/expr/text.h"

namespace mercator::test {
namespace {

constexpr std::string_view kExpressions = "xyzdvst";
constexpr std::string_view kIntegers = "abcijkpqrfmn";
constexpr std::string_view kPositive = "fmn";

using Letters = std::set<VariableId>;

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

// ---- conditions ----

// The two ends of `[E, E]`.
Result<std::array<Expr, 2>> read_range(std::string_view text, ExprContext& context) {
  if (!text.starts_with('[') || !text.ends_with(']')) return bad_rule(text, "no range");
  const auto ends = split(text.substr(1, text.size() - 2), ",");
  if (ends.size() != 2) return bad_rule(text, "no range");
  const Expr lo = MERCATOR_TRY(read_expr(ends[0], context));
  const Expr hi = MERCATOR_TRY(read_expr(ends[1], context));
  return std::array{lo, hi};
}

// The expression, or its operands if it is such an extremum: to be at least a maximum is to be at
// least each operand.
std::vector<Expr> operands_of(Expr expr, ExprKind extremum) {
  if (!expr.is(extremum)) return {expr};
  return {expr.operands().begin(), expr.operands().end()};
}

// `E in [E, E]`, `E = E`, `E >= E` or `E <= E`.
Result<void> read_condition(std::string_view text, ExprContext& context, Conditions& conditions) {
  if (const auto sides = split(text, " in "); sides.size() == 2) {
    const Expr expr = MERCATOR_TRY(read_expr(sides[0], context));
    const auto [lo, hi] = MERCATOR_TRY(read_range(sides[1], context));
    for (const Expr end : operands_of(lo, ExprKind::kMax)) conditions.push_back({expr - end});
    for (const Expr end : operands_of(hi, ExprKind::kMin)) conditions.push_back({end - expr});
    return {};
  }
  for (const std::string_view sign : {" >= ", " <= ", " = "}) {
    const auto sides = split(text, sign);
    if (sides.size() != 2) continue;
    const Expr left = MERCATOR_TRY(read_expr(sides[0], context));
    const Expr right = MERCATOR_TRY(read_expr(sides[1], context));
    const auto kind = sign == " = " ? Condition::Kind::kZero : Condition::Kind::kNotNegative;
    conditions.push_back({sign == " <= " ? right - left : left - right, kind});
    return {};
  }
  return bad_rule(text, "not a condition");
}

// Conditions joined by `and`, or `nothing`.
Result<Conditions> read_conditions(std::string_view text, ExprContext& context) {
  Conditions conditions;
  if (text == "nothing") return conditions;
  for (const std::string_view part : split(text, " and ")) {
    MERCATOR_TRY_VOID(read_condition(part, context, conditions));
  }
  return conditions;
}

struct Guard {
  Conditions conditions;
  std::vector<Implication> implications;
};

// Conditions and implications, `CONDITIONS where CONDITIONS`, separated by commas; or `nothing`.
Result<Guard> read_guard(std::string_view text, ExprContext& context) {
  Guard guard;
  if (text.empty() || text == "nothing") return guard;
  for (const std::string_view part : split(text, ", ")) {
    const auto sides = split(part, " where ");
    Conditions conditions = MERCATOR_TRY(read_conditions(sides[0], context));
    if (sides.size() == 1) {
      guard.conditions.insert(guard.conditions.end(), conditions.begin(), conditions.end());
    } else if (sides.size() == 2) {
      Conditions premises = MERCATOR_TRY(read_conditions(sides[1], context));
      guard.implications.push_back({std::move(premises), std::move(conditions)});
    } else {
      return bad_rule(part, "not a condition");
    }
  }
  return guard;
}

// ---- letters ----

void add_letters(Expr expr, Letters& letters) {
  const UsedVariables used = used_variables(std::span(&expr, 1));
  for (std::uint32_t i = 0; i < kExpressions.size(); ++i) {
    const VariableId id = {VariableKind::kDimension, i};
    if (used.contains(id)) letters.insert(id);
  }
  for (std::uint32_t i = 0; i < kIntegers.size(); ++i) {
    const VariableId id = {VariableKind::kRange, i};
    if (used.contains(id)) letters.insert(id);
  }
}

Letters letters_of(const Conditions& conditions) {
  Letters letters;
  for (const Condition& condition : conditions) add_letters(condition.expr, letters);
  return letters;
}

bool have_common(const Letters& a, const Letters& b) {
  return std::ranges::any_of(a, [&](VariableId id) { return b.contains(id); });
}

// Adds what letters promise of themselves, and lists the integers.
void add_promises(const Letters& letters, ExprContext& context, Conditions& given,
                  std::vector<VariableId>& integers) {
  for (const VariableId id : letters) {
    const Expr expr = context.variable(id);
    if (id.kind == VariableKind::kRange) integers.push_back(id);
    if (is_positive_integer(id)) given.push_back({expr - 1});
    if (letter_of(id) == "d") given.push_back({expr, Condition::Kind::kNotZero});
  }
  std::ranges::sort(integers, {}, letter_of);
}

// ---- statements about values ----

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

Result<RuleStatement> read_value_statement(std::string_view algebra, std::string_view guard,
                                           bool is_dual, ExprContext& context) {
  const auto sides = split(algebra, " -> ");
  if (sides.size() != 2) return bad_rule(algebra, "not BEFORE -> AFTER");
  Claim claim;
  claim.before = MERCATOR_TRY(read_expr(sides[0], context));
  claim.after = MERCATOR_TRY(read_expr(sides[1], context));
  const Guard conditions = MERCATOR_TRY(read_guard(guard, context));
  if (!conditions.implications.empty()) return bad_rule(guard, "not a list of conditions");
  claim.given = conditions.conditions;
  if (is_dual) {
    for (Condition& condition : claim.given) {
      condition.expr = with_expressions_negated(condition.expr);
    }
  }
  Letters letters = letters_of(claim.given);
  add_letters(claim.before, letters);
  add_letters(claim.after, letters);
  RuleStatement statement;
  add_promises(letters, context, claim.given, statement.integers);
  statement.claim = std::move(claim);
  return statement;
}

Result<std::vector<RuleStatement>> read_value_statements(const SimplifierRule& rule,
                                                         ExprContext& context) {
  std::vector<RuleStatement> statements = {
      MERCATOR_TRY(read_value_statement(rule.algebra, rule.guard, /*is_dual=*/false, context))};
  const std::string_view before = rule.algebra.substr(0, rule.algebra.find(" -> "));
  const bool is_minimum = before.contains("min(");
  if (is_minimum || before.contains("max(")) {
    const std::string dual = with_extrema_swapped(rule.algebra);
    statements.push_back(
        MERCATOR_TRY(read_value_statement(dual, rule.guard, /*is_dual=*/true, context)));
    statements[0].name = is_minimum ? "for min" : "for max";
    statements[1].name = is_minimum ? "for max" : "for min";
  }
  return statements;
}

// ---- statements about constraints ----

// The letters that are an end of a range on their own.
Result<std::vector<Expr>> read_end_letters(std::string_view text, ExprContext& context) {
  std::vector<Expr> letters;
  for (const std::string_view part : split(text, " and ")) {
    const auto sides = split(part, " in ");
    if (sides.size() != 2) continue;
    for (const Expr end : MERCATOR_TRY(read_range(sides[1], context))) {
      if (end.is(ExprKind::kVariable) && std::ranges::find(letters, end) == letters.end()) {
        letters.push_back(end);
      }
    }
  }
  return letters;
}

// A condition `E = E` solved for the variable: `factor * variable = rest`.
struct Solved {
  std::size_t condition;  // its place
  Expr factor;
  Expr rest;
};

// The part of a term that is multiplied by the variable; none if the term does not have that form.
Expr cofactor(Expr term, Expr variable) {
  if (term == variable) return term.context().constant(1);
  if (!term.is(ExprKind::kProduct)) return {};
  Expr product = term.context().constant(1);
  int found = 0;
  for (const Expr factor : term.operands()) {
    if (factor == variable) {
      ++found;
    } else {
      product = product * factor;
    }
  }
  return found == 1 ? product : Expr();
}

std::optional<Solved> solve(const Conditions& conditions, Expr variable) {
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const Expr expr = conditions[i].expr;
    if (conditions[i].kind != Condition::Kind::kZero || !expr.is(ExprKind::kSum)) continue;
    for (std::size_t j = 0; j < expr.operands().size(); ++j) {
      const Expr factor = cofactor(expr.operands()[j], variable);
      if (!factor || std::abs(expr.coefficients()[j]) != 1) continue;
      const Expr rest = expr - expr.operands()[j] * expr.coefficients()[j];
      return Solved{.condition = i, .factor = factor, .rest = rest * -expr.coefficients()[j]};
    }
  }
  return std::nullopt;
}

// The conditions without the variable, such that they hold if and only if the given ones hold for
// some value of it: `n*t = e and C(t)`, with a positive n, is `e mod n = 0 and C(e floordiv n)`.
Result<Conditions> without_variable(Conditions conditions, Expr variable) {
  const std::string name = letter_of(variable.variable());
  const std::optional<Solved> solved = solve(conditions, variable);
  const auto is_positive = [](Expr factor) {
    return factor.is(ExprKind::kConstant)
               ? factor.value() > 0
               : factor.is(ExprKind::kVariable) && is_positive_integer(factor.variable());
  };
  if (!solved || !is_positive(solved->factor)) return bad_rule(name, "not solved for");
  const auto has_variable = [&](Expr expr) {
    Letters letters;
    add_letters(expr, letters);
    return letters.contains(variable.variable());
  };
  if (has_variable(solved->rest)) return bad_rule(name, "not solved for");
  const Expr value = floor_div(solved->rest, solved->factor);
  for (Condition& condition : conditions) {
    condition.expr = substitute(
        condition.expr, [&](VariableId id) { return id == variable.variable() ? value : Expr(); });
  }
  conditions[solved->condition].expr = mod(solved->rest, solved->factor);
  return conditions;
}

// `CONDITIONS` or `CONDITIONS for some LETTER`.
Result<Conditions> read_after(std::string_view text, ExprContext& context) {
  const auto parts = split(text, " for some ");
  Conditions conditions = MERCATOR_TRY(read_conditions(parts[0], context));
  if (parts.size() == 1) return conditions;
  const Expr variable = parts.size() == 2 ? letter(context, parts[1]) : Expr();
  if (!variable) return bad_rule(text, "no letter");
  return without_variable(std::move(conditions), variable);
}

// `conditions` without those that speak of the letters.
Conditions without_letters(Conditions conditions, const Letters& letters) {
  std::erase_if(conditions, [&](const Condition& condition) {
    return have_common(letters_of({condition}), letters);
  });
  return conditions;
}

Equivalence without_letters(const Equivalence& equivalence, const Letters& letters) {
  Equivalence result = {.given = without_letters(equivalence.given, letters),
                        .implications = {},
                        .before = without_letters(equivalence.before, letters),
                        .after = without_letters(equivalence.after, letters)};
  for (const Implication& implication : equivalence.implications) {
    result.implications.push_back({without_letters(implication.premises, letters),
                                   without_letters(implication.conclusions, letters)});
  }
  return result;
}

RuleStatement statement_of(Equivalence equivalence, ExprContext& context) {
  Letters letters = letters_of(equivalence.given);
  const auto add = [&](const Conditions& conditions) { letters.merge(letters_of(conditions)); };
  add(equivalence.before);
  add(equivalence.after);
  for (const Implication& implication : equivalence.implications) {
    add(implication.premises);
    add(implication.conclusions);
  }
  RuleStatement statement;
  add_promises(letters, context, equivalence.given, statement.integers);
  statement.claim = std::move(equivalence);
  return statement;
}

// One statement of the algebra, with every set of ends infinite.
Result<void> read_constraint_statement(std::string_view text, std::string_view guard,
                                       ExprContext& context,
                                       std::vector<RuleStatement>& statements) {
  const auto sides = split(text, " -> ");
  if (sides.size() != 2) return bad_rule(text, "not BEFORE -> AFTER");
  Equivalence equivalence;
  equivalence.before = MERCATOR_TRY(read_conditions(sides[0], context));
  equivalence.after = MERCATOR_TRY(read_after(sides[1], context));
  Guard given = MERCATOR_TRY(read_guard(guard, context));
  equivalence.given = std::move(given.conditions);
  equivalence.implications = std::move(given.implications);
  const std::vector<Expr> ends = MERCATOR_TRY(read_end_letters(sides[0], context));
  for (std::uint32_t mask = 0; mask < (1U << ends.size()); ++mask) {
    Letters infinite;
    std::string name;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if ((mask >> i & 1) == 0) continue;
      infinite.insert(ends[i].variable());
      name += fmt::format("{}{}", name.empty() ? "for " : ", ", letter_of(ends[i].variable()));
    }
    statements.push_back(statement_of(without_letters(equivalence, infinite), context));
    if (!name.empty()) statements.back().name = name + " infinite";
  }
  return {};
}

// Whether the text is about constraints rather than values.
bool has_conditions(std::string_view algebra) {
  const std::string_view before = algebra.substr(0, algebra.find(" -> "));
  return std::ranges::any_of(std::array{" in ", " = ", " >= ", " <= "},
                             [&](const char* sign) { return before.contains(sign); });
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
  if (!has_conditions(rule.algebra)) return read_value_statements(rule, context);
  const std::vector<std::string_view> texts = split(rule.algebra, "; ");
  std::vector<std::string_view> guards = split(rule.guard, "; ");
  if (rule.guard.empty()) guards.resize(texts.size());
  if (guards.size() != texts.size()) return bad_rule(rule.guard, "not a guard for each statement");
  std::vector<RuleStatement> statements;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    MERCATOR_TRY_VOID(read_constraint_statement(texts[i], guards[i], context, statements));
  }
  return statements;
}

}  // namespace mercator::test
