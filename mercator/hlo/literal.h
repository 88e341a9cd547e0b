// Literals: the values of constants.

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mercator/hlo/shape.h"

namespace mercator::hlo {

// The bytes that an element takes in a literal: the least whole number that holds its type.
[[nodiscard]] std::int64_t element_bytes(ElementType type);

// A view, like Shape. Elements lie in row-major order whatever the layout of the shape says, each
// in `element_bytes`, in the byte order of the machine (4-bit and narrower types take a byte each,
// sign-extended where signed).
struct Literal {
  Shape shape;
  bool elided = false;  // `{...}` in the text: the values are not known
  // Whether every element has the one value that `data` holds: `f32[1000] constant(0)`.
  bool splat = false;
  std::span<const std::byte> data = {};    // of arrays that are not elided
  std::span<const Literal> elements = {};  // of tuples

  // Element `index` (row-major) as an integer or pred; none for other types, for a u64 beyond
  // int64, or if elided.
  [[nodiscard]] std::optional<std::int64_t> integer(std::int64_t index) const;
  // As a double, for integers (rounded if need be), pred and floats; none for complex or if elided.
  [[nodiscard]] std::optional<double> number(std::int64_t index) const;
  // For every element type but integers.
  [[nodiscard]] std::optional<std::complex<double>> complex(std::int64_t index) const;
};

// { {1, 2}, {3, 4} }, 0.5, (1, {2, 3}), {...}: what stands between the parentheses of `constant`.
// Each number has as few digits as read back to the same value.
[[nodiscard]] std::string to_string(const Literal& literal);

// Reads a literal of the given shape that takes up all of `text`.
[[nodiscard]] Result<Literal> parse_literal(std::string_view text, const Shape& shape,
                                            Arena& arena);

}  // namespace mercator::hlo
