// Modules, computations and instructions of a HloModuleProto. The numbers are those of
// HloModuleProto, HloComputationProto and HloInstructionProto.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "mercator/hlo/module.h"
#include "mercator/hlo/proto_text.h"
#include "mercator/hlo/scanner.h"
#include "mercator/hlo/writer.h"

namespace mercator::hlo {
namespace {

// Names stand in the text wherever they are used; with this bound and the next one, the text cannot
// be out of proportion to the file.
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMostTextPerByte = 64;
constexpr std::size_t kTextOfSmallFiles = std::size_t{16} << 20;

constexpr std::string_view kEntryFlags[] = {"", "may-alias", "must-alias"};

template <class T>
const T* find_id(std::span<const T> sorted, std::int64_t id) {
  const auto found = std::ranges::lower_bound(sorted, id, {}, &T::id);
  return found != sorted.end() && found->id == id ? &*found : nullptr;
}

}  // namespace

ProtoText::ProtoText(WireFile& file, std::size_t file_size)
    : file_(file),
      longest_(std::min(kLongestText, kTextOfSmallFiles + kMostTextPerByte * file_size)) {}

bool ProtoText::check_name(std::string_view name, std::string_view kind) {
  if (name.size() > kLongestName) {
    return file_.fail(fmt::format("the name of {} is longer than {} bytes", kind, kLongestName));
  }
  if (!name.empty() && Scanner::is_letter(name.front()) &&
      std::ranges::all_of(name, Scanner::is_word) && !name.ends_with('-')) {
    return true;
  }
  return file_.fail(fmt::format("'{}' is not a name of {}", name, kind));
}

bool ProtoText::write_module(const WireMessage& module) {
  for (WireMessage& message : module.messages(3)) {
    const std::string_view name = message.bytes(1);
    if (!check_name(name, "a computation")) return false;
    computations_.push_back({message.integer(5), name, std::move(message)});
  }
  if (file_.failed()) return false;
  if (computations_.empty()) return file_.fail("the module has no computation");
  if (!check_name(module.bytes(1), "a module")) return false;
  payloads_ = module.list(22);
  for (const WireMessage& sequence : module.message(7).messages(1)) {
    sequences_.push_back({sequence.integer(1), sequence.message(2)});
  }
  std::ranges::stable_sort(sequences_, {}, &Sequence::id);
  write_header(module);

  std::vector<Computation> in_order = computations_;
  std::ranges::sort(computations_, {}, &Computation::id);
  const auto twice = std::ranges::adjacent_find(computations_, {}, &Computation::id);
  if (twice != computations_.end()) {
    return file_.fail(fmt::format("two computations have the id {}", twice->id));
  }
  const Computation* entry = nullptr;
  if (module.has(6)) {
    entry = find_id(std::span<const Computation>(computations_), module.integer(6));
  } else {
    const auto named = std::ranges::find(computations_, module.bytes(2), &Computation::name);
    if (named != computations_.end()) entry = &*named;
  }
  if (entry == nullptr) return file_.fail("the module has no entry computation");
  for (const Computation& computation : in_order) {
    out_ += computation.id == entry->id ? "ENTRY %" : "%";
    if (!write_computation(computation)) return false;
  }
  return !file_.failed();
}

// ---- the module ----

void ProtoText::write_header(const WireMessage& module) {
  out_ += "HloModule ";
  out_ += module.bytes(1);
  if (module.has(7)) out_ += ", is_scheduled=true";
  write_aliases(module.message(8));
  write_donors(module.message(18));
  if (module.has(4)) write_layout_of_entry(module.message(4));
  const WireMessage devices = module.message(15);
  if (devices.integer(1) > 1) out_ += fmt::format(", replica_count={}", devices.integer(1));
  if (devices.integer(2) > 1) out_ += fmt::format(", num_partitions={}", devices.integer(2));
  if (const WireMessage attributes = module.message(19); attributes.has(1)) {
    out_ += ", frontend_attributes=";
    write_frontend_attributes(attributes);
  }
  out_ += "\n\n";
  if (module.has(17)) write_stack_tables(module.message(17));
}

// entry_computation_layout={(f32[2]{0})->f32[]}
void ProtoText::write_layout_of_entry(const WireMessage& program_shape) {
  constexpr std::size_t kCommentEvery = 5;
  out_ += ", entry_computation_layout={(";
  const std::vector<WireMessage> parameters = program_shape.messages(1);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) out_ += ", ";
    if (i > 0 && i % kCommentEvery == 0) out_ += fmt::format("/*index={}*/", i);
    append(shape(parameters[i]));
  }
  out_ += ")->";
  append(shape(program_shape.message(2)));
  out_ += '}';
}

