#include <algorithm>

#include <fmt/format.h>

#include "mercator/hlo/inference.h"
#include "mercator/hlo/module_reader.h"
#include "mercator/hlo/order.h"
#include "mercator/support/suggestion.h"

namespace mercator::hlo {
namespace {

// Takes the parts of a shape, those of tuples within tuples too, off what is left; false if they
// are more.
bool take_parts(const Shape& shape, std::int64_t& left) {
  return left-- > 0 && std::ranges::all_of(shape.elements, [&](const Shape& element) {
           return take_parts(element, left);
         });
}

}  // namespace

// ---- at the end of a computation ----

bool ModuleReader::finish_computation(Computation& computation) {
  if (!check_defined(computation)) return false;
  const std::span<Instruction*> kept = arena_.make_array<Instruction*>(instructions_.size());
  std::ranges::copy(instructions_, kept.begin());
  computation.instructions = kept;
  computation.id = static_cast<std::uint32_t>(module_.computations.size());
  const std::uint32_t base = first_id();
  module_.instructions.insert(module_.instructions.end(), kept.begin(), kept.end());
  if (computation.root == nullptr) computation.root = instructions_.back();
  if (!collect_parameters(computation)) return false;
  // Without references to what comes later there can be no cycle.
  const bool any_used_early = forward_reference_ || !names_.used_before_definition().empty();
  if (!any_used_early) return true;
  std::vector<const Instruction*> order;
  if (const Instruction* cycle = append_post_order(computation.instructions, base, order)) {
    return scanner_.fail(fmt::format("'{}' depends on itself", cycle->name), cycle->span);
  }
  return true;
}

bool ModuleReader::check_defined(const Computation& computation) {
  for (const Instruction* instruction : names_.used_before_definition()) {
    if (Names::is_defined(*instruction)) continue;
    std::vector<std::string_view> names;
    for (const Instruction* other : instructions_) names.push_back(other->name);
    return scanner_.fail(
        fmt::format("there is no instruction '{}' in '{}'", instruction->name, computation.name),
        instruction->span != TextSpan{} ? instruction->span : scanner_.span(instruction->name),
        did_you_mean(nearest_words(instruction->name, names)));
  }
  return true;
}

bool ModuleReader::collect_parameters(Computation& computation) {
  const std::size_t count = parameters_.size();
  const std::span<Instruction*> parameters = arena_.make_array<Instruction*>(count);
  for (Instruction* instruction : parameters_) {
    const std::int64_t number = instruction->parameter_number;
    if (number >= static_cast<std::int64_t>(count)) {
      return scanner_.fail(
          fmt::format("parameter {} of '{}', which has only {}", number, computation.name, count),
          instruction->span, "parameters are numbered from 0 without gaps");
    }
    Instruction*& slot = parameters[static_cast<std::size_t>(number)];
    if (slot != nullptr) {
      return scanner_.fail(
          fmt::format("'{}' and '{}' are both parameter {}", slot->name, instruction->name, number),
          instruction->span);
    }
    slot = instruction;
  }
  computation.parameters = parameters;
  return true;
}

// In a text of instructions only, operands that have a type but no definition are parameters.
bool ModuleReader::make_parameters_of_undefined(Computation& computation) {
  auto number = static_cast<std::int64_t>(parameters_.size());
  std::vector<Instruction*> made;
  for (Instruction* instruction : names_.used_before_definition()) {
    const auto stated = std::ranges::find(stated_shapes_, instruction, &StatedShape::instruction);
    if (Names::is_defined(*instruction) || stated == stated_shapes_.end()) continue;
    instruction->shape = stated->shape;
    instruction->parameter_number = number++;
    instruction->parent = &computation;
    made.push_back(instruction);
    parameters_.push_back(instruction);
  }
  if (!made.empty() && computation.root == nullptr) computation.root = instructions_.back();
  instructions_.insert(instructions_.begin(), made.begin(), made.end());
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    instructions_[i]->id = first_id() + static_cast<std::uint32_t>(i);
  }
  return true;
}

// ---- at the end of the module ----

bool ModuleReader::finish_module() {
  if (!check_computations_defined() || !choose_entry()) return false;
  name_wrapped_computations();
  if (!wrapped_.empty()) number_instructions_again();
  return check_short_ends() && check_calls_acyclic() && infer_missing_shapes() &&
         check_stated_shapes() && check_signatures();
}

bool ModuleReader::check_computations_defined() {
  for (const Computation* computation : names_.computations_used_before_definition()) {
    if (Names::is_defined(*computation)) continue;
    std::vector<std::string_view> names;
    for (const Computation* other : module_.computations) names.push_back(other->name);
    return scanner_.fail(fmt::format("there is no computation '{}'", computation->name),
                         scanner_.span(computation->name),
                         did_you_mean(nearest_words(computation->name, names)));
  }
  return true;
}

// As in XLA, the last computation is the entry if none is marked.
bool ModuleReader::choose_entry() {
  if (module_.entry == nullptr) module_.entry = module_.computations.back();
  if (module_.name.empty()) module_.name = module_.entry->name;
  return true;
}

