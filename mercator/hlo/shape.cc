#include "mercator/hlo/shape.h"

#include <algorithm>

#include <fmt/format.h>

#include "mercator/hlo/name_index.h"
#include "mercator/hlo/shape_reader.h"
#include "mercator/hlo/writer.h"

namespace mercator::hlo {
namespace {

constexpr NameIndex kNames(std::to_array<std::string_view>({
#define MERCATOR_X(id, name, bits) name,
    MERCATOR_HLO_ELEMENT_TYPES(MERCATOR_X)
#undef MERCATOR_X
}));

constexpr std::uint8_t kBits[] = {
#define MERCATOR_X(id, name, bits) bits,
    MERCATOR_HLO_ELEMENT_TYPES(MERCATOR_X)
#undef MERCATOR_X
};

bool is_default(const Shape& shape) {
  const std::int64_t rank = shape.rank();
  for (std::int64_t i = 0; i < rank; ++i) {
    if (shape.layout->minor_to_major[i] != rank - 1 - i) return false;
  }
  const Layout& layout = *shape.layout;
  return layout.tiles.empty() && layout.memory_space == 0 && layout.element_size_in_bits == 0 &&
         layout.other.empty();
}

bool same_layout(const Shape& a, const Shape& b) {
  if (a.layout == b.layout) return true;
  if (a.layout == nullptr) return is_default(b);
  if (b.layout == nullptr) return is_default(a);
  return std::ranges::equal(a.layout->minor_to_major, b.layout->minor_to_major) &&
         std::ranges::equal(a.layout->tiles, b.layout->tiles,
                            [](const LayoutTile& x, const LayoutTile& y) {
                              return std::ranges::equal(x.dimensions, y.dimensions);
                            }) &&
         a.layout->memory_space == b.layout->memory_space &&
         a.layout->element_size_in_bits == b.layout->element_size_in_bits &&
         a.layout->other == b.layout->other;
}

bool same_dynamic(const Shape& a, const Shape& b) {
  for (std::size_t i = 0; i < a.dimensions.size(); ++i) {
    const bool in_a = !a.dynamic.empty() && a.dynamic[i];
    const bool in_b = !b.dynamic.empty() && b.dynamic[i];
    if (in_a != in_b) return false;
  }
  return true;
}

void collect_leaves(const Shape& shape, std::vector<std::int64_t>& index,
                    std::vector<ShapeLeaf>& out) {
  if (!shape.is_tuple()) {
    out.push_back({index, shape});
    return;
  }
  for (std::size_t i = 0; i < shape.elements.size(); ++i) {
    index.push_back(static_cast<std::int64_t>(i));
    collect_leaves(shape.elements[i], index, out);
    index.pop_back();
  }
}

}  // namespace

std::string_view name(ElementType type) { return kNames[static_cast<std::size_t>(type)]; }

std::int64_t bit_width(ElementType type) { return kBits[static_cast<std::size_t>(type)]; }

std::optional<ElementType> element_type(std::string_view name) {
  const int found = kNames.find(name);
  if (found < 0) return std::nullopt;
  return static_cast<ElementType>(found);
}

std::vector<std::string_view> element_type_names() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kNames.size(); ++i) names.push_back(kNames[i]);
  names.push_back("token");
  names.push_back("opaque");
  return names;
}

bool is_signed(ElementType type) { return type >= ElementType::kS1 && type <= ElementType::kS64; }

bool is_integral(ElementType type) { return type >= ElementType::kS1 && type <= ElementType::kU64; }

bool is_floating(ElementType type) {
  return type >= ElementType::kF16 && type <= ElementType::kF8e8m0fnu;
}

bool is_complex(ElementType type) {
  return type == ElementType::kC64 || type == ElementType::kC128;
}

std::int64_t Shape::element_count() const {
  std::int64_t count = 1;
  for (const std::int64_t size : dimensions) count *= size;
  return count;
}

std::vector<ShapeLeaf> leaves(const Shape& shape) {
  std::vector<ShapeLeaf> out;
  std::vector<std::int64_t> index;
  collect_leaves(shape, index, out);
  return out;
}

std::int64_t bits_in_memory(const Shape& array) {
  if (array.layout != nullptr && array.layout->element_size_in_bits > 0) {
    return array.layout->element_size_in_bits;
  }
  return std::max<std::int64_t>(8, bit_width(array.element_type));
}

std::vector<std::int64_t> minor_to_major(const Shape& shape) {
  if (shape.layout != nullptr) {
    return {shape.layout->minor_to_major.begin(), shape.layout->minor_to_major.end()};
  }
  std::vector<std::int64_t> order;
  for (std::int64_t i = shape.rank(); i-- > 0;) order.push_back(i);
  return order;
}

bool same_type_and_dimensions(const Shape& a, const Shape& b) {
  if (a.kind != b.kind) return false;
  if (a.is_array()) {
    return a.element_type == b.element_type && std::ranges::equal(a.dimensions, b.dimensions);
  }
  return std::ranges::equal(a.elements, b.elements, same_type_and_dimensions);
}

bool identical(const Shape& a, const Shape& b) {
  if (a.kind != b.kind) return false;
  if (a.is_array()) {
    return a.element_type == b.element_type && std::ranges::equal(a.dimensions, b.dimensions) &&
           same_dynamic(a, b) && same_layout(a, b);
  }
  return std::ranges::equal(a.elements, b.elements, identical);
}

std::string to_string(const Shape& shape, bool layout) {
  std::string out;
  write(shape, layout, out);
  return out;
}

Result<Shape> parse_shape(std::string_view text, Arena& arena) {
  Scanner scanner(terminated(text, arena));
  if (text.size() > kLongestText) {
    return fail(ErrorKind::kInvalidInput, "the text is longer than 4 GiB");
  }
  Shape shape;
  if (!ShapeReader(scanner, arena).read(&shape)) return std::unexpected(scanner.error());
  scanner.skip_space();
  if (!scanner.at_end()) scanner.expected("the end of the shape");
  if (scanner.failed()) return std::unexpected(scanner.error());
  return shape;
}

Shape copy(const Shape& shape, Arena& arena) {
  Shape out = shape;
  out.dimensions = arena.copy(shape.dimensions);
  out.dynamic = arena.copy(shape.dynamic);
  if (shape.layout != nullptr) {
    Layout layout = *shape.layout;
    layout.minor_to_major = arena.copy(layout.minor_to_major);
    const std::span<LayoutTile> tiles = arena.make_array<LayoutTile>(layout.tiles.size());
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      tiles[i].dimensions = arena.copy(layout.tiles[i].dimensions);
    }
    layout.tiles = tiles;
    layout.other = arena.copy(layout.other);
    out.layout = arena.make<Layout>(layout);
  }
  const std::span<Shape> elements = arena.make_array<Shape>(shape.elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = copy(shape.elements[i], arena);
  out.elements = elements;
  return out;
}

Shape array_shape(ElementType type, std::span<const std::int64_t> dimensions, Arena& arena) {
  return Shape{.element_type = type, .dimensions = arena.copy(dimensions)};
}

}  // namespace mercator::hlo
