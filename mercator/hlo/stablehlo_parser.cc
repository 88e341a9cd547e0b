#include "mercator/hlo/stablehlo_parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "mercator/hlo/shape_reader.h"
#include "mercator/support/suggestion.h"

namespace mercator::hlo::stablehlo {
namespace {

const Attribute* find(std::span<const NamedAttribute> attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &NamedAttribute::name);
  return found == attributes.end() ? nullptr : &found->value;
}

}  // namespace

bool Parser::read(Program* out) {
  // Names for attributes and places, and a function without a module around it.
  while (true) {
    scanner_.skip_space();
    if (scanner_.peek() != '#') break;
    if (!skip_line()) return false;
  }
  if (scanner_.peek() == '"') return read_generic_module(out);
  const bool module = accept_word("module") || accept_word("builtin.module");
  std::vector<Function> functions;
  if (module ? !read_module(out) : !read_functions(functions, '\0')) return false;
  if (!module) out->functions = keep(functions);
  while (true) {
    scanner_.skip_space();
    if (scanner_.at_end()) return true;
    if (scanner_.peek() != '#') return scanner_.expected("the end of the text");
    if (!skip_line()) return false;
  }
}

// [@name] [attributes {…}] { functions }
bool Parser::read_module(Program* out) {
  scanner_.skip_space();
  if (scanner_.peek() == '@') {
    Attribute name;
    if (!read_attribute(&name, 0)) return false;
    out->name = name.text;
  }
  if (accept_word("attributes")) {
    std::vector<NamedAttribute> attributes;
    if (!scanner_.expect('{', "before the attributes") || !read_fields('}', attributes, 1)) {
      return false;
    }
    note_attributes(attributes, out);
  }
  if (!scanner_.expect('{', "before the functions of the module")) return false;
  std::vector<Function> functions;
  if (!read_functions(functions, '}')) return false;
  out->functions = keep(functions);
  return skip_locations();
}

// "builtin.module"() <{sym_name = "m"}> ({ "func.func"() … }) {…} : () -> ()
bool Parser::read_generic_module(Program* out) {
  auto* top = arena_.make<Region>();
  std::vector<Op*> ops;
  const char* start = scanner_.position();
  if (!read_op(top, ops, 0)) return false;
  if (ops.back()->name != "builtin.module" || ops.back()->regions.size() != 1) {
    return scanner_.fail("expected a module", scanner_.span(start, scanner_.position()));
  }
  note_attributes(ops.back()->attributes, out);
  std::vector<Function> functions;
  for (const Op* op : ops.back()->regions[0]->ops) {
    if (op->name != "func" || op->regions.size() != 1) continue;
    const Attribute* name = find(op->attributes, "sym_name");
    op->regions[0]->parent = nullptr;
    if (!op->regions[0]->ops.empty()) {
      functions.push_back(
          {name != nullptr ? name->text : std::string_view(), op->regions[0], op->span});
    }
  }
  out->functions = keep(functions);
  return true;
}

void Parser::note_attributes(std::span<const NamedAttribute> attributes, Program* out) {
  const auto read_count = [&](std::string_view name, std::int64_t* count) {
    const Attribute* attribute = find(attributes, name);
    if (attribute != nullptr && attribute->integer > 0) *count = attribute->integer;
  };
  read_count("mhlo.num_replicas", &out->replica_count);
  read_count("mhlo.num_partitions", &out->partition_count);
  if (const Attribute* name = find(attributes, "sym_name")) out->name = name->text;
}

// Functions, and what else may stand beside them, up to `close` (NUL: the end of the text).
bool Parser::read_functions(std::vector<Function>& functions, char close) {
  while (true) {
    scanner_.skip_space();
    if (close != '\0' && scanner_.consume(close)) return true;
    if (scanner_.at_end()) return close == '\0' || scanner_.expected("'}' to close the module");
    if (accept_word("func.func") || accept_word("func")) {
      if (!read_function(functions)) return false;
    } else if (scanner_.peek() == '#' || accept_word("sdy.mesh")) {
      if (!skip_line()) return false;
    } else {
      return scanner_.expected("a function");
    }
  }
}

// To the end of a line whose brackets are closed.
bool Parser::skip_line() {
  while (!scanner_.at_end() && scanner_.peek() != '\n') {
    const char c = scanner_.peek();
    if (c == '"') {
      std::string_view ignored;
      if (!scanner_.quoted(&ignored)) return false;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (!skip_brackets()) return false;
    } else {
      scanner_.set_position(scanner_.position() + 1);
    }
  }
  return true;
}

