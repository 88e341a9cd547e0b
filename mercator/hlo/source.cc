#include "mercator/hlo/source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "mercator/hlo/module.h"
#include "mercator/hlo/proto_text.h"
#include "mercator/hlo/scanner.h"
#include "mercator/hlo/stablehlo_parser.h"
#include "mercator/hlo/stablehlo_text.h"
#include "mercator/hlo/wire_message.h"

namespace mercator::hlo {
namespace {

// The name that the line of HLO text around `offset` defines; empty if it defines none.
std::string_view defined_name(std::string_view text, std::size_t offset) {
  const std::size_t begin = text.rfind('\n', offset) + 1;  // 0 if there is no line before
  const std::string_view line = text.substr(begin, text.find('\n', offset) - begin);
  const std::size_t percent = line.find('%');
  const std::size_t end = line.find(' ', percent);
  if (percent == std::string_view::npos || end == std::string_view::npos) return {};
  return line.substr(percent + 1, end - percent - 1);
}

// The module in a HloModuleProto, a HloProto or a HloSnapshot. In all three, field 1 comes first:
// a name, or the message that holds the module. Only the module has computations (in field 3), but
// HloProto has a buffer assignment in that place; a name with a field in it is no name.
WireMessage find_module(WireFile& file) {
  constexpr int kDeepest = 2;
  WireMessage message = file.message();
  for (int depth = 0; depth < kDeepest && !file.failed(); ++depth) {
    const std::string_view first = message.bytes(1);
    if (std::ranges::all_of(first, [](char c) { return static_cast<unsigned char>(c) > ' '; })) {
      break;
    }
    message = message.message(1);
  }
  return message;
}

// Whether the file is protobuf: its first field is one of a module, and there are bytes in it that
// no text has.
bool is_proto(std::string_view bytes) {
  constexpr std::size_t kLookAt = 4096;
  constexpr std::string_view kFirstTags = "\x0A\x12\x1A";
  if (bytes.empty() || kFirstTags.find(bytes.front()) == std::string_view::npos) return false;
  return std::ranges::any_of(bytes.substr(0, kLookAt), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' && (byte < '\t' || byte > '\r');
  });
}

// Whether the text is StableHLO: it begins with a module, a function or the name of an attribute.
bool is_stablehlo(const std::string& text) {
  Scanner scanner(text);
  scanner.skip_space();
  if (scanner.peek() == '#') return true;
  if (scanner.peek() == '"') return true;
  const std::string_view word = scanner.identifier();
  return word == "module" || word == "builtin.module" || word == "func.func";
}

}  // namespace

Error Source::locate(Error error, std::string_view hlo_text) const {
  if (form == SourceForm::kHloText || !error.span) return error;
  const std::uint32_t offset = error.span->begin;
  if (form == SourceForm::kHloProto) {
    const std::string_view name = defined_name(hlo_text, offset);
    if (!name.empty()) error.message = fmt::format("in '{}': {}", name, error.message);
    error.span.reset();
    return error;
  }
  const auto after = std::ranges::upper_bound(lines, offset, {}, &SourceLine::begin);
  if (after == lines.begin()) {
    error.span.reset();
  } else {
    error.span = std::prev(after)->span;
  }
  return error;
}

namespace {

Result<std::unique_ptr<Module>> parse_translated(std::string text, Source source) {
  const std::string copy = text;
  Result<std::unique_ptr<Module>> module = parse_module(std::move(text));
  if (!module) return std::unexpected(source.locate(std::move(module.error()), copy));
  (*module)->source = std::move(source);
  return module;
}

}  // namespace

Result<std::unique_ptr<Module>> parse_module_proto(std::string_view bytes) {
  WireFile file(bytes);
  const WireMessage module = find_module(file);
  ProtoText text(file, bytes.size());
  if (file.failed() || !text.write_module(module)) return std::unexpected(file.error());
  return parse_translated(text.take(), {.form = SourceForm::kHloProto});
}

Result<std::unique_ptr<Module>> parse_stablehlo(const std::string& text) {
  if (text.size() > kLongestText) {
    return fail(ErrorKind::kUnsupported, "texts of 4 GiB and more are not supported");
  }
  Arena arena;
  stablehlo::Parser parser(text, arena);
  stablehlo::Program program;
  if (!parser.read(&program)) return std::unexpected(parser.error());
  stablehlo::Text hlo(arena);
  if (!hlo.write(program)) return std::unexpected(hlo.error());
  return parse_translated(hlo.take(), {.form = SourceForm::kStableHlo, .lines = hlo.take_lines()});
}

Result<std::unique_ptr<Module>> read_module(std::string bytes) {
  constexpr std::string_view kBytecode = "ML\xEFR";
  if (bytes.starts_with(kBytecode)) {
    return fail(ErrorKind::kUnsupported, "bytecode of MLIR is not supported; print it as text");
  }
  if (is_proto(bytes)) return parse_module_proto(bytes);
  if (is_stablehlo(bytes)) return parse_stablehlo(bytes);
  return parse_module(std::move(bytes));
}

}  // namespace mercator::hlo
