#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "mercator/hlo/writer.h"

namespace mercator::hlo {
namespace {

using Difference = std::optional<std::string>;

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

bool same(const Literal& a, const Literal& b) {
  return identical(a.shape, b.shape) && a.elided == b.elided && a.splat == b.splat &&
         same_bytes(a.data, b.data) &&
         std::ranges::equal(a.elements, b.elements,
                            [](const Literal& x, const Literal& y) { return same(x, y); });
}

// Written out, attributes are the same exactly if they are equal, for names stand for what they
// name.
bool same(const Attribute& a, const Attribute& b) {
  if (a.name != b.name || a.value.index() != b.value.index()) return false;
  std::string text_a;
  std::string text_b;
  write(a, text_a);
  write(b, text_b);
  return text_a == text_b;
}

Difference differ(std::string_view what, std::string_view a, std::string_view b) {
  if (a == b) return std::nullopt;
  return fmt::format("{}: '{}' and '{}'", what, a, b);
}

Difference differ(std::string_view what, std::size_t a, std::size_t b) {
  if (a == b) return std::nullopt;
  return fmt::format("{}: {} and {}", what, a, b);
}

// Whether a shape says a layout; `identical` takes the default layout for the same as none.
bool says_layout(const Shape& a, const Shape& b) {
  if ((a.layout == nullptr) != (b.layout == nullptr)) return false;
  return std::ranges::equal(a.elements, b.elements, says_layout);
}

Difference difference(const Instruction& a, const Instruction& b) {
  const auto in = [&](std::string_view what) { return fmt::format("{} of '{}'", what, a.name); };
  if (a.name != b.name) return differ("names of instructions", a.name, b.name);
  if (a.opcode != b.opcode) return differ(in("opcode"), name(a.opcode), name(b.opcode));
  if (!identical(a.shape, b.shape) || !says_layout(a.shape, b.shape)) {
    return differ(in("shape"), to_string(a.shape), to_string(b.shape));
  }
  if (a.is_root() != b.is_root()) return differ(in("being root"), a.is_root(), b.is_root());
  if (a.parameter_number != b.parameter_number) {
    return differ(in("parameter number"), std::to_string(a.parameter_number),
                  std::to_string(b.parameter_number));
  }
  if (a.operands.size() != b.operands.size()) {
    return differ(in("number of operands"), a.operands.size(), b.operands.size());
  }
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    if (a.operands[i]->name != b.operands[i]->name) {
      return differ(in("an operand"), a.operands[i]->name, b.operands[i]->name);
    }
  }
  if ((a.literal == nullptr) != (b.literal == nullptr) ||
      (a.literal != nullptr && !same(*a.literal, *b.literal))) {
    return in("literal");
  }
  if (a.attributes.size() != b.attributes.size()) {
    return differ(in("number of attributes"), a.attributes.size(), b.attributes.size());
  }
  for (std::size_t i = 0; i < a.attributes.size(); ++i) {
    if (same(a.attributes[i], b.attributes[i])) continue;
    std::string text_a;
    std::string text_b;
    write(a.attributes[i], text_a);
    write(b.attributes[i], text_b);
    return differ(in("an attribute"), text_a, text_b);
  }
  return std::nullopt;
}

Difference difference(const Computation& a, const Computation& b) {
  const auto in = [&](std::string_view what) { return fmt::format("{} of '{}'", what, a.name); };
  if (a.name != b.name) return differ("names of computations", a.name, b.name);
  if (Difference d =
          differ(in("number of instructions"), a.instructions.size(), b.instructions.size())) {
    return d;
  }
  if (Difference d =
          differ(in("trailing attributes"), a.trailing_attributes, b.trailing_attributes)) {
    return d;
  }
  for (std::size_t i = 0; i < a.instructions.size(); ++i) {
    if (Difference d = difference(*a.instructions[i], *b.instructions[i])) return d;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> difference(const Module& a, const Module& b) {
  if (Difference d = differ("names of modules", a.name, b.name)) return d;
  if (Difference d =
          differ("number of module attributes", a.attributes.size(), b.attributes.size())) {
    return d;
  }
  for (std::size_t i = 0; i < a.attributes.size(); ++i) {
    if (Difference d =
            differ("names of module attributes", a.attributes[i].name, b.attributes[i].name)) {
      return d;
    }
    if (Difference d = differ(fmt::format("module attribute '{}'", a.attributes[i].name),
                              a.attributes[i].value, b.attributes[i].value)) {
      return d;
    }
  }
  if (Difference d = differ("stack tables", a.stack_tables, b.stack_tables)) return d;
  if (Difference d =
          differ("number of computations", a.computations.size(), b.computations.size())) {
    return d;
  }
  for (std::size_t i = 0; i < a.computations.size(); ++i) {
    if (Difference d = difference(*a.computations[i], *b.computations[i])) return d;
  }
  return differ("entry computations", a.entry->name, b.entry->name);
}

}  // namespace mercator::hlo
