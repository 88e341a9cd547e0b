// Reads the attributes of instructions. Internal to the reader.

#pragma once

#include <vector>

#include "mercator/hlo/literal_reader.h"
#include "mercator/hlo/module.h"
#include "mercator/hlo/names.h"
#include "mercator/hlo/scanner.h"
#include "mercator/hlo/shape_reader.h"

namespace mercator::hlo {

class AttributeReader {
 public:
  AttributeReader(Scanner& scanner, Arena& arena, Names& names)
      : scanner_(scanner),
        arena_(arena),
        names_(names),
        shapes_(scanner, arena),
        literals_(scanner, arena) {}

  // `key=value` of an instruction of that opcode.
  bool read(Opcode opcode, Attribute* out);

 private:
  bool read_value(AttributeSyntax syntax, AttributeValue* out);
  bool read_integer(AttributeValue* out);
  bool read_bool(AttributeValue* out);
  bool read_float(AttributeValue* out);
  bool read_word(AttributeValue* out);
  bool read_integers(std::span<const std::int64_t>* out);
  bool read_integer_lists(std::span<const std::span<const std::int64_t>>* out);
  bool read_words(AttributeValue* out);
  bool read_computations(AttributeValue* out);
  bool read_instructions(AttributeValue* out);
  bool read_window(AttributeValue* out);
  bool read_window_field(std::string_view field, std::vector<WindowDimension>& window);
  bool read_convolution(AttributeValue* out);
  bool read_labels(std::string_view text, char first, char second, std::int64_t* first_out,
                   std::int64_t* second_out, std::span<const std::int64_t>* spatial);
  bool read_slice(AttributeValue* out);
  bool read_padding(AttributeValue* out);
  bool read_replica_groups(AttributeValue* out);
  bool read_mesh_groups(AttributeValue* out);
  bool read_iota_groups(ReplicaGroups* out);
  bool read_bracketed_integers(char open, char close, std::span<const std::int64_t>* out);
  bool read_sparsity(AttributeValue* out);
  bool read_metadata(AttributeValue* out);
  bool read_metadata_field(Metadata* out);
  bool read_literal(AttributeValue* out);
  bool skip_literal(int depth);
  bool read_shape(AttributeValue* out);
  bool read_shapes(AttributeValue* out);

  // Reads `element` between braces, separated by commas.
  template <class Element>
  bool read_list(char open, char close, Element element);

  template <class T>
  std::span<const T> keep(const std::vector<T>& elements) {
    return arena_.copy(std::span<const T>(elements));
  }

  Scanner& scanner_;
  Arena& arena_;
  Names& names_;
  ShapeReader shapes_;
  LiteralReader literals_;
  std::vector<std::int64_t> integers_;
};

}  // namespace mercator::hlo
