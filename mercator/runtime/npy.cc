#include "mercator/runtime/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "mercator/runtime/narrow_integer.h"
#include "mercator/runtime/npy_header.h"
#include "mercator/support/stop_check.h"

namespace mercator::runtime {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// Longer headers than any list of dimensions that makes sense are not read into memory.
constexpr std::size_t kLongestHeader = std::size_t{1} << 20;
constexpr std::size_t kHeaderAlignment = 64;

// The type of an element as numpy writes it, without its byte order.
struct NumpyType {
  char kind;
  std::int64_t bytes;
};

// None for types that numpy lacks.
std::optional<NumpyType> numpy_type(hlo::ElementType type) {
  const std::int64_t bytes = hlo::element_bytes(type);
  if (type == hlo::ElementType::kPred) return NumpyType{'b', bytes};
  if (type == hlo::ElementType::kBf16 || hlo::bit_width(type) < 8 ||
      (hlo::is_floating(type) && bytes == 1)) {
    return std::nullopt;
  }
  if (hlo::is_integral(type)) return NumpyType{hlo::is_signed(type) ? 'i' : 'u', bytes};
  return NumpyType{hlo::is_complex(type) ? 'c' : 'f', bytes};
}

std::string_view bytes_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Fills `out`, or says that the file ends too early.
Result<void> read_all(ByteSource& source, std::span<std::byte> out, std::string_view what,
                      const std::stop_token& stop = {}) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 20;
  std::size_t count = 0;
  std::size_t last = 0;
  do {
    MERCATOR_TRY_VOID(check_stop(stop));
    const std::size_t next = std::min(out.size() - count, kMostAtOnce);
    last = MERCATOR_TRY(source.read(out.subspan(count, next)));
    count += last;
  } while (last == kMostAtOnce);
  if (count == out.size()) return {};
  return fail(
      ErrorKind::kInvalidInput,
      fmt::format("it is cut short: it has {} of the {} bytes of {}", count, out.size(), what));
}

std::size_t little_endian(std::span<const std::byte> bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | std::to_integer<std::size_t>(bytes[i]);
  }
  return value;
}

void swap_bytes(std::span<std::byte> bytes, std::size_t width) {
  for (std::size_t i = 0; i < bytes.size(); i += width)
    std::ranges::reverse(bytes.subspan(i, width));
}

// Elements as they lie in the file to elements as they lie in dense tensors.
void normalize(std::span<std::byte> bytes, hlo::ElementType type) {
  const auto bits = static_cast<int>(hlo::bit_width(type));
  if (type == hlo::ElementType::kPred) {
    for (std::byte& value : bytes) value = std::min(value, std::byte{1});
  } else if (bits < 8) {
    // numpy has anything in the bits that an element does not have.
    for (std::byte& value : bytes) value = extended(value, bits, hlo::is_signed(type));
  }
}

std::string element_type_text(hlo::ElementType type, ForeignElements foreign) {
  constexpr char kOrder = std::endian::native == std::endian::little ? '<' : '>';
  const std::int64_t bytes = hlo::element_bytes(type);
  const NumpyType written =
      numpy_type(type).value_or(NumpyType{foreign == ForeignElements::kVoid ? 'V' : 'u', bytes});
  const bool has_order = bytes > 1 || written.kind == 'V';  // as ml_dtypes writes it
  return fmt::format("{}{}{}", has_order ? kOrder : '|', written.kind, written.bytes);
}

std::string header_text(const std::string& element_type, std::span<const std::int64_t> dimensions) {
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", element_type,
                  fmt::join(dimensions, ", "), dimensions.size() == 1 ? "," : "");
  const auto padded_to = [&](std::size_t before) {
    const std::size_t size = before + dictionary.size() + 1;
    const std::size_t whole = (size + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment;
    dictionary.append(whole - size, ' ');
    dictionary += '\n';
  };
  const bool is_short = dictionary.size() + 2 * kHeaderAlignment <= 0xFFFF;
  std::string text(kMagic);
  text += is_short ? '\x01' : '\x02';
  text += '\x00';
  const std::size_t length_bytes = is_short ? 2 : 4;
  padded_to(text.size() + length_bytes);
  for (std::size_t i = 0; i < length_bytes; ++i) {
    text += static_cast<char>(dictionary.size() >> (8 * i) & 0xFF);
  }
  return text + dictionary;
}

}  // namespace