void ModuleReader::name_wrapped_computations() {
  std::size_t number = 0;
  for (Computation* computation : wrapped_) {
    std::string name;
    do {
      name = number == 0 ? "async_wrapped" : fmt::format("async_wrapped.{}", number);
      ++number;
    } while (!names_.is_free_computation_name(name));
    computation->name = arena_.copy(std::string_view(name));
  }
}

// Computations that a short form stands for came in between, so that no number is right.
void ModuleReader::number_instructions_again() {
  module_.instructions.clear();
  for (std::size_t i = 0; i < module_.computations.size(); ++i) {
    Computation& computation = *module_.computations[i];
    computation.id = static_cast<std::uint32_t>(i);
    for (Instruction* instruction : computation.instructions) {
      instruction->id = static_cast<std::uint32_t>(module_.instructions.size());
      module_.instructions.push_back(instruction);
    }
  }
}

// `x-update` and `x-done` must follow a start, or an update in the same form, of x.
bool ModuleReader::check_short_ends() {
  if (short_ends_.empty()) return true;
  std::vector<std::optional<Opcode>> wrapped_by(module_.instructions.size());
  for (const auto& [end, wrapped] : short_ends_) wrapped_by[end->id] = wrapped;
  for (const auto& [end, wrapped] : short_ends_) {
    const Instruction* before = end->operands.empty() ? end : end->operands[0];
    const Computation* computation = before->computation(AttributeName::kCalls);
    const bool fits = before->opcode == Opcode::kAsyncUpdate
                          ? wrapped_by[before->id].value_or(wrapped) == wrapped
                          : before->opcode == Opcode::kAsyncStart && computation != nullptr &&
                                computation->root->opcode == wrapped;
    if (fits && before != end) continue;
    return scanner_.fail(fmt::format("'{}' does not follow a '{}-start'", end->name, name(wrapped)),
                         end->span);
  }
  return true;
}

bool ModuleReader::check_calls_acyclic() {
  if (const Computation* cycle =
          append_callees_first(module_.computations, calls_, callees_first_)) {
    return scanner_.fail(fmt::format("the computation '{}' calls itself", cycle->name),
                         scanner_.span(cycle->name));
  }
  return true;
}

// XLA lets the shape be left out where it follows from the operands.
bool ModuleReader::infer_missing_shapes() {
  if (without_shape_.empty()) return true;
  std::vector<bool> missing(module_.instructions.size());
  for (const Instruction* instruction : without_shape_) missing[instruction->id] = true;
  for (const Computation* computation : callees_first_) {
    std::vector<const Instruction*> order;
    append_post_order(computation->instructions, computation->instructions.front()->id, order);
    for (const Instruction* instruction : order) {
      if (!missing[instruction->id]) continue;
      Inferred shape = infer(Inference(*instruction, nullptr, arena_));
      if (!shape) {
        return scanner_.fail(std::move(shape.error().message), instruction->span,
                             std::move(shape.error().hint));
      }
      if (!*shape) {
        return scanner_.fail(
            fmt::format("the shape of '{}' is missing and does not follow from its operands",
                        instruction->name),
            instruction->span);
      }
      // Tuples of tuples of … grow exponentially; no real program has one that is this large.
      std::int64_t most_parts = std::int64_t{1} << 16;
      if (!take_parts(**shape, most_parts)) {
        return scanner_.fail("the shape that follows is too large", instruction->span);
      }
      module_.instructions[instruction->id]->shape = **shape;
    }
  }
  return true;
}

bool ModuleReader::check_stated_shapes() {
  for (const StatedShape& stated : stated_shapes_) {
    const Shape& shape = stated.instruction->shape;
    if (same_type_and_dimensions(stated.shape, shape)) continue;
    return scanner_.fail(
        fmt::format("the operand '{}' has the shape {}, not {}", stated.instruction->name,
                    to_string(shape, false), to_string(stated.shape, false)),
        stated.span);
  }
  return true;
}

bool ModuleReader::check_signatures() {
  for (const Signature& signature : signatures_) {
    const Computation& computation = *signature.computation;
    if (signature.parameters.size() != computation.parameters.size()) {
      return scanner_.fail(
          fmt::format("the signature of '{}' has {} parameters, its body {}", computation.name,
                      signature.parameters.size(), computation.parameters.size()),
          signature.span);
    }
    for (std::size_t i = 0; i < computation.parameters.size(); ++i) {
      const Shape& shape = computation.parameters[i]->shape;
      if (same_type_and_dimensions(shape, signature.parameters[i])) continue;
      return scanner_.fail(fmt::format("parameter {} of '{}' has the shape {}, in the signature {}",
                                       i, computation.name, to_string(shape, false),
                                       to_string(signature.parameters[i], false)),
                           signature.span);
    }
    const Shape& result = computation.root->shape;
    if (!same_type_and_dimensions(result, signature.result)) {
      return scanner_.fail(
          fmt::format("the result of '{}' has the shape {}, in the signature {}", computation.name,
                      to_string(result, false), to_string(signature.result, false)),
          signature.span);
    }
  }
  return true;
}

}  // namespace mercator::hlo
