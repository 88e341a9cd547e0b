#include "mercator/hlo/wire_message.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

namespace mercator::hlo {
namespace {

// Numbers lie in little-endian order.
template <class T>
T little_endian(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

}  // namespace

WireMessage WireFile::message() { return {*this, bytes_}; }

bool WireFile::fail(std::string message, ErrorKind kind) {
  if (!error_) error_ = Error{.kind = kind, .message = std::move(message)};
  return false;
}

bool WireFile::fail_in(std::string_view instruction) {
  error_->message = fmt::format("in '{}': {}", instruction, error_->message);
  return false;
}

bool WireFile::fail_at(std::string_view rest, std::string_view what) {
  return fail(fmt::format("byte {}: {}", rest.data() - bytes_.data(), what));
}

WireMessage::WireMessage(WireFile& file, std::string_view bytes) : file_(&file) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    Field field;
    if (!read_field(rest, field)) return;
    fields_.push_back(field);
  }
}

bool WireMessage::read_field(std::string_view& rest, Field& out) {
  const std::string_view start = rest;
  std::uint64_t tag = 0;
  if (!read_varint(rest, tag)) return false;
  if (tag >> 3 == 0 || tag >> 3 > 0x1FFF'FFFF) {
    return file_->fail_at(start, "no field of a message begins like this");
  }
  out.number = static_cast<std::uint32_t>(tag >> 3);
  out.type = static_cast<Type>(tag & 7);
  std::uint64_t length = 0;
  switch (out.type) {
    case Type::kVarint:
      return read_varint(rest, out.value);
    case Type::kFixed64:
      return take(rest, 8, out.bytes);
    case Type::kFixed32:
      return take(rest, 4, out.bytes);
    case Type::kBytes:
      return read_varint(rest, length) && take(rest, length, out.bytes);
  }
  return file_->fail_at(start, fmt::format("field {} has the wire type {}, which is not supported",
                                           out.number, tag & 7));
}

bool WireMessage::read_varint(std::string_view& rest, std::uint64_t& out) const {
  const std::string_view start = rest;
  out = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (rest.empty()) return file_->fail_at(start, "the number is cut off");
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    out |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return file_->fail_at(start, "the number is too long");
}

bool WireMessage::take(std::string_view& rest, std::uint64_t count, std::string_view& out) {
  if (count > rest.size()) {
    return file_->fail_at(
        rest, fmt::format("the field should have {} bytes, and {} are left", count, rest.size()));
  }
  out = rest.substr(0, count);
  rest.remove_prefix(count);
  return true;
}

const WireMessage::Field* WireMessage::last(std::uint32_t number) const {
  for (auto field = fields_.rbegin(); field != fields_.rend(); ++field) {
    if (field->number == number) return &*field;
  }
  return nullptr;
}

std::int64_t WireMessage::integer(std::uint32_t number) const {
  const Field* field = last(number);
  if (field == nullptr || field->type != Type::kVarint) return 0;
  return static_cast<std::int64_t>(field->value);
}

double WireMessage::real(std::uint32_t number) const {
  const Field* field = last(number);
  if (field == nullptr) return 0;
  if (field->type == Type::kFixed32) return little_endian<float>(field->bytes);
  return field->type == Type::kFixed64 ? little_endian<double>(field->bytes) : 0;
}

std::string_view WireMessage::bytes(std::uint32_t number) const {
  const Field* field = last(number);
  return field != nullptr && field->type == Type::kBytes ? field->bytes : std::string_view();
}

WireMessage WireMessage::message(std::uint32_t number) const { return {*file_, bytes(number)}; }

std::vector<std::string_view> WireMessage::list(std::uint32_t number) const {
  std::vector<std::string_view> list;
  for (const Field& field : fields_) {
    if (field.number == number && field.type == Type::kBytes) list.push_back(field.bytes);
  }
  return list;
}

std::vector<WireMessage> WireMessage::messages(std::uint32_t number) const {
  std::vector<WireMessage> messages;
  for (const std::string_view bytes : list(number)) messages.emplace_back(*file_, bytes);
  return messages;
}

std::vector<std::int64_t> WireMessage::integers(std::uint32_t number) const {
  std::vector<std::int64_t> integers;
  for (const Field& field : fields_) {
    if (field.number != number) continue;
    if (field.type == Type::kVarint) integers.push_back(static_cast<std::int64_t>(field.value));
    if (field.type != Type::kBytes) continue;
    std::string_view rest = field.bytes;
    std::uint64_t value = 0;
    while (!rest.empty() && read_varint(rest, value)) {
      integers.push_back(static_cast<std::int64_t>(value));
    }
  }
  return integers;
}

std::string WireMessage::fixed(std::uint32_t number) const {
  std::string all;
  for (const Field& field : fields_) {
    if (field.number == number) all += field.bytes;
  }
  return all;
}

}  // namespace mercator::hlo
