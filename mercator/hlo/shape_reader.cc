#include "mercator/hlo/shape_reader.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mercator/support/suggestion.h"

namespace mercator::hlo {
namespace {

constexpr int kMaxRank = 64;

// Layouts from major to minor are by far the most common: those of low rank are shared by all
// shapes.
constexpr std::size_t kSharedRanks = 9;
template <std::size_t kRank>
constexpr std::array<std::int64_t, kRank> kDescending = [] {
  std::array<std::int64_t, kRank> order{};
  for (std::size_t i = 0; i < kRank; ++i) order[i] = static_cast<std::int64_t>(kRank - 1 - i);
  return order;
}();
template <std::size_t... kRanks>
constexpr std::array<Layout, sizeof...(kRanks)> shared_layouts(std::index_sequence<kRanks...>) {
  return {Layout{.minor_to_major = kDescending<kRanks>}...};
}
constexpr std::array<Layout, kSharedRanks> kDefaultLayouts =
    shared_layouts(std::make_index_sequence<kSharedRanks>());

bool descending(std::span<const std::int64_t> order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<std::int64_t>(order.size() - 1 - i)) return false;
  }
  return true;
}

// The place of a layout part in the order in which XLA writes them.
int part_order(std::string_view name) {
  constexpr std::string_view kOrder[] = {"D", "T", "L", "#", "*", "E", "S", "SC", "P", "M"};
  const auto* found = std::find(std::begin(kOrder), std::end(kOrder), name);
  return found == std::end(kOrder) ? -1 : static_cast<int>(found - std::begin(kOrder));
}

}  // namespace

bool ShapeReader::at_shape() const {
  const char* p = scanner_.position();
  if (*p == '(') return true;
  if (!Scanner::is_letter(*p)) return false;
  while (Scanner::is_letter(*p) || Scanner::is_digit(*p)) ++p;
  if (*p == '[') return true;
  return *p == '(' && p == scanner_.position() + 1 && *scanner_.position() == 'b';
}

bool ShapeReader::read(Shape* out) {
  elements_.clear();
  return read_nested(out, 0);
}

bool ShapeReader::read_nested(Shape* out, int depth) {
  scanner_.skip_space();
  const char* start = scanner_.position();
  if (depth > kMaxNesting) {
    return scanner_.fail("the shape is nested too deeply", scanner_.span(start, start + 1));
  }
  if (scanner_.peek() == '(') return read_tuple(out, depth);
  const std::string_view type = scanner_.identifier();
  if (type.empty()) return scanner_.expected("a shape");
  if (type == "b" && scanner_.consume('(')) {
    Shape array;
    if (!read_nested(&array, depth + 1)) return false;
    if (!array.is_array()) {
      return scanner_.fail("a buffer holds an array", scanner_.span(start, scanner_.position()));
    }
    *out = Shape{.kind = ShapeKind::kBuffer, .element_type = array.element_type};
    out->elements = arena_.copy(std::span<const Shape>(&array, 1));
    return scanner_.expect(')', "at the end of the buffer");
  }
  return read_array(type, out);
}

bool ShapeReader::read_tuple(Shape* out, int depth) {
  scanner_.consume('(');
  const std::size_t first = elements_.size();
  if (!scanner_.accept(')')) {
    do {
      Shape element;
      if (!read_nested(&element, depth + 1)) return false;
      elements_.push_back(element);
    } while (scanner_.accept(','));
    if (!scanner_.expect(')', "or ',' after an element of the tuple")) return false;
  }
  *out = Shape{.kind = ShapeKind::kTuple};
  out->elements = arena_.copy(std::span<const Shape>(elements_).subspan(first));
  elements_.resize(first);
  return true;
}

