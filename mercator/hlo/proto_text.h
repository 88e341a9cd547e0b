// Writes a HloModuleProto as the HLO text that it stands for, as XLA prints it. Internal: the way
// in is `parse_module_proto`.
//
// So there is one reader of modules, with one set of checks. Only what no text can say is refused
// here: ids that name nothing, literals of the wrong size, names that are not names.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/hlo/attribute.h"
#include "mercator/hlo/literal.h"
#include "mercator/hlo/opcode.h"
#include "mercator/hlo/shape.h"
#include "mercator/hlo/wire_message.h"
#include "mercator/support/arena.h"

namespace mercator::hlo {

class ProtoText {
 public:
  ProtoText(WireFile& file, std::size_t file_size);

  // False if the file has an error; it is then in the WireFile.
  bool write_module(const WireMessage& module);
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  struct Instruction {
    std::int64_t id = 0;
    std::string_view name;
    std::optional<Opcode> opcode;     // none: the reader says so
    std::optional<ElementType> type;  // of arrays
    WireMessage message;
  };
  struct Computation {
    std::int64_t id = 0;
    std::string_view name;
    WireMessage message;
  };
  // The order of the instructions of a computation.
  struct Sequence {
    std::int64_t id = 0;  // of the computation
    WireMessage message;
  };

  // ---- proto_module.cc: modules, computations, instructions ----
  void write_header(const WireMessage& module);
  void write_layout_of_entry(const WireMessage& program_shape);
  void write_aliases(const WireMessage& aliases);
  void write_donors(const WireMessage& donors);
  void write_stack_tables(const WireMessage& tables);
  bool write_computation(const Computation& computation);
  bool write_instruction(const Instruction& instruction, bool is_root);
  void write_arguments(const Instruction& instruction);
  bool read_instructions(const Computation& computation);
  std::vector<const Instruction*> order(const Computation& computation);
  bool check_name(std::string_view name, std::string_view kind);
  // The instruction of this computation with that id; null, with an error, if there is none.
  const Instruction* instruction(std::int64_t id);
  const Computation* computation(std::int64_t id);

  // ---- proto_attributes.cc ----
  void write_attributes(const Instruction& instruction);
  void write_collective(const Instruction& instruction);
  void write_replica_groups(const WireMessage& message);
  void write_mesh_groups(const WireMessage& list);
  void write_dimensions(const Instruction& instruction);
  void write_indexing(const Instruction& instruction);
  void write_window(const WireMessage& message);
  void write_contraction(const Instruction& instruction);
  void write_sparsity(const WireMessage& message);
  void write_precision(const WireMessage& message);
  void write_library(const Instruction& instruction);
  void write_host(const Instruction& instruction);
  void write_custom_call(const Instruction& instruction);
  void write_comparison(const Instruction& instruction);
  void append_with_shapes(const Literal& literal);
  void write_aliasing(const WireMessage& message);
  void write_called(const Instruction& instruction);
  void write_notes(const Instruction& instruction);
  void write_origin(const WireMessage& origin, const Shape& shape);
  void append_origin(const Shape& shape, std::vector<std::int64_t>& index,
                     const std::map<std::vector<std::int64_t>, std::string>& arrays);
  void write_statistics(const WireMessage& message);
  void write_metadata(const WireMessage& metadata);
  void write_backend_config(std::string_view config);
  void write_frontend_attributes(const WireMessage& attributes);
  [[nodiscard]] std::string_view backend_config(const WireMessage& message);

  // `, name=` of an attribute, and attributes with their values.
  void begin(AttributeName attribute);
  void write_integer(AttributeName attribute, std::int64_t value);
  void write_true(AttributeName attribute, bool value);
  void write_word(AttributeName attribute, std::string_view word);
  void write_word(AttributeName attribute, std::span<const std::string_view> words,
                  std::int64_t index);
  void write_quoted(AttributeName attribute, std::string_view text);
  void write_integers(AttributeName attribute, std::span<const std::int64_t> values);
  void write_nonempty(AttributeName attribute, std::span<const std::int64_t> values);
  void write_computation(AttributeName attribute, std::int64_t id);
  void write_computations(AttributeName attribute, std::span<const std::int64_t> ids);

  // {1,2}
  void append(std::span<const std::int64_t> values, char open = '{', char close = '}');
  void append_quoted(std::string_view text);
  void append_value(std::string_view text);

  // ---- proto_sharding.cc ----
  [[nodiscard]] bool can_write(const WireMessage& sharding, int depth = 0) const;
  void append_sharding(const WireMessage& sharding, int depth = 0);
  void append_tile_assignment(const WireMessage& sharding);
  void append_metadata(const WireMessage& metadata);

  // ---- proto_shape.cc: shapes and literals ----
  Shape shape(const WireMessage& message, int depth = 0);
  // Of a shape that is an array.
  static std::optional<ElementType> element_type(const WireMessage& shape);
  const Layout* layout(const WireMessage& message, std::size_t rank, int depth);
  std::string other_parts(const WireMessage& message, int depth);
  Literal literal(const WireMessage& message, int depth = 0);
  // The elements in the order in which they lie in the file.
  std::string elements(const WireMessage& message, ElementType type, std::int64_t count);
  void append(const Shape& shape);

  template <class T>
  std::span<const T> keep(const std::vector<T>& values) {
    return arena_.copy(std::span<const T>(values));
  }

  WireFile& file_;
  Arena arena_;
  std::string out_;
  std::size_t longest_ = 0;
  std::vector<Computation> computations_;  // by id
  std::vector<std::string_view> payloads_;
  std::vector<Sequence> sequences_;  // of the schedule, by id
  // Of the computation that is being written.
  std::vector<Instruction> instructions_;  // as in the file
  std::vector<const Instruction*> instructions_by_id_;
};

}  // namespace mercator::hlo