Result<NpyHeader> read_npy_header(ByteSource& source) {
  std::array<std::byte, 12> start{};
  MERCATOR_TRY_VOID(read_all(source, std::span(start).first(8), "the start of a .npy"));
  if (bytes_of(start).substr(0, kMagic.size()) != kMagic) {
    return fail(ErrorKind::kInvalidInput, "it is not a .npy file");
  }
  const auto version = std::to_integer<int>(start[6]);
  if (version < 1 || version > 3) {
    return fail(ErrorKind::kUnsupported,
                fmt::format("it is of version {} of the .npy format; versions 1 to 3 are supported",
                            version));
  }
  const std::span<std::byte> length_bytes = std::span(start).subspan(8, version == 1 ? 2 : 4);
  MERCATOR_TRY_VOID(read_all(source, length_bytes, "the length of the header"));
  const std::size_t length = little_endian(length_bytes);
  if (length > kLongestHeader) {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("the header of the .npy is wrong: it has {} bytes", length));
  }
  std::vector<std::byte> dictionary(length);
  MERCATOR_TRY_VOID(read_all(source, dictionary, "the header"));
  return parse_npy_dictionary(bytes_of(dictionary));
}

bool holds(const NpyHeader& header, hlo::ElementType type, ForeignElements foreign) {
  const std::optional<NumpyType> own = numpy_type(type);
  if (header.element_bytes != hlo::element_bytes(type)) return false;
  if (foreign == ForeignElements::kBits) return header.kind == 'u' || header.kind == 'i';
  if (own) return header.kind == own->kind;
  // ml_dtypes saves f8e5m2 with a kind of its own.
  return header.kind == 'V' || (header.kind == 'f' && type == hlo::ElementType::kF8e5m2);
}

std::string type_text(const NpyHeader& header) {
  std::string name = fmt::format("<{}{}>", header.kind, header.element_bytes);
  for (const std::string_view candidate : hlo::element_type_names()) {
    const std::optional<hlo::ElementType> type = hlo::element_type(candidate);
    const std::optional<NumpyType> own = type ? numpy_type(*type) : std::nullopt;
    if (own && own->kind == header.kind && own->bytes == header.element_bytes) name = candidate;
  }
  return fmt::format("{}[{}]", name, fmt::join(header.dimensions, ","));
}

Result<Tensor> read_npy_elements(ByteSource& source, const NpyHeader& header, hlo::ElementType type,
                                 const MemoryPool& pool, const std::stop_token& stop) {
  Tensor tensor = MERCATOR_TRY(Tensor::allocate(type, header.dimensions, pool));
  const std::span<std::byte> bytes = tensor.mutable_bytes();
  MERCATOR_TRY_VOID(read_all(source, bytes, "the elements", stop));
  std::array<std::byte, 1> more{};
  if (MERCATOR_TRY(source.read(more)) != 0) {
    return fail(ErrorKind::kInvalidInput,
                fmt::format("it goes on after the {} bytes of its elements", bytes.size()));
  }
  if (header.big_endian != (std::endian::native == std::endian::big)) {
    const std::int64_t parts = hlo::is_complex(type) ? 2 : 1;
    swap_bytes(bytes, static_cast<std::size_t>(hlo::element_bytes(type) / parts));
  }
  normalize(bytes, type);
  if (!header.fortran_order) return tensor;

  Storage column_major;
  column_major.minor_to_major.resize(header.dimensions.size());
  std::iota(column_major.minor_to_major.begin(), column_major.minor_to_major.end(), 0);
  return with_storage(Tensor(type, header.dimensions, tensor.buffer(), std::move(column_major)), {},
                      pool, stop);
}

bool is_numpy_type(hlo::ElementType type) { return numpy_type(type).has_value(); }

Result<NpyContent> npy_content(const Tensor& tensor, ForeignElements foreign,
                               const MemoryPool& pool) {
  const hlo::ElementType type = tensor.element_type();
  NpyContent content{.header = header_text(element_type_text(type, foreign), tensor.dimensions()),
                     .elements = tensor};
  const auto bits = static_cast<int>(hlo::bit_width(type));
  if (bits == 8 || !hlo::is_signed(type) || bits > 8) return content;
  // ml_dtypes leaves the bits that an element does not have zero.
  content.elements = MERCATOR_TRY(
      Tensor::allocate(type, {tensor.dimensions().begin(), tensor.dimensions().end()}, pool));
  std::ranges::transform(tensor.bytes(), content.elements.mutable_bytes().begin(),
                         [bits](std::byte value) { return extended(value, bits, false); });
  return content;
}

}  // namespace mercator::runtime
