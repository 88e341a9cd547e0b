#include "mercator/hlo/stablehlo_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "mercator/hlo/module.h"
#include "mercator/hlo/scanner.h"
#include "mercator/hlo/stablehlo_parser.h"
#include "mercator/hlo/writer.h"

namespace mercator::hlo::stablehlo {
namespace {

// A name of HLO: letters, digits, '.', '_' and '-', beginning with a letter.
std::string as_name(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (!Scanner::is_word(c) || c == '-') c = '_';
  }
  if (name.empty() || !Scanner::is_letter(name.front())) name.insert(0, "_");
  return name;
}

// add of stablehlo.add
std::string_view mnemonic(const Op& op) { return op.name.substr(op.name.rfind('.') + 1); }

bool is_constant(const Value& value) {
  return value.op != nullptr && value.op->name == "stablehlo.constant";
}

bool is_inside(const Region& outer, const Region* region) {
  while (region != nullptr && region != &outer) region = region->parent;
  return region == &outer;
}

bool is_return(const Op& op) {
  return op.name == "return" || op.name == "stablehlo.return" || op.name == "sdy.return";
}

}  // namespace

bool Text::write(const Program& program) {
  const Function* entry = nullptr;
  for (const Function& function : program.functions) {
    if (function.name == "main") entry = &function;
    if (functions_.contains(function.name)) {
      error_ = Error{.message = fmt::format("two functions are called '@{}'", function.name),
                     .span = function.span};
      return false;
    }
    functions_[function.name] = computations_.take(as_name(function.name));
  }
  if (program.functions.empty()) {
    error_ = Error{.message = "the program has no function", .span = TextSpan{}};
    return false;
  }
  if (entry == nullptr) entry = &program.functions.front();
  out_ = fmt::format("HloModule {}", as_name(program.name.empty() ? entry->name : program.name));
  if (program.replica_count > 1) out_ += fmt::format(", replica_count={}", program.replica_count);
  if (program.partition_count > 1) {
    out_ += fmt::format(", num_partitions={}", program.partition_count);
  }
  out_ += "\n\n";
  for (const Function& function : program.functions) {
    if (!write_function(function, &function == entry)) return false;
  }
  return true;
}

bool Text::write_function(const Function& function, bool is_entry) {
  Body body;
  for (const Value* argument : function.body->arguments) {
    body.names[argument] = add_parameter(body, argument->name, argument->type, function.span);
  }
  Names returned;
  return write_ops(body, *function.body, returned) &&
         finish(body, functions_[function.name], returned, false, function.span, is_entry);
}

bool Text::write_ops(Body& body, const Region& region, Names& returned) {
  for (const Op* op : region.ops) {
    if (!is_return(*op)) {
      if (!translate(body, *op)) return false;
      continue;
    }
    for (const Value* value : op->operands) {
      const std::optional<std::string> name = operand(body, *op, *value);
      if (!name) return false;
      returned.push_back(*name);
    }
    return true;
  }
  return true;
}

bool Text::translate(Body& body, const Op& op) {
  for (const auto& [name, value] : op.attributes) {
    const bool bytes = value.kind == Attribute::Kind::kDense && value.text.starts_with('"');
    if (bytes && op.name != "stablehlo.constant") {
      return fail(op,
                  fmt::format("numbers of '{}' that are written as bytes are not supported", name));
    }
  }
  const auto rule = std::ranges::lower_bound(kRules, op.name, {}, &Rule::op);
  if (rule != kRules.end() && rule->op == op.name) return (this->*rule->translate)(body, op);
  return elementwise(body, op);
}

bool Text::finish(Body& body, std::string_view name, const Names& returned, bool always_tuple,
                  TextSpan span, bool is_entry) {
  const bool one = returned.size() == 1 && !always_tuple;
  const std::size_t root = one ? body.places.find(returned[0])->second : body.lines.size();
  lines_.push_back({static_cast<std::uint32_t>(out_.size()), span});
  out_ += is_entry ? "ENTRY %" : "%";
  out_ += name;
  out_ += " {\n";
  for (std::size_t i = 0; i < body.lines.size(); ++i) {
    const Line& line = body.lines[i];
    lines_.push_back({static_cast<std::uint32_t>(out_.size()), line.span});
    out_ += i == root ? "  ROOT %" : "  %";
    out_ += line.name;
    out_ += " = ";
    out_ += line.text;
    out_ += '\n';
  }
  if (!one) {
    // The reader infers the shape of a tuple.
    lines_.push_back({static_cast<std::uint32_t>(out_.size()), span});
    out_ += fmt::format("  ROOT %{} = tuple({}{})\n", body.unique.take("results"),
                        returned.empty() ? "" : "%", fmt::join(returned, ", %"));
  }
  out_ += "}\n\n";
  if (out_.size() <= kLongestText) return true;
  error_ = Error{.kind = ErrorKind::kUnsupported,
                 .message = "the program is too large as HLO text",
                 .span = span};
  return false;
}

bool Text::write_reducer(const Op& op, const Region& region, std::string& name) {
  Body body;
  for (const Value* argument : region.arguments) {
    body.names[argument] = add_parameter(body, argument->name, argument->type, op.span);
  }
  Names returned;
  if (!write_ops(body, region, returned)) return false;
  name = computations_.take("region");
  return finish(body, name, returned, false, op.span);
}

