#include "mercator/expr/text.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <limits>

namespace mercator {

std::string default_variable_name(VariableId id) {
  static constexpr const char* kPrefixes[] = {"d", "s", "rt"};
  return fmt::format("{}{}", kPrefixes[static_cast<int>(id.kind)], id.index);
}

// ---- printing ----

namespace {

constexpr std::int64_t kMinInt = std::numeric_limits<std::int64_t>::min();

class Printer {
 public:
  explicit Printer(const VariableNames& names) : names_(names) {}

  void print(Expr expr) {
    switch (expr.kind()) {
      case ExprKind::kConstant:
        out_ += fmt::format("{}", expr.value());
        break;
      case ExprKind::kVariable:
        out_ += names_(expr.variable());
        break;
      case ExprKind::kSum:
        print_sum(expr);
        break;
      case ExprKind::kProduct:
        for (std::size_t i = 0; i < expr.operands().size(); ++i) {
          if (i > 0) out_ += " * ";
          print_factor(expr.operands()[i]);
        }
        break;
      case ExprKind::kFloorDiv:
      case ExprKind::kMod:
        print_factor(expr.dividend());
        out_ += expr.is(ExprKind::kFloorDiv) ? " floordiv " : " mod ";
        print_factor(expr.divisor());
        break;
      case ExprKind::kMin:
      case ExprKind::kMax:
        out_ += expr.is(ExprKind::kMin) ? "min(" : "max(";
        for (std::size_t i = 0; i < expr.operands().size(); ++i) {
          if (i > 0) out_ += ", ";
          print(expr.operands()[i]);
        }
        out_ += ')';
        break;
    }
  }

  std::string take() && { return std::move(out_); }

 private:
  // As an operand of `*`, floordiv and mod.
  void print_factor(Expr expr) {
    const bool is_atom = expr.is(ExprKind::kVariable) || expr.is(ExprKind::kConstant) ||
                         expr.is(ExprKind::kMin) || expr.is(ExprKind::kMax);
    if (!is_atom) out_ += '(';
    print(expr);
    if (!is_atom) out_ += ')';
  }

  void print_term(Expr term, std::int64_t coefficient) {
    if (coefficient == 1 && !term.is(ExprKind::kSum)) return print(term);
    if (coefficient == 1 || !term.is(ExprKind::kProduct)) {
      print_factor(term);
    } else {
      print(term);
    }
    if (coefficient != 1) out_ += fmt::format(" * {}", coefficient);
  }

  void print_sum(Expr sum) {
    for (std::size_t i = 0; i < sum.operands().size(); ++i) {
      const std::int64_t coefficient = sum.coefficients()[i];
      const bool subtracts = coefficient < 0 && coefficient != kMinInt;
      if (i > 0) {
        out_ += subtracts ? " - " : " + ";
      } else if (coefficient == -1) {
        out_ += '-';
      }
      const bool sign_is_out = (i > 0 && subtracts) || coefficient == -1;
      const std::int64_t shown = sign_is_out ? -coefficient : coefficient;
      // -(a * b) as a factor needs its parentheses: unary minus binds more tightly than `*`.
      if (i == 0 && coefficient == -1) {
        print_factor(sum.operands()[i]);
      } else {
        print_term(sum.operands()[i], shown);
      }
    }
    const std::int64_t constant = sum.constant();
    if (constant > 0) out_ += fmt::format(" + {}", constant);
    if (constant < 0 && constant != kMinInt) out_ += fmt::format(" - {}", -constant);
    if (constant == kMinInt) out_ += fmt::format(" + {}", constant);
  }

  const VariableNames& names_;
  std::string out_;
};

}  // namespace

std::string to_string(Expr expr, const VariableNames& names) {
  Printer printer(names);
  printer.print(expr);
  return std::move(printer).take();
}

// ---- tokens ----

namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

void ExprLexer::advance() {
  while (next_ < text_.size() && is_space(text_[next_])) ++next_;
  begin_ = next_;
  if (next_ == text_.size()) {
    token_ = Token::kEnd;
    return;
  }
  const char c = text_[next_++];
  if (is_name_start(c)) {
    while (next_ < text_.size() && is_name_part(text_[next_])) ++next_;
    token_ = Token::kName;
  } else if (is_digit(c)) {
    while (next_ < text_.size() && is_digit(text_[next_])) ++next_;
    token_ = Token::kInteger;
  } else if (c == '-' && next_ < text_.size() && text_[next_] == '>') {
    ++next_;
    token_ = Token::kArrow;
  } else if (std::string_view("()[]{}+-*/%,:=").find(c) != std::string_view::npos) {
    token_ = Token::kPunctuation;
  } else {
    token_ = Token::kInvalid;
  }
}

bool ExprLexer::at(std::string_view text) const {
  return token_ != Token::kEnd && this->text() == text;
}

bool ExprLexer::consume(std::string_view text) {
  if (!at(text)) return false;
  advance();
  return true;
}

Result<void> ExprLexer::expect(std::string_view text) {
  if (!consume(text)) return expected(fmt::format("'{}'", text));
  return {};
}

std::unexpected<Error> ExprLexer::expected(std::string_view what) const {
  constexpr std::size_t kShown = 40;
  std::string found = token_ == Token::kEnd ? "the end" : fmt::format("'{}'", text());
  if (text().size() > kShown) found = fmt::format("'{}…'", text().substr(0, kShown));
  return fail(ErrorKind::kInvalidInput, fmt::format("expected {}, found {}", what, found), span());
}

Result<std::int64_t> ExprLexer::integer() {
  const TextSpan start = span();
  const bool is_negative = consume("-");
  if (token_ != Token::kInteger) return expected("an integer");
  const std::string digits = fmt::format("{}{}", is_negative ? "-" : "", text());
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc()) {
    return fail(ErrorKind::kInvalidInput, "integer does not fit into 64 bits",
                TextSpan{start.begin, span().end});
  }
  advance();
  return value;
}

