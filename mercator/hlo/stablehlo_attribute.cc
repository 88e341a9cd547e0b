#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mercator/hlo/shape_reader.h"
#include "mercator/hlo/stablehlo_parser.h"

namespace mercator::hlo::stablehlo {

bool Parser::read_attribute(Attribute* out, int depth) {
  scanner_.skip_space();
  if (depth > kMaxNesting) return scanner_.expected("an attribute that is nested less deeply");
  if (!read_one(out, depth)) return false;
  return depth == 0 || !scanner_.accept(':') || skip_type();
}

bool Parser::read_one(Attribute* out, int depth) {
  const char* start = scanner_.position();
  const char next = scanner_.peek();
  if (next == '[') return read_lists(out, depth);
  if (next == '<') return read_angle(out, depth);
  if (next == '"') {
    out->kind = Attribute::Kind::kString;
    return scanner_.quoted(&out->text);
  }
  if (next == '@') {
    scanner_.consume('@');
    out->kind = Attribute::Kind::kSymbol;
    if (scanner_.peek() == '"') return scanner_.quoted(&out->text);
    out->text = scanner_.identifier();
    return !out->text.empty() || scanner_.expected("a symbol");
  }
  if (next == '{') {
    scanner_.consume('{');
    std::vector<NamedAttribute> fields;
    if (!read_fields('}', fields, depth + 1)) return false;
    out->kind = Attribute::Kind::kFields;
    out->fields = keep(fields);
  } else if (next == '#') {
    scanner_.consume('#');
    scanner_.identifier();
    if (scanner_.peek() == '<') return read_angle(out, depth);
  } else if (next == '(' || next == '!') {
    if (!skip_type()) return false;
  } else if (next == '-' || Scanner::is_digit(next)) {
    return read_number(out);
  } else {
    return read_word_attribute(out);
  }
  out->text = scanner_.since(start);
  return true;
}

// [1, 2], and lists that belong together: [1] x [0], [b, f]x[i, o]->[b, f].
bool Parser::read_lists(Attribute* out, int depth) {
  const char* start = scanner_.position();
  std::vector<Attribute> lists;
  do {
    scanner_.skip_space();
    if (!read_list(&lists.emplace_back(), depth)) return false;
    const char* end = scanner_.position();
    const bool more = accept_word("x") || accept_arrow();
    scanner_.skip_space();
    if (more && scanner_.peek() == '[') continue;
    scanner_.set_position(end);
    break;
  } while (true);
  *out = lists.front();
  if (lists.size() == 1) return true;
  out->list = keep(lists);
  out->text = scanner_.since(start);
  return true;
}

bool Parser::read_list(Attribute* out, int depth) {
  const char* start = scanner_.position();
  scanner_.consume('[');
  std::vector<Attribute> list;
  if (!scanner_.accept(']')) {
    do {
      if (!read_attribute(&list.emplace_back(), depth + 1)) return false;
    } while (scanner_.accept(','));
    if (!scanner_.expect(']', "or ',' in the list")) return false;
  }
  out->kind = Attribute::Kind::kList;
  out->list = keep(list);
  out->text = scanner_.since(start);
  return true;
}

// 3, -1, 0x7F, 1.0e-5. Only whole numbers get a value.
bool Parser::read_number(Attribute* out) {
  const char* start = scanner_.position();
  const char* p = start + 1;
  while (Scanner::is_word(*p) || (*p == '+' && (p[-1] == 'e' || p[-1] == 'E'))) ++p;
  const std::string_view text(start, static_cast<std::size_t>(p - start));
  out->text = text;
  const auto digits = text.substr(text.front() == '-' ? 1 : 0);
  if (!digits.empty() && std::ranges::all_of(digits, Scanner::is_digit)) {
    out->kind = Attribute::Kind::kInteger;
    return scanner_.integer(&out->integer);
  }
  scanner_.set_position(p);
  return true;
}

bool Parser::read_word_attribute(Attribute* out) {
  const char* start = scanner_.position();
  const std::string_view word = scanner_.identifier();
  if (word.empty()) return scanner_.expected("an attribute");
  out->text = word;
  if (word == "true" || word == "false") {
    out->kind = Attribute::Kind::kInteger;
    out->integer = word == "true" ? 1 : 0;
    return true;
  }
  if (word == "loc" && scanner_.peek() == '(') return skip_brackets();
  if (scanner_.peek() != '<') return true;
  const char* open = scanner_.position();
  if (!skip_brackets()) return false;
  const std::string_view inside(open + 1, static_cast<std::size_t>(scanner_.position() - open - 2));
  if (word == "dense") {
    out->kind = Attribute::Kind::kDense;
    out->text = inside;
  } else if (word == "array") {
    // array<i64: 1, 2>
    const std::size_t colon = inside.find(':');
    out->kind = Attribute::Kind::kList;
    out->text =
        colon == std::string_view::npos ? inside.substr(inside.size()) : inside.substr(colon + 1);
  } else {
    out->text = scanner_.since(start);
  }
  return true;
}

// name = value, name, …: up to the bracket that closes, which is taken too.
bool Parser::read_fields(char close, std::vector<NamedAttribute>& fields, int depth) {
  if (depth > kMaxNesting) return scanner_.expected("attributes that are nested less deeply");
  if (scanner_.accept(close)) return true;
  do {
    scanner_.skip_space();
    NamedAttribute& field = fields.emplace_back();
    if (scanner_.peek() == '"') {
      if (!scanner_.quoted(&field.name)) return false;
    } else {
      field.name = scanner_.identifier();
    }
    if (field.name.empty()) return scanner_.expected("the name of an attribute");
    if (scanner_.accept('=')) {
      if (!read_attribute(&field.value, depth + 1)) return false;
    } else {
      field.value.kind = Attribute::Kind::kInteger;  // its being there is what it says
      field.value.integer = 1;
    }
  } while (scanner_.accept(','));
  return scanner_.expect(close, "or ',' after an attribute");
}

// <a = 1, b = [0]>, <[b, f]x[i, o]->[b, f]>, or anything between angle brackets, as text.
bool Parser::read_angle(Attribute* out, int depth) {
  const char* start = scanner_.position();
  scanner_.consume('<');
  scanner_.skip_space();
  if (scanner_.peek() == '[') {
    const char* list = scanner_.position();
    if (depth < kMaxNesting && read_lists(out, depth + 1) && scanner_.accept('>')) return true;
    if (scanner_.failed()) return false;
    scanner_.set_position(list);
  } else if (!scanner_.identifier().empty() && scanner_.accept('=')) {
    scanner_.set_position(start + 1);
    std::vector<NamedAttribute> fields;
    if (!read_fields('>', fields, depth + 1)) return false;
    out->kind = Attribute::Kind::kFields;
    out->fields = keep(fields);
    return true;
  }
  scanner_.set_position(start);
  if (!skip_brackets()) return false;
  out->kind = Attribute::Kind::kText;
  out->text = {start + 1, static_cast<std::size_t>(scanner_.position() - start - 2)};
  return true;
}

bool Parser::skip_brackets() {
  const char* start = scanner_.position();
  std::vector<char> closing;
  do {
    const char c = scanner_.peek();
    if (c == '"') {
      std::string_view ignored;
      if (!scanner_.quoted(&ignored)) return false;
      continue;
    }
    if (c == '\0' && scanner_.at_end()) {
      return scanner_.fail(fmt::format("'{}' is never closed", *start),
                           scanner_.span(start, start + 1));
    }
    constexpr std::string_view kOpen = "([{<";
    constexpr std::string_view kClose = ")]}>";
    if (const std::size_t open = kOpen.find(c); open != std::string_view::npos) {
      closing.push_back(kClose[open]);
    } else if (kClose.find(c) != std::string_view::npos &&
               !(c == '>' && scanner_.position()[-1] == '-')) {
      if (c != closing.back()) return scanner_.expected(fmt::format("'{}'", closing.back()));
      closing.pop_back();
    }
    scanner_.set_position(scanner_.position() + 1);
  } while (!closing.empty());
  return true;
}

// i64, tensor<2xf32>, !stablehlo.token, (f32) -> f32
bool Parser::skip_type() {
  do {
    scanner_.skip_space();
    if (scanner_.peek() == '(') {
      if (!skip_brackets()) return false;
    } else {
      scanner_.consume('!');
      if (scanner_.identifier().empty()) return scanner_.expected("a type");
      if (scanner_.peek() == '<' && !skip_brackets()) return false;
    }
  } while (accept_arrow());
  return true;
}

// ---- types ----

bool Parser::read_type(Shape* out, int depth) {
  *out = Shape{};
  scanner_.skip_space();
  const char* start = scanner_.position();
  if (depth > kMaxNesting) return scanner_.expected("a type that is nested less deeply");
  const bool dialect = scanner_.consume('!');
  const std::string_view word = scanner_.identifier();
  if (word.empty()) return scanner_.expected("a type");
  if (dialect && (word == "stablehlo.token" || word == "mhlo.token")) {
    out->kind = ShapeKind::kToken;
    return true;
  }
  if (word == "tensor" && scanner_.consume('<')) return read_tensor(out);
  if (word == "tuple" && scanner_.consume('<')) {
    std::vector<Shape> elements;
    if (!scanner_.accept('>')) {
      do {
        if (!read_type(&elements.emplace_back(), depth + 1)) return false;
      } while (scanner_.accept(','));
      if (!scanner_.expect('>', "after the types of the tuple")) return false;
    }
    out->kind = ShapeKind::kTuple;
    out->elements = keep(elements);
    return true;
  }
  return scanner_.fail(fmt::format("the type '{}' is not supported", scanner_.since(start)),
                       scanner_.span(start, scanner_.position()), {}, ErrorKind::kUnsupported);
}

// 2x3xf32>, what follows `tensor<`
bool Parser::read_tensor(Shape* out) {
  std::vector<std::int64_t> sizes;
  while (Scanner::is_digit(scanner_.peek())) {
    if (!scanner_.unsigned_integer(&sizes.emplace_back())) return false;
    if (!scanner_.consume('x')) return scanner_.expected("'x' after the size of a dimension");
  }
  const char* start = scanner_.position();
  if (*start == '?' || *start == '*') {
    return scanner_.fail("dimensions whose size is not known are not supported",
                         scanner_.span(start, start + 1), {}, ErrorKind::kUnsupported);
  }
  if (!read_element_type(&out->element_type)) return false;
  out->dimensions = keep(sizes);
  if (scanner_.accept(',')) {  // an encoding
    Attribute ignored;
    if (!read_attribute(&ignored, 0)) return false;
  }
  return scanner_.expect('>', "at the end of the type");
}

bool Parser::read_element_type(ElementType* out) {
  const char* start = scanner_.position();
  std::string word(scanner_.identifier());
  const std::string_view written = scanner_.since(start);
  if (word == "complex" && scanner_.consume('<')) {
    const std::string_view part = scanner_.identifier();
    if (!scanner_.expect('>', "after the type of the parts")) return false;
    word = part == "f32" ? "c64" : part == "f64" ? "c128" : "complex";
  } else if (word == "i1") {
    word = "pred";
  } else if (word.starts_with('i')) {
    word.front() = 's';  // integers without a sign of their own are signed in HLO
  } else if (word.starts_with("ui")) {
    word.erase(1, 1);
  } else {
    // f8E4M3FN, in HLO in lower case
    std::ranges::transform(word, word.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
  }
  if (const std::optional<ElementType> type = element_type(word)) {
    *out = *type;
    return true;
  }
  return scanner_.fail(fmt::format("the element type '{}' is not supported", written),
                       scanner_.span(written), {}, ErrorKind::kUnsupported);
}

}  // namespace mercator::hlo::stablehlo