bool Text::write_branch(const Op& op, const Region& region, std::span<const Value* const> captures,
                        bool return_captures, std::string& name) {
  std::vector<const Value*> values(region.arguments.begin(), region.arguments.end());
  values.insert(values.end(), captures.begin(), captures.end());
  std::vector<Shape> shapes;
  for (const Value* value : values) shapes.push_back(value->type);
  Body body;
  if (values.size() == 1) {
    body.names[values[0]] = add_parameter(body, values[0]->name, shapes[0], op.span);
  } else {
    const std::string parameter = add_parameter(body, "state", tuple_shape(shapes), op.span);
    for (std::size_t i = 0; i < values.size(); ++i) {
      body.names[values[i]] = add(body, values[i]->name, shapes[i], "get-tuple-element",
                                  "%" + parameter, fmt::format(", index={}", i), op.span);
    }
  }
  Names returned;
  if (!write_ops(body, region, returned)) return false;
  if (return_captures) {
    for (const Value* capture : captures) returned.push_back(body.names[capture]);
  }
  name = computations_.take("region");
  return finish(body, name, returned, false, op.span);
}

std::vector<const Value*> Text::captures(std::span<Region* const> regions) {
  std::set<const Value*> seen;
  std::vector<const Value*> captures;
  for (const Region* region : regions) collect_captures(*region, *region, seen, captures);
  return captures;
}

void Text::collect_captures(const Region& outer, const Region& region, std::set<const Value*>& seen,
                            std::vector<const Value*>& captures) {
  for (const Op* op : region.ops) {
    for (const Value* value : op->operands) {
      if (is_constant(*value) || is_inside(outer, value->region)) continue;
      if (seen.insert(value).second) captures.push_back(value);
    }
    for (const Region* inner : op->regions) collect_captures(outer, *inner, seen, captures);
  }
}

bool Text::fail(const Op& op, std::string message, ErrorKind kind) {
  if (!error_) error_ = Error{.kind = kind, .message = std::move(message), .span = op.span};
  return false;
}

// ---- names ----

std::string Text::UniqueNames::take(std::string_view wanted) {
  std::string name(wanted);
  while (true) {
    const auto [place, is_new] = next_.emplace(name, 1);
    if (is_new) return name;
    name = fmt::format("{}.{}", wanted, next_[std::string(wanted)]++);
  }
}

// %cst_0 stays cst_0; a result that only has a number is named after the operation too: add.3.
std::string Text::name_for(const Op& op) {
  const std::string_view name = op.results.empty() ? std::string_view() : op.results[0]->name;
  if (!name.empty() && Scanner::is_letter(name.front())) return as_name(name);
  const std::string stem = as_name(mnemonic(op));
  return name.empty() ? stem : fmt::format("{}.{}", stem, as_name(name).substr(1));
}

// ---- instructions ----

std::string Text::add(Body& body, std::string_view wanted, const Shape& shape,
                      std::string_view opcode, std::string_view arguments,
                      std::string_view attributes, TextSpan span) {
  Line line{.name = body.unique.take(as_name(wanted)), .text = {}, .span = span};
  hlo::write(shape, true, line.text);
  line.text += fmt::format(" {}({}){}", opcode, arguments, attributes);
  std::string name = line.name;
  body.places[name] = body.lines.size();
  body.lines.push_back(std::move(line));
  return name;
}

std::string Text::add_parameter(Body& body, std::string_view wanted, const Shape& shape,
                                TextSpan span) {
  return add(body, wanted, shape, "parameter", std::to_string(body.parameters++), "", span);
}

std::string Text::add_tuple(Body& body, std::string_view wanted, const Names& elements,
                            std::span<const Shape> shapes, TextSpan span) {
  return add(body, wanted, tuple_shape(shapes), "tuple",
             fmt::format("{}{}", elements.empty() ? "" : "%", fmt::join(elements, ", %")), "",
             span);
}

std::optional<std::string> Text::operand(Body& body, const Op& op, const Value& value) {
  auto found = body.names.find(&value);
  if (found == body.names.end() && is_constant(value)) {
    if (!constant(body, *value.op)) return std::nullopt;
    found = body.names.find(&value);
  }
  if (found != body.names.end()) return found->second;
  fail(op, fmt::format("'%{}' is defined outside of the region, and HLO has no such use of it",
                       value.name));
  return std::nullopt;
}

std::optional<std::string> Text::arguments(Body& body, const Op& op, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < op.operands.size(); ++i) {
    const std::optional<std::string> name = operand(body, op, *op.operands[i]);
    if (!name) return std::nullopt;
    text += i == first ? "%" : ", %";
    text += *name;
  }
  return text;
}

bool Text::emit(Body& body, const Op& op, std::string_view opcode, std::string_view attributes) {
  const std::optional<std::string> arguments = this->arguments(body, op);
  return arguments && emit(body, op, opcode, *arguments, attributes);
}

bool Text::emit(Body& body, const Op& op, std::string_view opcode, std::string_view arguments,
                std::string_view attributes) {
  const std::vector<Shape> shapes = types(op.results);
  const bool one = shapes.size() == 1;
  const std::string name = add(body, name_for(op), one ? shapes[0] : tuple_shape(shapes), opcode,
                               arguments, attributes, op.span);
  name_results(body, op, name, !one);
  return true;
}

void Text::name_results(Body& body, const Op& op, const std::string& name, bool is_tuple) {
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    body.names[op.results[i]] =
        is_tuple ? add(body, fmt::format("{}.{}", name, i), op.results[i]->type,
                       "get-tuple-element", "%" + name, fmt::format(", index={}", i), op.span)
                 : name;
  }
}

Shape Text::tuple_shape(std::span<const Shape> elements) {
  Shape shape{.kind = ShapeKind::kTuple};
  shape.elements = arena_.copy(elements);
  return shape;
}

std::vector<Shape> Text::types(std::span<Value* const> values) {
  std::vector<Shape> types;
  for (const Value* value : values) types.push_back(value->type);
  return types;
}

}  // namespace mercator::hlo::stablehlo