// ---- parsing ----

namespace {

class Parser {
 public:
  Parser(ExprLexer& lexer, ExprContext& context, const VariableLookup& variables)
      : lexer_(lexer), context_(context), variables_(variables) {}

  Result<Expr> sum() {
    Expr result = MERCATOR_TRY(product());
    while (lexer_.at("+") || lexer_.at("-")) {
      const bool adds = lexer_.at("+");
      lexer_.advance();
      const Expr term = MERCATOR_TRY(product());
      result = MERCATOR_TRY(limited(adds ? result + term : result - term));
    }
    return result;
  }

 private:
  static constexpr std::uint32_t kMaxDepth = 250;

  enum class Operator : std::uint8_t { kNone, kMultiply, kFloorDiv, kMod, kCeilDiv };

  [[nodiscard]] Operator at_operator() const {
    if (lexer_.at("*")) return Operator::kMultiply;
    if (lexer_.at("floordiv") || lexer_.at("/")) return Operator::kFloorDiv;
    if (lexer_.at("mod") || lexer_.at("%")) return Operator::kMod;
    if (lexer_.at("ceildiv")) return Operator::kCeilDiv;
    return Operator::kNone;
  }

  Result<Expr> product() {
    Expr result = MERCATOR_TRY(factor());
    for (Operator op = at_operator(); op != Operator::kNone; op = at_operator()) {
      const bool divides = op != Operator::kMultiply;
      lexer_.advance();
      const TextSpan span = lexer_.span();
      const Expr operand = MERCATOR_TRY(factor());
      if (divides && operand.is_constant(0)) {
        return fail(ErrorKind::kInvalidInput, "division by zero", span);
      }
      result = MERCATOR_TRY(limited(apply(op, result, operand)));
    }
    return result;
  }

  static Expr apply(Operator op, Expr a, Expr b) {
    switch (op) {
      case Operator::kNone:
        break;
      case Operator::kMultiply:
        return a * b;
      case Operator::kFloorDiv:
        return floor_div(a, b);
      case Operator::kMod:
        return mod(a, b);
      case Operator::kCeilDiv:
        return ceil_div(a, b);
    }
    __builtin_unreachable();
  }

  Result<Expr> factor() {
    if (nesting_ == kMaxDepth) return too_deep();
    ++nesting_;
    Result<Expr> result = unnested_factor();
    --nesting_;
    return result;
  }

  Result<Expr> unnested_factor() {
    switch (lexer_.token()) {
      case ExprLexer::Token::kInteger:
        return context_.constant(MERCATOR_TRY(lexer_.integer()));
      case ExprLexer::Token::kName:
        return name();
      case ExprLexer::Token::kPunctuation:
        if (lexer_.at("-")) return negation();
        if (lexer_.consume("(")) {
          const Expr inner = MERCATOR_TRY(sum());
          MERCATOR_TRY_VOID(lexer_.expect(")"));
          return inner;
        }
        break;
      default:
        break;
    }
    return lexer_.expected("an expression");
  }

  Result<Expr> negation() {
    ExprLexer after = lexer_;
    after.advance();
    // One token with its sign, since -2^63 is an int64 and 2^63 is not.
    if (after.token() == ExprLexer::Token::kInteger) {
      return context_.constant(MERCATOR_TRY(lexer_.integer()));
    }
    lexer_.advance();
    return limited(-MERCATOR_TRY(factor()));
  }

  Result<Expr> name() {
    const TextSpan span = lexer_.span();
    const std::string_view name = lexer_.text();
    ExprLexer after = lexer_;
    after.advance();
    if ((name == "min" || name == "max") && after.at("(")) return extremum(name == "min");
    const Expr variable = variables_(name);
    if (!variable) {
      return fail(ErrorKind::kInvalidInput, fmt::format("unknown variable '{}'", name), span);
    }
    lexer_.advance();
    return variable;
  }

  Result<Expr> extremum(bool is_min) {
    lexer_.advance();
    lexer_.advance();
    std::vector<Expr> operands;
    do {
      operands.push_back(MERCATOR_TRY(sum()));
    } while (lexer_.consume(","));
    MERCATOR_TRY_VOID(lexer_.expect(")"));
    return limited(is_min ? context_.min(operands) : context_.max(operands));
  }

  Result<Expr> limited(Expr expr) const {
    if (expr.depth() > kMaxDepth) return too_deep();
    return expr;
  }

  [[nodiscard]] std::unexpected<Error> too_deep() const {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("the expression is nested deeper than {} levels", kMaxDepth),
                lexer_.span());
  }

  ExprLexer& lexer_;
  ExprContext& context_;
  const VariableLookup& variables_;
  std::uint32_t nesting_ = 0;
};

}  // namespace

Result<Expr> parse_expr(ExprLexer& lexer, ExprContext& context, const VariableLookup& variables) {
  return Parser(lexer, context, variables).sum();
}

}  // namespace mercator
