#include "mercator/hlo/literal.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "mercator/hlo/float_format.h"
#include "mercator/hlo/literal_reader.h"
#include "mercator/hlo/writer.h"
#include "mercator/support/arithmetic.h"

namespace mercator::hlo {
namespace {

template <class T>
T load(const Literal& literal, std::int64_t index) {
  T value;
  std::memcpy(&value, literal.data.data() + index * static_cast<std::int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

// The bits of an element that has no parts.
std::uint64_t bits(const Literal& literal, std::int64_t index) {
  switch (element_bytes(literal.shape.element_type)) {
    case 1:
      return load<std::uint8_t>(literal, index);
    case 2:
      return load<std::uint16_t>(literal, index);
    case 4:
      return load<std::uint32_t>(literal, index);
    default:
      return load<std::uint64_t>(literal, index);
  }
}

bool known(const Literal& literal) { return literal.shape.is_array() && !literal.elided; }

// Where the element is in `data`.
std::int64_t stored(const Literal& literal, std::int64_t index) {
  return literal.splat ? 0 : index;
}

double decode(const Literal& literal, std::int64_t index) {
  return decode_float(literal.shape.element_type, bits(literal, stored(literal, index)));
}

}  // namespace

std::int64_t element_bytes(ElementType type) { return (bit_width(type) + 7) / 8; }

std::optional<std::int64_t> Literal::integer(std::int64_t index) const {
  if (!known(*this)) return std::nullopt;
  const ElementType type = shape.element_type;
  if (type != ElementType::kPred && !is_integral(type)) return std::nullopt;
  const std::uint64_t raw = bits(*this, stored(*this, index));
  if (is_signed(type)) {
    return low_bits<std::int64_t>(raw, static_cast<int>(8 * element_bytes(type)));
  }
  if (raw >> 63 != 0) return std::nullopt;
  return static_cast<std::int64_t>(raw);
}

std::optional<double> Literal::number(std::int64_t index) const {
  if (!known(*this) || is_complex(shape.element_type)) return std::nullopt;
  if (is_floating(shape.element_type)) return decode(*this, index);
  if (const std::optional<std::int64_t> value = integer(index)) return static_cast<double>(*value);
  return static_cast<double>(bits(*this, stored(*this, index)));
}

std::optional<std::complex<double>> Literal::complex(std::int64_t index) const {
  if (!known(*this)) return std::nullopt;
  const std::int64_t at = stored(*this, index);
  switch (shape.element_type) {
    case ElementType::kC64:
      return std::complex<double>(load<float>(*this, 2 * at), load<float>(*this, 2 * at + 1));
    case ElementType::kC128:
      return std::complex<double>(load<double>(*this, 2 * at), load<double>(*this, 2 * at + 1));
    default:
      if (is_integral(shape.element_type)) return std::nullopt;
      return number(index);
  }
}

std::string to_string(const Literal& literal) {
  std::string out;
  write(literal, out);
  return out;
}

Result<Literal> parse_literal(std::string_view text, const Shape& shape, Arena& arena) {
  if (text.size() > kLongestText) {
    return fail(ErrorKind::kInvalidInput, "the text is longer than 4 GiB");
  }
  Scanner scanner(terminated(text, arena));
  Literal literal;
  LiteralReader(scanner, arena).read(shape, &literal);
  scanner.skip_space();
  if (!scanner.at_end()) scanner.expected("the end of the literal");
  if (scanner.failed()) return std::unexpected(scanner.error());
  return literal;
}

}  // namespace mercator::hlo
