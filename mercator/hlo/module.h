// Modules, computations and instructions of HLO.
//
// A `Module` owns all of it: the text that it was read from (names and raw values are views into
// it) and an arena with the rest. Instructions and computations are addressed by pointer, stay
// where they are, and know their number in the module.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/hlo/attribute.h"
#include "mercator/hlo/literal.h"
#include "mercator/hlo/opcode.h"
#include "mercator/hlo/shape.h"
#include "mercator/hlo/source.h"
#include "mercator/support/arena.h"
#include "mercator/support/error.h"

namespace mercator::hlo {

class Module;

class Instruction {
 public:
  std::string_view name;  // without '%'
  Opcode opcode = Opcode::kParameter;
  Shape shape;
  std::span<Instruction* const> operands = {};
  std::span<const Attribute> attributes = {};  // in the order of the text
  Computation* parent = nullptr;
  std::uint32_t id = 0;                // place in Module::instructions
  std::int64_t parameter_number = -1;  // of `parameter(N)`
  const Literal* literal = nullptr;    // of `constant(…)`
  // Where the instruction stands in the text of the module.
  TextSpan span;

  [[nodiscard]] const Instruction& operand(std::size_t i) const { return *operands[i]; }
  [[nodiscard]] bool is_root() const;

  [[nodiscard]] const Attribute* find(AttributeName attribute) const;
  // The value of an attribute of that type, or what is meant when it is missing. For `T` one of the
  // alternatives of AttributeValue: `get<Window>(AttributeName::kWindow)`.
  template <class T>
  [[nodiscard]] T get(AttributeName attribute, T otherwise = {}) const {
    const Attribute* found = find(attribute);
    if (found == nullptr) return otherwise;
    const T* value = std::get_if<T>(&found->value);
    return value != nullptr ? *value : otherwise;
  }
  [[nodiscard]] std::span<const std::int64_t> integers(AttributeName attribute) const {
    return get<std::span<const std::int64_t>>(attribute);
  }
  [[nodiscard]] std::int64_t integer(AttributeName attribute, std::int64_t otherwise) const {
    return get<std::int64_t>(attribute, otherwise);
  }
  // The computation of calls, to_apply, body, …; null if the attribute is missing.
  [[nodiscard]] const Computation* computation(AttributeName attribute) const {
    return get<Computation*>(attribute, nullptr);
  }
  // Every computation that an attribute names, in the order of the text.
  [[nodiscard]] std::vector<const Computation*> called_computations() const;
};

class Computation {
 public:
  std::string_view name;  // without '%'
  std::uint32_t id = 0;   // place in Module::computations
  Module* module = nullptr;
  // In the order of the text, which need not be an order of evaluation.
  std::span<Instruction* const> instructions = {};
  std::span<Instruction* const> parameters = {};  // by number
  Instruction* root = nullptr;
  std::string_view execution_thread = {};
  // What follows the closing brace (`, execution_thread="…"`), as written.
  std::string_view trailing_attributes = {};
  TextSpan span;

  // Operands before users. The reader guarantees that there is such an order.
  [[nodiscard]] std::vector<const Instruction*> post_order() const;
  [[nodiscard]] const Instruction* find(std::string_view instruction_name) const;
};

// `key=value` of the line that starts with HloModule; the value as written.
struct ModuleAttribute {
  std::string_view name;
  std::string_view value;
};

class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::string_view name;
  std::vector<ModuleAttribute> attributes;  // in the order of the text
  bool is_scheduled = false;
  std::int64_t replica_count = 1;
  std::int64_t partition_count = 1;
  // The tables between the module line and the first computation (FileNames, FunctionNames,
  // FileLocations, StackFrames), as written.
  std::string_view stack_tables = {};
  std::vector<Computation*> computations;  // in the order of the text
  std::vector<Instruction*> instructions;  // by id
  Computation* entry = nullptr;
  Source source;

  // The HLO text that the module was read from, or that stands for the file that it was read from.
  [[nodiscard]] std::string_view text() const { return *text_; }
  [[nodiscard]] const Computation* find(std::string_view computation_name) const;
  Arena& arena() { return arena_; }

 private:
  friend Result<std::unique_ptr<Module>> parse_module(std::string text);
  std::unique_ptr<const std::string> text_ = std::make_unique<const std::string>();
  Arena arena_;
};

// Reads a module as XLA prints it, and checks what reading needs: names that resolve, no cyclic
// operands, one root and one entry. An error carries the span of the text that it is about. Linear
// in the size of the text, in time and memory. Does not verify; see verifier.h.
[[nodiscard]] Result<std::unique_ptr<Module>> parse_module(std::string text);

// Reads a module from the bytes of a HloModuleProto, or of a HloProto or a HloSnapshot, in which
// one lies. An error names the byte or the instruction that it is about; it has no span. The text
// of the module is the one that XLA would print for it.
[[nodiscard]] Result<std::unique_ptr<Module>> parse_module_proto(std::string_view bytes);

// Reads a module from StableHLO text, in the pretty or the generic form: the dialects stablehlo and
// func, and what JAX uses of chlo. The text of the module is HLO that means the same. An error
// carries the span of the StableHLO text that it is about.
[[nodiscard]] Result<std::unique_ptr<Module>> parse_stablehlo(const std::string& text);

// Reads a module from a file in any of these forms, which is told by its content.
[[nodiscard]] Result<std::unique_ptr<Module>> read_module(std::string bytes);

// The module as text that reads back to the same module (`same` below).
[[nodiscard]] std::string to_string(const Module& module);
// One instruction as on its line, without indentation.
[[nodiscard]] std::string to_string(const Instruction& instruction);

// The first difference between two modules in everything that the reader reads, in words; none if
// they are the same. Positions in the text do not count.
[[nodiscard]] std::optional<std::string> difference(const Module& a, const Module& b);

}  // namespace mercator::hlo