// input_output_alias={ {1}: (0, {}, may-alias) }
void ProtoText::write_aliases(const WireMessage& aliases) {
  bool first = true;
  for (const WireMessage& entry : aliases.messages(1)) {
    const std::int64_t kind = entry.integer(4);
    out_ += first ? ", input_output_alias={ " : ", ";
    first = false;
    append(entry.integers(1));
    out_ += fmt::format(": ({}, ", entry.integer(2));
    append(entry.integers(3));
    if (kind > 0 && kind < std::ssize(kEntryFlags)) out_ += fmt::format(", {}", kEntryFlags[kind]);
    out_ += ')';
  }
  if (!first) out_ += " }";
}

// buffer_donor={ (1, {}) }
void ProtoText::write_donors(const WireMessage& donors) {
  bool first = true;
  for (const WireMessage& entry : donors.messages(1)) {
    out_ += first ? ", buffer_donor={ (" : ", (";
    first = false;
    write(entry.integer(1), out_);
    out_ += ", ";
    append(entry.integers(2));
    out_ += ')';
  }
  if (!first) out_ += " }";
}

void ProtoText::write_stack_tables(const WireMessage& tables) {
  const auto write_names = [&](std::string_view title, std::uint32_t field) {
    const std::vector<std::string_view> names = tables.list(field);
    out_ += title;
    for (std::size_t i = 0; i < names.size(); ++i) {
      out_ += fmt::format("\n{} ", i + 1);
      append_quoted(names[i]);
    }
    out_ += "\n\n";
  };
  write_names("FileNames", 1);
  write_names("FunctionNames", 2);
  std::size_t number = 0;
  out_ += "FileLocations";
  for (const WireMessage& location : tables.messages(3)) {
    out_ += fmt::format(
        "\n{} {{file_name_id={} function_name_id={} line={} end_line={} column={} end_column={}}}",
        ++number, location.integer(1), location.integer(2), location.integer(3),
        location.integer(5), location.integer(4), location.integer(6));
  }
  number = 0;
  out_ += "\n\nStackFrames";
  for (const WireMessage& frame : tables.messages(4)) {
    // In the text, frame 1 as a parent stands for none.
    out_ += fmt::format("\n{} {{file_location_id={} parent_frame_id={}}}", ++number,
                        frame.integer(1), static_cast<std::uint64_t>(frame.integer(2)) + 1);
  }
  out_ += "\n\n\n";
}

// ---- computations ----

bool ProtoText::write_computation(const Computation& computation) {
  if (!read_instructions(computation)) return false;
  const std::int64_t root = computation.message.integer(6);
  if (instruction(root) == nullptr) return false;
  out_ += computation.name;
  out_ += " {\n";
  for (const Instruction* instruction : order(computation)) {
    if (!write_instruction(*instruction, instruction->id == root)) return false;
  }
  out_ += '}';
  const std::string_view thread = computation.message.bytes(8);
  if (!thread.empty() && thread != "main") {
    out_ += ", execution_thread=";
    append_quoted(thread);
  }
  out_ += "\n\n";
  return !file_.failed();
}