bool ShapeReader::read_array(std::string_view type, Shape* out) {
  *out = Shape{};
  if (const std::optional<ElementType> element = element_type(type)) {
    out->element_type = *element;
  } else if (type == "token") {
    out->kind = ShapeKind::kToken;
  } else if (type == "opaque") {
    out->kind = ShapeKind::kOpaque;
  } else {
    return scanner_.fail(fmt::format("'{}' is not an element type", type), scanner_.span(type),
                         did_you_mean(nearest_words(type, element_type_names())));
  }
  scanner_.skip_space();
  const char* start = scanner_.position();
  if (!scanner_.consume('[')) return scanner_.expected("'[' after the element type");
  if (!read_dimensions(out)) return false;
  if (!out->is_array() && out->rank() != 0) {
    return scanner_.fail(fmt::format("'{}' has no dimensions", type),
                         scanner_.span(start, scanner_.position()));
  }
  if (!check_size(*out, start)) return false;
  if (!at_layout()) return true;
  return read_layout(out);
}

// The dimensions and the ']' after them.
bool ShapeReader::read_dimensions(Shape* out) {
  if (scanner_.accept(']')) return true;
  std::array<std::int64_t, kMaxRank> sizes;
  std::array<bool, kMaxRank> dynamic;
  std::size_t rank = 0;
  bool any_dynamic = false;
  do {
    scanner_.skip_space();
    const char* start = scanner_.position();
    if (rank == kMaxRank) {
      return scanner_.fail(fmt::format("the shape has more than {} dimensions", kMaxRank),
                           scanner_.span(start, start + 1));
    }
    if (scanner_.peek() == '?') {
      return scanner_.fail("a dimension without a bound is not supported",
                           scanner_.span(start, start + 1), "write it as <=N",
                           ErrorKind::kUnsupported);
    }
    dynamic[rank] = scanner_.consume('<');
    if (dynamic[rank]) {
      if (!scanner_.consume('=')) return scanner_.expected("'=' after '<'");
      any_dynamic = true;
      scanner_.skip_space();
    }
    if (!Scanner::is_digit(scanner_.peek())) {
      return scanner_.expected("the size of a dimension");
    }
    if (!scanner_.unsigned_integer(&sizes[rank])) return false;
    ++rank;
  } while (scanner_.accept(','));
  if (!scanner_.expect(']', "or ',' after a dimension")) return false;
  out->dimensions = arena_.copy(std::span<const std::int64_t>(sizes.data(), rank));
  if (any_dynamic) out->dynamic = arena_.copy(std::span<const bool>(dynamic.data(), rank));
  return true;
}

// That the size in bits fits int64 (with zero-sized dimensions left out, so that every partial
// product fits too).
bool ShapeReader::check_size(const Shape& shape, const char* start) {
  std::int64_t bits = bit_width(shape.element_type);
  for (const std::int64_t size : shape.dimensions) {
    if (size != 0 && __builtin_mul_overflow(bits, size, &bits)) {
      return scanner_.fail("the array is too large", scanner_.span(start, scanner_.position()));
    }
  }
  return true;
}

// Whether the '{' that may be next opens a layout, and not the body of a computation.
bool ShapeReader::at_layout() const {
  const char* p = scanner_.position();
  while (*p == ' ' || *p == '\t') ++p;
  if (*p != '{') return false;
  const bool adjacent = p == scanner_.position();
  ++p;
  while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t') ++p;
  return Scanner::is_digit(*p) || *p == ':' || (*p == '}' && adjacent);
}

