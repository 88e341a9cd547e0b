#include "mercator/hlo/module_reader.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace mercator::hlo {
namespace {

constexpr std::array<std::string_view, 4> kStackTables = {"FileNames", "FunctionNames",
                                                          "FileLocations", "StackFrames"};

bool is_stack_table(std::string_view word) {
  return std::ranges::find(kStackTables, word) != kStackTables.end();
}

// Text of integers between 1 and a bound, as in replica_count=8; nothing if it is not one.
std::optional<std::int64_t> small_count(std::string_view text) {
  std::int64_t value = 0;
  for (const char c : text) {
    if (!Scanner::is_digit(c) || value > 1'000'000'000) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  if (text.empty()) return std::nullopt;
  return value;
}

}  // namespace

ModuleReader::ModuleReader(Module& module)
    : module_(module),
      arena_(module.arena()),
      scanner_(module.text()),
      shapes_(scanner_, arena_),
      literals_(scanner_, arena_),
      names_(scanner_, arena_),
      attributes_reader_(scanner_, arena_, names_) {}

bool ModuleReader::read() {
  scanner_.skip_space();
  const char* start = scanner_.position();
  if (scanner_.identifier() == "HloModule") {
    if (!read_header() || !read_stack_tables()) return false;
  } else {
    scanner_.set_position(start);
    if (at_bare_instruction()) return read_bare_instructions() && finish_module();
  }
  scanner_.skip_space();
  do {
    if (!read_computation()) return false;
    scanner_.skip_space();
  } while (!scanner_.at_end());
  return finish_module();
}

// HloModule name, key=value, …
bool ModuleReader::read_header() {
  if (!scanner_.name(&module_.name, "the name of the module")) return false;
  scanner_.accept(':');  // as in older texts
  while (scanner_.accept(',')) {
    if (!read_module_attribute()) return false;
  }
  return true;
}

bool ModuleReader::read_module_attribute() {
  scanner_.skip_space();
  ModuleAttribute attribute;
  attribute.name = scanner_.identifier();
  if (attribute.name.empty()) return scanner_.expected("an attribute of the module");
  if (!scanner_.expect('=', fmt::format("after '{}'", attribute.name))) return false;
  scanner_.skip_space();
  if (!scanner_.raw_value(&attribute.value)) return false;
  const std::ranges::borrowed_iterator_t<std::vector<ModuleAttribute>&> twice =
      std::ranges::find(module_.attributes, attribute.name, &ModuleAttribute::name);
  if (twice != module_.attributes.end()) {
    return scanner_.fail(fmt::format("the attribute '{}' stands twice", attribute.name),
                         scanner_.span(attribute.name));
  }
  module_.attributes.push_back(attribute);
  if (attribute.name == "is_scheduled") {
    module_.is_scheduled = attribute.value == "true";
    if (!module_.is_scheduled && attribute.value != "false") {
      return scanner_.fail("expected true or false", scanner_.span(attribute.value));
    }
  }
  const bool replicas = attribute.name == "replica_count";
  if (replicas || attribute.name == "num_partitions") {
    const std::optional<std::int64_t> count = small_count(attribute.value);
    if (!count) return scanner_.fail("expected a count", scanner_.span(attribute.value));
    (replicas ? module_.replica_count : module_.partition_count) = *count;
  }
  return true;
}

// FileNames and so on: a word, then lines of a number and a string or braces.
bool ModuleReader::read_stack_tables() {
  scanner_.skip_space();
  const char* start = scanner_.position();
  const char* last = start;
  while (true) {
    scanner_.skip_space();
    const char* entry = scanner_.position();
    if (Scanner::is_digit(scanner_.peek()) && last != start) {
      std::int64_t number = 0;
      std::string_view ignored;
      if (!scanner_.unsigned_integer(&number)) return false;
      scanner_.skip_space();
      const bool braces = scanner_.peek() == '{';
      if (braces ? !scanner_.balanced(&ignored) : !scanner_.quoted(&ignored)) return false;
    } else if (!is_stack_table(scanner_.identifier())) {
      scanner_.set_position(entry);
      break;
    }
    last = scanner_.position();
  }
  module_.stack_tables = {start, static_cast<std::size_t>(last - start)};
  return true;
}

// [ENTRY] [%]name [(p: shape, …) -> shape] { … } [, execution_thread="…"]
bool ModuleReader::read_computation() {
  const char* start = scanner_.position();
  std::string_view name;
  if (!scanner_.name(&name, "a computation")) return false;
  bool is_entry = false;
  if (name == "ENTRY" && *start != '%') {
    is_entry = true;
    if (!scanner_.name(&name, "the name of the entry computation")) return false;
  }
  Computation* computation = names_.define_computation(name);
  if (computation == nullptr) return false;
  computation->module = &module_;
  scanner_.skip_space();
  if (scanner_.peek() == '(' && !read_signature(*computation)) return false;
  if (!read_body(*computation)) return false;
  computation->span = scanner_.span(start, scanner_.position());
  if (!read_trailing_attributes(*computation)) return false;
  module_.computations.push_back(computation);
  if (is_entry) {
    if (module_.entry != nullptr) {
      return scanner_.fail("there are two entry computations", scanner_.span(name),
                           fmt::format("the first is '{}'", module_.entry->name));
    }
    module_.entry = computation;
  }
  return true;
}

bool ModuleReader::read_signature(Computation& computation) {
  const char* start = scanner_.position();
  scanner_.consume('(');
  std::vector<Shape> parameters;
  if (!scanner_.accept(')')) {
    do {
      std::string_view ignored;
      if (!scanner_.name(&ignored, "the name of a parameter")) return false;
      if (!scanner_.expect(':', "before the shape of the parameter")) return false;
      if (!shapes_.read(&parameters.emplace_back())) return false;
    } while (scanner_.accept(','));
    if (!scanner_.expect(')', "or ',' after a parameter")) return false;
  }
  scanner_.skip_space();
  if (!scanner_.consume('-') || !scanner_.consume('>')) {
    return scanner_.expected("'->' and the shape of the result");
  }
  Shape result;
  if (!shapes_.read(&result)) return false;
  signatures_.push_back({.computation = &computation,
                         .parameters = arena_.copy(std::span<const Shape>(parameters)),
                         .result = result,
                         .span = scanner_.span(start, scanner_.position())});
  return true;
}

bool ModuleReader::read_body(Computation& computation) {
  if (!scanner_.expect('{', "before the instructions of the computation")) return false;
  names_.new_computation();
  instructions_.clear();
  parameters_.clear();
  forward_reference_ = false;
  while (!scanner_.accept('}')) {
    if (!read_instruction(computation)) return false;
  }
  if (instructions_.empty()) {
    return scanner_.fail("the computation has no instructions", scanner_.span(computation.name));
  }
  return finish_computation(computation);
}

bool ModuleReader::read_trailing_attributes(Computation& computation) {
  scanner_.skip_space();
  const char* start = scanner_.position();
  const char* last = start;
  while (scanner_.accept(',')) {
    scanner_.skip_space();
    const std::string_view key = scanner_.identifier();
    if (key.empty()) return scanner_.expected("an attribute of the computation");
    if (!scanner_.expect('=', fmt::format("after '{}'", key))) return false;
    scanner_.skip_space();
    if (key == "execution_thread") {
      if (!scanner_.quoted(&computation.execution_thread)) return false;
    } else {
      std::string_view ignored;
      if (!scanner_.raw_value(&ignored)) return false;
    }
    last = scanner_.position();
  }
  computation.trailing_attributes = {start, static_cast<std::size_t>(last - start)};
  return true;
}

// Whether the text begins with `name =`, `ROOT name =` or a shape rather than with a computation.
bool ModuleReader::at_bare_instruction() {
  const char* start = scanner_.position();
  if (shapes_.at_shape()) return true;
  scanner_.consume('%');
  const std::string_view first = scanner_.identifier();
  scanner_.skip_space();
  if (first == "ROOT" && scanner_.peek() != '=') {
    scanner_.consume('%');
    scanner_.identifier();
    scanner_.skip_space();
  }
  const bool bare = !first.empty() && first != "ENTRY" && scanner_.peek() == '=';
  scanner_.set_position(start);
  return bare;
}

bool ModuleReader::read_bare_instructions() {
  bare_ = true;
  Computation* computation = names_.define_computation("main");
  computation->module = &module_;
  names_.new_computation();
  const char* start = scanner_.position();
  if (shapes_.at_shape() && !read_instruction_without_name(*computation)) return false;
  scanner_.skip_space();
  while (!scanner_.at_end()) {
    if (!read_instruction(*computation)) return false;
    scanner_.skip_space();
  }
  computation->span = scanner_.span(start, scanner_.position());
  if (!make_parameters_of_undefined(*computation) || !finish_computation(*computation))
    return false;
  module_.computations.push_back(computation);
  module_.entry = computation;
  return true;
}

Result<std::unique_ptr<Module>> parse_module(std::string text) {
  if (text.size() > kLongestText) {
    return fail(ErrorKind::kInvalidInput, "the text is longer than 4 GiB");
  }
  auto module = std::make_unique<Module>();
  module->text_ = std::make_unique<const std::string>(std::move(text));
  ModuleReader reader(*module);
  if (!reader.read()) return std::unexpected(reader.error());
  return module;
}

}  // namespace mercator::hlo
