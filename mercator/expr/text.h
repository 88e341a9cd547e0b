// Expressions as text: the grammar that MLIR's affine expressions and XLA's maps have.
//
//   sum      := ['-'] product (('+' | '-') product)*
//   product  := factor (('*' | 'floordiv' | '/' | 'mod' | '%' | 'ceildiv') factor)*     left to
//   right factor   := integer | name | '(' sum ')' | ('min' | 'max') '(' sum (',' sum)* ')' | '-'
//   factor
//
// `/` is floordiv and `%` is mod. Text nested deeper than 250 levels is an error.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "mercator/expr/expr.h"
#include "mercator/support/error.h"

namespace mercator {

// What a variable is called; the default names are d0, s0, rt0.
using VariableNames = std::function<std::string(VariableId)>;
[[nodiscard]] std::string default_variable_name(VariableId id);

// Deterministic. Reads back to the same expression (given the same names).
[[nodiscard]] std::string to_string(Expr expr, const VariableNames& names = default_variable_name);

// Splits text into the tokens of expressions and maps. Positions are bytes of the whole text.
class ExprLexer {
 public:
  enum class Token : std::uint8_t { kEnd, kInteger, kName, kPunctuation, kArrow, kInvalid };

  explicit ExprLexer(std::string_view text, std::size_t offset = 0) : text_(text), next_(offset) {
    advance();
  }

  [[nodiscard]] Token token() const { return token_; }
  // The text of the current token.
  [[nodiscard]] std::string_view text() const { return text_.substr(begin_, next_ - begin_); }
  [[nodiscard]] TextSpan span() const {
    return {static_cast<std::uint32_t>(begin_), static_cast<std::uint32_t>(next_)};
  }
  void advance();
  // Whether the current token is this punctuation character or name.
  [[nodiscard]] bool at(std::string_view text) const;
  // Advances past the token if it is `text`.
  bool consume(std::string_view text);
  [[nodiscard]] Result<void> expect(std::string_view text);
  // An integer with an optional minus sign.
  [[nodiscard]] Result<std::int64_t> integer();
  // "expected WHAT, found …" at the current token.
  [[nodiscard]] std::unexpected<Error> expected(std::string_view what) const;

 private:
  std::string_view text_;
  std::size_t begin_ = 0;
  std::size_t next_ = 0;
  Token token_ = Token::kEnd;
};

// The variable that a name stands for; a null Expr if there is none.
using VariableLookup = std::function<Expr(std::string_view name)>;

// Reads the longest expression that starts at the current token.
[[nodiscard]] Result<Expr> parse_expr(ExprLexer& lexer, ExprContext& context,
                                      const VariableLookup& variables);

}  // namespace mercator
