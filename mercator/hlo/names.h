// The instructions and computations that a text has named so far, whether defined yet or not.
// Internal to the reader.

#pragma once

#include <string_view>
#include <vector>

#include "mercator/hlo/module.h"
#include "mercator/hlo/name_table.h"
#include "mercator/hlo/scanner.h"

namespace mercator::hlo {

// An object comes into being when its name first stands in the text; its definition fills it in. So
// names may be used before they are defined, and nothing needs to be patched.
class Names {
 public:
  Names(Scanner& scanner, Arena& arena) : scanner_(scanner), arena_(arena) {}

  // Forgets the instructions of the computation before.
  void new_computation() {
    instructions_.new_scope();
    undefined_instructions_.clear();
  }

  // What `name` stands for where it is used.
  Instruction* use_instruction(std::string_view name) {
    return use(name, instructions_, undefined_instructions_);
  }
  Computation* use_computation(std::string_view name) {
    return use(name, computations_, undefined_computations_);
  }

  // The object to fill in where `name` is defined; null, with an error, if it has been defined
  // before.
  Instruction* define_instruction(std::string_view name) {
    return define(name, instructions_, "instruction");
  }
  Computation* define_computation(std::string_view name) {
    return define(name, computations_, "computation");
  }

  [[nodiscard]] bool is_free_computation_name(std::string_view name) const {
    return computations_.find(name) == nullptr;
  }
  [[nodiscard]] bool is_free_instruction_name(std::string_view name) const {
    return instructions_.find(name) == nullptr;
  }

  // Objects in the order of their first use before definition. They may have been defined since.
  [[nodiscard]] const std::vector<Instruction*>& used_before_definition() const {
    return undefined_instructions_;
  }
  [[nodiscard]] const std::vector<Computation*>& computations_used_before_definition() const {
    return undefined_computations_;
  }

  static bool is_defined(const Instruction& instruction) { return instruction.parent != nullptr; }
  static bool is_defined(const Computation& computation) { return computation.module != nullptr; }

 private:
  template <class T>
  T* use(std::string_view name, NameTable<T>& table, std::vector<T*>& undefined) {
    T*& slot = table.slot(name);
    if (slot == nullptr) {
      slot = arena_.make<T>();
      slot->name = name;
      undefined.push_back(slot);
    }
    return slot;
  }

  template <class T>
  T* define(std::string_view name, NameTable<T>& table, std::string_view kind) {
    T*& slot = table.slot(name);
    if (slot == nullptr) {
      slot = arena_.make<T>();
      slot->name = name;
    } else if (is_defined(*slot)) {
      fail_twice(name, kind);
      return nullptr;
    }
    return slot;
  }

  void fail_twice(std::string_view name, std::string_view kind);

  Scanner& scanner_;
  Arena& arena_;
  NameTable<Instruction> instructions_;
  NameTable<Computation> computations_;
  std::vector<Instruction*> undefined_instructions_;
  std::vector<Computation*> undefined_computations_;
};

}  // namespace mercator::hlo
