#include "mercator/hlo/literal_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "mercator/hlo/float_format.h"

namespace mercator::hlo {
namespace {

std::string at_least(ElementType type) {
  if (!is_signed(type)) return "0";
  return fmt::format("{}", std::numeric_limits<std::int64_t>::min() >> (64 - bit_width(type)));
}
std::uint64_t at_most(ElementType type) {
  const std::int64_t bits = bit_width(type) - (is_signed(type) ? 1 : 0);
  return bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
}

// Of a decimal number that is not zero.
bool is_below_one(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    const bool plus = number[e + 1] == '+';
    const char* start = number.data() + e + (plus ? 2 : 1);
    const std::from_chars_result result =
        std::from_chars(start, number.data() + number.size(), exponent);
    if (result.ec != std::errc()) return *start == '-';
  }
  // How many digits stand between the first that counts and the point.
  return exponent + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) <= 0;
}

}  // namespace

bool LiteralReader::read(const Shape& shape, Literal* out) { return read_nested(shape, out); }

// Recursion is bounded by the depth of the shape.
bool LiteralReader::read_nested(const Shape& shape, Literal* out) {
  *out = Literal{.shape = shape};
  scanner_.skip_space();
  if (shape.is_array()) return read_array(shape, out);
  if (!shape.is_tuple()) return scanner_.expected("a literal of an array or a tuple");
  if (scanner_.peek() == '{') return read_elided(out);
  return read_tuple(shape, out);
}

bool LiteralReader::read_tuple(const Shape& shape, Literal* out) {
  if (!scanner_.expect('(', "before the elements of the tuple")) return false;
  std::span<Literal> elements = arena_.make_array<Literal>(shape.elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0 && !scanner_.expect(',', fmt::format("before element {} of the tuple", i)))
      return false;
    if (!read_nested(shape.elements[i], &elements[i])) return false;
  }
  out->elements = elements;
  return scanner_.expect(')', fmt::format("after the {} elements of the tuple", elements.size()));
}

// {...}
bool LiteralReader::read_elided(Literal* out) {
  out->elided = true;
  if (!scanner_.expect('{', "before '...'")) return false;
  scanner_.skip_space();
  for (int i = 0; i < 3; ++i) {
    if (!scanner_.consume('.')) return scanner_.expected("'...'");
  }
  return scanner_.expect('}', "after '...'");
}

bool LiteralReader::read_array(const Shape& shape, Literal* out) {
  data_.clear();
  if (shape.rank() == 0) {
    if (!read_element(shape.element_type)) return false;
  } else if (scanner_.peek() == '{') {
    const char* start = scanner_.position();
    scanner_.consume('{');
    scanner_.skip_space();
    const char next = scanner_.peek();
    if (next == '}' && shape.element_count() == 0) {
      scanner_.consume('}');
      return true;
    }
    scanner_.set_position(start);
    if (next == '.') return read_elided(out);
    if (!read_braces(shape)) return false;
  } else {
    if (!read_element(shape.element_type)) return false;
    out->splat = true;
  }
  out->data = arena_.copy(std::span<const std::byte>(data_));
  return true;
}

bool LiteralReader::read_braces(const Shape& shape) {
  const auto rank = static_cast<std::size_t>(shape.rank());
  seen_.assign(rank, 0);
  std::size_t depth = 0;
  bool after_value = false;
  do {
    scanner_.skip_space();
    if (scanner_.peek() == '}' && depth > 0) {
      if (!close_brace(shape, depth)) return false;
      --depth;
      after_value = true;
      continue;
    }
    if (after_value) {
      if (!scanner_.expect(',', "or '}' in the literal")) return false;
      scanner_.skip_space();
      after_value = false;
      if (scanner_.peek() == '}') return scanner_.expected("an element after ','");
    }
    if (scanner_.peek() == '{') {
      if (!open_brace(shape, depth)) return false;
      ++depth;
      continue;
    }
    if (depth != rank) {
      return scanner_.expected(fmt::format("'{{': the literal has {} levels of braces", rank));
    }
    if (seen_[depth - 1] == shape.dimensions[depth - 1]) {
      return scanner_.expected(
          fmt::format("'}}' after the {} elements of dimension {}", seen_[depth - 1], depth - 1));
    }
    ++seen_[depth - 1];
    if (!read_element(shape.element_type)) return false;
    after_value = true;
  } while (depth > 0);
  return true;
}

