#include <iterator>

#include <fmt/format.h>

#include "mercator/hlo/writer.h"

namespace mercator::hlo {
namespace {

void write_numbers(std::span<const std::int64_t> numbers, std::string& out) {
  bool first = true;
  for (const std::int64_t number : numbers) {
    if (!first) out += ',';
    first = false;
    write(number, out);
  }
}

void write_tile(const LayoutTile& tile, std::string& out) {
  out += '(';
  bool first = true;
  for (const std::int64_t size : tile.dimensions) {
    if (!first) out += ',';
    first = false;
    if (size == LayoutTile::kCombine) {
      out += '*';
    } else {
      write(size, out);
    }
  }
  out += ')';
}

// Where `other` is cut in three by the parts of a layout that have fields: D(…) stands before the
// tiles, SC(…), P(…) and M(…) stand after the memory space.
struct OtherParts {
  std::string_view before_tiles;
  std::string_view before_element_size;
  std::string_view after_memory_space;
};

OtherParts split(std::string_view other) {
  OtherParts parts;
  std::size_t depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (other[i] == '(') ++depth;
    if (other[i] != ')' || --depth != 0) continue;
    if (i + 1 < other.size() && other[i + 1] == '(') continue;
    const char name = other[start];
    std::string_view& part = name == 'D' ? parts.before_tiles
                             : name == 'S' || name == 'P' || name == 'M'
                                 ? parts.after_memory_space
                                 : parts.before_element_size;
    if (part.empty()) part = other.substr(start, 0);
    part = {part.data(), static_cast<std::size_t>(other.data() + i + 1 - part.data())};
    start = i + 1;
  }
  return parts;
}

void write_layout(const Layout& layout, std::string& out) {
  out += '{';
  write_numbers(layout.minor_to_major, out);
  const bool plain = layout.tiles.empty() && layout.memory_space == 0 &&
                     layout.element_size_in_bits == 0 && layout.other.empty();
  if (!plain) {
    const OtherParts parts = split(layout.other);
    out += ':';
    out += parts.before_tiles;
    if (!layout.tiles.empty()) {
      out += 'T';
      for (const LayoutTile& tile : layout.tiles) write_tile(tile, out);
    }
    out += parts.before_element_size;
    if (layout.element_size_in_bits != 0) {
      fmt::format_to(std::back_inserter(out), "E({})", layout.element_size_in_bits);
    }
    if (layout.memory_space != 0) {
      fmt::format_to(std::back_inserter(out), "S({})", layout.memory_space);
    }
    out += parts.after_memory_space;
  }
  out += '}';
}

void write_array(const Shape& shape, bool layout, std::string& out) {
  out += name(shape.element_type);
  out += '[';
  for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
    if (i > 0) out += ',';
    if (!shape.dynamic.empty() && shape.dynamic[i]) out += "<=";
    write(shape.dimensions[i], out);
  }
  out += ']';
  if (layout && shape.layout != nullptr) write_layout(*shape.layout, out);
}

void write_tuple(const Shape& shape, bool layout, std::string& out) {
  constexpr std::size_t kCommentEvery = 5;
  out += '(';
  for (std::size_t i = 0; i < shape.elements.size(); ++i) {
    if (i > 0) out += ", ";
    if (i > 0 && i % kCommentEvery == 0) {
      fmt::format_to(std::back_inserter(out), "/*index={}*/", i);
    }
    write(shape.elements[i], layout, out);
  }
  out += ')';
}

}  // namespace

void write(std::int64_t value, std::string& out) {
  const fmt::format_int text(value);
  out.append(text.data(), text.size());
}

void write(const Shape& shape, bool layout, std::string& out) {
  switch (shape.kind) {
    case ShapeKind::kArray:
      return write_array(shape, layout, out);
    case ShapeKind::kTuple:
      return write_tuple(shape, layout, out);
    case ShapeKind::kToken:
      out += "token[]";
      break;
    case ShapeKind::kOpaque:
      out += "opaque[]";
      break;
    case ShapeKind::kBuffer:
      out += "b(";
      write(shape.elements[0], layout, out);
      out += ')';
      return;
  }
  if (layout && shape.layout != nullptr) write_layout(*shape.layout, out);
}

}  // namespace mercator::hlo
