// Reads the text of a StableHLO program into its syntax. Internal.

#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "mercator/hlo/scanner.h"
#include "mercator/hlo/stablehlo_syntax.h"
#include "mercator/support/arena.h"

namespace mercator::hlo::stablehlo {

class Parser {
 public:
  // text.data()[text.size()] must be '\0'. What is read points into the text and the arena.
  Parser(std::string_view text, Arena& arena) : scanner_(text), arena_(arena) {}

  bool read(Program* out);
  [[nodiscard]] const Error& error() const { return scanner_.error(); }

 private:
  // What stands between the name of an operation and its types.
  struct Parts {
    std::vector<Value*> operands;
    std::vector<Value*> inits;  // after `init:`; the last operands
    std::vector<NamedAttribute> attributes;
    std::vector<Attribute> words;
    std::vector<Region*> regions;
    std::vector<std::string_view> loop_names;  // of `%name = %value`
  };
  struct ResultName {
    std::string_view name;
    std::size_t count = 1;
  };

  // ---- stablehlo_parser.cc: modules, functions, operations ----
  bool read_module(Program* out);
  bool read_generic_module(Program* out);
  void note_attributes(std::span<const NamedAttribute> attributes, Program* out);
  bool read_functions(std::vector<Function>& functions, char close);
  bool read_function(std::vector<Function>& functions);
  bool read_function_results();
  bool skip_line();
  bool read_arguments(std::vector<Value*>& arguments, const Region* region);
  bool read_region(Region* region, std::vector<Value*>& arguments, int depth);
  bool read_op(Region* region, std::vector<Op*>& ops, int depth);
  bool read_result_names(std::vector<ResultName>& names);
  bool read_op_name(Op* op);
  bool read_parts(Region* region, Parts& parts, int depth);
  bool read_part(Region* region, Parts& parts, int depth);
  bool read_group(Region* region, Parts& parts, int depth);
  bool at_arguments();
  bool read_body(Region* region, Parts& parts, int depth);
  bool read_word(Parts& parts);
  bool read_operand(Value** out);
  bool read_signature(std::size_t count, std::vector<Shape>& results, std::vector<Shape>& operands);
  bool read_types(std::vector<Shape>& types);
  bool read_loop_regions(Region* region, const std::vector<Shape>& types, Parts& parts, int depth);
  bool read_reducer(Region* region, Parts& parts, int depth);
  bool make_results(Op* op, const Region* region, const std::vector<ResultName>& names,
                    const std::vector<Shape>& types);
  bool skip_locations();
  bool accept_arrow();
  // Takes the word if it is next.
  bool accept_word(std::string_view word);
  bool expect_word(std::string_view word);

  void define(std::string_view name, const std::vector<Value*>& values);
  void restore(std::size_t hidden);
  bool value_name(std::string_view* out);
  Value* make_value(std::string_view name, const Shape& type, const Region* region);

  // ---- stablehlo_attribute.cc: attributes and types ----
  // At depth 0 a ':' after the attribute is not its own.
  bool read_attribute(Attribute* out, int depth);
  bool read_one(Attribute* out, int depth);
  bool read_lists(Attribute* out, int depth);
  bool read_list(Attribute* out, int depth);
  bool read_number(Attribute* out);
  bool read_word_attribute(Attribute* out);
  bool read_fields(char close, std::vector<NamedAttribute>& fields, int depth);
  bool read_angle(Attribute* out, int depth);
  // Past the closing bracket of the one that is next, whatever stands between.
  bool skip_brackets();
  bool skip_type();
  bool read_type(Shape* out, int depth = 0);
  bool read_tensor(Shape* out);
  bool read_element_type(ElementType* out);

  template <class T>
  std::span<const T> keep(const std::vector<T>& values) {
    return arena_.copy(std::span<const T>(values));
  }
  template <class T>
  std::span<T* const> keep_pointers(const std::vector<T*>& values) {
    const std::span<T*> kept = arena_.make_array<T*>(values.size());
    std::copy(values.begin(), values.end(), kept.begin());
    return kept;
  }

  Scanner scanner_;
  Arena& arena_;
  // The values that can be seen, by name; an operation may have several results under one name.
  using Values = std::span<Value* const>;
  std::map<std::string_view, Values> values_;
  // What names stood for before the regions that are open gave them another meaning.
  std::vector<std::pair<std::string_view, Values>> hidden_;
};

}  // namespace mercator::hlo::stablehlo