bool LiteralReader::open_brace(const Shape& shape, std::size_t depth) {
  if (depth == static_cast<std::size_t>(shape.rank())) {
    return scanner_.expected(
        fmt::format("a number: the literal has {} levels of braces", shape.rank()));
  }
  if (depth > 0) {
    if (seen_[depth - 1] == shape.dimensions[depth - 1]) {
      return scanner_.expected(
          fmt::format("'}}' after the {} elements of dimension {}", seen_[depth - 1], depth - 1));
    }
    ++seen_[depth - 1];
  }
  seen_[depth] = 0;
  scanner_.consume('{');
  return true;
}

bool LiteralReader::close_brace(const Shape& shape, std::size_t depth) {
  if (seen_[depth - 1] != shape.dimensions[depth - 1]) {
    return scanner_.expected(fmt::format("{} elements in dimension {} after {}",
                                         shape.dimensions[depth - 1], depth - 1, seen_[depth - 1]));
  }
  scanner_.consume('}');
  return true;
}

bool LiteralReader::read_element(ElementType type) {
  scanner_.skip_space();
  if (type == ElementType::kPred) return read_pred();
  if (is_integral(type)) return read_integer(type);
  if (is_floating(type)) return read_float(type);
  return read_complex(type);
}

bool LiteralReader::read_pred() {
  const char* start = scanner_.position();
  if (Scanner::is_letter(*start)) {
    const std::string_view word = scanner_.identifier();
    if (word == "true" || word == "false") {
      append(word == "true" ? 1 : 0, 1);
      return true;
    }
    scanner_.set_position(start);
    return scanner_.expected("true or false");
  }
  std::int64_t value = 0;
  if (!scanner_.integer(&value)) return false;
  append(value != 0 ? 1 : 0, 1);
  return true;
}

bool LiteralReader::read_integer(ElementType type) {
  const char* start = scanner_.position();
  const bool negative = scanner_.consume('-');
  if (!Scanner::is_digit(scanner_.peek())) return scanner_.expected("an integer");
  std::uint64_t magnitude = 0;
  bool fits = true;
  const char* p = scanner_.position();
  for (; Scanner::is_digit(*p); ++p) {
    fits = fits && !__builtin_mul_overflow(magnitude, 10, &magnitude) &&
           !__builtin_add_overflow(magnitude, *p - '0', &magnitude);
  }
  scanner_.set_position(p);
  if (*p == '.' || *p == 'e' || *p == 'E') return scanner_.expected("an integer");
  const std::uint64_t most = at_most(type);
  // XLA takes u64 down to the least s64, and wraps.
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 63;
  const std::uint64_t least = type == ElementType::kU64 ? kLeast : is_signed(type) ? most + 1 : 0;
  if (!fits || magnitude > (negative ? least : most)) {
    return scanner_.fail(
        fmt::format("the value {} is out of the range of {}", scanner_.since(start), name(type)),
        scanner_.span(scanner_.since(start)),
        fmt::format("{} holds {} to {}", name(type), at_least(type), most));
  }
  append(negative ? 0 - magnitude : magnitude, static_cast<std::size_t>((bit_width(type) + 7) / 8));
  return true;
}

