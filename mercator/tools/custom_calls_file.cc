#include "mercator/tools/custom_calls_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "mercator/tools/json.h"
#include "mercator/tools/json_parts.h"

namespace mercator::tools {
namespace {

TextSpan span(std::size_t begin, std::size_t end) {
  return {.begin = static_cast<std::uint32_t>(begin), .end = static_cast<std::uint32_t>(end)};
}

// One entry of the file.
class Entry {
 public:
  Entry(std::string_view text, const JsonPart& part, ExprContext& context)
      : text_(text), part_(part), context_(context) {}

  Result<CustomCallMeaning> read(const ParsedJson& json) {
    using Kind = CustomCallMeaning::Kind;
    if (json == "elementwise") return CustomCallMeaning{.kind = Kind::kElementwise};
    if (json == "identity") return CustomCallMeaning{.kind = Kind::kIdentity};
    if (!json.is_array()) {
      return wrong("must be \"elementwise\", \"identity\" or a list of maps");
    }
    CustomCallMeaning meaning{.kind = Kind::kMaps};
    for (const ParsedJson& map : json) meaning.maps.push_back(MERCATOR_TRY(read_map(map)));
    return meaning;
  }

 private:
  Result<CustomCallMap> read_map(const ParsedJson& json) {
    if (!json.is_object()) return wrong("has a map that is not an object");
    static constexpr std::array<std::string_view, 5> kKeys = {"operand", "map", "output", "leaf",
                                                              "exact"};
    for (const auto& [key, value] : json.items()) {
      if (std::ranges::find(kKeys, key) == kKeys.end()) {
        return wrong(fmt::format("has a map with the unknown key '{}'", key));
      }
    }
    const auto operand = json.find("operand");
    if (operand == json.end() || !operand->is_number_unsigned()) {
      return wrong("has a map without the number of an \"operand\"");
    }
    const auto map = json.find("map");
    if (map == json.end() || !map->is_string()) return wrong("has a map without its text, \"map\"");
    const auto exact = json.find("exact");
    if (exact != json.end() && !exact->is_boolean())
      return wrong("has an \"exact\" that is not a bool");
    return CustomCallMap{.output = MERCATOR_TRY(read_leaf(json, "output")),
                         .operand = operand->get<std::int64_t>(),
                         .operand_leaf = MERCATOR_TRY(read_leaf(json, "leaf")),
                         .map = MERCATOR_TRY(read_text(map->get<std::string>())),
                         .exact = exact == json.end() || exact->get<bool>()};
  }

  Result<std::vector<std::int64_t>> read_leaf(const ParsedJson& json, const char* key) {
    std::vector<std::int64_t> leaf;
    const auto list = json.find(key);
    if (list == json.end()) return leaf;
    const auto is_number = [](const ParsedJson& part) { return part.is_number_unsigned(); };
    if (!list->is_array() || !std::ranges::all_of(*list, is_number)) {
      return wrong(fmt::format("has a \"{}\" that is not a list of numbers", key));
    }
    for (const ParsedJson& part : *list) leaf.push_back(part.get<std::int64_t>());
    return leaf;
  }

  Result<IndexMap> read_text(const std::string& map_text) {
    if (is_bare_expression(map_text)) return wrong("has a \"map\" without ->");
    Result<IndexMap> map = parse_index_map(map_text, context_);
    if (!map.has_value()) {
      // Where in the file, if it stands there as it is read, without escapes.
      Error error = std::move(map).error();
      const std::size_t at = text_.substr(0, part_.value.end).find(map_text, part_.value.begin);
      if (at == std::string_view::npos || !error.span.has_value()) return wrong(error.message);
      error.span = span(at + error.span->begin, at + error.span->end);
      return std::unexpected(std::move(error));
    }
    if (!map->runtimes().empty()) return wrong("has a map with runtime variables");
    return map;
  }

  [[nodiscard]] std::unexpected<Error> wrong(std::string_view what) const {
    return fail(ErrorKind::kInvalidInput, fmt::format("'{}' {}", part_.key, what), part_.key_span);
  }

  std::string_view text_;
  const JsonPart& part_;
  ExprContext& context_;
};

}  // namespace

Result<CustomCalls> read_custom_calls(std::string_view text, ExprContext& context) {
  const ParsedJson json = MERCATOR_TRY(parse_json(text));
  if (!json.is_object()) {
    return fail(ErrorKind::kInvalidInput, "expected an object with an entry for each custom call",
                span(0, 1));
  }
  CustomCalls calls;
  const std::vector<JsonPart> parts = json_parts(text);
  MERCATOR_TRY_VOID(require_distinct_keys(text, parts));
  for (const JsonPart& part : parts) {
    calls.emplace(part.key, MERCATOR_TRY(Entry(text, part, context).read(json[part.key])));
  }
  return calls;
}

}  // namespace mercator::tools
