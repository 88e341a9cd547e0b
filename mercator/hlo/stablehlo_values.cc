// The values of attributes, and constants.

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "mercator/hlo/literal.h"
#include "mercator/hlo/scanner.h"
#include "mercator/hlo/stablehlo_text.h"
#include "mercator/hlo/writer.h"

namespace mercator::hlo::stablehlo {
namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// The bytes of "0x00FF…"; none if it is something else.
std::optional<std::string> hex_bytes(std::string_view text) {
  if (!text.starts_with("0x") || text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 2; i < text.size(); i += 2) {
    const std::optional<unsigned> high = hex_digit(text[i]);
    const std::optional<unsigned> low = hex_digit(text[i + 1]);
    if (!high || !low) return std::nullopt;
    bytes += static_cast<char>(*high * 16 + *low);
  }
  return bytes;
}

// The number of elements; none if it leaves what a text could hold.
std::optional<std::int64_t> count_elements(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape.dimensions) {
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

// In MLIR, bits lie eight in a byte.
std::string unpack_bits(std::string_view packed, std::int64_t count) {
  std::string out;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(packed[static_cast<std::size_t>(i / 8)]);
    out += static_cast<char>(byte >> (i % 8) & 1);
  }
  return out;
}

// 0xFF800000 stands for the number with these bits.
bool append_bits(std::string_view digits, ElementType type, std::string& out) {
  std::uint64_t bits = 0;
  constexpr std::size_t kMostDigits = 16;
  if (digits.empty() || digits.size() > kMostDigits) return false;
  for (const char c : digits) {
    const std::optional<unsigned> digit = hex_digit(c);
    if (!digit) return false;
    bits = bits << 4 | *digit;
  }
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(&bits),
                                         static_cast<std::size_t>(element_bytes(type)));
  hlo::write(Literal{.shape = Shape{.element_type = type}, .data = bytes}, out);
  return true;
}

}  // namespace

const Attribute* Text::find(const Op& op, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(op.attributes, name, &NamedAttribute::name);
    if (found != op.attributes.end()) return &found->value;
  }
  return nullptr;
}

const Attribute* Text::field(const Attribute* fields, std::string_view name) {
  if (fields == nullptr) return nullptr;
  const auto found = std::ranges::find(fields->fields, name, &NamedAttribute::name);
  return found == fields->fields.end() ? nullptr : &found->value;
}

std::int64_t Text::integer(const Attribute* attribute, std::int64_t otherwise) {
  const bool given = attribute != nullptr && attribute->kind == Attribute::Kind::kInteger;
  return given ? attribute->integer : otherwise;
}

std::vector<std::int64_t> Text::integers(const Attribute* attribute) {
  std::vector<std::int64_t> values;
  for (const std::vector<std::int64_t>& row : rows(attribute)) {
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

std::vector<std::int64_t> Text::integers(const Attribute* attribute, std::size_t count,
                                         std::int64_t otherwise) {
  std::vector<std::int64_t> values = integers(attribute);
  if (values.empty()) values.assign(count, otherwise);
  if (values.size() == 1) values.assign(count, values[0]);
  values.resize(count, otherwise);
  return values;
}

// [[0, 1], [2, 3]] has two rows, [0, 1] one. `true` and `false` are 1 and 0.
std::vector<std::vector<std::int64_t>> Text::rows(const Attribute* attribute) {
  std::vector<std::vector<std::int64_t>> rows;
  if (attribute == nullptr) return rows;
  const std::string_view text = attribute->text;
  bool open = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '[' || c == ']') open = false;
    std::int64_t value = 0;
    const char* start = text.data() + i;
    if (Scanner::is_digit(c) || c == '-') {
      const std::from_chars_result end = std::from_chars(start, text.data() + text.size(), value);
      i += std::max<std::size_t>(1, static_cast<std::size_t>(end.ptr - start));
      if (end.ptr == start) continue;
      // What does not fit is out of range wherever it stands.
      if (end.ec != std::errc()) value = std::numeric_limits<std::int64_t>::max();
    } else if (c == 't' || c == 'f') {
      value = c == 't' ? 1 : 0;
      while (i < text.size() && Scanner::is_letter(text[i])) ++i;
    } else {
      ++i;
      continue;
    }
    if (!open) rows.emplace_back();
    open = true;
    rows.back().push_back(value);
  }
  return rows;
}

std::string_view Text::enumerator(const Attribute* attribute) {
  if (attribute == nullptr) return {};
  const std::string_view text = attribute->text;
  return text.substr(text.rfind(' ') + 1);
}

std::string Text::list(std::span<const std::int64_t> values) {
  return fmt::format("{{{}}}", fmt::join(values, ","));
}

