#include <iterator>

#include <fmt/format.h>

#include "mercator/hlo/writer.h"

namespace mercator::hlo {
namespace {

void write_arguments(const Instruction& instruction, std::string& out) {
  constexpr std::size_t kCommentEvery = 5;
  out += '(';
  if (instruction.opcode == Opcode::kParameter) write(instruction.parameter_number, out);
  if (instruction.literal != nullptr) write(*instruction.literal, out);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    if (i > 0) out += ", ";
    if (i > 0 && i % kCommentEvery == 0) {
      fmt::format_to(std::back_inserter(out), "/*index={}*/", i);
    }
    out += '%';
    out += instruction.operands[i]->name;
  }
  out += ')';
}

void write_signature(const Computation& computation, std::string& out) {
  out += '(';
  for (std::size_t i = 0; i < computation.parameters.size(); ++i) {
    if (i > 0) out += ", ";
    out += computation.parameters[i]->name;
    out += ": ";
    write(computation.parameters[i]->shape, false, out);
  }
  out += ") -> ";
  write(computation.root->shape, false, out);
}

void write_computation(const Computation& computation, std::string& out) {
  out += computation.module->entry == &computation ? "ENTRY %" : "%";
  out += computation.name;
  out += ' ';
  write_signature(computation, out);
  out += " {\n";
  for (const Instruction* instruction : computation.instructions) {
    out += instruction->is_root() ? "  ROOT " : "  ";
    write(*instruction, out);
    out += '\n';
  }
  out += '}';
  out += computation.trailing_attributes;
  out += '\n';
}

}  // namespace

void write(const Instruction& instruction, std::string& out) {
  out += '%';
  out += instruction.name;
  out += " = ";
  write(instruction.shape, true, out);
  out += ' ';
  out += name(instruction.opcode);
  write_arguments(instruction, out);
  for (const Attribute& attribute : instruction.attributes) {
    out += ", ";
    write(attribute, out);
  }
}

std::string to_string(const Instruction& instruction) {
  std::string out;
  write(instruction, out);
  return out;
}

std::string to_string(const Module& module) {
  std::string out;
  out.reserve(module.text().size() + module.text().size() / 4);
  out += "HloModule ";
  out += module.name;
  for (const ModuleAttribute& attribute : module.attributes) {
    out += ", ";
    out += attribute.name;
    out += '=';
    out += attribute.value;
  }
  out += "\n\n";
  if (!module.stack_tables.empty()) {
    out += module.stack_tables;
    out += "\n\n";
  }
  for (const Computation* computation : module.computations) {
    write_computation(*computation, out);
    out += '\n';
  }
  return out;
}

}  // namespace mercator::hlo