// [public] @name(%a: type {…}, …) [-> (type {…}, …)] [attributes {…}] [{ … }]
bool Parser::read_function(std::vector<Function>& functions) {
  if (!accept_word("public") && !accept_word("private")) accept_word("nested");
  scanner_.skip_space();
  const char* start = scanner_.position();
  if (scanner_.peek() != '@') return scanner_.expected("the name of the function");
  Attribute name;
  if (!read_attribute(&name, 0)) return false;
  Function function{.name = name.text,
                    .body = arena_.make<Region>(),
                    .span = scanner_.span(start, scanner_.position())};
  values_.clear();
  hidden_.clear();
  scanner_.skip_space();
  if (scanner_.peek() != '(') return scanner_.expected("'(' after the name of the function");
  std::vector<Value*> arguments;
  const char* before_arguments = scanner_.position();
  scanner_.consume('(');
  scanner_.skip_space();
  const bool declaration = scanner_.peek() != '%' && scanner_.peek() != ')';
  scanner_.set_position(before_arguments);
  if (declaration ? !skip_brackets() : !read_arguments(arguments, function.body)) return false;
  if (accept_arrow() && !read_function_results()) return false;
  if (accept_word("attributes")) {
    std::vector<NamedAttribute> ignored;
    if (!scanner_.expect('{', "before the attributes") || !read_fields('}', ignored, 1)) {
      return false;
    }
  }
  scanner_.skip_space();
  if (!scanner_.consume('{')) return skip_locations();  // without a body
  if (!read_region(function.body, arguments, 0)) return false;
  functions.push_back(function);
  return skip_locations();
}

// type, or (type {…}, …). The return says them again.
bool Parser::read_function_results() {
  scanner_.skip_space();
  return scanner_.peek() == '(' ? skip_brackets() : skip_type();
}

// (%a: type {…} loc(…), …)
bool Parser::read_arguments(std::vector<Value*>& arguments, const Region* region) {
  if (!scanner_.expect('(', "before the arguments")) return false;
  if (scanner_.accept(')')) return true;
  do {
    scanner_.skip_space();
    std::string_view name;
    if (!value_name(&name) || !scanner_.expect(':', "after the name of an argument")) return false;
    Shape type;
    if (!read_type(&type)) return false;
    if (scanner_.accept('{')) {
      std::vector<NamedAttribute> ignored;
      if (!read_fields('}', ignored, 1)) return false;
    }
    if (!skip_locations()) return false;
    arguments.push_back(make_value(name, type, region));
  } while (scanner_.accept(','));
  return scanner_.expect(')', "or ',' after an argument");
}

// What follows the '{', with the '}'. A label may name more arguments.
bool Parser::read_region(Region* region, std::vector<Value*>& arguments, int depth) {
  if (depth > kMaxNesting) return scanner_.expected("regions that are nested less deeply");
  const std::size_t hidden = hidden_.size();
  scanner_.skip_space();
  if (scanner_.consume('^')) {
    if (scanner_.identifier().empty()) return scanner_.expected("the name of a block");
    scanner_.skip_space();
    if (scanner_.peek() == '(' && !read_arguments(arguments, region)) return false;
    if (!scanner_.expect(':', "after the arguments of the block")) return false;
  }
  region->arguments = keep_pointers(arguments);
  for (Value* argument : arguments) define(argument->name, {argument});
  std::vector<Op*> ops;
  while (!scanner_.accept('}')) {
    if (scanner_.peek() == '^') {
      return scanner_.fail("a region with several blocks is not supported",
                           scanner_.span(scanner_.position(), scanner_.position() + 1), {},
                           ErrorKind::kUnsupported);
    }
    if (!read_op(region, ops, depth)) return false;
  }
  region->ops = keep_pointers(ops);
  restore(hidden);
  return true;
}

