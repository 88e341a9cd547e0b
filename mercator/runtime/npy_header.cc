#include "mercator/runtime/npy_header.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace mercator::runtime {
namespace {

std::unexpected<Error> malformed(std::string_view expected) {
  return fail(ErrorKind::kInvalidInput,
              fmt::format("the header of the .npy is wrong: expected {}", expected));
}

// A reader of the few forms of Python's literals that occur.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool accept(char wanted) {
    skip_space();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool accept_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  // 'text' or "text", without escapes.
  std::optional<std::string_view> string() {
    skip_space();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::optional<std::int64_t> size() {
    skip_space();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    accept('L');  // as Python 2 ends long integers
    return value;
  }

  bool at_end() {
    skip_space();
    return rest_.empty();
  }

 private:
  void skip_space() {
    const std::size_t used = std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size());
    rest_.remove_prefix(used);
  }

  std::string_view rest_;
};

// <f4, |b1, V2
Result<void> parse_element_type(std::string_view text, NpyHeader& header) {
  std::string_view rest = text;
  if (!rest.empty() && std::string_view("<>|=").contains(rest[0])) {
    header.big_endian = rest[0] == '>';
    rest.remove_prefix(1);
  }
  if (rest.empty()) return malformed(fmt::format("a type of numpy, not '{}'", text));
  header.kind = rest[0];
  rest.remove_prefix(1);
  const auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), header.element_bytes);
  const bool is_plain = error == std::errc() && end == rest.data() + rest.size() &&
                        header.element_bytes >= 0 && header.kind != 'O';
  if (is_plain) return {};
  return fail(ErrorKind::kUnsupported, fmt::format("the elements are of numpy's type '{}', which "
                                                   "no type of HLO is like",
                                                   text));
}

Result<std::vector<std::int64_t>> parse_dimensions(Scanner& scanner) {
  std::vector<std::int64_t> dimensions;
  if (!scanner.accept('(')) return malformed("a tuple of sizes after 'shape'");
  while (!scanner.accept(')')) {
    const std::optional<std::int64_t> size = scanner.size();
    if (!size) return malformed("a size of 0 or more in 'shape'");
    dimensions.push_back(*size);
    if (scanner.accept(',')) continue;
    if (!scanner.accept(')')) return malformed("',' or ')' after a size in 'shape'");
    break;
  }
  return dimensions;
}

}  // namespace

Result<NpyHeader> parse_npy_dictionary(std::string_view text) {
  Scanner scanner(text);
  NpyHeader header;
  bool has_type = false;
  bool has_order = false;
  bool has_shape = false;
  if (!scanner.accept('{')) return malformed("a dictionary");
  while (!scanner.accept('}')) {
    const std::optional<std::string_view> key = scanner.string();
    if (!key || !scanner.accept(':')) return malformed("a key and ':'");
    if (*key == "descr" && !has_type) {
      has_type = true;
      if (scanner.accept('[') || scanner.accept('(')) {
        return fail(ErrorKind::kUnsupported, "the elements are records, which HLO does not have");
      }
      const std::optional<std::string_view> type = scanner.string();
      if (!type) return malformed("a type after 'descr'");
      MERCATOR_TRY_VOID(parse_element_type(*type, header));
    } else if (*key == "fortran_order" && !has_order) {
      has_order = true;
      header.fortran_order = scanner.accept_word("True");
      if (!header.fortran_order && !scanner.accept_word("False")) {
        return malformed("True or False after 'fortran_order'");
      }
    } else if (*key == "shape" && !has_shape) {
      has_shape = true;
      header.dimensions = MERCATOR_TRY(parse_dimensions(scanner));
    } else {
      return malformed(
          fmt::format("'descr', 'fortran_order' and 'shape', each once, not '{}'", *key));
    }
    if (scanner.accept(',')) continue;
    if (!scanner.accept('}')) return malformed("',' or '}' after a value");
    break;
  }
  if (!has_type || !has_order || !has_shape || !scanner.at_end()) {
    return malformed("'descr', 'fortran_order' and 'shape', and nothing else");
  }
  return header;
}

}  // namespace mercator::runtime