bool ShapeReader::read_layout(Shape* out) {
  scanner_.skip_space();
  const char* start = scanner_.position();
  scanner_.consume('{');
  std::array<std::int64_t, kMaxRank> order;
  std::size_t rank = 0;
  scanner_.skip_space();
  if (Scanner::is_digit(scanner_.peek())) {
    do {
      scanner_.skip_space();
      if (rank == kMaxRank) {
        return scanner_.fail("the layout has too many dimensions",
                             scanner_.span(start, scanner_.position()));
      }
      if (!scanner_.unsigned_integer(&order[rank])) return false;
      ++rank;
    } while (scanner_.accept(','));
  }
  const std::span<const std::int64_t> minor_to_major(order.data(), rank);
  const char* after_order = scanner_.position();
  if (scanner_.accept('}')) {
    if (out->is_array() && rank == out->dimensions.size() && rank < kSharedRanks &&
        descending(minor_to_major)) {
      out->layout = &kDefaultLayouts[rank];
      return true;
    }
  } else if (!scanner_.accept(':')) {
    return scanner_.expected("'}', ',' or ':' in the layout");
  }
  std::uint64_t seen = 0;
  for (const std::int64_t dimension : minor_to_major) {
    if (dimension >= static_cast<std::int64_t>(rank) || (seen >> dimension & 1) != 0) {
      return scanner_.fail("the layout is not a permutation of the dimensions",
                           scanner_.span(start, after_order));
    }
    seen |= std::uint64_t{1} << dimension;
  }
  if (rank != out->dimensions.size()) {
    return scanner_.fail(fmt::format("the layout has {} dimensions and the shape has {}", rank,
                                     out->dimensions.size()),
                         scanner_.span(start, after_order));
  }
  Layout layout{.minor_to_major = arena_.copy(minor_to_major)};
  if (scanner_.position()[-1] == ':' && !read_layout_parts(&layout)) return false;
  if (out->is_array()) out->layout = arena_.make<Layout>(layout);
  return true;
}

// What stands between ':' and '}', and the '}'.
bool ShapeReader::read_layout_parts(Layout* out) {
  std::string other;
  int last_order = -1;
  while (!scanner_.accept('}')) {
    scanner_.skip_space();
    const char* start = scanner_.position();
    std::string_view part = scanner_.identifier();
    if (part.empty() && (scanner_.peek() == '#' || scanner_.peek() == '*')) {
      scanner_.set_position(start + 1);
      part = scanner_.since(start);
    }
    const int order = part_order(part);
    if (order < 0) {
      scanner_.set_position(start);
      return scanner_.expected("a part of a layout, such as T(8,128) or S(1)");
    }
    if (order <= last_order) {
      return scanner_.fail(fmt::format("'{}' stands twice or out of order in the layout", part),
                           scanner_.span(part), "the order is D, T, L, #, *, E, S, SC, P, M");
    }
    last_order = order;
    scanner_.skip_space();
    if (scanner_.peek() != '(') return scanner_.expected("'(' after a part of the layout");
    if (part == "T") {
      if (!read_tiles(out)) return false;
    } else if (part == "E") {
      if (!read_number_in_parentheses(&out->element_size_in_bits)) return false;
    } else if (part == "S") {
      if (!read_number_in_parentheses(&out->memory_space)) return false;
    } else {
      do {
        std::string_view ignored;
        if (!scanner_.balanced(&ignored)) return false;
      } while (scanner_.peek() == '(');
      const std::string_view written = scanner_.since(start);
      if (written.find_first_of("\"'/") != std::string_view::npos) {
        return scanner_.fail("a layout has no strings and no comments", scanner_.span(written));
      }
      other += written;
    }
  }
  out->other = arena_.copy(std::string_view(other));
  return true;
}

bool ShapeReader::read_tiles(Layout* out) {
  std::vector<LayoutTile> tiles;
  std::vector<std::int64_t> dimensions;
  while (scanner_.accept('(')) {
    dimensions.clear();
    if (!scanner_.accept(')')) {
      do {
        scanner_.skip_space();
        std::int64_t size = LayoutTile::kCombine;
        if (!scanner_.consume('*') && !scanner_.unsigned_integer(&size)) return false;
        dimensions.push_back(size);
      } while (scanner_.accept(','));
      if (!scanner_.expect(')', "or ',' in the tile")) return false;
    }
    tiles.push_back({arena_.copy(std::span<const std::int64_t>(dimensions))});
  }
  out->tiles = arena_.copy(std::span<const LayoutTile>(tiles));
  return true;
}

bool ShapeReader::read_number_in_parentheses(std::int64_t* out) {
  if (!scanner_.expect('(', "")) return false;
  scanner_.skip_space();
  return scanner_.unsigned_integer(out) && scanner_.expect(')', "after the number");
}

}  // namespace mercator::hlo
