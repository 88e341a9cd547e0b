// Shapes: element types, dimensions, layouts.
//
// Everything here is a view: plain values whose spans point into memory that somebody else keeps
// (almost always the `Arena` of a `Module`). So shapes are as cheap to copy as a few pointers.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/support/arena.h"
#include "mercator/support/error.h"

namespace mercator::hlo {

// name in the text, bits of one element. `kTuple` and friends are not element types: see ShapeKind.
// clang-format off
#define MERCATOR_HLO_ELEMENT_TYPES(X)                                                     \
  X(kPred, "pred", 8)                                                                     \
  X(kS1, "s1", 1) X(kS2, "s2", 2) X(kS4, "s4", 4) X(kS8, "s8", 8)                         \
  X(kS16, "s16", 16) X(kS32, "s32", 32) X(kS64, "s64", 64)                                \
  X(kU1, "u1", 1) X(kU2, "u2", 2) X(kU4, "u4", 4) X(kU8, "u8", 8)                         \
  X(kU16, "u16", 16) X(kU32, "u32", 32) X(kU64, "u64", 64)                                \
  X(kF16, "f16", 16) X(kBf16, "bf16", 16) X(kF32, "f32", 32) X(kF64, "f64", 64)           \
  X(kF8e5m2, "f8e5m2", 8) X(kF8e4m3, "f8e4m3", 8) X(kF8e4m3fn, "f8e4m3fn", 8)             \
  X(kF8e4m3b11fnuz, "f8e4m3b11fnuz", 8) X(kF8e3m4, "f8e3m4", 8)                           \
  X(kF8e5m2fnuz, "f8e5m2fnuz", 8) X(kF8e4m3fnuz, "f8e4m3fnuz", 8)                         \
  X(kF4e2m1fn, "f4e2m1fn", 4) X(kF8e8m0fnu, "f8e8m0fnu", 8)                               \
  X(kC64, "c64", 64) X(kC128, "c128", 128)
// clang-format on

enum class ElementType : std::uint8_t {
#define MERCATOR_X(id, name, bits) id,
  MERCATOR_HLO_ELEMENT_TYPES(MERCATOR_X)
#undef MERCATOR_X
};

[[nodiscard]] std::string_view name(ElementType type);
[[nodiscard]] std::int64_t bit_width(ElementType type);
[[nodiscard]] std::optional<ElementType> element_type(std::string_view name);
// The names of all element types, then "token" and "opaque".
[[nodiscard]] std::vector<std::string_view> element_type_names();
[[nodiscard]] bool is_integral(ElementType type);  // s*, u*; not pred
[[nodiscard]] bool is_signed(ElementType type);    // s*
[[nodiscard]] bool is_floating(ElementType type);  // f*, bf16
[[nodiscard]] bool is_complex(ElementType type);

// One tile of a layout: T(8,128). An entry of kCombine is printed `*`.
struct LayoutTile {
  static constexpr std::int64_t kCombine = -1;
  std::span<const std::int64_t> dimensions;
};

// How the elements of an array lie in memory: {1,0:T(8,128)(2,1)S(5)}.
struct Layout {
  // minor_to_major[0] is the dimension whose neighbours are adjacent in memory.
  std::span<const std::int64_t> minor_to_major;
  std::span<const LayoutTile> tiles = {};
  std::int64_t memory_space = 0;          // S(…)
  std::int64_t element_size_in_bits = 0;  // E(…); 0: the natural size
  // The parts between ':' and '}' that have no field here, as written, in the order that XLA has
  // them: D(…), L(…), #(…), *(…), SC(…), P(…), M(…).
  std::string_view other = {};
};

enum class ShapeKind : std::uint8_t { kArray, kTuple, kToken, kOpaque, kBuffer };

struct Shape {
  ShapeKind kind = ShapeKind::kArray;
  ElementType element_type = ElementType::kF32;   // of arrays (and of the array in a buffer)
  std::span<const std::int64_t> dimensions = {};  // upper bounds where dynamic
  // For each dimension, whether its size is only bounded (`<=N` in the text); empty: none is.
  std::span<const bool> dynamic = {};
  const Layout* layout = nullptr;        // null: not said, which means the default, major to minor
  std::span<const Shape> elements = {};  // of tuples; for kBuffer the one array

  [[nodiscard]] bool is_array() const { return kind == ShapeKind::kArray; }
  [[nodiscard]] bool is_tuple() const { return kind == ShapeKind::kTuple; }
  [[nodiscard]] std::int64_t rank() const { return static_cast<std::int64_t>(dimensions.size()); }
  // Of arrays; the reader and shape inference guarantee that it fits int64.
  [[nodiscard]] std::int64_t element_count() const;
};

// Every array in `shape`, with its place: an array has one leaf at {}, the tuple (a, (b, c)) has
// {0}, {1, 0} and {1, 1}. Tokens and opaque parts are leaves too.
struct ShapeLeaf {
  std::vector<std::int64_t> index;
  Shape shape;
};
[[nodiscard]] std::vector<ShapeLeaf> leaves(const Shape& shape);

// The dimensions from minor to major in memory, of an array: those of its layout, or the default.
[[nodiscard]] std::vector<std::int64_t> minor_to_major(const Shape& shape);

// The bits that an element of an array takes in memory. Narrow types take a whole byte each, unless
// the layout says otherwise.
[[nodiscard]] std::int64_t bits_in_memory(const Shape& array);

// Whether the shapes have the same kinds, element types and dimensions, layouts aside; dynamic
// dimensions count as their bounds.
[[nodiscard]] bool same_type_and_dimensions(const Shape& a, const Shape& b);
// The same, and the same layouts (none said equals the default), dynamic marks and memory spaces.
[[nodiscard]] bool identical(const Shape& a, const Shape& b);

// f32[10,20]{1,0}, (s32[], token[]), as XLA prints it. With `layout` false without layouts.
[[nodiscard]] std::string to_string(const Shape& shape, bool layout = true);

// Reads one shape that takes up all of `text`.
[[nodiscard]] Result<Shape> parse_shape(std::string_view text, Arena& arena);

// A copy whose parts all lie in `arena`.
[[nodiscard]] Shape copy(const Shape& shape, Arena& arena);
// An array shape with the default layout left unsaid.
[[nodiscard]] Shape array_shape(ElementType type, std::span<const std::int64_t> dimensions,
                                Arena& arena);

}  // namespace mercator::hlo
