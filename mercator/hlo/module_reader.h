// Reads modules. Internal: the way in is `parse_module`.

#pragma once

#include <string_view>
#include <vector>

#include "mercator/hlo/attribute_reader.h"
#include "mercator/hlo/literal_reader.h"
#include "mercator/hlo/module.h"
#include "mercator/hlo/names.h"
#include "mercator/hlo/order.h"
#include "mercator/hlo/scanner.h"
#include "mercator/hlo/shape_reader.h"

namespace mercator::hlo {

class ModuleReader {
 public:
  // Fills in `module`, whose text is set.
  explicit ModuleReader(Module& module);

  bool read();
  [[nodiscard]] const Error& error() const { return scanner_.error(); }

 private:
  // An operand or a computation whose shape the text says in passing; checked when all shapes are
  // known.
  struct StatedShape {
    const Instruction* instruction;
    Shape shape;
    TextSpan span;
  };
  struct Signature {
    const Computation* computation;
    std::span<const Shape> parameters;
    Shape result;
    TextSpan span;
  };

  // ---- module_reader.cc: the module and its computations ----
  bool read_header();
  bool read_module_attribute();
  bool read_stack_tables();
  bool read_computation();
  bool read_signature(Computation& computation);
  bool read_body(Computation& computation);
  bool read_trailing_attributes(Computation& computation);
  // A text of instructions only.
  bool read_bare_instructions();
  [[nodiscard]] bool at_bare_instruction();

  // ---- instruction_reader.cc: one line ----
  bool read_instruction(Computation& computation);
  bool read_instruction_without_name(Computation& computation);
  bool read_right_side(Instruction& instruction, const char* start);
  bool read_definition(Instruction& instruction, int depth);
  bool read_opcode(Instruction& instruction);
  bool read_arguments(Instruction& instruction, int depth);
  bool read_parameter_number(Instruction& instruction);
  bool read_constant(Instruction& instruction);
  bool read_operands(Instruction& instruction, int depth);
  bool read_operand(Instruction& user, int depth);
  bool read_nested(Instruction& user, const char* start, int depth);
  std::string_view new_name(std::string_view stem);
  bool read_attributes(Instruction& instruction, const char** end);
  bool read_wrapped(Instruction& start);
  void note_calls(Computation& caller, const Attribute& attribute);
  void add(Instruction& instruction, Computation& computation);

  // ---- module_checks.cc: what can be told only at the end ----
  bool finish_computation(Computation& computation);
  bool check_defined(const Computation& computation);
  bool collect_parameters(Computation& computation);
  bool make_parameters_of_undefined(Computation& computation);
  bool finish_module();
  bool check_computations_defined();
  bool choose_entry();
  void name_wrapped_computations();
  bool check_short_ends();
  bool check_calls_acyclic();
  bool infer_missing_shapes();
  bool check_stated_shapes();
  bool check_signatures();
  void number_instructions_again();
  // Of the first instruction of the computation that is being read.
  [[nodiscard]] std::uint32_t first_id() const {
    return static_cast<std::uint32_t>(module_.instructions.size());
  }

  Module& module_;
  Arena& arena_;
  Scanner scanner_;
  ShapeReader shapes_;
  LiteralReader literals_;
  Names names_;
  AttributeReader attributes_reader_;

  // Of the computation that is being read.
  std::vector<Instruction*> instructions_;
  std::vector<Instruction*> parameters_;
  bool forward_reference_ = false;
  // For the names of instructions that stand where they are used.
  int nested_count_ = 0;
  // The operands of all instructions that are open: each takes its own off the end.
  std::vector<Instruction*> operands_;
  std::vector<Attribute> attributes_;

  std::vector<Call> calls_;
  std::vector<Computation*> callees_first_;
  std::vector<StatedShape> stated_shapes_;
  std::vector<Signature> signatures_;
  std::vector<Computation*> wrapped_;
  // Each `x-update` and `x-done`, and the opcode x.
  std::vector<std::pair<const Instruction*, Opcode>> short_ends_;
  std::vector<Instruction*> without_shape_;
  // Of operands with a type, in a text of instructions only: they may turn out to be parameters.
  bool bare_ = false;
  // The opcode that `x-start`, `x-update` or `x-done` wraps, where these are not opcodes.
  std::optional<Opcode> wrapped_opcode_;
};

}  // namespace mercator::hlo
