// Shapes, layouts and literals of a HloModuleProto. The numbers are those of ShapeProto,
// LayoutProto and LiteralProto.

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "mercator/hlo/proto_text.h"
#include "mercator/hlo/shape_reader.h"
#include "mercator/hlo/writer.h"

namespace mercator::hlo {
namespace {

// How the elements of a type lie in a LiteralProto.
enum class Encoding : std::uint8_t {
  kVarints,  // a number each
  kFixed,    // as bytes of a float or double each, or two for complex types
  kBytes,    // one string of bytes, little-endian
};

// The number of a type in PrimitiveType, and the field of LiteralProto with its elements.
struct WireType {
  ElementType type;
  std::int64_t number;
  std::uint32_t field;
  Encoding encoding;
};
constexpr auto kWireTypes = std::to_array<WireType>({
    {ElementType::kPred, 1, 2, Encoding::kVarints},
    {ElementType::kS1, 30, 30, Encoding::kBytes},
    {ElementType::kS2, 26, 26, Encoding::kBytes},
    {ElementType::kS4, 21, 21, Encoding::kBytes},
    {ElementType::kS8, 2, 15, Encoding::kBytes},
    {ElementType::kS16, 3, 17, Encoding::kBytes},
    {ElementType::kS32, 4, 4, Encoding::kVarints},
    {ElementType::kS64, 5, 5, Encoding::kVarints},
    {ElementType::kU1, 31, 31, Encoding::kBytes},
    {ElementType::kU2, 27, 27, Encoding::kBytes},
    {ElementType::kU4, 22, 22, Encoding::kBytes},
    {ElementType::kU8, 6, 3, Encoding::kBytes},
    {ElementType::kU16, 7, 16, Encoding::kBytes},
    {ElementType::kU32, 8, 6, Encoding::kVarints},
    {ElementType::kU64, 9, 7, Encoding::kVarints},
    {ElementType::kF16, 10, 11, Encoding::kBytes},
    {ElementType::kBf16, 16, 13, Encoding::kBytes},
    {ElementType::kF32, 11, 8, Encoding::kFixed},
    {ElementType::kF64, 12, 9, Encoding::kFixed},
    {ElementType::kF8e5m2, 19, 19, Encoding::kBytes},
    {ElementType::kF8e4m3, 28, 28, Encoding::kBytes},
    {ElementType::kF8e4m3fn, 20, 20, Encoding::kBytes},
    {ElementType::kF8e4m3b11fnuz, 23, 23, Encoding::kBytes},
    {ElementType::kF8e3m4, 29, 29, Encoding::kBytes},
    {ElementType::kF8e5m2fnuz, 24, 24, Encoding::kBytes},
    {ElementType::kF8e4m3fnuz, 25, 25, Encoding::kBytes},
    {ElementType::kF4e2m1fn, 32, 32, Encoding::kBytes},
    {ElementType::kF8e8m0fnu, 33, 33, Encoding::kBytes},
    {ElementType::kC64, 15, 12, Encoding::kFixed},
    {ElementType::kC128, 18, 18, Encoding::kFixed},
});
constexpr std::int64_t kTuple = 13;
constexpr std::int64_t kOpaque = 14;
constexpr std::int64_t kToken = 17;
constexpr std::int64_t kBuffer = 34;

std::string_view type_name(std::int64_t number) {
  const auto* found = std::ranges::find(kWireTypes, number, &WireType::number);
  return found == kWireTypes.end() ? "?" : name(found->type);
}

// An element of less than a byte has a byte for itself, in which it fills the lowest bits.
void extend(std::string& elements, ElementType type) {
  const std::int64_t bits = bit_width(type);
  const unsigned sign = is_signed(type) ? 1U << (bits - 1) : 0;
  for (char& element : elements) {
    const unsigned value = static_cast<unsigned char>(element) & ((1U << bits) - 1);
    element = static_cast<char>((value ^ sign) - sign);
  }
}

// None if the number of elements leaves int64.
std::optional<std::int64_t> count_elements(std::span<const std::int64_t> sizes) {
  std::int64_t count = 1;
  if (std::ranges::find(sizes, 0) != sizes.end()) return 0;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

// The elements of an array from the order in memory into row-major order.
std::string in_row_major_order(std::string_view elements, const Shape& shape) {
  const std::vector<std::int64_t> order = minor_to_major(shape);
  const auto rank = static_cast<std::size_t>(shape.rank());
  std::vector<std::size_t> stride(rank);
  std::size_t step = 1;
  for (const std::int64_t d : order) {
    stride[static_cast<std::size_t>(d)] = step;
    step *= static_cast<std::size_t>(shape.dimensions[static_cast<std::size_t>(d)]);
  }
  const auto bytes = static_cast<std::size_t>(element_bytes(shape.element_type));
  std::string out;
  out.reserve(elements.size());
  std::vector<std::int64_t> index(rank);
  std::size_t at = 0;
  while (out.size() < elements.size()) {
    out += elements.substr(at * bytes, bytes);
    for (std::size_t d = rank; d-- > 0;) {
      at += stride[d];
      if (++index[d] < shape.dimensions[d]) break;
      at -= stride[d] * static_cast<std::size_t>(index[d]);
      index[d] = 0;
    }
  }
  return out;
}

bool is_permutation(std::span<const std::int64_t> order, std::size_t rank) {
  std::vector<bool> seen(rank);
  for (const std::int64_t d : order) {
    if (d < 0 || d >= static_cast<std::int64_t>(rank) || seen[static_cast<std::size_t>(d)]) {
      return false;
    }
    seen[static_cast<std::size_t>(d)] = true;
  }
  return order.size() == rank;
}

}  // namespace

void ProtoText::append(const Shape& shape) { write(shape, true, out_); }

std::optional<ElementType> ProtoText::element_type(const WireMessage& shape) {
  const auto* found = std::ranges::find(kWireTypes, shape.integer(2), &WireType::number);
  if (found == kWireTypes.end()) return std::nullopt;
  return found->type;
}

Shape ProtoText::shape(const WireMessage& message, int depth) {
  Shape shape;
  if (depth > kMaxNesting) {
    file_.fail("a shape is nested too deeply");
    return shape;
  }
  const std::int64_t number = message.integer(2);
  if (number == kTuple || number == kBuffer) {
    shape.kind = number == kTuple ? ShapeKind::kTuple : ShapeKind::kBuffer;
    std::vector<Shape> elements;
    for (const std::string_view element : message.list(4)) {
      if (file_.failed()) break;
      elements.push_back(this->shape(WireMessage(file_, element), depth + 1));
    }
    if (number == kBuffer && elements.size() != 1) file_.fail("a buffer holds one array");
    shape.elements = keep(elements);
    if (file_.failed()) return Shape{};
    return shape;
  }
  const auto* found = std::ranges::find(kWireTypes, number, &WireType::number);
  if (number == kToken) {
    shape.kind = ShapeKind::kToken;
    return shape;
  }
  if (number == kOpaque) {
    shape.kind = ShapeKind::kOpaque;
    return shape;
  }
  if (found == kWireTypes.end()) {
    file_.fail(fmt::format("a shape has the element type {}, which is not supported", number),
               number == 0 ? ErrorKind::kInvalidInput : ErrorKind::kUnsupported);
    return shape;
  }
  shape.element_type = found->type;
  const std::vector<std::int64_t> sizes = message.integers(3);
  for (const std::int64_t size : sizes) {
    if (size == std::numeric_limits<std::int64_t>::min()) {
      file_.fail("a dimension without a bound is not supported", ErrorKind::kUnsupported);
    } else if (size < 0) {
      file_.fail("a dimension has a size below 0");
    }
  }
  shape.dimensions = keep(sizes);
  const std::vector<std::int64_t> dynamic = message.integers(6);
  if (std::ranges::any_of(dynamic, [](std::int64_t d) { return d != 0; })) {
    const std::span<bool> marks = arena_.make_array<bool>(sizes.size());
    for (std::size_t i = 0; i < std::min(sizes.size(), dynamic.size()); ++i) {
      marks[i] = dynamic[i] != 0;
    }
    shape.dynamic = marks;
  }
  if (message.has(5)) shape.layout = layout(message.message(5), sizes.size(), depth);
  return shape;
}

const Layout* ProtoText::layout(const WireMessage& message, std::size_t rank, int depth) {
  auto* layout = arena_.make<Layout>();
  const std::vector<std::int64_t> order = message.integers(1);
  if (!is_permutation(order, rank)) {
    file_.fail("a layout is not a permutation of the dimensions");
    return nullptr;
  }
  layout->minor_to_major = keep(order);
  std::vector<LayoutTile> tiles;
  for (const WireMessage& tile : message.messages(6)) {
    std::vector<std::int64_t> sizes = tile.integers(1);
    std::ranges::replace(sizes, std::numeric_limits<std::int64_t>::min(), LayoutTile::kCombine);
    tiles.push_back({keep(sizes)});
  }
  layout->tiles = keep(tiles);
  layout->element_size_in_bits = message.integer(7);
  layout->memory_space = message.integer(8);
  layout->other = arena_.copy(std::string_view(other_parts(message, depth)));
  const bool plain = tiles.empty() && layout->element_size_in_bits == 0 &&
                     layout->memory_space == 0 && layout->other.empty();
  return rank == 0 && plain ? nullptr : layout;
}

// The parts of a layout that Mercator keeps as text, in the order of XLA.
std::string ProtoText::other_parts(const WireMessage& message, int depth) {
  const std::vector<std::int64_t> levels = message.integers(9);
  if (std::ranges::any_of(levels, [](std::int64_t level) { return level != 0; })) {
    file_.fail("sparse layouts are not supported", ErrorKind::kUnsupported);
  }
  std::string out;
  if (const std::int64_t alignment = message.integer(16); alignment > 1) {
    out += fmt::format("L({})", alignment);
  }
  if (const std::int64_t type = message.integer(11)) out += fmt::format("#({})", type_name(type));
  if (const std::int64_t type = message.integer(12)) out += fmt::format("*({})", type_name(type));
  if (message.has(17)) {
    out += "SC";
    for (const WireMessage& split : message.messages(17)) {
      out += fmt::format("({}:{})", split.integer(1), fmt::join(split.integers(2), ","));
    }
  }
  if (message.has(10)) {
    out += fmt::format("P({})", to_string(shape(message.message(10), depth + 1)));
  }
  if (const std::int64_t bytes = message.integer(15)) out += fmt::format("M({})", bytes);
  return out;
}

Literal ProtoText::literal(const WireMessage& message, int depth) {
  Literal literal;
  if (depth > kMaxNesting) {
    file_.fail("a literal is nested too deeply");
    return literal;
  }
  literal.shape = shape(message.message(1));
  if (file_.failed()) return literal;
  if (literal.shape.is_tuple()) {
    const std::vector<std::string_view> parts = message.list(10);
    if (parts.size() != literal.shape.elements.size()) {
      file_.fail("a literal has another number of elements than its shape");
      return literal;
    }
    std::vector<Literal> elements;
    for (const std::string_view part : parts) {
      elements.push_back(this->literal(WireMessage(file_, part), depth + 1));
      if (file_.failed()) return literal;
    }
    literal.elements = keep(elements);
    return literal;
  }
  const std::optional<std::int64_t> count = count_elements(literal.shape.dimensions);
  if (!literal.shape.is_array() || !count) {
    file_.fail("a literal is neither an array nor a tuple");
    return literal;
  }
  std::string elements = this->elements(message, literal.shape.element_type, *count);
  if (file_.failed()) return literal;
  elements = in_row_major_order(elements, literal.shape);
  literal.data = arena_.copy(std::span<const std::byte>(
      reinterpret_cast<const std::byte*>(elements.data()), elements.size()));
  return literal;
}

std::string ProtoText::elements(const WireMessage& message, ElementType type, std::int64_t count) {
  const WireType& wire = *std::ranges::find(kWireTypes, type, &WireType::type);
  const auto bytes = static_cast<std::size_t>(element_bytes(type));
  const auto check = [&](std::size_t have, std::int64_t want) {
    return static_cast<std::int64_t>(have) == want ||
           file_.fail(
               fmt::format("a literal of {} has {} elements or bytes where its shape needs {}",
                           name(type), have, want));
  };
  if (wire.encoding == Encoding::kVarints) {
    const std::vector<std::int64_t> values = message.integers(wire.field);
    if (!check(values.size(), count)) return {};
    std::string out(values.size() * bytes, '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&out[i * bytes], &values[i], bytes);  // the low bytes: little-endian
    }
    return out;
  }
  std::string data = wire.encoding == Encoding::kFixed ? message.fixed(wire.field)
                                                       : std::string(message.bytes(wire.field));
  if (data.size() % bytes != 0 || !check(data.size() / bytes, count)) {
    file_.fail("a literal ends within an element");
    return {};
  }
  if (bit_width(type) < 8) extend(data, type);
  return data;
}

}  // namespace mercator::hlo