bool LiteralReader::read_float(ElementType type) {
  const char* start = scanner_.position();
  const bool negative = scanner_.consume('-');
  const auto bytes = static_cast<std::size_t>((bit_width(type) + 7) / 8);
  double value = 0;
  if (Scanner::is_letter(scanner_.peek())) {
    const std::string_view word = scanner_.identifier();
    if (word == "nan") return read_nan(start, type, negative);
    if (word != "inf") {
      scanner_.set_position(start);
      return scanner_.expected("a number");
    }
    value = std::numeric_limits<double>::infinity();
  } else if (!read_number(start, negative, &value)) {
    return false;
  }
  // As in XLA, the text is rounded to a double first.
  const std::optional<std::uint64_t> bits = encode_float(type, negative ? -value : value);
  if (!bits) {
    return scanner_.fail(
        fmt::format("the value {} is out of the range of {}", scanner_.since(start), name(type)),
        scanner_.span(scanner_.since(start)));
  }
  append(*bits, bytes);
  return true;
}

// Digits with a point or an exponent, the sign aside.
bool LiteralReader::read_number(const char* start, bool negative, double* out) {
  const char* first = scanner_.position();
  const char* last = first;
  int digits = 0;
  for (; Scanner::is_digit(*last) || *last == '.'; ++last) digits += *last != '.' ? 1 : 0;
  if (digits == 0) {
    scanner_.set_position(negative ? start : first);
    return scanner_.expected("a number");
  }
  const std::from_chars_result result = std::from_chars(first, scanner_.end(), *out);
  scanner_.set_position(result.ptr);
  if (result.ec == std::errc()) return true;
  // Out of range: from_chars does not say on which side.
  if (is_below_one({first, result.ptr})) {
    *out = 0;
    return true;
  }
  return scanner_.fail("the number is too large", scanner_.span(first, result.ptr));
}

// What follows the word "nan": nothing, or its payload (0x…).
bool LiteralReader::read_nan(const char* start, ElementType type, bool negative) {
  std::optional<std::uint64_t> bits;
  if (scanner_.peek() == '(') {
    const char* first = scanner_.position() + 1;
    if (first[0] != '0' || first[1] != 'x') return scanner_.expected("(0x…) after nan");
    std::uint64_t payload = 0;
    const std::from_chars_result result = std::from_chars(first + 2, scanner_.end(), payload, 16);
    if (result.ec != std::errc() || *result.ptr != ')') {
      return scanner_.expected("the payload of the nan as (0x…)");
    }
    scanner_.set_position(result.ptr + 1);
    bits = make_nan(type, negative, payload);
  } else {
    bits = encode_float(
        type, std::copysign(std::numeric_limits<double>::quiet_NaN(), negative ? -1.0 : 1.0));
  }
  if (!bits) {
    return scanner_.fail(fmt::format("{} has no value {}", name(type), scanner_.since(start)),
                         scanner_.span(scanner_.since(start)));
  }
  append(*bits, static_cast<std::size_t>((bit_width(type) + 7) / 8));
  return true;
}

bool LiteralReader::read_complex(ElementType type) {
  const ElementType part = type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
  if (!scanner_.expect('(', "before the parts of a complex number")) return false;
  scanner_.skip_space();
  if (!read_float(part) || !scanner_.expect(',', "between the parts of a complex number")) {
    return false;
  }
  scanner_.skip_space();
  return read_float(part) && scanner_.expect(')', "after the parts of a complex number");
}

void LiteralReader::append(std::uint64_t bits, std::size_t bytes) {
  const std::size_t size = data_.size();
  data_.resize(size + bytes);
  const auto put = [&]<class T>(T value) { std::memcpy(&data_[size], &value, sizeof(T)); };
  switch (bytes) {
    case 1:
      return put(static_cast<std::uint8_t>(bits));
    case 2:
      return put(static_cast<std::uint16_t>(bits));
    case 4:
      return put(static_cast<std::uint32_t>(bits));
    default:
      return put(bits);
  }
}

}  // namespace mercator::hlo
