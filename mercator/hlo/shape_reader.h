// Reads shapes. Internal to the reader.

#pragma once

#include "mercator/hlo/scanner.h"
#include "mercator/hlo/shape.h"
#include "mercator/support/arena.h"

namespace mercator::hlo {

// Shapes, literals and nested operands may nest this deep; more is refused, so that no input can
// exhaust the stack.
inline constexpr int kMaxNesting = 200;

class ShapeReader {
 public:
  ShapeReader(Scanner& scanner, Arena& arena) : scanner_(scanner), arena_(arena) {}

  // The shape that is next, with the layout that follows it.
  bool read(Shape* out);
  // Whether a shape is next, rather than a name: "(", "b(" or an element type before "[".
  [[nodiscard]] bool at_shape() const;

 private:
  bool read_nested(Shape* out, int depth);
  bool read_tuple(Shape* out, int depth);
  bool read_array(std::string_view type, Shape* out);
  bool read_dimensions(Shape* out);
  bool check_size(const Shape& shape, const char* start);
  [[nodiscard]] bool at_layout() const;
  bool read_layout(Shape* out);
  bool read_layout_parts(Layout* out);
  bool read_tiles(Layout* out);
  bool read_number_in_parentheses(std::int64_t* out);

  Scanner& scanner_;
  Arena& arena_;
  // The elements of all tuples that are open: each takes its own off the end.
  std::vector<Shape> elements_;
};

}  // namespace mercator::hlo
