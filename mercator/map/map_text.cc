// The text of maps: printing and reading.

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mercator/expr/text.h"
#include "mercator/map/index_map.h"

namespace mercator {

// ---- printing ----

namespace {

constexpr std::string_view kKnownEmpty = "KNOWN EMPTY";

std::string names_text(const IndexMap& map, VariableKind kind, std::size_t count) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += map.name({kind, i});
  }
  return text;
}

}  // namespace

std::string to_string(const IndexMap& map, MapStyle style) {
  if (map.is_known_empty()) return std::string(kKnownEmpty);
  const VariableNames names = [&map](VariableId id) { return map.name(id); };

  std::string text =
      fmt::format("({})", names_text(map, VariableKind::kDimension, map.dimensions().size()));
  if (!map.ranges().empty()) {
    text += fmt::format("[{}]", names_text(map, VariableKind::kRange, map.ranges().size()));
  }
  if (!map.runtimes().empty()) {
    text += fmt::format("{{{}}}", names_text(map, VariableKind::kRuntime, map.runtimes().size()));
  }
  text += " -> (";
  for (std::size_t i = 0; i < map.results().size(); ++i) {
    if (i > 0) text += ", ";
    text += to_string(map.results()[i], names);
  }
  text += ')';

  const std::string_view separator = style == MapStyle::kLines ? ",\n" : ", ";
  std::string domain;
  const auto add = [&](std::string_view what, Interval range) {
    if (!domain.empty()) domain += separator;
    fmt::format_to(std::back_inserter(domain), "{} in {}", what, to_string(range));
  };
  const auto add_bounds = [&](VariableKind kind, const auto& variables) {
    for (std::uint32_t i = 0; i < variables.size(); ++i) {
      add(map.name({kind, i}), variables[i].bounds);
    }
  };
  add_bounds(VariableKind::kDimension, map.dimensions());
  add_bounds(VariableKind::kRange, map.ranges());
  add_bounds(VariableKind::kRuntime, map.runtimes());
  for (const Constraint& constraint : map.constraints()) {
    add(to_string(constraint.expr, names), constraint.range);
  }
  if (domain.empty()) return text;
  text += style == MapStyle::kLines ? ",\ndomain:\n" : ", domain: ";
  return text + domain;
}

// ---- reading ----

namespace {

bool says_known_empty(ExprLexer lexer) { return lexer.consume("KNOWN") && lexer.at("EMPTY"); }

class MapParser {
 public:
  MapParser(std::string_view text, ExprContext& context)
      : text_(text), context_(context), lexer_(text) {}

  Result<IndexMap> parse() {
    if (text_.size() > std::numeric_limits<std::uint32_t>::max()) {
      return fail(ErrorKind::kInvalidInput, "the text of a map is longer than 4 GiB");
    }
    if (says_known_empty(lexer_)) return parse_known_empty();
    return is_bare_expression(text_) ? parse_bare_expression() : parse_map();
  }

 private:
  struct Known {
    VariableId id;
    bool has_bounds = false;
  };

  Result<IndexMap> parse_known_empty() {
    lexer_.advance();
    lexer_.advance();
    if (lexer_.token() != ExprLexer::Token::kEnd) return lexer_.expected("the end");
    return IndexMap::empty(context_, 0, 0);
  }

  Result<IndexMap> parse_map() {
    MERCATOR_TRY_VOID(parse_names("(", ")", VariableKind::kDimension));
    if (lexer_.at("[")) MERCATOR_TRY_VOID(parse_names("[", "]", VariableKind::kRange));
    if (lexer_.at("{")) MERCATOR_TRY_VOID(parse_names("{", "}", VariableKind::kRuntime));
    if (lexer_.token() != ExprLexer::Token::kArrow) return lexer_.expected("'->'");
    lexer_.advance();

    MERCATOR_TRY_VOID(lexer_.expect("("));
    if (!lexer_.consume(")")) {
      do {
        results_.push_back(MERCATOR_TRY(parse_expression()));
      } while (lexer_.consume(","));
      if (!lexer_.consume(")")) return lexer_.expected("an operator, ',' or ')'");
    }
    MERCATOR_TRY_VOID(parse_domain());
    return take();
  }

  // The domain comes last, but it says which names are variables.
  Result<IndexMap> parse_bare_expression() {
    MERCATOR_TRY_VOID(declare_bounded_names());
    results_.push_back(MERCATOR_TRY(parse_expression()));
    MERCATOR_TRY_VOID(parse_domain());
    return take();
  }

  Result<void> declare_bounded_names() {
    ExprLexer ahead = lexer_;
    while (ahead.token() != ExprLexer::Token::kEnd && !ahead.at("domain")) ahead.advance();
    bool starts_entry = false;
    int brackets = 0;
    for (; ahead.token() != ExprLexer::Token::kEnd; ahead.advance()) {
      if (starts_entry && ahead.token() == ExprLexer::Token::kName) {
        ExprLexer after = ahead;
        after.advance();
        if (after.at("in") && !known_.contains(ahead.text())) {
          MERCATOR_TRY_VOID(declare(ahead, VariableKind::kDimension));
        }
      }
      if (ahead.at("[") || ahead.at("(")) ++brackets;
      if (ahead.at("]") || ahead.at(")")) --brackets;
      // Entries follow `domain:`, each other, or a comma between them.
      starts_entry = ahead.at(":") || ahead.at("]") || (ahead.at(",") && brackets == 0);
    }
    return {};
  }