// [%results =] name parts [: types] [regions]
bool Parser::read_op(Region* region, std::vector<Op*>& ops, int depth) {
  std::vector<ResultName> names;
  if (!read_result_names(names)) return false;
  auto* op = arena_.make<Op>();
  if (!read_op_name(op)) return false;
  Parts parts;
  if (!read_parts(region, parts, depth)) return false;
  std::size_t count = 0;
  for (const ResultName& name : names) count += name.count;
  std::vector<Shape> types;
  std::vector<Shape> operand_types;
  if (scanner_.accept(':') && !read_signature(count, types, operand_types)) return false;
  if (!parts.loop_names.empty() && !read_loop_regions(region, types, parts, depth)) return false;
  if (accept_word("reducer") && !read_reducer(region, parts, depth)) return false;
  if (!skip_locations()) return false;
  parts.operands.insert(parts.operands.end(), parts.inits.begin(), parts.inits.end());
  op->operands = keep_pointers(parts.operands);
  op->attributes = keep(parts.attributes);
  op->words = keep(parts.words);
  op->regions = keep_pointers(parts.regions);
  ops.push_back(op);
  return make_results(op, region, names, types);
}

// %a, %b:2 =
bool Parser::read_result_names(std::vector<ResultName>& names) {
  scanner_.skip_space();
  if (scanner_.peek() != '%') return true;
  do {
    scanner_.skip_space();
    ResultName& name = names.emplace_back();
    if (!value_name(&name.name)) return false;
    if (!scanner_.consume(':')) continue;
    std::int64_t count = 0;
    const char* start = scanner_.position();
    if (!scanner_.unsigned_integer(&count)) return false;
    constexpr std::int64_t kMostResults = 1 << 20;
    if (count < 1 || count > kMostResults) {
      return scanner_.fail("the number of results is out of range",
                           scanner_.span(start, scanner_.position()));
    }
    name.count = static_cast<std::size_t>(count);
  } while (scanner_.accept(','));
  return scanner_.expect('=', "after the results");
}

bool Parser::read_op_name(Op* op) {
  scanner_.skip_space();
  const char* start = scanner_.position();
  if (scanner_.peek() == '"') {
    if (!scanner_.quoted(&op->name)) return false;
  } else {
    op->name = scanner_.identifier();
  }
  if (op->name.empty()) return scanner_.expected("an operation");
  op->span = scanner_.span(start, scanner_.position());
  const std::string_view dialect = op->name.substr(0, op->name.find('.'));
  constexpr std::string_view kDialects[] = {"stablehlo", "chlo", "func",  "builtin",
                                            "sdy",       "call", "return"};
  if (std::ranges::find(kDialects, dialect) == std::end(kDialects)) {
    return scanner_.fail(fmt::format("the operation '{}' is not supported", op->name), op->span, {},
                         ErrorKind::kUnsupported);
  }
  constexpr std::string_view kFunc = "func.";
  if (op->name.starts_with(kFunc)) op->name.remove_prefix(kFunc.size());
  return true;
}

bool Parser::read_parts(Region* region, Parts& parts, int depth) {
  while (true) {
    scanner_.skip_space();
    const char next = scanner_.peek();
    if (next == ':' || next == '}' || scanner_.at_end()) return true;
    if (!read_part(region, parts, depth)) return false;
  }
}

bool Parser::read_part(Region* region, Parts& parts, int depth) {
  switch (scanner_.peek()) {
    case ',':
      scanner_.consume(',');
      return true;
    case '%':
      parts.operands.emplace_back();
      return read_operand(&parts.operands.back());
    case '(':
      return at_arguments() ? read_body(region, parts, depth) : read_group(region, parts, depth);
    case '{':
      scanner_.consume('{');
      return read_fields('}', parts.attributes, 1);
    case '<': {
      if (scanner_.position()[1] != '{') {
        return read_attribute(&parts.words.emplace_back(), 0);
      }
      scanner_.set_position(scanner_.position() + 2);
      return read_fields('}', parts.attributes, 1) && scanner_.expect('>', "after '}'");
    }
    case '[': {
      // The ranges of a slice, the index of an element of a tuple.
      const char* start = scanner_.position();
      if (!skip_brackets()) return false;
      Attribute& word = parts.words.emplace_back();
      word.text = scanner_.since(start);
      return true;
    }
    default:
      return read_word(parts);
  }
}

// Whether the '(' that is next begins the arguments of a region: (%a: type
bool Parser::at_arguments() {
  const char* start = scanner_.position();
  scanner_.consume('(');
  scanner_.skip_space();
  bool found = false;
  if (scanner_.consume('%')) {
    while (Scanner::is_word(scanner_.peek()) || scanner_.peek() == '$') {
      scanner_.set_position(scanner_.position() + 1);
    }
    found = scanner_.accept(':');
  }
  scanner_.set_position(start);
  return found;
}

