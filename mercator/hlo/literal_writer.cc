#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

#include "mercator/hlo/float_format.h"
#include "mercator/hlo/writer.h"
#include "mercator/support/arithmetic.h"

namespace mercator::hlo {
namespace {

// The rows of an empty array are spelled out, as XLA does, unless there are more than this.
constexpr std::int64_t kMostEmptyRows = 4096;

bool reads_back(ElementType type, std::string_view text, std::uint64_t bits) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return encode_float(type, value) == bits;
}

// A short text that reads back to the same value of the type.
void write_finite(ElementType type, std::uint64_t bits, double value, std::string& out) {
  fmt::memory_buffer text;
  const auto shown = [&] { return std::string_view(text.data(), text.size()); };
  if (type == ElementType::kF64) {
    fmt::format_to(std::back_inserter(text), "{}", value);
  } else if (type == ElementType::kF32) {
    fmt::format_to(std::back_inserter(text), "{}", static_cast<float>(value));
  }
  for (int digits = 1; text.size() == 0 || !reads_back(type, shown(), bits); ++digits) {
    text.clear();
    fmt::format_to(std::back_inserter(text), "{:.{}g}", value, digits);
  }
  out += shown();
}

void write_float(ElementType type, const std::byte* data, std::string& out) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data, static_cast<std::size_t>(element_bytes(type)));
  const double value = decode_float(type, bits);
  if (std::isnan(value)) {
    out += std::signbit(value) ? "-nan" : "nan";
    if (const std::optional<std::uint64_t> payload = nan_payload(type, bits)) {
      fmt::format_to(std::back_inserter(out), "(0x{:x})", *payload);
    }
  } else if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
  } else {
    write_finite(type, bits, value, out);
  }
}

void write_integer(ElementType type, const std::byte* data, std::string& out) {
  std::uint64_t bits = 0;
  const auto bytes = static_cast<std::size_t>(element_bytes(type));
  std::memcpy(&bits, data, bytes);
  if (is_signed(type)) {
    write(low_bits<std::int64_t>(bits, static_cast<int>(8 * bytes)), out);
  } else {
    const fmt::format_int text(bits);
    out.append(text.data(), text.size());
  }
}

void write_complex(ElementType part, const std::byte* data, std::string& out) {
  out += '(';
  write_float(part, data, out);
  out += ", ";
  write_float(part, data + element_bytes(part), out);
  out += ')';
}

class ArrayWriter {
 public:
  ArrayWriter(const Literal& literal, std::string& out)
      : literal_(literal), next_(literal.data.data()), out_(out) {}

  void run() {
    const std::span<const std::int64_t> sizes = literal_.shape.dimensions;
    if (sizes.empty() || literal_.splat) return write_element();
    if (literal_.data.empty() && rows(sizes) > kMostEmptyRows) {
      out_ += "{}";
      return;
    }
    write_dimension(sizes);
  }

 private:
  // The number of braces that an empty array is written with.
  static std::int64_t rows(std::span<const std::int64_t> sizes) {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
      if (size == 0 || count > kMostEmptyRows) break;
      count *= size;
    }
    return count;
  }

  // {1, 2} for the last dimension, { {1, 2}, {3, 4} } for the others.
  void write_dimension(std::span<const std::int64_t> sizes) {
    out_ += '{';
    if (sizes.size() > 1 && sizes[0] > 0) out_ += ' ';
    for (std::int64_t i = 0; i < sizes[0]; ++i) {
      if (i > 0) out_ += ", ";
      if (sizes.size() > 1) {
        write_dimension(sizes.subspan(1));
      } else {
        write_element();
      }
    }
    if (sizes.size() > 1 && sizes[0] > 0) out_ += ' ';
    out_ += '}';
  }

  void write_element() {
    const ElementType type = literal_.shape.element_type;
    if (type == ElementType::kPred) {
      const bool value = *next_ != std::byte{0};
      // Alone as a word, in arrays as a digit, as XLA does.
      out_ += literal_.shape.rank() == 0 ? (value ? "true" : "false") : (value ? "1" : "0");
    } else if (is_integral(type)) {
      write_integer(type, next_, out_);
    } else if (is_floating(type)) {
      write_float(type, next_, out_);
    } else {
      write_complex(type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64, next_, out_);
    }
    next_ += element_bytes(type);
  }

  const Literal& literal_;
  const std::byte* next_;
  std::string& out_;
};

}  // namespace

void write(const Literal& literal, std::string& out) {
  if (literal.elided) {
    out += "{...}";
  } else if (literal.shape.is_tuple()) {
    out += '(';
    for (std::size_t i = 0; i < literal.elements.size(); ++i) {
      if (i > 0) out += ", ";
      write(literal.elements[i], out);
    }
    out += ')';
  } else {
    ArrayWriter(literal, out).run();
  }
}

}  // namespace mercator::hlo