// {{0,1},{2,3}}; a row may be filled up with -1.
std::string Text::rows_text(const Attribute* attribute) {
  std::string text = "{";
  for (std::vector<std::int64_t>& row : rows(attribute)) {
    std::erase(row, -1);
    if (text.size() > 1) text += ',';
    text += list(row);
  }
  return text + '}';
}

// , operand_precision={highest,default}, unless it is what is meant anyway
std::string Text::precision(const Op& op) {
  const Attribute* attribute = find(op, {"precision", "precision_config"});
  if (attribute == nullptr) return {};
  std::string words;
  bool usual = true;
  for (const Attribute& element : attribute->list) {
    std::string word(enumerator(&element));
    std::ranges::transform(word, word.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    usual &= word == "default";
    words += words.empty() ? word : "," + word;
  }
  return usual ? std::string() : fmt::format(", operand_precision={{{}}}", words);
}

std::string Text::channel(const Op& op) {
  const Attribute* handle = find(op, {"channel_handle"});
  const std::int64_t id = integer(field(handle, "handle"), integer(find(op, {"channel_id"}), 0));
  return id > 0 ? fmt::format(", channel_id={}", id) : std::string();
}

std::string Text::window(std::span<const std::int64_t> size, const Attribute* stride,
                         const Attribute* padding, const Attribute* base_dilation,
                         const Attribute* window_dilation, const Attribute* reversal) {
  const std::size_t rank = size.size();
  if (rank == 0) return {};
  const std::vector<std::int64_t> strides = integers(stride, rank, 1);
  const std::vector<std::int64_t> pads = integers(padding, 2 * rank, 0);
  const std::vector<std::int64_t> base = integers(base_dilation, rank, 1);
  const std::vector<std::int64_t> dilation = integers(window_dilation, rank, 1);
  const std::vector<std::int64_t> reversed = integers(reversal, rank, 0);
  std::vector<WindowDimension> dimensions;
  for (std::size_t i = 0; i < rank; ++i) {
    dimensions.push_back({.size = size[i],
                          .stride = strides[i],
                          .padding_low = pads[2 * i],
                          .padding_high = pads[2 * i + 1],
                          .base_dilation = base[i],
                          .window_dilation = dilation[i],
                          .reversal = reversed[i] != 0});
  }
  std::string text = ", ";
  hlo::write(hlo::Attribute{AttributeName::kWindow, {}, Window(dimensions)}, text);
  return text;
}

// dense<…> as the literal of HLO: braces for brackets, and numbers instead of their bits.
std::optional<std::string> Text::literal(const Op& op, const Attribute& value, const Shape& shape) {
  const auto wrong = [&] {
    fail(op, "the value of the constant is not supported");
    return std::nullopt;
  };
  if (value.text.starts_with("dense_resource")) return "{...}";
  if (value.kind != Attribute::Kind::kDense || !shape.is_array()) return wrong();
  std::string_view text = value.text;
  const std::size_t bytes = static_cast<std::size_t>(element_bytes(shape.element_type));
  if (text.starts_with('"') && text.ends_with('"') && text.size() > 1) {
    std::optional<std::string> data = hex_bytes(text.substr(1, text.size() - 2));
    const std::optional<std::int64_t> count = count_elements(shape);
    if (!data || !count) return wrong();
    const auto size = static_cast<std::int64_t>(data->size());
    const bool bits = shape.element_type == ElementType::kPred && size != *count;
    if (bits && size == *count / 8 + (*count % 8 != 0 ? 1 : 0)) data = unpack_bits(*data, *count);
    const bool splat = data->size() == bytes && *count != 1;
    if (!splat && data->size() / bytes != static_cast<std::size_t>(*count)) return wrong();
    if (data->size() % bytes != 0) return wrong();
    std::string out;
    const std::span<const std::byte> elements(reinterpret_cast<const std::byte*>(data->data()),
                                              data->size());
    hlo::write(Literal{.shape = shape, .splat = splat, .data = elements}, out);
    return out;
  }
  if (text.empty()) return "{}";
  const ElementType part = shape.element_type == ElementType::kC64    ? ElementType::kF32
                           : shape.element_type == ElementType::kC128 ? ElementType::kF64
                                                                      : shape.element_type;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == ']') {
      out += text[i] == '[' ? '{' : '}';
    } else if (text.substr(i).starts_with("0x")) {
      std::size_t end = i + 2;
      while (end < text.size() && hex_digit(text[end])) ++end;
      if (!append_bits(text.substr(i + 2, end - i - 2), part, out)) return wrong();
      i = end - 1;
    } else if (text[i] != '/' && text[i] != '\n') {
      out += text[i];
    }
  }
  return out;
}

}  // namespace mercator::hlo::stablehlo