  Result<void> parse_names(std::string_view open, std::string_view close, VariableKind kind) {
    MERCATOR_TRY_VOID(lexer_.expect(open));
    if (lexer_.consume(close)) return {};
    do {
      MERCATOR_TRY_VOID(declare(lexer_, kind));
      lexer_.advance();
    } while (lexer_.consume(","));
    if (!lexer_.consume(close)) return lexer_.expected(fmt::format("',' or '{}'", close));
    return {};
  }

  // The variable whose name `lexer` is at.
  Result<void> declare(const ExprLexer& lexer, VariableKind kind) {
    const std::string_view name = lexer.text();
    if (!is_variable_name(name)) return lexer.expected("the name of a variable");
    VariableId id = {.kind = kind, .index = 0};
    switch (kind) {
      case VariableKind::kDimension:
        id.index = static_cast<std::uint32_t>(dimensions_.size());
        dimensions_.push_back({.bounds = Interval::all(), .name = std::string(name)});
        break;
      case VariableKind::kRange:
        id.index = static_cast<std::uint32_t>(ranges_.size());
        ranges_.push_back({.bounds = Interval::all(), .name = std::string(name)});
        break;
      case VariableKind::kRuntime:
        id.index = static_cast<std::uint32_t>(runtimes_.size());
        runtimes_.push_back({.bounds = Interval::all(), .name = std::string(name)});
        break;
    }
    if (!known_.try_emplace(name, Known{.id = id}).second) {
      return fail(ErrorKind::kInvalidInput, fmt::format("two variables are called '{}'", name),
                  lexer.span());
    }
    return {};
  }

  Result<Expr> parse_expression() {
    std::string_view unknown;
    Result<Expr> expr = parse_expr(lexer_, context_, [&](std::string_view name) {
      const auto known = known_.find(name);
      if (known != known_.end()) return context_.variable(known->second.id);
      unknown = name;
      return Expr();
    });
    if (!expr && !unknown.empty() && is_bare_expression(text_)) {
      expr.error().hint = fmt::format("add its bounds to the domain: '{} in [0, 9]'", unknown);
    }
    return expr;
  }

  // Commas are optional where a line break may stand for them.
  Result<void> parse_domain() {
    const bool has_comma = lexer_.consume(",");
    if (!lexer_.at("domain")) {
      if (has_comma) return lexer_.expected("'domain'");
      return lexer_.token() == ExprLexer::Token::kEnd ? Result<void>()
                                                      : lexer_.expected("', domain:' or the end");
    }
    lexer_.advance();
    MERCATOR_TRY_VOID(lexer_.expect(":"));
    while (lexer_.token() != ExprLexer::Token::kEnd) {
      MERCATOR_TRY_VOID(parse_entry());
      lexer_.consume(",");
    }
    return {};
  }

  Result<void> parse_entry() {
    if (Known* known = at_unbounded_variable()) {
      lexer_.advance();
      MERCATOR_TRY_VOID(lexer_.expect("in"));
      bounds_of(known->id) = MERCATOR_TRY(parse_interval());
      known->has_bounds = true;
      return {};
    }
    const Expr expr = MERCATOR_TRY(parse_expression());
    if (!lexer_.consume("in")) return lexer_.expected("an operator or 'in'");
    constraints_.push_back({expr, MERCATOR_TRY(parse_interval())});
    return {};
  }

  // The variable whose bounds begin here; null if it is not known, has bounds already, or if this
  // is the start of a longer expression.
  Known* at_unbounded_variable() {
    const auto known = known_.find(lexer_.text());
    if (known == known_.end() || known->second.has_bounds) return nullptr;
    ExprLexer after = lexer_;
    after.advance();
    return after.at("in") ? &known->second : nullptr;
  }

  Interval& bounds_of(VariableId id) {
    switch (id.kind) {
      case VariableKind::kDimension:
        return dimensions_[id.index].bounds;
      case VariableKind::kRange:
        return ranges_[id.index].bounds;
      case VariableKind::kRuntime:
        return runtimes_[id.index].bounds;
    }
    __builtin_unreachable();
  }

  Result<Interval> parse_interval() {
    MERCATOR_TRY_VOID(lexer_.expect("["));
    const std::int64_t lo = MERCATOR_TRY(lexer_.integer());
    MERCATOR_TRY_VOID(lexer_.expect(","));
    const std::int64_t hi = MERCATOR_TRY(lexer_.integer());
    MERCATOR_TRY_VOID(lexer_.expect("]"));
    return Interval{.lo = lo, .hi = hi};
  }

  IndexMap take() {
    return IndexMap(context_, std::move(dimensions_), std::move(ranges_), std::move(runtimes_),
                    std::move(results_), std::move(constraints_));
  }

  std::string_view text_;
  ExprContext& context_;
  ExprLexer lexer_;
  std::unordered_map<std::string_view, Known> known_;
  std::vector<Variable> dimensions_;
  std::vector<Variable> ranges_;
  std::vector<RuntimeVariable> runtimes_;
  std::vector<Expr> results_;
  std::vector<Constraint> constraints_;
};

}  // namespace

bool is_bare_expression(std::string_view text) {
  return text.find("->") == std::string_view::npos && !says_known_empty(ExprLexer(text));
}

Result<IndexMap> parse_index_map(std::string_view text, ExprContext& context) {
  return MapParser(text, context).parse();
}

}  // namespace mercator
