#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mercator/hlo/module_reader.h"
#include "mercator/support/suggestion.h"

namespace mercator::hlo {
namespace {

std::string opcode_suggestion(std::string_view word) {
  static constexpr std::string_view kOpcodes[] = {
#define MERCATOR_X(id, name, operands, opcode_class) name,
      MERCATOR_HLO_OPCODES(MERCATOR_X)
#undef MERCATOR_X
  };
  return did_you_mean(nearest_words(word, kOpcodes));
}

// Of the attributes of `x-start`, those that belong to the start itself, to x, or to both.
bool belongs_to_start(AttributeName name) {
  return name == AttributeName::kAsyncExecutionThread ||
         name == AttributeName::kControlPredecessors || name == AttributeName::kSharding ||
         name == AttributeName::kOutputToOperandAliasing;
}
bool belongs_to_both(AttributeName name) {
  return name == AttributeName::kMetadata || name == AttributeName::kBackendConfig ||
         name == AttributeName::kFrontendAttributes || name == AttributeName::kOrigin ||
         name == AttributeName::kStatistics;
}

}  // namespace

// [ROOT] [%]name = [shape] opcode(…), key=value, …
bool ModuleReader::read_instruction(Computation& computation) {
  scanner_.skip_space();
  const char* start = scanner_.position();
  std::string_view name;
  if (!scanner_.name(&name, "an instruction or '}'")) return false;
  scanner_.skip_space();
  bool is_root = false;
  if (name == "ROOT" && scanner_.peek() != '=') {
    is_root = true;
    start = scanner_.position();
    if (!scanner_.name(&name, "the name of the root")) return false;
    scanner_.skip_space();
  }
  if (!scanner_.consume('=')) return scanner_.expected("'=' after the name of the instruction");
  Instruction* instruction = names_.define_instruction(name);
  if (instruction == nullptr) return false;
  instruction->parent = &computation;
  if (is_root) {
    if (computation.root != nullptr) {
      return scanner_.fail("the computation has two roots", scanner_.span(name),
                           fmt::format("the first is '{}'", computation.root->name));
    }
    computation.root = instruction;
  }
  return read_right_side(*instruction, start);
}

// shape opcode(…), key=value, …: the canonical form of XLA, alone in its text.
bool ModuleReader::read_instruction_without_name(Computation& computation) {
  Instruction* instruction = names_.define_instruction(new_name("instruction"));
  instruction->parent = &computation;
  return read_right_side(*instruction, scanner_.position());
}

// What follows the '='. The instruction begins at `start`.
bool ModuleReader::read_right_side(Instruction& instruction, const char* start) {
  if (!read_definition(instruction, 0)) return false;
  const char* end = scanner_.position();
  if (!read_attributes(instruction, &end)) return false;
  instruction.span = scanner_.span(start, end);
  add(instruction, *instruction.parent);
  return true;
}

void ModuleReader::add(Instruction& instruction, Computation& computation) {
  instruction.parent = &computation;
  instruction.id = first_id() + static_cast<std::uint32_t>(instructions_.size());
  instructions_.push_back(&instruction);
  if (instruction.opcode == Opcode::kParameter) parameters_.push_back(&instruction);
}

// [shape] opcode(…)
bool ModuleReader::read_definition(Instruction& instruction, int depth) {
  scanner_.skip_space();
  if (shapes_.at_shape()) {
    if (!shapes_.read(&instruction.shape)) return false;
  } else {
    without_shape_.push_back(&instruction);
  }
  return read_opcode(instruction) && read_arguments(instruction, depth);
}

bool ModuleReader::read_opcode(Instruction& instruction) {
  scanner_.skip_space();
  const char* start = scanner_.position();
  const std::string_view word = scanner_.identifier();
  if (word.empty()) return scanner_.expected("a shape or an opcode");
  wrapped_opcode_.reset();
  if (const std::optional<Opcode> found = opcode(word)) {
    instruction.opcode = *found;
    return true;
  }
  constexpr std::array<std::pair<std::string_view, Opcode>, 3> kSuffixes = {
      {{"-start", Opcode::kAsyncStart},
       {"-update", Opcode::kAsyncUpdate},
       {"-done", Opcode::kAsyncDone}}};
  for (const auto& [suffix, async_opcode] : kSuffixes) {
    if (!word.ends_with(suffix)) continue;
    wrapped_opcode_ = opcode(word.substr(0, word.size() - suffix.size()));
    instruction.opcode = async_opcode;
    if (wrapped_opcode_) return true;
  }
  return scanner_.fail(fmt::format("there is no opcode '{}'", word),
                       scanner_.span(start, scanner_.position()), opcode_suggestion(word));
}

bool ModuleReader::read_arguments(Instruction& instruction, int depth) {
  if (!scanner_.expect('(', "after the opcode")) return false;
  switch (instruction.opcode) {
    case Opcode::kParameter:
      return read_parameter_number(instruction);
    case Opcode::kConstant:
      return read_constant(instruction);
    default:
      return read_operands(instruction, depth);
  }
}

bool ModuleReader::read_parameter_number(Instruction& instruction) {
  scanner_.skip_space();
  return scanner_.unsigned_integer(&instruction.parameter_number) &&
         scanner_.expect(')', "after the number of the parameter");
}

bool ModuleReader::read_constant(Instruction& instruction) {
  if (!without_shape_.empty() && without_shape_.back() == &instruction) {
    return scanner_.expected("a constant with a shape");
  }
  auto* literal = arena_.make<Literal>();
  if (!literals_.read(instruction.shape, literal)) return false;
  instruction.literal = literal;
  return scanner_.expect(')', "after the literal");
}

bool ModuleReader::read_operands(Instruction& instruction, int depth) {
  if (scanner_.accept(')')) return true;
  const std::size_t first = operands_.size();
  do {
    if (!read_operand(instruction, depth)) return false;
  } while (scanner_.accept(','));
  if (!scanner_.expect(')', "or ',' after an operand")) return false;
  const std::span<Instruction*> kept = arena_.make_array<Instruction*>(operands_.size() - first);
  std::copy(operands_.begin() + static_cast<std::ptrdiff_t>(first), operands_.end(), kept.begin());
  operands_.resize(first);
  instruction.operands = kept;
  return true;
}

// [shape] [%]name, or an instruction in place: [shape] opcode(…)
bool ModuleReader::read_operand(Instruction& user, int depth) {
  scanner_.skip_space();
  const char* start = scanner_.position();
  std::optional<Shape> stated;
  if (scanner_.peek() != '%' && shapes_.at_shape()) {
    if (!shapes_.read(&stated.emplace())) return false;
    scanner_.skip_space();
  }
  const char* name_start = scanner_.position();
  scanner_.consume('%');
  std::string_view name = scanner_.identifier();
  const std::string_view written = scanner_.since(start);
  if (name.empty() && stated && bare_) name = new_name("operand");
  if (name.empty()) return scanner_.expected("an operand");
  scanner_.skip_space();
  if (scanner_.peek() == '(' && *name_start != '%') return read_nested(user, start, depth);
  Instruction* operand = names_.use_instruction(name);
  if (!Names::is_defined(*operand)) {
    forward_reference_ = true;
    if (operand->span == TextSpan{}) operand->span = scanner_.span(written);
  } else if (operand->span == TextSpan{}) {
    forward_reference_ = true;  // it is being defined right now
  }
  if (stated) stated_shapes_.push_back({operand, *stated, scanner_.span(start, name_start)});
  operands_.push_back(operand);
  return true;
}

// A name that is not in the text so far, for what has none there.
std::string_view ModuleReader::new_name(std::string_view stem) {
  std::string name;
  do {
    name = fmt::format("{}.anon.{}", stem, ++nested_count_);
  } while (!names_.is_free_instruction_name(name));
  return arena_.copy(std::string_view(name));
}

// An instruction that stands where it is used: it has no name and no attributes.
bool ModuleReader::read_nested(Instruction& user, const char* start, int depth) {
  if (depth == kMaxNesting) {
    return scanner_.fail("the operands are nested too deeply", scanner_.span(start, start + 1));
  }
  scanner_.set_position(start);
  auto* nested = arena_.make<Instruction>();
  nested->parent = user.parent;
  if (!read_definition(*nested, depth + 1)) return false;
  Instruction* defined = names_.define_instruction(new_name(name(nested->opcode)));
  const std::string_view kept = defined->name;
  *defined = *nested;
  defined->name = kept;
  defined->span = scanner_.span(start, scanner_.position());
  std::ranges::replace(without_shape_, nested, defined);
  add(*defined, *user.parent);
  operands_.push_back(defined);
  return true;
}

// Moves `end` to where the last attribute ends.
bool ModuleReader::read_attributes(Instruction& instruction, const char** end) {
  const std::optional<Opcode> wrapped = wrapped_opcode_;
  const Opcode opcode = wrapped.value_or(instruction.opcode);
  attributes_.clear();
  while (scanner_.accept(',')) {
    scanner_.skip_space();
    const char* start = scanner_.position();
    Attribute attribute;
    if (!attributes_reader_.read(opcode, &attribute)) return false;
    for (const Attribute& other : attributes_) {
      if (other.name == attribute.name && other.unknown_name == attribute.unknown_name) {
        scanner_.set_position(start);
        const std::string_view key = scanner_.identifier();
        return scanner_.fail(fmt::format("the attribute '{}' stands twice", key),
                             scanner_.span(key));
      }
    }
    attributes_.push_back(attribute);
    *end = scanner_.position();
    if (const auto* before = std::get_if<std::span<const Instruction* const>>(&attribute.value)) {
      forward_reference_ |= std::ranges::find(*before, &instruction) != before->end();
    }
    note_calls(*instruction.parent, attribute);
  }
  instruction.attributes = arena_.copy(std::span<const Attribute>(attributes_));
  if (wrapped && instruction.opcode != Opcode::kAsyncStart) {
    short_ends_.emplace_back(&instruction, *wrapped);
  }
  if (wrapped && instruction.opcode == Opcode::kAsyncStart) {
    wrapped_opcode_ = wrapped;
    return read_wrapped(instruction);
  }
  return true;
}

void ModuleReader::note_calls(Computation& caller, const Attribute& attribute) {
  if (const auto* one = std::get_if<Computation*>(&attribute.value)) {
    calls_.push_back({&caller, *one});
  } else if (const auto* many = std::get_if<std::span<Computation* const>>(&attribute.value)) {
    for (Computation* callee : *many) calls_.push_back({&caller, callee});
  }
}

// `x-start(a, b), …` is short for an async-start that calls a computation whose root is `x`.
bool ModuleReader::read_wrapped(Instruction& start) {
  const Shape& shape = start.shape;
  if (!shape.is_tuple() || shape.elements.size() < 2 || !shape.elements[0].is_tuple() ||
      shape.elements[0].elements.size() != start.operands.size()) {
    return scanner_.fail(
        fmt::format("'{}-start' needs the shape ((operands), result, …)", name(*wrapped_opcode_)),
        scanner_.span(start.name));
  }
  auto* computation = arena_.make<Computation>();
  computation->module = &module_;
  const std::size_t count = start.operands.size();
  const std::span<Instruction*> instructions = arena_.make_array<Instruction*>(count + 1);
  for (std::size_t i = 0; i <= count; ++i) {
    auto* instruction = arena_.make<Instruction>();
    instruction->parent = computation;
    instruction->id = static_cast<std::uint32_t>(i);
    instruction->span = scanner_.span(start.name);
    instructions[i] = instruction;
    if (i == count) break;
    instruction->name = arena_.copy(std::string_view(fmt::format("param_{}", i)));
    instruction->shape = shape.elements[0].elements[i];
    instruction->parameter_number = static_cast<std::int64_t>(i);
  }
  Instruction& root = *instructions.back();
  root.name = "wrapped";
  root.opcode = *wrapped_opcode_;
  root.shape = shape.elements[1];
  root.operands = instructions.first(count);
  computation->instructions = instructions;
  computation->parameters = instructions.first(count);
  computation->root = &root;
  computation->span = root.span;

  std::vector<Attribute> of_root;
  std::vector<Attribute> of_start;
  for (const Attribute& attribute : start.attributes) {
    const bool both = belongs_to_both(attribute.name);
    if (both || belongs_to_start(attribute.name)) of_start.push_back(attribute);
    if (both || !belongs_to_start(attribute.name)) of_root.push_back(attribute);
  }
  of_start.insert(of_start.begin(), Attribute{AttributeName::kCalls, {}, computation});
  root.attributes = arena_.copy(std::span<const Attribute>(of_root));
  start.attributes = arena_.copy(std::span<const Attribute>(of_start));
  if (const Attribute* thread = start.find(AttributeName::kAsyncExecutionThread)) {
    if (const auto* text = std::get_if<QuotedString>(&thread->value)) {
      computation->execution_thread = text->text;
      computation->trailing_attributes =
          arena_.copy(std::string_view(fmt::format(", execution_thread=\"{}\"", text->text)));
    }
  }
  // What `x` calls has been noted as called by the caller of the start; that is so, if indirectly.
  wrapped_.push_back(computation);
  module_.computations.push_back(computation);
  return true;
}

}  // namespace mercator::hlo