// (%a: type, …) { … }
bool Parser::read_body(Region* region, Parts& parts, int depth) {
  auto* inner = arena_.make<Region>();
  inner->parent = region;
  parts.regions.push_back(inner);
  std::vector<Value*> arguments;
  return read_arguments(arguments, inner) && scanner_.expect('{', "before the region") &&
         read_region(inner, arguments, depth + 1);
}

// What stands in parentheses: operands, regions, attributes, the values that a loop starts with.
bool Parser::read_group(Region* region, Parts& parts, int depth) {
  scanner_.consume('(');
  if (scanner_.accept(')')) return true;
  do {
    scanner_.skip_space();
    if (scanner_.consume('{')) {
      auto* inner = arena_.make<Region>();
      inner->parent = region;
      parts.regions.push_back(inner);
      std::vector<Value*> arguments;
      if (!read_region(inner, arguments, depth + 1)) return false;
    } else if (scanner_.peek() == '%') {
      const char* start = scanner_.position();
      std::string_view name;
      if (!value_name(&name)) return false;
      if (scanner_.accept('=')) {
        parts.loop_names.push_back(name);
      } else {
        scanner_.set_position(start);
      }
      parts.operands.emplace_back();
      if (!read_operand(&parts.operands.back())) return false;
      if (!accept_word("init")) continue;
      if (!scanner_.expect(':', "after 'init'")) return false;
      parts.inits.emplace_back();
      if (!read_operand(&parts.inits.back())) return false;
    } else if (!read_word(parts)) {
      return false;
    }
  } while (scanner_.accept(','));
  return scanner_.expect(')', "or ','");
}

// name = value, or a value without a name.
bool Parser::read_word(Parts& parts) {
  if (accept_word("loc")) {
    scanner_.skip_space();
    return scanner_.peek() == '(' ? skip_brackets() : scanner_.expected("'(' after 'loc'");
  }
  const char* start = scanner_.position();
  const std::string_view name = scanner_.identifier();
  if (!name.empty() && scanner_.accept('=')) {
    NamedAttribute& attribute = parts.attributes.emplace_back();
    attribute.name = name;
    return read_attribute(&attribute.value, 0);
  }
  scanner_.set_position(start);
  return read_attribute(&parts.words.emplace_back(), 0);
}

bool Parser::value_name(std::string_view* out) {
  scanner_.skip_space();
  const char* start = scanner_.position();
  if (!scanner_.consume('%')) return scanner_.expected("a value");
  const char* p = scanner_.position();
  while (Scanner::is_word(*p) || *p == '$') ++p;
  *out = {scanner_.position(), static_cast<std::size_t>(p - scanner_.position())};
  scanner_.set_position(p);
  if (!out->empty()) return true;
  scanner_.set_position(start);
  return scanner_.expected("a value");
}

// %name or %name#2
bool Parser::read_operand(Value** out) {
  scanner_.skip_space();
  const char* start = scanner_.position();
  std::string_view name;
  if (!value_name(&name)) return false;
  std::int64_t result = 0;
  if (scanner_.consume('#') && !scanner_.unsigned_integer(&result)) return false;
  const auto found = values_.find(name);
  const TextSpan span = scanner_.span(start, scanner_.position());
  if (found == values_.end() || found->second.empty()) {
    std::vector<std::string_view> names;
    for (const auto& [other, values] : values_) names.push_back(other);
    return scanner_.fail(fmt::format("there is no value '%{}' here", name), span,
                         did_you_mean(nearest_words(name, names)));
  }
  if (result >= std::ssize(found->second)) {
    return scanner_.fail(fmt::format("'%{}' has {} results", name, found->second.size()), span);
  }
  *out = found->second[static_cast<std::size_t>(result)];
  return true;
}

// (types) -> types, types -> types, or types: those of the results as far as they are said.
bool Parser::read_signature(std::size_t count, std::vector<Shape>& results,
                            std::vector<Shape>& operands) {
  if (!read_types(operands)) return false;
  if (accept_arrow()) return read_types(results);
  if (operands.size() == count) {
    results = operands;
  } else if (count == 1 && !operands.empty()) {
    results = {operands.back()};
  }
  return true;
}

// type, type, … or the same in parentheses
bool Parser::read_types(std::vector<Shape>& types) {
  const bool parentheses = scanner_.accept('(');
  if (parentheses && scanner_.accept(')')) return true;
  do {
    if (!read_type(&types.emplace_back())) return false;
  } while (scanner_.accept(','));
  return !parentheses || scanner_.expect(')', "or ',' after a type");
}

