// Reads literals. Internal to the reader.

#pragma once

#include <vector>

#include "mercator/hlo/literal.h"
#include "mercator/hlo/scanner.h"
#include "mercator/support/arena.h"

namespace mercator::hlo {

class LiteralReader {
 public:
  LiteralReader(Scanner& scanner, Arena& arena) : scanner_(scanner), arena_(arena) {}

  // The literal of that shape that is next.
  bool read(const Shape& shape, Literal* out);

 private:
  bool read_nested(const Shape& shape, Literal* out);
  bool read_tuple(const Shape& shape, Literal* out);
  bool read_array(const Shape& shape, Literal* out);
  bool read_elided(Literal* out);
  bool read_braces(const Shape& shape);
  bool open_brace(const Shape& shape, std::size_t depth);
  bool close_brace(const Shape& shape, std::size_t depth);
  bool read_element(ElementType type);
  bool read_pred();
  bool read_integer(ElementType type);
  bool read_float(ElementType type);
  bool read_complex(ElementType type);
  bool read_number(const char* start, bool negative, double* out);
  bool read_nan(const char* start, ElementType type, bool negative);
  void append(std::uint64_t bits, std::size_t bytes);

  Scanner& scanner_;
  Arena& arena_;
  std::vector<std::byte> data_;
  // How many elements of the open braces have been seen, per depth.
  std::vector<std::int64_t> seen_;
};

}  // namespace mercator::hlo