bool ProtoText::read_instructions(const Computation& computation) {
  instructions_.clear();
  instructions_by_id_.clear();
  for (WireMessage& message : computation.message.messages(2)) {
    const std::string_view name = message.bytes(1);
    if (!check_name(name, "an instruction")) return false;
    instructions_.push_back({message.integer(35), name, hlo::opcode(message.bytes(2)),
                             element_type(message.message(3)), std::move(message)});
  }
  for (const Instruction& instruction : instructions_) instructions_by_id_.push_back(&instruction);
  std::ranges::sort(instructions_by_id_, {}, &Instruction::id);
  const auto twice = std::ranges::adjacent_find(instructions_by_id_, {}, &Instruction::id);
  if (twice != instructions_by_id_.end()) {
    return file_.fail(
        fmt::format("two instructions of '{}' have the id {}", computation.name, (*twice)->id));
  }
  return !file_.failed();
}

// The order of the schedule if there is one for this computation, else that of the file.
std::vector<const ProtoText::Instruction*> ProtoText::order(const Computation& computation) {
  std::vector<const Instruction*> order;
  if (const Sequence* sequence = find_id(std::span<const Sequence>(sequences_), computation.id)) {
    for (const std::int64_t id : sequence->message.integers(1)) {
      order.push_back(instruction(id));
      if (file_.failed()) return {};
    }
    if (order.size() != instructions_.size()) {
      file_.fail(fmt::format("the schedule of '{}' has {} of its {} instructions", computation.name,
                             order.size(), instructions_.size()));
      return {};
    }
    return order;
  }
  for (const Instruction& instruction : instructions_) order.push_back(&instruction);
  return order;
}

const ProtoText::Instruction* ProtoText::instruction(std::int64_t id) {
  const auto found = std::ranges::lower_bound(instructions_by_id_, id, {}, &Instruction::id);
  if (found != instructions_by_id_.end() && (*found)->id == id) return *found;
  file_.fail(fmt::format("there is no instruction with the id {} in its computation", id));
  return nullptr;
}

const ProtoText::Computation* ProtoText::computation(std::int64_t id) {
  const Computation* found = find_id(std::span<const Computation>(computations_), id);
  if (found == nullptr) file_.fail(fmt::format("there is no computation with the id {}", id));
  return found;
}

bool ProtoText::write_instruction(const Instruction& instruction, bool is_root) {
  const std::string_view opcode = instruction.message.bytes(2);
  if (!check_name(opcode, "an opcode")) return false;
  out_ += is_root ? "  ROOT %" : "  %";
  out_ += instruction.name;
  out_ += " = ";
  append(shape(instruction.message.message(3)));
  out_ += ' ';
  out_ += opcode;
  write_arguments(instruction);
  write_attributes(instruction);
  out_ += '\n';
  if (out_.size() > longest_) {
    return file_.fail("the module is too large as a text", ErrorKind::kUnsupported);
  }
  return !file_.failed() || file_.fail_in(instruction.name);
}

void ProtoText::write_arguments(const Instruction& instruction) {
  const WireMessage& message = instruction.message;
  out_ += '(';
  if (instruction.opcode == Opcode::kParameter) {
    write(message.integer(9), out_);
  } else if (instruction.opcode == Opcode::kConstant) {
    if (message.has(8)) {
      const Literal value = literal(message.message(8));
      if (!file_.failed() && !same_type_and_dimensions(value.shape, shape(message.message(3)))) {
        file_.fail("the literal has another shape than the constant");
      }
      if (!file_.failed()) write(value, out_);
    } else {
      out_ += "{...}";
    }
  } else {
    bool first = true;
    for (const std::int64_t id : message.integers(36)) {
      const Instruction* operand = this->instruction(id);
      if (operand == nullptr) return;
      out_ += first ? "%" : ", %";
      first = false;
      out_ += operand->name;
    }
  }
  out_ += ')';
}

}  // namespace mercator::hlo
