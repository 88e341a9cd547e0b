// Protobuf messages as they lie in a file: fields with a number each, whose values are integers,
// fixed-size numbers or bytes. Internal to the reader of HloModuleProto.
//
// Nothing is copied: bytes are views into the file. As in every reader of protobuf, a field that
// nobody asks for is skipped, the last one counts where one is asked for, and a field that is not
// there has the value 0.

#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/support/error.h"

namespace mercator::hlo {

class WireMessage;

// The bytes of a file, and the first thing that is wrong with them. What is read after an error is
// worth nothing; who reads looks at `failed()` now and then.
class WireFile {
 public:
  explicit WireFile(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] WireMessage message();
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const Error& error() const { return *error_; }
  // Records the error unless there is one already. Always false.
  bool fail(std::string message, ErrorKind kind = ErrorKind::kInvalidInput);
  // Says in the error, which there is, that it is about that instruction. Always false.
  bool fail_in(std::string_view instruction);

 private:
  friend class WireMessage;
  bool fail_at(std::string_view rest, std::string_view what);

  std::string_view bytes_;
  std::optional<Error> error_;
};

class WireMessage {
 public:
  // A message without fields.
  explicit WireMessage(WireFile& file) : file_(&file) {}
  WireMessage(WireFile& file, std::string_view bytes);

  [[nodiscard]] bool has(std::uint32_t number) const { return last(number) != nullptr; }
  [[nodiscard]] std::int64_t integer(std::uint32_t number) const;
  [[nodiscard]] bool boolean(std::uint32_t number) const { return integer(number) != 0; }
  // Of a float or a double.
  [[nodiscard]] double real(std::uint32_t number) const;
  [[nodiscard]] std::string_view bytes(std::uint32_t number) const;
  [[nodiscard]] WireMessage message(std::uint32_t number) const;

  // Repeated fields. Numbers may be packed or stand alone.
  [[nodiscard]] std::vector<std::string_view> list(std::uint32_t number) const;
  [[nodiscard]] std::vector<WireMessage> messages(std::uint32_t number) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::uint32_t number) const;
  // The bytes of floats or doubles, one after the other.
  [[nodiscard]] std::string fixed(std::uint32_t number) const;

 private:
  enum class Type : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  struct Field {
    std::uint32_t number = 0;
    Type type = Type::kVarint;
    std::uint64_t value = 0;  // of kVarint
    std::string_view bytes;   // of the others
  };

  [[nodiscard]] bool read_field(std::string_view& rest, Field& out);
  [[nodiscard]] bool read_varint(std::string_view& rest, std::uint64_t& out) const;
  [[nodiscard]] bool take(std::string_view& rest, std::uint64_t count, std::string_view& out);
  // The last of that number, whatever its type; null if there is none.
  [[nodiscard]] const Field* last(std::uint32_t number) const;

  WireFile* file_;
  std::vector<Field> fields_;
};

}  // namespace mercator::hlo