// cond { … } do { … }: both have the values of the loop as arguments.
bool Parser::read_loop_regions(Region* region, const std::vector<Shape>& types, Parts& parts,
                               int depth) {
  if (types.size() != parts.loop_names.size()) {
    return scanner_.expected(fmt::format("{} types of the loop", parts.loop_names.size()));
  }
  if (accept_word("attributes")) {
    if (!scanner_.expect('{', "before the attributes")) return false;
    if (!read_fields('}', parts.attributes, 1)) return false;
  }
  for (const std::string_view word : {"cond", "do"}) {
    if (!expect_word(word) || !scanner_.expect('{', "before the region")) return false;
    auto* inner = arena_.make<Region>();
    inner->parent = region;
    parts.regions.push_back(inner);
    std::vector<Value*> arguments;
    for (std::size_t i = 0; i < types.size(); ++i) {
      arguments.push_back(make_value(parts.loop_names[i], types[i], inner));
    }
    if (!read_region(inner, arguments, depth + 1)) return false;
  }
  return true;
}

// (%a: type, %b: type) (%c: type, %d: type) { … }: for each value that is reduced, what is so far
// and what comes. The region has first all of the former, then all of the latter.
bool Parser::read_reducer(Region* region, Parts& parts, int depth) {
  auto* inner = arena_.make<Region>();
  inner->parent = region;
  parts.regions.push_back(inner);
  std::vector<Value*> arguments;
  std::vector<Value*> incoming;
  while (true) {
    scanner_.skip_space();
    if (scanner_.peek() != '(') break;
    std::vector<Value*> pair;
    const char* start = scanner_.position();
    if (!read_arguments(pair, inner)) return false;
    if (pair.size() != 2) {
      return scanner_.fail("expected two arguments", scanner_.span(start, scanner_.position()));
    }
    arguments.push_back(pair[0]);
    incoming.push_back(pair[1]);
  }
  arguments.insert(arguments.end(), incoming.begin(), incoming.end());
  return scanner_.expect('{', "before the region") && read_region(inner, arguments, depth + 1);
}

bool Parser::make_results(Op* op, const Region* region, const std::vector<ResultName>& names,
                          const std::vector<Shape>& types) {
  std::vector<Value*> results;
  for (const Shape& type : types) {
    Value* value = make_value({}, type, region);
    value->op = op;
    value->result = results.size();
    results.push_back(value);
  }
  op->results = keep_pointers(results);
  std::size_t first = 0;
  for (const ResultName& name : names) {
    if (name.count > results.size() - first) {
      return scanner_.fail(
          fmt::format("'{}' has {} results and more names for them", op->name, results.size()),
          op->span);
    }
    std::vector<Value*> named(results.begin() + static_cast<std::ptrdiff_t>(first),
                              results.begin() + static_cast<std::ptrdiff_t>(first + name.count));
    for (Value* value : named) value->name = name.name;
    first += name.count;
    define(name.name, named);
  }
  return true;
}

bool Parser::skip_locations() {
  while (accept_word("loc")) {
    scanner_.skip_space();
    if (scanner_.peek() != '(') return scanner_.expected("'(' after 'loc'");
    if (!skip_brackets()) return false;
  }
  return true;
}

bool Parser::accept_arrow() {
  scanner_.skip_space();
  if (scanner_.peek() != '-' || scanner_.position()[1] != '>') return false;
  scanner_.set_position(scanner_.position() + 2);
  return true;
}

bool Parser::accept_word(std::string_view word) {
  scanner_.skip_space();
  const char* start = scanner_.position();
  if (scanner_.identifier() == word) return true;
  scanner_.set_position(start);
  return false;
}

bool Parser::expect_word(std::string_view word) {
  return accept_word(word) || scanner_.expected(fmt::format("'{}'", word));
}

void Parser::define(std::string_view name, const std::vector<Value*>& values) {
  Values& slot = values_[name];
  hidden_.emplace_back(name, slot);
  slot = keep_pointers(values);
}

void Parser::restore(std::size_t hidden) {
  while (hidden_.size() > hidden) {
    values_[hidden_.back().first] = hidden_.back().second;
    hidden_.pop_back();
  }
}

Value* Parser::make_value(std::string_view name, const Shape& type, const Region* region) {
  auto* value = arena_.make<Value>();
  value->name = name;
  value->type = type;
  value->region = region;
  return value;
}

}  // namespace mercator::hlo::stablehlo
